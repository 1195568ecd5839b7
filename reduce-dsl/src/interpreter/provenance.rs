//! Accumulators as trees of positions: they prove which elements were combined, and in which association.

use super::domain::{Acc, Domain, Refused};
use super::setting::Input;
use super::warp::{PerLane, each};
use crate::lanes::Lanes;
use crate::operation::{Argument, Operation};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// No element: the padding, which vanishes in every combination.
    Empty,
    /// The element at that position.
    Leaf(u64),
    /// The left tree, then the right one.
    Pair(Acc, Acc),
}

/// A part of a tree's text.
enum Piece {
    Tree(Acc),
    Mark(char),
}

/// Accumulators are trees; equal trees have equal numbers. The elements of every input are their own positions, as `u64` lanes.
pub struct Provenance<'a> {
    operation: &'a Operation,
    nodes: Vec<Node>,
    numbers: HashMap<Node, Acc, BuildHasherDefault<Mix>>,
    /// Which arguments of `map` and, behind the accumulator, of `fold` are positions: elements and their index.
    map_places: Rc<[usize]>,
    fold_places: Rc<[usize]>,
}

impl<'a> Provenance<'a> {
    /// The trees of an operation.
    pub fn new(operation: &'a Operation) -> Provenance<'a> {
        Provenance {
            operation,
            nodes: Vec::new(),
            numbers: HashMap::default(),
            map_places: places(&operation.map_arguments()),
            fold_places: places(&operation.fold_arguments().unwrap_or_default()),
        }
    }

    /// The inputs to run on: as many as the operation has, each holding the positions 0 … n.
    pub fn inputs(operation: &Operation, n: u64, aligned: bool) -> Vec<Input> {
        vec![Input::new(Lanes::U64((0..n).collect()), aligned); operation.inputs.len()]
    }

    /// The tree of one element.
    pub fn leaf(&mut self, position: u64) -> Acc {
        self.number(Node::Leaf(position))
    }

    /// The tree of no element.
    pub fn identity(&mut self) -> Acc {
        self.number(Node::Empty)
    }

    /// The left tree, then the right one.
    pub fn pair(&mut self, a: Acc, b: Acc) -> Acc {
        match (self.node(a), self.node(b)) {
            (Node::Empty, _) => b,
            (_, Node::Empty) => a,
            _ => self.number(Node::Pair(a, b)),
        }
    }

    /// The tree as text: `((0 2) (1 3))`, or `empty`.
    pub fn text(&self, tree: Acc) -> String {
        let (mut text, mut rest) = (String::new(), vec![Piece::Tree(tree)]);
        while let Some(piece) = rest.pop() {
            match piece {
                Piece::Mark(mark) => text.push(mark),
                Piece::Tree(tree) => match self.node(tree) {
                    Node::Empty => text.push_str("empty"),
                    Node::Leaf(position) => text.push_str(&position.to_string()),
                    Node::Pair(a, b) => {
                        let [a, b] = [a, b].map(Piece::Tree);
                        rest.extend([Piece::Mark(')'), b, Piece::Mark(' '), a, Piece::Mark('(')]);
                    }
                },
            }
        }
        text
    }

    /// The positions in the tree, from left to right.
    pub fn leaves(&self, tree: Acc) -> Vec<u64> {
        let (mut leaves, mut rest) = (Vec::new(), vec![tree]);
        while let Some(tree) = rest.pop() {
            match self.node(tree) {
                Node::Empty => {}
                Node::Leaf(position) => leaves.push(position),
                Node::Pair(a, b) => rest.extend([b, a]),
            }
        }
        leaves
    }

    /// Is the tree some combination of those parts, in any order, each once and whole? That is what atomics
    /// promise of the partials of the blocks.
    pub fn is_any_order_of(&self, tree: Acc, parts: &[Acc]) -> bool {
        let whole = |part: &&Acc| self.node(**part) != Node::Empty;
        let mut left: Vec<_> = parts.iter().filter(whole).copied().collect();
        let mut rest = vec![tree];
        while let Some(tree) = rest.pop() {
            match (left.iter().position(|&part| part == tree), self.node(tree)) {
                (Some(at), _) => drop(left.swap_remove(at)),
                (None, Node::Pair(a, b)) => rest.extend([b, a]),
                (None, Node::Empty) => {}
                (None, Node::Leaf(_)) => return false,
            }
        }
        left.is_empty()
    }

    /// The tree of the element that a lane gives to a function.
    fn element(&mut self, places: &[usize], args: &[PerLane<u64>], lane: usize) -> Result<Acc, Refused> {
        let mut positions = places.iter().filter_map(|&place| args.get(place)).map(|arg| arg[lane]);
        let first = positions.next().unwrap_or_default();
        match positions.find(|&other| other != first) {
            Some(other) => Err(Refused::MixedPositions(first, other)),
            None => Ok(self.leaf(first)),
        }
    }

    fn node(&self, tree: Acc) -> Node {
        self.nodes[tree.get()]
    }

    fn number(&mut self, node: Node) -> Acc {
        let next = Acc::number(self.nodes.len());
        let tree = *self.numbers.entry(node).or_insert(next);
        if tree == next {
            self.nodes.push(node);
        }
        tree
    }
}

impl Domain for Provenance<'_> {
    fn empty(&mut self) -> Option<Acc> {
        self.operation.padding.is_some().then(|| self.identity())
    }

    fn map(
        &mut self,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let places = self.map_places.clone();
        each(lanes).try_for_each(|lane| self.element(&places, args, lane).map(|leaf| out[lane] = Some(leaf)))
    }

    fn combine(
        &mut self,
        a: &PerLane<Option<Acc>>,
        b: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        each(lanes).for_each(|lane| out[lane] = a[lane].zip(b[lane]).map(|(a, b)| self.pair(a, b)));
        Ok(())
    }

    /// As `combine` of the accumulator and the element.
    fn fold(
        &mut self,
        acc: &PerLane<Option<Acc>>,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let places = self.fold_places.clone();
        each(lanes).try_for_each(|lane| {
            let leaf = self.element(&places, args, lane)?;
            out[lane] = acc[lane].map(|acc| self.pair(acc, leaf));
            Ok(())
        })
    }
}

/// The places of elements and their index among the arguments behind the accumulator.
fn places(arguments: &[Argument]) -> Rc<[usize]> {
    let behind = arguments.iter().filter(|it| !matches!(it, Argument::Acc(_)));
    let is_position = |it: &Argument| matches!(it, Argument::Input(_) | Argument::Index);
    behind.enumerate().filter(|(_, it)| is_position(it)).map(|(place, _)| place).collect()
}

/// A hash of a few words: nodes are looked up at every combination, and nobody attacks them.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

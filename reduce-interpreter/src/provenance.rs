//! Accumulators as trees of positions: they prove which elements were combined, and in which association.

use super::domain::{Acc, Domain, Refused, halved};
use super::setting::Input;
use super::warp::{PerLane, each};
use reduce_ir::operation::{Argument, Operation};
use reduce_lanes::Lanes;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// No element: the fill, which vanishes in every combination.
    Empty,
    /// The element at that position.
    Leaf(u64),
    /// The left tree, then the right one.
    Pair(Acc, Acc),
}

/// A part of the text of a tree.
enum Piece {
    Tree(Acc),
    Mark(char),
}

/// A domain of trees. Equal trees have equal numbers. The elements of every input are their own positions, as `u64`
/// lanes.
pub struct Provenance<'a> {
    operation: &'a Operation,
    nodes: Vec<Node>,
    numbers: HashMap<Node, Acc, BuildHasherDefault<Mix>>,
    /// The places of the arguments of `map` and, after the accumulator, of `fold`.
    map_places: Rc<Places>,
    fold_places: Rc<Places>,
}

impl<'a> Provenance<'a> {
    /// Creates the domain for an operation.
    pub fn new(operation: &'a Operation) -> Provenance<'a> {
        Provenance {
            operation,
            nodes: Vec::new(),
            numbers: HashMap::default(),
            map_places: Places::of(&operation.map_arguments()),
            fold_places: Places::of(&operation.fold_arguments().unwrap_or_default()),
        }
    }

    /// Returns the inputs to run on: one for each input of the operation, with the positions 0 … n.
    pub fn inputs(operation: &Operation, n: u64, aligned: bool) -> Vec<Input> {
        vec![Input::new(Lanes::U64((0..n).collect()), aligned); operation.inputs.len()]
    }

    /// Returns the tree of one element.
    pub fn leaf(&mut self, position: u64) -> Acc {
        self.number(Node::Leaf(position))
    }

    /// Returns the tree of no element.
    pub fn identity(&mut self) -> Acc {
        self.number(Node::Empty)
    }

    /// Returns the tree of the left tree, then the right one.
    pub fn pair(&mut self, a: Acc, b: Acc) -> Acc {
        match (self.node(a), self.node(b)) {
            (Node::Empty, _) => b,
            (_, Node::Empty) => a,
            _ => self.number(Node::Pair(a, b)),
        }
    }

    /// Returns the tree as text: `((0 2) (1 3))`, or `empty`.
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

    /// Returns the positions in the tree, from left to right.
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

    /// Returns whether the tree combines the given parts, in any order, each once and whole. Atomics promise this
    /// about the partials of the blocks.
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

    /// Returns the tree of the element that a lane passes to a function.
    fn element(&mut self, places: &Places, args: &[PerLane<u64>], lane: usize) -> Result<Acc, Refused> {
        let index = places.index.and_then(|place| args.get(place)).map(|arg| arg[lane]);
        let elements = places.elements.iter().filter_map(|&place| args.get(place)).map(|arg| arg[lane]);
        let mut all = elements.chain(index);
        let first = all.next().unwrap_or_default();
        if let Some(other) = all.find(|&other| other != first) {
            return Err(Refused::MixedPositions(first, other));
        }
        Ok(self.leaf(first))
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
        self.operation.fill.is_some().then(|| self.identity())
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
        each(lanes).try_for_each(|lane| {
            out[lane] = a[lane].zip(b[lane]).map(|(a, b)| self.pair(a, b));
            Ok(())
        })
    }

    /// Builds the same tree as `combine` of the accumulator and the element.
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

    /// Builds the tree that the instruction stands for, by [`halved`].
    fn redux(
        &mut self,
        accs: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut Option<Acc>,
    ) -> Result<(), Refused> {
        *out = halved(accs, lanes, |_, a, b| Ok(Some(self.pair(a, b))))?;
        Ok(())
    }
}

/// The places of the elements, and of their index, among the arguments after the accumulator.
struct Places {
    elements: Vec<usize>,
    index: Option<usize>,
}

impl Places {
    fn of(arguments: &[Argument]) -> Rc<Places> {
        let after_acc = arguments.iter().filter(|it| !matches!(it, Argument::Acc(_)));
        let places = |wanted: fn(&Argument) -> bool| {
            let found = after_acc.clone().enumerate().filter(move |(_, it)| wanted(it));
            found.map(|(place, _)| place).collect::<Vec<_>>()
        };
        let index = places(|it| *it == Argument::Index).first().copied();
        Rc::new(Places { elements: places(|it| matches!(it, Argument::Input(_))), index })
    }
}

/// A cheap hash of a few words: nodes are looked up at every combination, and collision attacks are no concern.
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

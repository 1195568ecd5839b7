//! Accumulators as trees of positions (origins): they prove which elements were combined, and in which association.

use super::{Domain, Fault};
use crate::lanes::{Lanes, LanesRef};
use crate::operation::Operation;
use std::collections::HashMap;

/// Where an accumulator comes from: a tree of positions, as a number in its [`Provenance`]. Equal trees have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// No element: the identity, which vanishes in every combination.
    Empty,
    /// The element at that position.
    Leaf(u64),
    /// The left tree, then the right one.
    Pair(Origin, Origin),
}

/// Accumulators are trees. The elements of every input are their own positions, as `u64` lanes.
pub struct Provenance<'a> {
    operation: &'a Operation,
    nodes: Vec<Node>,
    numbers: HashMap<Node, Origin>,
}

impl<'a> Provenance<'a> {
    /// The trees of an operation.
    pub fn new(operation: &'a Operation) -> Provenance<'a> {
        Provenance { operation, nodes: Vec::new(), numbers: HashMap::new() }
    }

    /// The inputs to run on: as many as the operation has, each holding the positions 0 … n.
    pub fn inputs(operation: &Operation, n: u64, aligned: bool) -> Vec<super::Input> {
        let input = super::Input { elements: Lanes::U64((0..n).collect()), step: 1, aligned };
        vec![input; operation.inputs.len()]
    }

    /// The tree of one element.
    pub fn leaf(&mut self, position: u64) -> Origin {
        self.number(Node::Leaf(position))
    }

    /// The tree of no element.
    pub fn identity(&mut self) -> Origin {
        self.number(Node::Empty)
    }

    /// The left tree, then the right one.
    pub fn pair(&mut self, a: Origin, b: Origin) -> Origin {
        match (self.nodes[a.0 as usize], self.nodes[b.0 as usize]) {
            (Node::Empty, _) => b,
            (_, Node::Empty) => a,
            _ => self.number(Node::Pair(a, b)),
        }
    }

    /// The tree of the accumulator that [`super::run`] gave.
    pub fn tree(&self, accs: &[Option<Origin>]) -> Option<Origin> {
        accs.first().copied().flatten()
    }

    /// The tree as text: `((0 2) (1 3))`, or `empty`.
    pub fn text(&self, tree: Origin) -> String {
        match self.nodes[tree.0 as usize] {
            Node::Empty => "empty".to_owned(),
            Node::Leaf(position) => position.to_string(),
            Node::Pair(a, b) => format!("({} {})", self.text(a), self.text(b)),
        }
    }

    fn number(&mut self, node: Node) -> Origin {
        let next = Origin(self.nodes.len() as u32);
        let tree = *self.numbers.entry(node).or_insert(next);
        if tree == next {
            self.nodes.push(node);
        }
        tree
    }
}

impl Domain for Provenance<'_> {
    type Accs = Vec<Option<Origin>>;

    fn undefined(&self, len: usize) -> Vec<Option<Origin>> {
        vec![None; len]
    }

    fn empty(&mut self, len: usize) -> Vec<Option<Origin>> {
        let identity = self.operation.identity.is_some().then(|| self.identity());
        vec![identity; len]
    }

    fn map(
        &mut self,
        inputs: &[Lanes],
        positions: Option<&Lanes>,
        mask: &[bool],
    ) -> Result<Self::Accs, Fault> {
        let all: Vec<_> = inputs.iter().chain(positions).map(Lanes::borrow).collect();
        let leaf = |lane: usize| {
            let mut positions = all.iter().map(|lanes| position(*lanes, lane));
            let first = positions.next().flatten().ok_or(Fault::MixedPositions)?;
            if positions.all(|other| other == Some(first)) { Ok(first) } else { Err(Fault::MixedPositions) }
        };
        let tree = |lane| if mask[lane] { leaf(lane).map(|it| Some(self.leaf(it))) } else { Ok(None) };
        (0..mask.len()).map(tree).collect()
    }

    fn combine(&mut self, a: &Self::Accs, b: &Self::Accs) -> Result<Self::Accs, Fault> {
        Ok(a.iter().zip(b).map(|(a, b)| Some(self.pair((*a)?, (*b)?))).collect())
    }

    fn defined(&self, accs: &Self::Accs, lane: usize) -> bool {
        accs[lane].is_some()
    }

    fn copy(&self, into: &mut Self::Accs, from: &Self::Accs, pairs: &[(usize, usize)]) {
        pairs.iter().for_each(|&(i, j)| into[i] = from[j]);
    }

    fn len(&self, accs: &Self::Accs) -> usize {
        accs.len()
    }
}

fn position(lanes: LanesRef<'_>, lane: usize) -> Option<u64> {
    if let LanesRef::U64(positions) = lanes { Some(positions[lane]) } else { None }
}

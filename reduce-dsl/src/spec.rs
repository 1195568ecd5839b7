//! The specification: what to compute and by which schedule. What the parser gives and lowering takes.

use crate::func::{Func, Param};
use crate::operation::{Layout, Operation, Order};
use crate::pass::Pass;
use std::fmt;

/// A checked specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// What is computed.
    pub operation: Operation,
    /// The specification in its canonical spelling, which parses to this specification again.
    pub text: String,
    /// Threads per block, if the user said: a power of two, 32 … 1024.
    pub block: Option<u32>,
    /// The schedule.
    pub passes: Passes,
}

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Passes {
    /// The library's choice for the operation.
    Auto,
    /// These, in this order.
    List(Vec<Pass>),
}

impl Spec {
    /// Threads per block where neither the user nor `auto` says otherwise.
    pub const BLOCK: u32 = 256;

    /// A specification, spelled. `map` is the function that is written there, without what the operator adds.
    pub fn new(operation: Operation, map: Option<&Func>, block: Option<u32>, passes: Passes) -> Spec {
        let text = text(&operation, map, block, &passes);
        Spec { operation, text, block, passes }
    }
}

/// The canonical spelling: the fields that say something, in order, on one line.
fn text(operation: &Operation, map: Option<&Func>, block: Option<u32>, passes: &Passes) -> String {
    let inputs = operation.inputs.iter().map(|Param { name, ty }| format!("{name}: {ty}"));
    let fields = [
        Some(match operation.inputs.as_slice() {
            [Param { name, ty }] if name == "x" => format!("ty: {ty}"),
            _ => format!("inputs: {{ {} }}", inputs.collect::<Vec<_>>().join(", ")),
        }),
        (operation.layout != Layout::Contiguous).then(|| format!("layout: {}", operation.layout)),
        map.map(|map| format!("map: {map}")),
        Some(format!("op: {}", operation.name)),
        (operation.order != Order::Fixed).then(|| format!("order: {}", operation.order)),
        block.map(|block| format!("block: {block}")),
        (*passes != Passes::Auto).then(|| format!("passes: {passes}")),
    ];
    fields.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// As it is written: `auto`, or `[shuffle, coarsen(4)]`.
impl fmt::Display for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Passes::Auto => f.write_str("auto"),
            Passes::List(passes) => write!(f, "{}", Listed(passes)),
        }
    }
}

/// Passes as they are written in a list.
pub struct Listed<'a>(pub &'a [Pass]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(Pass::to_string).collect();
        write!(f, "[{}]", words.join(", "))
    }
}

//! The specification: an operation and its schedule. The parser makes it, and scheduling turns it into a program.

mod params;

pub use params::ParamError;

use crate::func::literal;
use crate::func::{Func, Param};
use crate::operation::{Operation, Order};
use crate::pass::Pass;
use crate::{Access, Axes, Domain, Value};
use std::fmt;

/// A checked specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The operation.
    pub operation: Operation,
    /// The groups of elements that it reduces. With axes, these are the groups of row-major inputs; others come with a call.
    pub domain: Domain,
    /// The axes of the inputs and of the result, if there are several groups.
    pub axes: Option<Axes>,
    /// The values of params that a call need not give, one entry for each param; none if no param has one.
    pub defaults: Vec<Option<Value>>,
    /// The specification in its canonical spelling, which parses to this specification again.
    pub text: String,
    /// Threads per block, if the user chose a number: a power of two, 32 … 1024.
    pub block: Option<u32>,
    /// The schedule.
    pub passes: Passes,
}

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Passes {
    /// The library's choice for the operation.
    Auto,
    /// These passes, in this order.
    List(Vec<Pass>),
}

impl Spec {
    /// Threads per block, unless the user or `auto` chooses otherwise.
    pub const BLOCK: u32 = 256;

    /// Creates a specification, with its canonical spelling.
    pub fn new(
        operation: Operation,
        domain: Domain,
        spelling: &Spelling,
        block: Option<u32>,
        passes: Passes,
    ) -> Spec {
        let text = text((&operation, domain), spelling, block, &passes);
        let axes = spelling.axes.clone();
        let domain = axes.as_ref().map_or(domain, Axes::domain);
        let defaults = spelling.defaults.iter().map(|it| it.as_ref().map(|it| it.value)).collect();
        Spec { operation, domain, axes, defaults, text, block, passes }
    }
}

impl Spec {
    /// Returns the specification with constants in the place of params. Their names occur nowhere else in the text.
    #[must_use]
    pub fn with_constants(mut self, constants: &[(&str, Value)]) -> Spec {
        let operation = &mut self.operation;
        let functions = [&mut operation.map, &mut operation.combine, &mut operation.finish];
        for func in functions.into_iter().chain(&mut operation.fold).chain(&mut operation.key) {
            *func = func.with_constants(constants);
        }
        operation.params.retain(|param| constants.iter().all(|(name, _)| *name != param.name));
        for &(name, value) in constants {
            let text = literal(value);
            let text = if text.starts_with('-') { format!("({text})") } else { text };
            self.text = replaced(&self.text, name, &text);
        }
        self
    }
}

/// Replaces a word of a text.
fn replaced(text: &str, word: &str, new: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces = text.split(word).peekable();
    let mut all = String::new();
    while let Some(piece) = pieces.next() {
        all += piece;
        if let Some(next) = pieces.peek() {
            all += if next.starts_with(is_part) || piece.ends_with(is_part) { word } else { new };
        }
    }
    all
}

/// The value of a param if a call does not give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamDefault {
    /// The value.
    pub value: Value,
    /// Its spelling.
    pub text: String,
}

/// The spelling of fields that the operation itself does not show. `None`: the field is not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spelling {
    /// `axes`.
    pub axes: Option<Axes>,
    /// The defaults of `params`.
    pub defaults: Vec<Option<ParamDefault>>,
    /// `by`, if it is a closure.
    pub by: Option<String>,
    /// `filter`.
    pub filter: Option<String>,
    /// `map`.
    pub map: Option<String>,
    /// `acc`.
    pub acc: Option<String>,
    /// `op`.
    pub op: String,
    /// `fold`.
    pub fold: Option<String>,
    /// `identity`.
    pub identity: Option<String>,
    /// `commutative`.
    pub commutative: Option<bool>,
    /// `finish`.
    pub finish: Option<String>,
    /// `empty`.
    pub empty: Option<String>,
    /// `nan`.
    pub nan: Option<String>,
    /// `ties`.
    pub ties: Option<String>,
}

impl Spelling {
    /// Returns the spelling of a named operator, after `map` if there is one.
    pub fn named(operation: &Operation, map: Option<&Func>) -> Spelling {
        Spelling { map: map.map(Func::to_string), op: operation.name.clone(), ..Spelling::default() }
    }
}

/// Returns the canonical spelling: the fields that differ from their defaults, in order, on one line.
fn text(
    (operation, domain): (&Operation, Domain),
    spelling: &Spelling,
    block: Option<u32>,
    passes: &Passes,
) -> String {
    let braced = |params: &[Param]| {
        let params: Vec<_> = params.iter().map(|Param { name, ty }| format!("{name}: {ty}")).collect();
        format!("{{ {} }}", params.join(", "))
    };
    let field = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("{name}: {value}"));
    let fields = [
        Some(match operation.inputs.as_slice() {
            [Param { name, ty }] if name == "x" => format!("ty: {ty}"),
            inputs => format!("inputs: {}", braced(inputs)),
        }),
        (domain.access != Access::Contiguous).then(|| format!("layout: {}", domain.access)),
        spelling.axes.as_ref().map(|axes| axes.fields(&operation.inputs, spelling.by.as_deref()).join(", ")),
        (!operation.given_params().is_empty())
            .then(|| format!("params: {}", params(operation.given_params(), &spelling.defaults))),
        (operation.index != Operation::INDEX).then(|| format!("index: {}", operation.index)),
        field("filter", &spelling.filter),
        field("map", &spelling.map),
        field("acc", &spelling.acc),
        Some(format!("op: {}", spelling.op)),
        field("fold", &spelling.fold),
        field("identity", &spelling.identity),
        spelling.commutative.map(|commutative| format!("commutative: {commutative}")),
        field("finish", &spelling.finish),
        field("empty", &spelling.empty),
        field("nan", &spelling.nan),
        field("ties", &spelling.ties),
        (operation.order != Order::Fixed).then(|| format!("order: {}", operation.order)),
        block.map(|block| format!("block: {block}")),
        (*passes != Passes::Auto).then(|| format!("passes: {passes}")),
    ];
    fields.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the spelling of `params`.
fn params(params: &[Param], defaults: &[Option<ParamDefault>]) -> String {
    let one = |(at, Param { name, ty }): (usize, &Param)| match defaults.get(at) {
        Some(Some(default)) => format!("{name}: {ty} = {}", default.text),
        Some(None) | None => format!("{name}: {ty}"),
    };
    format!("{{ {} }}", params.iter().enumerate().map(one).collect::<Vec<_>>().join(", "))
}

/// Prints the schedule as in a specification: `auto`, or `[shuffle, coarsen(4)]`.
impl fmt::Display for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Passes::Auto => f.write_str("auto"),
            Passes::List(passes) => write!(f, "{}", Listed(passes)),
        }
    }
}

/// A list of passes, which prints as in a specification.
pub struct Listed<'a>(pub &'a [Pass]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(Pass::to_string).collect();
        write!(f, "[{}]", words.join(", "))
    }
}

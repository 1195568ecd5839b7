//! The values of a function in C++: parameters, locals, and the expressions between them.

use super::text::Text;
use crate::cuda::spelling::{Spell, Spelling};
use crate::cuda::types::{bits, hex, literal};
use reduce_ir::Scalar;
use reduce_ir::func::{Func, Id, Line, Node};
use std::cell::Cell;

/// The values of a function that is printed. Lines with a name, or with several uses, become locals.
pub(super) struct Values<'a> {
    pub(super) func: &'a Func,
    /// The spelling of its nodes.
    spell: Spell,
    /// The number of reads of each parameter and line.
    uses: Vec<usize>,
    /// The name of each line that is a local.
    locals: Vec<Option<String>>,
    /// Whether a text names each local. Some spellings write a constant as a number, or omit it.
    named: Vec<Cell<bool>>,
}

impl<'a> Values<'a> {
    pub(super) fn of(func: &'a Func, spell: Spell) -> Values<'a> {
        let uses = uses(func);
        let lines = func.lines().iter().filter_map(|it| it.name.as_deref());
        let given: Vec<_> = func.params().iter().map(|it| it.name.as_str()).chain(lines).collect();
        let numbered = (0..).map(|number| format!("t_{number}"));
        let mut free = numbered.filter(|name| !given.contains(&name.as_str()));
        let local = |(line, &uses): (&Line, &usize)| match &line.name {
            Some(name) => Some(name.clone()),
            None if uses > 1 && !matches!(line.node, Node::Const(_)) => free.next(),
            None => None,
        };
        let locals: Vec<_> = func.lines().iter().zip(&uses[func.params().len()..]).map(local).collect();
        let named = vec![Cell::new(false); locals.len()];
        Values { func, spell, uses, locals, named }
    }

    /// Returns the locals that texts have named so far, and the locals that these name, in order: type, name, value.
    pub(super) fn locals(&self) -> Vec<(Scalar, &str, String)> {
        let mut locals = Vec::new();
        for (at, line) in self.func.lines().iter().enumerate().rev() {
            let name = self.locals[at].as_deref().filter(|_| self.named[at].get());
            locals.extend(name.map(|name| (line.ty, name, self.node(line).text)));
        }
        locals.reverse();
        locals
    }

    /// Returns the condition that selects all of several results together, and the results of both branches.
    pub(super) fn choice(&self, results: &[Id]) -> Option<(Id, [Vec<Id>; 2])> {
        choice(self.func, &self.uses, results)
    }

    /// Returns the expression for the value of `id`.
    pub(super) fn text(&self, id: Id) -> Text {
        let Some(line) = (id.0 as usize).checked_sub(self.func.params().len()) else {
            return Text::atom(self.func.params()[id.0 as usize].name.clone());
        };
        match &self.locals[line] {
            Some(name) => {
                self.named[line].set(true);
                Text::atom(name.clone())
            }
            None => self.node(&self.func.lines()[line]),
        }
    }

    fn node(&self, &Line { node, ty, .. }: &Line) -> Text {
        let operands: Vec<_> = node.operands().collect();
        let arg = |k: usize| self.text(operands[k]);
        let args = |from: usize| operands[from..].iter().map(|&id| self.text(id)).collect::<Vec<_>>();
        let spelling = (self.spell)(self.func, node);
        let text = match spelling {
            Spelling::Literal(value) => Text::atom(literal(value)),
            Spelling::Same => arg(0),
            Spelling::Call(name) => Text::call(name, &args(0)),
            Spelling::Helper(helper) => Text::call(&helper.name(), &args(0)),
            Spelling::OfSecond(helper) => Text::call(&helper.name(), &args(1)),
            Spelling::Prefix(sign) => Text::prefix(sign, &arg(0)),
            Spelling::Cast => arg(0).cast(ty),
            Spelling::Infix(sign @ ("&" | "|" | "^")) => {
                let [a, b] = [0, 1].map(|k| self.mask(operands[k]));
                Text::infix(sign, &a, &b)
            }
            Spelling::Infix(sign) => Text::infix(sign, &arg(0), &arg(1)),
            Spelling::Widened(widen, sign) => {
                let [a, b] = [0, 1].map(|k| Text::call(&widen.name(), &[arg(k)]));
                Text::infix(sign, &a, &b)
            }
            Spelling::Shift(sign) => Text::infix(sign, &arg(0), &self.distance(operands[1], ty)),
            Spelling::Choice => Text::choice(&arg(0), &self.typed(operands[1]), &self.typed(operands[2])),
        };
        if spelling.computes_in_int() && is_small(ty) { text.cast(ty) } else { text }
    }

    /// Returns the distance by which a value of type `ty` is shifted.
    fn distance(&self, by: Id, ty: Scalar) -> Text {
        let most = bits(ty) - 1;
        match self.func.constant(by) {
            Some(by) => Text::atom((by.bits() & u64::from(most)).to_string()),
            None => Text::infix("&", &self.text(by), &Text::atom(most.to_string())),
        }
    }

    /// Returns a value whose bits matter: unsigned constants above 9 are hexadecimal.
    fn mask(&self, id: Id) -> Text {
        match self.func.constant(id) {
            Some(value) if value.ty().is_unsigned() && value.bits() > 9 => Text::atom(hex(value)),
            _ => self.text(id),
        }
    }

    /// Returns the value with its type. A literal of 8 or 16 bits needs a cast for that.
    fn typed(&self, id: Id) -> Text {
        let ty = self.func.ty(id);
        let literal = self.func.constant(id).is_some() && is_small(ty);
        if literal { self.text(id).cast(ty) } else { self.text(id) }
    }
}

/// Returns the choice of [`Values::choice`]. `None`: a result has a name, or is read elsewhere.
fn choice(func: &Func, uses: &[usize], results: &[Id]) -> Option<(Id, [Vec<Id>; 2])> {
    let choose = |&id: &Id| match func.line(id)? {
        &Line { node: Node::Select(cond, a, b), name: None, .. } if uses[id.0 as usize] == 1 => {
            Some((cond, a, b))
        }
        _ => None,
    };
    let all: Vec<_> = results.iter().map(choose).collect::<Option<_>>()?;
    let cond = all.first()?.0;
    let branches = [all.iter().map(|it| it.1).collect(), all.iter().map(|it| it.2).collect()];
    (all.len() > 1 && all.iter().all(|it| it.0 == cond)).then_some((cond, branches))
}

/// Counts the reads of each parameter and line. A choice between structs reads its condition once.
fn uses(func: &Func) -> Vec<usize> {
    let mut uses = vec![0; func.params().len() + func.lines().len()];
    let operands = func.lines().iter().flat_map(|it| it.node.operands());
    operands.chain(func.results().iter().copied()).for_each(|id| uses[id.0 as usize] += 1);
    let mut open = vec![func.results().to_vec()];
    while let Some(results) = open.pop() {
        if let Some((cond, branches)) = choice(func, &uses, &results) {
            uses[cond.0 as usize] -= results.len() - 1;
            open.extend(branches);
        }
    }
    uses
}

/// Returns whether C++ computes with it as `int`.
fn is_small(ty: Scalar) -> bool {
    ty.is_integer() && ty.size() < 4
}

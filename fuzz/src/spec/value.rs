//! Expressions of a type, written from the names in scope.
//!
//! Every expression is an atom or in parentheses, and its type does not depend on its context. So a method may be called on
//! it.

use super::literal::{bare, divisor, typed};
use super::methods::METHODS;
use super::names::{COMPUTED, Typed};
use crate::choices::Choices;
use reduce_ir::Scalar;

/// Writes expressions.
pub(super) struct Writer<'w, 'c> {
    pub(super) choices: &'w mut Choices<'c>,
    /// Names with their types, including fields such as `a.lo`.
    pub(super) scope: Vec<Typed>,
    /// The number of `let`s written so far.
    lets: usize,
}

impl<'w, 'c> Writer<'w, 'c> {
    pub(super) fn new(choices: &'w mut Choices<'c>, scope: Vec<Typed>) -> Writer<'w, 'c> {
        Writer { choices, scope, lets: 0 }
    }

    /// Writes a value of a type with at most `depth` nested operations.
    pub(super) fn value(&mut self, ty: Scalar, depth: usize) -> String {
        if depth == 0 || self.choices.once_in(5) {
            return self.leaf(ty);
        }
        match self.choices.below(17) {
            16 => self.controlled(ty, depth - 1),
            0 => self.branches(ty, depth - 1),
            1 => self.block(ty, depth - 1),
            2..=5 => self.method(ty, depth - 1),
            6 | 7 => self.cast(ty, depth - 1),
            _ if ty == Scalar::Bool => self.condition(depth - 1),
            _ if ty.is_float() => self.float(ty, depth - 1),
            _ => self.integer(ty, depth - 1),
        }
    }

    /// Writes a name of that type, a converted name, or a number.
    fn leaf(&mut self, ty: Scalar) -> String {
        let fits: Vec<_> = self.scope.iter().filter(|(_, of)| *of == ty).map(|it| it.0.clone()).collect();
        if !fits.is_empty() && !self.choices.once_in(6) {
            return fits[self.choices.below(fits.len())].clone();
        }
        let casts: Vec<_> = self.scope.iter().filter(|(_, of)| is_cast(*of, ty)).cloned().collect();
        if !casts.is_empty() && self.choices.below(4) > 0 {
            let (name, _) = &casts[self.choices.below(casts.len())];
            return format!("({name} as {ty})");
        }
        typed(self.choices, ty)
    }

    /// Writes the other operand for a value of that type.
    fn operand(&mut self, ty: Scalar, depth: usize) -> String {
        if self.choices.once_in(3) { bare(self.choices, ty) } else { self.value(ty, depth) }
    }

    fn branches(&mut self, ty: Scalar, depth: usize) -> String {
        let condition = self.value(Scalar::Bool, depth);
        let (a, b) = (self.value(ty, depth), self.value(ty, depth));
        if depth > 0 && self.choices.once_in(4) {
            let (other, c) = (self.value(Scalar::Bool, 0), self.value(ty, 0));
            return format!("(if {condition} {{ {a} }} else if {other} {{ {c} }} else {{ {b} }})");
        }
        format!("(if {condition} {{ {a} }} else {{ {b} }})")
    }

    /// Writes `{ let t0 = …; … }`. The name is out of scope after the block.
    fn block(&mut self, ty: Scalar, depth: usize) -> String {
        let of = self.choices.pick(&[ty, ty, Scalar::Bool, Scalar::F32, Scalar::U64, Scalar::I16]);
        let (line, name) = self.binding(of, depth);
        self.scope.push((name, of));
        let value = self.value(ty, depth);
        self.scope.pop();
        format!("({{ {line} {value} }})")
    }

    /// Returns `let t0: f32 = …;` and the name.
    pub(super) fn binding(&mut self, ty: Scalar, depth: usize) -> (String, String) {
        let value = self.value(ty, depth);
        let name = format!("{}{}", self.choices.pick(&["t", "u_", "let_", "float"]), self.count());
        let declared = if self.choices.once_in(3) { format!(": {ty}") } else { String::new() };
        (format!("let {name}{declared} = {value};"), name)
    }

    /// Counts the names that expressions declare.
    pub(super) fn count(&mut self) -> usize {
        self.lets += 1;
        self.lets - 1
    }

    fn method(&mut self, ty: Scalar, depth: usize) -> String {
        let receivers = COMPUTED.into_iter().flat_map(|of| METHODS.iter().map(move |method| (of, method)));
        let fits = receivers.filter(|(of, (_, has, gives))| has(*of) && gives.ty(*of) == ty);
        let fits: Vec<_> = fits.collect();
        if fits.is_empty() {
            return self.leaf(ty);
        }
        let (of, (text, ..)) = fits[self.choices.below(fits.len())];
        let mut call = format!("{}.", self.value(of, depth));
        for piece in text.split_inclusive(['$', '#']) {
            call += piece.trim_end_matches(['$', '#']);
            if piece.ends_with('$') {
                call += &self.operand(of, depth.min(1));
            } else if piece.ends_with('#') {
                call += &self.operand(Scalar::U32, depth.min(1));
            }
        }
        format!("({call})")
    }

    fn cast(&mut self, ty: Scalar, depth: usize) -> String {
        let from: Vec<_> = COMPUTED.into_iter().filter(|&from| is_cast(from, ty)).collect();
        if from.is_empty() {
            return self.condition(depth);
        }
        let from = self.choices.pick(&from);
        format!("({} as {ty})", self.value(from, depth))
    }

    fn condition(&mut self, depth: usize) -> String {
        let ty = self.choices.pick(&COMPUTED);
        match self.choices.below(6) {
            5 => self.contained(depth),
            0 => format!("(!{})", self.value(Scalar::Bool, depth)),
            1 | 2 => {
                let sign = self.choices.pick(&["&&", "||", "&", "|", "^", "==", "!="]);
                let (a, b) = (self.value(Scalar::Bool, depth), self.value(Scalar::Bool, depth));
                format!("({a} {sign} {b})")
            }
            _ => {
                let ordered: &[&str] = &["<", "<=", ">", ">=", "==", "!="];
                let signs = if ty == Scalar::Bool { &ordered[4..] } else { ordered };
                let sign = self.choices.pick(signs);
                format!("({} {sign} {})", self.value(ty, depth), self.operand(ty, depth))
            }
        }
    }

    fn float(&mut self, ty: Scalar, depth: usize) -> String {
        if self.choices.once_in(8) {
            return format!("(-{})", self.value(ty, depth));
        }
        let sign = self.choices.pick(&["+", "-", "*", "/"]);
        self.two(ty, sign, depth)
    }

    fn integer(&mut self, ty: Scalar, depth: usize) -> String {
        match self.choices.below(8) {
            0 if ty.is_signed() => format!("(-{})", self.value(ty, depth)),
            0 => format!("(!{})", self.value(ty, depth)),
            1 => {
                let sign = self.choices.pick(&["/", "%"]);
                format!("({} {sign} {})", self.value(ty, depth), divisor(self.choices))
            }
            2 => {
                let sign = self.choices.pick(&["/", "%"]);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                format!("({a} {sign} {b}.max(1))")
            }
            3 => {
                let sign = self.choices.pick(&["<<", ">>"]);
                let by = self.choices.below(8 * ty.size());
                format!("({} {sign} {by})", self.value(ty, depth))
            }
            4 => {
                let sign = self.choices.pick(&["<<", ">>"]);
                let (a, by) = (self.value(ty, depth), self.value(ty, depth));
                format!("({a} {sign} ({by} & 7))")
            }
            5 | 6 => {
                let sign = self.choices.pick(&["&", "|", "^"]);
                self.two(ty, sign, depth)
            }
            _ => {
                let sign = self.choices.pick(&["+", "-", "*"]);
                self.two(ty, sign, depth)
            }
        }
    }

    fn two(&mut self, ty: Scalar, sign: &str, depth: usize) -> String {
        let (a, b) = (self.value(ty, depth), self.operand(ty, depth));
        if self.choices.once_in(2) { format!("({a} {sign} {b})") } else { format!("({b} {sign} {a})") }
    }
}

/// Returns whether `as` converts between these types.
fn is_cast(from: Scalar, to: Scalar) -> bool {
    to.is_number() && from != to && (from != Scalar::Bool || to.is_integer())
}

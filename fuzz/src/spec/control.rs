//! Expressions with control flow: loops, variables that change, `match`, tuples and arrays.

use super::literal::bare;
use super::names::COMPUTED;
use super::value::Writer;
use reduce_ir::Scalar;

impl Writer<'_, '_> {
    /// Writes a value of a type with one of these.
    pub(super) fn controlled(&mut self, ty: Scalar, depth: usize) -> String {
        match self.choices.below(6) {
            0 => self.changed(ty, depth),
            1 | 2 => self.looped(ty, depth),
            3 => self.matched(ty, depth),
            4 => self.indexed(ty, depth),
            _ => self.paired(ty, depth),
        }
    }

    /// Writes a condition that a pattern or a range states.
    pub(super) fn contained(&mut self, depth: usize) -> String {
        let ty = self.choices.pick(&COMPUTED[..10]);
        let value = self.value(ty, depth);
        if ty.is_float() || self.choices.once_in(2) {
            let (a, b) = (bare(self.choices, ty), bare(self.choices, ty));
            let dots = self.choices.pick(&["..", "..="]);
            return match self.choices.below(4) {
                0 => format!("(({a}..).contains(&{value}))"),
                1 => format!("((..{b}).contains(&{value}))"),
                _ => format!("(({a}{dots}{b}).contains(&{value}))"),
            };
        }
        let pattern = self.choices.pick(&["0", "1 | 2", "3..=9", "..4", "7..", "0 | 5..9 | 100", "_"]);
        format!("(matches!({value}, {pattern}))")
    }

    /// Writes a variable that branches change.
    fn changed(&mut self, ty: Scalar, depth: usize) -> String {
        let (line, name) = self.variable(ty, depth);
        let condition = self.value(Scalar::Bool, depth);
        self.scope.push((name.clone(), ty));
        let (a, b) = (self.value(ty, depth), self.value(ty, depth.min(1)));
        let value = self.value(ty, depth.min(1));
        self.scope.pop();
        let otherwise = match self.choices.below(3) {
            0 => format!(" else {{ {name} = {b}; }}"),
            1 => format!(" else if {condition} == ({b} == {a}) {{ {name} = {b}; }}"),
            _ => String::new(),
        };
        format!("({{ {line} if {condition} {{ {name} = {a}; }}{otherwise} {value} }})")
    }

    /// Writes a loop that changes a variable, and may leave early.
    fn looped(&mut self, ty: Scalar, depth: usize) -> String {
        let (line, name) = self.variable(ty, depth);
        let counter = format!("i_{name}");
        self.scope.extend([(name.clone(), ty), (counter.clone(), Scalar::U32)]);
        let condition = self.value(Scalar::Bool, depth.min(1));
        let next = self.value(ty, depth.min(1));
        self.scope.truncate(self.scope.len() - 2);
        let early = match self.choices.below(5) {
            0 => format!("if {condition} {{ break; }} "),
            1 => format!("if {condition} {{ continue; }} "),
            _ => String::new(),
        };
        let range = self.choices.pick(&["0u32..2", "0..3u32", "1u32..=3", "(0u32..3).rev()", "2u32..2"]);
        let step = match self.choices.pick(&["=", "+=", "-=", "*="]) {
            _ if ty == Scalar::Bool => format!("{name} ^= {next};"),
            sign => format!("{name} {sign} {next};"),
        };
        format!("({{ {line} for {counter} in {range} {{ {early}{step} }} {name} }})")
    }

    /// Writes `match` on an integer or a `bool`.
    fn matched(&mut self, ty: Scalar, depth: usize) -> String {
        let of = self.choices.pick(&COMPUTED[2..]);
        let subject = self.value(of, depth);
        let mut next = || self.value(ty, depth.min(1));
        let [a, b, c] = [next(), next(), next()];
        if of == Scalar::Bool {
            return format!("(match {subject} {{ true => {a}, false => {b} }})");
        }
        let name = format!("m{}", self.count());
        self.scope.push((name.clone(), of));
        let (guard, d) = (self.value(Scalar::Bool, depth.min(1)), self.value(ty, depth.min(1)));
        self.scope.pop();
        format!("(match {subject} {{ 0 => {a}, 1 | 3..=9 => {b}, {name} if {guard} => {d}, _ => {c} }})")
    }

    /// Writes an array with computed indices. Some indices may be out of range.
    fn indexed(&mut self, ty: Scalar, depth: usize) -> String {
        let count = 1 + self.choices.below(4);
        let values: Vec<_> = (0..count).map(|_| self.value(ty, depth.min(1))).collect();
        let name = format!("a{}", self.count());
        let mut index = || match self.choices.below(7) {
            0 | 1 => self.choices.below(count).to_string(),
            2 | 3 => format!("({} % {count}) as usize", self.value(Scalar::U64, depth.min(1))),
            4 => format!("{} as usize", self.value(Scalar::I16, depth.min(1))),
            _ => format!("({} as usize).min({})", self.value(Scalar::F32, depth.min(1)), count - 1),
        };
        let [to, from] = [index(), index()];
        let stored = self.value(ty, depth.min(1));
        let values = values.join(", ");
        format!("({{ let mut {name} = [{values}]; {name}[{to}] = {stored}; {name}[{from}] }})")
    }

    /// Writes a tuple that a pattern takes apart.
    fn paired(&mut self, ty: Scalar, depth: usize) -> String {
        let other = self.choices.pick(&COMPUTED);
        let (a, b) = (self.value(ty, depth), self.value(other, depth.min(1)));
        let count = self.count();
        let names = [format!("p{count}"), format!("q{count}")];
        self.scope.extend([(names[0].clone(), ty), (names[1].clone(), other)]);
        let value = self.value(ty, depth.min(1));
        self.scope.truncate(self.scope.len() - 2);
        format!("({{ let ({}, {}) = ({a}, {b}); {value} }})", names[0], names[1])
    }

    /// Returns `let mut t0 = …;` and the name.
    fn variable(&mut self, ty: Scalar, depth: usize) -> (String, String) {
        let value = self.value(ty, depth.min(1));
        let name = format!("c{}", self.count());
        (format!("let mut {name} = {value};"), name)
    }
}

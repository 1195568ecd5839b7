//! Forms of accumulators: their fields, and the rule that combines two of them.

use super::field_op::FieldOp;
use super::names::{COMPUTED, Typed, braced, record};
use crate::choices::Choices;
use reduce_ir::Scalar;

/// An accumulator and its operation.
pub(super) struct Form {
    /// The name of the struct. A scalar has no name, and one field.
    pub(super) name: Option<String>,
    /// The fields with their types.
    pub(super) fields: Vec<Typed>,
    /// The rule that combines two accumulators.
    pub(super) rule: Rule,
    /// The operation of each field, for the rules that combine field by field.
    pub(super) ops: Vec<FieldOp>,
}

/// A rule that combines two structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Field by field.
    Fields,
    /// The accumulator whose first field compares so; on a tie, the left one.
    Winner(&'static str),
    /// The same; on a tie, the accumulator whose second field is less.
    Tied(&'static str),
    /// The last accumulator whose first field is set.
    Flagged,
    /// A segmented operation: field by field, restarting at an accumulator whose first field is set.
    Segmented,
    /// The first two fields are a map `z → p z + q`, the right one outermost; the others field by field.
    Affine,
    /// The first field counts; where it is 0, the others do not matter.
    Counted,
}

impl Form {
    pub(super) fn new(choices: &mut Choices<'_>) -> Form {
        if choices.below(5) < 2 { Form::scalar(choices) } else { Form::structure(choices) }
    }

    fn scalar(choices: &mut Choices<'_>) -> Form {
        let ty = choices.pick(&COMPUTED);
        let ops = vec![choices.pick(FieldOp::of(ty))];
        Form { name: None, fields: vec![(String::new(), ty)], rule: Rule::Fields, ops }
    }

    fn structure(choices: &mut Choices<'_>) -> Form {
        let count = match choices.below(4) {
            0 => 1,
            1 | 2 => 2 + choices.below(3),
            _ => 2 + choices.below(15),
        };
        let (name, names) = record(choices, count);
        let rule = rule(choices, count);
        let mut types: Vec<_> = (0..count).map(|_| choices.pick(&COMPUTED)).collect();
        rule.demand(choices, &mut types);
        let ops = types.iter().map(|&ty| choices.pick(FieldOp::of(ty))).collect();
        Form { name: Some(name), fields: names.into_iter().zip(types).collect(), rule, ops }
    }

    /// Returns `acc: A { v: f32 }`. A scalar is declared in one case of three.
    pub(super) fn declared(&self, choices: &mut Choices<'_>) -> Option<String> {
        match &self.name {
            Some(name) => Some(format!("acc: {name} {}", braced(&self.fields))),
            None => choices.once_in(3).then(|| format!("acc: {}", self.fields[0].1)),
        }
    }

    /// Returns the struct or scalar with these values.
    pub(super) fn made(&self, values: &[String]) -> String {
        match &self.name {
            None => values[0].clone(),
            Some(name) => {
                let fields = self.fields.iter().zip(values);
                let fields: Vec<_> = fields.map(|((field, _), value)| format!("{field}: {value}")).collect();
                format!("{name} {{ {} }}", fields.join(", "))
            }
        }
    }

    /// Returns a field of the accumulator called `of`.
    pub(super) fn part(&self, of: &str, field: usize) -> String {
        if self.name.is_some() { format!("{of}.{}", self.fields[field].0) } else { of.to_owned() }
    }

    /// Returns the expression that combines the accumulators `a` and `b`.
    pub(super) fn combined(&self, a: &str, b: &str) -> String {
        let first = |of: &str| self.part(of, 0);
        match self.rule {
            Rule::Winner(sign) => format!("if {} {sign} {} {{ {b} }} else {{ {a} }}", first(b), first(a)),
            Rule::Tied(sign) => {
                let (second_a, second_b) = (self.part(a, 1), self.part(b, 1));
                let (a_is, b_is) = (first(a), first(b));
                format!(
                    "if {b_is} {sign} {a_is} || {b_is} == {a_is} && {second_b} < {second_a} {{ {b} }} else {{ {a} }}"
                )
            }
            Rule::Flagged => format!("if {} {{ {b} }} else {{ {a} }}", first(b)),
            Rule::Fields | Rule::Segmented | Rule::Affine | Rule::Counted => {
                let values: Vec<_> = (0..self.fields.len()).map(|field| self.field(field, a, b)).collect();
                self.made(&values)
            }
        }
    }

    fn field(&self, field: usize, a: &str, b: &str) -> String {
        let (x, y) = (self.part(a, field), self.part(b, field));
        let combined = self.ops[field].text(&x, &y);
        let (a_is, b_is) = (self.part(a, 0), self.part(b, 0));
        match self.rule {
            Rule::Segmented if field == 0 => format!("{x} || {y}"),
            Rule::Segmented => format!("if {b_is} {{ {y} }} else {{ {combined} }}"),
            Rule::Affine if field == 0 => format!("{x} * {y}"),
            Rule::Affine if field == 1 => format!("{x} * {b_is} + {y}"),
            Rule::Counted if field == 0 => format!("{x} + {y}"),
            Rule::Counted => {
                format!("if {a_is} == 0 {{ {y} }} else if {b_is} == 0 {{ {x} }} else {{ {combined} }}")
            }
            Rule::Fields | Rule::Winner(_) | Rule::Tied(_) | Rule::Flagged | Rule::Affine => combined,
        }
    }

    /// Returns the identity, if the operation has one.
    pub(super) fn identity(&self) -> Option<String> {
        let of = |field: usize| self.ops[field].identity(self.fields[field].1);
        let values: Vec<_> = match self.rule {
            Rule::Fields => (0..self.fields.len()).map(of).collect::<Option<_>>()?,
            Rule::Segmented => {
                let rest = (1..self.fields.len()).map(of);
                std::iter::once(Some("false".to_owned())).chain(rest).collect::<Option<_>>()?
            }
            Rule::Affine => {
                let rest = (2..self.fields.len()).map(of);
                ["1", "0"].map(|it| Some(it.to_owned())).into_iter().chain(rest).collect::<Option<_>>()?
            }
            Rule::Winner(_) | Rule::Tied(_) | Rule::Flagged | Rule::Counted => return None,
        };
        Some(self.made(&values))
    }

    /// Returns whether the operation is commutative.
    pub(super) fn commutes(&self) -> bool {
        self.rule == Rule::Fields && self.ops.iter().all(|op| op.commutes())
    }
}

fn rule(choices: &mut Choices<'_>, fields: usize) -> Rule {
    let sign = choices.pick(&["<", ">", "<=", ">="]);
    let strict = choices.pick(&["<", ">"]);
    match choices.below(14) {
        0 | 1 => Rule::Winner(sign),
        2 if fields > 1 => Rule::Tied(strict),
        3 => Rule::Flagged,
        4 => Rule::Segmented,
        5 if fields > 1 => Rule::Affine,
        6 if fields > 1 => Rule::Counted,
        _ => Rule::Fields,
    }
}

impl Rule {
    /// Sets the types of the fields that the rule constrains.
    fn demand(self, choices: &mut Choices<'_>, types: &mut [Scalar]) {
        let number = |choices: &mut Choices<'_>| choices.pick(&COMPUTED[..10]);
        match self {
            Rule::Fields => {}
            Rule::Winner(_) => types[0] = number(choices),
            Rule::Tied(_) => {
                (types[0], types[1]) = (number(choices), choices.pick(&[Scalar::U64, Scalar::I32]))
            }
            Rule::Flagged | Rule::Segmented => types[0] = Scalar::Bool,
            Rule::Affine => {
                types[0] = choices.pick(&COMPUTED[2..10]);
                types[1] = types[0];
            }
            Rule::Counted => types[0] = choices.pick(&[Scalar::U64, Scalar::U32]),
        }
    }
}

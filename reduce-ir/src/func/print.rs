//! Prints functions as Rust closures, which parse to the same functions.

use super::{Func, Id, Line, Node};
use crate::operation::Record;
use crate::ops::{Bin, Un};
use crate::{Scalar, Value};
use std::fmt;

/// Prints a Rust closure on all parameters: `|a, b| a.max(b)`.
impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results: Vec<_> = self.results().iter().map(|&id| self.text(id)).collect();
        let result =
            if results.len() == 1 { results[0].clone() } else { format!("({})", results.join(", ")) };
        f.write_str(&self.closure_text(&result, &[]))
    }
}

impl Func {
    /// Returns a Rust closure with a result of type `result`, whose struct parameters have type `given`. The names in `free` are
    /// not parameters of the closure: fields of the specification declare them.
    pub fn closure(&self, given: &Record, result: &Record, free: &[&str]) -> String {
        let whole = if given == result { self.whole_param(result) } else { None };
        self.closure_text(&whole.unwrap_or_else(|| self.result_text(result)), free)
    }

    /// Returns the results as a value of type `result`: an expression, or a struct literal.
    fn result_text(&self, result: &Record) -> String {
        let values: Vec<_> = self.results().iter().map(|&id| self.text(id)).collect();
        let Some(name) = &result.name else { return values.join(", ") };
        let field = |(field, value): (&super::Param, &String)| format!("{}: {value}", field.name);
        let fields: Vec<_> = result.fields.iter().zip(&values).map(field).collect();
        format!("{name} {{ {} }}", fields.join(", "))
    }

    /// Returns the name of the parameter of type `record`, if the results are its fields in order.
    fn whole_param(&self, record: &Record) -> Option<String> {
        let names: Option<Vec<_>> = self.results().iter().map(|&id| self.param(id)).collect();
        let names = names?;
        let (name, _) = names.first()?.split_once('.')?;
        let fields = record.params(name);
        names.into_iter().eq(fields.iter().map(|field| &*field.name)).then(|| name.to_owned())
    }

    /// Returns the name of the parameter that `id` names, if it names one.
    fn param(&self, id: Id) -> Option<&str> {
        self.params().get(id.0 as usize).map(|param| &*param.name)
    }

    /// Returns the closure that computes `value`.
    fn closure_text(&self, value: &str, free: &[&str]) -> String {
        let mut params: Vec<&str> = Vec::new();
        for name in self.params().iter().filter_map(|param| param.name.split('.').next()) {
            if params.last() != Some(&name) && !free.contains(&name) {
                params.push(name);
            }
        }
        let named = self.lines().iter().filter_map(|line| Some((line.name.as_ref()?, line.node)));
        let mut lets: String =
            named.map(|(name, node)| format!("let {name} = {}; ", self.node_text(node))).collect();
        if let Some(asserted) = self.asserted() {
            lets.push_str(&format!("assert!({}); ", self.text(asserted)));
        }
        let head = params.join(", ");
        if lets.is_empty() { format!("|{head}| {value}") } else { format!("|{head}| {{ {lets}{value} }}") }
    }

    /// Returns the expression that `id` names, as Rust.
    fn text(&self, id: Id) -> String {
        match self.line(id) {
            None => self.params()[id.0 as usize].name.clone(),
            Some(Line { name: Some(name), .. }) => name.clone(),
            Some(line) => self.node_text(line.node),
        }
    }

    fn node_text(&self, node: Node) -> String {
        let method = |name: &str, a, args: &[Id]| {
            let args: Vec<_> = args.iter().map(|&arg| self.text_next_to(arg, a)).collect();
            format!("{}.{name}({})", self.operand(a), args.join(", "))
        };
        match node {
            Node::Const(value) => literal(value),
            Node::Un(Un::Neg, a) => format!("-{}", self.operand(a)),
            Node::Un(Un::Not, a) => format!("!{}", self.operand(a)),
            Node::Un(Un::FromBits, a) => {
                let ty = if self.ty(a) == Scalar::U64 { Scalar::F64 } else { Scalar::F32 };
                format!("{ty}::from_bits({})", self.text(a))
            }
            Node::Un(op, a) => method(&op.to_string(), a, &[]),
            Node::Bin(op, a, b) => match method_of(op, self.ty(a)) {
                Some(name) => method(name, a, &[b]),
                // The distance does not determine the type of the shifted operand, which keeps its suffix.
                None if matches!(op, Bin::Shl | Bin::Shr) => {
                    format!("{} {op} {}", self.operand(a), self.operand_next_to(b, a))
                }
                None => format!("{} {op} {}", self.operand_next_to(a, b), self.operand_next_to(b, a)),
            },
            Node::Cmp(op, a, b) => {
                format!("{} {op} {}", self.operand_next_to(a, b), self.operand_next_to(b, a))
            }
            Node::Select(c, a, b) => {
                let (a, b) = (self.text(a), self.text(b));
                format!("if {} {{ {a} }} else {{ {b} }}", self.text(c))
            }
            Node::Cast(ty, a) => format!("{} as {ty}", self.operand(a)),
            Node::MulAdd(a, b, c) => method("mul_add", a, &[b, c]),
        }
    }

    /// Returns the text of `id`, next to `other`. A constant needs no suffix if `other` is not constant and has its type.
    fn text_next_to(&self, id: Id, other: Id) -> String {
        match self.constant(id) {
            Some(value) if self.constant(other).is_none() && self.ty(other) == value.ty() => bare(value),
            _ => self.text(id),
        }
    }

    fn operand_next_to(&self, id: Id, other: Id) -> String {
        let text = self.text_next_to(id, other);
        if self.is_nested(id) { format!("({text})") } else { text }
    }

    fn operand(&self, id: Id) -> String {
        let text = self.text(id);
        if self.is_nested(id) { format!("({text})") } else { text }
    }

    /// Returns whether it needs parentheses as an operand.
    fn is_nested(&self, id: Id) -> bool {
        match self.line(id) {
            None | Some(Line { name: Some(_), .. }) => false,
            Some(line) => match line.node {
                // `-1.0.abs()` is `-(1.0.abs())`.
                Node::Const(value) => bare(value).starts_with('-'),
                Node::Un(op, _) => matches!(op, Un::Neg | Un::Not),
                Node::Bin(op, a, _) => method_of(op, self.ty(a)).is_none(),
                Node::Cmp(..) | Node::Select(..) | Node::Cast(..) => true,
                Node::MulAdd(..) => false,
            },
        }
    }
}

/// Returns the method that an operation is written as, or `None` if it has an operator sign.
fn method_of(op: Bin, ty: Scalar) -> Option<&'static str> {
    match op {
        Bin::Min if ty.is_float() => Some("minimum"),
        Bin::Max if ty.is_float() => Some("maximum"),
        Bin::Min | Bin::MinNum => Some("min"),
        Bin::Max | Bin::MaxNum => Some("max"),
        Bin::Powf => Some("powf"),
        Bin::Hypot => Some("hypot"),
        Bin::Atan2 => Some("atan2"),
        Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem => None,
        Bin::And | Bin::Or | Bin::Xor | Bin::Shl | Bin::Shr => None,
    }
}

/// Returns the text of a value in Rust, with its type.
pub fn literal(value: Value) -> String {
    let bare = bare(value);
    let typed = value.ty() == Scalar::Bool || bare.contains(':');
    if typed { bare } else { format!("{bare}{}", value.ty()) }
}

/// Returns the text of a value in Rust, where the type is known.
fn bare(value: Value) -> String {
    match value.as_f64() {
        Some(float) if float.is_nan() => format!("{}::NAN", value.ty()),
        Some(f64::INFINITY) => format!("{}::INFINITY", value.ty()),
        Some(f64::NEG_INFINITY) => format!("{}::NEG_INFINITY", value.ty()),
        _ => value.to_string(),
    }
}

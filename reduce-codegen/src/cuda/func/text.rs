//! Expressions in C++, with parentheses where a reader needs them.

use crate::cuda::types::scalar;
use reduce_ir::Scalar;

/// An expression, with its outermost operator.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A name, a call, a number.
    Atom,
    /// A prefix operator or a cast.
    Unary,
    /// An infix operator.
    Infix(&'static str),
    /// `a ? b : c`.
    Choice,
}

impl Text {
    /// Returns a name, a call, or a literal.
    pub(super) fn atom(text: String) -> Text {
        let shape = if text.starts_with(['-', '(']) { Shape::Unary } else { Shape::Atom };
        Text { text, shape }
    }

    /// Returns `name(a, b)`.
    pub(super) fn call(name: &str, args: &[Text]) -> Text {
        let args: Vec<_> = args.iter().map(|it| it.text.as_str()).collect();
        Text::atom(format!("{name}({})", args.join(", ")))
    }

    /// Returns `-a`.
    pub(super) fn prefix(sign: &str, a: &Text) -> Text {
        Text { text: format!("{sign}{}", a.operand()), shape: Shape::Unary }
    }

    /// Returns `(type)a`.
    pub(super) fn cast(&self, ty: Scalar) -> Text {
        Text::prefix(&format!("({})", scalar(ty)), self)
    }

    /// Returns `a + b`.
    pub(super) fn infix(sign: &'static str, a: &Text, b: &Text) -> Text {
        let left = if a.is_plain_in(sign, true) { a.text.clone() } else { a.enclosed() };
        // `a - -1` is hard to read.
        let plain = b.is_plain_in(sign, false) && (is_comparison(sign) || !b.text.starts_with('-'));
        let right = if plain { b.text.clone() } else { b.enclosed() };
        Text { text: format!("{left} {sign} {right}"), shape: Shape::Infix(sign) }
    }

    /// Returns `cond ? a : b`, where `b` may be a choice itself.
    pub(super) fn choice(cond: &Text, a: &Text, b: &Text) -> Text {
        let is_logic = |it: &Text| matches!(it.shape, Shape::Infix("&&" | "||"));
        let part = |it: &Text| if is_logic(it) { it.enclosed() } else { it.text.clone() };
        let first = |it: &Text| if it.shape == Shape::Choice { it.enclosed() } else { part(it) };
        Text { text: format!("{} ? {} : {}", first(cond), first(a), part(b)), shape: Shape::Choice }
    }

    fn enclosed(&self) -> String {
        format!("({})", self.text)
    }

    /// Returns it as the operand of a prefix operator or a cast.
    fn operand(&self) -> String {
        let plain = self.shape == Shape::Atom || self.shape == Shape::Unary && self.text.starts_with('(');
        if plain { self.text.clone() } else { self.enclosed() }
    }

    /// Returns whether every reader knows that it binds tighter than `outer`, on this side of it.
    fn is_plain_in(&self, outer: &str, left: bool) -> bool {
        let inner = match self.shape {
            Shape::Atom | Shape::Unary => return true,
            Shape::Choice => return false,
            Shape::Infix(inner) => inner,
        };
        match outer {
            "+" | "-" => is_product(inner) || left && is_sum(inner),
            "*" | "&" | "|" | "^" => left && inner == outer,
            "&&" | "||" => inner == outer || is_comparison(inner),
            _ => is_comparison(outer) && (is_product(inner) || is_sum(inner)),
        }
    }
}

fn is_sum(sign: &str) -> bool {
    matches!(sign, "+" | "-")
}

fn is_product(sign: &str) -> bool {
    matches!(sign, "*" | "/" | "%")
}

fn is_comparison(sign: &str) -> bool {
    matches!(sign, "==" | "!=" | "<" | "<=" | ">" | ">=")
}

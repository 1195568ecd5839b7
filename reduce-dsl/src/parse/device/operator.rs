//! Operators: `-`, `!`, `+`, `<`, `&&`, `as` and the like.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::convert::converted;
use super::{Reader, refuse};
use crate::parse::diagnostic::{Extent, spelled};
use crate::parse::tree::{Ex, Kind};
use crate::parse::types::Ty;
use reduce_ir::Scalar;
use reduce_ir::ops::{Bin, Cmp, Un};
use syn::{BinOp, Expr, ExprBinary, ExprCast, ExprUnary, UnOp};

/// A binary operator.
enum Two {
    Arithmetic(Bin),
    Bits(Bin),
    Shift(Bin),
    Compare(Cmp),
    Logic(Bin),
}

impl Reader<'_> {
    pub(super) fn unary(&mut self, unary: &ExprUnary, hint: Option<Ty>, depth: usize) -> Ex {
        let at = Extent::of(&unary.op);
        // `-2147483648` fits `i32`, although `2147483648` does not.
        if let (UnOp::Neg(_), Expr::Lit(literal)) = (unary.op, without_parentheses(&unary.expr)) {
            let number = self.literal(&literal.lit, Some(at), hint);
            return self.signed(number, at);
        }
        let operand = self.value(&unary.expr, hint, depth + 1);
        let place = Extent { start: at.start, end: operand.place.end };
        match unary.op {
            UnOp::Neg(_) => {
                let operand = self.signed(operand, at);
                let ty = operand.ty;
                Ex { kind: Kind::Un(Un::Neg, Box::new(operand)), ty, place }
            }
            UnOp::Not(_) => {
                let ty = operand.ty;
                if !self.is(ty, |ty| !ty.is_float()) {
                    let ty = self.types.show(ty);
                    return self.error(at, format!("`!` is for integers and bool, and this is {ty}"));
                }
                Ex { kind: Kind::Un(Un::Not, Box::new(operand)), ty, place }
            }
            _ => self.error_with_help(
                at,
                "there is nothing to dereference",
                "values are copied; leave the `*` out",
            ),
        }
    }

    /// Checks the operand of a minus sign.
    fn signed(&mut self, operand: Ex, at: Extent) -> Ex {
        if self.is(operand.ty, |ty| ty.is_float() || ty.is_signed()) {
            return operand;
        }
        let ty = self.types.show(operand.ty);
        match self.types.resolve(operand.ty) {
            Ty::Scalar(scalar) if scalar.is_unsigned() => {
                let help = "write `x.wrapping_neg()`, or convert it first, as in `-(x as i64)`";
                self.error_with_help(at, format!("`-` is not defined for {ty}, which has no sign"), help)
            }
            _ => self.error(at, format!("`-` is for numbers, and this is {ty}")),
        }
    }

    pub(super) fn binary(&mut self, binary: &ExprBinary, depth: usize) -> Ex {
        let at = Extent::of(&binary.op);
        let effects = self.effects;
        let left = self.value(&binary.left, None, depth + 1);
        if let (BinOp::Mul(_), Expr::Unary(ExprUnary { op: UnOp::Deref(star), expr, .. })) =
            (&binary.op, &*binary.right)
        {
            self.read(expr, None, depth + 1);
            return self.power(left.ty, Extent { end: star.spans[0], ..at });
        }
        let right = self.value(&binary.right, None, depth + 1);
        let Some(op) = two(&binary.op) else { return refuse::operator(at, self) };
        if is_assignment(&binary.op) && !self.is_pure(effects, right.place) {
            return Ex::wrong(right.place);
        }
        let place = Extent { start: left.place.start, end: right.place.end };
        let fits = match &op {
            Two::Arithmetic(op) => self.both(binary, &left, &right, at) && self.arithmetic(*op, &left, at),
            Two::Bits(_) => {
                let bits: fn(Scalar) -> bool = |ty| !ty.is_float();
                let mut has_bits = |ex| self.of(ex, at, binary, bits, "integers and bool");
                has_bits(&left) && has_bits(&right) && self.both(binary, &left, &right, at)
            }
            Two::Shift(_) => {
                // Shift distances are `u32`; a literal takes that type without a conversion.
                if right.number().is_some() {
                    self.types.unify(right.ty, Ty::Scalar(Scalar::U32));
                }
                let left = self.of(&left, at, binary, Scalar::is_integer, "integers");
                self.of(&right, at, binary, Scalar::is_integer, "integers") && left
            }
            Two::Compare(op) => self.both(binary, &left, &right, at) && self.comparable(*op, &left, at),
            Two::Logic(_) => {
                let bool: fn(Scalar) -> bool = |ty| ty == Scalar::Bool;
                let left = self.of(&left, at, binary, bool, "bool");
                self.of(&right, at, binary, bool, "bool") && left
            }
        };
        if !fits {
            return Ex::wrong(place);
        }
        let ty = left.ty;
        let operands = Box::new([left, right]);
        let value = match op {
            Two::Compare(op) => Ex { kind: Kind::Cmp(op, operands), ty: Ty::Scalar(Scalar::Bool), place },
            Two::Logic(op) => Ex { kind: Kind::Logic(op, operands), ty, place },
            Two::Arithmetic(op) | Two::Bits(op) | Two::Shift(op) => {
                Ex { kind: Kind::Bin(op, operands), ty, place }
            }
        };
        if is_assignment(&binary.op) { self.store(&binary.left, value, depth) } else { value }
    }

    /// Reports `x ** 2`, which Rust parses as a product with a dereference.
    fn power(&mut self, base: Ty, at: Extent) -> Ex {
        let power = if self.types.is_float(base) == Some(false) { "pow" } else { "powi" };
        let help = format!("a power is written `x.{power}(2)`, a product with one `*`");
        self.error_with_help(at, "there is no `**` here", help)
    }

    /// Checks that both operands have one type.
    fn both(&mut self, binary: &ExprBinary, left: &Ex, right: &Ex, at: Extent) -> bool {
        let (a, b) = (self.types.show(left.ty), self.types.show(right.ty));
        // Blame a literal rather than an operand with a type of its own.
        let (blamed, want, other) = match left.number() {
            Some(_) => (left, right.ty, &binary.right),
            None => (right, left.ty, &binary.left),
        };
        if blamed.number().is_some() {
            return self.expect(blamed, want, |found, wanted| {
                let (op, other) = (spelled(&binary.op), spelled(other));
                (
                    format!("this is {found}, and {other}, the other side of {op}, is {wanted}"),
                    converted(found, wanted),
                )
            });
        }
        if self.types.unify(left.ty, right.ty) {
            return true;
        }
        let (x, y, op) = (spelled(&binary.left), spelled(&binary.right), spelled(&binary.op));
        let message = format!("{op} takes operands of one type: {x} is {a}, and {y} is {b}");
        let help = match Scalar::from_name(&a) {
            Some(ty) if Scalar::from_name(&b).is_some_and(|b| b.is_number()) && ty.is_number() => {
                let wide = if self.is_wider(right.ty, left.ty) { (x, b) } else { (y, a) };
                format!("convert one of them, as in `{} as {}`", wide.0.trim_matches('`'), wide.1)
            }
            _ if "bool" == a || "bool" == b => "count with numbers, as in `c as u32`".to_owned(),
            _ => "convert one of them with `as`".to_owned(),
        };
        self.error_with_help(at, message, help);
        false
    }

    /// Returns whether `a` is the wider type: a float rather than an integer, then the larger one.
    fn is_wider(&self, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.types.scalar(a), self.types.scalar(b));
        (a.is_float(), a.size()) > (b.is_float(), b.size())
    }

    fn arithmetic(&mut self, op: Bin, left: &Ex, at: Extent) -> bool {
        if !self.is(left.ty, Scalar::is_number) {
            let ty = self.types.show(left.ty);
            let help = match self.types.resolve(left.ty) {
                Ty::Struct(_) => "compute with its fields, as in `a.lo + b.lo`",
                _ => "count with numbers, as in `c as u32`",
            };
            self.error_with_help(at, format!("`{op}` is for numbers, and this is {ty}"), help);
            return false;
        }
        if op == Bin::Rem && self.types.is_float(left.ty) == Some(true) {
            let help = "write `x - (x / y).trunc() * y`, which is rounded, where Rust's `%` is exact";
            self.error_with_help(at, "`%` of floats is not possible here", help);
            return false;
        }
        true
    }

    fn comparable(&mut self, op: Cmp, left: &Ex, at: Extent) -> bool {
        let fits = match op {
            Cmp::Eq | Cmp::Ne => self.is(left.ty, |_| true),
            Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge => self.is(left.ty, Scalar::is_number),
        };
        if !fits {
            let ty = self.types.show(left.ty);
            let help = match self.types.resolve(left.ty) {
                Ty::Struct(_) => "compare its fields, as in `a.lo == b.lo`",
                _ => "write it with `!`, `&&` and `||`",
            };
            self.error_with_help(at, format!("`{op}` is not defined for {ty}"), help);
        }
        fits
    }

    fn of(
        &mut self,
        ex: &Ex,
        at: Extent,
        binary: &ExprBinary,
        holds: fn(Scalar) -> bool,
        takes: &str,
    ) -> bool {
        let fits = self.is(ex.ty, holds);
        if !fits {
            let ty = self.types.show(ex.ty);
            let message = format!("{} is for {takes}, and this is {ty}", spelled(&binary.op));
            match (takes, self.types.is_float(ex.ty)) {
                ("bool", Some(float)) => {
                    let zero = if float { "0.0" } else { "0" };
                    self.error_with_help(ex.place, message, format!("compare it, as in `… != {zero}`"))
                }
                (_, Some(true)) if matches!(binary.op, BinOp::BitXor(_)) => {
                    let help = "a power is written `x.powi(2)`; `x.to_bits()` gives the bits of a float";
                    self.error_with_help(ex.place, message, help)
                }
                (_, Some(true)) => {
                    self.error_with_help(ex.place, message, "`x.to_bits()` gives the bits of a float")
                }
                _ => self.error(at, message),
            };
        }
        fits
    }

    pub(super) fn cast(&mut self, cast: &ExprCast, depth: usize) -> Ex {
        let ty = self.ty(&cast.ty);
        if let Some(constant) = self.cast_outer(cast, ty) {
            return constant;
        }
        let value = self.value(&cast.expr, Some(ty), depth + 1);
        let place = Extent { start: value.place.start, end: Extent::of(&cast.ty).end };
        if let Ty::Struct(_) = ty {
            return self
                .error(Extent::of(&cast.ty), "`as` makes numbers; a struct is written with its fields");
        }
        if value.ty == Ty::Unknown || ty == Ty::Unknown {
            return Ex { kind: Kind::Wrong, ty, place };
        }
        Ex { kind: Kind::Cast(Box::new(value)), ty, place }
    }
}

fn two(op: &BinOp) -> Option<Two> {
    Some(match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => Two::Arithmetic(Bin::Add),
        BinOp::Sub(_) | BinOp::SubAssign(_) => Two::Arithmetic(Bin::Sub),
        BinOp::Mul(_) | BinOp::MulAssign(_) => Two::Arithmetic(Bin::Mul),
        BinOp::Div(_) | BinOp::DivAssign(_) => Two::Arithmetic(Bin::Div),
        BinOp::Rem(_) | BinOp::RemAssign(_) => Two::Arithmetic(Bin::Rem),
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => Two::Bits(Bin::And),
        BinOp::BitOr(_) | BinOp::BitOrAssign(_) => Two::Bits(Bin::Or),
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => Two::Bits(Bin::Xor),
        BinOp::Shl(_) | BinOp::ShlAssign(_) => Two::Shift(Bin::Shl),
        BinOp::Shr(_) | BinOp::ShrAssign(_) => Two::Shift(Bin::Shr),
        BinOp::And(_) => Two::Logic(Bin::And),
        BinOp::Or(_) => Two::Logic(Bin::Or),
        BinOp::Eq(_) => Two::Compare(Cmp::Eq),
        BinOp::Ne(_) => Two::Compare(Cmp::Ne),
        BinOp::Lt(_) => Two::Compare(Cmp::Lt),
        BinOp::Le(_) => Two::Compare(Cmp::Le),
        BinOp::Gt(_) => Two::Compare(Cmp::Gt),
        BinOp::Ge(_) => Two::Compare(Cmp::Ge),
        _ => return None,
    })
}

/// Returns whether it is `+=` or the like.
fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

fn without_parentheses(mut expr: &Expr) -> &Expr {
    while let Expr::Paren(inner) = expr
        && inner.attrs.is_empty()
    {
        expr = &inner.expr;
    }
    expr
}

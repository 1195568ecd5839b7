//! Lowers methods to operations.

use super::lower::Lower;
use super::range;
use crate::parse::diagnostic::Extent;
use crate::parse::methods::{Meaning, Method};
use crate::parse::tree::Ex;
use reduce_ir::Value;
use reduce_ir::func::Id;
use reduce_ir::ops::{Bin, TypeError};

/// The limit on exponents.
const EXPONENT: i128 = 1024;

impl Lower<'_> {
    pub(super) fn method(&mut self, method: &'static Method, operands: &[Ex], place: Extent) -> Option<Id> {
        let ids: Vec<_> = operands.iter().map(|operand| self.one(operand)).collect();
        let ids: Vec<Id> = ids.into_iter().collect::<Option<_>>()?;
        if let ("clamp", &[_, low, high]) = (method.name, ids.as_slice()) {
            self.bounds(low, high, place)?;
        }
        let id = match (&method.is, ids.as_slice()) {
            (Meaning::Un(op), &[a]) => self.builder.un(*op, a),
            (Meaning::Bin(op), &[a, b]) => self.builder.bin(*op, a, b),
            (Meaning::MulAdd, &[a, b, c]) => self.builder.mul_add(a, b, c),
            (Meaning::Power, &[a, b]) => return self.power(method, a, b, operands[1].place),
            (Meaning::Text(text), ids) => self.written(text, ids),
            (Meaning::Un(_) | Meaning::Bin(_) | Meaning::MulAdd | Meaning::Power, _) => {
                Err(TypeError::new(method.name, &[]))
            }
        };
        self.checked(id, place)
    }

    /// Refuses known bounds of `clamp` that are out of order or NaN, for which Rust panics.
    fn bounds(&mut self, low: Id, high: Id, place: Extent) -> Option<()> {
        let (low, high) = (self.builder.known(low), self.builder.known(high));
        let (message, help) = match (low, high) {
            _ if [low, high].into_iter().flatten().any(Value::is_nan) => {
                ("a bound of `clamp` is NaN".to_owned(), "write a number")
            }
            (Some(low), Some(high)) if is_below(high, low) => {
                (format!("the bounds of `clamp` are out of order: {low} is above {high}"), "exchange them")
            }
            _ => return Some(()),
        };
        self.errors.add(place, message).help(help);
        None
    }

    /// Lowers a method that is a closure in the language itself. Operands that it uses more than once get a
    /// name.
    fn written(&mut self, text: &str, ids: &[Id]) -> Result<Id, TypeError> {
        let types: Vec<_> = ids.iter().map(|&id| self.builder.ty(id)).collect();
        let func = (self.definition)(text, &types).map_err(|message| TypeError::new(message, &types))?;
        for (position, &id) in ids.iter().enumerate() {
            let own = Id(position as u32);
            let uses =
                func.lines().iter().flat_map(|line| line.node.operands()).filter(|&it| it == own).count();
            if uses > 1 && self.builder.known(id).is_none() {
                self.builder.name(id, &func.params()[position].name);
            }
        }
        let results = self.builder.call(&func, ids)?;
        results.first().copied().ok_or_else(|| TypeError::new(text, &types))
    }

    /// Multiplies in the order of `powi` in compilers' run-time libraries.
    fn power(&mut self, method: &Method, mut base: Id, exponent: Id, place: Extent) -> Option<Id> {
        let known = range::known(&self.builder, exponent);
        let Some(exponent) = known.filter(|k| k.abs() <= EXPONENT) else {
            let message = format!("the exponent of `{}` is a number of at most {EXPONENT}", method.name);
            self.errors.add(place, message).help("write it, as in `x.powi(3)`");
            return None;
        };
        let ty = self.builder.ty(base);
        let mut left = exponent.unsigned_abs();
        let mut power: Option<Id> = None;
        while left > 0 {
            if left & 1 == 1 {
                let product = power.map_or(Ok(base), |power| self.builder.bin(Bin::Mul, power, base));
                power = Some(self.checked(product, place)?);
            }
            left >>= 1;
            if left > 0 {
                if self.builder.known(base).is_none() {
                    self.builder.name(base, "factor");
                }
                let square = self.builder.bin(Bin::Mul, base, base);
                base = self.checked(square, place)?;
            }
        }
        let one = self.builder.constant(reduce_ir::constants::one(ty));
        match power {
            None => Some(one),
            Some(power) if exponent >= 0 => Some(power),
            Some(power) => {
                let inverse = self.builder.bin(Bin::Div, one, power);
                self.checked(inverse, place)
            }
        }
    }
}

/// Returns whether one number is less than the other of its type.
fn is_below(one: Value, other: Value) -> bool {
    match (one.as_int(), other.as_int()) {
        (Some(one), Some(other)) => one < other,
        _ => one.as_f64() < other.as_f64(),
    }
}

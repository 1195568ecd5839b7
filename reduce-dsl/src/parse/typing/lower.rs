//! Lowers a tree to a function: structs become scalars, methods become operations, and names become valid CUDA
//! names.

use super::trim::trimmed;
use crate::parse::diagnostic::{Errors, Extent};
use crate::parse::methods::{Meaning, Method};
use crate::parse::names;
use crate::parse::role::Role;
use crate::parse::tree::{Ex, Kind, Let};
use crate::parse::types::Types;
use reduce_ir::func::{Func, FuncBuilder, Id, Node, Param};
use reduce_ir::ops::{Bin, TypeError, Un};
use reduce_ir::{Scalar, Value};

/// The limit on operations of a closure.
const LINES: usize = 1024;

/// The limit on exponents.
const EXPONENT: i128 = 1024;

/// Reads the text of a method as a function of operands of the given types. The error is a message.
pub(crate) type Definition = fn(&str, &[Scalar]) -> Result<Func, String>;

/// Builds the function of the first `written` parameters of `role`, and of the free names that `body` uses.
pub(super) fn function(
    body: &Ex,
    types: &Types,
    role: &Role,
    written: usize,
    definition: Definition,
    errors: &mut Errors,
) -> Option<Func> {
    let params: Option<Vec<Vec<Param>>> =
        role.params.iter().map(|(name, ty)| Some(ty.as_ref()?.params(name))).collect();
    let params = params?;
    let own: usize = params[..written].iter().map(Vec::len).sum();
    let needed: usize = params[..params.len() - role.optional].iter().map(Vec::len).sum();
    let all = params[..written]
        .concat()
        .into_iter()
        .chain(role.free.iter().map(|(_, free)| free.clone()))
        .collect();
    let builder = FuncBuilder::new(all);
    let ids = builder.params();
    let (own, free) = ids.split_at(own);
    let mut locals: Vec<Option<Vec<Id>>> = free.iter().map(|&id| Some(vec![id])).collect();
    let mut rest = own;
    for param in &params[..written] {
        let (first, after) = rest.split_at(param.len());
        locals.push(Some(first.to_vec()));
        rest = after;
    }
    let mut lower = Lower { builder, types, locals, definition, errors };
    let results = lower.lower(body)?;
    let func = lower.builder.build(results);
    if func.lines().len() > LINES {
        let message = format!("this expands to {} operations; the limit is {LINES}", func.lines().len());
        errors.add(body.place, message);
        return None;
    }
    Some(trimmed(&func, needed))
}

struct Lower<'a> {
    builder: FuncBuilder,
    types: &'a Types,
    /// The scalars of each local; `None` until they are known.
    locals: Vec<Option<Vec<Id>>>,
    definition: Definition,
    errors: &'a mut Errors,
}

impl Lower<'_> {
    fn lower(&mut self, ex: &Ex) -> Option<Vec<Id>> {
        match &ex.kind {
            Kind::Wrong => None,
            Kind::Local(local) => self.locals.get(*local).cloned().flatten(),
            Kind::Field(base, field) => {
                let base = self.lower(base)?;
                base.get(*field).map(|&id| vec![id])
            }
            Kind::Struct(fields) => {
                let fields: Vec<_> = fields.iter().map(|field| self.one(field)).collect();
                fields.into_iter().collect()
            }
            Kind::If(branches) => self.branches(branches, ex.place),
            Kind::Block(lets, value) => {
                let done: Vec<_> = lets.iter().map(|it| self.bind(it)).collect();
                done.into_iter().collect::<Option<()>>().and_then(|()| self.lower(value))
            }
            Kind::Number(_) | Kind::Value(_) | Kind::Un(..) | Kind::Bin(..) => Some(vec![self.scalar(ex)?]),
            Kind::Cmp(..) | Kind::Cast(_) | Kind::Method(..) => Some(vec![self.scalar(ex)?]),
        }
    }

    fn one(&mut self, ex: &Ex) -> Option<Id> {
        self.lower(ex)?.first().copied()
    }

    fn scalar(&mut self, ex: &Ex) -> Option<Id> {
        match &ex.kind {
            Kind::Number(number) => match number.value(self.types.scalar(ex.ty)) {
                Ok(value) => Some(self.builder.constant(value)),
                Err((message, help)) => {
                    self.errors.add(ex.place, message).help(help);
                    None
                }
            },
            Kind::Value(value) => Some(self.builder.constant(*value)),
            Kind::Un(Un::Neg, a) => self.negative(a, ex.place),
            Kind::Un(op, a) => {
                let a = self.one(a)?;
                let id = self.builder.un(*op, a);
                self.checked(id, ex.place)
            }
            Kind::Bin(op, operands) => self.bin(*op, operands, ex.place),
            Kind::Cmp(op, operands) => {
                let [a, b] = self.both(operands)?;
                let id = self.builder.cmp(*op, a, b);
                self.checked(id, ex.place)
            }
            Kind::Cast(a) => self.cast(a, self.types.scalar(ex.ty), ex.place),
            Kind::Method(method, operands) => self.method(method, operands, ex.place),
            Kind::Wrong
            | Kind::Local(_)
            | Kind::If(_)
            | Kind::Struct(_)
            | Kind::Field(..)
            | Kind::Block(..) => None,
        }
    }

    fn negative(&mut self, a: &Ex, place: Extent) -> Option<Id> {
        let a = self.one(a)?;
        let ty = self.builder.ty(a);
        // The type of a literal without suffix may be known only here.
        if ty.is_unsigned() {
            self.errors.add(place, format!("`-` is not defined for {ty}, which has no sign"));
            return None;
        }
        let id = match self.builder.known(a) {
            Some(value) => Ok(self.builder.constant(negated(value))),
            None => self.builder.un(Un::Neg, a),
        };
        self.checked(id, place)
    }

    fn both(&mut self, [a, b]: &[Ex; 2]) -> Option<[Id; 2]> {
        let (a, b) = (self.one(a), self.one(b));
        Some([a?, b?])
    }

    fn bin(&mut self, op: Bin, operands: &[Ex; 2], place: Extent) -> Option<Id> {
        let [a, mut b] = self.both(operands)?;
        if matches!(op, Bin::Shl | Bin::Shr) {
            let distance = self.builder.cast(Scalar::U32, b);
            b = self.checked(distance, operands[1].place)?;
        }
        if matches!(op, Bin::Div | Bin::Rem) && self.builder.ty(a).is_integer() {
            self.divisor(op, b, operands[1].place)?;
        }
        let id = self.builder.bin(op, a, b);
        self.checked(id, place)
    }

    /// Refuses an integer division unless the divisor cannot be 0 or −1. The smallest integer divided by −1
    /// overflows.
    fn divisor(&mut self, op: Bin, b: Id, place: Extent) -> Option<()> {
        if self.is_divisor(b) {
            return Some(());
        }
        let ty = self.builder.ty(b);
        let known = self.builder.known(b).and_then(Value::as_int);
        let (message, help) = match known {
            Some(0) => ("this divides by 0".to_owned(), "write another number".to_owned()),
            Some(_) if op == Bin::Div => (
                "this divides by -1, which overflows for the smallest number".to_owned(),
                "write `-x`".to_owned(),
            ),
            Some(_) => ("the remainder by -1 is always 0".to_owned(), "write `0`".to_owned()),
            None => {
                let but = if ty.is_signed() { "0 or -1" } else { "0" };
                (
                    format!("the divisor may be {but}"),
                    "exclude such divisors, as in `x / y.max(1)`".to_owned(),
                )
            }
        };
        self.errors.add(place, message).help(help);
        None
    }

    fn is_divisor(&self, b: Id) -> bool {
        let ty = self.builder.ty(b);
        let known = |id| self.builder.known(id).and_then(Value::as_int);
        if let Some(value) = known(b) {
            return value != 0 && value != -1;
        }
        let Some(Node::Bin(op, x, y)) = self.builder.node(b) else { return false };
        let mut constants = [x, y].into_iter().filter_map(known);
        match op {
            Bin::Max => constants.any(|k| k >= 1),
            Bin::Or => ty.is_unsigned() && constants.any(|k| k != 0),
            Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem => false,
            Bin::Min | Bin::MinNum | Bin::MaxNum => false,
            Bin::And | Bin::Xor | Bin::Shl | Bin::Shr => false,
            Bin::Powf | Bin::Hypot | Bin::Atan2 => false,
        }
    }

    fn cast(&mut self, a: &Ex, to: Scalar, place: Extent) -> Option<Id> {
        let from = self.one(a)?;
        let ty = self.builder.ty(from);
        match self.builder.cast(to, from) {
            Ok(id) => Some(id),
            Err(_) => {
                let help = match (ty, to) {
                    (Scalar::Bool, _) => "write `if … { 1.0 } else { 0.0 }`".to_owned(),
                    (_, Scalar::Bool) if ty.is_float() => "compare it, as in `x != 0.0`".to_owned(),
                    (_, Scalar::Bool) => "compare it, as in `x != 0`".to_owned(),
                    _ => "convert it to f32".to_owned(),
                };
                self.errors.add(place, format!("`as` cannot convert {ty} to {to}")).help(help);
                None
            }
        }
    }

    /// Lowers `if` for scalars, or for structs field by field.
    fn branches(&mut self, [cond, a, b]: &[Ex; 3], place: Extent) -> Option<Vec<Id>> {
        let (cond, a, b) = (self.one(cond), self.lower(a), self.lower(b));
        let (cond, a, b) = (cond?, a?, b?);
        if a.len() > 1 {
            self.builder.name(cond, "condition");
        }
        let fields: Vec<_> = a
            .into_iter()
            .zip(b)
            .map(|(a, b)| {
                let id = self.builder.select(cond, a, b);
                self.checked(id, place)
            })
            .collect();
        fields.into_iter().collect()
    }

    fn bind(&mut self, Let { local, name, value }: &Let) -> Option<()> {
        let ids = self.lower(value)?;
        let name = names::in_cuda(name);
        if !name.is_empty() {
            match self.types.fields(self.types.resolve(value.ty)) {
                [] => ids.iter().for_each(|&id| self.builder.name(id, &name)),
                fields => {
                    for (&id, (field, _)) in ids.iter().zip(fields) {
                        self.builder.name(id, &format!("{name}_{field}"));
                    }
                }
            }
        }
        while self.locals.len() <= *local {
            self.locals.push(None);
        }
        self.locals[*local] = Some(ids);
        Some(())
    }

    fn method(&mut self, method: &'static Method, operands: &[Ex], place: Extent) -> Option<Id> {
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
        let known = self.builder.known(exponent).and_then(Value::as_int);
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

    /// Reports a type error. Inference rules out type errors except in rows of the table.
    fn checked(&mut self, id: Result<Id, TypeError>, place: Extent) -> Option<Id> {
        id.map_err(|error| self.errors.add(place, error.to_string())).ok()
    }
}

/// Returns whether one number is less than the other of its type.
fn is_below(one: Value, other: Value) -> bool {
    match (one.as_int(), other.as_int()) {
        (Some(one), Some(other)) => one < other,
        _ => one.as_f64() < other.as_f64(),
    }
}

/// Returns `-value`. A NaN is returned as it is, because no result shows its sign.
fn negated(value: Value) -> Value {
    let (ty, bits) = (value.ty(), value.bits());
    let sign = 1 << (8 * ty.size() - 1);
    match value.as_f64() {
        Some(float) if float.is_nan() => value,
        Some(_) => Value::from_bits(ty, bits ^ sign),
        None => Value::from_bits(ty, bits.wrapping_neg()),
    }
}

//! Lowers a tree to a function: structs become scalars, methods become operations, and names become valid CUDA
//! names.

use super::Outer;
use super::exits::Flow;
use super::range;
use super::trim::trimmed;
use crate::parse::constants::{Assumed, Constants};
use crate::parse::device::Variable;
use crate::parse::diagnostic::{Errors, Extent};
use crate::parse::names;
use crate::parse::role::Role;
use crate::parse::tree::{Ex, Kind, Let, Step};
use crate::parse::types::Types;
use reduce_ir::func::{Func, FuncBuilder, Id, Node, Param};
use reduce_ir::ops::{Bin, TypeError, Un};
use reduce_ir::{Scalar, Value};

/// The limit on operations of a closure.
const LINES: usize = 1024;

/// The limit on steps of lowering, which loops and helper functions multiply.
const WORK: usize = 1 << 17;

/// Reads the text of a method as a function of operands of the given types. The error is a message.
pub(crate) type Definition = fn(&str, &[Scalar]) -> Result<Func, String>;

/// Builds the function of the first `written` parameters of `role`, and of the free names that `body` uses.
pub(super) fn function(
    body: &Ex,
    (types, variables, constants): (&Types, &[Variable], &[Outer]),
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
    let (open, assumed) = match &*role.constants {
        Constants::Assumed(assumed) => (&[][..], Some(assumed)),
        Constants::Open | Constants::Known(_) => (constants, None),
    };
    let all = params[..written]
        .concat()
        .into_iter()
        .chain(role.free.iter().map(|(_, free)| free.clone()))
        .chain(open.iter().map(|constant| constant.param.clone()))
        .collect();
    let builder = FuncBuilder::new(all);
    let ids = builder.params();
    let (own, free) = ids.split_at(own);
    let (free, outer) = free.split_at(role.free.len());
    let mut locals: Vec<Option<Vec<Id>>> = free.iter().map(|&id| Some(vec![id])).collect();
    let mut rest = own;
    for param in &params[..written] {
        let (first, after) = rest.split_at(param.len());
        locals.push(Some(first.to_vec()));
        rest = after;
    }
    let flow = Flow::default();
    let is_lenient = assumed.is_some_and(Assumed::is_lenient);
    let mut lower =
        Lower { builder, types, variables, locals, flow, work: 0, is_lenient, definition, errors };
    for (at, constant) in constants.iter().enumerate() {
        let ids = match assumed {
            Some(assumed) => {
                vec![lower.builder.constant(assumed.value(&constant.param)); constant.count]
            }
            None => vec![outer[at]],
        };
        lower.store(constant.local, ids);
    }
    let results = lower.lower(body)?;
    let func = lower.builder.build(results);
    if func.lines().len() > LINES {
        let message = format!("this expands to {} operations; the limit is {LINES}", func.lines().len());
        errors.add(body.place, message);
        return None;
    }
    Some(trimmed(&func, needed))
}

pub(super) struct Lower<'a> {
    pub(super) builder: FuncBuilder,
    pub(super) types: &'a Types,
    /// The names of locals.
    pub(super) variables: &'a [Variable],
    /// The scalars of each local; `None` until they are known.
    pub(super) locals: Vec<Option<Vec<Id>>>,
    pub(super) flow: Flow,
    /// The steps of lowering so far.
    work: usize,
    /// Whether indices and divisors may be wrong, because they may depend on assumed values.
    pub(super) is_lenient: bool,
    pub(super) definition: Definition,
    pub(super) errors: &'a mut Errors,
}

impl Lower<'_> {
    /// Lowers an expression to its scalars. One without a value, or that leaves its block, has no scalars.
    pub(super) fn lower(&mut self, ex: &Ex) -> Option<Vec<Id>> {
        self.spend(1, ex.place)?;
        match &ex.kind {
            Kind::Wrong => None,
            Kind::Local(local) => self.locals.get(*local).cloned().flatten(),
            Kind::Field(base, field) => {
                let from = self.types.offset(base.ty, *field);
                let width = self.types.width(ex.ty);
                let base = self.lower(base)?;
                base.get(from..from + width).map(<[Id]>::to_vec)
            }
            Kind::Struct(fields) => {
                let fields: Vec<_> = fields.iter().map(|field| self.lower(field)).collect();
                Some(fields.into_iter().collect::<Option<Vec<_>>>()?.concat())
            }
            Kind::Repeat(part, count) => Some(self.lower(part)?.repeat(*count)),
            Kind::Index(operands) => self.element(operands, ex.place),
            Kind::If(branches) => self.branches(branches, ex.place),
            Kind::Logic(op, operands) => self.logic(*op, operands, ex.place),
            Kind::Block(steps, value) => self.block(steps, value),
            Kind::Function(steps, value) => self.function(steps, value, ex.place),
            Kind::Nothing(_) => Some(Vec::new()),
            Kind::Assert(condition) => {
                let condition = self.one(condition)?;
                self.assert(condition, ex.place).map(|()| Vec::new())
            }
            Kind::Assign(target, value) => self.assign(target, value),
            Kind::For(repeat) => self.repeat(repeat, ex.place),
            Kind::Return(value) => self.exit(value),
            Kind::Leave(leave) => Some(self.leave(*leave)),
            Kind::Number(_) | Kind::Value(_) | Kind::Un(..) | Kind::Bin(..) => Some(vec![self.scalar(ex)?]),
            Kind::Cmp(..) | Kind::Cast(_) | Kind::Method(..) => Some(vec![self.scalar(ex)?]),
        }
    }

    /// Counts steps of lowering up to the limit.
    pub(super) fn spend(&mut self, steps: usize, place: Extent) -> Option<()> {
        self.work += steps;
        if self.work <= WORK {
            return Some(());
        }
        self.errors.add(place, "this expands to too many operations").help("write shorter loops");
        None
    }

    /// Lowers statements up to one that leaves the block, and the value after them.
    fn block(&mut self, steps: &[Step], value: &Ex) -> Option<Vec<Id>> {
        let visible = self.locals.len();
        let value = self.statements(steps, value);
        self.locals.truncate(visible);
        value
    }

    fn statements(&mut self, steps: &[Step], value: &Ex) -> Option<Vec<Id>> {
        let mut is_right = true;
        for step in steps {
            is_right &= self.step(step).is_some();
            if self.flow.is_dead {
                return is_right.then(Vec::new);
            }
        }
        if is_right { self.lower(value) } else { None }
    }

    pub(super) fn step(&mut self, step: &Step) -> Option<()> {
        match step {
            Step::Let(it) => self.bind(it),
            Step::Do(ex) => self.lower(ex).map(drop),
        }
    }

    pub(super) fn one(&mut self, ex: &Ex) -> Option<Id> {
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
            Kind::Wrong | Kind::Local(_) | Kind::If(_) | Kind::Logic(..) | Kind::Struct(_) => None,
            Kind::Repeat(..) | Kind::Field(..) | Kind::Index(_) | Kind::Block(..) => None,
            Kind::Function(..) | Kind::Nothing(_) | Kind::Assign(..) | Kind::For(_) => None,
            Kind::Return(_) | Kind::Leave(_) | Kind::Assert(_) => None,
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
        if self.is_divisor(b) || self.is_lenient {
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
        let [least, most] = range::of(&self.builder, b);
        if least > 0 || most < -1 {
            return true;
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

    fn bind(&mut self, Let { local, value }: &Let) -> Option<()> {
        let ids = self.lower(value)?;
        if !self.flow.is_dead {
            self.set(*local, ids);
        }
        Some(())
    }

    /// Sets the scalars of a local, and names them after it.
    pub(super) fn set(&mut self, local: usize, ids: Vec<Id>) {
        let Some(variable) = self.variables.get(local) else { return };
        let name = names::in_cuda(&variable.word);
        if !name.is_empty() {
            let record = self.types.record(variable.ty);
            for (&id, field) in ids.iter().zip(&record.fields) {
                let name = if record.is_scalar() { name.clone() } else { format!("{name}_{}", field.name) };
                // A constant that a variable has for a while keeps its own text.
                if !variable.is_mutable || self.builder.known(id).is_none() {
                    self.builder.name(id, &name);
                }
            }
        }
        self.store(local, ids);
    }

    /// Sets the scalars of a local.
    pub(super) fn store(&mut self, local: usize, ids: Vec<Id>) {
        while self.locals.len() <= local {
            self.locals.push(None);
        }
        self.locals[local] = Some(ids);
    }

    /// Reports a type error. Inference rules out type errors except in rows of the table.
    pub(super) fn checked(&mut self, id: Result<Id, TypeError>, place: Extent) -> Option<Id> {
        id.map_err(|error| self.errors.add(place, error.to_string())).ok()
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

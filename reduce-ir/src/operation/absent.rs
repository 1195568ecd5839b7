//! Absent elements: turns an operation on the elements that a condition keeps into an operation on all elements.
//!
//! An absent element keeps its place in the association. If the operation has an accumulator that is neutral bit for bit, this
//! accumulator stands for the element. Otherwise a neutral accumulator is added to the operation: accumulators carry a flag that
//! says whether they hold an element, also in partials.

mod empty;

pub use empty::Conditions;

use super::asserting::{Missing, failing};
use super::{Operation, Record};
use crate::constants::zero;
use crate::func::{Func, FuncBuilder, Id, Param};
use crate::ops::{Bin, Cmp, TypeError};
use crate::{Scalar, Value};

/// How a result reports that no element was left to reduce, which is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nothing {
    /// The first scalar has this value, which no other result has.
    Scalar(Value),
    /// A flag after the fields is 0.
    Flag,
}

/// The accumulators from which a `fold` may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starts {
    /// From the identity: `fold` of it and an element is `map` of the element, bit for bit. This holds for the rows of the table.
    FromIdentity,
    /// From `map` of an element only.
    FromElement,
}

impl Operation {
    /// Returns the operation on the elements that satisfy `keep`, a function of the inputs and, by name, the position and params.
    ///
    /// # Errors
    /// The types of the functions do not fit together.
    pub fn keeping(self, keep: &Func, starts: Starts) -> Result<Operation, TypeError> {
        match self.neutral(starts) {
            Some(identity) => self.skipping(keep, &identity),
            None => Adjoined::new(&self).operation(keep),
        }
    }

    /// Returns the accumulator that can stand for an absent element.
    fn neutral(&self, starts: Starts) -> Option<Vec<Value>> {
        let is_neutral = self.fold.is_none() || starts == Starts::FromIdentity;
        self.identity.clone().filter(|_| is_neutral && self.fill.is_some())
    }

    /// Returns one value for each field of the output from a [stored](Operation::stored) result.
    ///
    /// # Errors
    /// An assertion failed, or no element was left to reduce.
    pub fn unstored(&self, mut stored: Vec<Value>) -> Result<Vec<Value>, Missing> {
        let is_nothing = match self.nothing {
            Some(Nothing::Flag) => stored.pop() == Some(zero(FLAG)),
            Some(Nothing::Scalar(nothing)) => stored.first() == Some(&nothing),
            None => false,
        };
        if self.asserts && stored.pop() != Some(zero(FLAG)) {
            return Err(Missing::Assertion);
        }
        if is_nothing { Err(Missing::Nothing) } else { Ok(stored) }
    }

    /// Returns the [stored](Operation::stored) result of no elements, if the specification gives it.
    pub fn stored_empty(&self) -> Option<Vec<Value>> {
        let mut stored = self.empty.clone()?;
        stored.extend(self.asserts.then(|| zero(FLAG)));
        Some(stored)
    }

    /// Returns the type of stored results: the output, with a flag after it if an assertion may fail, and another one if there may
    /// be no result.
    pub fn stored(&self) -> Record {
        let output = if self.asserts { failing(&self.output) } else { self.output.clone() };
        match self.nothing {
            Some(Nothing::Flag) => flagged(&output, PRESENT, FLAG),
            Some(Nothing::Scalar(_)) | None => output,
        }
    }

    /// Replaces absent elements by the identity. Among other elements, it may change the sign of a zero, as in `numpy.nansum`.
    fn skipping(self, keep: &Func, identity: &[Value]) -> Result<Operation, TypeError> {
        let mut f = Caller::new(&[], &self.inputs, &[(&self.map, 0), (keep, 0)], None);
        let (mapped, kept) = (f.call(&self.map, &[])?, f.call(keep, &[])?[0]);
        let absent: Vec<_> = identity.iter().map(|&value| f.builder.constant(value)).collect();
        let results = f.select_all(kept, &mapped, &absent)?;
        let map = f.builder.build(results);
        let fold = self.fold.as_ref().map(|fold| {
            let acc = self.acc.params("acc");
            let mut f = Caller::new(&acc, &self.inputs, &[(fold, acc.len()), (keep, 0)], None);
            let acc = f.accs();
            let (folded, kept) = (f.call(fold, &acc)?, f.call(keep, &[])?[0]);
            let results = f.select_all(kept, &folded, &acc)?;
            Ok(f.builder.build(results))
        });
        Ok(Operation { map, fold: fold.transpose()?, ..self })
    }
}

/// The type of flags, which are 0 or 1. Not `bool`: if the value next to the flag is unused, ptxas 13.0 compiles `a || b` as
/// `a && b`.
pub(super) const FLAG: Scalar = Scalar::U32;

/// The name of a record with a flag that it holds an element, and of the flag.
const PRESENT: (&str, &str) = ("Maybe", "present");

/// An operation with an added neutral accumulator: the accumulator whose flag is not set.
struct Adjoined<'a> {
    operation: &'a Operation,
    /// The type of the flag: [`FLAG`], or `u64` if `fold` uses the step; the flag then counts elements.
    flag: Scalar,
}

impl Adjoined<'_> {
    fn new(operation: &Operation) -> Adjoined<'_> {
        let steps = |fold: &Func| fold.params().iter().any(|param| param.name == Operation::STEP);
        let counts = operation.fold.as_ref().is_some_and(steps);
        Adjoined { operation, flag: if counts { Scalar::U64 } else { FLAG } }
    }

    fn operation(&self, keep: &Func) -> Result<Operation, TypeError> {
        let old = self.operation.clone();
        let names = if self.flag == FLAG { PRESENT } else { ("Counted", "present") };
        let acc = flagged(&old.acc, names, self.flag);
        let absent: Vec<_> = acc.types().into_iter().map(zero).collect();
        let nothing = if old.identity.is_none() { Some(Nothing::Flag) } else { old.nothing };
        Ok(Operation {
            map: self.map(keep)?,
            combine: self.combine(&acc)?,
            fold: old.fold.as_ref().map(|fold| self.fold(fold, keep, &acc)).transpose()?,
            finish: self.finish(&acc)?,
            identity: Some(absent.clone()),
            fill: Some(absent),
            searches: Vec::new(),
            nothing,
            acc,
            ..old
        })
    }

    fn map(&self, keep: &Func) -> Result<Func, TypeError> {
        let Operation { inputs, map, acc, .. } = self.operation;
        let mut f = Caller::new(&[], inputs, &[(map, 0), (keep, 0)], None);
        let (mapped, kept) = (f.call(map, &[])?, f.call(keep, &[])?[0]);
        let absent: Vec<_> = acc.types().into_iter().map(|ty| f.builder.constant(zero(ty))).collect();
        let mut results = f.select_all(kept, &mapped, &absent)?;
        results.push(f.builder.cast(self.flag, kept)?);
        Ok(f.builder.build(results))
    }

    fn combine(&self, acc: &Record) -> Result<Func, TypeError> {
        let mut f = Caller::new(&[acc.params("a"), acc.params("b")].concat(), &[], &[], None);
        let params = f.accs();
        let (a, b) = params.split_at(acc.fields.len());
        let [(flag_a, fields_a), (flag_b, fields_b)] = [split(a), split(b)];
        let combined = f.call(&self.operation.combine, &[fields_a, fields_b].concat())?;
        let [has_a, has_b] = [self.has(&mut f.builder, flag_a)?, self.has(&mut f.builder, flag_b)?];
        let present_a = f.select_all(has_b, &combined, fields_a)?;
        let mut results = f.select_all(has_a, &present_a, fields_b)?;
        results.push(f.builder.bin(self.both(), flag_a, flag_b)?);
        Ok(f.builder.build(results))
    }

    fn fold(&self, fold: &Func, keep: &Func, acc: &Record) -> Result<Func, TypeError> {
        let Operation { inputs, map, .. } = self.operation;
        let fields = self.operation.acc.fields.len();
        let called = [(map, 0), (fold, fields), (keep, 0)];
        let mut f = Caller::new(&acc.params("acc"), inputs, &called, Some(Id(fields as u32)));
        let all = f.accs();
        let (flag, fields) = split(&all);
        let (mapped, kept) = (f.call(map, &[])?, f.call(keep, &[])?[0]);
        let folded = f.call(fold, fields)?;
        let has_any = self.has(&mut f.builder, flag)?;
        let added = f.select_all(has_any, &folded, &mapped)?;
        let mut results = f.select_all(kept, &added, fields)?;
        let one = f.builder.cast(self.flag, kept)?;
        results.push(f.builder.bin(self.both(), flag, one)?);
        Ok(f.builder.build(results))
    }

    /// Returns the new `finish`. For no element, it gives the result of the identity, or a cleared flag if there is no identity.
    fn finish(&self, acc: &Record) -> Result<Func, TypeError> {
        let Operation { finish, identity, .. } = self.operation;
        let mut f = Caller::new(&acc.params("acc"), &[], &[(finish, self.operation.acc.fields.len())], None);
        let all = f.accs();
        let (flag, fields) = split(&all);
        let has_any = self.has(&mut f.builder, flag)?;
        let Some(identity) = identity else {
            let mut results = f.call(finish, fields)?;
            results.push(f.builder.cast(FLAG, has_any)?);
            return Ok(f.builder.build(results));
        };
        let identity: Vec<_> = identity.iter().map(|&value| f.builder.constant(value)).collect();
        let fields = f.select_all(has_any, fields, &identity)?;
        let results = f.call(finish, &fields)?;
        Ok(f.builder.build(results))
    }

    /// Returns the operation that combines two flags.
    fn both(&self) -> Bin {
        if self.flag == FLAG { Bin::Or } else { Bin::Add }
    }

    fn has(&self, f: &mut FuncBuilder, flag: Id) -> Result<Id, TypeError> {
        let none = f.constant(zero(self.flag));
        f.cmp(Cmp::Ne, flag, none)
    }
}

/// Returns the condition that both hold, each a function of the inputs and, by name, of the position and params.
///
/// # Errors
/// A function has parameters of other types than the inputs: a bug of the caller.
pub fn both(a: Option<Func>, b: Option<Func>, inputs: &[Param]) -> Result<Option<Func>, TypeError> {
    let (Some(a), Some(b)) = (&a, &b) else { return Ok(a.or(b)) };
    let mut f = Caller::new(&[], inputs, &[(a, 0), (b, 0)], None);
    let (of_a, of_b) = (f.call(a, &[])?[0], f.call(b, &[])?[0]);
    let both = f.builder.bin(Bin::And, of_a, of_b)?;
    Ok(Some(f.builder.build(vec![both])))
}

/// Returns the record, with a prefix to its name, and with a flag of that name after its fields. The `_` after the prefix keeps it
/// apart from structs of users.
pub(super) fn flagged(record: &Record, (prefix, field_name): (&str, &str), flag: Scalar) -> Record {
    let name = record.name.clone().unwrap_or_else(|| record.fields[0].ty.to_string());
    let field = |field: &Param| match field.name.as_str() {
        "" => Param::new("value", field.ty),
        _ => field.clone(),
    };
    let mut fields: Vec<_> = record.fields.iter().map(field).collect();
    let is_free = |name: &String| fields.iter().all(|field| field.name != *name);
    let names =
        [field_name.to_owned()].into_iter().chain((2..).map(|number| format!("{field_name}{number}")));
    let free = names.into_iter().find(is_free).unwrap_or_default();
    fields.push(Param::new(free, flag));
    Record { name: Some(format!("{prefix}_{name}")), generics: None, fields }
}

/// Splits an accumulator into its flag and its other fields.
pub(super) fn split(all: &[Id]) -> (Id, &[Id]) {
    let (flag, fields) = all.split_last().unwrap_or((&Id(0), &[]));
    (*flag, fields)
}

/// Builds a function of accumulators and inputs that calls others.
pub(super) struct Caller {
    pub(super) builder: FuncBuilder,
    accs: usize,
    inputs: usize,
    /// The position and params that the called functions use.
    extras: Vec<Param>,
    /// The value of the step in the called functions.
    step: Option<Id>,
}

impl Caller {
    /// Starts a function that calls `called`: each takes a number of accumulator scalars first, and then the inputs. `step`, if
    /// given, is the step that they use.
    pub(super) fn new(
        accs: &[Param],
        inputs: &[Param],
        called: &[(&Func, usize)],
        step: Option<Id>,
    ) -> Caller {
        let mut extras: Vec<Param> = Vec::new();
        for param in called.iter().flat_map(|(func, taken)| &func.params()[taken + inputs.len()..]) {
            let is_given = step.is_some() && param.name == Operation::STEP;
            if !is_given && !extras.contains(param) {
                extras.push(param.clone());
            }
        }
        let builder = FuncBuilder::new([accs, inputs, &extras].concat());
        Caller { builder, accs: accs.len(), inputs: inputs.len(), extras, step }
    }

    pub(super) fn accs(&self) -> Vec<Id> {
        self.builder.params()[..self.accs].to_vec()
    }

    /// Calls a function on an accumulator, the inputs and, by name, the other values that it uses.
    fn call(&mut self, func: &Func, acc: &[Id]) -> Result<Vec<Id>, TypeError> {
        let args = self.arguments(func, acc);
        self.builder.call(func, &args)
    }

    /// As [`Caller::call`], but returns the condition that the function asserts in place of asserting it.
    pub(super) fn attempt(&mut self, func: &Func, acc: &[Id]) -> Result<(Vec<Id>, Option<Id>), TypeError> {
        let args = self.arguments(func, acc);
        self.builder.attempt(func, &args)
    }

    fn arguments(&self, func: &Func, acc: &[Id]) -> Vec<Id> {
        let params = self.builder.params();
        let (inputs, extras) = params[self.accs..].split_at(self.inputs);
        let named = |param: &Param| match self.step {
            Some(step) if param.name == Operation::STEP => Some(step),
            _ => self.extras.iter().position(|extra| extra == param).map(|at| extras[at]),
        };
        let by_name = func.params().iter().skip(acc.len() + inputs.len()).filter_map(named);
        acc.iter().chain(inputs).copied().chain(by_name).collect()
    }

    /// Selects between the values of each pair.
    fn select_all(&mut self, condition: Id, a: &[Id], b: &[Id]) -> Result<Vec<Id>, TypeError> {
        a.iter().zip(b).map(|(&a, &b)| self.builder.select(condition, a, b)).collect()
    }
}

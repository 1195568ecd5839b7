//! Assertions: turns the conditions that functions assert into a field of accumulators and results.
//!
//! A closure asserts a condition with `assert!`, and that an index of an array is in range. A kernel cannot stop the program, so
//! an accumulator says whether an assertion failed for one of its elements, and so does the stored result. Reading it is an error.

use super::absent::{Caller, FLAG, flagged, split};
use super::{Operation, Record};
use crate::constants::zero;
use crate::func::{Func, FuncBuilder, Id};
use crate::ops::{Bin, TypeError, Un};

/// The prefix of the names of accumulators with that field.
const ASSERTED: &str = "Asserted";

/// Why a stored result is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// No element was left to reduce.
    Nothing,
    /// An assertion failed.
    Assertion,
}

impl Operation {
    /// Returns the operation without assertions in its functions, and the same condition on elements without assertions. Its
    /// accumulators and stored results say whether an assertion of the functions or of `keep` failed.
    ///
    /// # Errors
    /// The functions do not fit together.
    pub fn asserting(self, keep: Option<&Func>) -> Result<(Operation, Option<Func>), TypeError> {
        let funcs = [Some(&self.map), Some(&self.combine), Some(&self.finish)];
        let others = [self.fold.as_ref(), self.key.as_ref(), keep];
        if funcs.into_iter().chain(others).flatten().all(|func| func.asserted().is_none()) {
            return Ok((self, keep.cloned()));
        }
        let kept = keep.map(lenient).transpose()?;
        let acc = failing(&self.acc);
        let passed = |values: Vec<_>| [values, vec![zero(FLAG)]].concat();
        let operation = Operation {
            map: self.asserting_map(keep)?,
            combine: self.asserting_combine(&acc)?,
            fold: self.fold.as_ref().map(|fold| self.asserting_fold(fold, keep, &acc)).transpose()?,
            finish: self.asserting_finish(&acc)?,
            key: self.key.as_ref().map(|key| key.giving(key.results())),
            identity: self.identity.clone().map(passed),
            // The neutral accumulator may fail an assertion of `combine`.
            fill: self.fill.clone().filter(|_| self.combine.asserted().is_none()).map(passed),
            searches: Vec::new(),
            asserts: true,
            acc,
            ..self
        };
        Ok((operation, kept))
    }

    /// Returns the field of accumulators that says whether an assertion failed. Only the flag that elements are present follows it.
    pub fn failed_field(&self) -> Option<usize> {
        let is_last = self.acc.name.as_ref().is_some_and(|name| name.starts_with(ASSERTED));
        let after = if is_last { 1 } else { 2 };
        self.acc.fields.len().checked_sub(after).filter(|_| self.asserts)
    }

    /// Adds the flag of one element: whether an assertion of `map`, `key` or `keep` fails for it.
    fn asserting_map(&self, keep: Option<&Func>) -> Result<Func, TypeError> {
        let called: Vec<_> = self.of_elements(keep).map(|func| (func, 0)).collect();
        let mut f = Caller::new(&[], &self.inputs, &called, None);
        let (mut results, failed) = self.element(&mut f, keep)?;
        results.push(failed);
        Ok(f.builder.build(results))
    }

    fn of_elements<'a>(&'a self, keep: Option<&'a Func>) -> impl Iterator<Item = &'a Func> {
        [Some(&self.map), self.key.as_ref(), keep].into_iter().flatten()
    }

    /// Returns the results of `map` for one element, and its flag.
    fn element(&self, f: &mut Caller, keep: Option<&Func>) -> Result<(Vec<Id>, Id), TypeError> {
        let mut holds = Vec::new();
        let mut mapped = Vec::new();
        for (place, func) in self.of_elements(keep).enumerate() {
            let (results, asserted) = f.attempt(func, &[])?;
            holds.extend(asserted);
            if place == 0 {
                mapped = results;
            }
        }
        Ok((mapped, any(&mut f.builder, &[], &holds)?))
    }

    fn asserting_combine(&self, acc: &Record) -> Result<Func, TypeError> {
        let mut f = FuncBuilder::new([acc.params("a"), acc.params("b")].concat());
        let params = f.params();
        let (a, b) = params.split_at(acc.fields.len());
        let [(failed_a, fields_a), (failed_b, fields_b)] = [split(a), split(b)];
        let (mut results, asserted) = f.attempt(&self.combine, &[fields_a, fields_b].concat())?;
        results.push(any(&mut f, &[failed_a, failed_b], asserted.as_slice())?);
        Ok(f.build(results))
    }

    fn asserting_fold(&self, fold: &Func, keep: Option<&Func>, acc: &Record) -> Result<Func, TypeError> {
        let fields = self.acc.fields.len();
        let elements = self.of_elements(keep).map(|func| (func, 0));
        let called: Vec<_> = elements.chain([(fold, fields)]).collect();
        let mut f = Caller::new(&acc.params("acc"), &self.inputs, &called, None);
        let all = f.accs();
        let (before, fields) = split(&all);
        let (_, element) = self.element(&mut f, keep)?;
        let (mut results, asserted) = f.attempt(fold, fields)?;
        results.push(any(&mut f.builder, &[before, element], asserted.as_slice())?);
        Ok(f.builder.build(results))
    }

    fn asserting_finish(&self, acc: &Record) -> Result<Func, TypeError> {
        let mut f = Caller::new(&acc.params("acc"), &[], &[(&self.finish, self.acc.fields.len())], None);
        let all = f.accs();
        let (before, fields) = split(&all);
        let (mut results, asserted) = f.attempt(&self.finish, fields)?;
        results.push(any(&mut f.builder, &[before], asserted.as_slice())?);
        Ok(f.builder.build(results))
    }
}

/// Returns the record with a flag after its fields: whether an assertion failed.
pub(super) fn failing(record: &Record) -> Record {
    flagged(record, (ASSERTED, "failed"), FLAG)
}

/// Returns a condition on elements that also keeps those for which its assertion fails, so that the failure is not lost.
fn lenient(keep: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(keep.params().to_vec());
    let (kept, asserted) = f.attempt(keep, &f.params())?;
    let mut kept = kept[0];
    if let Some(asserted) = asserted {
        let failed = f.un(Un::Not, asserted)?;
        kept = f.bin(Bin::Or, kept, failed)?;
    }
    Ok(f.build(vec![kept]))
}

/// Returns the flag that one of the flags is set, or that one of the conditions does not hold.
fn any(f: &mut FuncBuilder, flags: &[Id], conditions: &[Id]) -> Result<Id, TypeError> {
    let mut all = flags.to_vec();
    for &condition in conditions {
        let fails = f.un(Un::Not, condition)?;
        all.push(f.cast(FLAG, fails)?);
    }
    let mut all = all.into_iter();
    let first = all.next().unwrap_or_else(|| f.constant(zero(FLAG)));
    all.try_fold(first, |any, flag| f.bin(Bin::Or, any, flag))
}

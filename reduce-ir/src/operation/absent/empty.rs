//! The result of no elements that the specification gives (`empty`).
//!
//! A call without elements returns it without a launch. If elements can be absent, accumulators tell whether they hold one, as
//! they do where no element is an error, and `finish` selects.

use super::{Caller, FLAG, Nothing, PRESENT, Starts, flagged, split};
use crate::Value;
use crate::constants::zero;
use crate::func::{Func, FuncBuilder, Id};
use crate::operation::{Operation, Record};
use crate::ops::{Bin, Cmp, TypeError, Un};

/// Conditions on an element. Each is a function of the inputs and, by name, the position and params.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// Holds for the elements that stay. The operation itself may leave out more elements.
    pub keep: Option<&'a Func>,
    /// Holds for the elements that neither the condition nor the operation leaves out. `None`: all elements are present.
    pub present: Option<&'a Func>,
}

impl Operation {
    /// Returns the operation on the elements that satisfy `keep`. If no element is present, its result is `empty`, which has a
    /// value for each field of the output.
    ///
    /// # Errors
    /// The types of the functions, or of `empty`, do not fit together.
    pub fn keeping_or(
        self,
        conditions: Conditions<'_>,
        starts: Starts,
        empty: &[Value],
    ) -> Result<Operation, TypeError> {
        self.reporting(conditions, starts)?.giving(empty)
    }

    /// Returns the operation on the elements that satisfy `keep`. If no element is present, it has no result.
    ///
    /// # Errors
    /// The types of the functions do not fit together.
    pub fn keeping_some(self, conditions: Conditions<'_>, starts: Starts) -> Result<Operation, TypeError> {
        let reporting = self.reporting(conditions, starts)?;
        // An accumulator with a flag stands for no elements, and says so.
        let identity = reporting.identity.clone().filter(|_| reporting.nothing.is_some());
        Ok(Operation { identity, ..reporting })
    }

    /// Returns the operation on the elements that satisfy `keep`, which reports that no element is present if elements can be
    /// absent.
    fn reporting(
        self,
        Conditions { keep, present }: Conditions<'_>,
        starts: Starts,
    ) -> Result<Operation, TypeError> {
        let kept = match keep {
            None => self,
            Some(keep) if self.neutral(starts).is_some() => self.keeping(keep, starts)?,
            // Without its identity, the operation reports that no element is present.
            Some(keep) => Operation { identity: None, ..self }.keeping(keep, starts)?,
        };
        match present {
            Some(present) if kept.nothing.is_none() => kept.flagging(present),
            _ => Ok(kept),
        }
    }

    /// Replaces `finish` by a function of the same accumulator and result type `output`. Its parameters start with those of
    /// `finish`. The result still reports that no element was left to reduce.
    ///
    /// # Errors
    /// The parameters are others.
    pub fn finishing(self, finish: Func, output: Record) -> Result<Operation, TypeError> {
        if !matches!(self.nothing, Some(Nothing::Scalar(_))) {
            return Ok(Operation { finish, output, ..self });
        }
        let mut f = FuncBuilder::new(finish.params().to_vec());
        let params = f.params();
        let mut own = f.call(&self.finish, &params[..self.finish.params().len()])?;
        let nothing = self.reported(&mut f, &mut own)?;
        let present = f.un(Un::Not, nothing)?;
        let mut results = f.call(&finish, &params)?;
        results.push(f.cast(FLAG, present)?);
        Ok(Operation { finish: f.build(results), output, nothing: Some(Nothing::Flag), ..self })
    }

    /// Adds a flag to accumulators: whether they hold a present element. The other fields keep their bits.
    fn flagging(self, present: &Func) -> Result<Operation, TypeError> {
        let acc = flagged(&self.acc, PRESENT, FLAG);
        let unset = |values: Vec<Value>| [values, vec![zero(FLAG)]].concat();
        let fold = self.fold.as_ref().map(|fold| self.flagging_fold(fold, present, &acc));
        Ok(Operation {
            map: self.flagging_map(present)?,
            combine: self.flagging_combine(&acc)?,
            fold: fold.transpose()?,
            finish: self.flagging_finish(&acc)?,
            identity: self.identity.clone().map(unset),
            fill: self.fill.clone().map(unset),
            searches: Vec::new(),
            nothing: Some(Nothing::Flag),
            acc,
            ..self
        })
    }

    fn flagging_map(&self, present: &Func) -> Result<Func, TypeError> {
        let mut f = Caller::new(&[], &self.inputs, &[(&self.map, 0), (present, 0)], None);
        let (mut results, present) = (f.call(&self.map, &[])?, f.call(present, &[])?[0]);
        results.push(f.builder.cast(FLAG, present)?);
        Ok(f.builder.build(results))
    }

    fn flagging_combine(&self, acc: &Record) -> Result<Func, TypeError> {
        let mut f = FuncBuilder::new([acc.params("a"), acc.params("b")].concat());
        let params = f.params();
        let (a, b) = params.split_at(acc.fields.len());
        let [(flag_a, fields_a), (flag_b, fields_b)] = [split(a), split(b)];
        let mut results = f.call(&self.combine, &[fields_a, fields_b].concat())?;
        results.push(f.bin(Bin::Or, flag_a, flag_b)?);
        Ok(f.build(results))
    }

    fn flagging_fold(&self, fold: &Func, present: &Func, acc: &Record) -> Result<Func, TypeError> {
        let called = [(fold, self.acc.fields.len()), (present, 0)];
        let mut f = Caller::new(&acc.params("acc"), &self.inputs, &called, None);
        let all = f.accs();
        let (flag, fields) = split(&all);
        let (mut results, present) = (f.call(fold, fields)?, f.call(present, &[])?[0]);
        let one = f.builder.cast(FLAG, present)?;
        results.push(f.builder.bin(Bin::Or, flag, one)?);
        Ok(f.builder.build(results))
    }

    fn flagging_finish(&self, acc: &Record) -> Result<Func, TypeError> {
        let mut f = Caller::new(&acc.params("acc"), &[], &[(&self.finish, self.acc.fields.len())], None);
        let all = f.accs();
        let (flag, fields) = split(&all);
        let mut results = f.call(&self.finish, fields)?;
        results.push(flag);
        Ok(f.builder.build(results))
    }

    /// Sets the result of no elements. Where `finish` would report that no element is present, it selects this result.
    fn giving(self, empty: &[Value]) -> Result<Operation, TypeError> {
        let finish = if self.nothing.is_some() { self.selecting(empty)? } else { self.finish.clone() };
        Ok(Operation { finish, empty: Some(empty.to_vec()), nothing: None, ..self })
    }

    fn selecting(&self, empty: &[Value]) -> Result<Func, TypeError> {
        let mut f = FuncBuilder::new(self.finish.params().to_vec());
        let mut results = f.call(&self.finish, &f.params())?;
        let nothing = self.reported(&mut f, &mut results)?;
        // The flag of a failed assertion stays.
        for (&value, result) in empty.iter().zip(&mut results) {
            let value = f.constant(value);
            *result = f.select(nothing, value, *result)?;
        }
        Ok(f.build(results))
    }

    /// Returns the condition that a stored result reports no element. Removes the flag from the result.
    fn reported(&self, f: &mut FuncBuilder, results: &mut Vec<Id>) -> Result<Id, TypeError> {
        match self.nothing {
            None => Ok(f.constant(Value::of(false))),
            Some(Nothing::Flag) => {
                let (flag, unset) = (results.pop().unwrap_or(Id(0)), f.constant(zero(FLAG)));
                f.cmp(Cmp::Eq, flag, unset)
            }
            Some(Nothing::Scalar(nothing)) if nothing.is_nan() => f.un(Un::IsNan, results[0]),
            Some(Nothing::Scalar(nothing)) => {
                let nothing = f.constant(nothing);
                f.cmp(Cmp::Eq, results[0], nothing)
            }
        }
    }
}

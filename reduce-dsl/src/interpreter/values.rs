//! Accumulators as values: they give the result.

use super::domain::{Acc, Domain, Refused};
use super::warp::{PerLane, each};
use crate::Value;
use crate::eval::Evaluator;
use crate::func::Param;
use crate::lanes::{LaneError, Lanes};
use crate::operation::Operation;

/// Accumulators are values, kept in the order in which they were made.
pub struct Values<'a> {
    operation: &'a Operation,
    map: Evaluator,
    combine: Evaluator,
    fold: Option<Evaluator>,
    /// The fields of every accumulator.
    fields: Vec<Lanes>,
    /// The arguments of a call.
    args: Vec<Lanes>,
}

impl<'a> Values<'a> {
    /// The values of an operation.
    pub fn new(operation: &'a Operation) -> Values<'a> {
        let [map, combine] = [&operation.map, &operation.combine].map(Evaluator::new);
        let fold = operation.fold.as_ref().map(Evaluator::new);
        let mut fields: Vec<_> = operation.acc.types().into_iter().map(Lanes::empty).collect();
        if let Some(padding) = &operation.padding {
            fields.iter_mut().zip(padding).for_each(|(field, &value)| *field = Lanes::splat(value, 1));
        }
        Values { operation, map, combine, fold, fields, args: Vec::new() }
    }

    /// The result of the accumulator of n elements, with the params of the call.
    ///
    /// # Errors
    /// The operation is ill typed.
    pub fn finish(&self, acc: Acc, n: u64, params: &[Value]) -> Result<Vec<Value>, LaneError> {
        self.operation.finished(&self.get(acc), n, params)
    }

    /// The fields of an accumulator.
    pub fn get(&self, acc: Acc) -> Vec<Value> {
        self.fields.iter().map(|field| field.get(acc.get())).collect()
    }

    /// Adds scalars to the arguments of a call: their bits, in the lanes of a mask.
    fn push_scalars(&mut self, params: &[Param], bits: &[PerLane<u64>], lanes: u32) {
        for (param, bits) in params.iter().zip(bits) {
            let mut arg = Lanes::empty(param.ty);
            arg.resize(lanes.count_ones() as usize);
            let values = each(lanes).map(|lane| Value::from_bits(param.ty, bits[lane]));
            values.enumerate().for_each(|(at, value)| arg.set(at, value));
            self.args.push(arg);
        }
    }

    /// Adds the fields of accumulators to the arguments of a call, in the lanes of a mask.
    fn push_fields(&mut self, accs: &PerLane<Option<Acc>>, lanes: u32) {
        let numbers: Vec<_> = each(lanes).filter_map(|lane| accs[lane]).map(Acc::get).enumerate().collect();
        for field in &self.fields {
            let mut arg = Lanes::empty(field.ty());
            arg.resize(lanes.count_ones() as usize);
            arg.copy(field.borrow(), &numbers);
            self.args.push(arg);
        }
    }

    /// Appends what a function gives; its results are the accumulators of those lanes, in order.
    fn make(
        fields: &mut [Lanes],
        function: &mut Evaluator,
        args: &[Lanes],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let args: Vec<_> = args.iter().map(Lanes::borrow).collect();
        function.run(&args, lanes.count_ones() as usize)?;
        let next = fields.first().map_or(0, Lanes::len);
        fields.iter_mut().enumerate().for_each(|(k, field)| field.extend(function.result(k, &args)));
        each(lanes).zip(next..).for_each(|(lane, at)| out[lane] = Some(Acc::number(at)));
        Ok(())
    }
}

impl Domain for Values<'_> {
    fn empty(&mut self) -> Option<Acc> {
        self.operation.padding.is_some().then(|| Acc::number(0))
    }

    fn map(
        &mut self,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        self.args.clear();
        self.push_scalars(self.operation.map.params(), args, lanes);
        Values::make(&mut self.fields, &mut self.map, &self.args, lanes, out)
    }

    fn combine(
        &mut self,
        a: &PerLane<Option<Acc>>,
        b: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        self.args.clear();
        [a, b].into_iter().for_each(|side| self.push_fields(side, lanes));
        Values::make(&mut self.fields, &mut self.combine, &self.args, lanes, out)
    }

    fn fold(
        &mut self,
        acc: &PerLane<Option<Acc>>,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let params = self.operation.fold.as_ref().map_or(&[][..], |fold| &fold.params()[self.fields.len()..]);
        self.args.clear();
        self.push_fields(acc, lanes);
        self.push_scalars(params, args, lanes);
        // Code folds only where the operation does.
        let Some(fold) = &mut self.fold else { return Ok(()) };
        Values::make(&mut self.fields, fold, &self.args, lanes, out)
    }
}

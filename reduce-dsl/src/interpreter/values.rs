//! Accumulators as values: they give the result.

use super::domain::{Acc, Domain, Refused};
use super::warp::{PerLane, each};
use crate::Value;
use crate::eval::Evaluator;
use crate::lanes::{LaneError, Lanes};
use crate::operation::Operation;

/// Accumulators are values, kept in the order in which they were made.
pub struct Values<'a> {
    operation: &'a Operation,
    map: Evaluator,
    combine: Evaluator,
    /// The fields of every accumulator.
    fields: Vec<Lanes>,
    /// The arguments of a call.
    args: Vec<Lanes>,
}

impl<'a> Values<'a> {
    /// The values of an operation.
    pub fn new(operation: &'a Operation) -> Values<'a> {
        let [map, combine] = [&operation.map, &operation.combine].map(Evaluator::new);
        let mut fields: Vec<_> = operation.acc.types().into_iter().map(Lanes::empty).collect();
        if let Some(identity) = &operation.identity {
            fields.iter_mut().zip(identity).for_each(|(field, &value)| *field = Lanes::splat(value, 1));
        }
        Values { operation, map, combine, fields, args: Vec::new() }
    }

    /// The result of an accumulator.
    ///
    /// # Errors
    /// The operation is ill typed.
    pub fn finish(&self, acc: Acc) -> Result<Vec<Value>, LaneError> {
        Evaluator::new(&self.operation.finish).run_once(&self.get(acc))
    }

    /// The fields of an accumulator.
    pub fn get(&self, acc: Acc) -> Vec<Value> {
        self.fields.iter().map(|field| field.get(acc.get())).collect()
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
        self.operation.identity.is_some().then(|| Acc::number(0))
    }

    fn map(
        &mut self,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let params = self.operation.map.params();
        self.args.clear();
        for (param, bits) in params.iter().zip(args) {
            let mut arg = Lanes::empty(param.ty);
            arg.resize(lanes.count_ones() as usize);
            let values = each(lanes).map(|lane| Value::from_bits(param.ty, bits[lane]));
            values.enumerate().for_each(|(at, value)| arg.set(at, value));
            self.args.push(arg);
        }
        Values::make(&mut self.fields, &mut self.map, &self.args, lanes, out)
    }

    fn combine(
        &mut self,
        a: &PerLane<Option<Acc>>,
        b: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let numbers = |accs: &PerLane<Option<Acc>>| -> Vec<(usize, usize)> {
            each(lanes).filter_map(|lane| accs[lane]).map(Acc::get).enumerate().collect()
        };
        let sides = [numbers(a), numbers(b)];
        let fields = self.fields.len();
        self.args.clear();
        for at in 0..2 * fields {
            let field = &self.fields[at % fields];
            let mut arg = Lanes::empty(field.ty());
            arg.resize(lanes.count_ones() as usize);
            arg.copy(field.borrow(), &sides[at / fields]);
            self.args.push(arg);
        }
        Values::make(&mut self.fields, &mut self.combine, &self.args, lanes, out)
    }
}

//! Accumulators as values: they give the result.

use super::domain::{Acc, Domain, Refused};
use super::warp::{PerLane, each};
use reduce_ir::Value;
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::{Operation, Record};
use reduce_ir::redux::Redux;
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{LaneError, Lanes};

/// A domain of values, numbered in the order in which they were made.
pub struct Values<'a> {
    operation: &'a Operation,
    store: Store,
    /// The combination by one instruction.
    redux: Option<Redux>,
}

impl<'a> Values<'a> {
    /// Creates the domain for an operation.
    pub fn new(operation: &'a Operation) -> Values<'a> {
        let Operation { acc, map, combine, fold, fill, .. } = operation;
        Values {
            operation,
            store: Store::new(acc, [map, combine], fold.as_ref(), fill.as_deref()),
            redux: Redux::of(operation),
        }
    }

    /// Returns the result of the accumulator of n elements, with the params of the call.
    ///
    /// # Errors
    /// The operation is ill typed.
    pub fn finish(&self, acc: Acc, n: u64, params: &[Value]) -> Result<Vec<Value>, LaneError> {
        self.operation.finished(&self.get(acc), n, params)
    }

    /// Returns the fields of an accumulator.
    pub fn get(&self, acc: Acc) -> Vec<Value> {
        self.store.fields.iter().map(|field| field.get(acc.get())).collect()
    }
}

impl Domain for Values<'_> {
    fn empty(&mut self) -> Option<Acc> {
        self.operation.fill.is_some().then(|| Acc::number(0))
    }

    fn map(
        &mut self,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let Store { fields, map, .. } = &mut self.store;
        map.begin();
        map.push_scalars(args, lanes);
        map.call(fields, lanes, out)
    }

    fn combine(
        &mut self,
        a: &PerLane<Option<Acc>>,
        b: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let Store { fields, combine, .. } = &mut self.store;
        combine.begin();
        [a, b].into_iter().for_each(|side| combine.push_fields(fields, side, lanes));
        combine.call(fields, lanes, out)
    }

    fn fold(
        &mut self,
        acc: &PerLane<Option<Acc>>,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        // Code contains `fold` only if the operation has one.
        let Store { fields, fold: Some(fold), .. } = &mut self.store else { return Ok(()) };
        fold.begin();
        fold.push_fields(fields, acc, lanes);
        fold.push_scalars(args, lanes);
        fold.call(fields, lanes, out)
    }

    /// Combines as the hardware does, not by the functions of the operation.
    fn redux(
        &mut self,
        accs: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut Option<Acc>,
    ) -> Result<(), Refused> {
        let redux = self.redux.take().ok_or(Refused::NoRedux)?;
        let fields = &mut self.store.fields;
        let of = |acc: Acc| fields.iter().map(|field| field.get(acc.get())).collect();
        let accs: Vec<Vec<_>> = each(lanes).filter_map(|lane| accs[lane]).map(of).collect();
        *out = redux.reduce(&accs).map(|all| {
            let next = fields.first().map_or(0, Lanes::len);
            fields
                .iter_mut()
                .zip(all)
                .for_each(|(field, value)| field.extend(Lanes::splat(value, 1).borrow()));
            Acc::number(next)
        });
        self.redux = Some(redux);
        Ok(())
    }
}

/// The accumulators, and the functions that make them.
struct Store {
    /// Each field of all accumulators.
    fields: Vec<Lanes>,
    map: Function,
    combine: Function,
    fold: Option<Function>,
}

impl Store {
    fn new(acc: &Record, [map, combine]: [&Func; 2], fold: Option<&Func>, fill: Option<&[Value]>) -> Store {
        let mut fields: Vec<_> = acc.types().into_iter().map(Lanes::empty).collect();
        let filled = fields.iter_mut().zip(fill.unwrap_or_default());
        filled.for_each(|(field, &value)| *field = Lanes::splat(value, 1));
        let [map, combine] = [map, combine].map(Function::new);
        Store { fields, map, combine, fold: fold.map(Function::new) }
    }
}

/// A function, with the arguments and results of a call.
struct Function {
    evaluator: Evaluator,
    params: Vec<Param>,
    args: Vec<Lanes>,
    results: Vec<Lanes>,
}

impl Function {
    fn new(func: &Func) -> Function {
        let results = func.result_types().into_iter().map(Lanes::empty).collect();
        Function {
            evaluator: Evaluator::new(func),
            params: func.params().to_vec(),
            args: Vec::new(),
            results,
        }
    }

    fn begin(&mut self) {
        self.args.clear();
    }

    /// Adds scalars to the arguments: their bits, in the lanes of a mask.
    fn push_scalars(&mut self, bits: &[PerLane<u64>], lanes: u32) {
        for bits in bits {
            let Some(param) = self.params.get(self.args.len()) else { return };
            let mut arg = Lanes::empty(param.ty);
            arg.resize(lanes.count_ones() as usize);
            let values = each(lanes).map(|lane| Value::from_bits(param.ty, bits[lane]));
            values.enumerate().for_each(|(at, value)| arg.set(at, value));
            self.args.push(arg);
        }
    }

    /// Adds the fields of accumulators to the arguments, in the lanes of a mask.
    fn push_fields(&mut self, fields: &[Lanes], accs: &PerLane<Option<Acc>>, lanes: u32) {
        let numbers: Vec<_> = each(lanes).filter_map(|lane| accs[lane]).map(Acc::get).enumerate().collect();
        for field in fields {
            let mut arg = Lanes::empty(field.ty());
            arg.resize(lanes.count_ones() as usize);
            arg.copy(field.borrow(), &numbers);
            self.args.push(arg);
        }
    }

    /// Calls the function, and appends its results as the accumulators of those lanes, in order.
    fn call(
        &mut self,
        fields: &mut [Lanes],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        let args = &self.args;
        self.evaluator.run_into(|k| args[k].borrow(), lanes.count_ones() as usize, &mut self.results)?;
        let next = fields.first().map_or(0, Lanes::len);
        fields.iter_mut().zip(&self.results).for_each(|(field, result)| field.extend(result.borrow()));
        each(lanes).zip(next..).for_each(|(lane, at)| out[lane] = Some(Acc::number(at)));
        Ok(())
    }
}

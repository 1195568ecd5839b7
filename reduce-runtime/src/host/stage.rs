//! What is computed of elements, or of the partials of the pass before: functions that are ready to run.

use super::Isa;
use super::pool::Pool;
use super::trial::Trial;
use super::worker::Worker;
use reduce_ir::func::{Func, FuncBuilder, Id, Param};
use reduce_ir::operation::{Argument, Operation, Record, Search};
use reduce_ir::ops::TypeError;
use reduce_ir::{Scalar, Value};

/// How an element becomes, or joins, an accumulator, and how two of those meet.
#[derive(Debug)]
pub(super) struct Stage {
    /// The fields of the accumulator.
    pub(super) types: Vec<Scalar>,
    /// Does `fold` say more than `op` of the accumulator and the mapped element?
    pub(super) folds: bool,
    /// Lanes of a piece, where every association gives the same bits, as the functions show.
    pub(super) free_lanes: Option<u64>,
    /// Are the accumulators sums of floats, the terms of which are computed as they are added up?
    pub(super) sums: bool,
    /// Which way of reading elements is the fastest, of many and of so many that no cache holds them.
    pub(super) trials: [Trial; 2],
    pub(super) workers: Pool<Worker>,
}

impl Stage {
    /// Of elements.
    pub(super) fn elements(isa: Isa, operation: &Operation) -> Result<Stage, TypeError> {
        let mut arguments = element(operation);
        arguments.extend(operation.is_indexed().then_some(Argument::Index));
        let map = given(operation, (&operation.map, &operation.map_arguments()), &arguments)?;
        let Some((fold, theirs)) = operation.fold.as_ref().zip(operation.fold_arguments()) else {
            return Stage::combined(isa, &arguments, (&operation.acc, &operation.combine), &map);
        };
        arguments.extend(theirs.contains(&Argument::Step).then_some(Argument::Step));
        let accs = (0..operation.acc.fields.len()).map(Argument::Acc);
        let fold = given(operation, (fold, &theirs), &accs.chain(arguments.clone()).collect::<Vec<_>>())?;
        let functions = [&map, &fold, &operation.combine];
        Ok(Stage { folds: true, free_lanes: None, sums: false, ..Stage::of(isa, &arguments, functions) })
    }

    /// Of the same elements, the accumulator of which is what is searched.
    pub(super) fn searched(isa: Isa, operation: &Operation, search: &Search) -> Result<Stage, TypeError> {
        let element = element(operation);
        let value = |arguments: &[Argument]| {
            let map = given(operation, (&operation.map, &operation.map_arguments()), arguments)?;
            Ok(map.giving(&[map.results()[search.field]]))
        };
        let indexed = [&element[..], &[Argument::Index]].concat();
        // The map of a position gives it beside the value, which seldom depends on it.
        let map = value(&indexed)?;
        let uses_index = map.uses(Id(element.len() as u32));
        let (arguments, map) = if uses_index { (indexed, map) } else { (element.clone(), value(&element)?) };
        let found = Record::scalar(map.result_types()[0]);
        Stage::combined(isa, &arguments, (&found, &search.best), &map)
    }

    /// Of accumulators, which are their own map.
    pub(super) fn partials(isa: Isa, (acc, combine): (&Record, &Func)) -> Result<Stage, TypeError> {
        let arguments: Vec<_> = (0..acc.fields.len()).map(Argument::Input).collect();
        let itself = FuncBuilder::new(acc.params("acc"));
        let results = itself.params();
        Stage::combined(isa, &arguments, (acc, combine), &itself.build(results))
    }

    /// Of what is mapped, and then combined.
    fn combined(
        isa: Isa,
        arguments: &[Argument],
        (acc, combine): (&Record, &Func),
        map: &Func,
    ) -> Result<Stage, TypeError> {
        Ok(Stage::of(isa, arguments, [map, &combined(acc, combine, map)?, combine]))
    }

    /// Of these functions: element → accumulator; accumulator and element → accumulator; two accumulators → one.
    fn of(isa: Isa, arguments: &[Argument], functions: [&Func; 3]) -> Stage {
        let worker = Worker::new(isa, arguments, functions);
        let (free_lanes, sums) = (worker.free_lanes(), worker.is_sum());
        Stage {
            types: functions[0].result_types(),
            folds: false,
            free_lanes,
            sums,
            trials: [(); 2].map(|()| Trial::of(isa.ways)),
            workers: Pool::of(worker),
        }
    }
}

/// What every function of an element is given: the element, and the params.
fn element(operation: &Operation) -> Vec<Argument> {
    let inputs = (0..operation.inputs.len()).map(Argument::Input);
    inputs.chain((0..operation.params.len()).map(Argument::Param)).collect()
}

/// A function of the operation on the `arguments` that there are. A position that is not among them is 0.
fn given(
    operation: &Operation,
    (func, theirs): (&Func, &[Argument]),
    arguments: &[Argument],
) -> Result<Func, TypeError> {
    let param = |&argument: &Argument| Param::new("", operation.argument_type(argument));
    let mut f = FuncBuilder::new(arguments.iter().map(param).collect());
    let params = f.params();
    let mut id = |argument: &Argument| match arguments.iter().position(|it| it == argument) {
        Some(place) => params[place],
        None => f.constant(Value::from_bits(operation.argument_type(*argument), 0)),
    };
    let ids: Vec<_> = theirs.iter().map(&mut id).collect();
    let results = f.call(func, &ids)?;
    Ok(f.build(results))
}

/// `op(acc, map(element))`.
fn combined(acc: &Record, combine: &Func, map: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new([acc.params("acc"), map.params().to_vec()].concat());
    let params = f.params();
    let (acc, element) = params.split_at(acc.fields.len());
    let mapped = f.call(map, element)?;
    let results = f.call(combine, &[acc, &mapped].concat())?;
    Ok(f.build(results))
}

//! The functions of one pass over elements or partials, composed and compiled for one instruction set.

use super::source::is_uniform;
use reduce_ir::func::{Func, FuncBuilder, Id, Param};
use reduce_ir::operation::{Argument, Operation, Record, Search};
use reduce_ir::ops::TypeError;
use reduce_ir::{Scalar, Value};
use reduce_lanes::Loops;
use reduce_lanes::eval::{Accumulator, Evaluator};

/// Register bytes per strip, which stay in the L2 cache.
const STRIP: usize = 96 << 10;

/// `map`, `fold` and `combine`, with the registers that they are evaluated in. Every thread has a copy.
#[derive(Clone, Debug)]
pub(super) struct CompiledFunctions {
    pub(super) loops: Loops,
    /// The arguments of `fold` besides the accumulator, with their types; `map` takes a prefix of them.
    pub(super) arguments: Vec<(Argument, Scalar)>,
    /// Arguments that `map` takes.
    pub(super) mapped: usize,
    /// The fields of the accumulator.
    pub(super) fields: Vec<Scalar>,
    /// Element → accumulator.
    pub(super) map: Evaluator,
    /// Accumulator and element → accumulator.
    pub(super) fold: Accumulator,
    /// Two accumulators → one.
    pub(super) combine: Accumulator,
    pub(super) traits: Traits,
}

/// The traits of the functions that decide which loops run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// `fold` differs from `combine(acc, map(element))`.
    pub(super) has_fold: bool,
    /// Elements are summed by the loop for float sums.
    pub(super) is_sum: bool,
    /// Segments of elements are summed where they lie.
    pub(super) sums_segments: bool,
    /// Every association gives the same bits.
    pub(super) is_exact: bool,
    /// Elements are accumulated as they are, or squared; there is nothing else to evaluate.
    pub(super) is_direct: bool,
    /// Elements are accumulated as they are, or converted to a wider type, and so they begin.
    pub(super) is_plain: bool,
    /// Every argument is an input: none is a position or a param, which are not in memory.
    pub(super) takes_inputs: bool,
    /// One call folds any number of rows.
    pub(super) takes_rows: bool,
    /// The accumulator is wider than the elements.
    pub(super) widens: bool,
    /// Operations for each element, at least 1.
    pub(super) work: usize,
    /// Lanes of elements that are evaluated at once.
    pub(super) strip: usize,
    /// Lanes of items that are combined at once.
    pub(super) strip_of_items: usize,
}

impl CompiledFunctions {
    /// The functions of a pass over elements.
    pub(super) fn elements(loops: Loops, operation: &Operation) -> Result<CompiledFunctions, TypeError> {
        let mut arguments = element(operation);
        arguments.extend(operation.is_indexed().then_some(Argument::Index));
        let map = given(operation, (&operation.map, &operation.map_arguments()), &arguments)?;
        let Some((fold, theirs)) = operation.fold.as_ref().zip(operation.fold_arguments()) else {
            return CompiledFunctions::without_fold(
                loops,
                &arguments,
                (&operation.acc, &operation.combine),
                &map,
            );
        };
        arguments.extend(theirs.contains(&Argument::Step).then_some(Argument::Step));
        let accs = (0..operation.acc.fields.len()).map(Argument::Acc);
        let fold = given(operation, (fold, &theirs), &accs.chain(arguments.clone()).collect::<Vec<_>>())?;
        Ok(CompiledFunctions::new(loops, &arguments, [&map, &fold, &operation.combine], true))
    }

    /// The function from an element to the number of its group, on the same arguments, if the operation has keys.
    pub(super) fn key(&self, operation: &Operation) -> Result<Option<Evaluator>, TypeError> {
        let Some(key) = &operation.key else { return Ok(None) };
        let arguments: Vec<_> = self.arguments.iter().map(|(argument, _)| *argument).collect();
        let key = given(operation, (key, &operation.key_arguments()), &arguments)?;
        let uniform: Vec<_> = arguments.iter().map(is_uniform).collect();
        Ok(Some(Evaluator::with(&key, &uniform, self.loops)))
    }

    /// The functions of a pass over elements that computes the searched field alone.
    pub(super) fn searched(
        loops: Loops,
        operation: &Operation,
        search: &Search,
    ) -> Result<CompiledFunctions, TypeError> {
        let element = element(operation);
        let value = |arguments: &[Argument]| {
            let map = given(operation, (&operation.map, &operation.map_arguments()), arguments)?;
            Ok(map.giving(&[map.results()[search.field]]))
        };
        let indexed = [&element[..], &[Argument::Index]].concat();
        // Most maps return the position in a field of its own, so the searched field rarely needs it.
        let map = value(&indexed)?;
        let uses_index = map.uses(Id(element.len() as u32));
        let (arguments, map) = if uses_index { (indexed, map) } else { (element.clone(), value(&element)?) };
        let found = Record::scalar(map.result_types()[0]);
        CompiledFunctions::without_fold(loops, &arguments, (&found, &search.best), &map)
    }

    /// The functions of a pass over partials, which `map` leaves as they are.
    pub(super) fn partials(
        loops: Loops,
        (acc, combine): (&Record, &Func),
    ) -> Result<CompiledFunctions, TypeError> {
        let arguments: Vec<_> = (0..acc.fields.len()).map(Argument::Input).collect();
        let identity = FuncBuilder::new(acc.params("acc"));
        let results = identity.params();
        CompiledFunctions::without_fold(loops, &arguments, (acc, combine), &identity.build(results))
    }

    /// Folds by `combine(acc, map(element))`.
    fn without_fold(
        loops: Loops,
        arguments: &[Argument],
        (acc, combine): (&Record, &Func),
        map: &Func,
    ) -> Result<CompiledFunctions, TypeError> {
        Ok(CompiledFunctions::new(loops, arguments, [map, &composed(acc, combine, map)?, combine], false))
    }

    fn new(
        loops: Loops,
        arguments: &[Argument],
        [map, fold, combine]: [&Func; 3],
        has_fold: bool,
    ) -> CompiledFunctions {
        let uniform: Vec<_> = arguments.iter().map(is_uniform).collect();
        let fields = map.result_types();
        let accs = vec![false; fields.len()];
        let types = fold.params()[fields.len()..].iter().map(|param| param.ty);
        let arguments: Vec<_> = arguments.iter().copied().zip(types).collect();
        let mapped = map.params().len();
        let map = Evaluator::with(map, &uniform[..mapped], loops);
        let fold = Accumulator::new(fold, &[&accs[..], &uniform].concat(), loops);
        let combine = Accumulator::new(combine, &[&accs[..], &accs].concat(), loops);
        let elements = arguments[..mapped].iter().map(|(_, ty)| ty.size()).sum::<usize>();
        let takes_inputs = arguments.iter().all(|(it, _)| matches!(it, Argument::Input(_)));
        let traits = Traits {
            has_fold,
            is_sum: !has_fold && fold.is_sum(),
            sums_segments: !has_fold && fold.sums_segments() && takes_inputs,
            is_exact: !has_fold && combine.is_exact(),
            is_direct: fold.is_direct(),
            is_plain: !has_fold && fold.is_plain(),
            takes_inputs,
            takes_rows: fold.takes_rows() && arguments.iter().all(|(it, _)| *it != Argument::Step),
            widens: widens(&arguments, &fields),
            work: 1 + fold.operations(),
            strip: strip(elements + map.lane_bytes().max(fold.lane_bytes())),
            strip_of_items: strip(combine.lane_bytes()),
        };
        CompiledFunctions { loops, arguments, mapped, fields, map, fold, combine, traits }
    }
}

/// Is an accumulator wider than an input?
fn widens(arguments: &[(Argument, Scalar)], fields: &[Scalar]) -> bool {
    let inputs = arguments.iter().filter(|(argument, _)| matches!(argument, Argument::Input(_)));
    let narrowest = inputs.map(|(_, ty)| ty.size()).min();
    narrowest < fields.iter().map(|ty| ty.size()).max()
}

/// Lanes of `bytes` bytes each that fill a strip; at least 512, so that calls are amortised.
fn strip(bytes: usize) -> usize {
    1 << (STRIP / bytes.max(1)).clamp(512, 2048).ilog2()
}

/// The arguments that every function of an element takes: the inputs, the params and, if one uses it, the number of the group.
fn element(operation: &Operation) -> Vec<Argument> {
    let inputs = (0..operation.inputs.len()).map(Argument::Input);
    let group = operation.uses(Argument::Group).then_some(Argument::Group);
    inputs.chain((0..operation.params.len()).map(Argument::Param)).chain(group).collect()
}

/// A function of the operation on the given `arguments`. A position that is not among them is 0.
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

/// `combine(acc, map(element))`.
fn composed(acc: &Record, combine: &Func, map: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new([acc.params("acc"), map.params().to_vec()].concat());
    let params = f.params();
    let (acc, element) = params.split_at(acc.fields.len());
    let mapped = f.call(map, element)?;
    let results = f.call(combine, &[acc, &mapped].concat())?;
    Ok(f.build(results))
}

//! What a pass reads: the elements of inputs, or the partials of the pass before, and the functions that take them.

use crate::Strided;
use reduce_dsl::Value;
use reduce_dsl::eval::Joiner;
use reduce_dsl::func::{Func, FuncBuilder, Id, Param};
use reduce_dsl::lanes::{self, Lanes, LanesRef, Loops};
use reduce_dsl::operation::{Argument, Operation, Record, Search};
use reduce_dsl::ops::TypeError;
use std::ops::Range;

/// What a pass reads, and how an element becomes, or joins, an accumulator.
pub(super) struct Source<'a> {
    inputs: Vec<Strided<LanesRef<'a>>>,
    indexed: bool,
    len: usize,
    /// Element (and position) → accumulator.
    pub(super) map: Func,
    /// Accumulator, element (and position, and step) → accumulator.
    pub(super) fold: Func,
    /// Does `fold` say more than `op` of the accumulator and the mapped element?
    pub(super) folds: bool,
    /// Does it take the step?
    stepped: bool,
    /// Does every association give the same bits, as the functions show?
    pub(super) exact: bool,
}

impl<'a> Source<'a> {
    /// The elements of the inputs.
    pub(super) fn elements(
        operation: &Operation,
        inputs: Vec<Strided<LanesRef<'a>>>,
        params: &[Value],
    ) -> Result<Source<'a>, TypeError> {
        let len = inputs.first().map_or(0, |input| input.len);
        let indexed = operation.is_indexed();
        let mut kept: Vec<_> = (0..inputs.len()).map(Argument::Input).collect();
        kept.extend(indexed.then_some(Argument::Index));
        let map = bound(operation, (&operation.map, &operation.map_arguments()), &kept, params)?;
        let Some((fold, arguments)) = operation.fold.as_ref().zip(operation.fold_arguments()) else {
            return Source::combined((&operation.acc, &operation.combine), inputs, indexed, map);
        };
        let stepped = arguments.contains(&Argument::Step);
        let accs = (0..operation.acc.fields.len()).map(Argument::Acc);
        let kept: Vec<_> = accs.chain(kept).chain(stepped.then_some(Argument::Step)).collect();
        let fold = bound(operation, (fold, &arguments), &kept, params)?;
        Ok(Source { inputs, indexed, len, map, fold, folds: true, stepped, exact: false })
    }

    /// The same elements, of which the accumulator is what is searched.
    pub(super) fn searched(
        operation: &Operation,
        search: &Search,
        inputs: Vec<Strided<LanesRef<'a>>>,
        params: &[Value],
    ) -> Result<Source<'a>, TypeError> {
        let arguments = operation.map_arguments();
        let value = |kept: &[Argument]| {
            let map = bound(operation, (&operation.map, &arguments), kept, params)?;
            Ok(map.giving(&[map.results()[search.field]]))
        };
        let kept: Vec<_> = (0..inputs.len()).map(Argument::Input).chain([Argument::Index]).collect();
        let (index, elements) = (Id(inputs.len() as u32), &kept[..inputs.len()]);
        // The map of a position gives it beside the value, which seldom depends on it.
        let map = value(&kept)?;
        let indexed = map.uses(index);
        let map = if indexed { map } else { value(elements)? };
        let value = Record::scalar(map.result_types()[0]);
        Source::combined((&value, &search.best), inputs, indexed, map)
    }

    /// Accumulators, which are their own map.
    pub(super) fn partials(
        acc: &Record,
        combine: &Func,
        items: &'a [Lanes],
    ) -> Result<Source<'a>, TypeError> {
        let itself = FuncBuilder::new(acc.params("acc"));
        let results = itself.params();
        let map = itself.build(results);
        let inputs = items.iter().map(|field| field.borrow().into()).collect();
        Source::combined((acc, combine), inputs, false, map)
    }

    /// Elements that are mapped, and then combined.
    fn combined(
        (acc, combine): (&Record, &Func),
        inputs: Vec<Strided<LanesRef<'a>>>,
        indexed: bool,
        map: Func,
    ) -> Result<Source<'a>, TypeError> {
        let len = inputs.first().map_or(0, |input| input.len);
        let fold = combined(acc, combine, &map)?;
        let joiner = |func| Joiner::new(func, Loops::default());
        let exact = joiner(&fold).is_direct() && joiner(combine).is_exact();
        Ok(Source { inputs, indexed, len, map, fold, folds: false, stepped: false, exact })
    }

    /// How many elements.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// All elements, in ranges of that length and a last one.
    pub(super) fn cut(&self, len: usize) -> Vec<Range<usize>> {
        (0..self.len).step_by(len).map(|start| start..start.saturating_add(len).min(self.len)).collect()
    }

    /// Memory for one row.
    pub(super) fn row_memory(&self) -> Row {
        let gathered = self.inputs.iter().map(|input| Lanes::empty(input.data.ty())).collect();
        Row { range: 0..0, gathered, positions: Vec::new(), steps: Vec::new() }
    }

    /// Makes `row` the elements at those positions, which join lanes that have folded `step` elements.
    pub(super) fn load(&self, range: Range<usize>, step: usize, row: &mut Row) {
        for (input, gathered) in self.inputs.iter().zip(&mut row.gathered).filter(|(input, _)| input.step > 1)
        {
            lanes::gather(input.data.slice(input.places(range.clone())), 0, 1, input.step, gathered);
        }
        if self.indexed {
            row.positions.clear();
            row.positions.extend(range.start as u64..range.end as u64);
        }
        if self.stepped {
            row.steps.clear();
            row.steps.resize(range.len(), step as u64);
        }
        row.range = range;
    }

    /// The elements of the `k`-th input in a row; behind the inputs their positions and then the steps, if the
    /// functions take them.
    pub(super) fn arg<'s>(&'s self, k: usize, row: &'s Row) -> LanesRef<'s> {
        match self.inputs.get(k) {
            Some(input) if input.step == 1 => input.data.slice(input.places(row.range.clone())),
            Some(_) => row.gathered[k].borrow(),
            None if self.indexed && k == self.inputs.len() => LanesRef::U64(&row.positions),
            None => LanesRef::U64(&row.steps),
        }
    }
}

/// Some elements side by side, and what of them is not in memory as it is needed.
pub(super) struct Row {
    range: Range<usize>,
    /// For each input, its elements, where they lie apart.
    gathered: Vec<Lanes>,
    /// The positions, where the functions take them.
    positions: Vec<u64>,
    /// As many times the number of elements that lanes have folded, where the fold takes it.
    steps: Vec<u64>,
}

/// A function of the operation on what is `kept` of its arguments. Its params are known, and a position that is not
/// kept is 0.
fn bound(
    operation: &Operation,
    (func, arguments): (&Func, &[Argument]),
    kept: &[Argument],
    params: &[Value],
) -> Result<Func, TypeError> {
    let mut f =
        FuncBuilder::new(kept.iter().map(|&it| Param::new("", operation.argument_type(it))).collect());
    let mut given = Vec::new();
    for &argument in arguments {
        // What is missing shows in the call.
        given.extend(match argument {
            Argument::Param(param) => params.get(param).map(|&value| f.constant(value)),
            Argument::Index if !kept.contains(&argument) => Some(f.constant(Value::of(0u64))),
            Argument::Acc(_) | Argument::Input(_) | Argument::Index | Argument::Step | Argument::Count => {
                kept.iter().position(|&it| it == argument).map(|at| f.params()[at])
            }
        });
    }
    let results = f.call(func, &given)?;
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

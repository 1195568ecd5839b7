//! Searches: operations like `argmax`, where only the best elements count. The others are compared and not folded.
//!
//! A first pass computes the best value of every piece. Only the pieces that hold the best value of all are reduced. As the
//! operation is [exact](Operation::exact), this gives the bits of every association.

use super::error::HostError;
use super::functions::CompiledFunctions;
use super::isa::Isa;
use super::pass::Pass;
use super::schedule;
use super::source::Source;
use reduce_ir::Value;
use reduce_ir::operation::{Operation, Record, Search};
use reduce_ir::ops::TypeError;
use reduce_lanes::LanesRef;
use std::collections::BTreeSet;
use std::ops::Range;

/// The passes that find the best value of one field.
#[derive(Debug)]
pub(super) struct Searched {
    elements: Pass,
    values: Pass,
}

/// The searches of an exact operation; other operations have none.
pub(super) fn of(isa: Isa, operation: &Operation) -> Result<Vec<Searched>, TypeError> {
    let searched = |search: &Search| {
        let elements = CompiledFunctions::searched(isa.loops, operation, search)?;
        let value = Record::scalar(elements.fields[0]);
        let values = CompiledFunctions::partials(isa.loops, (&value, &search.best))?;
        Ok(Searched { elements: Pass::new(isa, elements), values: Pass::new(isa, values) })
    };
    let searches = operation.searches.iter().filter(|_| operation.exact);
    searches.map(searched).collect()
}

/// The pieces that the result depends on, in order.
pub(super) fn ranges(searches: &[Searched], source: &Source<'_>) -> Result<Vec<Range<usize>>, HostError> {
    let levels = schedule::wide(source.len());
    let pieces = source.cut(schedule::piece(source.len()));
    let mut found = BTreeSet::new();
    for Searched { elements, values } in searches {
        let all = elements.run(source, &levels)?;
        let best = values.until_one(&levels, all.clone())?;
        found.extend(winners(all[0].borrow(), best[0].get(0)));
    }
    Ok(found.into_iter().map(|piece| pieces[piece].clone()).collect())
}

/// The first and the last piece that holds the best value.
fn winners(values: LanesRef<'_>, best: Value) -> impl Iterator<Item = usize> {
    let wins = |&piece: &usize| is_as_good(values.get(piece), best);
    let first = (0..values.len()).find(wins);
    let last = (0..values.len()).rfind(wins);
    first.into_iter().chain(last)
}

/// Whether the values are equal, or both NaN.
fn is_as_good(a: Value, b: Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan(),
        _ => a == b,
    }
}

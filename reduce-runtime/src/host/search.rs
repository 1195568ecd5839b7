//! Operations that search: only the best elements count, so that all others are compared, and not folded.
//!
//! Of every piece of the elements the best value is computed. The pieces that hold the best of all are the only ones that
//! are reduced. As the operation is [exact](Operation::exact), that gives the bits of every association.

use super::source::Source;
use super::stage::Stage;
use super::{HostError, Isa, pass};
use reduce_ir::Value;
use reduce_ir::operation::{Operation, Record};
use reduce_ir::ops::TypeError;
use reduce_lanes::LanesRef;
use std::collections::BTreeSet;
use std::ops::Range;

/// A field by which elements win.
#[derive(Debug)]
pub(super) struct Searched {
    elements: Stage,
    values: Stage,
}

/// The fields that decide, if that can be told from them; else none.
pub(super) fn of(isa: Isa, operation: &Operation) -> Result<Vec<Searched>, TypeError> {
    let searched = |search| {
        let elements = Stage::searched(isa, operation, search)?;
        let value = Record::scalar(elements.types[0]);
        Ok(Searched { elements, values: Stage::partials(isa, (&value, &search.best))? })
    };
    let searches = operation.searches.iter().filter(|_| operation.exact);
    searches.map(searched).collect()
}

/// Where the elements lie that the result depends on, in order, given what decides.
pub(super) fn ranges(searches: &[Searched], source: &Source<'_>) -> Result<Vec<Range<usize>>, HostError> {
    let levels = pass::wide(source.len());
    let pieces = source.cut(pass::piece(source.len()));
    let mut found = BTreeSet::new();
    for Searched { elements, values } in searches {
        let all = pass::run(elements, source, &levels)?;
        let best = pass::until_one(values, &levels, all.clone())?;
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

/// Are they equal, or both NaN?
fn is_as_good(a: Value, b: Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan(),
        _ => a == b,
    }
}

//! Operations that search: only the best elements count, so that all others are compared, and not folded.
//!
//! Of every piece of the elements the best value is computed. The pieces that hold the best of all are the only ones that
//! are reduced. As the operation is [exact](Operation::exact), that gives the bits of every association.

use super::source::Source;
use super::{HostError, Isa, pass, types};
use crate::Strided;
use reduce_dsl::Value;
use reduce_dsl::lanes::LanesRef;
use reduce_dsl::operation::{Operation, Record};
use std::collections::BTreeSet;
use std::ops::Range;

/// Where the elements lie that the result depends on, in order; `None` where it may depend on all.
pub(super) fn ranges(
    isa: Isa,
    operation: &Operation,
    inputs: &[Strided<LanesRef<'_>>],
    params: &[Value],
) -> Result<Option<Vec<Range<usize>>>, HostError> {
    if operation.searches.is_empty() || !operation.exact {
        return Ok(None);
    }
    let mut found = BTreeSet::new();
    let mut pieces = Vec::new();
    for search in &operation.searches {
        let source =
            Source::searched(operation, search, inputs.to_vec(), params).map_err(types(operation))?;
        let levels = pass::wide(source.len());
        pieces = source.cut(pass::piece(source.len()));
        let values = pass::run(isa, &source, &search.best, &levels)?;
        let value = Record::scalar(values[0].ty());
        let best = pass::until_one(isa, (&value, &search.best), &levels, values.clone(), types(operation))?;
        found.extend(winners(values[0].borrow(), best[0].get(0)));
    }
    Ok(Some(found.into_iter().map(|piece| pieces[piece].clone()).collect()))
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

//! Checks of spans, and of parts that are merged.

use super::{Partials, PartialsError, Span};
use reduce_codegen::ASSOCIATION;
use reduce_ir::operation::Operation;
use std::ops::Range;

/// The most groups of no elements that bytes may claim: no accumulators prove that there are so many.
const MOST_OF_NOTHING: u64 = 1 << 24;

impl Span {
    /// Returns the elements of a part of that length, if it lies in the whole and is cut at multiples of `chunk`. With several reduced
    /// axes, `inner` is the number of elements from one position along the first of them to the next.
    pub(super) fn range(self, len: u64, chunk: u64, inner: u64) -> Result<Range<u64>, PartialsError> {
        let Span { first, total } = self;
        let end = first.checked_add(len).filter(|&end| end <= total);
        let end = end.ok_or(PartialsError::Outside { first, len, total })?;
        // Without elements there is one place to cut.
        let inner = inner.max(1);
        if !total.is_multiple_of(inner) {
            return Err(PartialsError::Turns { total, inner });
        }
        let step = (chunk / gcd(chunk, inner)).saturating_mul(inner);
        for at in [first, end] {
            if at != total && !at.is_multiple_of(step) {
                let before = at / step * step;
                let after = before.saturating_add(step).min(total);
                return Err(PartialsError::Cut { at, before, after, step });
            }
        }
        Ok(first..end)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Partials {
    /// Checks that this part and the first one are parts of one whole.
    pub(super) fn check_like(&self, first: &Partials) -> Result<(), PartialsError> {
        if self.association != first.association {
            let [found, expected] = [self, first].map(|part| part.association.clone());
            return Err(PartialsError::Association { found, expected });
        }
        self.check_spec(&first.spec)?;
        if self.total != first.total {
            return Err(PartialsError::Total { found: self.total, expected: first.total });
        }
        if self.params != first.params || self.shape != first.shape {
            return Err(PartialsError::Call { first: self.range.start });
        }
        Ok(())
    }

    /// Checks that this version of the library can merge the part, as one of this specification.
    pub(super) fn check_of(&self, spec: &str) -> Result<(), PartialsError> {
        if self.association != ASSOCIATION {
            let (found, expected) = (self.association.clone(), ASSOCIATION.to_owned());
            return Err(PartialsError::Association { found, expected });
        }
        self.check_spec(spec)
    }

    fn check_spec(&self, expected: &str) -> Result<(), PartialsError> {
        if self.spec == expected {
            return Ok(());
        }
        Err(PartialsError::Specification { found: self.spec.clone(), expected: expected.to_owned() })
    }

    /// Checks that accumulators, params and chunks are those of the operation. Bytes that no library wrote may hold others.
    pub(super) fn check_fits(&self, operation: &Operation, chunk: u64) -> Result<(), PartialsError> {
        let malformed = |what| Err(PartialsError::Malformed { what });
        if !self.fields.iter().map(|field| field.ty()).eq(operation.acc.types()) {
            return malformed("the accumulators have other types than those of the specification");
        }
        if !self.params.iter().map(|value| value.ty()).eq(operation.params.iter().map(|param| param.ty)) {
            return malformed("the params have other types than those of the specification");
        }
        if self.chunk != chunk {
            return malformed("the chunks have another length than those of the specification");
        }
        Ok(())
    }

    /// Checks what holds for every part by itself.
    pub(super) fn check(self) -> Result<Partials, PartialsError> {
        let Partials { range, total, chunk, shape, fields, .. } = &self;
        let malformed = |what| Err(PartialsError::Malformed { what });
        let is_cut = |at: u64| at == *total || at.is_multiple_of(*chunk);
        if range.start > range.end || range.end > *total {
            return malformed("the part does not lie in the whole");
        }
        if *chunk == 0 || !is_cut(range.start) || !is_cut(range.end) {
            return malformed("the part is not cut at chunks");
        }
        let groups = shape.iter().try_fold(1u64, |groups, &length| groups.checked_mul(length));
        if *total == 0 && groups.is_none_or(|groups| groups > MOST_OF_NOTHING) {
            return malformed("there are too many groups of no elements");
        }
        let chunks = (range.end - range.start).div_ceil(*chunk);
        let items = groups.and_then(|groups| groups.checked_mul(chunks));
        if !fields.iter().all(|field| Some(field.len() as u64) == items) {
            return malformed("the number of accumulators is not that of the chunks");
        }
        Ok(self)
    }
}

/// Returns the parts that have elements, in order, if they are all elements of the whole.
pub(super) fn ordered(parts: &[Partials]) -> Result<Vec<&Partials>, PartialsError> {
    let mut ordered: Vec<_> = parts.iter().filter(|part| !part.range.is_empty()).collect();
    ordered.sort_by_key(|part| part.range.start);
    let mut at = 0;
    for Partials { range, .. } in ordered.iter().copied() {
        if range.start > at {
            return Err(PartialsError::Gap { from: at, to: range.start });
        }
        if range.start < at {
            return Err(PartialsError::Overlap { from: range.start, to: range.end.min(at) });
        }
        at = range.end;
    }
    match parts.first() {
        Some(first) if at < first.total => Err(PartialsError::Gap { from: at, to: first.total }),
        _ => Ok(ordered),
    }
}

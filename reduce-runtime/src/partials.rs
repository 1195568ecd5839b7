//! Partials: the reduction of a part of the data, which merges with those of the other parts to the bits of the whole.
//!
//! The work is cut at the chunks of the association, so each chunk is reduced by exactly one part. Merging puts the partials of all
//! chunks in order and combines them as the last launches of the whole do.

mod bytes;
mod check;
mod checksum;
mod cutting;
mod error;
mod on_gpu;
mod several;

pub(crate) use cutting::Cutting;
pub use error::PartialsError;
pub(crate) use on_gpu::OfParts;

use crate::groups::ensure_nonempty;
use crate::groups::{check_memory, check_room};
use crate::{Device, Error, Groups, Outcome, Reducer, Strided, View, host, inputs};
use reduce_codegen::ASSOCIATION;
use reduce_ir::axes::Nest;
use reduce_ir::{Extent, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use std::fmt::Display;
use std::ops::Range;
use std::time::Instant;

/// Where a part of the data lies in the whole. It counts elements of one group along the reduced axis, in index order. Its length is
/// that of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The position of the first element of the part.
    pub first: u64,
    /// The number of elements of the whole.
    pub total: u64,
}

/// The partials of a part of the data: one accumulator for each chunk of each group.
///
/// It holds everything that merging needs, and can be sent to other threads, processes and machines: [`Partials::to_bytes`].
#[derive(Clone, Debug)]
pub struct Partials {
    /// The specification in its canonical spelling.
    spec: String,
    /// The version of the association.
    association: String,
    /// The params of the call, and then what functions take from the shape of the whole.
    params: Vec<Value>,
    /// The shape of the result; empty for one result.
    shape: Vec<u64>,
    /// The elements of the part.
    range: Range<u64>,
    /// The number of elements of the whole.
    total: u64,
    /// The number of elements of a chunk. The last chunk of the whole may have fewer.
    chunk: u64,
    /// The fields of the accumulators: those of the first chunk of every group, then those of the second one.
    fields: Vec<Lanes>,
}

impl Partials {
    /// Returns the specification in its canonical spelling.
    #[must_use]
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// Returns the version of the association, such as `A11`.
    #[must_use]
    pub fn association(&self) -> &str {
        &self.association
    }

    /// Returns the positions of the elements along the reduced axis of the whole.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Returns the number of elements of the whole: of one group, if there are several.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the shape of the result; empty for one result.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Merges parts in any order, without a reduction: the parts hold the specification, and `parse` reads it, as `reducegen::parse`
    /// does. One result has the shape `[]`.
    ///
    /// # Errors
    /// As [`Reducer::merge`] and [`Reducer::merge_groups`]; the specification does not parse or compile.
    pub fn merge<E: Display>(
        parts: &[Partials],
        parse: impl FnOnce(&str) -> Result<Spec, E>,
    ) -> Result<Groups, Error> {
        let first = parts.first().ok_or(PartialsError::NoParts)?;
        let spec =
            parse(&first.spec).map_err(|error| PartialsError::Unreadable { reason: error.to_string() })?;
        let reducer = Reducer::new(&spec, &Device::host())?;
        if reducer.axes().is_some() {
            return reducer.merge_groups(parts);
        }
        let values = reducer.merge(parts)?.values;
        let fields = values.into_iter().map(|value| Lanes::splat(value, 1)).collect();
        Ok(Groups { shape: Vec::new(), fields, present: None })
    }

    /// Returns the number of groups.
    fn groups(&self) -> u64 {
        self.shape.iter().product()
    }
}

impl Reducer {
    /// Returns the number of elements of a chunk of the association, for groups of `total` elements. Parts begin and end at multiples
    /// of it, or at the end. It is the same on every device.
    ///
    /// # Errors
    /// The specification has segments or keys; a pass makes one chunk of all elements.
    pub fn chunk_len(&self, total: u64) -> Result<u64, Error> {
        self.cutting(total).map(|cutting| cutting.len())
    }

    /// Reduces a part of the data to partials. For a GPU it is copied. The inputs are the elements of the part, and `span` says where it lies. A part may be
    /// empty. Positions count as in the whole.
    ///
    /// ```
    /// # use reduce_runtime::{Device, Partials, Reducer, Span};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sum = Reducer::new(&reduce_dsl::parse::spec("op: sum, ty: f32")?, &Device::host())?;
    /// let data: Vec<f32> = (0..100_000).map(|i| 1.0 / (1.0 + i as f32)).collect();
    /// let total = data.len() as u64;
    ///
    /// let cut = 2 * sum.chunk_len(total)?;
    /// let (left, right) = data.split_at(cut as usize);
    /// let right = sum.partials(&[right], &[], Span { first: cut, total })?.to_bytes();
    /// let left = sum.partials(&[left], &[], Span { first: 0, total })?;
    ///
    /// let merged = sum.merge(&[Partials::from_bytes(&right)?, left])?;
    /// assert_eq!(merged.values, sum.reduce(&[data.as_slice()])?.values); // bit for bit
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Reducer::reduce_with`] and [`Reducer::chunk_len`]; the part does not lie in the whole, or begins or ends inside a chunk.
    pub fn partials<'a>(
        &self,
        inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
        params: &[Value],
        span: Span,
    ) -> Result<Partials, Error> {
        if self.axes().is_some() {
            return Err(self.cutting(span.total).err().unwrap_or(PartialsError::Axes.into()));
        }
        inputs::check_params(self.operation(), params)?;
        let inputs: Vec<Strided<LanesRef<'_>>> = inputs.iter().map(|&input| input.into()).collect();
        let shapes = inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len())));
        inputs::check(self.operation(), self.programs().domain(), shapes)?;
        let (views, nest) = cutting::line(&inputs);
        let cutting = self.cutting(span.total)?;
        let range = span.range(nest.extent().length, cutting.len(), 1)?;
        let on_gpu = match self.partials_on_gpu(&inputs, params, span) {
            Err(Error::OutOfMemory { .. }) => self.partials_in_pieces(&inputs, params, span).map(Some),
            result => result,
        };
        if let Some(fields) = on_gpu? {
            return self.made(cutting.len(), fields, params.to_vec(), Vec::new(), (range, span.total));
        }
        self.partials_of(&views, &nest, params.to_vec(), span)
    }

    /// As [`Reducer::partials`], for a specification with `axes`: partials of each group. The views are those of the part, whose first
    /// reduced axis is shorter than in the whole. The span counts elements of a group.
    ///
    /// Data that is cut along a kept axis needs no partials: each part has results of its own, which
    /// [`Reducer::reduce_groups`] makes.
    ///
    /// # Errors
    /// As [`Reducer::reduce_groups`] and [`Reducer::partials`]; several axes are reduced, and the part begins or ends inside the
    /// others.
    pub fn partials_groups(
        &self,
        views: &[View<LanesRef<'_>>],
        params: &[Value],
        span: Span,
    ) -> Result<Partials, Error> {
        self.cutting(span.total)?;
        inputs::check_params(self.operation(), params)?;
        let shapes = views.iter().map(|view| view.with_data((view.data.ty(), view.data.len())));
        let nest = self.nest(shapes)?;
        let nest = match self.axes() {
            Some(axes) => nest.as_part(axes, span.total),
            None => return Err(Error::NoAxes),
        };
        let params = nest.params(self.operation(), params);
        self.partials_of(views, &nest, params, span)
    }

    fn partials_of(
        &self,
        views: &[View<LanesRef<'_>>],
        nest: &Nest,
        params: Vec<Value>,
        span: Span,
    ) -> Result<Partials, Error> {
        let cutting = self.cutting(span.total)?;
        let chunk = cutting.len();
        let Extent { groups, length } = nest.extent();
        let range = span.range(length, chunk, nest.inner())?;
        check_memory(length.div_ceil(chunk).saturating_mul(groups), self.operation().acc.size())?;
        let merged = nest.of(self.operation());
        let fields = cutting.partials_of(views, &merged, &params, span.first)?;
        self.made(chunk, fields, params, nest.result.clone(), (range, span.total))
    }

    /// Returns accumulators with everything that merging needs.
    fn made(
        &self,
        chunk: u64,
        fields: Vec<Lanes>,
        params: Vec<Value>,
        shape: Vec<u64>,
        (range, total): (Range<u64>, u64),
    ) -> Result<Partials, Error> {
        let (spec, association) = (self.spec_text()?.to_owned(), ASSOCIATION.to_owned());
        Ok(Partials { spec, association, params, shape, range, total, chunk, fields })
    }

    /// Merges parts in any order. The result has the bits of [`Reducer::reduce_with`] on the whole.
    ///
    /// # Errors
    /// The parts are of other specifications, versions, params or totals; they leave a gap or overlap; no element is left to reduce,
    /// and there is no identity; an error of [`Reducer::chunk_len`].
    pub fn merge(&self, parts: &[Partials]) -> Result<Outcome, Error> {
        if self.axes().is_some() {
            return Err(PartialsError::Axes.into());
        }
        let start = Instant::now();
        let (first, stored) = self.merged(parts)?;
        let values = match stored {
            None => host::empty_result(self.operation(), &first.params)?,
            Some(stored) => stored.iter().map(|field| field.get(0)).collect(),
        };
        let kernel = start.elapsed();
        Ok(Outcome { values: ensure_nonempty(self.operation(), values)?, kernel })
    }

    /// As [`Reducer::merge`], for a specification with `axes`: the bits of [`Reducer::reduce_groups`] on the whole.
    ///
    /// # Errors
    /// As [`Reducer::merge`]; there is no memory for the results.
    pub fn merge_groups(&self, parts: &[Partials]) -> Result<Groups, Error> {
        if self.axes().is_none() {
            return Err(Error::NoAxes);
        }
        let (first, stored) = self.merged(parts)?;
        let extent = Extent { groups: first.groups(), length: first.total };
        match stored {
            None => self.empty_groups(extent, first.shape.clone(), &first.params),
            Some(stored) => Groups::new(self.operation(), first.shape.clone(), stored),
        }
    }

    /// Returns the first part, and the stored results; `None` if there are no elements or no groups.
    fn merged<'p>(&self, parts: &'p [Partials]) -> Result<(&'p Partials, Option<Vec<Lanes>>), Error> {
        let first = parts.first().ok_or(PartialsError::NoParts)?;
        parts.iter().try_for_each(|part| part.check_like(first))?;
        first.check_of(self.spec_text()?)?;
        let cutting = self.cutting(first.total)?;
        parts.iter().try_for_each(|part| part.check_fits(self.operation(), cutting.len()))?;
        let ordered = check::ordered(parts)?;
        let groups = first.groups();
        check_room(self.operation(), groups)?;
        if groups == 0 || first.total == 0 {
            return Ok((first, None));
        }
        let field = |field: usize| {
            let mut all = Lanes::empty(first.fields[field].ty());
            all.reserve(ordered.iter().map(|part| part.fields[field].len()).sum());
            ordered.iter().for_each(|part| all.extend(part.fields[field].borrow()));
            all
        };
        let all = (0..first.fields.len()).map(field).collect();
        let stored = cutting.merge(all, (groups as usize, first.total), &first.params)?;
        Ok((first, Some(stored)))
    }

    /// Returns the specification in its canonical spelling.
    fn spec_text(&self) -> Result<&str, Error> {
        Ok(self.spec.as_ref().map(|spec| spec.text.as_str()).ok_or(PartialsError::NoSpec)?)
    }
}

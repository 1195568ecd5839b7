//! Reduces elements that arrive one after the other: of readers and iterators, more than memory holds, of a known or an unknown number.
//!
//! The elements are read in pieces that are cut at the chunks of the association. The calling thread reads the next pieces, while another
//! one reduces the last piece to partials. Merging these gives the bits of the whole.
//!
//! The association depends on the number of elements. If that is unknown, the first elements are kept until there are so many that more of
//! them do not change the association: with `passes: auto`, 2^24 units of 16 bytes.

mod chunks;
mod error;
pub(crate) mod fill;
mod pipeline;

pub(crate) use chunks::Chunks;
pub use error::StreamError;

use crate::cuda::Kernels;
use crate::groups::ensure_nonempty;
use crate::partials::Cutting;
use crate::{Error, Outcome, Reducer, Span, Strided, host, inputs};
use fill::Readers;
use pipeline::{Pieces, piece};
use reduce_ir::Value;
use reduce_lanes::{Lanes, LanesRef};
use std::io::Read;
use std::time::Instant;

/// Elements of all inputs that arrive in order.
pub(crate) trait Incoming {
    /// Writes up to `len` elements of each input to the lanes, from position `at` on, and makes the lanes longer if necessary. Returns the
    /// number of elements. It is smaller than `len` only at the end.
    fn fill(&mut self, lanes: &mut [Lanes], at: usize, len: usize) -> Result<usize, Error>;
}

impl Reducer {
    /// Reduces elements of readers, one for each input: files, pipes or sockets. The readers give elements without gaps, in the byte order
    /// of this machine. Memory holds a few pieces of the data, and the result has the bits of [`Reducer::reduce_with`] on all of them.
    ///
    /// `total` is the number of elements that are read; `None` reads to the end. Without it, the first elements are kept in memory until
    /// their number no longer matters: up to 256 MiB with `passes: auto`.
    ///
    /// ```
    /// # use reduce_runtime::{Device, Reducer};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sum = Reducer::new(&reduce_dsl::parse::spec("op: sum, ty: f32")?, &Device::host())?;
    /// let bytes: Vec<u8> = (0..1000).flat_map(|i| (i as f32).to_ne_bytes()).collect();
    /// let outcome = sum.reduce_readers(vec![Box::new(&bytes[..])], None, &[])?;
    /// assert_eq!(outcome.values, [499_500.0f32.into()]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A reader fails, ends too early or inside an element; the readers give different numbers of elements; an error of
    /// [`Reducer::reduce_with`] or [`Reducer::chunk_len`]; the specification has `axes`.
    pub fn reduce_readers(
        &self,
        readers: Vec<Box<dyn Read + '_>>,
        total: Option<u64>,
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let mut readers = Readers::new(self.operation(), readers)?;
        self.reduce_incoming(&mut readers, total, params)
    }

    /// Reduces elements that arrive.
    pub(crate) fn reduce_incoming(
        &self,
        incoming: &mut impl Incoming,
        total: Option<u64>,
        params: &[Value],
    ) -> Result<Outcome, Error> {
        inputs::check_params(self.operation(), params)?;
        if self.axes().is_some() {
            return Err(StreamError::Axes.into());
        }
        let start = Instant::now();
        let values = match total {
            Some(total) => self.reduce_known(incoming, total, params)?,
            None => self.reduce_unknown(incoming, params)?,
        };
        let kernel = start.elapsed();
        Ok(Outcome { values: ensure_nonempty(self.operation(), values)?, kernel })
    }

    /// Reduces copies of at least one element in host memory on the GPU. If they do not fit its memory, it copies one piece after the
    /// other.
    pub(crate) fn reduce_copies(
        &self,
        kernels: &Kernels,
        inputs: &[Strided<LanesRef<'_>>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let total = inputs.first().map_or(0, |input| input.len);
        match kernels.reduce(inputs, params) {
            Err(Error::OutOfMemory { .. }) if self.chunk_len(total as u64).is_ok() => {
                self.reduce_in_pieces(inputs, total, params)
            }
            result => result,
        }
    }

    fn reduce_in_pieces(
        &self,
        inputs: &[Strided<LanesRef<'_>>],
        total: usize,
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let start = Instant::now();
        let cutting = self.cutting(total as u64)?;
        let span = Span { first: 0, total: total as u64 };
        let values = self.in_pieces(&cutting, inputs, params, span)?.finish(span.total)?;
        Ok(Outcome { values: ensure_nonempty(self.operation(), values)?, kernel: start.elapsed() })
    }

    /// Returns the accumulators of copies of a part that does not fit the memory of the GPU.
    pub(crate) fn partials_in_pieces(
        &self,
        inputs: &[Strided<LanesRef<'_>>],
        params: &[Value],
        span: Span,
    ) -> Result<Vec<Lanes>, Error> {
        let cutting = self.cutting(span.total)?;
        Ok(self.in_pieces(&cutting, inputs, params, span)?.fields)
    }

    /// Adds the elements of a part, one piece after the other.
    fn in_pieces<'a>(
        &'a self,
        cutting: &'a Cutting<'a>,
        inputs: &[Strided<LanesRef<'_>>],
        params: &'a [Value],
        Span { first, total }: Span,
    ) -> Result<Parts<'a>, Error> {
        let len = usize::try_from(piece(self.operation(), cutting.len())).unwrap_or(usize::MAX);
        let mut parts = self.parts_of(cutting, params, Some(total));
        for at in (0..inputs[0].len).step_by(len) {
            let views: Vec<_> = inputs.iter().map(|input| input.part(at, len)).collect();
            parts.add_views(&views, first + at as u64)?;
        }
        Ok(parts)
    }

    fn reduce_known(
        &self,
        incoming: &mut impl Incoming,
        total: u64,
        params: &[Value],
    ) -> Result<Vec<Value>, Error> {
        let cutting = self.cutting(total)?;
        let mut parts = self.parts_of(&cutting, params, Some(total));
        let pieces = Pieces::new(self.operation(), cutting.len(), Some(total))?;
        let found = pieces.run(incoming, 0, |lanes, len, first| parts.add(lanes, len, first))?;
        if found < total {
            return Err(StreamError::CutShort { found, total }.into());
        }
        parts.finish(total)
    }

    /// Keeps the first elements until the association is that of any greater number.
    fn reduce_unknown(&self, incoming: &mut impl Incoming, params: &[Value]) -> Result<Vec<Value>, Error> {
        let (settled, cutting) = self.settled()?;
        let kept = (settled + 1).checked_next_multiple_of(cutting.len()).map(usize::try_from);
        let kept = kept.and_then(Result::ok).unwrap_or(usize::MAX);
        let mut first =
            self.operation().inputs.iter().map(|input| Lanes::empty(input.ty)).collect::<Vec<_>>();
        let found = fill::gradually(incoming, &mut first, kept)?;
        if found < kept {
            let views: Vec<Strided<LanesRef<'_>>> =
                first.iter().map(|lanes| lanes.borrow().slice(0..found).into()).collect();
            return self.values_of(&views, params);
        }
        let mut parts = self.parts_of(&cutting, params, None);
        parts.add(&first, found, 0)?;
        drop(first);
        let pieces = Pieces::new(self.operation(), cutting.len(), None)?;
        let total = pieces.run(incoming, found as u64, |lanes, len, first| {
            self.within(first + len as u64)?;
            parts.add(lanes, len, first)
        })?;
        parts.finish(total)
    }

    /// Begins without elements.
    fn parts_of<'a>(
        &'a self,
        cutting: &'a Cutting<'a>,
        params: &'a [Value],
        total: Option<u64>,
    ) -> Parts<'a> {
        let fields = self.operation().acc.types().into_iter().map(Lanes::empty).collect();
        let total = total.or(self.programs().up_to()).unwrap_or(u64::MAX);
        Parts { reducer: self, cutting, params, total, fields }
    }

    /// Returns the stored result of elements in memory.
    fn values_of(&self, views: &[Strided<LanesRef<'_>>], params: &[Value]) -> Result<Vec<Value>, Error> {
        let total = self.within(views.first().map_or(0, |view| view.len as u64))?;
        let cutting = self.cutting(total)?;
        let mut parts = self.parts_of(&cutting, params, Some(total));
        parts.add_views(views, 0)?;
        parts.finish(total)
    }

    /// Returns the number of elements from which on the association is the same for every number, and that association.
    fn settled(&self) -> Result<(u64, Cutting<'_>), Error> {
        let cutting = self.cutting(self.programs().up_to().unwrap_or(u64::MAX))?;
        let variants = self.programs().variants();
        let last = variants.last().map(|program| program.association());
        let same = variants.iter().rev().take_while(|program| Some(program.association()) == last).count();
        let before = variants.len().checked_sub(same + 1).and_then(|at| variants[at].up_to);
        Ok((before.unwrap_or(0), cutting))
    }
}

/// The partials of the elements so far.
struct Parts<'a> {
    reducer: &'a Reducer,
    cutting: &'a Cutting<'a>,
    params: &'a [Value],
    /// The number of all elements, or as many as there can be.
    total: u64,
    fields: Vec<Lanes>,
}

impl Parts<'_> {
    /// Adds the partials of `len` elements, whose first one is at a position.
    fn add(&mut self, lanes: &[Lanes], len: usize, first: u64) -> Result<(), Error> {
        let views: Vec<_> = lanes.iter().map(|lanes| lanes.borrow().slice(0..len).into()).collect();
        self.add_views(&views, first)
    }

    fn add_views(&mut self, views: &[Strided<LanesRef<'_>>], first: u64) -> Result<(), Error> {
        let on_gpu = self.reducer.partials_on_gpu(views, self.params, Span { first, total: self.total })?;
        let more = on_gpu.map_or_else(|| self.cutting.partials(views, self.params, first), Ok)?;
        self.fields.iter_mut().zip(more).for_each(|(all, more)| all.extend(more.borrow()));
        Ok(())
    }

    /// Merges the partials of all elements to the stored result.
    fn finish(self, total: u64) -> Result<Vec<Value>, Error> {
        if total == 0 {
            return Ok(host::empty_result(self.cutting.operation(), self.params)?);
        }
        let stored = self.cutting.merge(self.fields, (1, total), self.params)?;
        Ok(stored.iter().map(|field| field.get(0)).collect())
    }
}

//! Elements that an iterator gives in chunks of any lengths.

use super::Incoming;
use super::fill::make_room;
use crate::reduction::Slices;
use crate::{Error, Strided, inputs};
use reduce_ir::Domain;
use reduce_ir::operation::Operation;
use reduce_lanes::{Lanes, LanesRef};
use std::marker::PhantomData;

/// The chunks of an iterator, and the first element of the current one that is not read yet.
pub(crate) struct Chunks<'o, In, I: Iterator> {
    operation: &'o Operation,
    chunks: I,
    current: Option<(I::Item, usize)>,
    types: PhantomData<fn(In)>,
}

impl<'o, In, I: Iterator> Chunks<'o, In, I> {
    pub(crate) fn new(operation: &'o Operation, chunks: I) -> Chunks<'o, In, I> {
        Chunks { operation, chunks, current: None, types: PhantomData }
    }
}

impl<In, I: Iterator> Incoming for Chunks<'_, In, I>
where
    for<'a> &'a I::Item: Slices<In>,
{
    fn fill(&mut self, lanes: &mut [Lanes], at: usize, len: usize) -> Result<usize, Error> {
        lanes.iter_mut().for_each(|lanes| make_room(lanes, at + len));
        let mut found = 0;
        while found < len {
            let Some((chunk, from)) =
                self.current.take().or_else(|| self.chunks.next().map(|chunk| (chunk, 0)))
            else {
                break;
            };
            let slices = &chunk;
            let views = slices.views();
            let shapes = views.iter().map(|view| view.with_data((view.data.ty(), view.data.len())));
            let all = inputs::check(self.operation, Domain::WHOLE, shapes)? as usize;
            let some = (all - from).min(len - found);
            for (lanes, view) in lanes.iter_mut().zip(&views) {
                copy(view, from..from + some, lanes, at + found);
            }
            drop(views);
            found += some;
            self.current = (from + some < all).then_some((chunk, from + some));
        }
        Ok(found)
    }
}

/// Copies elements that lie side by side.
fn copy(view: &Strided<LanesRef<'_>>, elements: std::ops::Range<usize>, to: &mut Lanes, at: usize) {
    macro_rules! copied {
        ($($ty:ident)*) => {
            match (to, view.data.slice(view.places(elements))) {
                $((Lanes::$ty(to), LanesRef::$ty(from)) => to[at..at + from.len()].copy_from_slice(from),)*
                (to, from) => debug_assert_eq!(to.ty(), from.ty()),
            }
        };
    }
    copied!(Bool F16 Bf16 F32 F64 I8 I16 I32 I64 U8 U16 U32 U64);
}

//! Reads pieces on this thread, while another thread reduces those before.

use super::{Incoming, StreamError};
use crate::Error;
use reduce_ir::operation::Operation;
use reduce_lanes::Lanes;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The bytes of a piece: enough chunks for all cores. Larger pieces stream slower to a GPU: docs/lab/2026-11-28-several-gpus.md.
const PIECE: u64 = 16 << 20;

/// The pieces in memory: one is read, one is reduced, and one waits.
const BUFFERS: usize = 3;

/// How elements are cut into pieces.
#[derive(Debug)]
pub(super) struct Pieces {
    /// One empty vector for each input.
    empty: Vec<Lanes>,
    /// The number of elements of a piece: whole chunks.
    len: usize,
    /// The number of all elements, if it is known.
    total: Option<u64>,
}

/// Returns the number of elements of a piece, a multiple of `chunk`.
pub(super) fn piece(operation: &Operation, chunk: u64) -> u64 {
    let size = operation.element_size().max(1) as u64;
    (PIECE / size / chunk).max(1).saturating_mul(chunk)
}

/// A piece that was read, and the number of its elements.
type Piece = (Vec<Lanes>, usize);

impl Pieces {
    /// Cuts elements at multiples of `chunk`.
    pub(super) fn new(operation: &Operation, chunk: u64, total: Option<u64>) -> Result<Pieces, Error> {
        let len = piece(operation, chunk).min(total.unwrap_or(u64::MAX)).max(1);
        let size = operation.element_size().max(1) as u64;
        let bytes = len.saturating_mul(size).saturating_mul(BUFFERS as u64);
        let room = Vec::<u8>::new().try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX));
        room.map_err(|_| StreamError::NoMemory { bytes, chunk })?;
        let empty = operation.inputs.iter().map(|input| Lanes::empty(input.ty)).collect();
        Ok(Pieces { empty, len: len as usize, total })
    }

    /// Reads all elements after the first ones, and calls `reduce` with each piece, its length and the position of its first element, in
    /// order. Returns the number of all elements.
    pub(super) fn run(
        &self,
        incoming: &mut impl Incoming,
        first: u64,
        mut reduce: impl FnMut(&[Lanes], usize, u64) -> Result<(), Error> + Send,
    ) -> Result<u64, Error> {
        let (full, pieces) = sync_channel::<Piece>(BUFFERS);
        let (give_back, buffers) = sync_channel(BUFFERS);
        for _ in 0..BUFFERS {
            // The channel has room.
            let _ = give_back.send(self.empty.clone());
        }
        let reduce_all = move || {
            let mut at = first;
            for (lanes, len) in pieces {
                reduce(&lanes, len, at)?;
                at += len as u64;
                // At the end, nobody takes it.
                let _ = give_back.send(lanes);
            }
            Ok(())
        };
        thread::scope(|scope| {
            let reducing = thread::Builder::new().spawn_scoped(scope, reduce_all);
            let reducing = reducing.map_err(|error| StreamError::NoThread { reason: error.to_string() })?;
            let read = self.read(incoming, first, (&buffers, full));
            // An error of the other thread is the reason why it takes no more pieces.
            reducing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).and(read)
        })
    }

    /// Reads to the end, or until the other thread has failed.
    fn read(
        &self,
        incoming: &mut impl Incoming,
        mut first: u64,
        (buffers, full): (&Receiver<Vec<Lanes>>, SyncSender<Piece>),
    ) -> Result<u64, Error> {
        for mut lanes in buffers {
            let left = self.total.map_or(u64::MAX, |total| total - first);
            let len = self.len.min(usize::try_from(left).unwrap_or(usize::MAX));
            let found = if len == 0 { 0 } else { incoming.fill(&mut lanes, 0, len)? };
            first += found as u64;
            if found == 0 || full.send((lanes, found)).is_err() || found < self.len {
                break;
            }
        }
        Ok(first)
    }
}

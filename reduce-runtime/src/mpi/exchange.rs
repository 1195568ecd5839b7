//! The messages between ranks: signs of life, the part of each rank to rank 0, and all parts to each rank.
//!
//! ```text
//! part = ok:u8 bytes         -- ok is 1, and the bytes are partials; or 0, and they are the text of an error
//! all  = ok:u8 rank:u32 rest -- ok is 1, and the rest is { length:u64 bytes } of each rank; or 0, and it is the error of that rank
//! ```

use super::RankError;
use mpi::point_to_point::{Destination, Source};
use mpi::request::{Request, StaticScope};
use mpi::topology::Communicator;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

const ROOT: i32 = 0;
/// The tags of the messages; others of the communicator are left alone.
const ALIVE: i32 = 7_301;
const PART: i32 = 7_302;
const ALL: i32 = 7_303;
/// The time between two signs of life.
const BEAT: Duration = Duration::from_millis(500);
/// The time between two looks at the messages.
const POLL: Duration = Duration::from_micros(100);

/// The part of this rank.
pub(super) enum Own {
    Running(Receiver<Result<Vec<u8>, String>>),
    Failed(String),
    Taken,
}

impl Own {
    /// Takes the part, once it is there.
    fn take(&mut self) -> Option<Result<Vec<u8>, String>> {
        let part = match self {
            Own::Running(part) => match part.try_recv() {
                Ok(part) => part,
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => Err("its thread has panicked".to_owned()),
            },
            Own::Failed(reason) => Err(std::mem::take(reason)),
            Own::Taken => return None,
        };
        *self = Own::Taken;
        Some(part)
    }
}

/// A message that is being sent, and its receiver. Its bytes live until MPI has sent it.
type Sending = (i32, Request<'static, [u8], StaticScope>);

/// The exchange of one call.
pub(super) struct Exchange<'c, C> {
    communicator: &'c C,
    deadline: Duration,
    /// The last sign of life of each rank.
    heard: Vec<Instant>,
    beat: Instant,
    sending: Vec<Sending>,
}

impl<'c, C: Communicator> Exchange<'c, C> {
    pub(super) fn new(communicator: &'c C, deadline: Duration) -> Exchange<'c, C> {
        let now = Instant::now();
        let heard = vec![now; communicator.size().unsigned_abs() as usize];
        Exchange { communicator, deadline, heard, beat: now, sending: Vec::new() }
    }

    /// Returns the bytes of the parts of all ranks.
    pub(super) fn run(mut self, own: Own) -> Result<Vec<Vec<u8>>, RankError> {
        if self.communicator.rank() == ROOT { self.lead(own) } else { self.follow(own) }
    }

    /// Collects all parts, and sends them to every rank.
    fn lead(&mut self, own: Own) -> Result<Vec<Vec<u8>>, RankError> {
        let others = 1..self.communicator.size();
        let answer = match self.collect(own) {
            Ok(parts) => all_parts(&parts).map(|answer| (parts, answer)),
            Err(error) => Err(error),
        };
        match answer {
            Ok((parts, answer)) => {
                others.for_each(|rank| self.send(rank, ALL, answer.clone()));
                self.flush().map(|()| parts)
            }
            Err(error) => {
                let answer = failure(&error);
                others.for_each(|rank| self.send(rank, ALL, answer.clone()));
                // The first error counts.
                let _ = self.flush();
                Err(error)
            }
        }
    }

    /// Collects the parts of all ranks.
    fn collect(&mut self, mut own: Own) -> Result<Vec<Vec<u8>>, RankError> {
        let mut parts: Vec<Option<Vec<u8>>> = vec![None; self.heard.len()];
        let failed = |rank, reason| Err(RankError::Failed { rank, reason });
        loop {
            match own.take() {
                Some(Ok(part)) => parts[0] = Some(part),
                Some(Err(reason)) => return failed(ROOT, reason),
                None => {}
            }
            while let Some((rank, message)) = self.receive(PART) {
                match message.split_first() {
                    Some((1, part)) => parts[rank as usize] = Some(part.to_vec()),
                    Some((_, reason)) => return failed(rank, String::from_utf8_lossy(reason).into_owned()),
                    None => return failed(rank, "its message is empty".to_owned()),
                }
            }
            if parts.iter().all(Option::is_some) {
                return Ok(parts.into_iter().flatten().collect());
            }
            let missing = (1..self.communicator.size()).filter(|&rank| parts[rank as usize].is_none());
            self.check_alive(missing)?;
            self.wait(1..self.communicator.size());
        }
    }

    /// Sends its part to rank 0, and waits for all parts.
    fn follow(&mut self, mut own: Own) -> Result<Vec<Vec<u8>>, RankError> {
        loop {
            if let Some(part) = own.take() {
                let message = match part {
                    Ok(part) if i32::try_from(part.len() + 1).is_ok() => [&[1], &part[..]].concat(),
                    Ok(part) => {
                        [&[0], RankError::TooLarge { bytes: part.len() }.to_string().as_bytes()].concat()
                    }
                    Err(reason) => [&[0], reason.as_bytes()].concat(),
                };
                self.send(ROOT, PART, message);
            }
            if let Some((_, answer)) = self.receive(ALL) {
                return parts_of(&answer);
            }
            self.check_alive(std::iter::once(ROOT))?;
            self.wait(std::iter::once(ROOT));
        }
    }

    /// Returns the next message of a kind and its sender. Notes signs of life.
    fn receive(&mut self, tag: i32) -> Option<(i32, Vec<u8>)> {
        let any = self.communicator.any_process();
        while let Some((message, status)) = any.immediate_matched_probe_with_tag(ALIVE) {
            let mut nothing: [u8; 0] = [];
            message.matched_receive_into(&mut nothing[..]);
            self.heard[status.source_rank() as usize] = Instant::now();
        }
        let (message, status) = any.immediate_matched_probe_with_tag(tag)?;
        let mut bytes =
            vec![0u8; status.count(<u8 as mpi::traits::Equivalence>::equivalent_datatype()) as usize];
        message.matched_receive_into(&mut bytes[..]);
        self.heard[status.source_rank() as usize] = Instant::now();
        Some((status.source_rank(), bytes))
    }

    fn check_alive(&self, mut ranks: impl Iterator<Item = i32>) -> Result<(), RankError> {
        let is_silent = |&rank: &i32| self.heard[rank as usize].elapsed() > self.deadline;
        let silent = ranks.find(is_silent);
        silent.map_or(Ok(()), |rank| Err(RankError::Silent { rank, seconds: self.deadline.as_secs() }))
    }

    /// Gives a sign of life to some ranks if it is time, and sleeps a little.
    fn wait(&mut self, ranks: impl Iterator<Item = i32>) {
        if self.beat.elapsed() > BEAT {
            self.beat = Instant::now();
            ranks.for_each(|rank| self.send(rank, ALIVE, Vec::new()));
        }
        self.forget_received();
        thread::sleep(POLL);
    }

    /// Begins to send a message.
    fn send(&mut self, rank: i32, tag: i32, message: Vec<u8>) {
        let message: &'static [u8] = Box::leak(message.into_boxed_slice());
        let to = self.communicator.process_at_rank(rank);
        self.sending.push((rank, to.immediate_send_with_tag(StaticScope, message, tag)));
    }

    /// Frees the messages that MPI has sent.
    fn forget_received(&mut self) {
        for (rank, request) in std::mem::take(&mut self.sending) {
            match request.test_with_data() {
                Ok((_, message)) => free(message),
                Err(request) => self.sending.push((rank, request)),
            }
        }
    }

    /// Waits until all messages are sent.
    fn flush(&mut self) -> Result<(), RankError> {
        let start = Instant::now();
        loop {
            self.forget_received();
            let Some(&(rank, _)) = self.sending.first() else { return Ok(()) };
            if start.elapsed() > self.deadline {
                return Err(RankError::Silent { rank, seconds: self.deadline.as_secs() });
            }
            thread::sleep(POLL);
        }
    }
}

/// Leaves messages that were never received to MPI, which may still read them.
impl<C> Drop for Exchange<'_, C> {
    fn drop(&mut self) {
        std::mem::take(&mut self.sending).into_iter().for_each(std::mem::forget);
    }
}

#[allow(unsafe_code, reason = "MPI wants bytes that live as long as it may read them")]
fn free(message: &'static [u8]) {
    // SAFETY: `send` leaked this box, and MPI, which alone had the reference, has sent the message.
    drop(unsafe { Box::from_raw(std::ptr::from_ref(message).cast_mut()) });
}

/// Returns the message with all parts.
fn all_parts(parts: &[Vec<u8>]) -> Result<Vec<u8>, RankError> {
    let mut answer = vec![1, 0, 0, 0, 0];
    for part in parts {
        answer.extend((part.len() as u64).to_le_bytes());
        answer.extend(part);
    }
    match i32::try_from(answer.len()) {
        Ok(_) => Ok(answer),
        Err(_) => Err(RankError::TooLarge { bytes: answer.len() }),
    }
}

/// Returns the message with an error.
fn failure(error: &RankError) -> Vec<u8> {
    let (rank, reason) = match error {
        RankError::Failed { rank, reason } => (*rank, reason.clone()),
        RankError::Silent { .. } | RankError::TooLarge { .. } | RankError::Malformed(_) => {
            (ROOT, error.to_string())
        }
    };
    [&[0], &rank.to_le_bytes()[..], reason.as_bytes()].concat()
}

/// Returns the parts of all ranks from the message of rank 0.
fn parts_of(answer: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
    let malformed = || RankError::Failed { rank: ROOT, reason: "its message is malformed".to_owned() };
    let (&[is_ok, ref rank @ ..], mut rest) = answer.split_first_chunk::<5>().ok_or_else(malformed)?;
    if is_ok != 1 {
        let reason = String::from_utf8_lossy(rest).into_owned();
        return Err(RankError::Failed { rank: i32::from_le_bytes(*rank), reason });
    }
    let mut parts = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| malformed())?;
        let (part, after) = after.split_at_checked(length).ok_or_else(malformed)?;
        parts.push(part.to_vec());
        rest = after;
    }
    Ok(parts)
}

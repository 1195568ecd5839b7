//! Fills lanes with the elements of readers.

use super::{Incoming, StreamError};
use crate::Error;
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_lanes::Lanes;
use std::io::{self, ErrorKind, Read};

/// One reader for each input.
pub(super) struct Readers<'r> {
    inputs: Vec<(Param, Box<dyn Read + 'r>)>,
    /// The number of elements that were read of each input.
    position: u64,
    /// Bytes that become `bool`s.
    bytes: Vec<u8>,
}

impl<'r> Readers<'r> {
    pub(super) fn new(operation: &Operation, readers: Vec<Box<dyn Read + 'r>>) -> Result<Readers<'r>, Error> {
        let (expected, found) = (operation.inputs.len(), readers.len());
        if expected != found {
            return Err(Error::InputCount { expected, found });
        }
        let inputs = operation.inputs.iter().cloned().zip(readers).collect();
        Ok(Readers { inputs, position: 0, bytes: Vec::new() })
    }
}

impl Incoming for Readers<'_> {
    fn fill(&mut self, lanes: &mut [Lanes], at: usize, len: usize) -> Result<usize, Error> {
        let Readers { inputs, position, bytes } = self;
        let mut first = None;
        for ((param, reader), lanes) in inputs.iter_mut().zip(lanes) {
            make_room(lanes, at + len);
            let found = read(param, reader, (*position, bytes), lanes, at..at + len)?;
            let expected = *first.get_or_insert((&param.name, found));
            check_same(*position, expected, (&param.name, found))?;
        }
        let found = first.map_or(0, |(_, found)| found);
        *position += found as u64;
        Ok(found)
    }
}

fn check_same(
    before: u64,
    (first, expected): (&String, usize),
    (input, found): (&String, usize),
) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    let [expected, found] = [expected, found].map(|len| before + len as u64);
    Err(Error::InputLength { first: first.clone(), expected, input: input.clone(), found })
}

/// Makes lanes at least `len` long.
pub(super) fn make_room(lanes: &mut Lanes, len: usize) {
    if lanes.len() < len {
        lanes.resize(len);
    }
}

/// Fills lanes step by step, so that few elements take little memory. Returns the number of elements.
pub(super) fn gradually(
    incoming: &mut impl Incoming,
    lanes: &mut [Lanes],
    len: usize,
) -> Result<usize, Error> {
    let mut found = 0;
    while found < len {
        let step = (found.max(1 << 16)).min(len - found);
        let more = incoming.fill(lanes, found, step)?;
        found += more;
        if more < step {
            break;
        }
    }
    Ok(found)
}

/// Reads the elements at some places. Returns their number, which is smaller only at the end.
fn read(
    param: &Param,
    reader: &mut dyn Read,
    (position, scratch): (u64, &mut Vec<u8>),
    lanes: &mut Lanes,
    places: std::ops::Range<usize>,
) -> Result<usize, Error> {
    let size = param.ty.size();
    let failed = |error: io::Error| StreamError::of_read(&param.name, position, &error);
    let read =
        match bytes_of(lanes) {
            Some(bytes) => {
                read_all(reader, &mut bytes[places.start * size..places.end * size]).map_err(failed)?
            }
            None => {
                scratch.resize(places.len(), 0);
                let read = read_all(reader, scratch).map_err(failed)?;
                set_bools(lanes, places.start, &scratch[..read]).map_err(|(at, byte)| {
                    StreamError::NotBool { input: param.name.clone(), position: position + at, byte }
                })?;
                read
            }
        };
    match read % size {
        0 => Ok(read / size),
        bytes => Err(StreamError::Torn { input: param.name.clone(), ty: param.ty, bytes }.into()),
    }
}

/// Reads until the bytes are full or the reader is at its end.
fn read_all(reader: &mut dyn Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match reader.read(&mut bytes[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// Sets lanes to bytes that are 0 or 1. Returns the place of the first other byte.
fn set_bools(lanes: &mut Lanes, at: usize, bytes: &[u8]) -> Result<(), (u64, u8)> {
    let Lanes::Bool(lanes) = lanes else { return Ok(()) };
    for (place, (lane, &byte)) in lanes[at..].iter_mut().zip(bytes).enumerate() {
        if byte > 1 {
            return Err((place as u64, byte));
        }
        *lane = byte == 1;
    }
    Ok(())
}

/// Returns the bytes of lanes; `None` for `bool`s, which have no other bytes than 0 and 1.
pub(crate) fn bytes_of(lanes: &mut Lanes) -> Option<&mut [u8]> {
    Some(match lanes {
        Lanes::Bool(_) => return None,
        Lanes::F16(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::Bf16(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::F32(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::F64(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::I8(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::I16(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::I32(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::I64(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::U8(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::U16(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::U32(lanes) => bytemuck::cast_slice_mut(lanes),
        Lanes::U64(lanes) => bytemuck::cast_slice_mut(lanes),
    })
}

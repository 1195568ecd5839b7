//! The bytes of partials. `docs/design/partials.md` describes them.
//!
//! ```text
//! bytes   = "reducegen parts\n" format:u32 length:u64 body checksum:u64     -- length: of the body; checksum: of all before it
//! body    = spec:text association:text params shape first:u64 end:u64 total:u64 chunk:u64 fields
//! params  = count:u64 { type:text bits:u64 }
//! shape   = count:u64 { length:u64 }
//! fields  = count:u64 { type:text count:u64 { element } }
//! text    = length:u64 { UTF-8 }
//! ```
//!
//! Numbers and elements are little-endian, a `bool` is 0 or 1.

use super::checksum::checksum;
use super::{Partials, PartialsError};
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;

const MAGIC: &[u8; 16] = b"reducegen parts\n";
const FORMAT: u32 = 1;
/// The bytes before the body.
const HEAD: usize = 28;
/// The bytes after the body.
const CHECKSUM: usize = 8;

impl Partials {
    /// Returns the partials as bytes, in a format with a version and a checksum. They are the same on every machine.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Writer::default();
        body.text(&self.spec);
        body.text(&self.association);
        body.number(self.params.len() as u64);
        for value in &self.params {
            body.text(value.ty().name());
            body.number(value.bits());
        }
        body.number(self.shape.len() as u64);
        self.shape.iter().for_each(|&length| body.number(length));
        for number in [self.range.start, self.range.end, self.total, self.chunk] {
            body.number(number);
        }
        body.number(self.fields.len() as u64);
        self.fields.iter().for_each(|field| body.lanes(field));
        let Writer(body) = body;
        let length = (body.len() as u64).to_le_bytes();
        let mut bytes = [&MAGIC[..], &FORMAT.to_le_bytes(), &length, &body].concat();
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads partials that [`Partials::to_bytes`] wrote, and nothing else. It allocates no more than a few times the number of bytes.
    ///
    /// # Errors
    /// The bytes are of another format, cut short, damaged or malformed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Partials, PartialsError> {
        let mut body = Reader(body(bytes)?);
        let (spec, association) = (body.text()?, body.text()?);
        let params = body.list(Reader::value)?;
        let shape = body.list(Reader::number)?;
        let [start, end, total, chunk] = [body.number()?, body.number()?, body.number()?, body.number()?];
        let fields = body.list(Reader::lanes)?;
        if !body.0.is_empty() {
            return Err(PartialsError::Malformed { what: "bytes follow the accumulators" });
        }
        Partials { spec, association, params, shape, range: start..end, total, chunk, fields }.check()
    }
}

/// Returns the body, if the bytes around it say that it is whole.
fn body(bytes: &[u8]) -> Result<&[u8], PartialsError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(PartialsError::NotPartials)?;
    let found = bytes.len() as u64;
    let short = PartialsError::Length { found, expected: (HEAD + CHECKSUM) as u64 };
    let Some((format, rest)) = rest.split_first_chunk() else { return Err(short) };
    let format = u32::from_le_bytes(*format);
    if format != FORMAT {
        return Err(PartialsError::Format { found: format, known: FORMAT });
    }
    let Some((length, rest)) = rest.split_first_chunk() else { return Err(short) };
    let expected = u64::from_le_bytes(*length).saturating_add((HEAD + CHECKSUM) as u64);
    if found != expected {
        return Err(PartialsError::Length { found, expected });
    }
    let Some((body, sum)) = rest.split_last_chunk() else { return Err(short) };
    if checksum(&bytes[..bytes.len() - CHECKSUM]) != u64::from_le_bytes(*sum) {
        return Err(PartialsError::Checksum);
    }
    Ok(body)
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    fn lanes(&mut self, lanes: &Lanes) {
        self.text(lanes.ty().name());
        self.number(lanes.len() as u64);
        let size = lanes.ty().size();
        for at in 0..lanes.len() {
            self.0.extend(&lanes.get(at).bits().to_le_bytes()[..size]);
        }
    }
}

/// The bytes that are not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: u64) -> Result<&'a [u8], PartialsError> {
        let taken = usize::try_from(len).ok().and_then(|len| self.0.split_at_checked(len));
        let (taken, rest) = taken.ok_or(PartialsError::Malformed { what: "a length is beyond the end" })?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, PartialsError> {
        let bytes = self.take(8)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn text(&mut self) -> Result<String, PartialsError> {
        let len = self.number()?;
        let text = String::from_utf8(self.take(len)?.to_vec());
        text.map_err(|_| PartialsError::Malformed { what: "a text is not UTF-8" })
    }

    /// Reads a list, item by item: a count that is too large ends with the bytes.
    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Reader<'a>) -> Result<T, PartialsError>,
    ) -> Result<Vec<T>, PartialsError> {
        (0..self.number()?).map(|_| item(self)).collect()
    }

    fn ty(&mut self) -> Result<Scalar, PartialsError> {
        Scalar::from_name(&self.text()?)
            .ok_or(PartialsError::Malformed { what: "a type has an unknown name" })
    }

    fn value(&mut self) -> Result<Value, PartialsError> {
        let ty = self.ty()?;
        self.number().and_then(|bits| value(ty, bits))
    }

    fn lanes(&mut self) -> Result<Lanes, PartialsError> {
        let (ty, len) = (self.ty()?, self.number()?);
        let bytes = self.take(len.saturating_mul(ty.size() as u64))?;
        let mut lanes = Lanes::empty(ty);
        lanes.resize(bytes.len() / ty.size());
        for (at, bytes) in bytes.chunks_exact(ty.size()).enumerate() {
            let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            lanes.set(at, value(ty, bits)?);
        }
        Ok(lanes)
    }
}

/// Returns the value of these bits, if the type has one.
fn value(ty: Scalar, bits: u64) -> Result<Value, PartialsError> {
    let value = Value::from_bits(ty, bits);
    if ty == Scalar::Bool && bits > 1 || value.bits() != bits {
        return Err(PartialsError::Malformed { what: "a value has bits that its type does not have" });
    }
    Ok(value)
}

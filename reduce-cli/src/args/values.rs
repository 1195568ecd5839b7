//! Parsers for the values of arguments.

use crate::dtype::Dtype;
use crate::params::Given;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};
use reduce_dsl::operators::{OPERATORS, Operator};
use reduce_dsl::parse;
use reduce_ir::Scalar;
use reduce_ir::program::LIMITS;
use reduce_runtime::{Architecture, Strided, Target};
use std::ffi::OsStr;
use std::num::{IntErrorKind, ParseIntError};

/// The maximum number of counted elements: the interpreter takes some seconds for each kernel.
pub(crate) const MOST_COUNTED: u64 = 1 << 20;

pub(super) fn raw_types() -> impl TypedValueParser<Value = &'static Dtype> {
    PossibleValuesParser::new(Scalar::ALL.map(Scalar::name))
        .try_map(|name| Dtype::named(&name).ok_or("not an element type"))
}

pub(super) fn types() -> impl TypedValueParser<Value = Scalar> {
    raw_types().map(|dtype| dtype.ty)
}

/// The parser for named operators. Its error suggests the most similar name.
#[derive(Clone)]
pub(super) struct Operators;

impl TypedValueParser for Operators {
    type Value = &'static Operator;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, name: &OsStr) -> Result<Self::Value, Error> {
        (|name: &str| parse::operator(name)).parse_ref(command, arg, name)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(OPERATORS.iter().map(|row| PossibleValue::new(row.name))))
    }
}

pub(super) fn elements(text: &str) -> Result<u64, &'static str> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("write the number of elements in digits, as in 1000000");
    }
    let fits = |n: &u64| (1..=1 << 40).contains(n);
    text.parse().ok().filter(fits).ok_or("the number of elements is 1 to 1099511627776")
}

pub(super) fn block(text: &str) -> Result<u32, &'static str> {
    let fits = |block: &u32| block.is_power_of_two() && LIMITS.block.contains(block);
    text.parse().ok().filter(fits).ok_or("a block has 32, 64, 128, 256, 512 or 1024 threads")
}

pub(super) fn speed(text: &str) -> Result<f64, &'static str> {
    let fits = |speed: &f64| speed.is_finite() && *speed > 0.0;
    text.parse()
        .ok()
        .filter(fits)
        .ok_or("the speed of memory is a positive number of gigabytes per second, as in 4600")
}

pub(super) fn bytes(text: &str) -> Result<u64, &'static str> {
    const UNITS: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let scaled = |(unit, shift): &(char, u32)| Some((text.strip_suffix(*unit)?, *shift));
    let (digits, shift) = UNITS.iter().find_map(scaled).unwrap_or((text, 0));
    let number: Option<u64> = digits.parse().ok();
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or("write a number of bytes, as in 8000000000, or of KiB, MiB, GiB or TiB, as in 8G")
}

pub(super) fn part(text: &str) -> Result<(u64, u64), &'static str> {
    let part = text.split_once('/').and_then(|(part, all)| Some((part.parse().ok()?, all.parse().ok()?)));
    part.filter(|(part, all)| (1..=*all).contains(part))
        .ok_or("a part is a number of all parts, from 1/8 to 8/8")
}

pub(super) fn offset(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|error: ParseIntError| {
        let out_of_range = *error.kind() == IntErrorKind::PosOverflow;
        let words = "an offset is a number, as in 1, or one for each file, as in 0,1";
        if out_of_range { "the offset is out of range" } else { words }
    })
}

pub(super) fn step(text: &str) -> Result<isize, &'static str> {
    text.parse().map_err(
        |_| "a step is a whole number, as in 2, or -1 for backwards, or one for each file, as in 2,-1",
    )
}

pub(super) fn len(text: &str) -> Result<usize, &'static str> {
    let most = Strided::<()>::MOST_REPEATED;
    let len = text.parse().ok().filter(|&len: &usize| len as u64 <= most);
    len.ok_or("a length is a number from 0 to 1099511627776, as in 1000")
}

pub(super) fn axis(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "an axis is a number, as in 0, or -1 for the last one, or several, as in 0,2")
}

pub(super) fn param(text: &str) -> Result<Given, &'static str> {
    let (name, value) = text.split_once('=').ok_or("a param is a name and its value, as in k=3")?;
    Ok(Given { name: name.trim().to_owned(), text: value.trim().to_owned() })
}

pub(super) fn target(text: &str) -> Result<Target, String> {
    match text.strip_prefix("compute_") {
        Some(number) => architecture(number).map(Target::Ptx),
        None => architecture(text).map(Target::Cubin),
    }
}

/// The architectures that CUDA 12 and 13 compile for, from Volta on.
const ARCHITECTURES: [u32; 15] = [70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121];

pub(super) fn architecture(text: &str) -> Result<Architecture, String> {
    let found: Architecture = text.parse().map_err(|error: reduce_runtime::Error| error.to_string())?;
    if ARCHITECTURES.contains(&found.number()) {
        return Ok(found);
    }
    let names = ARCHITECTURES.map(|number| format!("sm_{number}")).join(", ");
    Err(format!("{found} is no architecture that CUDA compiles for: {names}"))
}

//! Types and literals in C++.

use super::uses::Uses;
use reduce_ir::func::Param;
use reduce_ir::operation::{Operation, Record};
use reduce_ir::statements::{Chunk, Local, Ty};
use reduce_ir::{Scalar, Value};
use std::fmt::Write;

/// Returns the C++ type of a scalar. 16-bit floats are carried as their bits, so that no header is needed.
pub(super) fn scalar(ty: Scalar) -> &'static str {
    match ty {
        Scalar::Bool => "bool",
        Scalar::F16 | Scalar::Bf16 => "unsigned short",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::I8 => "signed char",
        Scalar::I16 => "short",
        Scalar::I32 => "int",
        Scalar::I64 => "long long",
        Scalar::U8 => "unsigned char",
        Scalar::U16 => "unsigned short",
        Scalar::U32 => "unsigned int",
        Scalar::U64 => "unsigned long long",
    }
}

/// Returns the number of bits of a scalar.
pub(super) fn bits(ty: Scalar) -> u32 {
    8 * ty.size() as u32
}

/// Returns the C++ type of an accumulator or result.
pub(super) fn record(record: &Record) -> &str {
    record.name.as_deref().unwrap_or_else(|| scalar(record.fields[0].ty))
}

/// Returns the C++ type of a vector of elements.
pub(super) fn vector(ty: Scalar, lanes: u32) -> String {
    format!("{ty}x{lanes}")
}

/// Returns the structs: the accumulator, the result, and vectors of elements.
pub(super) fn structs(operation: &Operation, uses: &Uses) -> String {
    let (acc, output) = (&operation.acc, &operation.stored());
    let mut text = fields(acc);
    if operation.position == Scalar::U32 && !acc.is_scalar() {
        text.insert_str(0, "\n// Positions have 32 bits: the kernels are for fewer than 2^32 elements.");
    }
    if output.name != acc.name {
        text.push_str(&fields(output));
    }
    for &(ty, lanes) in &uses.vectors {
        let (name, bytes) = (vector(ty, lanes), ty.size() * lanes as usize);
        let _ = write!(text, "\n// {lanes} consecutive elements, loaded at once.\n");
        let _ = writeln!(text, "struct alignas({bytes}) {name} {{{}}};", elements(ty, lanes));
    }
    text
}

/// Returns the members of a vector.
fn elements(ty: Scalar, lanes: u32) -> String {
    let element = scalar(ty);
    let Some(byte) = byte_of_word(ty, lanes) else { return format!(" {element} at[{lanes}]; ") };
    let words = lanes / Chunk::WORD;
    format!(
        "
    unsigned int words[{words}];
    __device__ __forceinline__ {element} at(unsigned int i) const {{ return {byte}; }}
"
    )
}

/// Returns byte i of the words of a vector, if it holds words. From an array of bytes, the compiler extracts a byte by
/// two or three instructions. From words it takes one, or two if the byte is signed.
fn byte_of_word(ty: Scalar, lanes: u32) -> Option<&'static str> {
    match ty {
        Scalar::U8 if lanes >= Chunk::WORD => Some("__byte_perm(words[i / 4], 0, 0x4440 + i % 4)"),
        Scalar::I8 if lanes >= Chunk::WORD => Some("(signed char)(words[i / 4] >> 8 * (i % 4))"),
        Scalar::U8 | Scalar::I8 | Scalar::Bool | Scalar::F16 | Scalar::Bf16 | Scalar::I16 => None,
        Scalar::U16 | Scalar::I32 | Scalar::U32 | Scalar::F32 => None,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => None,
    }
}

/// Returns whether a vector holds words instead of its elements.
pub(super) fn holds_words(ty: Scalar, lanes: u32) -> bool {
    byte_of_word(ty, lanes).is_some()
}

/// Returns an element of a vector.
pub(super) fn element(vector: &Local, lane: u32) -> String {
    let name = &vector.name;
    if matches!(vector.ty, Ty::Vector(ty, lanes) if holds_words(ty, lanes)) {
        format!("{name}.at({lane})")
    } else {
        format!("{name}.at[{lane}]")
    }
}

/// The function that loads a vector that no thread reads again.
pub(super) const LOAD_ONCE: &str = "
// Loads a value that is not read again: its cache line is evicted first.
template <typename V, typename Word> __device__ __forceinline__ V load_once(const void* at)
{
    const Word word = __ldcs(static_cast<const Word*>(at));
    V vector;
    memcpy(&vector, &word, sizeof vector);
    return vector;
}
";

/// Returns the CUDA type with the same number of bytes as a vector.
pub(super) fn word(ty: Scalar, lanes: u32) -> &'static str {
    match ty.size() * lanes as usize {
        16 => "uint4",
        8 => "uint2",
        4 => "unsigned int",
        _ => "unsigned short",
    }
}

/// Returns the definition of a struct.
fn fields(it: &Record) -> String {
    if it.is_scalar() {
        return String::new();
    }
    let field = |Param { name, ty }: &Param| format!("    {} {};\n", scalar(*ty), name);
    let fields: String = it.fields.iter().map(field).collect();
    format!("\nstruct {} {{\n{fields}}};\n", record(it))
}

/// Returns the literal of exactly that value.
pub(super) fn literal(value: Value) -> String {
    let (ty, bits) = (value.ty(), value.bits());
    match ty {
        Scalar::Bool => value.to_string(),
        Scalar::F16 | Scalar::Bf16 => format!("(unsigned short)0x{}", value.hex()),
        Scalar::F32 if value.as_f64().is_some_and(f64::is_finite) => format!("{value}f"),
        Scalar::F32 => format!("__int_as_float(0x{})", value.hex()),
        Scalar::F64 if value.as_f64().is_some_and(f64::is_finite) => value.to_string(),
        Scalar::F64 => format!("__longlong_as_double(0x{})", value.hex()),
        Scalar::I32 if bits == 1 << 31 => "(-2147483647 - 1)".to_owned(),
        Scalar::I64 if bits == 1 << 63 => "(-9223372036854775807ll - 1)".to_owned(),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::U8 | Scalar::U16 => value.to_string(),
        Scalar::U32 => format!("{value}u"),
        Scalar::I64 => format!("{value}ll"),
        Scalar::U64 => format!("{value}ull"),
    }
}

/// Returns the literal of an unsigned integer in hexadecimal.
pub(super) fn hex(value: Value) -> String {
    let decimal = literal(value);
    format!("{:#x}{}", value.bits(), decimal.trim_start_matches(|c: char| c.is_ascii_digit()))
}

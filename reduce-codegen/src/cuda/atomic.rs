//! Atomic combinations in C++: one instruction if the hardware has it, otherwise a loop around compare-and-swap.

use super::func::INLINE;
use super::types::scalar;
use reduce_ir::Scalar;
use reduce_ir::func::Node;
use reduce_ir::operation::Operation;
use reduce_ir::ops::Bin;

/// Returns the statement that combines `value` into the memory at `at`.
pub(super) fn combine(operation: &Operation, at: &str, value: &str) -> String {
    match instruction(operation) {
        // Two's complement gives the same bits for both signs, and CUDA has these functions for the unsigned type only.
        Some((name, Scalar::I64)) if !matches!(name, "atomicMin" | "atomicMax") => {
            format!("{name}(reinterpret_cast<unsigned long long*>(&{at}), (unsigned long long){value});")
        }
        Some((name, _)) => format!("{name}(&{at}, {value});"),
        None => format!("atomic_combine(&{at}, {value});"),
    }
}

/// Returns the function `atomic_combine`, if the hardware has no instruction.
pub(super) fn function(operation: &Operation) -> String {
    let ty = operation.acc.fields[0].ty;
    if instruction(operation).is_some() {
        return String::new();
    }
    let (name, word) = (scalar(ty), if ty.size() == 4 { "unsigned int" } else { "unsigned long long" });
    let (bits, value) = casts(ty);
    format!(
        "\n// *at = combine(*at, acc), in one step.\n\
         {INLINE} void atomic_combine({name}* at, {name} acc)\n{{\n    \
         {word}* const word = reinterpret_cast<{word}*>(at);\n    \
         {word} seen = *const_cast<volatile {word}*>(word);\n    \
         for (;;) {{\n        \
         const {word} expected = seen;\n        \
         const {word} wanted = {bits}(combine({value}(expected), acc));\n        \
         if (wanted == expected) return;\n        \
         seen = atomicCAS(word, expected, wanted);\n        \
         if (seen == expected) return;\n    \
         }}\n}}\n"
    )
}

/// Returns whether the instruction flushes subnormals to 0, under any compiler flags (PTX ISA, `atom.add.f32`).
pub(super) fn flushes(operation: &Operation) -> bool {
    instruction(operation) == Some(("atomicAdd", Scalar::F32))
}

/// Returns the instruction that computes `op`, and its type.
fn instruction(operation: &Operation) -> Option<(&'static str, Scalar)> {
    let combine = &operation.combine;
    let ([line], [result]) = (combine.lines(), combine.results()) else { return None };
    let Node::Bin(op, a, b) = line.node else { return None };
    let of_both = a != b && [a, b].iter().all(|&side| combine.line(side).is_none());
    let float = line.ty.is_float();
    let name = match (op, float) {
        (Bin::Add, _) => "atomicAdd",
        (Bin::Min, false) => "atomicMin",
        (Bin::Max, false) => "atomicMax",
        (Bin::And, false) => "atomicAnd",
        (Bin::Or, false) => "atomicOr",
        (Bin::Xor, false) => "atomicXor",
        (Bin::Min | Bin::Max | Bin::And | Bin::Or | Bin::Xor, true) => return None,
        (Bin::MinNum | Bin::MaxNum | Bin::Shl | Bin::Shr, _) => return None,
        (Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem, _) => return None,
        (Bin::Powf | Bin::Hypot | Bin::Atan2, _) => return None,
    };
    (of_both && *result == combine.id_of_line(0)).then_some((name, line.ty))
}

/// Returns the conversions from a scalar to its bits, and back.
fn casts(ty: Scalar) -> (&'static str, &'static str) {
    match ty {
        Scalar::F32 => ("__float_as_uint", "__uint_as_float"),
        Scalar::F64 => ("(unsigned long long)__double_as_longlong", "__longlong_as_double"),
        Scalar::I32 => ("(unsigned int)", "(int)"),
        Scalar::I64 => ("(unsigned long long)", "(long long)"),
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 | Scalar::I8 | Scalar::I16 => ("", ""),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => ("", ""),
    }
}

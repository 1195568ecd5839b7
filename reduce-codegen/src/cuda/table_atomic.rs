//! Atomic combinations into tables of accumulators: each field by one instruction, or 64-bit sums in shared memory by two.

use super::func::INLINE;
use super::types::record;
use reduce_ir::Scalar;
use reduce_ir::func::Node;
use reduce_ir::operation::Operation;
use reduce_ir::ops::Bin;

/// Returns whether each field of the accumulator is combined by an instruction. The order of combinations does not show.
pub(crate) fn combines_by_atomics(operation: &Operation) -> bool {
    operation.exact && operation.commutative && operation.fold.is_none() && fields(operation).is_some()
}

/// Returns the function that combines each field, if there is one for every field.
fn fields(operation: &Operation) -> Option<Vec<(&'static str, Scalar)>> {
    let (combine, count) = (&operation.combine, operation.acc.fields.len() as u32);
    let field = |(k, result): (u32, &reduce_ir::func::Id)| {
        let line = combine.line(*result)?;
        let Node::Bin(op, a, b) = line.node else { return None };
        let mut sides = [a.0, b.0];
        sides.sort_unstable();
        (sides == [k, k + count]).then_some(())?;
        instruction(op, line.ty).map(|name| (name, line.ty))
    };
    (0..).zip(combine.results()).map(field).collect()
}

fn instruction(op: Bin, ty: Scalar) -> Option<&'static str> {
    let is_wide = match ty {
        Scalar::I32 | Scalar::U32 => false,
        Scalar::I64 | Scalar::U64 => true,
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => return None,
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => return None,
    };
    match (op, is_wide) {
        (Bin::Add, false) => Some("atomicAdd"),
        (Bin::Add, true) => Some(ADD_WIDE),
        (Bin::Min, false) => Some("atomicMin"),
        (Bin::Max, false) => Some("atomicMax"),
        (Bin::And, false) => Some("atomicAnd"),
        (Bin::Or, false) => Some("atomicOr"),
        (Bin::Xor, false) => Some("atomicXor"),
        (Bin::Min | Bin::Max | Bin::And | Bin::Or | Bin::Xor, true) => None,
        (Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem, _) => None,
        (Bin::Powf | Bin::Hypot | Bin::Atan2, _) => None,
        (Bin::MinNum | Bin::MaxNum | Bin::Shl | Bin::Shr, _) => None,
    }
}

/// The name of the function that adds 64-bit integers.
const ADD_WIDE: &str = "add_words";

/// The function that adds 64-bit integers. The hardware has no such instruction in shared memory, and a loop around compare-and-swap is slow
/// where many threads meet.
const ADD_WORDS: &str = "
// Adds to an integer in shared memory, as two words. The sum is whole once all threads have added.
__device__ __forceinline__ void add_words(void* at, unsigned long long value)
{
    unsigned int* const words = static_cast<unsigned int*>(at);
    const unsigned int low = (unsigned int)value;
    const unsigned int before = atomicAdd(&words[0], low);
    const unsigned int high = (unsigned int)(value >> 32) + (before + low < before);
    if (high != 0) {
        atomicAdd(&words[1], high);
    }
}
";

/// Returns the function `join_atomically`, after those that it calls. The table lies in shared memory or in global memory.
pub(super) fn function(operation: &Operation, in_shared: bool) -> String {
    let fields = fields(operation).unwrap_or_default();
    let is_wide = fields.iter().any(|(name, _)| *name == ADD_WIDE);
    let acc = record(&operation.acc);
    let names = operation.acc.fields.iter().map(|field| field.name.as_str());
    let join = |(name, (function, _)): (&str, &(&str, Scalar))| {
        let (at, value) = match name {
            "" => ("at".to_owned(), "acc".to_owned()),
            of => (format!("&at->{of}"), format!("acc.{of}")),
        };
        if *function != ADD_WIDE || in_shared {
            return format!("    {function}({at}, {value});\n");
        }
        // Two's complement gives the same bits for both signs, and CUDA has this function for the unsigned type only.
        format!("    atomicAdd((unsigned long long*)({at}), (unsigned long long){value});\n")
    };
    let body: String = names.zip(&fields).map(join).collect();
    let words = if is_wide && in_shared { ADD_WORDS } else { "" };
    format!(
        "{words}\n// *at = combine(*at, acc), field by field, while other threads do the same.\n\
         {INLINE} void join_atomically({acc}* at, {acc} acc)\n{{\n{body}}}\n"
    )
}

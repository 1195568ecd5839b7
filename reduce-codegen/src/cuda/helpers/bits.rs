//! Counts of bits. CUDA's functions count in 32 and 64 bits, and return the width for zero.

use super::returning;
use crate::cuda::types::{bits, scalar};
use reduce_ir::Scalar;
use reduce_ir::ops::Un;

pub(super) fn un(op: Un, ty: Scalar, name: &str) -> String {
    let (width, long) = (bits(ty), if bits(ty) == 64 { "ll" } else { "" });
    let value = if op == Un::CountOnes {
        format!("__popc{long}({})", unsigned(ty))
    } else if op == Un::LeadingZeros && width < 32 {
        format!("__clz({}) - {}", unsigned(ty), 32 - width)
    } else if op == Un::LeadingZeros {
        format!("__clz{long}(a)")
    } else if width < 32 {
        // The bit above the highest one ends the count.
        format!("__clz(__brev(a | {:#x}))", 1 << width)
    } else {
        format!("__clz{long}(__brev{long}(a))")
    };
    returning("unsigned int", name, &format!("{} a", scalar(ty)), &value)
}

/// Returns `a` without sign extension.
fn unsigned(ty: Scalar) -> String {
    if ty.is_signed() && ty.size() < 4 { format!("({})a", scalar(ty.bits_type())) } else { "a".to_owned() }
}

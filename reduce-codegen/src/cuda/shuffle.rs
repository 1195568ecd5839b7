//! Shuffles of accumulators, of which the hardware moves 4 and 8 bytes.

use super::func::INLINE;
use super::types::{record, scalar};
use reduce_ir::Scalar;
use reduce_ir::operation::Record;

/// Does `__shfl_down_sync` take the accumulator as it is?
pub(super) fn shuffles_directly(acc: &Record) -> bool {
    acc.is_scalar() && acc.size() >= 4
}

/// The function `shuffle_down`, where accumulators need one: that of the lane `stride` lanes up, field by field.
pub(super) fn function(acc: &Record) -> String {
    if shuffles_directly(acc) {
        return String::new();
    }
    let name = record(acc);
    let values = acc.params("acc");
    let fields: Vec<_> = values.iter().map(|it| shuffled(it.ty, &it.name)).collect();
    let fields = fields.join(", ");
    let value = if acc.is_scalar() { fields } else { format!("{name}{{{fields}}}") };
    format!(
        "\n{INLINE} {name} shuffle_down(unsigned int mask, {name} acc, unsigned int stride)\n{{\n    return {value};\n}}\n"
    )
}

fn shuffled(ty: Scalar, value: &str) -> String {
    if ty == Scalar::Bool {
        format!("__shfl_down_sync(mask, (int){value}, stride) != 0")
    } else if ty.size() < 4 {
        format!("({})__shfl_down_sync(mask, (int){value}, stride)", scalar(ty))
    } else {
        format!("__shfl_down_sync(mask, {value}, stride)")
    }
}

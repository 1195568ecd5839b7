//! Shuffles of accumulators. The hardware shuffles 4 and 8 bytes.

use super::func::INLINE;
use super::types::{record, scalar};
use reduce_ir::Scalar;
use reduce_ir::operation::Record;

/// Returns whether `__shfl_down_sync` takes the accumulator as it is.
pub(super) fn shuffles_directly(acc: &Record) -> bool {
    acc.is_scalar() && acc.size() >= 4
}

/// Returns the function `shuffle_down`, if accumulators need one: it shuffles them field by field, from the lane
/// `stride` lanes up.
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

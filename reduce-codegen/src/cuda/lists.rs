//! Lists of numbers in shared memory, and the parameters of kernels over segments.

use super::uses::Uses;
use super::{expr, stmt::Context, types};
use reduce_ir::Scalar;
use reduce_ir::statements::{Buffer, List, LoweredKernel};

/// The function that appends to a list.
pub(super) const APPEND: &str = "
// Appends to a list in shared memory, unless it is full.
__device__ __forceinline__ void append(unsigned int* list, unsigned int* length, unsigned int most, unsigned int value)
{
    const unsigned int at = atomicAdd(length, 1);
    if (at < most) {
        list[at] = value;
    }
}
";

/// Declares a list; without its length if it is an array that threads write at places of their own.
pub(super) fn declared(list: &List, has_length: bool) -> String {
    let List { name, most } = list;
    if !has_length {
        return format!("    __shared__ unsigned int {name}[{most}];\n");
    }
    format!("    __shared__ unsigned int {name}[{most}];\n    __shared__ unsigned int {name}_length;\n")
}

/// Prints the length of a list.
pub(super) fn length(lists: &[List], name: &str) -> String {
    format!("min({name}_length, {})", most(lists, name))
}

/// Returns the constant that is the greatest length of a list.
fn most(lists: &[List], name: &str) -> &'static str {
    lists.iter().find(|list| list.name == name).map_or("0", |list| list.most)
}

/// Prints a call that appends to a list.
pub(super) fn append(lists: &[List], name: &str, value: &str) -> String {
    format!("append({name}, &{name}_length, {}, {value});", most(lists, name))
}

/// Returns the parameters of a kernel over segments or keys: those that it uses.
pub(super) fn parameters(context: Context<'_>, kernel: &LoweredKernel, uses: &Uses) -> String {
    let operation = context.operation;
    let own = if kernel.dependent { "" } else { "__restrict__ " };
    let stored = operation.stored();
    let [acc, output] = [&operation.acc, &stored].map(types::record);
    let count = "unsigned long long";
    let one = |buffer: &Buffer| {
        let name = expr::buffer(operation, *buffer);
        match *buffer {
            Buffer::Input(k) => Some(format!("const {}* {own}{name}", types::scalar(operation.inputs[k].ty))),
            Buffer::Items => Some(format!("const {acc}* {own}{name}")),
            Buffer::Partials => Some(format!("{acc}* {name}")),
            Buffer::Result => Some(format!("{output}* {name}")),
            Buffer::Offsets(ty) if uses.writes_offsets => Some(format!("{}* {name}", types::scalar(ty))),
            Buffer::Offsets(ty) => Some(format!("const {}* {own}{name}", types::scalar(ty))),
            Buffer::Tiles | Buffer::LongSegments => Some(format!("{count}* {name}")),
            Buffer::Marks => Some(format!("unsigned int* {name}")),
            Buffer::Keys(ty) => Some(format!("{}* {name}", types::scalar(ty))),
            Buffer::Number => Some(format!("const {count}* {own}{name}")),
            Buffer::Ticket | Buffer::Shared(_) | Buffer::List(_) => None,
        }
    };
    let with_steps = |&buffer: &Buffer| {
        let axes = if matches!(buffer, Buffer::Input(_)) { 0..kernel.domain.steps() } else { 0..0 };
        let steps = axes.map(|axis| format!("{count} {}", expr::step(expr::buffer(operation, buffer), axis)));
        one(&buffer).into_iter().chain(steps).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = uses.buffers.iter().flat_map(with_steps).collect();
    all.push(format!("{count} n"));
    let has_groups =
        is_over_segments(uses) && !uses.writes_offsets && !uses.buffers.contains(&Buffer::Number);
    all.extend(has_groups.then(|| format!("{count} groups")));
    all.extend((is_over_segments(uses) && kernel.domain.steps() > 0).then(|| format!("{count} size_0")));
    all.extend(uses.faults.then(|| format!("{count}* fault")));
    if uses.buffers.contains(&Buffer::Result) || !is_over_segments(uses) {
        all.extend(operation.params.iter().map(|it| format!("{} {}", types::scalar(it.ty), it.name)));
    }
    all.join(", ")
}

/// Returns whether a kernel is over segments.
pub(super) fn is_over_segments(uses: &Uses) -> bool {
    [Scalar::U32, Scalar::U64].into_iter().any(|ty| uses.buffers.contains(&Buffer::Offsets(ty)))
}

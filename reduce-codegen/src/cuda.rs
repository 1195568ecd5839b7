//! Prints a lowered program as CUDA C++: without headers, for every architecture from sm_75, and readable.
//!
//! The printer decides nothing: each statement has one spelling. It cannot fail on a verified program.

mod atomic;
mod cluster;
mod expr;
mod flag;
mod func;
mod header;
mod helpers;
pub(crate) mod keys_header;
mod lines;
mod lists;
mod message;
mod redux;
pub(crate) mod segments_header;
mod shuffle;
mod spelling;
mod stmt;
mod table_atomic;
mod turns;
mod types;
mod unaligned;
mod uses;

pub(crate) use table_atomic::combines_by_atomics;

use crate::error::{Error, check_names};
use crate::lower;
use crate::names::in_kernels;
use reduce_ir::operation::Operation;
use reduce_ir::program::{LIMITS, Program, Reads};
use reduce_ir::redux::Redux;
use reduce_ir::statements::{Constant, LoweredKernel, Shared};
use std::fmt::Write;
use std::slice;
use stmt::Context;
use uses::Uses;

/// The flags for NVRTC, besides the architecture. All but the first are defaults of nvcc or do not matter to the
/// emitted text. They are given so that the defaults of other compilers do not matter.
pub const NVRTC_FLAGS: [&str; 5] =
    ["--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"];

/// Returns the most registers per thread with which a block of `block` threads can run. A block has 65,536 on every
/// architecture (CUDA C++ Programming Guide, technical specifications). A kernel that takes more is compiled with
/// `--maxrregcount`.
pub const fn most_registers(block: u32) -> u32 {
    65_536 / block
}

/// Returns the CUDA C++ of a verified program.
///
/// # Errors
/// The same as for [`lower`](crate::lower()).
pub fn cuda(program: &Program) -> Result<String, Error> {
    Ok(printed(program, false)?.0)
}

/// For each kernel, the line of each of its [statements](LoweredKernel::statements), counted from 0; none for a statement that has no text.
pub type Lines = Vec<Vec<Option<usize>>>;

/// Returns the CUDA C++ of a verified program, and the lines of its statements.
///
/// # Errors
/// The same as for [`cuda`].
pub fn cuda_with_lines(program: &Program) -> Result<(String, Lines), Error> {
    let (text, kernels) = printed(program, true)?;
    Ok(lines::read(&text, &kernels))
}

/// Returns the text of a program, with a mark for each statement if `marks`, and the kernels that it launches.
fn printed(program: &Program, marks: bool) -> Result<(String, Vec<LoweredKernel>), Error> {
    check_names(&program.operation)?;
    let program = &Program { operation: in_kernels(&program.operation), ..program.clone() };
    let mut kernels = lower(program)?.kernels;
    kernels.truncate(if program.has_one_launch() { 1 } else { kernels.len() });
    let text = header::header(program) + &kernels_text(&program.operation, &kernels, marks);
    Ok((text, kernels))
}

/// Returns the CUDA C++ of kernels over one operation, after the types and functions that they use. Without kernels, these are all that the
/// operation has.
pub fn cuda_kernels(operation: &Operation, kernels: &[LoweredKernel]) -> String {
    kernels_text(operation, kernels, false)
}

/// Returns the head and the CUDA C++ of kernels, and the lines of their statements.
pub(crate) fn kernels_with_lines(
    head: &str,
    operation: &Operation,
    kernels: &[LoweredKernel],
) -> (String, Lines) {
    lines::read(&(head.to_owned() + &kernels_text(operation, kernels, true)), kernels)
}

fn kernels_text(operation: &Operation, kernels: &[LoweredKernel], marks: bool) -> String {
    let operation = &in_kernels(operation);
    let uses = Uses::of(kernels);
    let mut text = types::structs(operation, &uses);
    uses.unaligned.iter().for_each(|&(ty, lanes)| text.push_str(&unaligned::function(ty, lanes)));
    text.push_str(&func::functions(operation, uses.accs));
    if uses.shuffles {
        text.push_str(&shuffle::function(&operation.acc));
    }
    if let (Some(some_lanes), Some(redux)) = (uses.redux, Redux::of(operation)) {
        text.push_str(&redux::functions(&redux, &operation.acc, some_lanes));
    }
    let has_tables = operation.key.is_some();
    if uses.atomics && !has_tables {
        text.push_str(&atomic::function(operation));
    }
    if uses.shared_atomics || (uses.atomics && has_tables) {
        text.push_str(&table_atomic::function(operation, uses.shared_atomics));
    }
    if uses.flags {
        text.push_str(flag::FUNCTIONS);
    }
    if uses.appends {
        text.push_str(lists::APPEND);
    }
    if uses.prefixes {
        text.push_str(turns::SUM_BEFORE);
    }
    if uses.turns {
        text.push_str(turns::FUNCTIONS);
    }
    if uses.nothing {
        text.push_str(&func::nothing(operation));
    }
    if kernels.iter().any(|kernel| kernel.streaming) {
        text.push_str(types::LOAD_ONCE);
    }
    if kernels.iter().any(|kernel| kernel.cluster > 1) {
        text.push_str(cluster::RANK);
    }
    if uses.neighbours {
        text.push_str(cluster::NEIGHBOUR);
    }
    if uses.messages {
        text.push_str(&message::functions(&operation.acc));
    }
    kernels.iter().for_each(|it| text.push_str(&kernel(operation, it, marks)));
    text
}

fn kernel(operation: &Operation, kernel: &LoweredKernel, marks: bool) -> String {
    // No launch bounds, except for segments. With a minimum of blocks per multiprocessor, ptxas of CUDA 13.0 spills in `var`, `describe` and
    // sums of bytes. Where it does not, as in `minmax` at 2^24, they would gain 3 % (docs/decisions.md).
    let cluster =
        if kernel.cluster > 1 { format!("__cluster_dims__({}) ", kernel.cluster) } else { String::new() };
    let bounds = kernel.resident.map(|blocks| format!("__launch_bounds__({}, {blocks}) ", kernel.block));
    let cluster = bounds.unwrap_or_default() + &cluster;
    let context = Context { operation, streaming: kernel.streaming, lists: &kernel.lists, marks };
    let bytes = |it: &Shared| kernel.constant(it.len) as usize * operation.acc.size();
    let is_asked = kernel.shared.iter().map(bytes).sum::<usize>() > LIMITS.shared;
    let mut shared: String = kernel.shared.iter().map(|it| shared(context, it, is_asked)).collect();
    let appends = Uses::of(slice::from_ref(kernel)).appends;
    kernel.lists.iter().for_each(|list| shared.push_str(&lists::declared(list, appends)));
    let rest = shared + &stmt::body(context, &kernel.body, 1);
    let (name, parameters) = (kernel.name, parameters(context, kernel));
    let constants = constants(&kernel.constants, &rest);
    format!("\nextern \"C\" __global__ void {cluster}{name}({parameters})\n{{\n{constants}{rest}}}\n")
}

/// Returns the constants that the rest of the kernel or their formulas name. The compiler warns of unused ones.
fn constants(all: &[Constant], rest: &str) -> String {
    let mut text = String::new();
    for it in all.iter().rev() {
        if names(rest, it.name) || names(&text, it.name) {
            text.insert_str(0, &constant(it));
        }
    }
    text
}

/// Returns whether a name is one of the words of a text.
fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

fn constant(it: &Constant) -> String {
    let declaration = format!("    constexpr unsigned int {} = {};", it.name, it.formula);
    if it.note.is_empty() { declaration + "\n" } else { format!("{declaration:<59} // {}\n", it.note) }
}

fn shared(context: Context<'_>, it: &Shared, is_asked: bool) -> String {
    let acc = &context.operation.acc;
    if is_asked {
        return format!("    extern __shared__ {} {}[];\n", types::record(acc), it.name);
    }
    let holds = if it.sent { message::slot(acc) } else { types::record(acc).to_owned() };
    let array = format!("    __shared__ {holds} {}[{}];\n", it.name, it.len);
    if it.sent { array + message::COUNT } else { array }
}

fn parameters(context: Context<'_>, kernel: &LoweredKernel) -> String {
    let operation = context.operation;
    // `__restrict__` is right only if no thread writes the memory while the kernel runs. On memory that others write,
    // the compiler drops stores before barriers and releases, as if only this thread read them. In a dependent kernel,
    // the previous launch writes until the wait.
    let own = if kernel.dependent { "" } else { "__restrict__ " };
    let stored = operation.stored();
    let [acc, output] = [&operation.acc, &stored].map(types::record);
    let uses = Uses::of(slice::from_ref(kernel));
    let has_keys = operation.key.is_some() && kernel.reads == Reads::Inputs;
    if lists::is_over_segments(&uses) || has_keys {
        return lists::parameters(context, kernel, &uses);
    }
    let mut text = String::new();
    match kernel.reads {
        Reads::Inputs => operation.inputs.iter().for_each(|input| {
            let _ = write!(text, "const {}* {own}{}, ", types::scalar(input.ty), input.name);
            for axis in 0..kernel.domain.steps() {
                let _ = write!(text, "unsigned long long {}, ", expr::step(&input.name, axis));
            }
        }),
        Reads::Partials => {
            let items = if uses.writes_items { format!("{acc}*") } else { format!("const {acc}* {own}") };
            let _ = write!(text, "{} items, ", items.trim_end());
        }
    }
    let ticket = if uses.ticket { ", unsigned int* ticket".to_owned() } else { String::new() };
    let counts = kernel.reads == Reads::Partials && operation.counts();
    let elements = if counts { ", unsigned long long elements" } else { "" };
    let params: String =
        operation.params.iter().map(|it| format!(", {} {}", types::scalar(it.ty), it.name)).collect();
    let partial = if uses.flags { "unsigned long long" } else { acc };
    let groups = if kernel.domain.is_grouped() { ", unsigned long long groups" } else { "" };
    let sizes: String = match kernel.reads {
        Reads::Inputs => {
            kernel.domain.sizes().map(|axis| format!(", unsigned long long size_{axis}")).collect()
        }
        Reads::Partials => String::new(),
    };
    text + &format!(
        "{partial}* partials, {output}* result, unsigned long long n{groups}{sizes}{ticket}{elements}{params}"
    )
}

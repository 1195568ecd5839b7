//! CUDA C++ from an expanded program: header-free, for every architecture from sm_75, as if written by hand.
//!
//! The printer decides nothing, and cannot fail on a verified program: each statement has one spelling.

mod atomic;
mod expr;
mod func;
mod header;
mod helpers;
mod stmt;
mod types;

use crate::error::Error;
use crate::expand;
use reduce_dsl::expanded::{Constant, ExpandedKernel, Shared};
use reduce_dsl::operation::{Layout, Operation};
use reduce_dsl::program::{Program, Reads};
use std::fmt::Write;

/// The flags that NVRTC gets besides the architecture. All but the first are nvcc's defaults or do not
/// matter to the emitted text; they are given so that nobody's defaults do.
pub const NVRTC_FLAGS: [&str; 5] =
    ["--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"];

/// The CUDA C++ of a verified program.
///
/// # Errors
/// The expansion breaks a rule of its verifier: a bug.
pub fn cuda(program: &Program) -> Result<String, Error> {
    let expanded = expand(program)?;
    let operation = &program.operation;
    let mut text = header::header(program);
    text.push_str(&types::structs(program));
    text.push_str(&helpers::helpers(operation));
    text.push_str(&func::functions(operation, uses_shuffle(program)));
    if program.kernel(Reads::Inputs).is_atomic() {
        text.push_str(&atomic::function(operation));
    }
    let launched = if program.has_one_launch() { 1 } else { 2 };
    expanded.kernels.iter().take(launched).for_each(|it| text.push_str(&kernel(program, it)));
    Ok(text)
}

fn uses_shuffle(program: &Program) -> bool {
    use reduce_dsl::program::Medium;
    program
        .kernels
        .iter()
        .flat_map(|kernel| kernel.combines())
        .any(|combine| combine.medium == Medium::Shuffle)
}

fn kernel(program: &Program, kernel: &ExpandedKernel) -> String {
    let operation = &program.operation;
    let in_place = program.kernel(kernel.reads).in_place().is_some();
    // No launch bounds: told the block size, ptxas of CUDA 13.0 spills in argmax to fit more blocks on an SM,
    // and without it every kernel that was measured is as fast or faster (ARCHITECTURE.md, Measurements).
    let mut text = format!(
        "\nextern \"C\" __global__ void {}({})\n{{\n",
        kernel.name,
        parameters(operation, kernel, in_place)
    );
    kernel.constants.iter().for_each(|it| text.push_str(&constant(it)));
    kernel.shared.iter().for_each(|it| text.push_str(&shared(operation, it)));
    text.push_str(&stmt::body(operation, &kernel.body, 1));
    text.push_str("}\n");
    text
}

fn constant(it: &Constant) -> String {
    let declaration = format!("    constexpr unsigned int {} = {};", it.name, it.formula);
    format!("{declaration:<59} // {}\n", it.note)
}

fn shared(operation: &Operation, it: &Shared) -> String {
    format!("    __shared__ {} {}[{}];\n", types::record(&operation.acc), it.name, it.len)
}

fn parameters(operation: &Operation, kernel: &ExpandedKernel, in_place: bool) -> String {
    let (acc, output) = (types::record(&operation.acc), types::record(&operation.output));
    let mut text = String::new();
    match kernel.reads {
        Reads::Inputs => operation.inputs.iter().for_each(|input| {
            let _ = write!(text, "const {}* __restrict__ {}, ", types::scalar(input.ty), input.name);
            if operation.layout == Layout::Strided {
                let _ = write!(text, "unsigned long long {}_step, ", input.name);
            }
        }),
        Reads::Partials => {
            let _ = write!(text, "{}{acc}* __restrict__ items, ", if in_place { "" } else { "const " });
        }
    }
    text + &format!("{acc}* __restrict__ partials, {output}* __restrict__ result, unsigned long long n")
}

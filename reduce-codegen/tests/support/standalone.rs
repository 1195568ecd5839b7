//! Prints a kernel of the corpus as a CUDA program of its own, for tools that observe a GPU.

use super::corpus::Entry;
use reduce_codegen::cuda_kernels;
use reduce_ir::program::Reads;
use std::slice;

/// Returns the program. It launches the kernel with a bug, or the correct one, as the entry states, on zeros.
pub fn program(entry: &Entry, bug: Option<char>) -> String {
    let (operation, kernel) = (entry.operation(), entry.kernel(bug));
    let [grid, launches] = ["grid", "launches"].map(|key| entry.number(key).unwrap_or(1));
    let (declarations, arguments): (Vec<_>, Vec<_>) = memory(entry, kernel.reads).into_iter().unzip();
    let uses_ticket = kernel.to_string().contains("ticket[");
    let arguments = if uses_ticket { &arguments[..] } else { &arguments[..arguments.len() - 1] };
    format!(
        "\
#include <csignal>
#include <cstdio>
#include <cuda_runtime.h>
#include <unistd.h>
{kernels}
static char* memory(size_t bytes, size_t written)
{{
    void* at = nullptr;
    cudaMalloc(&at, bytes);
    cudaMemset(at, 0, written);
    return static_cast<char*>(at);
}}

// A kernel that does not end would keep the GPU busy.
static void stuck(int)
{{
    const char text[] = \"stuck\\n\";
    _exit(write(1, text, sizeof text - 1) < 0 ? 1 : 2);
}}

int main()
{{
    std::signal(SIGALRM, stuck);
    alarm(20);
{declarations}    void* arguments[] = {{{arguments}}};
    for (unsigned int launch = 0; launch < {launches}; ++launch) {{
        cudaLaunchKernel({name}, {grid}, {block}, arguments, 0, nullptr);
    }}
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf(\"%s\\n\", cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
}}
",
        kernels = cuda_kernels(&operation, slice::from_ref(&kernel)),
        declarations = declarations.concat(),
        arguments = arguments.join(", "),
        name = kernel.name,
        block = kernel.block,
    )
}

/// Returns a declaration and an argument for each parameter of the kernel, in their order, with the tickets last.
fn memory(entry: &Entry, reads: Reads) -> Vec<(String, String)> {
    let operation = entry.operation();
    let number = |key: &str| entry.number::<usize>(key);
    let (n, acc) = (number("n").unwrap(), operation.acc.size());
    let buffer = |name: &str, bytes: usize, written: usize, offset: usize| {
        let at = if offset > 0 { format!(" + {offset}") } else { String::new() };
        (format!("    char* {name} = memory({}, {written}){at};\n", bytes + offset), format!("&{name}"))
    };
    let mut all: Vec<_> = match reads {
        Reads::Inputs => operation
            .inputs
            .iter()
            .enumerate()
            .map(|(k, input)| {
                let size = input.ty.size();
                let offset = if number("misaligned") == Some(k) { size } else { 0 };
                buffer(&input.name, n * size, n * size + offset, offset)
            })
            .collect(),
        Reads::Partials => {
            vec![buffer("items", number("items").unwrap() * acc, number("written").unwrap() * acc, 0)]
        }
    };
    let flags = entry.has_setting("workspace", "flags");
    let partial = if flags { 8 * operation.acc.words() } else { acc };
    let partials = number("partials").or(number("grid")).unwrap() * partial;
    let written = if flags || entry.has_setting("workspace", "empty") { partials } else { 0 };
    let tickets = 4 * number("tickets").unwrap_or(1);
    all.push(buffer("partials", partials, written, 0));
    all.push(buffer("result", operation.output.size(), 0, 0));
    all.push((format!("    unsigned long long n = {n};\n"), "&n".to_owned()));
    all.push(buffer("ticket", tickets, tickets, 0));
    all
}

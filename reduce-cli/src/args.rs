//! The arguments of the command.

mod examples;
mod values;

pub(crate) use values::{MOST_COUNTED, Place};

use crate::dtype::Dtype;
use crate::params::Given;
use clap::{Parser, Subcommand, ValueEnum};
use reduce_dsl::operators::Operator;
use reduce_ir::Scalar;
use reduce_runtime::Architecture;
use std::path::PathBuf;

/// Write a reduction once; read the CUDA it becomes; run it on a GPU, or with the same bits without one.
#[derive(Debug, Parser)]
#[command(name = "reducegen", version, after_help = examples::ALL, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print what a reduction becomes: CUDA, or any step on the way to it
    #[command(after_help = examples::EMIT)]
    Emit(Emit),
    /// Reduce data files, and print the result
    #[command(after_help = examples::RUN)]
    Run(Run),
    /// Count what each pass of a reduction buys
    #[command(after_help = examples::EXPLAIN)]
    Explain(Explain),
    /// Climb from the naive kernel to the one bound by memory, counted, and timed where there is a GPU
    #[command(after_help = examples::LADDER)]
    Ladder(Ladder),
    /// Try whether an operator is associative, its identity neutral, its fold the same function
    #[command(after_help = examples::CHECK)]
    Check(Check),
    /// List the devices that reductions can run on, and say why a GPU is not usable
    Devices,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Emit {
    /// The reduction: its fields, or the whole macro call in any brackets, or @FILE that holds either
    pub(crate) spec: String,
    /// What to print
    #[arg(long, value_enum, default_value_t = Form::Cuda)]
    pub(crate) to: Form,
    /// Print it before the first pass and after each pass
    #[arg(long)]
    pub(crate) after_each_pass: bool,
    /// As --after-each-pass, but of each step only the difference to the step before
    #[arg(long)]
    pub(crate) diff: bool,
    /// The GPU architecture, such as sm_90: of ptx and cubin, and for `passes: auto` how the blocks meet
    #[arg(long, value_name = "SM")]
    pub(crate) arch: Option<Architecture>,
    /// The number of elements, for each range of which `passes: auto` has a kernel; by default the one for the most
    #[arg(long, value_name = "N", value_parser = values::elements, allow_negative_numbers = true)]
    pub(crate) n: Option<u64>,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The reduction: its fields, or the whole macro call in any brackets, or @FILE that holds either.
    /// `ty` may be left to the data
    pub(crate) spec: String,
    /// The data, one file for each input: NumPy arrays, read flat, which must not change meanwhile;
    /// - is the standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The files hold nothing but little-endian elements of this type
    #[arg(long, value_name = "TY", value_parser = values::raw_types())]
    pub(crate) raw: Option<&'static Dtype>,
    /// The place of the first element that is taken, counted from 0: in each file, or in the first, the second, …, as in 0,1
    #[arg(long, value_name = "O", value_delimiter = ',', default_value = "0", value_parser = values::offset, allow_negative_numbers = true)]
    pub(crate) offset: Vec<usize>,
    /// From there, take every S-th element, or so for each file, as in 2,3: backwards if S is negative, and the same one
    /// --len times if S is 0; other steps than 1 need `layout: strided`
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "1", value_parser = values::step, allow_hyphen_values = true)]
    pub(crate) step: Vec<isize>,
    /// Take that many elements of each file; by default, as many as there are
    #[arg(long, value_name = "L", value_parser = values::len, allow_negative_numbers = true)]
    pub(crate) len: Option<usize>,
    /// Keep at most that many bytes of each input in memory, as in 8G: of pipes, and of bool or misaligned elements,
    /// which are copied
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = values::bytes)]
    pub(crate) limit: u64,
    /// The value of a param, once for each
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::param)]
    pub(crate) params: Vec<Given>,
    /// Where to run: auto (a GPU if there is one), host, cuda, or cuda:N
    #[arg(long, default_value = "auto", value_parser = values::device)]
    pub(crate) device: Place,
    /// Print one line of JSON: result, bits, n, ty, device, passes, kernel_us, total_us, gb_per_s
    #[arg(long)]
    pub(crate) json: bool,
    /// Print each step of the kernels on at most 4096 elements: which threads combine what
    #[arg(long, conflicts_with = "json")]
    pub(crate) trace: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// The reduction: its fields, or the whole macro call in any brackets, or @FILE that holds either
    pub(crate) spec: String,
    /// Elements [default: 25600000 on a GPU, 524288 elsewhere]
    #[arg(long, value_parser = values::elements, allow_negative_numbers = true)]
    pub(crate) n: Option<u64>,
    /// Where to time: auto (a GPU if there is one), host (nowhere), cuda, or cuda:N
    #[arg(long, default_value = "auto", value_parser = values::device)]
    pub(crate) device: Place,
    /// How fast memory is read where no GPU is there to measure it [default: 4600, measured on an H200]
    #[arg(long, value_name = "GB/s", value_parser = values::speed, allow_negative_numbers = true)]
    pub(crate) gb_per_s: Option<f64>,
    /// Print one line of JSON for each stage
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// The reduction: its fields, or the whole macro call in any brackets, or @FILE that holds either
    pub(crate) spec: String,
    /// Try every triple of elements of 8 bits
    #[arg(long)]
    pub(crate) exhaustive: bool,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Ladder {
    /// Elements [default: 25600000 on a GPU, 524288 elsewhere]
    #[arg(long, value_parser = values::elements, allow_negative_numbers = true)]
    pub(crate) n: Option<u64>,
    /// Threads per block: a power of two, 32 to 1024
    #[arg(long, default_value_t = 256, value_parser = values::block)]
    pub(crate) block: u32,
    /// The type of the elements
    #[arg(long, default_value = "f32", value_parser = values::types())]
    pub(crate) ty: Scalar,
    /// The operator
    #[arg(long, default_value = "sum", value_parser = values::Operators)]
    pub(crate) op: &'static Operator,
    /// Where to time: auto (a GPU if there is one), host (nowhere), cuda, or cuda:N
    #[arg(long, default_value = "auto", value_parser = values::device)]
    pub(crate) device: Place,
    /// Print one line of JSON for each rung
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `emit` prints, in the order in which one becomes the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The specification in its canonical spelling
    Spec,
    /// The program that the passes rewrite, and the statements that it expands to
    Ir,
    /// Which element meets which
    Association,
    /// CUDA C++, for every architecture
    Cuda,
    /// Assembly for --arch and every later architecture (needs NVRTC)
    Ptx,
    /// Machine code for --arch (needs NVRTC)
    Cubin,
}

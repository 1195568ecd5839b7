//! The arguments of the command.

use crate::cli::dtype::Dtype;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use reduce_dsl::Scalar;
use reduce_runtime::Architecture;
use std::path::PathBuf;

/// Write a reduction once; read the CUDA it becomes; run it on a GPU, or with the same bits without one.
#[derive(Debug, Parser)]
#[command(name = "reducegen", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print what a reduction becomes: CUDA, or any step on the way to it
    #[command(after_help = EMIT_EXAMPLES)]
    Emit(Emit),
    /// Reduce data files, and print the result
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
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
    /// The GPU architecture of ptx and cubin, such as sm_90; the other forms are the same for all
    #[arg(long, value_name = "SM")]
    pub(crate) arch: Option<Architecture>,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The reduction: its fields, or the whole macro call in any brackets, or @FILE that holds either.
    /// `ty` may be left to the data
    pub(crate) spec: String,
    /// The data, one file for each input: NumPy arrays, read flat
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The files hold nothing but little-endian elements of this type
    #[arg(long, value_name = "TY", value_parser = raw_types())]
    pub(crate) raw: Option<&'static Dtype>,
    /// Skip that many elements of each file, or of the first, the second, …, as in 0,1
    #[arg(long, value_name = "O", value_delimiter = ',', default_value = "0", value_parser = offset)]
    pub(crate) offset: Vec<usize>,
    /// Of what follows, take every S-th element, or so for each file, as in 2,3; needs `layout: strided`
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "1", value_parser = step)]
    pub(crate) step: Vec<usize>,
    /// Where to run: auto (a GPU if there is one), host, cuda, or cuda:N
    #[arg(long, default_value = "auto", value_parser = device)]
    pub(crate) device: Place,
    /// Print one line of JSON: result, bits, n, ty, device, passes, kernel_us, total_us, gb_per_s
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

/// Where `run` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The first GPU if it is usable, else the host.
    Auto,
    /// The processor.
    Host,
    /// The CUDA device of that number.
    Cuda(usize),
}

const EXAMPLES: &str = "\
Examples:
  reducegen run 'op: max' data.npy
  reducegen run 'op: dot' x.npy y.npy --json
  reducegen emit 'op: sum, ty: f32, passes: [shuffle, coarsen(4)]'
  reducegen devices

Exit status: 0, or 2 where the request or the data is wrong, or 1 where the machine cannot do it.";

const EMIT_EXAMPLES: &str = "\
Examples:
  reducegen emit 'reduction!< op: max, ty: f32, passes: [shuffle, coarsen(4)] >'
  reducegen emit 'op: argmax, ty: f32' --to association
  reducegen emit 'op: sum, ty: f32, passes: [sequential, shuffle, unroll]' --diff
  reducegen emit @norm.reduce --to cubin --arch sm_90 -o norm.cubin";

const RUN_EXAMPLES: &str = "\
Examples:
  reducegen run 'op: max' data.npy
  reducegen run 'map: |x| x.abs(), op: max' data.npy --device host
  reducegen run 'inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum' x.npy y.npy
  reducegen run 'op: sum' --raw f16 weights.bin --json
  reducegen run 'map: |x| x.abs(), op: sum, layout: strided' data.npy --offset 1 --step 3

In JSON, a result is a number; a string where it is NaN, infinite, or an integer beyond 2^53; and an
object of these where it is a struct. `bits` holds its bits likewise, in hexadecimal.";

fn raw_types() -> impl TypedValueParser<Value = &'static Dtype> {
    PossibleValuesParser::new(Scalar::INPUTS.map(Scalar::name))
        .try_map(|name| Dtype::named(&name).ok_or("not an element type"))
}

fn offset(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "an offset is a number, as in 1, or one for each file, as in 0,1")
}

fn step(text: &str) -> Result<usize, &'static str> {
    let step = text.parse().ok().filter(|&step| step > 0);
    step.ok_or("a step is a number from 1 on, as in 2, or one for each file, as in 2,3")
}

fn device(text: &str) -> Result<Place, &'static str> {
    match text {
        "auto" => Ok(Place::Auto),
        "host" => Ok(Place::Host),
        "cuda" => Ok(Place::Cuda(0)),
        _ => text
            .strip_prefix("cuda:")
            .and_then(|ordinal| ordinal.parse().ok())
            .map(Place::Cuda)
            .ok_or("the devices are auto, host, cuda, and cuda:N with a number N"),
    }
}

//! The arguments of the command.

mod examples;
mod values;

pub(crate) use reduce_runtime::DeviceName;
pub(crate) use values::MOST_COUNTED;

use crate::dtype::Dtype;
use crate::params::Given;
use crate::shape::Lengths;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use reduce_dsl::operators::Operator;
use reduce_ir::Scalar;
use reduce_runtime::{Architecture, Target};
use std::path::PathBuf;

/// Write a reduction once; read the CUDA it becomes; run it on a GPU, or with the same bits without one.
#[derive(Debug, Parser)]
#[command(name = "reducegen", version, after_help = examples::ALL, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print results and errors, and no notes
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the CUDA of a reduction, or any step from the specification to machine code
    #[command(after_help = examples::EMIT)]
    Emit(Emit),
    /// Compile kernels ahead, for programs that run without NVRTC
    #[command(after_help = examples::COMPILE)]
    Compile(Compile),
    /// Reduce data files, and print the result
    #[command(after_help = examples::RUN)]
    Run(Box<Run>),
    /// Reduce a part of data files to a file of partials, for `merge`
    #[command(after_help = examples::PARTIAL)]
    Partial(Box<Partial>),
    /// Merge the partials of all parts, and print the result: the bits of `run` on the whole
    #[command(after_help = examples::MERGE)]
    Merge(Merge),
    /// Count the effect of each pass of a reduction
    #[command(after_help = examples::EXPLAIN)]
    Explain(Explain),
    /// Write a page that shows a reduction: its meaning, passes, CUDA, counts and every step of its threads
    #[command(after_help = examples::REPORT)]
    Report(Report),
    /// Serve the playground, a page on which the report follows as you type, to browsers on this machine
    Playground(Playground),
    /// Count every kernel from the naive one to the memory-bound one, and time them on a GPU
    #[command(after_help = examples::LADDER)]
    Ladder(Ladder),
    /// Test whether an operator is associative, its identity is neutral, and its fold is the same function
    #[command(after_help = examples::CHECK)]
    Check(Check),
    /// List the devices that reductions can run on, and the reason why a GPU is not usable
    Devices(Devices),
    /// Print a script by which a shell completes the arguments of this command
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

impl Command {
    /// Returns whether the user asks for JSON. Then errors are JSON, too.
    pub(crate) fn gives_json(&self) -> bool {
        match self {
            Command::Emit(_) | Command::Compile(_) | Command::Partial(_) | Command::Report(_) => false,
            Command::Completions { .. } | Command::Playground(_) => false,
            Command::Merge(args) => args.json,
            Command::Run(args) => args.json,
            Command::Explain(args) => args.json,
            Command::Ladder(args) => args.json,
            Command::Check(args) => args.json,
            Command::Devices(args) => args.json,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Devices {
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Emit {
    /// The specification: its fields, the whole macro call in any brackets, or @FILE with either of these
    pub(crate) spec: String,
    /// The form to print
    #[arg(long, value_enum, default_value_t = Form::Cuda)]
    pub(crate) to: Form,
    /// Print the form before the first pass and after each pass
    #[arg(long)]
    pub(crate) after_each_pass: bool,
    /// Like --after-each-pass, but print only the difference between each step and the one before
    #[arg(long)]
    pub(crate) diff: bool,
    /// The GPU architecture, such as sm_90: the target of ptx and cubin, and the tuning of `passes: auto`
    #[arg(long, value_name = "SM", value_parser = values::architecture)]
    pub(crate) arch: Option<Architecture>,
    /// The number of elements, by which `passes: auto` chooses its kernel; with `axes`, those of one result
    /// [default: the kernel for the largest inputs]
    #[arg(long, value_name = "N", value_parser = values::elements, allow_negative_numbers = true, conflicts_with = "shape")]
    pub(crate) n: Option<u64>,
    /// The shape of all inputs, as in 1024x4096, or the lengths of the `axes`, as in i=1024,j=4096, for which the
    /// kernel is made [default: a kernel for any lengths of row-major inputs]
    #[arg(long, value_name = "SHAPE", value_parser = Lengths::parse)]
    pub(crate) shape: Option<Lengths>,
    /// All inputs lie in Fortran order: the first axis is the fastest
    #[arg(long, requires = "shape")]
    pub(crate) fortran: bool,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Compile {
    /// The specifications: their fields, the whole macro call in any brackets, or @FILE with either of these
    #[arg(required = true, value_name = "SPEC")]
    pub(crate) specs: Vec<String>,
    /// The architectures of the GPUs, as in sm_80,sm_90; compute_90 is PTX, which the driver compiles for newer GPUs
    #[arg(long, required = true, value_name = "SM", value_delimiter = ',', value_parser = values::target)]
    pub(crate) arch: Vec<Target>,
    /// The file of kernels, for `include_bytes!` and `install_kernels`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

// The specification, the data and the device of a reduction that runs. A doc comment would replace the help of the commands.
#[derive(Debug, clap::Args)]
pub(crate) struct Request {
    /// The specification: its fields, the whole macro call in any brackets, or @FILE with either of these. `ty` may
    /// be omitted: the data gives it. The name of an operator is enough: `sum` is `op: sum`
    pub(crate) spec: String,
    /// The data, one file for each input, or - for the standard input: NumPy arrays, read flat unless there are
    /// axes, which must not change during the run; or Parquet, safetensors, .npz and CSV files, of which --column names the columns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A column of a Parquet or CSV file, a tensor of safetensors, or an array of .npz; give the option once for each input. Nulls are
    /// absent elements, as with `filter`
    #[arg(long, value_name = "NAME", conflicts_with = "raw")]
    pub(crate) column: Vec<String>,
    /// The files contain only little-endian elements of this type, without a header
    #[arg(long, value_name = "TY", value_parser = values::raw_types())]
    pub(crate) raw: Option<&'static Dtype>,
    /// The index of the first element, counted from 0: one for all files, or one for each, as in 0,1
    #[arg(long, value_name = "O", value_delimiter = ',', default_value = "0", value_parser = values::offset, allow_negative_numbers = true)]
    pub(crate) offset: Vec<usize>,
    /// The distance to the next element: one for all files, or one for each, as in 2,3. A negative step goes
    /// backwards; 0 repeats one element --len times. Other steps than 1 need `layout: strided`
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "1", value_parser = values::step, allow_hyphen_values = true)]
    pub(crate) step: Vec<isize>,
    /// The number of elements to take from each file [default: all]
    #[arg(long, value_name = "L", value_parser = values::len, allow_negative_numbers = true)]
    pub(crate) len: Option<usize>,
    /// The axes to reduce, counted from 0, as in 0,2. Negative ones count from the end: -1 is the last one. It is
    /// short for `axes` in the specification
    #[arg(long, value_name = "AXES", value_delimiter = ',', value_parser = values::axis, allow_hyphen_values = true)]
    pub(crate) axis: Vec<i64>,
    /// Keep the axes that --axis names in the result, with length 1
    #[arg(long, requires = "axis")]
    pub(crate) keepdims: bool,
    /// The shape of all --raw data, as in 1024x4096, or the lengths of the `axes`, as in i=1024,j=4096
    #[arg(long, value_name = "SHAPE", value_parser = Lengths::parse)]
    pub(crate) shape: Option<Lengths>,
    /// The maximum number of bytes of each input to keep in memory, as in 8G. It applies to pipes, to bool and
    /// misaligned elements, which are copied, and to the results of axes
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = values::bytes)]
    pub(crate) limit: u64,
    /// The value of a param; give the option once for each param
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::param)]
    pub(crate) params: Vec<Given>,
    /// Where to run: host, cuda, cuda:N, or auto: the host, or a GPU where the copy to it is worth it
    #[arg(long, env = "REDUCEGEN_DEVICE", hide_env_values = true, default_value = "auto")]
    pub(crate) device: DeviceName,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) request: Request,
    /// A NumPy file of ascending offsets, u32, u64, i32 or i64, one more than there are segments: each segment has a result. It is
    /// short for `segments` in the specification
    #[arg(long, value_name = "FILE", conflicts_with_all = ["axis", "trace", "by"])]
    pub(crate) segments: Option<PathBuf>,
    /// A NumPy file of keys, one for each element, for `by: { key: u32 }` in the specification, with its number of groups. Without
    /// `by`, each run of equal neighbouring keys has a result, as with `groups: runs`. If there is no such file: a column of the data
    /// file, of integers or text. Then each key has one result, in ascending order, wherever its elements are. Several columns make a
    /// group of each combination
    #[arg(long, value_name = "FILE|COLUMN", conflicts_with_all = ["axis", "trace"])]
    pub(crate) by: Vec<PathBuf>,
    /// Write the key of each run to a NumPy file
    #[arg(long, value_name = "FILE", requires = "by")]
    pub(crate) keys_out: Option<PathBuf>,
    /// Write the result to a NumPy file instead of printing it
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Print one line of JSON: result, bits, n, ty, device, passes, kernel_us, total_us, gb_per_s; with axes, also
    /// shape
    #[arg(long)]
    pub(crate) json: bool,
    /// Print each step of the kernels, with its threads and values, for at most 4096 elements
    #[arg(long, conflicts_with_all = ["json", "output"])]
    pub(crate) trace: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Partial {
    #[command(flatten)]
    pub(crate) request: Request,
    /// The part to reduce, counted from 1, as in 2/8. Parts are cut at the chunks of the reduction, and some may be empty
    #[arg(long, value_name = "I/K", value_parser = values::part)]
    pub(crate) part: (u64, u64),
    /// The file for the partials
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Merge {
    /// The partials of all parts, in any order
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The maximum number of bytes of all files together, and of the results, as in 8G
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = values::bytes)]
    pub(crate) limit: u64,
    /// Write the result to a NumPy file instead of printing it
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Print one line of JSON, as `run --json` does
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// The specification: its fields, the whole macro call in any brackets, or @FILE with either of these
    pub(crate) spec: String,
    /// The number of elements [default: 25600000 on a GPU, 524288 elsewhere]
    #[arg(long, value_parser = values::elements, allow_negative_numbers = true, conflicts_with = "shape")]
    pub(crate) n: Option<u64>,
    /// The shape of all inputs, as in 64x256, or the lengths of the `axes`, as in i=64,j=256. Kernels for several
    /// groups are counted, not timed
    #[arg(long, value_name = "SHAPE", value_parser = Lengths::parse)]
    pub(crate) shape: Option<Lengths>,
    /// All inputs lie in Fortran order: the first axis is the fastest
    #[arg(long, requires = "shape")]
    pub(crate) fortran: bool,
    /// The device to take times on: auto (a GPU if there is one), host (no times), cuda, or cuda:N
    #[arg(long, env = "REDUCEGEN_DEVICE", hide_env_values = true, default_value = "auto")]
    pub(crate) device: DeviceName,
    /// The read speed of memory to assume without a GPU [default: 4600, measured on an H200]
    #[arg(long, value_name = "GB/s", value_parser = values::speed, allow_negative_numbers = true)]
    pub(crate) gb_per_s: Option<f64>,
    /// Print one line of JSON for each stage
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Report {
    /// The specification: its fields, the whole macro call in any brackets, or @FILE with either of these
    pub(crate) spec: String,
    /// NumPy files with the data, one for each input [default: generated elements]
    #[arg(value_name = "FILE", conflicts_with_all = ["n", "shape"])]
    pub(crate) files: Vec<PathBuf>,
    /// The value of a param, for data files; give the option once for each param
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::param, requires = "files")]
    pub(crate) params: Vec<Given>,
    /// A NumPy file of ascending offsets, for `segments` in the specification [default: generated offsets]
    #[arg(long, value_name = "FILE", requires = "files", conflicts_with = "by")]
    pub(crate) segments: Option<PathBuf>,
    /// A NumPy file of keys, one for each element, for `by` in the specification [default: generated keys]
    #[arg(long, value_name = "FILE", requires = "files")]
    pub(crate) by: Option<PathBuf>,
    /// The number of elements, which are generated [default: 1024; with keys 4096]
    #[arg(long, value_parser = values::elements, allow_negative_numbers = true, conflicts_with = "shape")]
    pub(crate) n: Option<u64>,
    /// The shape of all inputs, as in 64x256, or the lengths of the `axes`, as in i=64,j=256
    #[arg(long, value_name = "SHAPE", value_parser = Lengths::parse)]
    pub(crate) shape: Option<Lengths>,
    /// All inputs lie in Fortran order: the first axis is the fastest
    #[arg(long, requires = "shape")]
    pub(crate) fortran: bool,
    /// The device to take times on: auto (a GPU if there is one), host (no times), cuda, or cuda:N
    #[arg(long, env = "REDUCEGEN_DEVICE", hide_env_values = true, default_value = "auto")]
    pub(crate) device: DeviceName,
    /// The HTML file [default: the standard output, unless it is a terminal]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Playground {
    /// The folder that `scripts/playground.sh` has built
    #[arg(value_name = "FOLDER", default_value = "target/playground")]
    pub(crate) folder: PathBuf,
    /// The port on the loopback address; 0 chooses a free one
    #[arg(long, default_value_t = 8044)]
    pub(crate) port: u16,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// The specification: its fields, the whole macro call in any brackets, or @FILE with either of these
    pub(crate) spec: String,
    /// Test every triple of 8-bit elements
    #[arg(long)]
    pub(crate) exhaustive: bool,
    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Ladder {
    /// The number of elements [default: 25600000 on a GPU, 524288 elsewhere]
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
    /// The device to take times on: auto (a GPU if there is one), host (no times), cuda, or cuda:N
    #[arg(long, env = "REDUCEGEN_DEVICE", hide_env_values = true, default_value = "auto")]
    pub(crate) device: DeviceName,
    /// Refused: the ladder reduces one row
    #[arg(long, value_name = "SHAPE", hide = true)]
    pub(crate) shape: Option<String>,
    /// Print one line of JSON for each rung
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page with the kernels, their steps and their figures; --n is 4096 by default
    #[arg(long, conflicts_with = "json")]
    pub(crate) html: bool,
    /// The HTML file [default: the standard output, unless it is a terminal]
    #[arg(short, long, value_name = "FILE", requires = "html")]
    pub(crate) output: Option<PathBuf>,
}

/// The forms that `emit` prints, in the order of compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The specification in its canonical spelling
    Spec,
    /// The program that the passes rewrite, and the statements that it lowers to
    Ir,
    /// The order in which elements are combined
    Association,
    /// CUDA C++, for every architecture
    Cuda,
    /// Assembly for --arch and every later architecture (needs NVRTC)
    Ptx,
    /// Machine code for --arch (needs NVRTC)
    Cubin,
}

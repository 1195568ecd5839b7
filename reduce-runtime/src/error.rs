//! The errors of this crate. Every message names the fix.

mod advice;
mod fault;
mod kernels;
mod nvrtc;
mod text;

pub use kernels::KernelsError;
pub use nvrtc::NvrtcError;

use crate::Strided;
use crate::architecture::{Architecture, Target};
use crate::host::HostError;
use reduce_ir::Scalar;
use text::{inputs_text, offered_text, outside, params_advice, params_text, paths_text};

/// The reason why a reduction did not compile or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are more or fewer inputs than the reduction takes.
    #[error("the reduction takes {}, not {found}; give one slice or file for each", inputs_text(*expected))]
    InputCount {
        /// The number of inputs that the reduction takes.
        expected: usize,
        /// The number of inputs that were given.
        found: usize,
    },
    /// An input has another type than in the specification.
    #[error(
        "input `{input}` holds {found}, and the reduction takes {expected}; convert it, or change its type in the specification"
    )]
    InputType {
        /// The input.
        input: String,
        /// The type in the specification.
        expected: Scalar,
        /// The type of the data.
        found: Scalar,
    },
    /// There are more or fewer params than the reduction takes.
    #[error("the reduction takes {}, not {found} values; {}", params_text(names), params_advice(names))]
    ParamCount {
        /// The params that the reduction takes.
        names: Vec<String>,
        /// The number of params that were given.
        found: usize,
    },
    /// A param has another type than in the specification.
    #[error("the param `{param}` is {found}, and the reduction takes {expected}; convert it")]
    ParamType {
        /// The param.
        param: String,
        /// The type in the specification.
        expected: Scalar,
        /// The type of the value.
        found: Scalar,
    },
    /// Named values are not the params of the specification.
    #[error(transparent)]
    Params(#[from] reduce_ir::spec::ParamError),
    /// The inputs differ in length.
    #[error(
        "input `{input}` has {found} elements, and `{first}` has {expected}; inputs must be equally long"
    )]
    InputLength {
        /// The first input.
        first: String,
        /// Its length.
        expected: u64,
        /// The input that differs.
        input: String,
        /// Its length.
        found: u64,
    },
    /// The elements of an input are strided, and the reduction takes contiguous ones.
    #[error("{}", text::apart(input, *step))]
    NotContiguous {
        /// The input.
        input: String,
        /// Its step.
        step: isize,
    },
    /// An input with step 0 repeats its element more often than the limit.
    #[error("{}", text::repeated(input, *len))]
    TooManyRepeated {
        /// The input.
        input: String,
        /// The number of repetitions.
        len: usize,
    },
    /// An input has elements outside its data.
    #[error("{}", outside(input, view, *data))]
    OutsideData {
        /// The input.
        input: String,
        /// Its offset, step and length.
        view: Strided<()>,
        /// The length of its data.
        data: usize,
    },
    /// The input is empty, and the operator has no identity.
    #[error("`{operator}` has no value for empty input; give it at least one element")]
    Empty {
        /// The operator.
        operator: String,
    },
    /// No element is left: the input is empty, or `filter` or `nan: ignore` excludes every element.
    #[error("`{operator}` needs at least one element, and `filter` or `nan: ignore` excluded all of them")]
    NothingLeft {
        /// The operator.
        operator: String,
    },
    /// An `assert!` of the specification does not hold for an element, or the index of an array is out of range.
    #[error("{}", text::assertion(operator))]
    AssertionFailed {
        /// The operator.
        operator: String,
    },
    /// There are more elements than the schedule can cover.
    #[error(
        "{n} elements need {grid} blocks, and a launch has at most {limit}; give each thread more elements, as with coarsen(16)"
    )]
    GridTooLarge {
        /// The number of elements.
        n: u64,
        /// The number of blocks that they need.
        grid: u64,
        /// The most blocks of a launch.
        limit: u64,
    },
    /// The result is read as another type than its own.
    #[error("the result is {found}, and the Rust type is {expected}; write the type that `finish` gives")]
    OutputType {
        /// The requested type.
        expected: &'static str,
        /// The type in the specification.
        found: String,
    },
    /// An input lies in the memory of another device, or of another context of this one.
    #[error(
        "input {input} is not in the context of {device}; copy it there, or make the device from the context of the slice"
    )]
    OtherContext {
        /// The position of the input among the inputs.
        input: usize,
        /// The device of the reduction.
        device: String,
    },
    /// A reduction that runs on the host was given device memory.
    #[error("the reduction was compiled for the host and the data is on a GPU; compile it for that device")]
    DeviceMemoryOnHost,
    /// The stream belongs to another context than the device.
    #[error(
        "the stream does not belong to the context of {device}; make the device from the context of the stream"
    )]
    StreamOfOtherContext {
        /// The device of the reduction.
        device: String,
    },
    /// The stream is the per-thread stream, which is a different one in each thread.
    #[error(
        "a workspace belongs to one stream, and the per-thread stream differs between threads; make a new stream"
    )]
    PerThreadStream,
    /// A CUDA graph is capturing the stream.
    #[error(
        "a CUDA graph is capturing the stream; make inputs and workspace before the capture begins, and call `enqueue_captured`; its documentation lists the values that must outlive the graph"
    )]
    Capturing,
    /// The workspace was made by another reducer.
    #[error("the workspace was made by another reducer; make one with this reducer")]
    OtherWorkspace,
    /// The workspace was made for another stream.
    #[error("the workspace was made for another stream; enqueue there, or make a workspace for each stream")]
    OtherStream,
    /// An input was made for another stream.
    #[error("input {input} is of another stream; use `DeviceInput::on_stream` of the call's stream")]
    InputOfOtherStream {
        /// The position of the input among the inputs.
        input: usize,
    },
    /// There are more elements than the workspace was made for.
    #[error("the workspace is for at most {most} elements, not {n}; make a workspace for {n} elements")]
    SmallWorkspace {
        /// The number of elements.
        n: u64,
        /// The most elements of the workspace.
        most: u64,
    },
    /// Memory for a workspace is too small or not aligned.
    #[error(
        "a workspace for {most} elements needs {needed} bytes at a multiple of 256, not {len} bytes at {base:#x}; \
         allocate `Reducer::workspace_bytes` bytes"
    )]
    WorkspaceMemory {
        /// The most elements of the workspace.
        most: u64,
        /// The number of bytes that it needs.
        needed: u64,
        /// The number of bytes that were given.
        len: u64,
        /// Their address.
        base: u64,
    },
    /// A result was read before any reduction was enqueued.
    #[error("nothing was enqueued with this workspace, so it holds no result; enqueue first")]
    NothingEnqueued,
    /// There are more elements than the programs were made for.
    #[error("the program takes at most {most} elements, not {n}; use all programs of the specification")]
    TooManyElements {
        /// The number of elements.
        n: u64,
        /// The most elements of the programs.
        most: u64,
    },
    /// A call for one result was made for a specification with `axes`.
    #[error("`axes` makes several results; call `reduce_groups`, or leave `axes` out")]
    SeveralGroups,
    /// A call for several results was made for a specification without `axes`.
    #[error("the specification has one result; write `axes`, as in `axes: i j -> i`, or call `reduce`")]
    NoAxes,
    /// The shapes of the inputs do not fit the axes.
    #[error(transparent)]
    Shape(#[from] reduce_ir::axes::ShapeError),
    /// Offsets do not cut the elements into segments.
    #[error(transparent)]
    Segments(#[from] crate::SegmentsError),
    /// There are no partials of a part, or parts do not merge.
    #[error(transparent)]
    Partials(#[from] crate::PartialsError),
    /// Elements that arrive are not reduced.
    #[error(transparent)]
    Stream(#[from] crate::StreamError),
    /// A view is not one of its data.
    #[error(transparent)]
    View(#[from] crate::view::ViewError),
    /// The host was asked for kernel times.
    #[error("the host cannot time kernels; time the reduction on a GPU, such as cuda:0")]
    HostHasNoClock,
    /// An empty input was timed, for which nothing is launched.
    #[error("empty input launches no kernel, so there is no time to measure; give at least one element")]
    NothingToTime,
    /// The text is not the name of an architecture.
    #[error("`{text}` is not an architecture; write it as sm_90, 90 or 9.0")]
    MalformedArchitecture {
        /// The text.
        text: String,
    },
    /// NVRTC does not compile for the architecture.
    #[error("this NVRTC does not know {architecture}; {}", offered_text(offered))]
    UnknownArchitecture {
        /// The requested architecture.
        architecture: Architecture,
        /// The architectures that NVRTC compiles for.
        offered: Vec<Architecture>,
    },
    /// The GPU lacks instructions that the passes use.
    #[error(
        "these kernels are for {needed} and newer, and {device} is {found}; leave out `dependent`, `trigger` and `cluster` (sm_90) or `redux` (sm_80)"
    )]
    ArchitectureTooOld {
        /// The oldest architecture that has them.
        needed: Architecture,
        /// The GPU.
        device: String,
        /// Its architecture.
        found: Architecture,
    },
    /// The GPU, or the part of one, has too few multiprocessors for the cluster.
    #[error(
        "{device} supports clusters of size {largest} or less, and the passes need size {cluster}; write a smaller `cluster`, or leave it out"
    )]
    ClusterTooLarge {
        /// Blocks per cluster, as the passes say.
        cluster: u32,
        /// The most blocks of a cluster on this GPU.
        largest: u32,
        /// The GPU.
        device: String,
    },
    /// The device number is beyond the last.
    #[error(
        "there is no device cuda:{ordinal}; the driver shows {count}, from cuda:0 on (see CUDA_VISIBLE_DEVICES)"
    )]
    NoSuchDevice {
        /// The requested number.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },
    /// A name is that of no device.
    #[error("`{0}` names no device; write auto, host, cuda, or cuda:N with a number N")]
    NoSuchName(String),
    /// The crate was compiled without CUDA.
    #[error("this program was built without CUDA; build it with the feature `cuda`, or use the host")]
    BuiltWithoutCuda,
    /// libcuda was not found.
    #[error(
        "there is no CUDA driver here (libcuda.so.1 was not found); install NVIDIA's driver, pass the GPU through to the container, or use the host"
    )]
    NoDriver,
    /// libcuda was found but cannot be loaded.
    #[error(
        "the CUDA driver library cannot be loaded ({reason}); reinstall NVIDIA's driver for this processor, or use the host"
    )]
    DriverUnusable {
        /// The message of the loader.
        reason: String,
    },
    /// The driver is older than this crate needs.
    #[error("the CUDA driver supports CUDA {found}, not {needed} or newer; update NVIDIA's driver")]
    OldDriver {
        /// The CUDA version of the driver.
        found: String,
        /// The oldest supported version.
        needed: String,
    },
    /// libcuda lacks a function.
    #[error("the CUDA driver library has no {function}; reinstall NVIDIA's driver")]
    IncompleteDriver {
        /// The first function that is missing.
        function: &'static str,
    },
    /// The driver has no device.
    #[error("the CUDA driver sees no device; check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use the host")]
    NoDevice,
    /// NVRTC was not found.
    #[error(
        "NVRTC, which compiles the kernels, was not found; `pip install nvidia-cuda-nvrtc` into the environment in use, \
         install a CUDA toolkit, or set REDUCEGEN_NVRTC=/path/to/libnvrtc.so (searched: {})",
        paths_text(searched)
    )]
    NvrtcNotFound {
        /// The searched paths, in order.
        searched: Vec<std::path::PathBuf>,
    },
    /// The NVRTC that was named cannot be used.
    #[error("{} cannot be used as NVRTC: {reason}; set REDUCEGEN_NVRTC to the libnvrtc.so of CUDA 12.1 or newer", path.display())]
    NvrtcUnusable {
        /// The library.
        path: std::path::PathBuf,
        /// The message of the loader.
        reason: String,
    },
    /// NVRTC refused the source.
    #[error(transparent)]
    Nvrtc(Box<NvrtcError>),
    /// Kernels that were compiled ahead cannot be used.
    #[error(transparent)]
    Kernels(#[from] KernelsError),
    /// NVRTC took longer than callers wait.
    #[error(
        "NVRTC has not compiled this for {target} within {} s; set {} to more seconds, compute less in the closures, or unroll less",
        waited.as_secs_f64(), Error::COMPILE_SECONDS
    )]
    CompileTime {
        /// The compilation target.
        target: Target,
        /// The time that the caller waited.
        waited: std::time::Duration,
    },
    /// The environment variable [`Error::COMPILE_SECONDS`] is not a time.
    #[error("{name} is `{0}`; write a number of seconds above 0, such as 30", name = Error::COMPILE_SECONDS)]
    MalformedSeconds(String),
    /// The driver measured an invalid time.
    #[error("the CUDA driver measured an invalid time of {0} ms; update NVIDIA's driver")]
    WrongTime(String),
    /// The driver reported an error.
    #[error("the CUDA driver failed while {operation}: {name} ({code}), {text}; {}", advice::advice(*code))]
    Driver {
        /// The failed operation.
        operation: &'static str,
        /// The code of the driver's error.
        code: u32,
        /// The name of the error.
        name: String,
        /// The driver's description.
        text: String,
    },
    /// Device memory ran out.
    #[error("{asked} bytes of device memory are needed, and {free} are free; reduce parts, or free memory")]
    OutOfMemory {
        /// The number of requested bytes.
        asked: u64,
        /// The number of bytes that were free afterwards.
        free: u64,
    },
    /// The specification is wrong for the values of the constants that it names.
    #[error("this specification is wrong {0}")]
    Constants(String),
    /// The specification does not lower to a program: a pass refused it, or this project has a bug.
    #[error(transparent)]
    Codegen(#[from] reduce_codegen::Error),
    /// The host backend failed, which is a bug of this project.
    #[error(transparent)]
    Host(HostError),
}

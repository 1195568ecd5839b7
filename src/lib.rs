//! Write a GPU reduction once, read the CUDA it becomes, get the same bits on every device.
//!
//! ```
//! use reducegen::{Reduction, reduction};
//!
//! static PEAK: Reduction<f32, f32> = reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] };
//!
//! # fn main() -> Result<(), reducegen::Error> {
//! let samples = [3.0, -1.0, 4.0, -1.5];
//! assert_eq!(PEAK.reduce(&samples)?, 4.0);
//! assert!(PEAK.cuda()?.contains("__shfl_down_sync"));
//! # Ok(())
//! # }
//! ```
//!
//! In reading order:
//!
//! - [`reduction!`] makes a [`Reduction`].
//! - [`Reduction::reduce`] runs it on the default device, and [`Reduction::reduce_on`] on another: see [`Device::from_env`].
//! - [`Reduction::compile`] makes a [`Compiled`] for a [`Device`]. It runs there many times, also on device memory.
//! - [`Reduction::with`] gives values to params.
//! - [`Best`] and similar structs are results.
//! - [`Error`] names each failure and its fix.
//! - [`Reducer`] is the same without Rust types, for specifications that are [given as text](crate#at-run-time).
//!
//! # Which call
//!
//! | you have | call |
//! |---|---|
//! | a slice | `SUM.reduce(&x)?`, or `SUM.reduce_on(&device, &x)?` on a device of your choice |
//! | several inputs | `DOT.reduce((&x, &y))?` |
//! | every k-th element | `layout: strided`, and `Strided { data, offset, step, len }` |
//! | a matrix, or more axes | `axes: i j -> i`, and `ROWS.reduce(View::new(&x, [rows, columns]))?` |
//! | offsets, or a key for each element | `SUMS.reduce_segments(&x, &offsets)?`, `reduce_keys(&x, &keys)?`, `reduce_runs` |
//! | values that only the call knows | `params`, and `with(2.0)` or `with_params(\|p\| p.lo(0.0).hi(1.0))` before the call |
//! | data on a GPU | `let compiled = SUM.compile(&device)?`, then `compiled.reduce_device(&slice)?` |
//! | a stream, or a CUDA graph | `compiled.enqueue(&stream, &inputs, &mut workspace)?`, `enqueue_captured` |
//! | parts of the data | `SUM.partials(&part, Span { first, total })?` of each, and `SUM.merge(&parts)?` |
//! | a machine without NVRTC | `unsafe { install_kernels(include_bytes!("kernels.bin"))? }` |
//!
//! # The specification
//!
//! | field | meaning | default |
//! |---|---|---|
//! | `ty: f32` | the type of the elements: `f16` `bf16` `f32` `f64` `i8` … `i64` `u8` … `u64` `bool` | required, or `inputs` |
//! | `inputs: { x: f32, y: f32 }` | up to 16 named inputs of equal length | one, of type `ty` |
//! | `layout: strided` | elements lie a step apart; each input gives its offset and step, of any sign, at the call: [`Strided`] | `contiguous` |
//! | `axes: b h w c -> b c` | names the axes of the input, slowest first, and those of the result; the others are reduced, in the order written. `1` on the right keeps an axis of length 1, `..` stands for any leading axes, `(s 16)` splits a dimension, and a number is an axis without a name. `{ x: b c, w: c } -> b` names the axes of each input. [`Reducer::reduce_groups`] | all elements have one result |
//! | `segments: 16` | segments of 16 elements, each with a result of its own: the same as `axes: (s 16) -> s` | all elements have one result |
//! | `params: Bounds { lo: f32, hi: f32 = 1.0 }` | scalars that are given at the call, by name: [`Reduction::with_params`]; names in `map`, `filter`, `fold` and `finish`. `= 1.0` is a default. The macro makes the struct `Bounds`, by default `Params`. One param without default needs none: `params: { k: f32 }` and [`Reduction::with`] | none |
//! | `index: i` | the name of the element's 64-bit position in `filter`, `map` and `fold` | none |
//! | `filter: \|x\| x > 0.0` | an element is absent where it is false: the element is not counted and keeps its position | all elements |
//! | `map: \|x\| x.abs()` | inputs → accumulator | the element |
//! | `acc: Range { lo: f32, hi: f32 }` | the accumulator: a scalar, or a struct of scalars, which becomes a Rust type | the operator's, or the type of `map` |
//! | `op: max` | one of the [`OPERATORS`], or an associative closure on two accumulators: `\|a, b\| a + b` | required |
//! | `fold: \|acc, x\| acc + x` | adds one element, where that is cheaper than `op(acc, map(x))`; may also take the step of its lane | `op(acc, map(x))` |
//! | `identity: 0.0` | the accumulator of no elements, neutral in `op`; with `none`, an empty input is an [`Error`] | the operator's; required for closures |
//! | `commutative: false` | whether elements may be reordered, not only regrouped | the operator's; detected for closures |
//! | `finish: \|acc, n\| acc / n as f32` | computes the result from a named operator's result or a closure's accumulator, and optionally the number of elements (not with `filter` or `nan: ignore`) | no change |
//! | `empty: 0.0` | the result of no elements, also if all are absent, in place of the identity's result or of an error; a constant, or a struct of constants | the identity's, or an [`Error`] |
//! | `nan: ignore` | an element is absent if it or its mapped value is NaN | `propagate` |
//! | `ties: last` | which of equal elements wins where only one can | `first` |
//! | `order: any` | blocks are combined in the order in which they finish; bits may change from run to run | `fixed` |
//! | `block: 256` | threads per block, a power of two in 32 … 1024 | 256; free with `auto` |
//! | `passes: [shuffle, coarsen(4)]` | how the kernel is built from the naive one; [`PASSES`] describes each | `auto` |
//!
//! Closures are Rust that rustc checks and devices run. They may contain literals, `let`, blocks, arithmetic, comparison,
//! `if`, `as`, structs and their fields, constants such as `f32::INFINITY`, and methods such as `abs`, `max`, `sqrt`,
//! `mul_add`, `is_nan` or `count_ones`. Anything else is an error that suggests a replacement. Inside closures, 16-bit
//! floats are `f32`, and results stay `f32`. The macro checks the laws of `op`, `identity` and `fold` on a sample:
//! `op: |a, b| a - b` does not compile. Laws that depend on constants of your crate are checked at the first use.
//!
//! # The fields in use
//!
//! The data: types, inputs, params and positions.
//!
//! ```
//! # use reducegen::{bf16, reduction};
//! # fn main() -> Result<(), reducegen::Error> {
//! let total = reduction! { ty: bf16, op: sum };
//! assert_eq!(total.reduce(&[bf16::from_f32(1.5); 1000])?, 1500.0);
//!
//! let distance = reduction! { inputs: { x: f32, y: f32 }, map: |x, y| (x - y).abs(), op: sum };
//! assert_eq!(distance.reduce((&[1.0, 2.0], &[3.0, 1.5]))?, 2.5);
//!
//! let scaled = reduction! { ty: f32, params: { k: f32 }, map: |x| x * k, op: sum };
//! assert_eq!(scaled.with(2.0).reduce(&[1.0, 2.0])?, 6.0);
//!
//! let inside = reduction! { ty: f32, params: { lo: f32, hi: f32 = 1.0 }, map: |x| lo <= x && x <= hi, op: all };
//! assert!(inside.with_params(|p| p.lo(0.0)).reduce(&[0.5, 1.0])?);
//! assert!(!inside.with_params(|p| p.lo(0.0).hi(0.75)).reduce(&[0.5, 1.0])?);
//!
//! let last_negative = reduction! { ty: i32, index: i, map: |x| if x < 0 { i + 1 } else { 0 }, op: max };
//! assert_eq!(last_negative.reduce(&[3, -1, 4, -1, 5])?, 4);
//! # Ok(())
//! # }
//! ```
//!
//! The computation: accumulator, operator, identity, fold and result.
//!
//! ```
//! # use reducegen::reduction;
//! # fn main() -> Result<(), reducegen::Error> {
//! let range = reduction! {
//!     ty: f64,
//!     acc: Range { lo: f64, hi: f64 },
//!     map: |x| Range { lo: x, hi: x },
//!     op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
//!     identity: none,
//! };
//! let found = range.reduce(&[3.0, -1.0, 4.0])?;
//! assert_eq!((found.lo, found.hi), (-1.0, 4.0));
//!
//! let root_mean_square = reduction! {
//!     ty: f64,
//!     map: |x| x * x,
//!     fold: |acc, x| x.mul_add(x, acc),
//!     op: |a, b| a + b,
//!     identity: 0.0,
//!     finish: |acc, n| (acc / n as f64).sqrt(),
//! };
//! assert_eq!(root_mean_square.reduce(&[1.0, -1.0, 7.0, 7.0])?, 5.0);
//!
//! // The order of the elements matters: this composes the maps x -> a x + b.
//! let path = reduction! {
//!     inputs: { a: f64, b: f64 },
//!     acc: Line { a: f64, b: f64 },
//!     map: |a, b| Line { a, b },
//!     op: |f, g| Line { a: g.a * f.a, b: g.a * f.b + g.b },
//!     identity: Line { a: 1.0, b: 0.0 },
//!     commutative: false,
//! };
//! let line = path.reduce((&[2.0, 3.0], &[1.0, 0.0]))?;
//! assert_eq!((line.a, line.b), (6.0, 3.0));
//! # Ok(())
//! # }
//! ```
//!
//! Special cases: NaN, absent elements, ties, and the order of combination.
//!
//! ```
//! # use reducegen::reduction;
//! # fn main() -> Result<(), reducegen::Error> {
//! let largest = reduction! { ty: f32, op: max, nan: ignore };
//! assert_eq!(largest.reduce(&[1.0, f32::NAN, 2.0])?, 2.0);
//!
//! let weekly = reduction! { ty: f64, index: day, filter: |x| day % 7 == 6 && x > 0.0, op: mean };
//! assert_eq!(weekly.reduce(&[1.0; 14])?, 1.0);
//!
//! let last = reduction! { ty: i32, op: argmax, ties: last };
//! assert_eq!(last.reduce(&[1, 7, 7, 2])?, 2);
//!
//! let any_order = reduction! { ty: f32, op: sum, order: any, block: 512, passes: [shuffle, atomic] };
//! assert_eq!(any_order.reduce(&[1.0, 2.0])?, 3.0);
//! # Ok(())
//! # }
//! ```
//!
//! # A library of reductions
//!
//! ```
//! pub mod statistics {
//!     reducegen::reduction! {
//!         /// The smallest and the largest element.
//!         pub static RANGE;
//!         ty: f64,
//!         acc: Range { lo: f64, hi: f64 },
//!         map: |x| Range { lo: x, hi: x },
//!         op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
//!         identity: none,
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use reducegen::laws::{Effort, check};
//! use statistics::{RANGE, Range};
//! assert_eq!(RANGE.reduce(&[3.0, -1.0, 4.0])?, Range { lo: -1.0, hi: 4.0 });
//!
//! let found = check(&RANGE.spec()?.operation, Effort::Thorough)?;
//! assert!(found.commutative && found.remarks.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! With `pub static NAME;` at the head, the macro makes items: the reduction and its structs. They have the visibility,
//! attributes and documentation that are written there. [`laws`] checks the laws more thoroughly than the macro does, in
//! a test as here, or by `reducegen check`.
//!
//! # Strided elements
//!
//! ```
//! use reducegen::{Reduction, Strided, reduction};
//!
//! static ASUM: Reduction<f32, f32> =
//!     reduction! { ty: f32, layout: strided, map: |x| x.abs(), op: sum };
//!
//! # fn main() -> Result<(), reducegen::Error> {
//! // Two samples of three channels each.
//! let samples = [0.5, -1.0, 9.0, 0.25, 2.0, 7.0];
//! let second = Strided { data: &samples, offset: 1, step: 3, len: 2 };
//! assert_eq!(ASUM.reduce(second)?, 3.0);
//! assert_eq!(ASUM.reduce(&samples)?, 19.75);
//! // Backwards from the last element, then the first element three times.
//! assert_eq!(ASUM.reduce(Strided { data: &samples, offset: 5, step: -2, len: 3 })?, 8.25);
//! assert_eq!(ASUM.reduce(Strided { data: &samples, offset: 0, step: 0, len: 3 })?, 1.5);
//! # Ok(())
//! # }
//! ```
//!
//! Element i is at position `offset + i * step`. [`Strided`] explains how to write BLAS's negative increments.
//! Elements are read in place. With the same passes, a contiguous copy of the elements gives the same bits.
//!
//! # At run time
//!
//! ```
//! # #[cfg(feature = "text")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use reducegen::{Device, Reducer};
//!
//! let text = "op: max, ty: f32, map: |x| x.abs()";
//! let spec = reducegen::parse(text)?; // an error shows the column and suggests a fix
//! let largest = Reducer::new(&spec, &Device::host())?; // threads may share it
//! let outcome = largest.reduce(&[[3.0f32, -4.0, 1.0].as_slice()])?;
//! assert_eq!(outcome.values, [4.0f32.into()]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "text"))]
//! # fn main() {}
//! ```
//!
//! This needs the feature `text`. `parse::text` of the crate `reduce-dsl` also takes input types that the text omits, and returns notes.
//!
//! # The same bits
//!
//! For given elements, the bits of the result depend only on the specification and the number of elements n. They do not
//! depend on the device, the number of cores, or the alignment of the data. The *association* decides them: the tree in
//! which elements are combined. It is read from the kernel (`reducegen emit --to association`), executed by an
//! interpreter in the tests, and evaluated by the host backend. The error of a float sum is at most γ_d · Σ|x|, where d
//! is the depth of its association.
//!
//! NaN propagates through `min` and `max`, which order −0 below +0. Results contain only one NaN, the quiet positive one
//! without payload. Integers wrap. An empty input gives the identity. Without an identity, as for positions, it is an
//! [`Error`].
//!
//! # On a GPU
//!
//! - [`Compiled::reduce`] copies a host slice to the device and waits.
//! - [`Compiled::reduce_device`] takes device slices of [`cudarc`] and waits.
//! - [`Compiled::enqueue`] does not wait: it queues the reduction on a stream, works in memory that was allocated once,
//!   and leaves the result on the device.
//! - [`DeviceInputs::scope`] tells [`cudarc`] once about the reads of many calls. [`Compiled::enqueue_captured`] is for CUDA graphs.
//!
#![cfg_attr(feature = "cuda", doc = "```no_run")]
#![cfg_attr(not(feature = "cuda"), doc = "```ignore")]
//! use reducegen::cudarc::driver::CudaContext;
//! use reducegen::{Device, DeviceInputs, reduction};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sum = reduction! { op: sum, ty: f32 }.compile(&Device::cuda(0)?)?;
//! let stream = CudaContext::new(0)?.new_stream()?;
//! let x = stream.clone_htod(&vec![1.0f32; 1 << 20])?;
//!
//! let mut workspace = sum.workspace(&stream, 1 << 20)?; // for up to 2^20 elements, on this stream
//! let inputs = DeviceInputs::new(&stream, &x);
//! sum.enqueue(&stream, &inputs, &mut workspace)?; // returns at once, allocates nothing
//! assert_eq!(sum.read(&stream, &workspace)?, 1048576.0); // waits
//! # Ok(())
//! # }
//! ```
//!
//! Threads share a compiled reduction; each needs its own workspace and stream. Concurrent work does not change the bits
//! of a result.
//!
//! Kernels are compiled on first use, or ahead by [`Reducer::prepare_all`], once per process and device. They are kept on
//! disk: see [`Cache`]. `REDUCEGEN_CACHE_DIR` names the folder; `REDUCEGEN_CACHE=off` turns the cache off. Programs for
//! which NVRTC would need minutes or gigabytes are refused. Callers wait for NVRTC at most 10 s, or the number of seconds
//! in `REDUCEGEN_COMPILE_SECONDS`. Kernels that were compiled ahead need no NVRTC: see [`install_kernels`].
//!
//! # Builds and threads
//!
//! In a debug build the host computes much slower, unless `[profile.dev.package]` of the application sets `opt-level = 3` for
//! `reduce-lanes` and `reduce-runtime`. The host computes on the global thread pool of rayon, or on the pool in whose `install` the call is.
//!
//! # Features
//!
//! - `cuda` (default): compile with NVRTC and run on NVIDIA GPUs. The driver and NVRTC are found at run time; nothing is
//!   linked. Without them, only the host backend works.
//! - `constants` (default): constants of your crate as bounds of loops, as divisors and in `op`, and laws that depend on them.
//! - `text`: the parser of specifications at run time.
//! - `arrow`: the module `arrow`, arrays of Apache Arrow.
//! - `dlpack`: the module `dlpack`, tensors of other libraries.
//! - `candle`: views of tensors of the crate `candle-core` on the CPU, and results as such tensors.
//! - `ndarray`: views of arrays of the crate `ndarray`, and results as such arrays.
//! - `num-complex`: the module `complex`, complex numbers as elements.
//! - `formats`: the module `files`, which reads columns of Parquet, safetensors, `.npz` and CSV files.
//! - `serde`: results are `Serialize` and `Deserialize`.
//! - `tracing`: events, at the level of debugging, of the device that a call chose, of kernels from the cache, and of compilations.
//!
//! The command `reducegen` is the package `reducegen-cli`. Types of the crates `reduce-ir`, `reduce-dsl` and `reduce-codegen`, such as [`Reduction::program`] returns, are internals: they may change
//! with every version. This crate exports what users need of them.
//!
// Targets for links to items that only the feature `cuda` has.
#![cfg_attr(
    not(feature = "cuda"),
    doc = "
[`cudarc`]: #features
[`Cache`]: #features
[`install_kernels`]: #features
[`Compiled::enqueue`]: #features
[`Compiled::enqueue_captured`]: #features
[`DeviceInputs::scope`]: #features
[`Compiled::reduce_device`]: #features"
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[cfg(feature = "formats")]
pub mod files;
#[cfg(doctest)]
mod guide;
mod output;

pub use reduce_ir::{bf16, f16};
pub use reduce_runtime::host::HostError;
pub use reduce_runtime::{
    Architecture, ArgMinMax, Array, Best, Compiled, CompleteParams, Describe, Device, DeviceName, Error,
    GroupResult, Groups, Image, KernelsError, Keyed, Lanes, LanesRef, Listing, MaxSum, MinMax, NamedParams,
    NoParams, Numbered, Nvrtc, NvrtcError, Outcome, Output, Params, Partials, PartialsError, Ragged, Reducer,
    Reduction, Resources, Returned, RunGroups, Runs, SegmentsError, Slices, Span, StreamError, Strided,
    Target, Timing, View, ViewError, Views, With, devices,
};

pub use reduce_codegen::ASSOCIATION;
pub use reduce_codegen::passes::PASSES;
pub use reduce_dsl::laws;
pub use reduce_dsl::operators::OPERATORS;
#[cfg(feature = "text")]
pub use reduce_dsl::parse::{SpecError, masked_spec as masked, spec as parse};
pub use reduce_ir::spec::ParamError;
#[cfg(feature = "ndarray")]
pub use reduce_runtime::GapsError;
#[cfg(feature = "arrow")]
pub use reduce_runtime::arrow;
#[cfg(feature = "num-complex")]
pub use reduce_runtime::complex;
#[cfg(feature = "dlpack")]
pub use reduce_runtime::dlpack;
#[cfg(feature = "mpi")]
pub use reduce_runtime::mpi;
#[cfg(feature = "cuda")]
pub use reduce_runtime::{
    Cache, Compiler, DeviceArray, DeviceGroups, DeviceInput, DeviceInputs, DeviceKeys, DeviceMemory,
    DeviceResults, DeviceRuns, DeviceSegments, DeviceSlices, DeviceViews, Workspace, cudarc, install_kernels,
};
#[cfg(feature = "candle")]
pub use reduce_runtime::{TensorError, TensorStorage, candle_core};
// Internals for tools of this project, such as the Python package.
pub use reduce_ir::{Scalar, Spec, Value};
#[doc(hidden)]
pub use {reduce_codegen as codegen, reduce_dsl as dsl, reduce_ir as ir};

/// Makes a reduction: a constant expression for a `static`, a `const` or a `let`, or an item.
///
/// Takes the fields of a [specification](crate#the-specification). Every mistake is a compile error at its position,
/// including an illegal list of passes and an operator that is not associative.
///
/// ```
/// use reducegen::{Reduction, reduction};
///
/// static MAX: Reduction<f32, f32> = reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] };
/// let dot = reduction! { inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum };
/// ```
///
/// rustc checks the closures, but they are never called: host and GPU evaluate the same typed expressions. A closure sees
/// its parameters and the names of `params` and `index`. A struct of the accumulator is a type inside the expression.
///
/// With `pub static NAME;` at the head, the macro makes items for libraries: the reduction, and the structs of its
/// accumulator and result with the same visibility. Any attributes and visibility are allowed.
///
/// ```
/// reducegen::reduction! {
///     /// The smallest and the largest element.
///     pub static RANGE;
///     ty: f64,
///     acc: Range { lo: f64, hi: f64 },
///     map: |x| Range { lo: x, hi: x },
///     op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
///     identity: none,
/// }
/// ```
///
/// Crates may rename `reducegen`, or re-export it: `pub use reducegen;`, and `$crate::reducegen::reduction!` in their own
/// macros.
#[macro_export]
macro_rules! reduction {
    ($($field:tt)*) => { $crate::__private::reduction! { $crate $($field)* } };
}

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
//! In reading order: [`reduction!`] makes a [`Reduction`]; [`Reduction::reduce`] runs it on the cores of
//! the host; [`Reduction::compile`] for a [`Device`] makes a [`Compiled`] that runs there many times, also
//! on memory of that device; [`Reduction::with`] gives values to params; [`Best`] and its like are results;
//! [`Error`] is what can go wrong, and says what to do. [`Reducer`] is the same without Rust types, for
//! specifications that are [given as text](crate#at-run-time).
//!
//! # The specification
//!
//! | field | meaning | default |
//! |---|---|---|
//! | `ty: f32` | the type of the elements: `f16` `bf16` `f32` `f64` `i8` … `i64` `u8` … `u64` `bool` | required, or `inputs` |
//! | `inputs: { x: f32, y: f32 }` | up to 16 named inputs of equal length | one, of type `ty` |
//! | `layout: strided` | elements lie a step apart, forwards or backwards, which each input brings to the call: [`Strided`] | `contiguous` |
//! | `params: { k: f32 }` | scalars that are given at the call: [`Reduction::with`]; names in `map`, `fold` and `finish` | none |
//! | `index: i` | the name of the element's 64-bit position in `filter`, `map` and `fold` | none |
//! | `filter: \|x\| x > 0.0` | elements for which it is false are absent: they are not counted and keep their position | all elements |
//! | `map: \|x\| x.abs()` | inputs → accumulator | the element |
//! | `acc: Range { lo: f32, hi: f32 }` | the accumulator: a scalar, or a struct of scalars, which becomes a Rust type | that of the operator; of `map` |
//! | `op: max` | one of the [`OPERATORS`], or an associative closure on two accumulators: `\|a, b\| a + b` | required |
//! | `fold: \|acc, x\| acc + x` | adds one element, where that is cheaper than `op(acc, map(x))`; may take the step of its lane as well | `op(acc, map(x))` |
//! | `identity: 0.0` | the accumulator of no elements, neutral in `op`; `none`: no elements are an [`Error`] | that of the operator; required for closures |
//! | `commutative: false` | may elements be reordered, not only regrouped? | that of the operator; found for closures |
//! | `finish: \|acc, n\| acc / n as f32` | what a named operator gives, or the accumulator of a closure, and the number of elements if it is named (not with `filter` or `nan: ignore`) → result | that, as it is |
//! | `nan: ignore` | an element that is NaN, or whose mapped value is, is absent | `propagate` |
//! | `ties: last` | which of equal elements wins where only one can | `first` |
//! | `order: any` | whichever block is ready first may be combined first; bits may change from run to run | `fixed` |
//! | `block: 256` | threads per block, a power of two in 32 … 1024 | 256; free with `auto` |
//! | `passes: [shuffle, coarsen(4)]` | how the kernel is built from the naive one; [`PASSES`] says what each does | `auto` |
//!
//! Closures are Rust that rustc checks and devices run: literals, `let`, blocks, arithmetic, comparison, `if`, `as`,
//! structs and their fields, constants such as `f32::INFINITY`, and methods such as `abs`, `max`, `sqrt`, `mul_add`,
//! `is_nan` or `count_ones`. 16-bit floats are `f32` in them, and what they give stays `f32`. Whatever else it may be is an
//! error that says what to write instead. The laws that `op`, `identity` and `fold` must follow are tried on a sample when
//! the macro runs: `op: |a, b| a - b` does not compile.
//!
//! # The fields in use
//!
//! What is reduced: types, inputs, params and positions.
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
//! let last_negative = reduction! { ty: i32, index: i, map: |x| if x < 0 { i + 1 } else { 0 }, op: max };
//! assert_eq!(last_negative.reduce(&[3, -1, 4, -1, 5])?, 4);
//! # Ok(())
//! # }
//! ```
//!
//! How: accumulator, operator, identity, fold and result.
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
//! // The order of the elements matters: which x is it, after x -> a x + b of all of them?
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
//! What the result is where there is NaN, where elements are left out, or where they are equal; and which order is kept.
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
//! let found = check(&RANGE.spec().operation, Effort::Thorough)?;
//! assert!(found.commutative && found.remarks.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! With `pub static NAME;` at the head, the macro makes items: the reduction and its structs, which are as
//! visible, with the attributes and the documentation above it. [`laws`] tries harder than the macro whether they are
//! reductions at all, in a test as here, or by `reducegen check`.
//!
//! # Elements that lie apart
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
//! // Backwards from the last one, and the first one three times.
//! assert_eq!(ASUM.reduce(Strided { data: &samples, offset: 5, step: -2, len: 3 })?, 8.25);
//! assert_eq!(ASUM.reduce(Strided { data: &samples, offset: 0, step: 0, len: 3 })?, 1.5);
//! # Ok(())
//! # }
//! ```
//!
//! Element i is at the place `offset + i * step`; [`Strided`] says how BLAS's negative increments are written.
//! Elements are read where they lie. By the same passes, the same elements side by side give the same bits.
//!
//! # At run time
//!
//! ```
//! # #[cfg(feature = "text")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use reducegen::{Device, Reducer};
//!
//! let text = "op: max, ty: f32, map: |x| x.abs()";
//! let spec = reducegen::parse(text)?; // an error shows where it is wrong, and what to write instead
//! let largest = Reducer::new(&spec, &Device::host())?; // threads may share it
//! let outcome = largest.reduce(&[[3.0f32, -4.0, 1.0].as_slice()])?;
//! assert_eq!(outcome.values, [4.0f32.into()]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "text"))]
//! # fn main() {}
//! ```
//!
//! With the feature `text`. [`dsl`]`::parse::text` also takes the types of inputs that the text leaves out, and gives notes.
//!
//! # The same bits
//!
//! The result is a function of the specification and of n, and of nothing else: not of the device, the
//! number of cores, or the alignment of the data. What decides it is the *association*, the order in which
//! elements meet, which is read from the kernel (`reducegen emit --to association`), executed by an
//! interpreter in the tests, and evaluated by the host backend. A float sum has an error of at most
//! γ_d · Σ|x|, d the depth of its association.
//!
//! NaN propagates through `min` and `max`, which order −0 below +0; results hold one NaN, the quiet
//! positive one without payload. Integers wrap. No elements give the identity, or, where there is none, as for
//! positions, an [`Error`].
//!
//! # On a GPU
//!
//! [`Compiled::reduce`] copies a slice there and waits; [`Compiled::reduce_device`] takes slices of [`cudarc`] that are
//! there, and waits. [`Compiled::enqueue`] does not wait: it queues the reduction on a stream, with memory that was
//! allocated once, and leaves the result on the device. Of many calls on the same inputs, [`DeviceInputs::scope`] tells
//! [`cudarc`] once that they are read. [`Compiled::enqueue_captured`] is for CUDA graphs.
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
//! let mut workspace = sum.workspace(&stream, 1 << 20)?; // for up to so many elements, on this stream
//! let inputs = DeviceInputs::on(&stream, &x);
//! sum.enqueue(&stream, &inputs, &mut workspace)?; // returns at once, allocates nothing
//! assert_eq!(sum.read(&stream, &workspace)?, 1048576.0); // waits
//! # Ok(())
//! # }
//! ```
//!
//! Threads share a compiled reduction and take a workspace and a stream each; results have the same bits whatever runs
//! beside them. Kernels are compiled when they are needed first (or ahead, by [`Reducer::prepare_all`]), once for each
//! process and device, and kept on disk: see [`Cache`]. `REDUCEGEN_CACHE_DIR` names the folder, `REDUCEGEN_CACHE=off`
//! does without. What NVRTC would need minutes or gigabytes for is refused, and callers wait for it no longer than 10 s, or as many
//! seconds as `REDUCEGEN_COMPILE_SECONDS` says.
//!
//! # Features
//!
//! `cuda` (default): compile with NVRTC and run on NVIDIA GPUs. Both libraries are found at run time;
//! nothing is linked, and without them the host backend does all. `text`: the parser of specifications at run time. The
//! command `reducegen` is the package `reducegen-cli`.
//!
//! [`dsl`] and [`codegen`] are how it is made: but for what is named above, they may change with every version.
//!
// Links to what only that feature has.
#![cfg_attr(
    not(feature = "cuda"),
    doc = "
[`cudarc`]: #features
[`Cache`]: #features
[`Compiled::enqueue`]: #features
[`Compiled::enqueue_captured`]: #features
[`DeviceInputs::scope`]: #features
[`Compiled::reduce_device`]: #features"
)]
#![forbid(unsafe_code)]

#[cfg(doctest)]
mod guide;

pub use reduce_ir::{bf16, f16};
pub use reduce_runtime::host::HostError;
pub use reduce_runtime::{
    Architecture, ArgMinMax, Best, Compiled, Describe, Device, Error, Image, Listing, MaxSum, MinMax,
    NoParams, Nvrtc, Outcome, Output, Params, Reducer, Reduction, Resources, Slices, Strided, Target, Timing,
    With, devices,
};

#[cfg(feature = "cuda")]
pub use reduce_runtime::{
    Cache, Compiler, DeviceInput, DeviceInputs, DeviceMemory, DeviceSlices, Workspace, cudarc,
};

pub use reduce_codegen as codegen;
pub use reduce_codegen::passes::PASSES;
pub use reduce_dsl as dsl;
pub use reduce_dsl::laws;
pub use reduce_dsl::operators::OPERATORS;
#[cfg(feature = "text")]
pub use reduce_dsl::parse::{SpecError, spec as parse};
pub use reduce_ir as ir;
pub use reduce_ir::Spec;

/// A reduction: a constant expression that a `static` or `let` can hold, or an item. (In a `const` it would be lowered
/// anew at every use.)
///
/// The fields are those of a [specification](crate#the-specification). Everything that is wrong, an illegal list of passes
/// or an operator that is not associative too, is a compile error at its place.
///
/// ```
/// use reducegen::{Reduction, reduction};
///
/// static MAX: Reduction<f32, f32> = reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] };
/// let dot = reduction! { inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum };
/// ```
///
/// rustc checks the closures and never calls them: host and GPU evaluate the same typed expressions. They see their
/// parameters, and the names of `params` and `index`; a struct of the accumulator is a type inside of the expression.
///
/// With `pub static NAME;` at the head, and with any attributes and visibility, the macro makes items, for
/// libraries: the reduction, and the structs of its accumulator and result, which are as visible.
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
/// Crates may rename `reducegen`, or export it again: `pub use reducegen;`, and `$crate::reducegen::reduction!` in macros of
/// their own.
#[macro_export]
macro_rules! reduction {
    ($($field:tt)*) => { $crate::__private::reduction! { $crate $($field)* } };
}

/// What the expansion of `reduction!` names. Not for other use: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use reduce_ir::func::{Func, Id, Line, Node, Param};
    pub use reduce_ir::operation::{Nothing, Operation, Order, Record, Search};
    pub use reduce_ir::ops::{Bin, Cmp, Un};
    pub use reduce_ir::pass::{Argument, Pass};
    pub use reduce_ir::spec::{Passes, Spec};
    pub use reduce_ir::{Access, Domain, Scalar, Value, bf16, f16};
    pub use reduce_macros::reduction;
    pub use reduce_runtime::Reduction;
    pub use std::string::String;
    pub use std::vec::Vec;
}

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
//! on memory of that device; [`Error`] is what can go wrong, and says what to do. [`Reducer`] is the same
//! without Rust types, for specifications that [`dsl`]`::parse::text` reads at run time.
//!
//! # The specification
//!
//! | field | meaning | default |
//! |---|---|---|
//! | `ty: f32`, or `inputs: { x: f32, y: f32 }` | the element type, or up to 16 named inputs of equal length; the types are `f16 f32 f64 i32 u32 i64 u64` | required |
//! | `layout: strided` | elements lie a step apart, which each input brings to the call: [`Strided`] | `contiguous` |
//! | `op: max` | `sum` `prod` `min` `max` `argmin` `argmax` `dot` `and` `or` `xor` `any` `all`; [`operators`] says what each gives | required |
//! | `map: \|x\| x.abs()` | inputs → the value that is reduced; `f16` arrives as `f32` | the element |
//! | `identity` | the neutral value, where you want it checked | that of the operator |
//! | `order: any` | whichever block is ready first may be combined first; bits may change from run to run | `fixed` |
//! | `block: 256` | threads per block, a power of two in 32 … 1024 | 256; free with `auto` |
//! | `passes: [shuffle, coarsen(4)]` | how the kernel is built from the naive one: `sequential` `shuffle` `coarsen(k)` `unroll` `vectorize(k)`; [`passes`] says what each does | `auto` |
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
//! # Ok(())
//! # }
//! ```
//!
//! Elements are read where they lie. By the same passes, the same elements side by side give the same bits.
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
//! positive one without payload. Integers wrap. No elements give the identity, or, for `argmin` and
//! `argmax`, an [`Error`].
//!
//! # Features
//!
//! `cuda` (default): compile with NVRTC and run on NVIDIA GPUs. Both libraries are found at run time;
//! nothing is linked, and without them the host backend does all. `cli` (default): the command `reducegen`;
//! libraries leave it out with `default-features = false, features = ["cuda"]`. `text` (part of `cli`): the
//! parser of specifications at run time.
#![forbid(unsafe_code)]

pub use reduce_dsl::{bf16, f16};
pub use reduce_macros::reduction;
pub use reduce_runtime::host::HostError;
pub use reduce_runtime::{
    Architecture, ArgMinMax, Best, Compiled, Describe, Device, Error, Image, Listing, MaxSum, MinMax,
    NoParams, Nvrtc, Outcome, Output, Params, Reducer, Reduction, Resources, Slices, Strided, Target, Timing,
    With, devices,
};

#[cfg(feature = "cuda")]
pub use reduce_runtime::{DeviceInput, DeviceSlices, cudarc};

pub use reduce_codegen as codegen;
pub use reduce_dsl as dsl;
pub use reduce_dsl::operators::OPERATORS as operators;
pub use reduce_dsl::pass::PASSES as passes;

/// What the expansion of `reduction!` names. Not for other use: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use reduce_dsl::func::{Func, Id, Line, Node, Param};
    pub use reduce_dsl::operation::{Layout, Operation, Order, Record};
    pub use reduce_dsl::ops::{Bin, Cmp, Un};
    pub use reduce_dsl::pass::Pass;
    pub use reduce_dsl::spec::{Passes, Spec};
    pub use reduce_dsl::{Scalar, Value, bf16, f16};
    pub use reduce_runtime::Reduction;
}

//! The texts that `--help` shows below the arguments.

/// Below the help of the command.
pub(super) const ALL: &str = "\
Examples:
  reducegen run max data.npy
  reducegen run dot x.npy y.npy --json
  reducegen partial 'op: sum' data.npy --part 1/8 -o 1.part
  reducegen merge *.part
  reducegen emit 'op: sum, ty: f32, passes: [shuffle, coarsen(4)]'
  reducegen explain 'op: sum, ty: f32'
  reducegen check 'ty: f32, op: |a, b| a + b - a * b, identity: 0.0'
  reducegen compile 'op: sum, ty: f32' --arch sm_90 -o kernels.bin
  reducegen ladder
  reducegen devices

Exit status: 0; 2 if the request or the data is wrong; 1 if the machine cannot do it, or a law does
not hold.";

/// Below the help of `emit`.
pub(super) const EMIT: &str = "\
Examples:
  reducegen emit 'reduction!< op: max, ty: f32, passes: [shuffle, coarsen(4)] >'
  reducegen emit 'op: argmax, ty: f32' --to association
  reducegen emit 'op: sum, ty: f32, passes: [sequential, shuffle, unroll]' --diff
  reducegen emit 'op: sum, ty: f32, axes: i j -> j' --shape i=1024,j=4096
  reducegen emit @norm.reduce --to cubin --arch sm_90 -o norm.cubin";

/// Below the help of `run`.
pub(super) const RUN: &str = "\
Examples:
  reducegen run max data.npy
  reducegen run 'map: |x| x.abs(), op: max' data.npy --device host
  reducegen run 'inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum' x.npy y.npy
  reducegen run 'op: sum' --raw f16 weights.bin --json
  zcat weights.npy.gz | reducegen run 'op: var' -
  reducegen run 'map: |x| x.abs(), op: sum, layout: strided' data.npy --offset 1 --step 3
  reducegen run 'op: sum' matrix.npy --offset 3000 --len 1000
  reducegen run 'op: sum, layout: strided' data.npy --offset 9 --step -2
  reducegen run 'op: sum, axes: b h w c -> b c' images.npy
  reducegen run 'op: mean' images.npy --axis 1,2 --keepdims -o means.npy
  reducegen run 'op: max, axes: i j -> i' --raw f32 matrix.bin --shape 1024x4096
  reducegen run sum values.npy --segments offsets.npy -o sums.npy
  reducegen run mean values.npy --by days.npy --keys-out days-once.npy -o means.npy
  reducegen run 'op: sum, by: { key: u32 }, groups: 64' values.npy --by keys.npy
  reducegen run mean trips.parquet --column distance --by passengers
  reducegen run 'op: sum, block: 32, passes: [shuffle]' small.npy --trace

Types of elements: bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32 and f64, as NumPy saves them or with
--raw, and bf16 only with --raw, because NumPy has no code for it. Data is little-endian; a bool is a byte, 0 or 1.

In JSON, a result is a number; a string if it is NaN, infinite, or an integer beyond 2^53; or an
object of such values if it is a struct. `bits` holds the bits in the same form, in hexadecimal. With axes,
these are flat arrays in row-major order, with null for a group that has no result.";

/// Below the help of `report`.
pub(super) const REPORT: &str = "\
Examples:
  reducegen report 'op: sum, ty: f32' -o report.html
  reducegen report 'op: argmax, ty: f32, passes: [sequential, shuffle]' --n 4096 -o argmax.html
  reducegen report 'op: max, ty: f32, axes: i j -> i' --shape i=8,j=256 -o rows.html
  reducegen report 'op: mean' data.npy -o mean.html
  reducegen report 'op: sum, ty: f32, segments: u32' -o segments.html
  reducegen report 'op: sum, by: { key: u32 }, groups: 64' values.npy --by keys.npy -o groups.html

The page is one file. It loads nothing, and shows at most some thousand steps of each kernel.";

/// Below the help of `compile`.
pub(super) const COMPILE: &str = "\
Examples:
  reducegen compile 'op: sum, ty: f32' --arch sm_80,sm_90 -o kernels.bin
  reducegen compile @peak.reduce @norm.reduce --arch sm_90,compute_90 -o kernels.bin

The program installs them with `reducegen::install_kernels(include_bytes!(\"kernels.bin\"))`. Compile them again after each
update of reducegen.";

/// Below the help of `completions`.
pub(super) const COMPLETIONS: &str = "\
Examples:
  reducegen completions bash >/etc/bash_completion.d/reducegen
  reducegen completions fish >~/.config/fish/completions/reducegen.fish";

/// Below the help of `partial`.
pub(super) const PARTIAL: &str = "\
Examples:
  reducegen partial 'op: sum' data.npy --part 1/2 -o 1.part
  reducegen partial 'op: sum' data.npy --part 2/2 -o 2.part
  reducegen partial 'op: var, axes: i j -> j' matrix.npy --part 3/16 -o 3.part

Each part reads only its elements of the files, on the host. Only bool and misaligned elements are copied as a whole. Parts are cut
at the chunks of the reduction: a short input has one chunk, and the other parts are empty. With axes, the first reduced axis is cut.
The files of all parts must be the same.";

/// Below the help of `merge`.
pub(super) const MERGE: &str = "\
Examples:
  reducegen merge 1.part 2.part
  reducegen merge parts/* --json
  reducegen merge parts/* -o means.npy

The partials hold the specification and the params. The result has the bits of `reducegen run` on the whole, on every device.
In JSON, `kernel_us` and `gb_per_s` are null.";

/// Below the help of `explain`.
pub(super) const EXPLAIN: &str = "\
Examples:
  reducegen explain 'op: sum, ty: f32'
  reducegen explain 'op: sum, ty: f32, passes: [sequential, last_warp, unroll]' --n 256
  reducegen explain 'op: dot, inputs: { x: f16, y: f16 }' --gb-per-s 864 --json
  reducegen explain 'op: sum, ty: f32, axes: i j -> j' --shape 64x256

`=` repeats the value of the previous stage. The counts are exact; docs/ladder.md defines each count.
= as in the stage before
=> = as in the previous stage";

/// Below the help of `check`.
pub(super) const CHECK: &str = "\
Examples:
  reducegen check 'ty: f32, op: |a, b| a - b, identity: none'
  reducegen check 'op: argmax, ty: u8' --exhaustive
  reducegen check @welford.reduce --json

exact: both sides are equal bit for bit or, where operations round, as fractions before any rounding.
bounded: equal up to the error that the operations may add (sqrt, exp, ln). discarded: no conclusion.
Exit status: 0 if all laws hold, 1 if a law does not.";

/// Below the help of `ladder`.
pub(super) const LADDER: &str = "\
Examples:
  reducegen ladder
  reducegen ladder --n 256 --json
  reducegen ladder --op max --ty f64 --block 512
  reducegen ladder --device cuda --n 4194304

Every rung is a list of passes; `emit`, `explain` and `run` accept the `spec` in its JSON. The counts are
exact, for at most 2^20 elements; docs/ladder.md defines each count, and lists the published figures.";

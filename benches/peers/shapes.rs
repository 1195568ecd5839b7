//! The shapes of the benchmark: reductions with several results, with the peers that compute the same. `--shapes` measures them.

use super::cases::{APPROXIMATE, Case, Group, case};
use super::outputs::Layout::{LargestAndSum, RowPosition, Scalar as One, Variance};
use super::table::Tolerance;
use reducegen::Scalar::{self, Bf16, F16, F32, I8, I32, U64};

/// The shape of the elements, which are row-major, and the results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) lengths: &'static [usize],
    /// The number of results.
    pub(crate) outputs: usize,
    /// The type of each result.
    pub(crate) result: Scalar,
}

impl Shape {
    pub(crate) fn elements(&self) -> usize {
        self.lengths.iter().product()
    }

    pub(crate) fn result_bytes(&self) -> usize {
        self.outputs * self.result.size()
    }
}

/// Bytes for the results of a peer: those of rows of 4.
pub(crate) const RESULTS: usize = 256 << 20;

const SUM_OF_ROWS: &str = "op: sum, axes: r c -> r";
/// Roundings on the way from an element to the sum, in every order that a library uses, and the bound of all magnitudes but one.
const ROUNDINGS: usize = 1000;
const LARGEST: f64 = 1.5;

/// Bounds the distance of two `f32` sums of `length` elements. Each may err by `ROUNDINGS` half units in the last place of the
/// sum of all magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
const fn rounded(length: usize) -> Tolerance {
    let roundings = if length < ROUNDINGS { length } else { ROUNDINGS };
    let absolute = roundings as f64 * f32::EPSILON as f64 * LARGEST * length as f64;
    Tolerance { relative: 0.0, absolute }
}

impl Case {
    const fn shape(self, lengths: &'static [usize], outputs: usize, result: Scalar) -> Case {
        Case { shape: Some(Shape { lengths, outputs, result }), ..self }
    }

    const fn tolerance(self, tolerance: Tolerance) -> Case {
        Case { tolerance, ..self }
    }
}

const fn rows(
    name: &'static str,
    group: Group,
    [ty, result]: [Scalar; 2],
    spec: &'static str,
    lengths: &'static [usize; 2],
) -> Case {
    case(name, group, ty, spec, &[]).shape(lengths, lengths[0], result)
}

const fn columns(
    name: &'static str,
    group: Group,
    [ty, result]: [Scalar; 2],
    lengths: &'static [usize; 2],
) -> Case {
    case(name, group, ty, "op: sum, axes: r c -> c", &[]).shape(lengths, lengths[1], result)
}

const fn sums_of_rows(name: &'static str, group: Group, lengths: &'static [usize; 2]) -> Case {
    rows(name, group, [F32, F32], SUM_OF_ROWS, lengths)
        .cub(&[("rows_sum_f32", One(F32))])
        .torch("x.sum(1)")
        .tolerance(rounded(lengths[1]))
}

const fn sums_of_columns(name: &'static str, group: Group, lengths: &'static [usize; 2]) -> Case {
    columns(name, group, [F32, F32], lengths).torch("x.sum(0)").tolerance(rounded(lengths[0]))
}

const MATRIX: &[usize; 2] = &[1 << 18, 1024];
/// Matrices of 1 GiB of elements of 16 and 8 bits.
const MATRIX_2: &[usize; 2] = &[1 << 19, 1024];
const MATRIX_1: &[usize; 2] = &[1 << 20, 1024];

/// All shapes, in the order of the table. Those that are not small have 1 GiB of elements, or the lengths of a common workload.
pub(crate) const SHAPES: &[Case] = &[
    sums_of_rows("rows of 4", Group::ShortRows, &[1 << 26, 4]),
    sums_of_rows("rows of 8", Group::ShortRows, &[1 << 25, 8]),
    sums_of_rows("rows of 13", Group::ShortRows, &[20_648_881, 13]),
    sums_of_rows("rows of 32", Group::ShortRows, &[1 << 23, 32]),
    sums_of_rows("rows of 64", Group::MediumRows, &[1 << 22, 64]),
    sums_of_rows("rows of 100", Group::MediumRows, &[2_684_354, 100]),
    sums_of_rows("rows of 128", Group::LongRows, &[1 << 21, 128]),
    sums_of_rows("rows of 512", Group::LongRows, &[1 << 19, 512]),
    sums_of_rows("rows of 1024", Group::LongRows, MATRIX),
    sums_of_rows("rows of 4096", Group::LongRows, &[1 << 16, 4096]),
    sums_of_rows("rows of 32768", Group::LongRows, &[1 << 13, 1 << 15]),
    rows("rows of 1024, argmax", Group::PositionRows, [F32, U64], "op: argmax, axes: r c -> r", MATRIX)
        .cub(&[("rows_argmax_f32", RowPosition)])
        .torch("x.argmax(1)"),
    rows("rows of 1024, var", Group::WelfordRows, [F32, F32], "op: var, axes: r c -> r", MATRIX)
        .cub(&[("rows_var_f32", Variance)])
        .torch("torch.var(x, 1, correction=0)")
        .within(APPROXIMATE),
    rows(
        "rows of 1024, logsumexp",
        Group::LogSumExpRows,
        [F32, F32],
        "op: logsumexp, axes: r c -> r",
        MATRIX,
    )
    .cub(&[("rows_logsumexp_f32", LargestAndSum)])
    .torch("torch.logsumexp(x, 1)")
    .within(APPROXIMATE),
    sums_of_columns("columns 2^26x4", Group::Columns, &[1 << 26, 4]),
    sums_of_columns("columns 2^24x16", Group::Columns, &[1 << 24, 16]),
    sums_of_columns("columns 2^20x256", Group::Columns, &[1 << 20, 256]),
    sums_of_columns("columns 2^18x1024", Group::Columns, MATRIX),
    sums_of_columns("columns 2^14x2^14", Group::Columns, &[1 << 14, 1 << 14]),
    sums_of_columns("columns 4096x65536", Group::Columns, &[4096, 65_536]),
    sums_of_columns("columns 1024x2^18", Group::Columns, &[1024, 1 << 18]),
    sums_of_columns("columns 256x2^20", Group::Columns, &[256, 1 << 20]),
    case("NHWC 64x56x56x256 over HW", Group::Nhwc, F32, "op: sum, axes: b h w c -> b c", &[])
        .shape(&[64, 56, 56, 256], 64 * 256, F32)
        .torch("x.sum((1, 2))")
        .tolerance(rounded(56 * 56)),
    case("RGB 2^24x3, mean", Group::Rgb, F32, "op: mean, axes: p c -> c", &[])
        .shape(&[1 << 24, 3], 3, F32)
        .torch("x.mean(0)")
        .within(APPROXIMATE),
    rows("rows of 1024, f16", Group::LongRows, [F16, F32], SUM_OF_ROWS, MATRIX_2)
        .cub(&[("rows_sum_f16", One(F32))])
        .torch("x.sum(1, dtype=torch.float32)")
        .tolerance(rounded(1024)),
    columns("columns 2^19x1024, f16", Group::Columns, [F16, F32], MATRIX_2)
        .torch("x.sum(0, dtype=torch.float32)")
        .tolerance(rounded(1 << 19)),
    rows("rows of 1024, bf16", Group::LongRows, [Bf16, F32], SUM_OF_ROWS, MATRIX_2)
        .cub(&[("rows_sum_bf16", One(F32))])
        .torch("x.sum(1, dtype=torch.float32)")
        .tolerance(rounded(1024)),
    columns("columns 2^19x1024, bf16", Group::Columns, [Bf16, F32], MATRIX_2)
        .torch("x.sum(0, dtype=torch.float32)")
        .tolerance(rounded(1 << 19)),
    rows("rows of 1024, i8", Group::LongRows, [I8, I32], SUM_OF_ROWS, MATRIX_1)
        .cub(&[("rows_sum_i8", One(I32))])
        .torch("x.sum(1, dtype=torch.int32)"),
    columns("columns 2^20x1024, i8", Group::Columns, [I8, I32], MATRIX_1)
        .torch("x.sum(0, dtype=torch.int32)"),
    sums_of_rows("small rows 1024x1024", Group::Small, &[1024, 1024]),
    sums_of_columns("small columns 1024x1024", Group::Small, &[1024, 1024]),
    sums_of_rows("small rows 16384x64", Group::Small, &[16_384, 64]),
    sums_of_rows("small rows 4096x32", Group::Small, &[4096, 32]),
    sums_of_rows("small rows 132x8192", Group::Small, &[132, 8192]),
    sums_of_rows("small rows 133x8192", Group::Small, &[133, 8192]),
];

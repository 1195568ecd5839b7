//! The cases of the benchmark: one row for each reduction, with the peers that compute the same. `shapes` has those with
//! several results.

use super::Outcome;
use super::outputs::Layout;
use super::shapes::Shape;
use super::table::Tolerance;
use Layout::{Count, LargestAndSum, Moments, Pair, Position, Scalar as One, Variance};
use reduce_dsl::parse;
use reducegen::Scalar::{self, Bf16, F16, F32, F64, I8, I32, I64, U8, U32};
use reducegen::Spec;

/// Cases that have the same goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// `f32` with one addition or comparison for each element.
    Flat,
    /// The position of the largest element.
    Position,
    /// Elements of 8 and 16 bits.
    Narrow,
    /// Elements of 64 bits.
    Wide,
    Welford,
    LogSumExp,
    Describe,
    /// The sum whose bits are the same on every GPU.
    Fixed,
    /// A closure that is equal to a named operator.
    Named,
    /// A closure that no library has as an operator.
    Closure,
    Misaligned,
    MisalignedNarrow,
    /// Rows of 3 to 63 elements, of 64 to 127, and of more.
    ShortRows,
    MediumRows,
    LongRows,
    PositionRows,
    WelfordRows,
    LogSumExpRows,
    Columns,
    /// Images, reduced over height and width.
    Nhwc,
    /// Three columns.
    Rgb,
    /// Shapes of a few MiB.
    Small,
}

/// A reduction and its peers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) ty: Scalar,
    /// The specification, without the types of the inputs.
    pub(crate) spec: &'static str,
    /// The number of elements before the first one, which makes it misaligned.
    pub(crate) offset: usize,
    /// Binary logarithms of the numbers of elements, if there is one result.
    pub(crate) sizes: &'static [u32],
    /// The shape of the elements, if there are several results.
    pub(crate) shape: Option<Shape>,
    /// Functions of `benches/peers/cub`, called one after another, and the layout of each result.
    pub(crate) cub: &'static [(&'static str, Layout)],
    /// Python expressions over `x` (and `y`): for eager mode, and for torch.compile.
    pub(crate) torch: [&'static str; 2],
    /// Another specification of ours on the same elements, with its offset.
    pub(crate) beside: Option<(&'static str, usize)>,
    /// The distance of a peer's result that float sums of another association may have.
    pub(crate) tolerance: Tolerance,
}

impl Case {
    /// Returns the number of inputs.
    pub(crate) fn inputs(&self) -> usize {
        if self.spec.contains("op: dot") { 2 } else { 1 }
    }

    /// Returns the numbers of elements to measure.
    pub(crate) fn lengths(&self) -> Vec<usize> {
        match self.shape {
            None => self.sizes.iter().map(|size| 1 << size).collect(),
            Some(shape) => vec![shape.elements()],
        }
    }

    /// Returns the number of results of a call.
    pub(crate) fn outputs(&self) -> usize {
        self.shape.map_or(1, |shape| shape.outputs)
    }

    /// Parses the case's specification, or another one on the same elements.
    pub(crate) fn parsed(&self, text: &str) -> Outcome<Spec> {
        let types = vec![self.ty; self.inputs()];
        let parsed = parse::text(text, Some(&types)).map_err(|error| error.of(self.name).to_string())?;
        Ok(parsed.spec)
    }
}

const ALL_SIZES: &[u32] = &[30, 28, 26, 24, 22, 20, 19, 18, 17, 16, 15, 14, 13, 12, 10];
const SIZES: &[u32] = &[28, 26, 24, 22, 20, 19, 18, 17, 16, 15, 14, 13, 12, 10];
const FEW_SIZES: &[u32] = &[28, 24, 20, 16, 12];
/// Binary logarithms for 1 GiB of elements of 4, 2, 1 and 8 bytes.
const GIB_4: &[u32] = &[28];
const GIB_2: &[u32] = &[29];
const GIB_1: &[u32] = &[30];
const GIB_8: &[u32] = &[27];

/// Sums of `f32`: a thousand roundings of half a unit in the last place.
const ROUNDED: f64 = 6e-5;
const ROUNDED_64: f64 = 1e-13;
/// Fast divisions and exponentials.
pub(super) const APPROXIMATE: f64 = 1e-3;

pub(super) const fn case(
    name: &'static str,
    group: Group,
    ty: Scalar,
    spec: &'static str,
    sizes: &'static [u32],
) -> Case {
    let (shape, beside, tolerance) = (None, None, Tolerance::EXACT);
    Case { name, group, ty, spec, offset: 0, sizes, shape, cub: &[], torch: ["", ""], beside, tolerance }
}

impl Case {
    pub(super) const fn cub(self, cub: &'static [(&'static str, Layout)]) -> Case {
        Case { cub, ..self }
    }

    pub(super) const fn torch(self, both: &'static str) -> Case {
        Case { torch: [both, both], ..self }
    }

    /// Sets different expressions for eager mode and torch.compile, where the fastest ones differ.
    const fn torch_by(self, eager: &'static str, compiled: &'static str) -> Case {
        Case { torch: [eager, compiled], ..self }
    }

    const fn beside(self, spec: &'static str) -> Case {
        Case { beside: Some((spec, 0)), ..self }
    }

    /// Lets our elements begin one later; the other specification of ours is the same one on aligned elements.
    const fn misaligned(self) -> Case {
        Case { offset: 1, beside: Some((self.spec, 0)), ..self }
    }

    pub(super) const fn within(self, relative: f64) -> Case {
        Case { tolerance: Tolerance { relative, absolute: 0.0 }, ..self }
    }
}

const LARGER: &str = "op: |a, b| if b > a { b } else { a }, identity: f32::NEG_INFINITY";
const RANGE: &str = "acc: Range { lo: f32, hi: f32 }, map: |x| Range { lo: x, hi: x }, identity: none, \
                     op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }";

/// All cases, in the order of the table.
pub(crate) const CASES: &[Case] = &[
    case("sum f32", Group::Flat, F32, "op: sum", ALL_SIZES)
        .cub(&[("sum_f32", One(F32))])
        .torch("x.sum()")
        .within(ROUNDED),
    case("max f32", Group::Flat, F32, "op: max", ALL_SIZES).cub(&[("max_f32", One(F32))]).torch("x.max()"),
    case("min f32", Group::Flat, F32, "op: min", SIZES).cub(&[("min_f32", One(F32))]).torch("x.min()"),
    case("dot f32", Group::Flat, F32, "op: dot", SIZES)
        .cub(&[("dot_f32", One(F32))])
        .torch_by("torch.dot(x, y)", "(x * y).sum()")
        .within(ROUNDED),
    case("sum of squares f32", Group::Flat, F32, "op: sum_of_squares", SIZES)
        .cub(&[("sum_of_squares_f32", One(F32))])
        .torch_by("torch.dot(x, x)", "(x * x).sum()")
        .within(ROUNDED),
    case("absmax f32", Group::Flat, F32, "op: norm_inf", SIZES)
        .cub(&[("norm_inf_f32", One(F32))])
        .torch_by("torch.linalg.vector_norm(x, float('inf'))", "x.abs().max()"),
    case("minmax f32", Group::Flat, F32, "op: minmax", SIZES)
        .cub(&[("minmax_f32", Pair(F32))])
        .torch("torch.aminmax(x)"),
    case("argmax f32", Group::Position, F32, "op: argmax", ALL_SIZES)
        .cub(&[("argmax_f32", Position)])
        .torch("x.argmax()"),
    case("sum f32, fixed on every GPU", Group::Fixed, F32, "op: sum", ALL_SIZES)
        .cub(&[("reproducible_sum_f32", One(F32))])
        .within(ROUNDED),
    case("sum f16", Group::Narrow, F16, "op: sum", GIB_2)
        .cub(&[("sum_f16", One(F32))])
        .torch("x.sum(dtype=torch.float32)")
        .within(ROUNDED),
    case("max f16", Group::Narrow, F16, "op: max", GIB_2).cub(&[("max_f16", One(F16))]).torch("x.max()"),
    case("sum bf16", Group::Narrow, Bf16, "op: sum", GIB_2)
        .cub(&[("sum_bf16", One(F32))])
        .torch("x.sum(dtype=torch.float32)")
        .within(ROUNDED),
    case("max bf16", Group::Narrow, Bf16, "op: max", GIB_2).cub(&[("max_bf16", One(Bf16))]).torch("x.max()"),
    case("sum i8", Group::Narrow, I8, "op: sum", GIB_1)
        .cub(&[("sum_i8", One(I32))])
        .torch("x.sum(dtype=torch.int32)"),
    case("max i8", Group::Narrow, I8, "op: max", GIB_1).cub(&[("max_i8", One(I8))]).torch("x.max()"),
    case("sum u8", Group::Narrow, U8, "op: sum", GIB_1)
        .cub(&[("sum_u8", One(U32))])
        // PyTorch has no `uint32` sums; the elements' sum modulo 2^32 is below 2^31.
        .torch("x.sum(dtype=torch.int32)"),
    case("max u8", Group::Narrow, U8, "op: max", GIB_1).cub(&[("max_u8", One(U8))]).torch("x.max()"),
    case("sum f64", Group::Wide, F64, "op: sum", GIB_8)
        .cub(&[("sum_f64", One(F64))])
        .torch("x.sum()")
        .within(ROUNDED_64),
    case("max f64", Group::Wide, F64, "op: max", GIB_8).cub(&[("max_f64", One(F64))]).torch("x.max()"),
    case("argmax f64", Group::Wide, F64, "op: argmax", GIB_8)
        .cub(&[("argmax_f64", Position)])
        .torch("x.argmax()"),
    case("sum i64", Group::Wide, I64, "op: sum", GIB_8).cub(&[("sum_i64", One(I64))]).torch("x.sum()"),
    case("max i64", Group::Wide, I64, "op: max", GIB_8).cub(&[("max_i64", One(I64))]).torch("x.max()"),
    case("argmax i64", Group::Wide, I64, "op: argmax", GIB_8)
        .cub(&[("argmax_i64", Position)])
        .torch("x.argmax()"),
    case("variance f32 (Welford)", Group::Welford, F32, "op: var", FEW_SIZES)
        .cub(&[("var_f32", Variance)])
        .torch("torch.var(x, correction=0)")
        .within(APPROXIMATE),
    case("logsumexp f32", Group::LogSumExp, F32, "op: logsumexp", FEW_SIZES)
        .cub(&[("logsumexp_f32", LargestAndSum)])
        .torch("torch.logsumexp(x, 0)")
        .within(APPROXIMATE),
    case("describe f32, against count, moments, min, max", Group::Describe, F32, "op: describe", FEW_SIZES)
        .cub(&[("count_f32", Count), ("var_f32", Moments), ("min_f32", One(F32)), ("max_f32", One(F32))])
        .within(APPROXIMATE),
    case("|a, b| b + a f32", Group::Named, F32, "op: |a, b| b + a, identity: -0.0", FEW_SIZES)
        .beside("op: sum"),
    case("map: x.abs(), op: a.max(b) f32", Group::Named, F32, ABSMAX, FEW_SIZES)
        .beside("map: |x| x.abs(), op: max, nan: ignore"),
    case("if b > a { b } else { a } f32", Group::Closure, F32, LARGER, FEW_SIZES)
        .cub(&[("larger_f32", One(F32))]),
    case("struct of two extremes f32", Group::Closure, F32, RANGE, FEW_SIZES)
        .cub(&[("minmax_f32", Pair(F32))]),
    case("sum f32, one element off", Group::Misaligned, F32, "op: sum", GIB_4)
        .misaligned()
        .cub(&[("sum_f32", One(F32))])
        .within(ROUNDED),
    case("argmax f32, one element off", Group::Misaligned, F32, "op: argmax", GIB_4)
        .misaligned()
        .cub(&[("argmax_f32", Position)]),
    case("sum f64, one element off", Group::Misaligned, F64, "op: sum", GIB_8)
        .misaligned()
        .cub(&[("sum_f64", One(F64))])
        .within(ROUNDED_64),
    case("sum f16, one element off", Group::MisalignedNarrow, F16, "op: sum", GIB_2)
        .misaligned()
        .cub(&[("sum_f16", One(F32))])
        .within(ROUNDED),
    case("max i8, one element off", Group::MisalignedNarrow, I8, "op: max", GIB_1)
        .misaligned()
        .cub(&[("max_i8", One(I8))]),
];

const ABSMAX: &str = "map: |x| x.abs(), op: |a, b| a.max(b), identity: none";

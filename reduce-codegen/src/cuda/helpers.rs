//! Device functions for operations that C++ has no exact spelling for, each printed only where it is used.
//!
//! They give what `reduce_dsl::arith` defines. `-0.0 < +0.0` in `min` and `max` is what the PTX instructions
//! do (PTX ISA, `max`); `.NaN`, which propagates NaN, needs sm_80.

use super::types::scalar;
use reduce_dsl::Scalar;
use reduce_dsl::func::{Func, Node};
use reduce_dsl::operation::Operation;
use reduce_dsl::ops::{Bin, Cmp, Un};
use std::collections::BTreeSet;

/// The helpers that the functions of an operation call, each once.
pub(super) fn helpers(operation: &Operation) -> String {
    let functions = [&operation.map, &operation.combine, &operation.finish];
    let used: BTreeSet<Helper> = functions.into_iter().flat_map(used_by).collect();
    used.into_iter().map(|helper| format!("\n{}", helper.text())).collect()
}

/// A helper, in the order in which they are printed: later ones may call earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    Widen,
    IsNanF16,
    Wrapping(Signed, Scalar),
    Extreme(Extreme, Scalar),
    Canonical(Scalar),
}

/// Signed arithmetic that wraps; in C++ it would be undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Signed {
    Add,
    Sub,
    Mul,
    Neg,
    Abs,
}

/// Which of two floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Extreme {
    Min,
    Max,
}

impl Signed {
    fn name(self) -> &'static str {
        match self {
            Signed::Add => "add",
            Signed::Sub => "sub",
            Signed::Mul => "mul",
            Signed::Neg => "neg",
            Signed::Abs => "abs",
        }
    }
}

impl Extreme {
    fn name(self) -> &'static str {
        match self {
            Extreme::Min => "min",
            Extreme::Max => "max",
        }
    }
}

/// The helper that calls to a operation on one operand go through, if there is one.
pub(super) fn of_un(op: Un, ty: Scalar) -> Option<Helper> {
    let signed = matches!(ty, Scalar::I32 | Scalar::I64);
    match op {
        Un::Neg => signed.then_some(Helper::Wrapping(Signed::Neg, ty)),
        Un::Abs => signed.then_some(Helper::Wrapping(Signed::Abs, ty)),
        Un::IsNan => (ty == Scalar::F16).then_some(Helper::IsNanF16),
        Un::Canonical => Some(Helper::Canonical(ty)),
        Un::Not => None,
        Un::Sqrt | Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven | Un::Exp | Un::Ln => None,
        Un::ToBits | Un::FromBits | Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => None,
    }
}

/// The helper that calls to an operation on two operands go through, if there is one.
pub(super) fn of_bin(op: Bin, ty: Scalar) -> Option<Helper> {
    let signed = |op| matches!(ty, Scalar::I32 | Scalar::I64).then_some(Helper::Wrapping(op, ty));
    let extreme = |which| ty.is_float().then_some(Helper::Extreme(which, ty));
    match op {
        Bin::Add => signed(Signed::Add),
        Bin::Sub => signed(Signed::Sub),
        Bin::Mul => signed(Signed::Mul),
        Bin::Min => extreme(Extreme::Min),
        Bin::Max => extreme(Extreme::Max),
        Bin::Div | Bin::Rem | Bin::And | Bin::Or | Bin::Xor | Bin::Shl | Bin::Shr => None,
        Bin::MinNum | Bin::MaxNum => None,
    }
}

/// The helpers of a function, and those that they call.
fn used_by(func: &Func) -> Vec<Helper> {
    let helper = |node: Node| match node {
        Node::Un(op, a) => of_un(op, func.ty(a)),
        Node::Bin(op, a, _) => of_bin(op, func.ty(a)),
        Node::Cmp(Cmp::Eq | Cmp::Ne | Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge, a, _) => {
            (func.ty(a) == Scalar::F16).then_some(Helper::Widen)
        }
        Node::Cast(_, a) => (func.ty(a) == Scalar::F16).then_some(Helper::Widen),
        Node::Const(_) | Node::Select(..) | Node::MulAdd(..) => None,
    };
    let direct = func.lines().iter().filter_map(|line| helper(line.node));
    direct.flat_map(|helper| helper.calls().into_iter().chain([helper])).collect()
}

impl Helper {
    /// The helpers that it calls.
    fn calls(self) -> Vec<Helper> {
        match self {
            Helper::Extreme(_, Scalar::F16) => vec![Helper::Widen],
            Helper::Canonical(Scalar::F16) => vec![Helper::IsNanF16],
            Helper::Widen | Helper::IsNanF16 => Vec::new(),
            Helper::Wrapping(..) | Helper::Extreme(..) | Helper::Canonical(_) => Vec::new(),
        }
    }

    /// The name that calls it.
    pub(super) fn name(self) -> String {
        match self {
            Helper::Widen => "f16_to_f32".to_owned(),
            Helper::IsNanF16 => "is_nan_f16".to_owned(),
            Helper::Wrapping(op, ty) => format!("wrapping_{}_{ty}", op.name()),
            Helper::Extreme(which, ty) => format!("{}_{ty}", which.name()),
            Helper::Canonical(ty) => format!("canonical_{ty}"),
        }
    }

    fn text(self) -> String {
        let name = self.name();
        match self {
            Helper::Widen => WIDEN.to_owned(),
            Helper::IsNanF16 => {
                format!("{INLINE} bool {name}(unsigned short a) {{ return (a & 0x7fff) > 0x7c00; }}\n")
            }
            Helper::Wrapping(op, ty) => wrapping(op, ty, &name),
            Helper::Extreme(which, ty) => extreme(which, ty, &name),
            Helper::Canonical(ty) => canonical(ty, &name),
        }
    }
}

/// How every device function is declared.
pub(super) const INLINE: &str = "__device__ __forceinline__";

const WIDEN: &str = "\
__device__ __forceinline__ float f16_to_f32(unsigned short a)
{
    float r;
    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(r) : \"h\"(a));
    return r;
}
";

fn wrapping(op: Signed, ty: Scalar, name: &str) -> String {
    let signed = scalar(ty);
    let unsigned = if ty == Scalar::I32 { "unsigned int" } else { "unsigned long long" };
    let binary = |sign| {
        format!(
            "{INLINE} {signed} {name}({signed} a, {signed} b) {{ return ({signed})(({unsigned})a {sign} ({unsigned})b); }}\n"
        )
    };
    match op {
        Signed::Add => binary('+'),
        Signed::Sub => binary('-'),
        Signed::Mul => binary('*'),
        Signed::Neg => {
            format!("{INLINE} {signed} {name}({signed} a) {{ return ({signed})(0 - ({unsigned})a); }}\n")
        }
        Signed::Abs => {
            format!(
                "{INLINE} {signed} {name}({signed} a) {{ return a < 0 ? ({signed})(0 - ({unsigned})a) : a; }}\n"
            )
        }
    }
}

fn extreme(which: Extreme, ty: Scalar, name: &str) -> String {
    let (c, word) = (scalar(ty), which.name());
    let doc = format!("// {word}, NaN if either is NaN\n{INLINE} {c} {name}({c} a, {c} b)");
    let portable = |function: String| format!("return a != a ? a : b != b ? b : {function}(a, b);");
    if ty == Scalar::F64 {
        return format!("{doc}\n{{\n    {}\n}}\n", portable(format!("f{word}")));
    }
    let (register, old) = match (ty, which) {
        (Scalar::F16, Extreme::Max) => ("h", ordered_f16('>', '&')),
        (Scalar::F16, Extreme::Min) => ("h", ordered_f16('<', '|')),
        _ => ("f", portable(format!("f{word}f"))),
    };
    format!(
        "\
{doc}
{{
#if __CUDA_ARCH__ >= 800
    {c} r;
    asm(\"{word}.NaN.{ty} %0, %1, %2;\" : \"={register}\"(r) : \"{register}\"(a), \"{register}\"(b));
    return r;
#else
    {old}
#endif
}}
"
    )
}

/// Before sm_80: through `f32`, which is exact. Of equal operands `bits` keeps the zero that is asked for.
fn ordered_f16(order: char, bits: char) -> String {
    format!(
        "\
const float x = f16_to_f32(a), y = f16_to_f32(b);
    return x != x ? a : y != y ? b : x == y ? a {bits} b : x {order} y ? a : b;"
    )
}

fn canonical(ty: Scalar, name: &str) -> String {
    let c = scalar(ty);
    let nan = if ty == Scalar::F16 { "is_nan_f16(a)" } else { "a != a" };
    let quiet = match ty {
        Scalar::F16 => "0x7e00",
        Scalar::F64 => "__longlong_as_double(0x7ff8000000000000)",
        Scalar::Bf16 => "0x7fc0",
        Scalar::Bool
        | Scalar::F32
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => "__int_as_float(0x7fc00000)",
    };
    format!(
        "// the one NaN that results hold\n{INLINE} {c} {name}({c} a) {{ return {nan} ? {quiet} : a; }}\n"
    )
}

//! Reciprocals of integers, as floats.

use crate::cuda::func::INLINE;
use reduce_ir::Scalar;

/// Returns the instructions of ptxas for `1 / a` (13.0, on sm_75 to sm_121), without its branch: an approximation with
/// one or two corrections. ptxas tests for exponents for which they are not exact, and then calls a function. Among
/// integers only 0 has such an exponent. The branch would prevent later loads from being in flight.
pub(super) fn of_whole(ty: Scalar, name: &str) -> String {
    let body = if ty == Scalar::F64 { OF_F64 } else { OF_F32 };
    format!(
        "\
// 1 / a for a whole number: the bits of the division, without a branch for other values
{INLINE} {body_ty} {name}({body_ty} a)
{{
{body}}}
",
        body_ty = if ty == Scalar::F64 { "double" } else { "float" },
    )
}

const OF_F32: &str = "    \
    float r;
    asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));
    const float rest = fminf(fmaf(-a, r, 1.0f), 1.0f);  // for 0: NaN, then 1, so the result stays infinite
    return fmaf(r, rest, r);
";

/// The low half of the approximation is the one that ptxas uses.
const OF_F64: &str = "    \
    double r;
    asm(\"rcp.approx.ftz.f64 %0, %1;\" : \"=d\"(r) : \"d\"(a));
    const int high = __double2hiint(a);
    r = __hiloint2double(__double2hiint(r), high + 0x300402);
    const double rest = fma(-a, r, 1.0);
    r = fma(r, fma(rest, rest, rest), r);
    r = fma(r, fma(-a, r, 1.0), r);
    return high == 0 ? __longlong_as_double(0x7ff0000000000000) : r;  // for 0: infinite
";

//! Reciprocals of whole numbers.

use crate::cuda::func::INLINE;

/// What ptxas makes of `1.0f / a` (13.0, on sm_75 to sm_121): an approximation, corrected once. Around it ptxas tests for
/// the exponents that this does not hold for, and calls a function where it finds one; no whole number has one but 0. The
/// branch would keep the loads behind it from being in flight.
pub(super) fn of_whole(name: &str) -> String {
    format!(
        "\
// 1 / a of a whole number: the bits of the division, without a branch for what is no whole number
{INLINE} float {name}(float a)
{{
    float r;
    asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));
    const float rest = fminf(fmaf(-a, r, 1.0f), 1.0f);  // of 0 NaN, and then 1: the result stays infinite
    return fmaf(r, rest, r);
}}
"
    )
}

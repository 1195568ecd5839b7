//! Errors suggest specifications for operators of other libraries. These compute the same as those operators.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use reduce_dsl::parse::text;
use reduce_ir::{Scalar, Value};
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Reducer};

/// Returns the specification that the error for an operator of that name suggests.
fn suggested(name: &str) -> String {
    let errors = text(&format!("ty: f32, op: {name}"), None).unwrap_err().of("spec").to_string();
    let help = errors.split("help: write `").nth(1).and_then(|rest| rest.split('`').next());
    help.unwrap_or_else(|| panic!("{name}: {errors}")).to_owned()
}

fn reduced(name: &str, inputs: &[LanesRef<'_>], params: &[Value]) -> f64 {
    let types: Vec<_> = inputs.iter().map(|input| input.ty()).collect();
    let source = suggested(name);
    let spec = text(&source, Some(&types)).unwrap_or_else(|error| panic!("{name}: {source}: {error:?}")).spec;
    let values = Reducer::new(&spec, &Device::host()).unwrap().reduce_with(inputs, params).unwrap().values;
    number(values[0]).unwrap_or_else(|| panic!("{name} gives {values:?}"))
}

/// Converts a value to a number, including positions, counts and booleans.
fn number(value: Value) -> Option<f64> {
    let position = value.get::<u64>().map(|position| position as f64);
    value.as_f64().or(position).or_else(|| value.get::<bool>().map(f64::from))
}

/// Compares to the seventh digit, because the elements are f32.
fn check(name: &str, found: f64, expected: f64) {
    let off = (found - expected).abs();
    assert!(off <= 1e-6 * expected.abs().max(1.0), "{name} gives {found}, not {expected}");
}

const X: [f32; 4] = [2.0, -4.0, 1.0, 3.0];
const Y: [f32; 4] = [1.0, -2.0, 4.0, 0.0];

#[test]
fn reductions_of_one_input() {
    let signed = [
        ("asum", 10.0),
        ("nrm2", 30f64.sqrt()),
        ("norm", 30f64.sqrt()),
        ("sumsq", 30.0),
        ("rms", 7.5f64.sqrt()),
        ("meansq", 7.5),
        ("mean_abs", 2.5),
        ("ptp", 7.0),
        ("midrange", -0.5),
        ("absmax", 4.0),
        ("minabs", 1.0),
        ("amax", 3.0),
        ("amin", -4.0),
        ("iamax", 1.0),
        ("iamin", 2.0),
        ("count_if", 3.0),
        ("sum_if", 6.0),
        ("average", 0.5),
        ("variance", 7.25),
        ("logaddexp", X.map(|x| f64::from(x).exp()).iter().sum::<f64>().ln()),
        ("sumexp", X.map(|x| f64::from(x).exp()).iter().sum()),
        ("isnan", 0.0),
        ("isfinite", 1.0),
        ("logical_xor", 0.0),
    ];
    for (name, expected) in signed {
        check(name, reduced(name, &[LanesRef::F32(&X)], &[]), expected);
    }
    let positive = [1.0f32, 2.0, 4.0];
    for (name, expected) in [
        ("gmean", 2.0),
        ("hmean", 3.0 / 1.75),
        ("sumlog", 8f64.ln()),
        ("product", 8.0),
        ("entropy", -(2.0 * 2f64.ln() + 4.0 * 4f64.ln())),
    ] {
        check(name, reduced(name, &[LanesRef::F32(&positive)], &[]), expected);
    }
}

#[test]
fn reductions_of_two_inputs() {
    let inputs = [LanesRef::F32(&X), LanesRef::F32(&Y)];
    for (name, expected) in [
        ("mae", 9.0 / 4.0),
        ("mse", 23.0 / 4.0),
        ("rmse", (23f64 / 4.0).sqrt()),
        ("euclidean", 23f64.sqrt()),
        ("sqeuclidean", 23.0),
        ("manhattan", 9.0),
        ("chebyshev", 3.0),
        ("hamming_distance", 4.0),
        ("vdot", 14.0),
        ("cosine", 14.0 / (30f64 * 21.0).sqrt()),
        ("wmean", 14.0 / 3.0),
        ("allclose", 0.0),
        ("array_equal", 0.0),
    ] {
        check(name, reduced(name, &inputs, &[]), expected);
    }
    let same = [LanesRef::F32(&X), LanesRef::F32(&X)];
    for (name, expected) in [("allclose", 1.0), ("array_equal", 1.0), ("cosine", 1.0), ("rmse", 0.0)] {
        check(name, reduced(name, &same, &[]), expected);
    }
}

#[test]
fn reductions_that_ignore_nan() {
    let data = [1.0f32, f32::NAN, 5.0, 3.0];
    for (name, expected) in [
        ("nansum", 9.0),
        ("nanprod", 15.0),
        ("nanmean", 3.0),
        ("nanmax", 5.0),
        ("fmin", 1.0),
        ("nanargmax", 2.0),
        ("idxmin", 0.0),
        ("nanvar", 8.0 / 3.0),
        ("nanstd", (8f64 / 3.0).sqrt()),
        ("count_nan", 1.0),
        ("has_nan", 1.0),
        ("isfinite", 0.0),
    ] {
        check(name, reduced(name, &[LanesRef::F32(&data)], &[]), expected);
    }
}

#[test]
fn sample_statistics_take_ddof() {
    let data = [1.0f32, 3.0, 5.0];
    for (name, expected) in [("var_samp", 4.0), ("stddev_samp", 2.0), ("sem", 2.0 / 3f64.sqrt())] {
        check(name, reduced(name, &[LanesRef::F32(&data)], &[Value::of(1u64)]), expected);
    }
}

#[test]
fn reductions_of_bool() {
    let data = [true, false, true];
    for (name, expected) in [("count_true", 2.0), ("bool_and", 0.0), ("bool_or", 1.0), ("none_of", 0.0)] {
        check(name, reduced(name, &[LanesRef::Bool(&data)], &[]), expected);
    }
    assert_eq!(suggested("bit_xor"), "op: xor");
    let text = text(&suggested("bit_xor"), Some(&[Scalar::I32]));
    assert!(text.is_ok());
}

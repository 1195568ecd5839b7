//! Tests operators with the choices of a request.

use reduce_dsl::operators::{Nan, OPERATORS, Request, Ties, operator};
use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::operation::Argument;
use reduce_ir::ops::Bin;
use reduce_ir::{Scalar, Value};

fn x(ty: Scalar) -> Vec<Param> {
    vec![Param::new("x", ty)]
}

fn refused(name: &str, request: Request<'_>) -> String {
    operator(name).unwrap().applied(&request).unwrap_err().to_string()
}

/// Returns the scalars as text without the sign of zeros.
fn unsigned(values: &Option<Vec<Value>>) -> Option<Vec<String>> {
    let text = |value: &Value| value.to_string().replace("-0.0", "0.0");
    values.as_ref().map(|values| values.iter().map(text).collect())
}

/// Checks that every row, type and choice is a well-typed operation, whose fill equals the identity apart from
/// the signs of zeros.
#[test]
fn every_row_reads() {
    for row in &OPERATORS {
        for ty in Scalar::ALL.into_iter().filter(|&ty| row.takes(ty)) {
            let inputs: Vec<_> =
                ["x", "y"].iter().take(row.inputs).map(|&name| Param::new(name, ty)).collect();
            for nan in [Nan::Propagate, Nan::Ignore] {
                let ties = if row.ties { Some(Ties::Last) } else { None };
                let operation = row.applied(&Request { nan, ties, ..Request::new(&inputs) }).unwrap();
                assert_eq!(operation.map.result_types(), operation.acc.types(), "{} {ty}", row.name);
                assert_eq!(operation.finish.result_types(), operation.output.types(), "{} {ty}", row.name);
                assert_eq!(unsigned(&operation.identity), unsigned(&operation.fill), "{} {ty}", row.name);
            }
        }
    }
}

#[test]
fn exact_operations_do_not_round_and_may_be_reordered() {
    let exact = |name: &str, ty| operator(name).unwrap().apply(&x(ty), None).unwrap().exact;
    for (name, ty, wanted) in [
        ("sum", Scalar::F32, false),
        ("sum", Scalar::I8, true),
        ("max", Scalar::F16, true),
        ("argmax", Scalar::F64, true),
        ("any", Scalar::F32, true),
        ("mean", Scalar::I32, false),
        ("norm_inf", Scalar::F32, true),
        ("var", Scalar::F64, false),
        ("first", Scalar::I32, false),
    ] {
        assert_eq!(exact(name, ty), wanted, "{name} {ty}");
    }
}

#[test]
fn an_accumulator_is_asked_for() {
    let inputs = x(Scalar::F16);
    let wide = Request { acc: Some(Scalar::F64), ..Request::new(&inputs) };
    let operation = operator("sum").unwrap().applied(&wide).unwrap();
    assert_eq!(operation.acc.types(), [Scalar::F64]);
    assert_eq!(operation.map.to_string(), "|x| (x as f32) as f64");
    assert_eq!(
        refused("sum", Request { acc: Some(Scalar::I32), ..wide }),
        "`sum` of f16 accumulates in f32 or f64, not i32; convert the elements in `map`, or leave `acc` out"
    );
    assert_eq!(
        refused("max", wide),
        "`max` of f16 accumulates in the type of its elements, not f64; convert the elements in `map`, or leave \
         `acc` out"
    );
    let integers = x(Scalar::I32);
    assert_eq!(
        refused("norm_inf", Request { acc: Some(Scalar::U8), ..Request::new(&integers) }),
        "`norm_inf` of i32 accumulates in u32 or u64, not u8; convert the elements in `map`, or leave `acc` out"
    );
    assert_eq!(
        refused("any", wide),
        "`any` of f16 accumulates in a type of its own, not f64; convert the elements in `map`, or leave `acc` out"
    );
}

#[test]
fn choices_that_mean_nothing_are_refused() {
    let inputs = x(Scalar::F32);
    let ties = Request { ties: Some(Ties::Last), ..Request::new(&inputs) };
    assert_eq!(refused("sum", ties), "`sum` has no ties to break; leave `ties` out");
    let params = [Param::new("ddof", Scalar::F32)];
    assert_eq!(
        refused("var", Request { params: &params, ..Request::new(&inputs) }),
        "`var` takes `ddof` as u64, not f32; write `params: { ddof: u64 }`"
    );
    let params = [Param::new("index", Scalar::U64)];
    assert_eq!(
        refused("argmax", Request { params: &params, ..Request::new(&inputs) }),
        "`index` is the name of the position; rename the param"
    );
    assert_eq!(refused("count", Request::new(&inputs)), "`count` is not defined for f32; it takes bool");
}

/// Builds `|x, k, place| x * k + place`.
fn scaled(ty: Scalar) -> Func {
    let params = ["x", "k"].map(|name| Param::new(name, ty)).to_vec();
    let mut f = FuncBuilder::new([params, vec![Param::new("place", Scalar::U64)]].concat());
    let [x, k, place] = f.params()[..] else { unreachable!() };
    let scaled = f.bin(Bin::Mul, x, k).unwrap();
    let place = f.cast(ty, place).unwrap();
    let sum = f.bin(Bin::Add, scaled, place).unwrap();
    f.build(vec![sum])
}

#[test]
fn a_map_brings_params_and_the_position_has_one_name() {
    let (inputs, params, map) = (x(Scalar::F16), [Param::new("k", Scalar::F32)], scaled(Scalar::F32));
    let request = Request { map: Some(&map), params: &params, index: "place", ..Request::new(&inputs) };
    let operation = operator("argmax").unwrap().applied(&request).unwrap();
    assert_eq!(operation.map.to_string(), "|x, k, place| (((x as f32) * k) + (place as f32), place)");
    assert_eq!(operation.map_arguments(), [Argument::Input(0), Argument::Param(0), Argument::Index]);
    assert_eq!(operation.acc.types(), [Scalar::F32, Scalar::U64]);
    let var = operator("var").unwrap().applied(&request).unwrap();
    assert_eq!(
        var.fold_arguments().unwrap()[4..],
        [Argument::Input(0), Argument::Param(0), Argument::Index, Argument::Step]
    );
    assert!(refused("dot", request).contains("write `op: sum` with this `map`"));
    assert!(refused("weighted_mean", request).contains("leave `map` out"));
}

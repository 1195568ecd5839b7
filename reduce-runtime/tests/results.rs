//! The structs of named operators, made from the values of a result; and the values of params.

use reduce_ir::{Value, f16};
use reduce_runtime::{ArgMinMax, Best, Describe, MaxSum, MinMax, Output, Params};

#[test]
fn fields_are_the_values_in_their_order() {
    let [low, high] = [Value::of(-1.5f32), Value::of(2.5f32)];
    let [three, seven] = [Value::of(3u64), Value::of(7u64)];
    assert_eq!(Best::of(&[high, seven]), Some(Best { value: 2.5f32, index: 7 }));
    assert_eq!(MinMax::of(&[low, high]), Some(MinMax { min: -1.5f32, max: 2.5 }));
    assert_eq!(ArgMinMax::of(&[three, seven]), Some(ArgMinMax { argmin: 3, argmax: 7 }));
    assert_eq!(MaxSum::of(&[low, high]), Some(MaxSum { max: -1.5f32, sum: 2.5 }));
    let half = Value::of(f16::ONE);
    let described = Describe::<f16, f32>::of(&[three, low, high, half, half]);
    let fields = described.map(|it| (it.n, it.mean, it.m2, it.min, it.max));
    assert_eq!(fields, Some((3, -1.5, 2.5, f16::ONE, f16::ONE)));
}

/// Integer results can be keys of a set without a wrapper.
#[test]
fn results_of_integers_are_equal_and_hashed() {
    fn is_key<T: Eq + std::hash::Hash>(_: &T) {}
    is_key(&Best { value: 3i32, index: 7 });
    is_key(&MinMax { min: 1u8, max: 2 });
    is_key(&ArgMinMax { argmin: 3, argmax: 7 });
}

#[test]
fn values_of_other_types_or_number_are_no_result() {
    let [float, position] = [Value::of(1.0f32), Value::of(3u64)];
    assert_eq!(Best::<f32>::of(&[float]), None);
    assert_eq!(Best::<f32>::of(&[float, position, position]), None);
    assert_eq!(Best::<f32>::of(&[float, float]), None);
    assert_eq!(Best::<f64>::of(&[float, position]), None);
    assert_eq!(u64::of(&[float]), None);
    assert_eq!(u64::of(&[position, position]), None);
}

#[test]
fn params_are_their_values() {
    fn values(params: impl Params) -> Vec<Value> {
        params.values()
    }
    assert_eq!(values(()), []);
    assert_eq!(values(2.0f32), [Value::of(2.0f32)]);
    assert_eq!(values(true), [Value::of(true)]);
}

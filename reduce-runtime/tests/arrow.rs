//! Arrays of Apache Arrow: values where they lie, nulls as absent elements, lists as segments. With the feature `arrow`.
#![cfg(feature = "arrow")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_dsl::parse;
use reduce_ir::{Value, f16};
use reduce_runtime::arrow::arrow_array::types::Int32Type;
use reduce_runtime::arrow::arrow_array::{
    Array, BooleanArray, Float16Array, Float32Array, Int64Array, ListArray, StringArray, UInt8Array,
};
use reduce_runtime::arrow::{Columns, ColumnsError, present};
use reduce_runtime::{Device, Reducer, View};

fn reduced(text: &str, arrays: &[&dyn Array]) -> Value {
    let columns = Columns::new(arrays).unwrap();
    let spec = parse::spec(text).unwrap();
    let spec = if columns.has_nulls() { parse::masked_spec(&spec).unwrap() } else { spec };
    let reducer = Reducer::new(&spec, &Device::host()).unwrap();
    reducer.reduce(&columns.inputs()).unwrap().values[0]
}

#[test]
fn values_are_those_of_the_array() {
    let floats = Float32Array::from(vec![1.5, -2.0, 4.0]);
    assert_eq!(reduced("ty: f32, op: sum", &[&floats]), Value::of(3.5f32));
    assert_eq!(reduced("ty: f32, op: sum", &[&floats.slice(1, 2)]), Value::of(2.0f32));
    let bytes = UInt8Array::from(vec![7, 9, 2]);
    let text = "inputs: { x: f32, y: u8 }, map: |x, y| x * y as f32, op: sum";
    assert_eq!(reduced(text, &[&floats, &bytes]), Value::of(1.5f32 * 7.0 - 18.0 + 8.0));
    let flags = BooleanArray::from(vec![true, true, false, true]);
    assert_eq!(reduced("ty: bool, op: all", &[&flags.slice(0, 2)]), Value::of(true));
    assert_eq!(reduced("ty: bool, op: all", &[&flags]), Value::of(false));
    let half: Float16Array = [1.0, 2.0].into_iter().map(f16::from_f32).map(Some).collect();
    assert_eq!(reduced("ty: f16, op: max", &[&half]), Value::of(f16::from_f32(2.0)));
}

#[test]
fn nulls_are_absent_elements() {
    let x = Int64Array::from(vec![Some(3), None, Some(5), Some(9), None]);
    assert_eq!(present(&x), [true, false, true, true, false]);
    assert_eq!(reduced("ty: i64, op: sum", &[&x]), Value::of(17i64));
    assert_eq!(reduced("ty: i64, op: mean", &[&x]), Value::of(17.0 / 3.0));
    // Others keep their positions.
    assert_eq!(reduced("ty: i64, op: argmax", &[&x]).get::<u64>(), Some(3));
    let y = Float32Array::from(vec![Some(1.0), Some(9.0), Some(2.0), None, None]);
    let text = "inputs: { x: i64, y: f32 }, map: |x, y| x as f32 * y, op: sum";
    assert_eq!(reduced(text, &[&x, &y]), Value::of(13.0f32));
    assert_eq!(reduced("ty: i64, op: sum", &[&x.slice(1, 1)]), Value::of(0i64));
}

#[test]
fn lists_are_segments() {
    let lists = vec![Some(vec![Some(1), Some(2)]), Some(vec![]), Some(vec![Some(7), Some(0), Some(4)])];
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
    let columns = Columns::new(&[lists.values().as_ref()]).unwrap();
    let spec = parse::spec("ty: i32, op: sum, segments: i32").unwrap();
    let reducer = Reducer::new(&spec, &Device::host()).unwrap();
    let elements = columns.inputs()[0];
    let view = View::new(elements, [elements.len()]);
    let groups = reducer.reduce_segments(&[view], lists.offsets()[..].into(), &[]).unwrap();
    assert_eq!(groups.fields[0], reduce_lanes::Lanes::from(vec![3i32, 0, 11]));
}

#[test]
fn other_elements_are_refused() {
    let (text, number) = (StringArray::from(vec!["a", "b"]), Int64Array::from(vec![1]));
    let refused = Columns::new(&[&text]).unwrap_err();
    assert_eq!(refused, ColumnsError::Type { at: 0, ty: "Utf8".to_owned() });
    let refused = Columns::new(&[&number, &Int64Array::from(vec![1, 2])]).unwrap_err();
    assert_eq!(refused, ColumnsError::Length { at: 1, found: 2, expected: 1 });
}

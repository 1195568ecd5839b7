//! Columns of Apache Arrow, with nulls and lists, and complex numbers of `num-complex`, where they lie.

use reducegen::arrow::arrow_array::types::Float64Type;
use reducegen::arrow::arrow_array::{Array, Float64Array, ListArray, UInt32Array};
use reducegen::arrow::{Columns, present};
use reducegen::complex::num_complex::Complex;
use reducegen::{Device, Reducer, complex, reduction};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let distance = Float64Array::from(vec![Some(1.5), None, Some(12.0), Some(3.5)]);
    let passengers = UInt32Array::from(vec![1, 2, 1, 4]);

    // Nulls are absent elements, and the others keep their positions.
    let farthest = reduction! { inputs: { x: f64, present: bool }, filter: |_, present| present, map: |x, _| x, op: argmax };
    assert_eq!(farthest.reduce((distance.values(), &present(&distance)))?, 2);
    // Without nulls, the values of an array are a slice.
    let most = reduction! { ty: u32, op: max };
    assert_eq!(most.reduce(passengers.values())?, 4);

    // A specification at run time gets the input that says so.
    let arrays: [&dyn Array; 2] = [&distance, &passengers];
    let columns = Columns::new(&arrays)?;
    let spec = reducegen::parse("inputs: { x: f64, y: u32 }, map: |x, y| x * y as f64, op: mean")?;
    let spec = if columns.has_nulls() { reducegen::masked(&spec)? } else { spec };
    let mean = Reducer::new(&spec, &Device::host())?.reduce(&columns.inputs())?;
    println!("the mean distance of all passengers of a trip: {:?}", mean.values);
    assert_eq!(mean.values[0].get::<f64>(), Some((1.5 + 12.0 + 14.0) / 3.0));

    // The offsets of a list array cut its values into segments.
    let readings = vec![Some(vec![Some(1.0), Some(3.0)]), Some(vec![]), Some(vec![Some(5.0)])];
    let readings = ListArray::from_iter_primitive::<Float64Type, _, _>(readings);
    let values = Float64Array::from(readings.values().to_data());
    let total = reduction! { ty: f64, op: sum, segments: i32 };
    assert_eq!(total.reduce_segments(values.values(), readings.offsets())?.values, [4.0, 0.0, 5.0]);

    let signal = vec![Complex::new(3.0f32, 4.0), Complex::new(0.0, 1.0)];
    let energy = reduction! { ty: [f32; 2], map: |[re, im]| re * re + im * im, op: sum };
    assert_eq!(energy.reduce(complex::parts(&signal))?, 26.0);
    Ok(())
}

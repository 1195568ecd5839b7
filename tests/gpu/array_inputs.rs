//! Elements that are arrays lie in device memory as in Rust: one result, views and segments have the bits of the host.

use super::device::gpu;
use reducegen::cudarc::driver::CudaContext;
use reducegen::{Reduction, View, reduction};

static NORM: Reduction<[f32; 2], f32> =
    reduction! { ty: [f32; 2], map: |p| p[0] * p[0] + p[1] * p[1], op: sum };

#[test]
fn sanitized_arrays_are_read_where_they_lie() {
    let Some(device) = gpu("array_inputs::sanitized_arrays_are_read_where_they_lie") else { return };
    let rows = reduction! { ty: [f32; 2], map: |p| p[0] * p[1], op: sum, axes: i j -> i };
    let cut = reduction! { ty: [f32; 2], map: |p| p[0] - p[1], op: sum, segments: u32 };
    let weighted =
        reduction! { inputs: { p: [f64; 3], w: f64 }, map: |p, w| (p[0] + p[1] - p[2]) * w, op: sum };
    let stream = CudaContext::new(0).unwrap().default_stream();
    for n in [1usize, 60, 6000] {
        let points: Vec<_> = (0..n).map(|at| [at as f32 / 7.0, 1.0 / (1.0 + at as f32)]).collect();
        let data = stream.clone_htod(&points).unwrap();
        assert_eq!(
            NORM.compile(&device).unwrap().reduce_device(&data).unwrap().to_bits(),
            NORM.reduce(&points).unwrap().to_bits()
        );
        let shape = [n.div_ceil(60), n.min(60)];
        assert_eq!(
            rows.compile(&device).unwrap().reduce_device(View::new(&data, shape)).unwrap().read().unwrap(),
            rows.reduce(View::new(&points, shape)).unwrap()
        );
        let offsets = [0, 1, 1, n as u32];
        let device_offsets = stream.clone_htod(&offsets).unwrap();
        let compiled = cut.compile(&device).unwrap();
        assert_eq!(
            compiled.reduce_segments_device(&data, &device_offsets).unwrap().read().unwrap(),
            cut.reduce_segments(&points, &offsets).unwrap()
        );
        let triples: Vec<_> = points.iter().map(|&[x, y]| [f64::from(x), f64::from(y), 0.5]).collect();
        let weights: Vec<_> = (0..n).map(|at| 1.0 / (2.0 + at as f64)).collect();
        let (left, right) = (stream.clone_htod(&triples).unwrap(), stream.clone_htod(&weights).unwrap());
        let on_device = weighted.compile(&device).unwrap().reduce_device((&left, &right)).unwrap();
        assert_eq!(on_device.to_bits(), weighted.reduce((&triples, &weights)).unwrap().to_bits());
    }
}

#[test]
fn sanitized_no_arrays_are_no_elements() {
    let Some(device) = gpu("array_inputs::sanitized_no_arrays_are_no_elements") else { return };
    let stream = CudaContext::new(0).unwrap().default_stream();
    let none = stream.alloc_zeros::<[f32; 2]>(1).unwrap();
    let none = none.slice(0..0);
    assert_eq!(NORM.compile(&device).unwrap().reduce_device(&none).unwrap(), 0.0);
}

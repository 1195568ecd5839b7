//! Reductions of groups in device memory: shapes that share kernels, and groups without elements. Uses a libcuda that pretends
//! to have GPUs (`driver/`), in a child process. A real NVRTC compiles the kernels, which are not run. Set
//! REDUCEGEN_REQUIRE_NVRTC=1 to fail without NVRTC.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod driver;

use driver::{Calls, last_launch, with_driver};
use reduce_dsl::parse::spec;
use reduce_runtime::cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use reduce_runtime::{Device, DeviceInput, Error, Reducer, View};
use std::sync::Arc;

/// Lengths and steps of the axes i and j.
type Shape = ([usize; 2], [isize; 2]);

/// Returns a view of a shape from its first element on, which lies `offset` elements into the data.
fn view<'a>(data: &'a DeviceInput<'a>, offset: usize, (lengths, steps): Shape) -> View<&'a DeviceInput<'a>> {
    View { offset, steps: steps.to_vec(), ..View::new(data, lengths) }
}

/// Returns the first element of a shape in data that begins with its lowest element.
fn first((lengths, steps): Shape) -> usize {
    let back = lengths.iter().zip(steps).map(|(&length, step)| (length as isize - 1) * step.min(0));
    -back.sum::<isize>() as usize
}

/// Reduces views of each shape, and returns how many programs that compiles.
fn compiled(device: &Device, stream: &Arc<CudaStream>, sum: &Reducer, shapes: &[Shape]) -> u64 {
    let x: CudaSlice<f32> = stream.alloc_zeros(1 << 20).unwrap();
    let data = DeviceInput::on_stream(stream, &x);
    let before = device.compiler().unwrap().compiled();
    for (place, shape) in shapes.iter().enumerate() {
        sum.reduce_groups_device(&[view(&data, place + first(*shape), *shape)], &[]).unwrap();
    }
    device.compiler().unwrap().compiled() - before
}

/// Lengths, steps and offsets are arguments. Only another range of lengths or another kind of layout needs another kernel.
#[test]
fn shapes_of_a_class_share_kernels() {
    let Some((device, stream)) = with_driver("shapes_of_a_class_share_kernels") else { return };
    let sum = Reducer::new(&spec("op: sum, ty: f32, axes: i j -> i").unwrap(), &device).unwrap();
    let compiled = |shapes: &[Shape]| compiled(&device, &stream, &sum, shapes);
    assert_eq!(compiled(&[([50, 1000], [1000, 1])]), 1, "the rows of a matrix");
    assert_eq!(compiled(&[([9, 1001], [1001, 1]), ([2, 999], [999, 1]), ([700, 1024], [1024, 1])]), 0);
    assert_eq!(compiled(&[([50, 1000], [1024, 1])]), 1, "rows with gaps");
    assert_eq!(compiled(&[([7, 990], [-1000, 1]), ([50, 1000], [0, 1])]), 0);
    assert_eq!(compiled(&[([300, 1000], [1, 300])]), 1, "columns");
    assert_eq!(compiled(&[([301, 1020], [1, 301]), ([999, 1000], [1, 1024])]), 0);
    assert_eq!(Calls::Loads.count(), 3, "each is loaded once");
}

#[test]
fn groups_without_elements_have_their_result() {
    let Some((device, stream)) = with_driver("groups_without_elements_have_their_result") else { return };
    let x: CudaSlice<f32> = stream.alloc_zeros(16).unwrap();
    let data = DeviceInput::on_stream(&stream, &x);
    let results = |text: &str, lengths: [usize; 2]| {
        let reducer = Reducer::new(&spec(text).unwrap(), &device).unwrap();
        let view = [View::new(&data, lengths)];
        let mut groups = reducer.reduce_groups_device(&view, &[])?;
        reducer.reduce_groups_into(&view, &[], &mut groups)?;
        let read = groups.read()?;
        assert_eq!(read.shape, [lengths[0] as u64]);
        Ok::<_, Error>((0..read.len()).map(|group| read.get(group)).collect::<Vec<_>>())
    };
    let product = Some(vec![1.0f32.into()]);
    assert_eq!(results("op: prod, ty: f32, axes: i j -> i", [3, 0]).unwrap(), vec![product; 3]);
    let empty = Some(vec![(-7.5f32).into()]);
    assert_eq!(results("op: max, ty: f32, empty: -7.5, axes: i j -> i", [2, 0]).unwrap(), vec![empty; 2]);
    assert_eq!(results("op: max, ty: f32, axes: i j -> i", [0, 5]).unwrap(), []);
    let error = results("op: argmax, ty: f32, axes: i j -> i", [2, 0]).unwrap_err();
    assert!(matches!(error, Error::Empty { .. }), "{error}");
}

/// The kernel writes where the caller wants, and afterwards to the memory of the call again.
#[test]
fn results_lie_where_the_caller_says() {
    let Some((device, stream)) = with_driver("results_lie_where_the_caller_says") else { return };
    let sum = Reducer::new(&spec("op: sum, ty: f32, axes: i j -> i").unwrap(), &device).unwrap();
    let x: CudaSlice<f32> = stream.alloc_zeros(6000).unwrap();
    let results: CudaSlice<f32> = stream.alloc_zeros(20).unwrap();
    let at = results.device_ptr(&stream).0;
    let data = DeviceInput::on_stream(&stream, &x);
    let mut groups = sum.reduce_groups_device(&[View::new(&data, [20, 300])], &[]).unwrap();
    let own = groups.workspace().result_ptr();
    for length in [300, 30, 300] {
        let views = [View::new(&data, [20, length])];
        let place = |shape: &[u64]| {
            assert_eq!(shape, [20]);
            Ok(at)
        };
        // SAFETY: the results have room there, and live until the end of this test.
        unsafe { sum.reduce_groups_at(&views, &[], &mut groups, place) }.unwrap();
        assert!(last_launch().contains(&at) && !last_launch().contains(&own), "{length}");
        assert!(
            groups.workspace().result::<f32>().is_err(),
            "there are no results in the memory of the call"
        );
        sum.reduce_groups_into(&views, &[], &mut groups).unwrap();
        assert!(last_launch().contains(&own) && !last_launch().contains(&at), "{length}");
    }
    let none = |_: &[u64]| Err(Error::NoDevice);
    // SAFETY: nothing is queued.
    let refused = unsafe { sum.reduce_groups_at(&[View::new(&data, [20, 30])], &[], &mut groups, none) };
    assert!(matches!(refused, Err(Error::NoDevice)));
    // SAFETY: as above.
    let other = unsafe { sum.reduce_groups_at(&[View::new(&data, [10, 30])], &[], &mut groups, |_| Ok(at)) };
    assert!(matches!(other, Err(Error::OtherWorkspace)));
}

/// The caller's allocation holds the results, and comes back.
#[test]
fn results_lie_in_memory_of_the_caller() {
    let Some((device, stream)) = with_driver("results_lie_in_memory_of_the_caller") else { return };
    let sum = Reducer::new(&spec("op: sum, ty: f32, axes: i j -> i").unwrap(), &device).unwrap();
    let x: CudaSlice<f32> = stream.alloc_zeros(600).unwrap();
    let data = DeviceInput::on_stream(&stream, &x);
    let views = [View::new(&data, [20, 30])];
    let allocate = |bytes: u64| Ok(stream.alloc_zeros::<u8>(bytes as usize).unwrap());
    let mut groups = sum.groups_in(&views, &[], allocate).unwrap();
    assert_eq!(groups.shape(), [20]);
    sum.reduce_groups_into(&views, &[], &mut groups).unwrap();
    let address = groups.workspace().result_ptr();
    let memory = groups.into_memory();
    let start = memory.device_ptr(&stream).0;
    assert!((start..start + memory.len() as u64).contains(&address));

    let short = |bytes: u64| allocate(bytes - 1);
    assert!(matches!(sum.groups_in(&views, &[], short), Err(Error::WorkspaceMemory { .. })));
    let none = |_| Err(Error::NoDevice);
    assert!(matches!(sum.groups_in(&views, &[], none), Err(Error::NoDevice)));
}

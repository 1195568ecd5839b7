//! Groups of any shape and steps: each has the bits of the same elements alone on the host.

use super::device::{gpu, gpu_alone};
use super::skip::skipped;
use reduce_dsl::parse::spec;
use reduce_ir::axes::{Axes, Axis, Cut, Kept, Pattern};
use reduce_ir::{Scalar, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::cudarc::driver::{CudaContext, CudaSlice, DevicePtr, sys};
use reduce_runtime::{Array, Device, DeviceInput, Reducer, Reduction, View};

const SPECS: [&str; 7] = [
    "op: sum, ty: f32",
    "op: argmax, ty: f32",
    "op: mean, ty: f32, nan: ignore",
    "op: var, ty: f32",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32 }, map: |x| At { v: x }, \
     op: |a, b| if b.v >= a.v { b } else { a }",
    "op: sum, ty: f32, passes: [shuffle, vectorize(4), coarsen(2)]",
    "op: max, ty: f32, passes: [sequential, one_block]",
];

/// Names of axes, and those that are kept.
type Named = (&'static str, &'static str);

/// A shape: axes, lengths, and steps if these are not row-major.
type Shape = (Named, &'static [usize], Option<&'static [isize]>);

const SHAPES: [Shape; 16] = [
    (("rc", "c"), &[7, 5], None),
    (("rc", "c"), &[64, 1000], None),
    (("rc", "c"), &[65, 33], None),
    (("rc", "c"), &[300, 4], None),
    (("rc", "c"), &[1000, 257], None),
    (("rc", "c"), &[9000, 40], None),
    (("rc", "c"), &[200_000, 3], None),
    (("bhwc", "bc"), &[3, 17, 9, 32], None),
    (("bhwc", "bhw"), &[3, 5, 7, 100], None),
    (("abcd", "bd"), &[5, 6, 70, 8], None),
    (("abcd", "ca"), &[5, 6, 70, 8], None),
    (("rc", "r"), &[50, 100], Some(&[128, 1])),
    (("rc", "r"), &[50, 700], Some(&[-701, 1])),
    (("rc", "r"), &[40, 900], Some(&[1, 40])),
    (("rc", "r"), &[33, 20_000], Some(&[0, -3])),
    (("abc", ""), &[30, 40, 50], Some(&[1, 30, 1200])),
];

fn axes((names, kept): Named) -> Axes {
    let axis = |name: char| Axis { name: Some(name.to_string()), length: None };
    let place = |name: char| names.chars().position(|it| it == name).unwrap();
    Axes {
        axes: names.chars().map(axis).collect(),
        inputs: vec![Pattern { has_leading: false, dims: (0..names.len()).map(|at| vec![at]).collect() }],
        result: kept.chars().map(|name| Kept::Axis(place(name))).collect(),
        is_by_input: false,
        cut: Cut::Whole,
    }
}

fn of_axes(text: &str, named: Named) -> Spec {
    let axes = axes(named);
    Spec { domain: axes.domain(), axes: Some(axes), ..spec(text).unwrap() }
}

/// Returns the view of a shape, in data that begins at its lowest element.
fn view<'a>(data: &'a Lanes, lengths: &[usize], steps: Option<&[isize]>) -> View<LanesRef<'a>> {
    let whole = View::new(data.borrow(), lengths);
    let Some(steps) = steps else { return whole };
    let back =
        lengths.iter().zip(steps).map(|(&length, &step)| (length as isize - 1) * step.min(0)).sum::<isize>();
    View { offset: -back as usize, steps: steps.to_vec(), ..whole }
}

fn elements(n: usize) -> Lanes {
    let number = |at: usize| ((at.wrapping_mul(2_654_435_761) % 100_003) as f32 - 50_000.0) * 1.37e-3;
    Lanes::from((0..n).map(number).collect::<Vec<f32>>())
}

#[test]
fn groups_of_any_shape_have_the_bits_of_the_host() {
    let Some(device) = gpu("groups_of_any_shape_have_the_bits_of_the_host") else { return };
    let data = elements(4_000_000);
    for text in SPECS {
        for (named, lengths, steps) in SHAPES {
            let spec = of_axes(text, named);
            let view = view(&data, lengths, steps);
            let results = |device: &Device| {
                Reducer::new(&spec, device).unwrap().reduce_groups(std::slice::from_ref(&view), &[]).unwrap()
            };
            let [found, wanted] = [&device, &Device::host()].map(results);
            assert_eq!(found.shape, wanted.shape);
            let values = |at| {
                [found.get(at), wanted.get(at)]
                    .map(|it| it.map(|it| it.into_iter().map(Value::bits).collect::<Vec<_>>()))
            };
            for group in 0..wanted.len() {
                let [found, wanted] = values(group);
                assert_eq!(found, wanted, "{text}: group {group} of {named:?} {lengths:?} {steps:?}");
            }
        }
    }
}

/// Typed arrays stay on the device, and a call may use the memory of another.
#[test]
fn typed_arrays_stay_on_the_device() {
    let Some(device) = gpu("typed_arrays_stay_on_the_device") else { return };
    static SUMS: Reduction<f32, Array<f32>> =
        Reduction::new(|| Ok(spec("op: sum, ty: f32, axes: i j -> i").unwrap()));
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let data: Vec<f32> = (0..6000).map(|at| (at % 1013) as f32 * 0.37).collect();
    let copy = stream.clone_htod(&data).unwrap();
    let rows = |offset| View { offset, steps: vec![70, 1], ..View::new((), [50, 65]) };
    let sums = SUMS.compile(&device).unwrap();
    let mut found = sums.reduce_device(rows(0).with_data(&copy)).unwrap();
    let wanted = |offset| SUMS.reduce(rows(offset).with_data(&data)).unwrap();
    assert_eq!(found.read().unwrap(), wanted(0));
    sums.reduce_device_into(rows(7).with_data(&copy), &mut found).unwrap();
    assert_eq!(stream.clone_dtoh(&found.view().unwrap()).unwrap(), wanted(7).values);
}

/// Results are written where the caller says, by one launch and by two, with the bits of the host.
#[test]
fn results_lie_where_the_caller_says() {
    let Some(device) = gpu("results_lie_where_the_caller_says") else { return };
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    for lengths in [[700, 33], [3, 300_000]] {
        let [gpu, host] = [&device, &Device::host()]
            .map(|device| Reducer::new(&of_axes(SPECS[0], ("rc", "r")), device).unwrap());
        let Lanes::F32(all) = elements(lengths[0] * lengths[1]) else { unreachable!("they are f32") };
        let all = all.to_vec();
        let x = stream.clone_htod(&all).unwrap();
        let input = DeviceInput::on_stream(&stream, &x);
        let views = [View::new(&input, lengths)];
        let mut groups = gpu.reduce_groups_device(&views, &[]).unwrap();
        let results: CudaSlice<f32> = stream.alloc_zeros(lengths[0]).unwrap();
        let at = results.device_ptr(&stream).0;
        for _ in 0..3 {
            // SAFETY: the results have room there, and are read after the stream was waited for.
            unsafe { gpu.reduce_groups_at(&views, &[], &mut groups, |_| Ok(at)) }.unwrap();
        }
        let wanted = host.reduce_groups(&[View::new(all.as_slice().into(), lengths)], &[]).unwrap();
        assert_eq!(Lanes::from(stream.clone_dtoh(&results).unwrap()), wanted.fields[0], "{lengths:?}");
    }
}

#[test]
fn a_graph_replays_groups() {
    let Some(device) = gpu_alone("a_graph_replays_groups") else { return };
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    for (named, lengths) in [(("rc", "r"), [700, 33]), (("rc", "c"), [9000, 40]), (("rc", "c"), [200_000, 3])]
    {
        let [gpu, host] =
            [&device, &Device::host()].map(|device| Reducer::new(&of_axes(SPECS[0], named), device).unwrap());
        let n = lengths[0] * lengths[1];
        let Lanes::F32(all) = elements(n) else { unreachable!("they are f32") };
        let mut x: CudaSlice<f32> = stream.alloc_zeros(n).unwrap();
        let input = DeviceInput::on_stream(&stream, &x);
        let views = [View::new(&input, lengths)];
        let mut groups = gpu.reduce_groups_device(&views, &[]).unwrap();
        stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        // SAFETY: all memory of the call lives as long as the graph, which is replayed on the stream of the results.
        let queued = (0..3).try_for_each(|_| unsafe { gpu.reduce_groups_captured(&views, &[], &mut groups) });
        let refused = gpu.reduce_groups_into(&views, &[], &mut groups).is_err();
        let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).unwrap().unwrap();
        queued.unwrap();
        assert!(refused, "a call outside of the graph was captured");
        for turn in 1..4 {
            let scaled: Vec<_> = all.iter().map(|x| x * turn as f32).collect();
            stream.memcpy_htod(&scaled, &mut x).unwrap();
            graph.launch().unwrap();
            let wanted = host.reduce_groups(&[View::new(scaled.as_slice().into(), lengths)], &[]).unwrap();
            assert_eq!(groups.read().unwrap(), wanted, "{named:?} {lengths:?}, turn {turn}");
        }
    }
}

/// Prints the fraction of the read ceiling for shapes of 1 GiB, and the time of small ones: those whose kind
/// `REDUCEGEN_SHAPES` names, of the reduction `REDUCEGEN_SPEC`.
#[test]
fn groups_are_as_fast_as_memory() {
    let test = "groups_are_as_fast_as_memory";
    let Ok(only) = std::env::var("REDUCEGEN_SHAPES") else {
        return skipped(test, "REDUCEGEN_SHAPES names no shapes".to_owned());
    };
    let Some(device) = gpu_alone(test) else { return };
    let source = std::env::var("REDUCEGEN_SPEC").unwrap_or_else(|_| "op: sum, ty: f32".to_owned());
    let all = elements(1 << 28);
    let rows: Named = ("rc", "r");
    let columns: Named = ("rc", "c");
    let shapes: [(&str, Named, &[usize]); 37] = [
        ("rows", rows, &[1 << 26, 4]),
        ("rows", rows, &[1 << 25, 8]),
        ("rows", rows, &[20_648_881, 13]),
        ("rows", rows, &[12_782_640, 21]),
        ("rows", rows, &[1 << 23, 32]),
        ("rows", rows, &[5_368_709, 50]),
        ("rows", rows, &[1 << 22, 64]),
        ("rows", rows, &[2_684_354, 100]),
        ("rows", rows, &[2_657_700, 101]),
        ("rows", rows, &[1 << 21, 128]),
        ("rows", rows, &[1_342_177, 200]),
        ("rows", rows, &[1 << 20, 256]),
        ("rows", rows, &[894_784, 300]),
        ("rows", rows, &[1 << 19, 512]),
        ("rows", rows, &[268_435, 1000]),
        ("rows", rows, &[1 << 18, 1024]),
        ("rows", rows, &[1 << 17, 2048]),
        ("rows", rows, &[1 << 16, 4096]),
        ("rows", rows, &[1 << 15, 8192]),
        ("rows", rows, &[1 << 13, 32_768]),
        ("rows", rows, &[1 << 8, 1 << 20]),
        ("columns", columns, &[1 << 26, 4]),
        ("columns", columns, &[1 << 24, 16]),
        ("columns", columns, &[1 << 20, 256]),
        ("columns", columns, &[1 << 18, 1024]),
        ("columns", columns, &[1 << 14, 1 << 14]),
        ("columns", columns, &[1 << 12, 1 << 16]),
        ("columns", columns, &[1 << 10, 1 << 18]),
        ("columns", columns, &[1 << 8, 1 << 20]),
        ("columns", columns, &[32, 1 << 23]),
        ("nhwc", ("bhwc", "bc"), &[64, 56, 56, 256]),
        ("rgb", columns, &[1 << 24, 3]),
        ("small", rows, &[1024, 1024]),
        ("small", columns, &[1024, 1024]),
        ("small", rows, &[16_384, 64]),
        ("small", rows, &[4096, 32]),
        ("small", rows, &[132, 8192]),
    ];
    for (name, named, lengths) in shapes.into_iter().filter(|(name, ..)| name.contains(&only)) {
        let elements: usize = lengths.iter().product();
        let spec = of_axes(&source, named);
        let data = all.borrow().slice(0..elements);
        let timing = Reducer::new(&spec, &device).unwrap();
        let timing = timing.time_groups(&[View::new(data, lengths)], &[]).unwrap();
        let outputs: usize = named.1.chars().map(|name| lengths[named.0.find(name).unwrap()]).product();
        let bytes = Scalar::F32.size() * (elements + outputs);
        let read = device.time_read(bytes as u64).unwrap();
        let part = read.as_secs_f64() / timing.plan.as_secs_f64();
        println!("{name} {lengths:?}: {:?}, {part:.3} of a read; {:?}", timing.plan, timing.launches);
        assert!(part < 1.5 || name == "small", "{name} {lengths:?}: faster than a read");
    }
}

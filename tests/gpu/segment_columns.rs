//! Columns of segments on a GPU have the bits that they have on the host: rows of features, summed per segment.

use super::device::{gpu, gpu_alone};
use super::segments::{SPECS, elements, lanes_of, offsets};
use super::skip::skipped;
use super::splitmix::Random;
use reduce_dsl::parse::spec;
use reduce_ir::Scalar;
use reduce_runtime::cudarc::driver::{CudaContext, CudaSlice, sys};
use reduce_runtime::{Device, DeviceInput, Error, Reducer, SegmentsError, View};

/// Positions along both axes.
const INDEXED: &str = "ty: i32, map: |x| x + (10 * e + 100 * f) as i32, op: sum";

fn lengths(random: &mut Random) -> Vec<(&'static str, Vec<usize>)> {
    let mut uniform =
        |count: usize, most: u64| (0..count).map(|_| random.below(most) as usize).collect::<Vec<_>>();
    vec![
        ("none", vec![]),
        ("all empty", vec![0; 3000]),
        ("of one", vec![1; 2000]),
        ("uniform 4", uniform(3000, 9)),
        ("uniform 64", uniform(500, 129)),
        ("uniform 1024", uniform(30, 2049)),
        ("a giant first", [vec![50_000], uniform(300, 9)].concat()),
        ("a giant last", [uniform(300, 9), vec![0; 900], vec![40_000]].concat()),
    ]
}

/// Returns a view of rows of columns: side by side, with a gap between rows, or transposed.
fn view<D>(data: D, rows: usize, columns: usize, layout: usize) -> View<D> {
    match layout {
        0 => View::new(data, [rows, columns]),
        1 => View { offset: 2, steps: vec![columns as isize + 3, 1], ..View::new(data, [rows, columns]) },
        _ => View { steps: vec![1, rows as isize], ..View::new(data, [rows, columns]) },
    }
}

/// Returns specifications of columns of segments, with the types of their offsets.
fn texts() -> Vec<(String, Scalar)> {
    let types = [Scalar::U32, Scalar::U64, Scalar::I32, Scalar::I64].into_iter().cycle();
    let text = |(text, ty): (&&str, Scalar)| {
        // The name of an axis is a position in `map`.
        let axes = match (text.contains("inputs"), text.contains("index: i")) {
            (true, _) => "{ x: e f, y: e f } -> f",
            (_, true) => "i f -> f",
            (false, false) => "e f -> f",
        };
        (format!("{}, axes: {axes}, segments: {ty}", text.replace("index: i, ", "")), ty)
    };
    SPECS.iter().chain(&[INDEXED]).zip(types).map(text).collect()
}

/// Without a GPU, too.
#[test]
fn texts_of_columns_are_specifications() {
    for (text, _) in texts() {
        assert!(spec(&text).is_ok_and(|spec| spec.axes.is_some()), "{text}: {:?}", spec(&text).err());
    }
}

#[test]
fn columns_of_segments_have_the_bits_of_the_host() {
    let Some(device) = gpu("columns_of_segments_have_the_bits_of_the_host") else { return };
    let mut random = Random::new(3);
    let all = lengths(&mut random);
    for (number, (text, ty)) in texts().into_iter().enumerate() {
        let spec = spec(&text).unwrap();
        let [on_gpu, on_host] =
            [&*device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap());
        for (at, (name, lengths)) in all.iter().enumerate() {
            let columns = [1, 2, 7, 32, 64][(at + number) % 5];
            let cut = offsets(lengths, [0, 7][at % 2]);
            let rows = cut[cut.len() - 1] + [0, 5][at / 2 % 2];
            let room = (rows + 1) * (columns + 3);
            let data: Vec<_> = spec.operation.inputs.iter().map(|input| elements(input.ty, room)).collect();
            let views = data.iter().enumerate();
            let views: Vec<_> = views
                .map(|(input, data)| view(data.borrow(), rows, columns, (at + number + input) % 3))
                .collect();
            let cut = lanes_of(ty, &cut);
            let given = usize::from(text.contains("params"));
            let params = vec![1.5f32.into(); given];
            let [found, expected] = [&on_gpu, &on_host]
                .map(|reducer| reducer.reduce_segments(&views, cut.borrow(), &params).unwrap());
            assert_eq!(found.shape, expected.shape, "{text}, {name}");
            let differs = (0..expected.len()).find(|&group| found.get(group) != expected.get(group));
            if let Some(group) = differs {
                panic!(
                    "{text}, {name}: column {} of segment {} of {} elements is {:?} instead of {:?}",
                    group % columns,
                    group / columns,
                    lengths[group / columns],
                    found.get(group),
                    expected.get(group)
                );
            }
        }
    }
}

#[test]
fn device_memory_of_columns_is_checked() {
    let Some(device) = gpu("device_memory_of_columns_is_checked") else { return };
    let sums =
        Reducer::new(&spec("op: sum, ty: f32, axes: e f -> f, segments: u32").unwrap(), &device).unwrap();
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.clone_htod(&vec![1.0f32; 60_000]).unwrap();
    let x = DeviceInput::new(&x);
    let right: Vec<u32> = (0..=200).map(|at| at * 50).collect();
    let cut = stream.clone_htod(&right).unwrap();
    let views = [View::new(&x, [10_000usize, 6])];
    let mut into = sums.reduce_segments_device(&views, &DeviceInput::new(&cut), &[]).unwrap();
    let found = into.read().unwrap();
    assert_eq!(found.shape, [200, 6]);
    assert!((0..1200).all(|at| found.get(at) == Some(vec![50.0f32.into()])));
    for (at, value) in [(0, 51), (100, 0), (100, 10_001), (200, u32::MAX)] {
        let mut wrong = right.clone();
        wrong[at] = value;
        let cut = stream.clone_htod(&wrong).unwrap();
        let mut found = sums.reduce_segments_device(&views, &DeviceInput::new(&cut), &[]).unwrap();
        let Err(Error::Segments(SegmentsError::Wrong { segment })) = found.read() else {
            panic!("offset {at} is {value}")
        };
        assert!(segment as usize == at || segment as usize + 1 == at, "offset {at} is {value}: {segment}");
    }
    // Two kept axes with a gap between them.
    let nested = spec("op: sum, ty: f32, axes: e h f -> h f, segments: u32").unwrap();
    let nested = Reducer::new(&nested, &device).unwrap();
    let gap = View { steps: vec![60, 20, 1], ..View::new(&x, [1000usize, 3, 4]) };
    let few = stream.clone_htod(&[0u32, 1000]).unwrap();
    let refused = nested.reduce_segments_device(&[gap], &DeviceInput::new(&few), &[]).unwrap_err();
    assert!(matches!(refused, Error::Segments(SegmentsError::OnDevice)), "{refused}");
    // Without a gap they are columns.
    let whole = View::new(&x, [1000usize, 3, 4]);
    let mut whole = nested.reduce_segments_device(&[whole], &DeviceInput::new(&few), &[]).unwrap();
    let found = whole.read().unwrap();
    assert_eq!((found.shape.clone(), found.get(11)), (vec![1, 3, 4], Some(vec![1000.0f32.into()])));
}

/// Prints how fast columns of segments are, as parts of a read, if `REDUCEGEN_SEGMENTS` is set.
#[test]
fn columns_of_segments_are_as_fast_as_memory() {
    let test = "columns_of_segments_are_as_fast_as_memory";
    if std::env::var_os("REDUCEGEN_SEGMENTS").is_none() {
        return skipped(test, "REDUCEGEN_SEGMENTS is not set");
    }
    let Some(device) = gpu_alone(test) else { return };
    let source = std::env::var("REDUCEGEN_SPEC").unwrap_or_else(|_| "op: sum, ty: f32".to_owned());
    let spec = spec(&format!("{source}, axes: e f -> f, segments: u32")).unwrap();
    let sums = Reducer::new(&spec, &device).unwrap();
    let n = 1usize << 27;
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x: CudaSlice<f32> = stream.alloc_zeros(n).unwrap();
    let x = DeviceInput::new(&x);
    for (columns, mean) in
        [4, 16, 64, 256].map(|columns| [4, 16, 64, 1024].map(|mean| (columns, mean))).concat()
    {
        let (rows, mut random, mut cut) = (n / columns, Random::new(5), vec![0u32]);
        while (cut[cut.len() - 1] as usize) < rows {
            let length = random.below(2 * mean + 1) as usize;
            cut.push((cut[cut.len() - 1] as usize + length).min(rows) as u32);
        }
        let segments = cut.len() - 1;
        let cut: CudaSlice<u32> = stream.clone_htod(&cut).unwrap();
        let cut = DeviceInput::new(&cut);
        let view = [View::new(&x, [rows, columns])];
        let mut into = sums.reduce_segments_device(&view, &cut, &[]).unwrap();
        let event = || stream.context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap();
        let (begin, end) = (event(), event());
        let mut times: Vec<f32> = (0..7)
            .map(|_| {
                begin.record(&stream).unwrap();
                sums.reduce_segments_into(&view, &cut, &[], &mut into).unwrap();
                end.record(&stream).unwrap();
                begin.elapsed_ms(&end).unwrap()
            })
            .collect();
        times.sort_by(f32::total_cmp);
        let bytes = 4 * (n + segments + 1 + segments * columns);
        let read = device.time_read(bytes as u64).unwrap().as_secs_f64();
        let time = f64::from(times[3]) / 1e3;
        println!("{columns} columns, mean {mean}: {:.0} us, {:.3} of a read", time * 1e6, read / time);
    }
}

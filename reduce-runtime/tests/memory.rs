//! Host memory is proportional to the elements, not to the lanes of the association: most lanes may have no element.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_dsl::parse;
use reduce_ir::{Scalar, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Reducer, View};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system allocator, with counts of the bytes in use and of their maximum.
struct Counting;

/// Tests take turns, as the counts are of the whole process.
static TURN: Mutex<()> = Mutex::new(());

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: it counts, and calls the system allocator. `realloc` is the default one, which uses both functions.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller promises it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller promises it.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the result of a call, and the peak of the bytes that it allocated.
fn most_bytes<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = USED.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = call();
    (result, MOST.load(Relaxed) - before)
}

fn elements(ty: Scalar, n: usize) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(n);
    let of = |x: f64| if ty == Scalar::F32 { Value::of(x as f32) } else { Value::of(x) };
    (0..n).for_each(|i| lanes.set(i, of((i * 7919 % 1013) as f64 / 7.0)));
    lanes
}

/// Returns the bits of the result, and the peak memory.
fn reduced(text: &str, x: &Lanes) -> (Vec<Value>, usize) {
    let reducer = Reducer::new(&parse::text(text, None).unwrap().spec, &Device::host()).unwrap();
    let slice: LanesRef<'_> = x.borrow();
    let (outcome, bytes) = most_bytes(|| reducer.reduce(&[slice]).unwrap());
    (outcome.values, bytes)
}

/// A grid with one lane per element and a grid with many more lanes give the same association.
#[test]
fn lanes_without_elements_take_no_memory() {
    let _turn = TURN.lock();
    for (op, ty) in
        [("sum", Scalar::F32), ("describe", Scalar::F64), ("argmax", Scalar::F32), ("var", Scalar::F64)]
    {
        for (block, width, lanes) in [(1024, 16, 8), (256, 16, 4), (64, 8, 1), (512, 4, 2), (128, 16, 2)] {
            for n in [1, 2, 15, 16, 17, 777, 4096, 20_000] {
                let x = elements(ty, n);
                let of_grid = |grid: usize| {
                    let passes = format!("grid_stride({grid}), vectorize({width}), lanes({lanes})");
                    reduced(&format!("op: {op}, ty: {ty}, block: {block}, passes: [{passes}]"), &x)
                };
                let (enough, _) = of_grid(n.div_ceil(block * width).max(1));
                let (values, bytes) = of_grid(65_536);
                assert_eq!(values, enough, "{op} of {n}, block {block}, width {width}, lanes {lanes}");
                let most = 8 * n * std::mem::size_of::<Value>() + (4 << 20);
                assert!(
                    bytes <= most,
                    "{op} of {n}: {bytes} bytes, block {block}, width {width}, lanes {lanes}"
                );
            }
        }
    }
}

/// The elements of one group lie across memory. They are copied in parts.
#[test]
fn a_long_group_is_copied_in_parts() {
    let _turn = TURN.lock();
    let (rows, columns) = (3000, 1500);
    let x = elements(Scalar::F32, rows * columns);
    for op in ["sum", "argmax"] {
        let spec = parse::text(&format!("op: {op}, ty: f32, axes: i j -> "), None).unwrap().spec;
        let reducer = Reducer::new(&spec, &Device::host()).unwrap();
        let transposed = View {
            data: x.borrow(),
            offset: 0,
            lengths: vec![columns, rows],
            steps: vec![1, columns as isize],
        };
        let (groups, bytes) = most_bytes(|| reducer.reduce_groups(&[transposed], &[]).unwrap());
        let mut copied = Lanes::empty(Scalar::F32);
        copied.resize(x.len());
        (0..x.len()).for_each(|at| copied.set(at, x.borrow().get(at % rows * columns + at / rows)));
        let (alone, _) = reduced(&format!("op: {op}, ty: f32"), &copied);
        assert_eq!(groups.get(0), Some(alone), "{op}");
        assert!(bytes < x.len() * 4 / 2, "{op}: {bytes} bytes");
    }
}

#[test]
fn more_results_than_memory_are_an_error() {
    let spec = parse::text("op: sum, ty: f64, axes: i j -> i", None).unwrap().spec;
    let reducer = Reducer::new(&spec, &Device::host()).unwrap();
    let nothing: &[f64] = &[];
    let view = View::new(LanesRef::from(nothing), [1 << 50, 0]);
    let error = reducer.reduce_groups(&[view], &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no memory for 1125899906842624 results of 8 bytes; reduce fewer groups in a call, or more axes"
    );
}

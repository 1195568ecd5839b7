//! Rows and columns of matrices: sums and maxima along each axis, compared with `ndarray` and NumPy.

use crate::contestants::{Clock, Contestant, OURS};
use crate::number::{Number, Op};
use crate::numpy::Numpy;
use crate::report::{Cell, Report};
use crate::{filled, race};
use ndarray::{ArrayView2, Axis};
use rayon::ThreadPool;
use reduce_dsl::parse::text;
use reduce_ir::Value;
use reduce_runtime::{Device, Groups, Reducer, View};
use std::hint::black_box;

/// Rows and columns.
const SHAPES: [[usize; 2]; 3] = [[1000, 1000], [1_000_000, 10], [10, 1_000_000]];

/// Measures sums and maxima of elements of one type.
pub(crate) fn run<T: Number>(rounds: usize, pools: &[ThreadPool], report: &mut Report) {
    let memory = filled::<T>(10_000_000 * size_of::<T>());
    let all: &[T] = bytemuck::cast_slice(&memory);
    let mut numpy = Numpy::start(all);
    for (shape, axis) in SHAPES.into_iter().flat_map(|shape| [(shape, 0), (shape, 1)]) {
        let data = &all[..shape[0] * shape[1]];
        for op in [Op::Sum, Op::Max] {
            let kept = ["j", "i"][axis];
            let spec = text(&format!("op: {op}, ty: {}, axes: i j -> {kept}", T::TY), None).unwrap().spec;
            let reducer = Reducer::new(&spec, &Device::host()).unwrap();
            for pool in pools {
                check(op, &reducer, data, (shape, axis), pool);
                let mut racing = contestants(op, &reducer, data, (shape, axis), pool);
                let clock = Clock::of(pool.current_num_threads());
                let call = format!("{op} {} {} {axis}", shape[0], shape[1]);
                racing.extend(numpy.as_mut().map(|numpy| numpy.contestant(&call, clock)));
                let name = format!("{op} {} x {}, axis {axis}", shape[0], shape[1]);
                let threads = pool.current_num_threads();
                report.add(Cell::new(name, T::TY, threads, size_of_val(data), race(racing, rounds)));
            }
        }
    }
}

fn contestants<'a, T: Number>(
    op: Op,
    reducer: &'a Reducer,
    data: &'a [T],
    (shape, axis): ([usize; 2], usize),
    pool: &'a ThreadPool,
) -> Vec<Contestant<'a>> {
    let clock = Clock::of(pool.current_num_threads());
    let ours = move || {
        black_box(reduced(reducer, data, shape, pool));
    };
    let array = ArrayView2::from_shape(shape, data).unwrap();
    vec![
        clock.timed(OURS, Box::new(ours)),
        clock.timed("ndarray", Box::new(move || T::along(op, array, Axis(axis)))),
    ]
}

fn reduced<T: Number>(reducer: &Reducer, data: &[T], shape: [usize; 2], pool: &ThreadPool) -> Groups {
    pool.install(|| reducer.reduce_groups(&[View::new(T::lanes(data), shape)], &[]).unwrap())
}

/// Checks the first and the last group.
fn check<T: Number>(
    op: Op,
    reducer: &Reducer,
    data: &[T],
    (shape, axis): ([usize; 2], usize),
    pool: &ThreadPool,
) {
    let found = reduced(reducer, data, shape, pool);
    for group in [0, found.len() - 1] {
        let lane =
            |at: usize| if axis == 1 { data[group * shape[1] + at] } else { data[at * shape[1] + group] };
        let elements: Vec<T> = (0..shape[axis]).map(lane).collect();
        let association = reducer.programs().for_len(elements.len() as u64).association();
        let expected: Value = op.reference(&elements, &association);
        assert_eq!(found.get(group), Some(vec![expected]), "{op} of group {group} of {shape:?} {}", T::TY);
    }
}

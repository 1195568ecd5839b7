//! Elements that lie a step apart, on the host: the bits of the same elements side by side.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_dsl::func::Param;
use reduce_dsl::lanes::LanesRef;
use reduce_dsl::operation::{Layout, Operation};
use reduce_dsl::operators::operator;
use reduce_dsl::pass::Pass;
use reduce_dsl::spec::Passes;
use reduce_dsl::{Scalar, Spec};
use reduce_runtime::{Device, Error, Reducer, Reduction, Slices, Strided};

fn spec(name: &str, layout: Layout) -> Spec {
    let row = operator(name).unwrap();
    let inputs: Vec<_> =
        ["x", "y"].iter().take(row.inputs).map(|&name| Param::new(name, Scalar::F32)).collect();
    Spec {
        operation: Operation { layout, ..row.apply(&inputs, None).unwrap() },
        text: String::new(),
        block: None,
        passes: Passes::List(vec![Pass::Shuffle, Pass::Coarsen(4)]),
    }
}

static SUM: Reduction<f32, f32> = Reduction::new(|| spec("sum", Layout::Strided));
static ARGMAX: Reduction<f32, u64> = Reduction::new(|| spec("argmax", Layout::Strided));
static DOT: Reduction<(f32, f32), f32> = Reduction::new(|| spec("dot", Layout::Strided));
static CONTIGUOUS: Reduction<f32, f32> = Reduction::new(|| spec("sum", Layout::Contiguous));

/// Numbers of which every order of a sum rounds differently.
fn data(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as f32 / 3.0).collect()
}

/// The same elements side by side.
fn packed(view: Strided<&[f32]>) -> Vec<f32> {
    (0..view.len).map(|i| view.data[view.offset + i * view.step]).collect()
}

#[test]
fn strided_elements_have_the_bits_of_the_same_elements_side_by_side() {
    let data = data(300_000);
    for (offset, step) in [(0, 1), (5, 1), (0, 2), (1, 2), (0, 3), (7, 5), (2, 64), (0, 1000)] {
        let most = (data.len() - offset).div_ceil(step);
        let sizes = [0, 1, 2, 31, 1023, 1024, 1025, 4097, 70_001, most];
        for len in sizes.into_iter().filter(|&len| len <= most) {
            let view = Strided { data: &data[..], offset, step, len };
            let same = packed(view);
            let [found, expected] =
                [SUM.reduce(view), CONTIGUOUS.reduce(&same)].map(|it| it.unwrap().to_bits());
            assert_eq!(found, expected, "{len} elements from {offset} on, {step} apart");
            let [found, expected] = [ARGMAX.reduce(view), ARGMAX.reduce(&same)].map(Result::ok);
            assert_eq!(found, expected, "{len} elements from {offset} on, {step} apart");
        }
    }
}

#[test]
fn each_input_has_its_own_step() {
    let (x, y) = (data(5000), data(9000));
    let (a, b) = (
        Strided { data: &x[..], offset: 1, step: 2, len: 2000 },
        Strided { data: &y[..], offset: 3, step: 4, len: 2000 },
    );
    let expected = DOT.reduce((&packed(a), &packed(b))).unwrap();
    assert_eq!(DOT.reduce((a, b)).unwrap().to_bits(), expected.to_bits());
    assert_eq!(DOT.reduce((&packed(a), b)).unwrap().to_bits(), expected.to_bits());
    let plain = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let evens = Strided { data: &plain, offset: 1, step: 2, len: 3 };
    assert_eq!(DOT.reduce((&[1.0, 10.0, 100.0], evens)).unwrap(), 642.0);
}

fn message(reduction: &Reduction<f32, f32>, view: impl Slices<f32>) -> String {
    let error = reduction.reduce(view).unwrap_err();
    assert!(error.is_users_fault());
    error.to_string()
}

#[test]
fn what_is_no_input_is_an_error_that_names_the_fix() {
    let data = [1.0f32; 10];
    let view = |offset, step, len| Strided { data: &data, offset, step, len };
    assert_eq!(
        message(&CONTIGUOUS, view(0, 2, 5)),
        "the elements of input `x` lie 2 apart, and the reduction takes contiguous ones; write `layout: strided` in \
         its specification"
    );
    assert_eq!(CONTIGUOUS.reduce(view(3, 1, 7)).unwrap(), 7.0, "a part of a slice is contiguous");
    assert_eq!(
        message(&SUM, view(0, 0, 5)),
        "input `x` has step 0; the least step is 1, for elements side by side"
    );
    assert_eq!(SUM.reduce(view(1, 3, 3)).unwrap(), 3.0);
    assert_eq!(
        message(&SUM, view(1, 3, 4)),
        "input `x` is 4 elements from place 1 on, 3 apart, and its data ends after 10; take fewer, or a smaller \
         offset or step"
    );
    for (offset, step, len) in
        [(0, 1, 11), (11, 1, 0), (usize::MAX, 1, 1), (0, usize::MAX, 3), (1, 2, usize::MAX)]
    {
        assert!(message(&SUM, view(offset, step, len)).contains("its data ends after 10"));
    }
    assert_eq!(SUM.reduce(view(10, 5, 0)).unwrap(), 0.0, "nothing, behind the last element");
}

#[test]
fn lengths_count_elements() {
    let data = [1.0f32; 10];
    let view = |step, len| Strided { data: &data, offset: 0, step, len };
    assert_eq!(DOT.reduce((view(2, 5), view(1, 5))).unwrap(), 5.0);
    let error = DOT.reduce((view(2, 5), view(1, 10))).unwrap_err();
    assert_eq!(error.to_string(), "input `y` has 10 elements, and `x` has 5; inputs must be equally long");
}

#[test]
fn reducers_take_strided_lanes() {
    let reducer = Reducer::new(&spec("sum", Layout::Strided), &Device::host()).unwrap();
    let data = [1.0f32, 2.0, 4.0, 8.0];
    let lanes = LanesRef::from(&data[..]);
    let odd = Strided { data: lanes, offset: 1, step: 2, len: 2 };
    let sum = |outcome: Result<reduce_runtime::Outcome, Error>| outcome.unwrap().values[0].get::<f32>();
    assert_eq!(sum(reducer.reduce(&[odd])), Some(10.0));
    assert_eq!(sum(reducer.reduce(&[lanes])), Some(15.0));
    assert_eq!(sum(reducer.reduce(&[odd.of(&data[..])])), Some(10.0));
    assert_eq!(sum(reducer.reduce(&[&data[..]])), Some(15.0));
}

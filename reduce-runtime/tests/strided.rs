//! Strided elements on the host have the bits of a contiguous copy.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_dsl::operators::operator;
use reduce_ir::func::Param;
use reduce_ir::pass::Pass;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Error, Reducer, Reduction, Slices, Strided};

fn spec(name: &str, domain: Domain) -> Spec {
    let row = operator(name).unwrap();
    let inputs: Vec<_> =
        ["x", "y"].iter().take(row.inputs).map(|&name| Param::new(name, Scalar::F32)).collect();
    Spec {
        operation: row.apply(&inputs, None).unwrap(),
        domain,
        axes: None,
        defaults: Vec::new(),
        text: String::new(),
        block: None,
        passes: Passes::List(vec![Pass::plain("shuffle"), Pass::with("coarsen", 4)]),
    }
}

static SUM: Reduction<f32, f32> = Reduction::new(|| Ok(spec("sum", Domain::STRIDED)));
static ARGMAX: Reduction<f32, u64> = Reduction::new(|| Ok(spec("argmax", Domain::STRIDED)));
static DOT: Reduction<(f32, f32), f32> = Reduction::new(|| Ok(spec("dot", Domain::STRIDED)));
static CONTIGUOUS: Reduction<f32, f32> = Reduction::new(|| Ok(spec("sum", Domain::WHOLE)));

/// Numbers whose sum rounds differently in every order.
fn data(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as f32 / 3.0).collect()
}

/// Copies the elements to contiguous memory.
fn packed(view: Strided<&[f32]>) -> Vec<f32> {
    (0..view.len).map(|i| view.data[(view.offset as isize + i as isize * view.step) as usize]).collect()
}

#[test]
fn strided_elements_have_the_bits_of_the_same_elements_side_by_side() {
    let data = data(300_000);
    for (offset, step) in [(0, 1), (5, 1), (0, 2), (1, 2), (0, 3), (7, 5), (2, 64), (0, 1000)] {
        let most = (data.len() - offset).div_ceil(step as usize);
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
fn elements_are_taken_backwards() {
    let data = data(300_000);
    for (offset, step) in
        [(0, -1), (299_999, -1), (299_999, -2), (299_998, -3), (1000, -64), (299_999, -1000)]
    {
        let all = Strided::every(&data[..], offset, step).unwrap();
        for len in [0, 1, 2, 31, 1023, 1025, 4097, 70_001, all.len].into_iter().filter(|&len| len <= all.len)
        {
            let view = Strided { len, ..all };
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
fn one_element_is_taken_again_and_again() {
    let data = [2.0f32, 0.3, 5.0];
    for len in [0, 1, 7, 1024, 5000, 300_000] {
        let view = Strided { data: &data[..], offset: 1, step: 0, len };
        let expected = CONTIGUOUS.reduce(&vec![0.3f32; len]).unwrap();
        assert_eq!(SUM.reduce(view).unwrap().to_bits(), expected.to_bits(), "{len} times");
        let other = vec![2.0f32; len];
        let expected = DOT.reduce((&other, &vec![0.3f32; len])).unwrap();
        assert_eq!(DOT.reduce((&other, view)).unwrap().to_bits(), expected.to_bits(), "{len} times");
        // Workers keep their memory: the next call has another element and another step.
        let next = Strided { offset: 2, ..view };
        assert_eq!(SUM.reduce(next).unwrap(), 5.0 * len as f32, "{len} times");
    }
}

/// Compares every type with a plain loop.
#[test]
fn every_type_is_taken_in_both_directions() {
    let bytes: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for ty in Scalar::ALL {
        let mut lanes = Lanes::empty(ty);
        lanes.resize(bytes.len());
        bytes
            .iter()
            .enumerate()
            .for_each(|(i, &byte)| lanes.set(i, Value::from_bits(ty, u64::from(byte & 1))));
        let count = operator("count_nonzero").unwrap().apply(&[Param::new("x", ty)], None).unwrap();
        let reducer =
            Reducer::new(&Spec { operation: count, ..spec("sum", Domain::STRIDED) }, &Device::host())
                .unwrap();
        for (offset, step, len) in
            [(5, 3, 1300), (4095, -3, 1300), (4095, -1, 4096), (8, 0, 3000), (9, 0, 77)]
        {
            let view = Strided { data: lanes.borrow(), offset, step, len };
            let places = (0..len).map(|i| (offset as isize + i as isize * step) as usize);
            let expected = places.filter(|&place| bytes[place] & 1 == 1).count() as u64;
            let found = reducer.reduce(&[view]).unwrap().values;
            assert_eq!(found, [Value::of(expected)], "{ty}: {len} from {offset} on, {step} apart");
        }
    }
}

#[test]
fn places_are_those_of_the_elements() {
    let view = |offset, step, len| Strided { data: (), offset, step, len };
    let places = |view: Strided<()>| (0..=view.len).map(|i| view.place(i)).collect::<Vec<_>>();
    assert_eq!(places(view(4, -2, 3)), [Some(4), Some(2), Some(0), None]);
    assert_eq!(places(view(4, 0, 2)), [Some(4), Some(4), None]);
    assert_eq!(view(4, -2, 4).place(3), None, "before the beginning");
    assert_eq!(view(1, isize::MAX, 4).place(3), None, "beyond all memory");
    let data = [0u8; 10];
    let every = |offset, step| Strided::every(&data[..], offset, step).map(|it| it.len);
    let found = [(0, 1), (1, 3), (9, -1), (9, -2), (8, -3), (0, -1), (10, 1), (10, -1), (0, isize::MIN)];
    let lengths = [10, 3, 10, 5, 3, 1, 0, 0, 1];
    assert_eq!(found.map(|(offset, step)| every(offset, step)), lengths.map(Some));
    assert_eq!([every(11, 1), every(11, -1), every(3, 0), every(usize::MAX, -1)], [None; 4]);
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
    assert!(error.is_usage_error());
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
    assert_eq!(SUM.reduce(view(1, 3, 3)).unwrap(), 3.0);
    assert_eq!(
        message(&SUM, view(1, 3, 4)),
        "input `x` takes 4 elements from offset 1 with step 3, and its data has 10 elements; take fewer, or a smaller \
         offset or step"
    );
    for (offset, step, len) in [
        (0, 1, 11),
        (11, 1, 0),
        (usize::MAX, 1, 1),
        (0, isize::MAX, 3),
        (1, 2, usize::MAX),
        (10, -1, 2),
        (10, 0, 1),
    ] {
        assert!(message(&SUM, view(offset, step, len)).contains("its data has 10 elements"));
    }
    assert_eq!(SUM.reduce(view(10, 5, 0)).unwrap(), 0.0, "nothing, behind the last element");
    assert_eq!(
        message(&SUM, view(5, -2, 4)),
        "input `x` takes 4 elements from offset 5 with step -2, and begins before index 0; take fewer, or a larger offset, \
         such as (len - 1) * 2"
    );
    for (offset, step, len) in [(0, -1, 2), (9, isize::MIN, 2), (9, -1, usize::MAX), (3, -3, 3)] {
        assert!(message(&SUM, view(offset, step, len)).contains("begins before index 0"));
    }
    assert_eq!(
        message(&SUM, view(0, 0, usize::MAX)),
        "input `x` has step 0, so it repeats one element 18446744073709551615 times; the limit is \
         1099511627776"
    );
    assert_eq!(
        message(&CONTIGUOUS, view(9, -1, 10)),
        "the elements of input `x` lie -1 apart, and the reduction takes contiguous ones; write `layout: strided` in \
         its specification"
    );
    assert!(message(&CONTIGUOUS, view(0, 0, 5)).contains("lie 0 apart"));
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
    let reducer = Reducer::new(&spec("sum", Domain::STRIDED), &Device::host()).unwrap();
    let data = [1.0f32, 2.0, 4.0, 8.0];
    let lanes = LanesRef::from(&data[..]);
    let odd = Strided { data: lanes, offset: 1, step: 2, len: 2 };
    let sum = |outcome: Result<reduce_runtime::Outcome, Error>| outcome.unwrap().values[0].get::<f32>();
    assert_eq!(sum(reducer.reduce(&[odd])), Some(10.0));
    assert_eq!(sum(reducer.reduce(&[lanes])), Some(15.0));
    assert_eq!(sum(reducer.reduce(&[odd.with_data(&data[..])])), Some(10.0));
    assert_eq!(sum(reducer.reduce(&[&data[..]])), Some(15.0));
}

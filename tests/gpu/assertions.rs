//! Assertions that fail for an element on a GPU are errors when the result is read, as on the host.

use super::device::gpu;
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Error, Reducer, View};

const HISTOGRAM: &str = "ty: f32, acc: H { bins: [u32; 4] }, op: |mut a, b| { for i in 0..4 { a.bins[i] += b.bins[i]; } a }, \
    identity: H { bins: [0; 4] }, map: |x| { let mut h = H { bins: [0; 4] }; h.bins[x as usize] = 1; h }";

const POSITIVE: &str = "ty: f32, map: |x| { assert!(x >= 0.0); x.sqrt() }, op: sum";

fn on(device: &Device, text: &str) -> Reducer {
    Reducer::new(&reduce_dsl::parse::spec(text).unwrap(), device).unwrap()
}

#[test]
fn sanitized_failed_assertions_are_errors() {
    let Some(device) = gpu("assertions::sanitized_failed_assertions_are_errors") else { return };
    for (text, wrong) in [(HISTOGRAM, 4.0f32), (POSITIVE, -1.0)] {
        let [ours, host] = [&device, &Device::host()].map(|device| on(device, text));
        for n in [1usize, 33, 5000, 1 << 20] {
            let mut elements: Vec<f32> = (0..n).map(|at| (at % 4) as f32).collect();
            let values = |reducer: &Reducer, elements: &[f32]| {
                reducer.reduce(&[LanesRef::from(elements)]).map(|it| it.values)
            };
            assert_eq!(values(&ours, &elements), values(&host, &elements), "{text}, n = {n}");
            for place in [0, n / 2, n - 1] {
                let right = std::mem::replace(&mut elements[place], wrong);
                let error = values(&ours, &elements).unwrap_err();
                assert!(matches!(error, Error::AssertionFailed { .. }), "{text}, {place} of {n}: {error}");
                elements[place] = right;
            }
        }
    }
}

#[test]
fn sanitized_failed_assertions_of_groups_are_errors() {
    let Some(device) = gpu("assertions::sanitized_failed_assertions_of_groups_are_errors") else { return };
    let rows = on(&device, &format!("{POSITIVE}, axes: r c -> r"));
    let segments = on(&device, &format!("{POSITIVE}, segments: u32"));
    let keyed =
        on(&device, "ty: f32, by: |x| { assert!(x >= 0.0); x as u32 }, groups: 8, map: |x| 1u64, op: sum");
    let mut elements: Vec<f32> = (0..6000).map(|at| (at % 7) as f32).collect();
    let offsets = [0u32, 1, 1, 500, 6000];
    for fails in [false, true] {
        if fails {
            elements[3000] = -1.0;
        }
        let data = LanesRef::from(elements.as_slice());
        let found = [
            rows.reduce_groups(&[View::new(data, [60, 100])], &[]),
            segments.reduce_segments(&[View::new(data, [6000])], offsets.as_slice().into(), &[]),
            keyed.reduce_groups(&[View::new(data, [6000])], &[]),
        ];
        for found in found {
            match (fails, &found) {
                (false, Ok(_)) | (true, Err(Error::AssertionFailed { .. })) => {}
                _ => panic!("fails: {fails}, found {found:?}"),
            }
        }
    }
}

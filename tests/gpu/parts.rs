//! Partials of GPUs merge to the bits of the host: on one GPU, on all of this machine, and of data that streams through one.

use super::device::{gpu, gpu_alone};
use crate::skip::skipped;
use reduce_dsl::parse::spec;
use reduce_runtime::cudarc::driver::CudaContext;
use reduce_runtime::{Device, DeviceInput, Error, Partials, PartialsError, Reducer, Span};

const SPECS: [&str; 7] = [
    "op: sum, ty: f32",
    "op: argmax, ty: f32",
    "op: var, ty: f32",
    "op: logsumexp, ty: f32",
    "ty: f32, index: i, map: |x| x as f64 * i as f64, op: sum",
    "op: argmax, ty: f32, filter: |x| x < 0.5",
    "op: sum, ty: f32, block: 128, passes: [shuffle, vectorize(4), coarsen(4), one_block, ticket]",
];

const TOTALS: [u64; 6] = [0, 1, 5000, 100_000, 3_000_001, 70_000_001];

fn elements(n: u64) -> Vec<f32> {
    (0..n).map(|at| ((at * 2_654_435_761) % 1_000_003) as f32 / 1_000_003.0 + 1e-6).collect()
}

/// Returns cuts at multiples of the chunk, with an empty part and one of a single chunk.
fn cuts(total: u64, chunk: u64) -> Vec<u64> {
    let chunks = total.div_ceil(chunk);
    [0, 1, 1, chunks / 3, chunks / 2 + 1, chunks].map(|at| (at * chunk).min(total)).into_iter().collect()
}

/// The result as bits, or the error.
fn bits(outcome: Result<reduce_runtime::Outcome, Error>) -> String {
    outcome.map_or_else(
        |error| error.to_string(),
        |outcome| outcome.values.iter().map(|value| value.hex()).collect::<Vec<_>>().join(" "),
    )
}

/// Host memory that is larger than the free memory of the GPU is copied in pieces.
#[test]
fn elements_that_do_not_fit_the_gpu_have_the_bits_of_the_host() {
    let Some(device) = gpu_alone("elements_that_do_not_fit_the_gpu_have_the_bits_of_the_host") else {
        return;
    };
    let x = elements(200_000_001);
    let stream = CudaContext::new(0).unwrap().default_stream();
    let (free, _) = stream.context().mem_get_info().unwrap();
    // Leaves less than the elements need.
    let rest = stream.alloc_zeros::<u8>(free - (500 << 20)).unwrap();
    stream.synchronize().unwrap();
    for text in ["op: sum, ty: f32", "op: argmax, ty: f32", "op: var, ty: f32"] {
        let [ours, host] =
            [&device, &Device::host()].map(|it| Reducer::new(&spec(text).unwrap(), it).unwrap());
        assert_eq!(bits(ours.reduce(&[x.as_slice()])), bits(host.reduce(&[x.as_slice()])), "{text}");
    }
    drop(rest);
}

#[test]
fn partials_of_a_gpu_merge_to_the_bits_of_the_host() {
    let Some(device) = gpu("partials_of_a_gpu_merge_to_the_bits_of_the_host") else { return };
    let data = elements(TOTALS[TOTALS.len() - 1]);
    for text in SPECS {
        let [on_gpu, on_host] =
            [&*device, &Device::host()].map(|it| Reducer::new(&spec(text).unwrap(), it).unwrap());
        for total in TOTALS {
            let data = &data[..total as usize];
            let wanted = bits(on_host.reduce(&[data]));
            let mut ends = cuts(total, on_gpu.chunk_len(total).unwrap());
            ends.sort_unstable();
            let part = |reducer: &Reducer, first: u64, end: u64| {
                reducer.partials(&[&data[first as usize..end as usize]], &[], Span { first, total }).unwrap()
            };
            let parts: Vec<Partials> = ends.windows(2).map(|ends| part(&on_gpu, ends[0], ends[1])).collect();
            assert_eq!(bits(on_host.merge(&parts)), wanted, "{text}, {total}");
            // Parts of the host and of the GPU fit together.
            let mixed = |(at, ends): (usize, &[u64])| part([&on_gpu, &on_host][at % 2], ends[0], ends[1]);
            let parts: Vec<_> = ends.windows(2).enumerate().map(mixed).collect();
            assert_eq!(bits(on_gpu.merge(&parts)), wanted, "{text}, {total}, mixed");
        }
    }
}

#[test]
fn partials_of_device_memory_merge_to_the_bits_of_the_host() {
    let Some(device) = gpu("partials_of_device_memory_merge_to_the_bits_of_the_host") else { return };
    let context = reduce_runtime::cudarc::driver::CudaContext::new(0).unwrap();
    let stream = context.new_stream().unwrap();
    let total = 3_000_001u64;
    let data = elements(total);
    let copy = stream.clone_htod(&data).unwrap();
    for text in SPECS {
        let sum = Reducer::new(&spec(text).unwrap(), &device).unwrap();
        let wanted = bits(Reducer::new(&spec(text).unwrap(), &Device::host()).unwrap().reduce(&[&data[..]]));
        let cut = 7 * sum.chunk_len(total).unwrap();
        let part = |first: u64, end: u64| {
            let view = copy.slice(first as usize..end as usize);
            let input = DeviceInput::new::<f32>(&view);
            sum.partials_device(&[input], &[], Span { first, total }).unwrap()
        };
        assert_eq!(bits(sum.merge(&[part(cut, total), part(0, cut)])), wanted, "{text}");
    }
}

/// Runs on 1, 2, … GPUs of this machine, with the host as one more device.
#[test]
fn every_number_of_gpus_has_the_bits_of_the_host() {
    let test = "every_number_of_gpus_has_the_bits_of_the_host";
    let Some(_gpu) = gpu(test) else { return };
    let gpus = Device::cuda_all().unwrap();
    if gpus.len() < 2 {
        skipped(test, "of more than one GPU: this machine has one");
    }
    let total = TOTALS[TOTALS.len() - 1];
    let data = elements(total);
    for text in SPECS {
        let of = |device: &Device| Reducer::new(&spec(text).unwrap(), device).unwrap();
        let host = of(&Device::host());
        let reducers: Vec<_> = gpus.iter().map(of).chain([of(&Device::host())]).collect();
        for total in TOTALS {
            let data = &data[..total as usize];
            let wanted = bits(host.reduce(&[data]));
            for count in 1..=reducers.len() {
                let some: Vec<_> = reducers[..count].iter().collect();
                assert_eq!(
                    bits(Reducer::reduce_over(&some, &[data], &[])),
                    wanted,
                    "{text}, {total}, {count} devices"
                );
            }
        }
    }
}

#[test]
fn elements_that_arrive_stream_through_a_gpu() {
    let Some(device) = gpu("elements_that_arrive_stream_through_a_gpu") else { return };
    let total = TOTALS[TOTALS.len() - 1];
    let data = elements(total);
    let bytes: Vec<u8> = data.iter().flat_map(|it| it.to_ne_bytes()).collect();
    for text in SPECS {
        let [on_gpu, on_host] =
            [&*device, &Device::host()].map(|it| Reducer::new(&spec(text).unwrap(), it).unwrap());
        let wanted = bits(on_host.reduce(&[&data[..]]));
        for total in [Some(total), None] {
            assert_eq!(bits(on_gpu.reduce_readers(vec![Box::new(&bytes[..])], total, &[])), wanted, "{text}");
        }
    }
}

/// A device that fails is named, and the others can be used on.
#[test]
fn a_device_that_fails_is_named() {
    let Some(device) = gpu("a_device_that_fails_is_named") else { return };
    let none: Result<_, Error> = Reducer::reduce_over(&[], &[&[1.0f32][..]], &[]);
    assert!(matches!(none, Err(Error::Partials(PartialsError::NoDevices))), "{none:?}");
    // One of two calls has elements of another type.
    let [on_gpu, on_host] = [("op: sum, ty: u8", &*device), ("op: sum, ty: f32", &Device::host())]
        .map(|(text, it)| Reducer::new(&spec(text).unwrap(), it).unwrap());
    let bytes = vec![1u8; 1 << 20];
    let failed = Reducer::reduce_over(&[&on_gpu, &on_host], &[&bytes[..]], &[]).unwrap_err();
    assert!(failed.to_string().starts_with("host failed, "), "{failed}");
    assert_eq!(on_gpu.reduce(&[&bytes[..]]).unwrap().values, [reduce_ir::Value::of(1u32 << 20)]);
}

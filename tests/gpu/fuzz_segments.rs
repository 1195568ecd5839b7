//! Random specifications over segments that are cut in fifty ways give the bits of the host on a GPU. On the host, each segment has the
//! bits that it has alone: `tests/fuzz_segments.rs`.

use super::cut::{Cut, WAYS, lanes, offsets};
use super::device::gpu;
use super::fuzzed::{Pool, seeds};
use super::rotation;
use super::samples::on_all_cores;
use super::subjects::{NO_RESULT, bits, params};
use reduce_runtime::{Device, Error, Groups, Reducer, View};

/// The maximum number of elements: several blocks, and segments with several partials.
const MOST: u64 = 100_000;

#[test]
fn segments_have_the_bits_of_the_host() {
    let Some(device) = gpu("fuzz_segments::segments_have_the_bits_of_the_host") else { return };
    let (pool, seeds) = (Pool::new(MOST as usize), seeds(60));
    let ways: Vec<_> = rotation::sample(0..WAYS, 5).collect();
    let outcomes = on_all_cores(&seeds, |&seed| compared(seed, &ways, &pool, &device));
    let findings: Vec<_> = outcomes.iter().filter_map(|it| it.as_ref().err()).collect();
    let compared: usize = outcomes.iter().flatten().sum();
    let late = outcomes.iter().filter(|it| **it == Ok(LATE)).count();
    let compared = compared - late * LATE;
    println!(
        "{} specifications, {} ways, {compared} calls, {late} that NVRTC does not compile in time, {} findings",
        seeds.len(),
        ways.len(),
        findings.len()
    );
    assert!(late <= 1 + seeds.len() / 250, "{late} specifications are not compiled in time");
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings[0]);
    assert!(compared > seeds.len() * ways.len() / 2, "{compared} calls");
}

/// The number of calls that stands for kernels which NVRTC does not compile in time: callers get an error.
const LATE: usize = 1 << 32;

/// Compares the calls of a specification. Returns their number, or the first difference. Kernels that are too large are refused.
fn compared(seed: u64, ways: &[u64], pool: &Pool, device: &Device) -> Result<usize, String> {
    let Some(cut) = Cut::of_seed(seed) else { return Ok(0) };
    let failed = |error: Error| format!("seed {seed}: {}\n{error}", cut.segments.text);
    let on_gpu = match Reducer::new(&cut.segments, device) {
        Err(error) if error.to_string().contains("too large") => return Ok(0),
        reducer => reducer.map_err(failed)?,
    };
    let on_host = Reducer::new(&cut.segments, &Device::host()).map_err(failed)?;
    let data = cut.elements(pool, MOST as usize);
    let params = params(on_host.operation());
    for &way in ways {
        let offsets = lanes(cut.offsets, &offsets(way, MOST));
        let views: Vec<_> = data.iter().map(|it| View::new(it.borrow(), [MOST as usize])).collect();
        let [found, wanted] =
            [&on_gpu, &on_host].map(|it| it.reduce_segments(&views, offsets.borrow(), &params));
        let (found, wanted) = match found {
            Err(error) if error.to_string().contains("too large") => return Ok(0),
            Err(Error::CompileTime { .. }) => return Ok(LATE),
            found => (found.map_err(failed)?, wanted.map_err(failed)?),
        };
        let text =
            |groups: &Groups, at| groups.get(at).map_or(NO_RESULT.to_owned(), |values| bits(Ok(values)));
        for segment in 0..offsets.len() - 1 {
            let [found, wanted] = [&found, &wanted].map(|it| text(it, segment));
            if found != wanted {
                let spec = &cut.segments.text;
                return Err(format!(
                    "seed {seed}: {spec}\nway {way}, segment {segment}: {found}, host {wanted}"
                ));
            }
        }
    }
    Ok(ways.len())
}

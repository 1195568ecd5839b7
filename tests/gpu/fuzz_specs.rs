//! Random typed specifications on a GPU give the bits of the host, for up to a million elements. Without a GPU the same
//! specifications run in `tests/fuzz_specs.rs`.

use super::classes::Class;
use super::data::{Resident, View};
use super::device::gpu;
use super::fuzzed::{Fuzzed, Pool, lengths, seeds};
use super::reference::Place;
use super::samples::on_all_cores;
use super::subjects::{self, bits};
use reduce_codegen::check_size;
use reduce_ir::Scalar;
use reduce_ir::operation::Order;
use reduce_ir::program::Reads;
use reduce_runtime::cudarc::driver::CudaContext;
use reduce_runtime::{Device, Reducer};
use std::collections::BTreeMap;

/// The maximum number of elements.
const MOST: usize = 1_000_003;

/// The elements of a pool, on the device.
type Residents = BTreeMap<(Scalar, Class), Resident>;

/// The results for some specifications.
#[derive(Default)]
struct Outcome {
    accepted: usize,
    compared: usize,
    /// Specifications whose order the GPU chooses, so that their bits may differ.
    unordered: usize,
    /// Specifications whose kernels are refused, because NVRTC would take too long.
    too_large: usize,
    differing: Vec<String>,
}

#[test]
fn random_specifications_give_the_bits_of_the_host() {
    let Some(device) = gpu("fuzz_specs::random_specifications_give_the_bits_of_the_host") else { return };
    let (pool, seeds) = (Pool::new(MOST), seeds(500));
    let stream = CudaContext::new(0).unwrap().default_stream();
    let resident = |(&key, lanes)| (key, Resident::new(&stream, lanes));
    let residents: Residents = pool.iter().map(resident).collect();
    stream.synchronize().unwrap();
    let outcomes = on_all_cores(&seeds, |&seed| outcome(seed, &pool, &residents, &device));
    let sum = |of: fn(&Outcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    let (accepted, compared) = (sum(|it| it.accepted), sum(|it| it.compared));
    let (unordered, too_large) = (sum(|it| it.unordered), sum(|it| it.too_large));
    let differing: Vec<_> = outcomes.iter().flat_map(|it| &it.differing).cloned().collect();
    println!(
        "{} specifications, {accepted} accepted, {unordered} in any order, {too_large} too large, {} lengths, {compared} reductions, {} differing",
        seeds.len(),
        lengths(MOST).count(),
        differing.len()
    );
    assert!(differing.is_empty(), "{}", differing[..differing.len().min(20)].join("\n\n"));
    assert!(10 * accepted > 8 * seeds.len() && compared > 10 * seeds.len() && 50 * too_large < seeds.len());
}

fn outcome(seed: u64, pool: &Pool, residents: &Residents, device: &Device) -> Outcome {
    let fuzzed = match Fuzzed::of_seed(seed) {
        Ok(Some(fuzzed)) => fuzzed,
        Ok(None) => return Outcome::default(),
        Err(what) => return Outcome { accepted: 1, differing: vec![what], ..Outcome::default() },
    };
    if is_unordered(&fuzzed) {
        return Outcome { accepted: 1, unordered: 1, ..Outcome::default() };
    }
    let programs = fuzzed.reference.host.programs().variants();
    if programs.iter().any(|program| check_size(program).is_err()) {
        return Outcome { accepted: 1, too_large: 1, ..Outcome::default() };
    }
    let text = &fuzzed.reference.spec.text;
    let gpu = match Reducer::new(&fuzzed.reference.spec, device) {
        Ok(gpu) => gpu,
        Err(error) => {
            let differing = vec![format!("seed {seed}: {text}\n{error}")];
            return Outcome { accepted: 1, differing, ..Outcome::default() };
        }
    };
    let mut outcome = Outcome { accepted: 1, ..Outcome::default() };
    for n in lengths(MOST) {
        let place = fuzzed.place(n);
        let host = fuzzed.reference.on_host(&fuzzed.memory(pool, place), place);
        let found = on_gpu(&fuzzed, &gpu, residents, place);
        outcome.compared += 1;
        if found != host {
            let class = fuzzed.class();
            outcome
                .differing
                .push(format!("seed {seed}: {text}\nn = {n}, {class}: host {host}, GPU {found}"));
        }
    }
    outcome
}

/// Returns whether the order of blocks affects the bits.
fn is_unordered(fuzzed: &Fuzzed) -> bool {
    let operation = fuzzed.reference.host.operation();
    let programs = fuzzed.reference.host.programs().variants();
    let atomic = programs.iter().any(|program| program.kernel(Reads::Inputs).is_atomic());
    atomic && operation.order == Order::Any && !operation.exact
}

fn on_gpu(fuzzed: &Fuzzed, gpu: &Reducer, residents: &Residents, place: Place) -> String {
    let inputs = gpu.operation().inputs.iter().enumerate();
    let views: Vec<_> = inputs
        .map(|(input, param)| {
            let start = Pool::start(input);
            residents[&(param.ty, fuzzed.class())].view(start..start + place.len())
        })
        .collect();
    let inputs = views.iter().map(View::input).map(|it| it.strided(place.first(), place.step, place.n));
    let params = subjects::params(gpu.operation());
    let outcome = gpu.reduce_device_with(&inputs.collect::<Vec<_>>(), &params);
    bits(outcome.map(|outcome| outcome.values))
}

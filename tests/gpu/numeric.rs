//! The numeric contract on a GPU: the golden bits, and the bits of random samples, which for small samples the interpreter
//! must have too.
//!
//! `scripts/gpu-run.sh numeric` runs all of it and records the output; the other runs take a part.

use super::classes::Class;
use super::data::{Resident, View};
use super::device::gpu;
use super::golden;
use super::reference::Place;
use super::rotation;
use super::sampled::{Report, Sample};
use super::samples::on_all_cores;
use super::subjects::{self, Subject};
use super::traps;
use reduce_codegen::Error as Refusal;
use reduce_lanes::Lanes;
use reduce_runtime::cudarc::driver::CudaContext;
use reduce_runtime::{Device, Error, Reducer};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The data sets of a specification, and the maximum number of elements of one, on the GPU and in the interpreter.
const SETS: usize = 16;
const MOST: usize = 20_000;
const MOST_INTERPRETED: usize = 1500;

/// A rotating third of the lines; all of them with `REDUCEGEN_FULL=1`.
#[test]
fn golden_bits() {
    let Some(device) = gpu("numeric::golden_bits") else { return };
    let lines: Vec<_> = rotation::sample(golden::stored().1, 3).collect();
    let refused = AtomicUsize::new(0);
    let differing = on_all_cores(&lines, |line| {
        let spec = line.spec();
        let elements = line.elements(&spec);
        let inputs: Vec<_> = elements.iter().map(Lanes::borrow).collect();
        let params = subjects::params(&spec.operation);
        let outcome = Reducer::new(&spec, &device).and_then(|reducer| reducer.reduce_with(&inputs, &params));
        // NVRTC would take too long, and the message says what to change.
        if matches!(&outcome, Err(Error::Codegen(Refusal::TooLarge { .. }))) {
            refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let found = subjects::bits(outcome.map(|outcome| outcome.values));
        (found != line.bits).then(|| format!("{}, n = {}: {found}, not {}", line.text, line.n, line.bits))
    });
    let differing: Vec<_> = differing.into_iter().flatten().collect();
    let refused = refused.into_inner();
    println!("{} golden lines, {refused} too large, {} differ", lines.len(), differing.len());
    assert!(100 * refused < lines.len(), "{refused} of {} are too large", lines.len());
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn random_samples() {
    let Some(device) = gpu("numeric::random_samples") else { return };
    let samples = if rotation::full() { 5000 } else { 100 };
    let (subjects, seeds): (_, Vec<u64>) = (subjects::subjects(), (0..samples).collect());
    let reports = on_all_cores(&seeds, |&seed| compared(&subjects, seed, &device));
    let report = reports.into_iter().fold(Report::default(), Report::plus);
    print!("{report}");
    assert!(report.differences.is_empty(), "{}", report.differences.join("\n"));
    assert!(report.combinations() == seeds.len() * SETS && Class::ALL.len() == report.classes());
}

fn compared(subjects: &[Subject], seed: u64, device: &Device) -> Report {
    let Sample { reference, data } = Sample::new(subjects, seed, SETS, MOST);
    let gpu = Reducer::new(&reference.spec, device).unwrap();
    let mut report = Report::of_spec();
    for data in data {
        let (memory, place) = (data.memory(&reference.spec), data.place);
        let small = place.n <= MOST_INTERPRETED;
        let interpreted = small.then(|| reference.interpreted(&memory, place)).flatten();
        let others = [("interpreter", interpreted), ("GPU", Some(on_gpu(&gpu, &memory, place)))];
        report.compare(&reference.spec, data, &reference.on_host(&memory, place), &others);
    }
    report
}

/// Returns the bits of elements on the GPU, with the first element as misaligned as on the host.
fn on_gpu(gpu: &Reducer, memory: &[Lanes], place: Place) -> String {
    let stream = CudaContext::new(0).unwrap().default_stream();
    let resident: Vec<_> = memory.iter().map(|lanes| Resident::new(&stream, lanes)).collect();
    let views: Vec<_> = resident.iter().map(|it| it.view(0..memory[0].len())).collect();
    let inputs = views.iter().map(View::input).map(|it| it.strided(place.first(), place.step, place.n));
    let params = subjects::params(gpu.operation());
    let outcome = gpu.reduce_device_with(&inputs.collect::<Vec<_>>(), &params);
    subjects::bits(outcome.map(|outcome| outcome.values))
}

/// The known bugs of other libraries, on the GPU.
#[test]
fn traps() {
    let Some(device) = gpu("numeric::traps") else { return };
    let cases = traps::cases(&traps::traps());
    let wrong = on_all_cores(&cases, |case| {
        let gpu = Reducer::new(&case.spec, &device).unwrap();
        let runs = traps::STARTS.iter().map(|&start| case.trap.memory(start));
        let found = runs.map(|(memory, place)| on_gpu(&gpu, &memory, place));
        found.map(|bits| case.wrong("GPU", &bits)).find_map(|wrong| wrong)
    });
    let wrong: Vec<_> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

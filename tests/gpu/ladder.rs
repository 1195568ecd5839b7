//! The ladder on a GPU: every rung, on several operators and types, with blocks of every size.

use super::cases;
use super::data::Kind;
use super::device::gpu;
use super::samples::{Samples, compare_on_all_cores};
use super::strided;
use reduce_codegen::Error::Refused;
use reduce_dsl::ladder::{RUNGS, Rung, Twist};
use reduce_ir::operation::{Operation, Order};
use reduce_ir::program::Program;
use reduce_ir::{Domain, Scalar, Spec};
use reduce_runtime::{Device, Reducer};

/// Accumulators of one scalar and of two, with and without an identity, of 4, 8 and 1 bytes.
const REDUCTIONS: [(&str, Scalar); 7] = [
    ("sum", Scalar::F32),
    ("sum", Scalar::I32),
    ("sum", Scalar::F64),
    ("max", Scalar::F64),
    ("argmax", Scalar::F32),
    ("min", Scalar::I64),
    ("any", Scalar::U64),
];

const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// Returns a rung for another reduction.
fn spec(rung: &Rung, (name, ty): (&str, Scalar), block: u32) -> Spec {
    let spec = cases::spec(name, ty, (rung.passes, block));
    let operation = match rung.twist {
        Twist::AnyOrder => Operation { order: Order::Any, ..spec.operation },
        Twist::StridedAbs => return Spec { domain: Domain::STRIDED, ..spec },
        Twist::None | Twist::OtherOperator | Twist::AnyLength => spec.operation,
    };
    Spec { operation, ..spec }
}

/// Returns whether the rung is a kernel for the specification. Atomics do not support every accumulator.
fn applies(spec: &Spec) -> bool {
    match reduce_codegen::compile(spec) {
        Ok(_) => true,
        Err(Refused { pass, .. }) if pass.name == "atomic" => false,
        Err(error) => panic!("{}: {error}", spec.text),
    }
}

fn specs(reductions: &[(&str, Scalar)], blocks: &[u32]) -> Vec<Spec> {
    let product = RUNGS.iter().flat_map(|rung| {
        reductions.iter().flat_map(move |&it| blocks.iter().map(move |&block| spec(rung, it, block)))
    });
    product.filter(applies).collect()
}

#[test]
fn every_rung_gives_the_bits_of_the_host() {
    let Some(device) = gpu("ladder::every_rung_gives_the_bits_of_the_host") else { return };
    compare_on_all_cores(&specs(&REDUCTIONS, &BLOCKS), &device);
}

/// The elements of the last rung are strided.
#[test]
fn strided_rungs_take_elements_that_lie_apart() {
    let Some(device) = gpu("ladder::strided_rungs_take_elements_that_lie_apart") else { return };
    let samples = Samples::new();
    for rung in RUNGS.iter().filter(|rung| rung.twist == Twist::StridedAbs) {
        for (reduction, block) in REDUCTIONS.into_iter().zip(BLOCKS) {
            let spec = spec(rung, reduction, block);
            let [gpu, host] = [&*device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap());
            for (n, turn) in [(1, 0), (33, 1), (1000, 1), (1024, 2), (1025, 3), (1001, 4)] {
                strided::compare(&samples, &spec, [&gpu, &host], n, turn);
            }
        }
    }
}

/// For compute-sanitizer: every rung, on few elements.
#[test]
fn sanitized() {
    let Some(device) = gpu("ladder::sanitized") else { return };
    let samples = Samples::new();
    for spec in specs(&REDUCTIONS[..1], &[64]).iter().chain(&specs(&REDUCTIONS[4..5], &[128])) {
        let gpu = Reducer::new(spec, &device).unwrap();
        let host = Reducer::new(spec, &Device::host()).unwrap();
        for n in [1, 33, 129, 5001] {
            samples.compare(spec, &gpu, &host, n, Kind::Plain).unwrap();
        }
    }
}

/// Lengths around the first and the second iteration of the grid-stride loop.
#[test]
fn the_grid_comes_round() {
    let Some(device) = gpu("ladder::the_grid_comes_round") else { return };
    let strides = |rung: &&Rung| rung.passes.iter().any(|pass| pass.name == "grid_stride");
    let mut met = 0;
    for rung in RUNGS.iter().filter(strides) {
        for (block, reduction) in [(32, REDUCTIONS[0]), (64, REDUCTIONS[4]), (256, REDUCTIONS[1])] {
            let spec = spec(rung, reduction, block);
            let gpu = Reducer::new(&spec, &device).unwrap();
            let host = Reducer::new(&spec, &Device::host()).unwrap();
            let round = grid_tile(gpu.programs().for_len(0));
            let lanes = Kind::Plain.lanes(reduction.1, 2 * round + 1);
            for n in [round - 1, round, round + 1, 2 * round - 1, 2 * round, 2 * round + 1] {
                let slice = [lanes.borrow().slice(0..n)];
                let (found, expected) = (gpu.reduce(&slice).unwrap(), host.reduce(&slice).unwrap());
                assert_eq!(found.values, expected.values, "{}, n = {n}", spec.text);
                met += 1;
            }
        }
    }
    assert!(met >= 5 * 3 * 6);
}

/// Returns the number of elements that the whole grid reads in one iteration.
fn grid_tile(program: &Program) -> usize {
    let plan = program.plan();
    let most = plan.launches(u64::from(u32::MAX))[0].grid;
    (most * plan.tiles()[0]) as usize
}

/// Without a GPU the rungs are still checked, and run on the host.
#[test]
fn every_rung_is_legal_with_every_block() {
    let specs = specs(&REDUCTIONS, &BLOCKS);
    // Of the seven reductions, `argmax` and `any` have no atomic.
    assert_eq!(specs.len(), (20 * 7 - 2) * 6);
    for spec in &specs {
        let lanes = Kind::Plain.lanes(spec.operation.inputs[0].ty, 3000);
        let host = Reducer::new(spec, &Device::host()).unwrap();
        assert!(host.reduce(&[lanes.borrow()]).is_ok(), "{}", spec.text);
    }
}

//! The kernels of a part leave the accumulators that the host leaves of each chunk, for positions in the whole, in the interpreter; and
//! they compile with NVRTC.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/skip.rs"]
mod skip;

use reduce_codegen::{Programs, Tuning, lower, parts};
use reduce_dsl::parse;
use reduce_interpreter::{Input, Memory, Options, Values, launch};
use reduce_ir::axes::{Dim, Nest};
use reduce_ir::program::Program;
use reduce_ir::{Spec, Value};
use reduce_lanes::Lanes;
use reduce_runtime::{View, host};

const SPECS: [&str; 8] = [
    "op: sum, ty: f32, block: 64, passes: [shuffle, coarsen(2)]",
    "op: argmax, ty: f32, block: 64, passes: [shuffle, coarsen(2), one_block, ticket, flag]",
    "op: argmin, ty: f32",
    "op: var, ty: f32, block: 32, passes: [shuffle, vectorize(4), one_block, ticket]",
    "ty: f32, op: mean, nan: ignore, block: 32, passes: [shuffle, coarsen(2)]",
    "ty: f32, index: i, map: |x| x as f64 * i as f64, op: sum, block: 64, passes: [shuffle]",
    "inputs: { x: f32, w: f64 }, params: { k: f64 }, map: |x, w| k * (x as f64) * w, op: sum, block: 64, passes: [shuffle]",
    "op: argmax, ty: f32, filter: |x| x > 0.0, block: 64, passes: [shuffle, one_block, ticket]",
];

/// Returns the elements of the inputs from a position on.
fn elements(spec: &Spec, first: u64, len: u64) -> Vec<Lanes> {
    let one = |ty, place: u64| {
        let at = |at: u64| ((first + at + place) % 1013) as f64 / 1013.0 - 0.25;
        if ty == reduce_ir::Scalar::F32 {
            return Lanes::from((0..len).map(|it| at(it) as f32).collect::<Vec<_>>());
        }
        Lanes::from((0..len).map(at).collect::<Vec<_>>())
    };
    spec.operation.inputs.iter().zip(0..).map(|(input, place)| one(input.ty, place)).collect()
}

/// Returns the accumulators that the kernel leaves of a part.
fn by_kernel(program: &Program, lanes: &[Lanes], params: &[Value], len: u64) -> Vec<Vec<Value>> {
    let lowered = lower(program).unwrap();
    let inputs: Vec<_> = lanes.iter().map(|lanes| Input::new(lanes.clone(), true)).collect();
    let first = program.plan().launches(len).swap_remove(0);
    let mut memory = Memory::new(&inputs, first.partials as usize);
    memory.results = vec![None];
    memory.elements = len;
    let mut domain = Values::new(&program.operation);
    let options = Options::FORWARD.with(params);
    let launched =
        launch(&program.operation, &lowered.kernels[0], &mut domain, memory, first.grid, len, options);
    assert_eq!(launched.reports, [], "{program}");
    let left = if first.is_last { launched.memory.results } else { launched.memory.partials };
    left.into_iter().map(|acc| domain.get(acc.unwrap())).collect()
}

/// Returns the accumulators that the host leaves.
fn by_host(spec: &Spec, lanes: &[Lanes], params: &[Value], [first, len, total]: [u64; 3]) -> Vec<Vec<Value>> {
    let programs = Programs::of(spec, Tuning::DEFAULT).unwrap();
    let association = programs.for_len(total).association();
    let views: Vec<_> = lanes.iter().map(|lanes| View::new(lanes.borrow(), [len as usize])).collect();
    let reduced = vec![Dim { length: len, steps: vec![1; lanes.len()] }];
    let nest = Nest { kept: Vec::new(), reduced, result: Vec::new(), along: Vec::new() };
    let chunk = association.chunk().unwrap();
    let part = host::Part { views: &views, nest: &nest, params, first, chunk };
    let fields = host::Plan::new(&spec.operation).unwrap().partials(&association, part).unwrap();
    (0..fields[0].len()).map(|at| fields.iter().map(|field| field.get(at)).collect()).collect()
}

fn params(spec: &Spec) -> Vec<Value> {
    spec.operation.params.iter().map(|_| Value::of(0.7f64)).collect()
}

#[test]
fn kernels_of_parts_leave_the_accumulators_of_the_host() {
    for text in SPECS {
        let spec = parse::spec(text).unwrap();
        for tuning in [Tuning::DEFAULT, Tuning::of(90)] {
            let total = 40_000;
            let chunk =
                Programs::of(&spec, Tuning::DEFAULT).unwrap().for_len(total).association().chunk().unwrap();
            let program = parts::of_part(&spec, tuning, total).unwrap().unwrap();
            for (first, len) in [(chunk, 3 * chunk + chunk / 2 + 1), (2 * chunk, chunk), (chunk, chunk / 3)] {
                let lanes = elements(&spec, first, len);
                let given = params(&spec);
                let mut all = given.clone();
                if spec.operation.is_indexed() {
                    all.push(Value::of(first));
                }
                let found = by_kernel(&program, &lanes, &all, len);
                assert_eq!(
                    found,
                    by_host(&spec, &lanes, &given, [first, len, total]),
                    "{text}, {len} from {first}"
                );
            }
        }
    }
}

#[test]
fn passes_that_leave_no_accumulators_of_chunks_are_known() {
    let cluster = parse::spec("op: sum, ty: f32, block: 64, passes: [shuffle, cluster(4)]").unwrap();
    let program = parts::of_part(&cluster, Tuning::of(90), 10_000).unwrap();
    // A cluster leaves one accumulator of several tiles, as its association says.
    let chunk = Programs::of(&cluster, Tuning::DEFAULT).unwrap().for_len(10_000).association().chunk();
    assert!(program.is_none_or(|program| program.association().chunk() == chunk));
}

#[cfg(feature = "cuda")]
#[test]
fn kernels_of_parts_compile() {
    use reduce_runtime::{Architecture, Nvrtc, Target};
    let test = "kernels_of_parts_compile";
    let Some(nvrtc) = skip::needed(test, "REDUCEGEN_REQUIRE_NVRTC", Nvrtc::get()) else { return };
    for text in SPECS {
        let spec = parse::spec(text).unwrap();
        for (number, total) in [(75, 1 << 20), (90, 1 << 30), (90, 40_000), (100, 1 << 24)] {
            let program = parts::of_part(&spec, Tuning::of(number), total).unwrap().unwrap();
            let target = Target::Cubin(Architecture::from_number(number));
            let image =
                nvrtc.compile_program(&program, target).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(!image.log.contains("warning"), "{text}: {}", image.log);
        }
    }
}

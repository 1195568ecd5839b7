//! Every emitted program of the tests compiles to cubins for four architectures, without a warning and without a spill.
//! Vector loads stay vector loads.
//!
//! Needs NVRTC, but no GPU. Without NVRTC each test prints that it is skipped, and why; with `REDUCEGEN_REQUIRE_NVRTC=1` it
//! fails instead.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(feature = "cuda")]

mod cases;
#[path = "../reduce-codegen/tests/support/operations.rs"]
#[allow(dead_code, reason = "nothing is computed here")]
mod operations;
#[path = "../reduce-codegen/tests/support/random.rs"]
#[allow(dead_code, reason = "nothing is executed here")]
mod random;
#[path = "support/rotation.rs"]
mod rotation;
#[path = "support/skip.rs"]
mod skip;
#[path = "support/splitmix.rs"]
mod splitmix;

use cases::{FLAGSHIP, LISTS, auto, spec};
use random::{Case, Random};
use rayon::prelude::*;
use reduce_codegen::keys::Keyed;
use reduce_codegen::runs::Heads;
use reduce_codegen::segments::Segmented;
use reduce_codegen::{Programs, Tuning, cuda, stages};
use reduce_dsl::ladder::{RUNGS, Rung};
use reduce_dsl::operators::operator;
use reduce_ir::passes;
use reduce_ir::program::Program;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec};
use reduce_runtime::{Architecture, Nvrtc, Target};
use rotation::{full, sample, turn};
use skip::needed;

const ARCHITECTURES: [u32; 4] = [75, 80, 90, 100];

/// Returns the compiler, or `None` after printing why it is missing.
fn nvrtc(test: &str) -> Option<&'static Nvrtc> {
    needed(test, "REDUCEGEN_REQUIRE_NVRTC", Nvrtc::get())
}

/// Returns a rotating sample of the stages of `auto`, of the rungs of the ladder and of a sample of the programs of the tests: each for
/// one architecture in turn. With `REDUCEGEN_FULL=1`, all programs for all architectures.
fn jobs() -> Vec<(Program, u32)> {
    let compile = |spec: &Spec| reduce_codegen::compile(spec).unwrap();
    let flagship = stages(&auto("sum", Scalar::F32)).unwrap().into_iter().map(|stage| stage.program);
    let sum = operator("sum").unwrap();
    let rung = |rung: &Rung| compile(&rung.spec(sum, Scalar::F32, 1 << 20, 256).unwrap());
    let flagship = flagship.chain(RUNGS.iter().map(rung)).collect::<Vec<_>>();
    let shown = cases::shown().into_iter().map(|(name, ty, list)| spec(name, ty, LISTS[list]));
    // An operator on a type has 31 cases, so every 296th case has another list each time.
    let programs = sample(shown, 40).chain(sample(cases::all(), 2000)).map(|spec| compile(&spec));
    let in_turn = flagship
        .into_iter()
        .chain(programs)
        .enumerate()
        .flat_map(|(place, program)| architectures(place).map(move |number| (program.clone(), number)));
    let tuned = ARCHITECTURES.into_iter().flat_map(|number| {
        let cases = Programs::of(&auto("argmax", Scalar::F32), Tuning::of(number)).unwrap();
        cases.variants().iter().map(|program| (program.clone(), number)).collect::<Vec<_>>()
    });
    sample(in_turn.chain(tuned), 10).map(|(program, number)| at_least(program, number)).collect()
}

/// Returns the architectures of a program by its place: one, which is another in the next turn, or all.
fn architectures(place: usize) -> impl Iterator<Item = u32> {
    let shift = if full() { 0 } else { place + turn() };
    let count = if full() { ARCHITECTURES.len() } else { 1 };
    ARCHITECTURES.into_iter().cycle().skip(shift % ARCHITECTURES.len()).take(count)
}

/// Replaces the architecture by the first one that supports the program, if it is too old.
fn at_least(program: Program, number: u32) -> (Program, u32) {
    let least = program.capability();
    (program, number.max(least))
}

/// Returns the number of registers for the accumulators of a thread.
fn registers(program: &Program) -> usize {
    let fold = program.kernels[0].fold();
    program.operation.acc.words() * (fold.lanes * fold.rows()) as usize
}

/// The maximum number of accumulator registers, of 255, without a spill. Lists of passes may ask for more; `auto` does not.
const MOST_REGISTERS: usize = 128;

/// Returns the problem of a program on an architecture.
fn complaint(nvrtc: &Nvrtc, program: &Program, number: u32) -> Option<String> {
    let target = Target::Cubin(Architecture::from_number(number));
    let image = match nvrtc.compile_program(program, target) {
        Ok(image) => image,
        Err(error) => return Some(error.to_string()),
    };
    let spills = image.resources.iter().any(|it| it.spill_stores + it.spill_loads > 0);
    let spills = spills && registers(program) <= MOST_REGISTERS;
    let fits = image.resources.iter().all(|it| it.registers * program.block <= 65536);
    let wrong = spills
        || !fits
        || image.log.contains("warning")
        || image.resources.len() != if program.has_one_launch() { 1 } else { 2 };
    wrong.then(|| format!("sm_{number}: {}\n{program}", image.log))
}

#[test]
fn every_program_compiles_without_warnings_or_spills() {
    let Some(nvrtc) = nvrtc("every_program_compiles_without_warnings_or_spills") else { return };
    let jobs = jobs();
    let complaints: Vec<_> =
        jobs.par_iter().filter_map(|(program, number)| complaint(nvrtc, program, *number)).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), jobs.len(), complaints[0]);
    println!("{} cubins", jobs.len());
    assert!(jobs.len() >= 8, "{}", jobs.len());
}

/// A rotating part, each for one architecture; with `REDUCEGEN_FULL=1` all for every architecture.
#[test]
fn every_operation_on_every_type_compiles_without_warnings() {
    let Some(nvrtc) = nvrtc("every_operation_on_every_type_compiles_without_warnings") else { return };
    let specs = cases::operations::all();
    let sampled = sample(specs.iter().enumerate(), 200);
    let jobs: Vec<_> =
        sampled.flat_map(|(place, spec)| architectures(place).map(move |it| (spec, it))).collect();
    let complaint = |&(spec, number): &(&Spec, u32)| {
        complaint(nvrtc, &reduce_codegen::compile(spec).unwrap(), number)
            .map(|it| format!("{}: {it}", spec.text))
    };
    let complaints: Vec<_> = jobs.par_iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), jobs.len(), complaints[0]);
    println!("{} operations on types, {} cubins", specs.len(), jobs.len());
    assert!(specs.len() > 350);
}

/// The functions of the library, several copies in a thread: each for one architecture in turn.
#[test]
fn functions_of_the_library_compile_without_warnings_or_spills() {
    let Some(nvrtc) = nvrtc("functions_of_the_library_compile_without_warnings_or_spills") else { return };
    let calls = "exp2() log2() exp_m1() ln_1p() sin() cos() tanh() hypot(0.5) tan() powf(0.5) atan2(0.5)";
    let text = |ty: &str, call: &str| {
        format!("ty: {ty}, map: |x| x.{call}, op: sum, passes: [shuffle, coarsen(2), vectorize(4), unroll]")
    };
    let single = calls.split(' ').map(|call| text("f32", call));
    let double = calls.split(' ').take(8).map(|call| text("f64", call));
    let texts: Vec<_> = single.chain(double).enumerate().collect();
    let complaint = |(place, text): &(usize, String)| {
        let spec = reduce_dsl::parse::text(text, None).unwrap().spec;
        let program = reduce_codegen::compile(&spec).unwrap();
        architectures(*place).find_map(|number| complaint(nvrtc, &program, number))
    };
    let complaints: Vec<_> = texts.par_iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), texts.len(), complaints[0]);
}

/// Ordered operations, `fold`, params and structs of many fields: a rotating sample of the lists that accept them.
#[test]
fn what_only_closures_say_compiles() {
    let Some(nvrtc) = nvrtc("what_only_closures_say_compiles") else { return };
    let subjects = operations::ordered().into_iter().chain(operations::folded());
    let specs = subjects.flat_map(|subject| {
        let spec = |passes, block| Spec {
            operation: subject.operation.clone(),
            domain: Domain::WHOLE,
            axes: None,
            defaults: Vec::new(),
            text: subject.operation.name.clone(),
            block,
            passes,
        };
        let lists = LISTS.map(|(passes, block)| spec(Passes::List(passes.to_vec()), Some(block)));
        lists.into_iter().chain([spec(Passes::Auto, None)]).collect::<Vec<_>>()
    });
    let programs: Vec<_> =
        sample(specs, 120).filter_map(|spec| reduce_codegen::compile(&spec).ok()).collect();
    let numbers = ARCHITECTURES.into_iter().cycle();
    let jobs: Vec<_> =
        programs.into_iter().zip(numbers).map(|(program, number)| at_least(program, number)).collect();
    let complaints: Vec<_> =
        jobs.par_iter().filter_map(|(program, number)| complaint(nvrtc, program, *number)).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), jobs.len(), complaints[0]);
    assert!(jobs.len() > 1, "{}", jobs.len());
}

/// Structs of one field, in functions that return a scalar parameter unchanged.
#[test]
fn structs_of_one_field_compile() {
    let Some(nvrtc) = nvrtc("structs_of_one_field_compile") else { return };
    let specs: Vec<Spec> = Scalar::ALL.into_iter().flat_map(of_one_field).collect();
    let complaint = |spec: &Spec| {
        complaint(nvrtc, &reduce_codegen::compile(spec).unwrap(), 90).map(|it| format!("{}: {it}", spec.text))
    };
    let specs: Vec<_> = sample(specs, 60).collect();
    let complaints: Vec<_> = specs.par_iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), specs.len(), complaints[0]);
}

/// Returns specifications with an input, a param, the position, the step or the number of elements as the only field.
fn of_one_field(ty: Scalar) -> Vec<Spec> {
    let own = format!("acc: One {{ v: {} }}", ty.compute());
    let param = format!("params: {{ k: {} }}", ty.compute());
    let last = "op: |_a, b| b, identity: none";
    let texts = [
        format!("ty: {ty}, {own}, map: |x| One {{ v: x }}, {last}"),
        format!("ty: {ty}, {own}, map: |x| One {{ v: x }}, fold: |_acc, x| One {{ v: x }}, {last}"),
        format!("ty: {ty}, {param}, {own}, map: |_x| One {{ v: k }}, {last}"),
        format!("ty: {ty}, {param}, {own}, map: |x| One {{ v: x }}, {last}, finish: |_r| One {{ v: k }}"),
        format!("ty: {ty}, index: i, acc: One {{ v: u64 }}, map: |_x| One {{ v: i }}, {last}"),
        format!("ty: {ty}, {own}, map: |x| One {{ v: x }}, {last}, finish: |_r, n| Count {{ n: n }}"),
    ];
    let lists = ["auto", "[]", "[shuffle, coarsen(4), vectorize(2), unroll]", "[shuffle, one_block, ticket]"];
    let spec =
        |text: &String, list: &str| reduce_dsl::parse::spec(&format!("{text}, passes: {list}")).unwrap();
    texts.iter().flat_map(|text| lists.map(|list| spec(text, list))).collect()
}

/// Random lists of passes, others each day, for one architecture each; with `REDUCEGEN_FULL=1` twenty times more lists.
#[test]
fn random_lists_compile() {
    let Some(nvrtc) = nvrtc("random_lists_compile") else { return };
    let seeds = if full() { 0..2000 } else { turn() as u64 * 50..(turn() as u64 + 1) * 50 };
    // A block of one warp, whose partials become 64-bit only where they are read.
    let alone = passes![shuffle, narrow_index, one_block, ticket, flag];
    let alone = spec("argmax", Scalar::F32, (&alone, 32));
    let random = seeds.map(|seed| Case::new(&mut Random::new(seed)).spec());
    let jobs: Vec<_> = [alone].into_iter().chain(random).zip(ARCHITECTURES.into_iter().cycle()).collect();
    let complaint = |(spec, number): &(Spec, u32)| {
        let (program, number) = at_least(reduce_codegen::compile(spec).unwrap(), *number);
        let target = Target::Cubin(Architecture::from_number(number));
        nvrtc.compile_program(&program, target).err().map(|error| format!("{error}\n{program}"))
    };
    let complaints: Vec<_> = jobs.par_iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), jobs.len(), complaints[0]);
}

/// Returns the PTX of a specification for sm_90.
fn ptx(nvrtc: &Nvrtc, spec: &Spec) -> String {
    let text = cuda(&reduce_codegen::compile(spec).unwrap()).unwrap();
    let image = nvrtc.compile(&text, Target::Ptx(Architecture::from_number(90))).unwrap();
    String::from_utf8(image.bytes).unwrap()
}

/// Counts 128-bit loads from global memory in PTX.
fn wide_loads(ptx: &str) -> usize {
    ptx.lines()
        .filter(|line| {
            line.contains("ld.global")
                && (line.contains(".v4.") && line.contains("32")
                    || line.contains(".v2.") && line.contains("64"))
        })
        .count()
}

#[test]
fn vectors_are_loaded_16_bytes_at_a_time() {
    let Some(nvrtc) = nvrtc("vectors_are_loaded_16_bytes_at_a_time") else { return };
    let four = spec("sum", Scalar::F32, (&passes![shuffle, vectorize(4)], 256));
    assert_eq!(wide_loads(&ptx(nvrtc, &four)), 1);
    // A full tile has four loads in flight. A partial tile has four for four rows at once, and one where fewer are left.
    let by_rows = 4 + 4 + 1;
    assert_eq!(wide_loads(&ptx(nvrtc, &spec("sum", Scalar::F32, FLAGSHIP))), by_rows);
    for ty in Scalar::ALL.into_iter().filter(|&ty| operator("max").unwrap().takes(ty)) {
        assert_eq!(wide_loads(&ptx(nvrtc, &auto("max", ty))), by_rows, "{ty}");
    }
}

#[test]
fn kernels_fit_the_registers_of_their_block() {
    let Some(nvrtc) = nvrtc("kernels_fit_the_registers_of_their_block") else { return };
    let hungry = passes![shuffle, vectorize(16), coarsen(4), unroll];
    let program = reduce_codegen::compile(&spec("argmax", Scalar::F32, (&hungry, 1024))).unwrap();
    let target = Target::Cubin(Architecture::from_number(90));
    let most = |image: reduce_runtime::Image| image.resources.iter().map(|it| it.registers).max().unwrap();
    assert!(most(nvrtc.compile(&cuda(&program).unwrap(), target).unwrap()) > 64, "the case is not hungry");
    assert!(most(nvrtc.compile_program(&program, target).unwrap()) <= 64);
}

/// `finish` selects `empty` by a flag of the accumulator, by a marker of the result, or not at all.
#[test]
fn kernels_with_empty_compile() {
    let Some(nvrtc) = nvrtc("kernels_with_empty_compile") else { return };
    let texts = [
        "ty: f32, op: sum, nan: ignore, empty: -5.0",
        "ty: f16, op: max, filter: |x| x > 0.0, empty: f32::NAN",
        "ty: f32, op: findmin, nan: ignore, empty: Best { value: f32::NEG_INFINITY, index: 8 }",
        "ty: f32, op: argmax, nan: ignore, finish: |p| p as i8, empty: i8::MIN",
        "ty: i64, op: mean, axes: i j -> j, filter: |x| x > 0, empty: 0.5",
    ];
    texts.into_par_iter().for_each(|text| {
        let program = reduce_codegen::compile(&reduce_dsl::parse::spec(text).unwrap()).unwrap();
        let image = nvrtc.compile_program(&program, Target::Cubin(Architecture::from_number(90)));
        assert!(image.is_ok(), "{text}: {:?}", image.err());
    });
}

/// Kernels that find runs, and kernels over keys: tables of threads, of warps, of blocks and in memory.
#[test]
fn keys_compile_without_warnings() {
    let Some(nvrtc) = nvrtc("keys_compile_without_warnings") else { return };
    let specs = [
        "op: sum, ty: f32, by: { key: u32 }, groups: 64",
        "op: var, ty: f64, by: { key: i8 }, groups: 100, others: drop",
        "op: sum, ty: i32, by: { key: u64 }, groups: 8192",
        "op: argmax, ty: f16, by: { key: u16 }, groups: 2000",
        "ty: f32, by: |x| (x * 9.0) as u32, groups: 100000, map: |x| x, op: max",
        "ty: i64, by: |x| x as u32, groups: 100000, map: |x| x, op: sum",
    ];
    let architecture = ARCHITECTURES[turn() % ARCHITECTURES.len()];
    let mut texts: Vec<_> = specs
        .iter()
        .map(|spec| Keyed::of(&reduce_dsl::parse::spec(spec).unwrap()).unwrap().cuda().unwrap())
        .collect();
    for (key, offsets) in [(Scalar::F32, Scalar::U32), (Scalar::I8, Scalar::U64)] {
        let heads = Heads::of(key, offsets).unwrap();
        texts.push(heads.cuda().unwrap());
    }
    let counted = Segmented::of(
        &reduce_dsl::parse::spec("op: sum, ty: f32, segments: u32").unwrap(),
        Scalar::U32,
        Tuning::of(90),
        u64::MAX,
    );
    texts.push(counted.unwrap().counted().cuda().unwrap());
    let target = Target::Cubin(Architecture::from_number(architecture.max(90)));
    let complaint = |text: &String| {
        let image = nvrtc.compile(text, target);
        image.map_or_else(
            |error| Some(error.to_string()),
            |image| image.log.contains("warning").then_some(image.log),
        )
    };
    let complaints: Vec<_> = texts.par_iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), texts.len(), complaints[0]);
}

/// Kernels over segments, of operators with accumulators of each kind.
#[test]
fn segments_compile_without_warnings() {
    let Some(nvrtc) = nvrtc("segments_compile_without_warnings") else { return };
    let specs = [
        "op: sum, ty: f32",
        "op: argmax, ty: f64",
        "op: min, ty: i8",
        "op: describe, ty: f32",
        "op: first, ty: u16",
    ];
    let forms = specs.iter().flat_map(|spec| ["segments", "columns", "runs"].map(|form| (spec, form)));
    let jobs: Vec<_> =
        sample(forms, 2).zip(ARCHITECTURES.into_iter().cycle().skip(turn() % ARCHITECTURES.len())).collect();
    let complaint = |&((spec, form), number): &((&&str, &str), u32)| {
        let spec = reduce_dsl::parse::spec(&format!("{spec}, segments: u32")).unwrap();
        let domain = if form == "columns" { Segmented::COLUMNS } else { Domain::ROWS };
        let spec = Spec { domain, ..spec };
        let offsets = [Scalar::U32, Scalar::U64][turn() % 2];
        let program = Segmented::of(&spec, offsets, Tuning::of(number), u64::MAX).unwrap();
        let target = Target::Cubin(Architecture::from_number(number.max(program.capability()).max(70)));
        // As `reducegen emit` prints runs: one file.
        let cuda = match form {
            "runs" => {
                let heads = Heads::of(Scalar::F32, offsets).unwrap().cuda().unwrap();
                heads + &program.counted().cuda().unwrap()
            }
            _ => program.cuda().unwrap(),
        };
        let image = nvrtc.compile(&cuda, target);
        image.map_or_else(
            |error| Some(error.to_string()),
            |image| image.log.contains("warning").then_some(image.log),
        )
    };
    let complaints: Vec<_> = jobs.par_iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), jobs.len(), complaints[0]);
}

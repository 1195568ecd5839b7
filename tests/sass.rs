//! The tuned kernels, checked without a GPU: the registers of each variant of `auto`, the absence of spills, and the
//! machine code of the loop over elements. A change that loses vector loads, spills, or takes more registers shows in the
//! snapshot.
//!
//! Needs NVRTC and nvdisasm of the wheels that `.ci/run` installs. Without them the test prints that it is skipped, and
//! why; with `REDUCEGEN_REQUIRE_NVRTC=1` it fails instead. It is also skipped for another NVRTC, because each version
//! allocates registers differently.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(feature = "cuda")]

mod cases;
#[path = "support/rotation.rs"]
#[allow(dead_code, reason = "rows are counted here")]
mod rotation;
#[path = "sass/sass.rs"]
mod sass;
#[path = "support/skip.rs"]
mod skip;

use cases::auto;
use rayon::prelude::*;
use reduce_codegen::{Programs, Tuning};
use reduce_ir::Scalar;
use reduce_ir::passes;
use reduce_ir::program::Program;
use reduce_runtime::{Architecture, Nvrtc, Target};
use sass::{Disassembler, Loop};
use skip::{needed, skipped};

/// The snapshot, and the parts of which a run compiles one.
const TUNED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/tuned.snap");
const PARTS: usize = 72;

/// The compiler for which the snapshot holds.
const VERSION: &str = "V13.0.88";

/// The operators and types of the snapshot.
const KERNELS: [(&[&str], &[Scalar]); 4] = [
    (
        &[
            "sum",
            "max",
            "minmax",
            "dot",
            "sum_of_squares",
            "norm_inf",
            "argmax",
            "var",
            "logsumexp",
            "describe",
        ],
        &[Scalar::F32],
    ),
    (&["sum", "max"], &[Scalar::F16, Scalar::Bf16, Scalar::I8, Scalar::U8]),
    (&["sum", "max", "argmax"], &[Scalar::F64, Scalar::I64]),
    (&["argmax"], &[Scalar::I8]),
];

/// The limits of a multiprocessor: registers, threads and blocks. They are the same on sm_80 and sm_90. The last constant
/// is the unit in which a warp's registers are allocated (CUDA C++ Programming Guide, technical specifications).
const REGISTERS: u32 = 65536;
const THREADS: u32 = 2048;
const BLOCKS: u32 = 32;
const REGISTERS_AT_ONCE: u32 = 256;

/// A variant of `auto` on an architecture.
struct Job {
    name: String,
    number: u32,
    program: Program,
}

/// Returns every variant on sm_90 and, on sm_80, which has no clusters, the variants for many elements.
fn jobs() -> Vec<Job> {
    let subjects = KERNELS.iter().flat_map(|&(names, types)| {
        types.iter().flat_map(move |&ty| names.iter().map(move |&name| (name, ty)))
    });
    let of = |(name, ty): (&str, Scalar), number: u32| {
        let programs = Programs::of(&auto(name, ty), Tuning::of(number)).unwrap();
        let all = programs.variants().len();
        let skipped = if number < 90 { all - 2 } else { 0 };
        let job = |program: &Program| {
            let most = program.up_to.map_or("any n".to_owned(), |n| format!("n to {n}"));
            Job { name: format!("sm_{number} {name} {ty}, {most}"), number, program: program.clone() }
        };
        programs.variants().iter().skip(skipped).map(job).collect::<Vec<_>>()
    };
    subjects.flat_map(|subject| [90, 80].map(|number| of(subject, number))).flatten().collect()
}

/// Returns the compiler and the disassembler next to it. If they are missing or of another version, prints that and returns
/// `None`.
fn tools(test: &str) -> Option<(&'static Nvrtc, Disassembler)> {
    let nvrtc = Nvrtc::get().map_err(|error| error.to_string());
    let tools = nvrtc.and_then(|nvrtc| Ok((nvrtc, Disassembler::for_library(nvrtc.path())?)));
    let (nvrtc, disassembler) = needed(test, "REDUCEGEN_REQUIRE_NVRTC", tools)?;
    let ptx = nvrtc.compile("", Target::Ptx(Architecture::from_number(90))).unwrap().bytes;
    if String::from_utf8(ptx).unwrap().contains(VERSION) {
        return Some((nvrtc, disassembler));
    }
    skipped(test, format!("{} is not the {VERSION} that the snapshot is of", nvrtc.path().display()));
    None
}

/// Returns a row of the table.
fn row(job: &Job, nvrtc: &Nvrtc, disassembler: &Disassembler) -> String {
    let Job { name, number, program } = job;
    let image = nvrtc.compile_program(program, Target::Cubin(Architecture::from_number(*number))).unwrap();
    assert_eq!(image.resources.len(), 1, "{name}: {}", image.log);
    let it = &image.resources[0];
    let spilled = it.spill_stores + it.spill_loads;
    assert_eq!(spilled, 0, "{name} spills: {}", image.log);
    let text = disassembler.text(name, &image.bytes);
    let dependent = program.kernels[0].dependent;
    assert_eq!(sass::wait_first(&text), [dependent], "{name} waits for the previous launch");
    let (loads, instructions) = match Loop::main(&text) {
        Some(main) => {
            let bytes: usize = program.operation.inputs.iter().map(|input| input.ty.size()).sum();
            let elements = (main.loads * 16) as f64 / bytes as f64;
            (main.loads, format!("{:.2}", main.instructions as f64 / elements))
        }
        None => (sass::loads(&text), "no loop".to_owned()),
    };
    assert!(loads > 0, "{name} has no vector loads");
    let blocks = resident(it.registers, program.block);
    assert!(blocks > 0, "{name} takes {} registers", it.registers);
    let resident = format!("{blocks} x {}", program.block);
    format!("{name:<40}{:>9}{spilled:>7}{resident:>10}{loads:>7}{instructions:>14}\n", it.registers)
}

/// Returns the number of blocks that the registers of a multiprocessor allow.
fn resident(registers: u32, block: u32) -> u32 {
    let of_warp = (registers * Program::WARP).next_multiple_of(REGISTERS_AT_ONCE);
    let warps = block.div_ceil(Program::WARP);
    (REGISTERS / (of_warp * warps)).min(THREADS / block).min(BLOCKS)
}

/// Also for two kernels, strided elements, trees in place, and trees that end in an atomic. A rotating third of them.
#[test]
fn dependent_kernels_wait_before_they_touch_memory() {
    let Some((nvrtc, disassembler)) = tools("dependent_kernels_wait_before_they_touch_memory") else {
        return;
    };
    let autos = [auto("first", Scalar::I64), cases::strided(auto("dot", Scalar::F16))];
    let lists = [&[][..], &passes![in_place], &passes![shuffle, atomic], &passes![vectorize(4), cluster(2)]];
    let lists = lists.map(|list| {
        let passes = [list, &passes![dependent, trigger]].concat();
        cases::spec("max", Scalar::I32, (&passes, 64))
    });
    let specs = autos.iter().map(|spec| (spec, 90)).chain(lists.iter().map(|spec| (spec, 100)));
    let programs = specs.flat_map(|(spec, number)| {
        let name = format!("sm_{number} {}", spec.operation.name);
        let programs = Programs::of(spec, Tuning::of(number)).unwrap();
        programs.variants().iter().map(|it| (name.clone(), number, it.clone())).collect::<Vec<_>>()
    });
    let programs: Vec<_> = rotation::sample(programs.enumerate(), 3).collect();
    let kernels = programs.par_iter().map(|(place, (name, number, program))| {
        let target = Target::Cubin(Architecture::from_number(*number));
        let image = nvrtc.compile_program(program, target).unwrap();
        let waits = sass::wait_first(&disassembler.text(&format!("{name} {place}"), &image.bytes));
        assert!(
            waits.len() == image.resources.len() && waits.iter().all(|waits| *waits),
            "{name}: {program}"
        );
        waits.len()
    });
    let kernels: usize = kernels.sum();
    assert!(kernels >= 5, "{kernels}");
}

/// A rotating part of the kernels is compiled; all of them with `REDUCEGEN_FULL=1`, and those that the snapshot lacks.
#[test]
fn tuned_kernels_are_as_tuned() {
    let Some((nvrtc, disassembler)) = tools("tuned_kernels_are_as_tuned") else { return };
    let jobs = jobs();
    let stored = std::fs::read_to_string(TUNED).unwrap();
    let known = |job: &Job| stored.lines().find(|line| line.starts_with(&format!("{:<40}", job.name)));
    let turn = rotation::turn();
    let measured = |(place, job): (usize, &Job)| match known(job) {
        Some(line) if !rotation::full() && !(place + turn).is_multiple_of(PARTS) => format!("{line}\n"),
        _ => row(job, nvrtc, &disassembler),
    };
    let rows: Vec<_> = jobs.par_iter().enumerate().map(measured).collect();
    let head = format!(
        "NVRTC {VERSION}. Loads are of 16 bytes: in the loop over elements, or where there is none in the kernel.\n\n\
         {:<40}registers spilled  resident  loads  instructions\n{:<40}{:>9}{:>7}{:>10}{:>7}{:>14}\n",
        "case", "", "", "bytes", "", "", "per element"
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("tuned", head + &rows.concat()));
}

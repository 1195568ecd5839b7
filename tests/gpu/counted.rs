//! Kernels whose interpreter counts are compared with the counters of a GPU. `scripts/ncu.sh` runs this test under the
//! profiler.
//!
//! `REDUCEGEN_COUNTS=FILE` writes the expected counts to a file, a line for each launch in the order of the launches.

use super::cases;
use super::data::{Kind, Resident};
use super::device::gpu;
use reduce_codegen::{compile, lower};
use reduce_interpreter::{Counts, LaunchCounts, Options, Provenance, Shapes, run};
use reduce_ir::operation::{Operation, Order};
use reduce_ir::pass::Pass;
use reduce_ir::passes;
use reduce_ir::{Scalar, Spec};
use reduce_runtime::cudarc::driver::CudaContext;
use reduce_runtime::{Device, Reducer};
use std::fmt::Write;

/// A reduction of n elements, which begin at an aligned address or one element after it.
struct Case {
    passes: &'static [Pass],
    block: u32,
    op: &'static str,
    ty: Scalar,
    n: usize,
    aligned: bool,
    /// The reason why a GPU counts shared loads differently, or an empty string.
    because: &'static str,
}

/// ptxas merges loads of neighbours in shared memory into one instruction of twice the width if the stride is 1 and the
/// address even, as `cuobjdump --dump-sass` shows. Then there are fewer wavefronts and conflicts than the statements
/// require.
const MERGED: &str = "merged loads";
/// The result is one field of the root, so ptxas drops the load of the other.
const UNUSED: &str = "unused field";
/// The wavefronts agree. For sparse loads of 8 bytes, the profiler's conflicts include the second half of the warp, which
/// always has a wavefront of its own.
const HALVES: &str = "half-warps";

const fn sum(passes: &'static [Pass], block: u32, ty: Scalar, n: usize) -> Case {
    Case { passes, block, op: "sum", ty, n, aligned: true, because: "" }
}

const fn differs(because: &'static str, case: Case) -> Case {
    Case { because, ..case }
}

const fn misaligned(case: Case) -> Case {
    Case { aligned: false, ..case }
}

const fn argmax(case: Case) -> Case {
    Case { op: "argmax", ..case }
}

/// The kernels of the rungs, elements of 2, 4 and 8 bytes and records, tails, and misaligned addresses.
const CASES: [Case; 31] = [
    sum(&passes![serial], 32, Scalar::F32, 100),
    sum(&passes![in_place], 256, Scalar::F32, 1000),
    sum(&passes![in_place, sequential], 256, Scalar::F32, 1000),
    sum(&[], 256, Scalar::F32, 2048),
    sum(&passes![bitmask], 256, Scalar::F32, 2048),
    differs(MERGED, sum(&passes![strided_index], 256, Scalar::F32, 2048)),
    differs(MERGED, sum(&passes![strided_index], 1024, Scalar::F32, 3000)),
    sum(&passes![sequential], 256, Scalar::F32, 2048),
    sum(&passes![sequential], 512, Scalar::F32, 1777),
    sum(&passes![coarsen(2), sequential], 256, Scalar::F32, 4096),
    differs(MERGED, sum(&passes![coarsen(2), sequential, last_warp], 256, Scalar::F32, 4096)),
    differs(MERGED, sum(&passes![coarsen(2), sequential, last_warp, unroll], 256, Scalar::F32, 4099)),
    differs(MERGED, sum(&passes![grid_stride(3), sequential, last_warp, unroll], 256, Scalar::F32, 4096)),
    sum(&passes![grid_stride(3), shuffle], 256, Scalar::F32, 4096),
    sum(&passes![grid_stride(3), shuffle, unroll], 256, Scalar::F32, 4000),
    sum(&passes![vectorize(4), shuffle, unroll], 256, Scalar::F32, 4096),
    sum(&passes![grid_stride(2), vectorize(8), shuffle, unroll], 256, Scalar::F32, 10_000),
    misaligned(sum(&passes![vectorize(4), shuffle, unroll], 256, Scalar::F32, 4096)),
    misaligned(sum(&passes![shuffle], 256, Scalar::F32, 1024)),
    sum(&passes![coarsen(2), sequential, atomic], 256, Scalar::I32, 4096),
    sum(&passes![coarsen(8), sequential], 256, Scalar::F32, 8000),
    differs(HALVES, sum(&[], 256, Scalar::F64, 1024)),
    sum(&passes![sequential], 256, Scalar::F64, 1024),
    differs(MERGED, sum(&passes![strided_index], 256, Scalar::F64, 1024)),
    differs(MERGED, sum(&passes![strided_index], 256, Scalar::I64, 1024)),
    sum(&passes![vectorize(2), shuffle], 256, Scalar::F64, 2048),
    sum(&passes![sequential], 256, Scalar::F16, 1024),
    differs(UNUSED, argmax(sum(&passes![strided_index], 256, Scalar::F32, 1024))),
    differs(UNUSED, argmax(sum(&passes![sequential], 256, Scalar::F32, 1000))),
    argmax(sum(&passes![shuffle], 256, Scalar::F32, 1000)),
    Case { op: "max", ..sum(&passes![shuffle, coarsen(4), unroll], 512, Scalar::I32, 5000) },
];

impl Case {
    fn spec(&self) -> Spec {
        let spec = cases::spec(self.op, self.ty, (self.passes, self.block));
        let order = if self.passes.contains(&Pass::plain("atomic")) { Order::Any } else { Order::Fixed };
        Spec { operation: Operation { order, ..spec.operation }, ..spec }
    }

    /// Returns the interpreter's counts of each launch.
    fn counts(&self) -> Vec<LaunchCounts> {
        let program = compile(&self.spec()).unwrap();
        let n = self.n as u64;
        let inputs = Provenance::inputs(&program.operation, n, self.aligned);
        let mut shapes = Shapes::new(&program.operation);
        let lowered = lower(&program).unwrap();
        let outcome = run(&program, &lowered, &mut shapes, &inputs, n, Options::FORWARD);
        assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
        outcome.counts
    }

    /// Writes a line for each launch: its case, the reason for a difference on a GPU, its kernel and grid, and the counts
    /// in the order of [`columns`].
    fn lines(&self) -> String {
        let align = if self.aligned { "" } else { ", misaligned" };
        let name = format!("{}, n: {}{align}\t{}", self.spec().text, self.n, self.because);
        self.counts().iter().fold(String::new(), |mut text, launch| {
            write!(text, "{name}\t{}\t{}", launch.kernel, launch.grid).unwrap();
            columns(&launch.total()).into_iter().for_each(|(_, count)| write!(text, "\t{count}").unwrap());
            text + "\n"
        })
    }
}

/// Returns the counts, with the names that `scripts/ncu.py` uses.
fn columns(counts: &Counts) -> [(&'static str, u64); 9] {
    [
        ("global_load_accesses", counts.global_loads.accesses),
        ("global_load_sectors", counts.global_loads.sectors),
        ("global_store_accesses", counts.global_stores.accesses),
        ("global_store_sectors", counts.global_stores.sectors),
        ("shared_load_wavefronts", counts.shared_loads.wavefronts),
        ("shared_load_conflicts", counts.shared_loads.conflicts),
        ("shared_store_wavefronts", counts.shared_stores.wavefronts),
        ("shared_store_conflicts", counts.shared_stores.conflicts),
        ("atomics", counts.atomics),
    ]
}

fn table() -> String {
    let names = columns(&Counts::default()).map(|(name, _)| name);
    let lines: String = CASES.iter().map(Case::lines).collect();
    format!("case\tbecause\tkernel\tgrid\t{}\n{lines}", names.join("\t"))
}

#[test]
fn launches() {
    let Some(device) = gpu("counted::launches") else { return };
    if let Some(path) = std::env::var_os("REDUCEGEN_COUNTS") {
        std::fs::write(path, table()).unwrap();
    }
    let stream = CudaContext::new(0).unwrap().default_stream();
    for case in &CASES {
        let spec = case.spec();
        let start = usize::from(!case.aligned);
        let place = start..start + case.n;
        let lanes = Kind::Plain.lanes(case.ty, place.end);
        let resident = Resident::new(&stream, &lanes);
        let view = resident.view(place.clone());
        let found = Reducer::new(&spec, &device).unwrap().reduce_device(&[view.input()]).unwrap();
        let host = Reducer::new(&spec, &Device::host()).unwrap();
        let expected = host.reduce(&[lanes.borrow().slice(place)]).unwrap();
        assert_eq!(found.values, expected.values, "{}", spec.text);
    }
}

/// Without a GPU the cases are still checked: every compared count occurs.
#[test]
fn the_cases_have_what_is_counted() {
    let counts: Vec<_> = CASES.iter().flat_map(Case::counts).map(|launch| launch.total()).collect();
    assert!(counts.len() > 2 * CASES.len() - 10, "{} launches", counts.len());
    for place in 0..columns(&counts[0]).len() {
        let some = counts.iter().filter(|it| columns(it)[place].1 > 0).count();
        assert!(some > 0, "no case has {}", columns(&counts[0])[place].0);
    }
    let strided = CASES[5].counts()[0].total();
    let sequential = CASES[7].counts()[0].total();
    assert!(strided.shared_loads.conflicts > 0 && sequential.shared_loads.conflicts == 0);
}

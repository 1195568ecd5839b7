//! Segments and groups by key on the host, for `groups_host.py`. For each line of standard input, this program reduces once and prints the
//! seconds that the call took. It reads the files beforehand, so they do not count.
//!
//! ```sh
//! cargo bench --bench groups -- SPEC ELEMENTS CUT OUT
//! ```
//!
//! All files hold little-endian elements and no header. ELEMENTS are `f32` or `u32`, as the specification says. CUT holds `u32`:
//! offsets or keys. The results of the last call are written to OUT when the input ends, and the keys of runs to `OUT.keys`.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be taken fails by panicking")]

use cpu_time::ProcessTime;
use memmap2::MmapMut;
use reduce_ir::axes::{Cut, Keys};
use reduce_ir::{Scalar, Spec};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Groups, Reducer, View};
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read, Write};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spec, elements, cut, out, ..] = &arguments[..] else {
        println!("skipped: run benches/groups_host.py, which gives the files");
        return;
    };
    let spec = reduce_dsl::parse::spec(spec).unwrap();
    let reducer = Reducer::new(&spec, &Device::host()).unwrap();
    let (elements, cut) = (read(elements), read(cut));
    let elements = if spec.operation.inputs[0].ty == Scalar::U32 {
        LanesRef::U32(bytemuck::cast_slice(&elements))
    } else {
        LanesRef::F32(bytemuck::cast_slice(&elements))
    };
    let (cut, mut last) = (bytemuck::cast_slice(&cut), None);
    for _ in std::io::stdin().lines() {
        // The results are dropped before the next call makes others, as those of the peers are.
        drop(last.take());
        last = Some(timed(|| reduce(&reducer, &spec, elements, cut)));
    }
    let (keys, groups) = last.unwrap();
    fs::write(out, bytes(&groups.fields[0])).unwrap();
    keys.into_iter().for_each(|keys| fs::write(format!("{out}.keys"), bytes(&keys)).unwrap());
}

/// Reads a file into memory in huge pages where the system has them, as NumPy requests.
fn read(path: &str) -> MmapMut {
    let mut file = File::open(path).unwrap();
    let mut memory = MmapMut::map_anon(file.metadata().unwrap().len() as usize).unwrap();
    #[cfg(target_os = "linux")]
    if let Err(error) = memory.advise(memmap2::Advice::HugePage) {
        eprintln!("in pages of the usual size: {error}");
    }
    file.read_exact(&mut memory).unwrap();
    memory
}

/// Returns the results, and the keys of runs.
fn reduce(reducer: &Reducer, spec: &Spec, elements: LanesRef<'_>, cut: &[u32]) -> (Option<Lanes>, Groups) {
    let inputs = [line(elements)];
    match spec.axes.as_ref().unwrap().cut {
        Cut::Offsets(_) => (None, reducer.reduce_segments(&inputs, cut.into(), &[]).unwrap()),
        Cut::Runs(_) => {
            let runs = reducer.reduce_runs(&inputs, cut.into(), &[]).unwrap();
            (Some(runs.keys), runs.groups)
        }
        Cut::Keys(Keys { given: Some(_), .. }) => {
            (None, reducer.reduce_keys(&inputs, line(cut.into()), &[]).unwrap())
        }
        Cut::Keys(_) | Cut::Whole => (None, reducer.reduce_groups(&inputs, &[]).unwrap()),
    }
}

fn line(lanes: LanesRef<'_>) -> View<LanesRef<'_>> {
    View::new(lanes, [lanes.len()])
}

/// Prints the processor time and the wall-clock time of a call, in seconds.
fn timed<R>(call: impl FnOnce() -> R) -> R {
    let (processor, wall) = (ProcessTime::now(), Instant::now());
    let result = black_box(call());
    println!("{} {}", processor.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
    std::io::stdout().flush().unwrap();
    result
}

/// Returns the bytes of sums, counts or keys.
fn bytes(lanes: &Lanes) -> &[u8] {
    let lanes = lanes.borrow();
    <&[f32]>::try_from(lanes)
        .map(bytemuck::cast_slice)
        .or_else(|_| <&[u64]>::try_from(lanes).map(bytemuck::cast_slice))
        .or_else(|_| <&[u32]>::try_from(lanes).map(bytemuck::cast_slice))
        .unwrap()
}

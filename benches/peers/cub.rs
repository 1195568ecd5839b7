//! CUB: functions of the library that `scripts/bench.sh` builds from `benches/peers/cub`.

use super::Outcome;
use super::cases::Case;
use super::clock::{Clock, Launch};
use super::outputs::Layout;
use super::slots::Slots;
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::rc::Rc;

/// Bytes between the results of functions that are called one after another, if each has one.
const RESULT: usize = 64;

/// The signature in `peer.cuh`.
type Function = unsafe extern "C" fn(
    temp: *mut c_void,
    bytes: *mut usize,
    x: *const c_void,
    y: *const c_void,
    out: *mut c_void,
    n: u64,
    groups: u64,
    stream: *mut c_void,
) -> c_int;

/// The loaded library.
pub(crate) struct Cub {
    library: Library,
}

impl Cub {
    pub(crate) fn load(path: &Path) -> Outcome<Cub> {
        // SAFETY: its only initialisers belong to the CUDA runtime.
        Ok(Cub { library: unsafe { Library::new(path.canonicalize()?) }? })
    }

    /// Returns the versions of CUB and nvcc.
    pub(crate) fn versions(&self) -> Outcome<[(String, String); 2]> {
        let number = |symbol: &str| -> Outcome<c_int> {
            // SAFETY: both functions return a number and have no parameters.
            Ok(unsafe { self.library.get::<unsafe extern "C" fn() -> c_int>(symbol)?() })
        };
        let (cub, nvcc) = (number("cub_version")?, number("cub_compiler")?);
        Ok([
            ("CUB".to_owned(), format!("{}.{}.{}", cub / 100_000, cub / 100 % 1000, cub % 100)),
            ("nvcc".to_owned(), format!("{}.{}", nvcc / 1000, nvcc % 1000 / 10)),
        ])
    }

    fn function(&self, name: &str) -> Outcome<Function> {
        let symbol = format!("cub_{name}");
        // SAFETY: all functions with this prefix are made by the macros of `peer.cuh`.
        let function = unsafe { self.library.get::<Function>(&symbol) };
        Ok(*function.map_err(|_| format!("this CUB has no {name}"))?)
    }
}

/// Functions called in a row, on the same elements.
pub(crate) struct Calls {
    clock: Rc<Clock>,
    functions: Vec<(Function, Layout)>,
    slots: Slots,
    inputs: usize,
    n: u64,
    groups: u64,
    temporary: u64,
    temporary_bytes: usize,
    results: u64,
}

impl Calls {
    /// `results` is memory for all results.
    pub(crate) fn new(
        clock: &Rc<Clock>,
        cub: &Cub,
        (case, n): (&Case, usize),
        slots: Slots,
        results: u64,
    ) -> Outcome<Calls> {
        let function = |&(name, layout): &(&str, Layout)| Ok((cub.function(name)?, layout));
        let functions = case.cub.iter().map(function).collect::<Outcome<Vec<_>>>()?;
        let (n, groups) = (n as u64, case.outputs() as u64);
        let (clock, inputs) = (clock.clone(), case.inputs());
        let (temporary, temporary_bytes) = (0, 0);
        let mut calls =
            Calls { clock, functions, slots, inputs, n, groups, temporary, temporary_bytes, results };
        calls.temporary_bytes = calls.required_bytes()?;
        calls.temporary = calls.clock.gpu.allocate(calls.temporary_bytes)?;
        Ok(calls)
    }

    /// Returns the largest size of temporary memory that any of the functions needs.
    fn required_bytes(&self) -> Outcome<usize> {
        let mut most = 1;
        for (function, _) in &self.functions {
            let mut bytes = 0;
            // SAFETY: without temporary memory a function only writes the size that it needs.
            check(unsafe {
                let none = null_mut();
                function(none, &mut bytes, none, none, none, self.n, self.groups, none)
            })?;
            most = most.max(bytes);
        }
        Ok(most)
    }
}

impl Launch for Calls {
    fn enqueue(&mut self, turn: u64) -> Outcome<()> {
        let input = |place: usize| self.slots.pointer(turn, place % self.inputs) as *const c_void;
        for ((function, _), place) in self.functions.iter().zip(0..) {
            let mut bytes = self.temporary_bytes;
            // SAFETY: each input has n elements, the temporary memory has the size that the function asked for, and `out`
            // has room for the results. All of it lives as long as the process.
            check(unsafe {
                function(
                    self.temporary as *mut c_void,
                    &mut bytes,
                    input(0),
                    input(1),
                    (self.results + place * RESULT as u64) as *mut c_void,
                    self.n,
                    self.groups,
                    self.clock.gpu.stream.cu_stream().cast(),
                )
            })?;
        }
        Ok(())
    }

    fn numbers(&mut self) -> Outcome<Vec<f64>> {
        self.enqueue(0)?;
        let mut numbers = Vec::new();
        for ((_, layout), place) in self.functions.iter().zip(0..) {
            let mut bytes = vec![0; self.groups as usize * layout.size()];
            self.clock.gpu.read(self.results + place * RESULT as u64, &mut bytes)?;
            numbers.extend(bytes.chunks(layout.size()).flat_map(|one| layout.numbers(one)));
        }
        Ok(numbers)
    }
}

fn check(code: c_int) -> Outcome<()> {
    if code == 0 { Ok(()) } else { Err(format!("CUB gives error {code} of the CUDA runtime").into()) }
}

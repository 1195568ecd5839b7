//! The programs of a reduction on a GPU: one for each range of n, compiled when it is needed first.

use super::driver::failed;
use super::gpu::Gpu;
use super::modules;
use crate::Error;
use cudarc::driver::CudaFunction;
use reduce_dsl::Value;
use reduce_dsl::operation::{Operation, Record};
use reduce_dsl::program::{Launch, Plan, Program, Reads};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Blocks of a launch (CUDA C++ Programming Guide, technical specifications).
const LARGEST_GRID: u64 = i32::MAX as u64;

/// All programs of an operation, on one GPU.
#[derive(Debug)]
pub(super) struct Cases {
    pub(super) gpu: Gpu,
    pub(super) operation: Operation,
    /// By n, the last of which has no end.
    cases: Vec<Case>,
}

/// A program.
#[derive(Debug)]
pub(super) struct Case {
    program: Program,
    /// The most elements that it is for.
    up_to: Option<u64>,
    pub(super) plan: Plan,
    /// The bytes of the padding, where blocks meet in an accumulator that must hold it.
    pub(super) padding: Option<Vec<u8>>,
    /// Does the kernel over partials take the number of elements?
    pub(super) counts: bool,
    /// By what they read, as the program has them; the second is not there where one launch is enough.
    functions: OnceLock<Vec<CudaFunction>>,
    /// Held while they are compiled, so that no thread compiles what another does.
    compiling: Mutex<()>,
}

impl Cases {
    pub(super) fn new(programs: &[Program], gpu: &Gpu) -> Cases {
        let operation = programs[0].operation.clone();
        Cases { gpu: gpu.clone(), operation, cases: programs.iter().map(Case::new).collect() }
    }

    /// The place of the case for n elements.
    pub(super) fn of_n(&self, n: u64) -> usize {
        let last = self.cases.len() - 1;
        self.cases[..last].iter().position(|case| case.is_for(n)).unwrap_or(last)
    }

    pub(super) fn case(&self, place: usize) -> &Case {
        &self.cases[place]
    }

    /// The kernels of the case at a place, compiled and loaded if they are not.
    pub(super) fn functions(&self, place: usize) -> Result<&[CudaFunction], Error> {
        let case = &self.cases[place];
        if let Some(functions) = case.functions.get() {
            return Ok(functions);
        }
        let _turn = case.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(functions) = case.functions.get() {
            return Ok(functions);
        }
        let functions = case.load(&self.gpu)?;
        Ok(case.functions.get_or_init(|| functions))
    }

    /// Compiles all cases, each in a thread of its own.
    pub(super) fn prepare_all(&self) -> Result<(), Error> {
        std::thread::scope(|scope| {
            let places = 0..self.cases.len();
            let threads: Vec<_> =
                places.map(|place| scope.spawn(move || self.functions(place).map(|_| ()))).collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// Bytes of workspace for every number of elements up to n.
    pub(super) fn workspace(&self, n: u64) -> u64 {
        let last = self.of_n(n);
        let most = |case: &Case| case.plan.workspace(case.up_to.map_or(n, |most| most.min(n)));
        self.cases[..=last].iter().map(most).max().unwrap_or(0)
    }
}

impl Case {
    fn new(program: &Program) -> Case {
        let (plan, operation) = (program.plan(), &program.operation);
        let padding = operation.padding.as_ref().filter(|_| plan.starts_from_padding());
        Case {
            plan,
            padding: padding.map(|values| bytes_of(&operation.acc, values)),
            counts: operation.counts(),
            functions: OnceLock::new(),
            compiling: Mutex::default(),
            program: program.clone(),
            up_to: None,
        }
    }

    fn is_for(&self, n: u64) -> bool {
        self.up_to.is_none_or(|most| n <= most)
    }

    pub(super) fn block(&self) -> u32 {
        self.program.block
    }

    fn load(&self, gpu: &Gpu) -> Result<Vec<CudaFunction>, Error> {
        let module = modules::module(&self.program, gpu)?;
        let all = [Reads::Inputs, Reads::Partials];
        let launched = if self.program.has_one_launch() { &all[..1] } else { &all };
        let function = |&reads| module.load_function(self.program.kernel(reads).name);
        launched.iter().map(function).collect::<Result<_, _>>().map_err(failed("looking up a kernel"))
    }
}

/// The launches for n elements, if each is one that a GPU can make.
pub(super) fn launches(plan: &Plan, n: u64) -> Result<Vec<Launch>, Error> {
    let launches = plan.launches(n);
    match launches.iter().map(|launch| launch.grid).find(|&grid| grid > LARGEST_GRID) {
        Some(grid) => Err(Error::GridTooLarge { n, grid, limit: LARGEST_GRID }),
        None => Ok(launches),
    }
}

/// The bytes of a record, laid out as in C.
pub(super) fn bytes_of(record: &Record, values: &[Value]) -> Vec<u8> {
    let mut bytes = vec![0; record.size()];
    for (offset, value) in record.offsets().into_iter().zip(values) {
        let size = value.ty().size();
        bytes[offset..offset + size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_GRID, launches};
    use crate::Error;
    use reduce_codegen::lower::lower;
    use reduce_dsl::Scalar;
    use reduce_dsl::func::Param;
    use reduce_dsl::operators::operator;

    #[test]
    fn a_grid_beyond_the_limit_is_the_users_to_coarsen() -> Result<(), Box<dyn std::error::Error>> {
        let max = operator("max").ok_or("a row")?.apply(&[Param::new("x", Scalar::F16)], None)?;
        let plan = lower(&max, 32)?.plan();
        let most = 32 * LARGEST_GRID;
        assert_eq!(launches(&plan, most)?[0].grid, LARGEST_GRID);
        let error = launches(&plan, most + 1).err().ok_or("one block too many")?;
        assert!(matches!(error, Error::GridTooLarge { .. }) && error.is_users_fault());
        assert!(error.to_string().contains("coarsen"), "{error}");
        Ok(())
    }
}

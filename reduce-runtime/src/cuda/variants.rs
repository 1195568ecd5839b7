//! The programs of a reduction on a GPU: one for each range of n, compiled on first use.

use super::driver::{self, failed};
use super::gpu::Gpu;
use super::launch::largest_cluster;
use super::modules;
use crate::Error;
use crate::event::event;
use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaFunction, CudaModule, CudaStream};
use reduce_codegen::Programs;
use reduce_ir::operation::{Operation, Record};
use reduce_ir::program::{Kernel, Launch, Plan, Program, Reads};
use reduce_ir::spec::Listed;
use reduce_ir::{Domain, Extent, Value};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Builder;

/// The most blocks of a launch (CUDA C++ Programming Guide, technical specifications).
const LARGEST_GRID: u64 = i32::MAX as u64;
/// The most blocks of a cluster that need no permission for each kernel. A GPU, or a part of one, with few
/// multiprocessors may support only smaller clusters (CUDA C++ Programming Guide, thread block clusters).
const PORTABLE_CLUSTER: u32 = 8;

/// The handle of the per-thread stream (CUDA driver API, stream synchronization behaviour).
const PER_THREAD: usize = 2;

/// All programs of an operation, on one GPU.
#[derive(Debug)]
pub(super) struct Variants {
    pub(super) gpu: Gpu,
    pub(super) operation: Operation,
    /// The domain of the elements.
    pub(super) domain: Domain,
    programs: Programs,
    /// One slot for each program, in their order.
    slots: Vec<VariantSlot>,
}

/// A slot for a variant that is loaded on first use.
#[derive(Debug, Default)]
struct VariantSlot {
    variant: OnceLock<Variant>,
    /// Held during compilation, so that no other thread compiles the same variant.
    loading: Mutex<()>,
}

/// A loaded program, and the facts that its launches need.
#[derive(Debug)]
pub(super) struct Variant {
    pub(super) plan: Plan,
    /// The bytes of the fill, if blocks combine into an accumulator that must hold it.
    pub(super) fill: Option<Vec<u8>>,
    /// Whether the kernel over partials takes the number of elements.
    pub(super) takes_count: bool,
    /// Whether the kernels take a ticket.
    pub(super) has_ticket: bool,
    /// Threads per block, indexed by the items that the kernel reads.
    pub(super) threads: [u32; 2],
    /// Whether the kernels may begin while the previous launch still runs.
    pub(super) dependent: bool,
    /// The kernels, indexed by the items that they read. The second is absent if one launch is enough.
    pub(super) functions: Vec<CudaFunction>,
}

impl Variants {
    /// Checks that calls can be queued on that stream.
    pub(super) fn check_stream(&self, stream: &CudaStream) -> Result<(), Error> {
        if stream.context() != self.gpu.context() {
            return Err(Error::StreamOfOtherContext { device: self.gpu.name() });
        }
        if stream.cu_stream() as usize == PER_THREAD {
            return Err(Error::PerThreadStream);
        }
        Ok(())
    }

    pub(super) fn new(programs: &Programs, gpu: &Gpu) -> Variants {
        let operation = programs.operation().clone();
        let slots = programs.variants().iter().map(|_| VariantSlot::default()).collect();
        Variants { gpu: gpu.clone(), operation, domain: programs.domain(), programs: programs.clone(), slots }
    }

    /// Returns the index of the variant for n elements.
    pub(super) fn index_of_n(&self, n: u64) -> usize {
        self.programs.place(n)
    }

    /// Returns the variant at an index. Compiles and loads it if necessary.
    pub(super) fn variant(&self, index: usize) -> Result<&Variant, Error> {
        let VariantSlot { variant, loading } = &self.slots[index];
        if let Some(variant) = variant.get() {
            return Ok(variant);
        }
        let _turn = loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(variant) = variant.get() {
            return Ok(variant);
        }
        let loaded = self.load(index)?;
        Ok(variant.get_or_init(|| loaded))
    }

    /// Loads the program at an index, or its replacement without clusters if the GPU cannot make them.
    fn load(&self, index: usize) -> Result<Variant, Error> {
        let program = &self.programs.variants()[index];
        event!(
            "loading kernels",
            operator = program.operation.name,
            passes = Listed(&program.passes),
            device = self.gpu.name()
        );
        let variant = Variant::load(program, &self.gpu)?;
        let cluster = program.kernel(Reads::Inputs).cluster();
        if cluster == 1 {
            return Ok(variant);
        }
        let largest = largest_cluster(&self.gpu, &variant.functions[0], cluster, variant.threads[0])?;
        match self.programs.unclustered(index) {
            _ if cluster <= largest => Ok(variant),
            Some(program) => Variant::load(program, &self.gpu),
            None => Err(Error::ClusterTooLarge { cluster, largest, device: self.gpu.name() }),
        }
    }

    /// Compiles all variants, each in its own thread, or in this one if no more threads can be created.
    pub(super) fn prepare_all(&self) -> Result<(), Error> {
        let prepare = |index| self.variant(index).map(|_| ());
        std::thread::scope(|scope| {
            let spawn = |index| Builder::new().spawn_scoped(scope, move || prepare(index)).map_err(|_| index);
            let threads: Vec<_> = (0..self.slots.len()).map(spawn).collect();
            threads.into_iter().try_for_each(|thread| match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(index) => prepare(index),
            })
        })
    }

    /// Returns the bytes of workspace that suffice for every number of elements per group up to that: for partials with
    /// flags, and for others.
    pub(super) fn workspace(&self, extent: Extent) -> [u64; 2] {
        let Extent { groups, length: n } = extent;
        let indices = 0..=self.index_of_n(n);
        let clustered = &self.programs.variants()[indices.clone()];
        // Which of the two programs will run is not known yet.
        let up_to_n = clustered.iter().chain(indices.filter_map(|index| self.programs.unclustered(index)));
        let most = |program: &Program| {
            let length = program.up_to.map_or(n, |most| most.min(n));
            program.plan().workspace(Extent { groups, length })
        };
        [true, false].map(|flags| {
            let those = up_to_n.clone().filter(|program| program.plan().has_flags() == flags);
            those.map(most).max().unwrap_or(0)
        })
    }
}

/// Waits until no kernel runs before the kernels are unloaded: the caller may not have waited.
impl Drop for Variants {
    fn drop(&mut self) {
        if self.slots.iter().any(|slot| slot.variant.get().is_some()) {
            let context = self.gpu.context();
            context.record_err(driver::wait_for_all(context));
        }
    }
}

impl Variant {
    /// Compiles and loads the kernels of a program.
    fn load(program: &Program, gpu: &Gpu) -> Result<Variant, Error> {
        let (plan, operation) = (program.plan(), &program.operation);
        let fill = operation.fill.as_ref().filter(|_| plan.starts_from_fill());
        let module = modules::module(program, gpu)?;
        let all = [Reads::Inputs, Reads::Partials];
        let launched = if program.has_one_launch() { &all[..1] } else { &all };
        let functions = launched.iter().map(|&reads| function(&module, program.kernel(reads)));
        Ok(Variant {
            plan,
            fill: fill.map(|values| bytes_of(&operation.acc, values)),
            takes_count: operation.counts(),
            // If one block has all elements, no block waits for others.
            has_ticket: plan.has_ticket(),
            threads: [Reads::Inputs, Reads::Partials].map(|reads| program.threads(reads)),
            dependent: driver::overlaps_launches() && program.kernel(Reads::Inputs).dependent,
            functions: functions.collect::<Result<_, _>>()?,
        })
    }
}

fn function(module: &Arc<CudaModule>, kernel: &Kernel) -> Result<CudaFunction, Error> {
    let function = module.load_function(kernel.name).map_err(failed("looking up a kernel"))?;
    if kernel.cluster() > PORTABLE_CLUSTER {
        let allowed = CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        function.set_attribute(allowed, 1).map_err(failed("allowing large clusters"))?;
    }
    Ok(function)
}

/// Returns the launches for that many elements, if a GPU supports each of them.
pub(super) fn launches(plan: &Plan, extent: impl Into<Extent>) -> Result<Vec<Launch>, Error> {
    let extent = extent.into();
    let launches = plan.launches(extent);
    match launches.iter().map(|launch| launch.grid).find(|&grid| grid > LARGEST_GRID) {
        Some(grid) => Err(Error::GridTooLarge { n: extent.elements(), grid, limit: LARGEST_GRID }),
        None => Ok(launches),
    }
}

/// Returns the bytes of a record, laid out as in C.
pub(super) fn bytes_of(record: &Record, values: &[Value]) -> Vec<u8> {
    let mut bytes = vec![0; record.size()];
    for (offset, value) in record.offsets().into_iter().zip(values) {
        let size = value.ty().size();
        bytes[offset..offset + size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
    }
    bytes
}

/// Decodes the fields of a record.
pub(super) fn values(record: &Record, bytes: &[u8]) -> Vec<Value> {
    let field = |(offset, field): (usize, &reduce_ir::func::Param)| {
        let mut word = [0; 8];
        let size = field.ty.size();
        word[..size].copy_from_slice(&bytes[offset..offset + size]);
        Value::from_bits(field.ty, u64::from_le_bytes(word))
    };
    record.offsets().into_iter().zip(&record.fields).map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_GRID, launches};
    use crate::Error;
    use reduce_codegen::schedule::naive;
    use reduce_dsl::operators::operator;
    use reduce_ir::Scalar;
    use reduce_ir::func::Param;

    #[test]
    fn a_grid_beyond_the_limit_is_the_users_to_coarsen() -> Result<(), Box<dyn std::error::Error>> {
        let max = operator("max").ok_or("a row")?.apply(&[Param::new("x", Scalar::F16)], None)?;
        let plan = naive(&max, 32)?.plan();
        let most = 32 * LARGEST_GRID;
        assert_eq!(launches(&plan, most)?[0].grid, LARGEST_GRID);
        let error = launches(&plan, most + 1).err().ok_or("one block too many")?;
        assert!(matches!(error, Error::GridTooLarge { .. }) && error.is_usage_error());
        assert!(error.to_string().contains("coarsen"), "{error}");
        Ok(())
    }
}

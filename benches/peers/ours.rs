//! Our side: a specification compiled for the GPU, and enqueued in memory that is allocated once.

use super::Outcome;
use super::clock::{Clock, Launch};
use super::outputs::as_f64;
use super::slots::Slots;
use reducegen::codegen::Programs;
use reducegen::cudarc::driver::sys::CUfunction_attribute as Attribute;
use reducegen::cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use reducegen::dsl::program::{self, Plan, Program, Reads};
use reducegen::dsl::{Scalar, Spec, Value};
use std::rc::Rc;

/// A program, its kernels and its memory.
pub(crate) struct Ours {
    clock: Rc<Clock>,
    program: Program,
    plan: Plan,
    launches: Vec<program::Launch>,
    functions: Vec<CudaFunction>,
    slots: Slots,
    n: u64,
    workspace: u64,
    result: u64,
    ticket: u64,
}

impl Ours {
    pub(crate) fn new(clock: &Rc<Clock>, spec: &Spec, slots: Slots, n: usize) -> Outcome<Ours> {
        let gpu = &clock.gpu;
        let program = Programs::of(spec, gpu.tuning()?)?.of_n(n as u64).clone();
        let module = gpu.load_program(&program)?;
        let all = [Reads::Inputs, Reads::Partials];
        let launched = if program.has_one_launch() { &all[..1] } else { &all };
        let function = |&reads: &Reads| module.load_function(program.kernel(reads).name);
        let functions = launched.iter().map(function).collect::<Result<Vec<_>, _>>()?;
        for function in &functions {
            // Clusters of 16 blocks.
            function.set_attribute(Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        let plan = program.plan();
        let ticket = gpu.allocate(size_of::<u32>())?;
        gpu.write(ticket, &0u32.to_le_bytes())?;
        Ok(Ours {
            ticket,
            clock: clock.clone(),
            launches: plan.launches(n as u64),
            functions,
            slots,
            n: n as u64,
            workspace: gpu.allocate(plan.workspace(n as u64).max(1) as usize)?,
            result: gpu.allocate(program.operation.output.size())?,
            plan,
            program,
        })
    }

    fn launch(&self, launch: &program::Launch, turn: u64) -> Outcome<()> {
        let region = |region| self.workspace + self.plan.offset(self.n, region);
        let inputs = self.program.operation.inputs.len();
        let items: Vec<_> = match launch.kernel {
            Reads::Inputs => (0..inputs).map(|input| self.slots.pointer(turn, input)).collect(),
            Reads::Partials => vec![region(launch.from)],
        };
        let rest = [region(launch.to), self.result, launch.items];
        let counts = self.program.operation.counts() && launch.kernel == Reads::Partials;
        let mut builder = self.clock.gpu.stream.launch_builder(&self.functions[launch.kernel as usize]);
        let ticket = self.plan.has_ticket().then_some(&self.ticket);
        for arg in items.iter().chain(&rest).chain(ticket).chain(counts.then_some(&self.n)) {
            builder.arg(arg);
        }
        let config = LaunchConfig {
            grid_dim: (launch.grid as u32, 1, 1),
            block_dim: (self.program.block, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the arguments are those of the kernels that reduce-codegen prints for an operation without params;
        // all memory lives as long as the process.
        unsafe { builder.launch(config) }?;
        Ok(())
    }

    /// The result of turn 0.
    pub(crate) fn values(&mut self) -> Outcome<Vec<Value>> {
        self.enqueue(0)?;
        let output = &self.program.operation.output;
        let mut bytes = vec![0; output.size()];
        self.clock.gpu.read(self.result, &mut bytes)?;
        let value = |(offset, ty): (usize, Scalar)| {
            let mut word = [0; 8];
            let size = ty.size();
            word[..size].copy_from_slice(&bytes[offset..offset + size]);
            Value::from_bits(ty, u64::from_le_bytes(word))
        };
        Ok(output.offsets().into_iter().zip(output.types()).map(value).collect())
    }
}

impl Launch for Ours {
    fn enqueue(&mut self, turn: u64) -> Outcome<()> {
        self.launches.iter().try_for_each(|launch| self.launch(launch, turn))
    }

    fn numbers(&mut self) -> Outcome<Vec<f64>> {
        Ok(self.values()?.into_iter().map(as_f64).collect())
    }
}

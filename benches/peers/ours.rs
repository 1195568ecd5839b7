//! Our side: a reducer of the library, whose calls are queued in a workspace that is allocated once.

use super::Outcome;
use super::cases::Case;
use super::clock::Launch;
use super::gpu::Gpu;
use super::outputs::as_f64;
use super::slots::Slots;
use reduce_ir::arith::Element;
use reducegen::{Device, DeviceInput, Reducer, Workspace};
use reducegen::{Scalar, Value, bf16, f16};
use std::collections::HashMap;
use std::rc::Rc;

/// More turns than any sample has calls.
pub(crate) const MOST_TURNS: usize = 600;

/// A specification, compiled for the GPU and for the host.
pub(crate) struct Compiled {
    pub(crate) gpu: Reducer,
    pub(crate) host: Reducer,
}

/// Compiled specifications, by the name of the case and the text. All sizes share them.
#[derive(Default)]
pub(crate) struct Reducers {
    compiled: HashMap<(&'static str, &'static str), Rc<Compiled>>,
}

impl Reducers {
    pub(crate) fn of(&mut self, gpu: &Gpu, case: &'static Case, text: &'static str) -> Outcome<Rc<Compiled>> {
        if let Some(compiled) = self.compiled.get(&(case.name, text)) {
            return Ok(compiled.clone());
        }
        let spec = case.parsed(text)?;
        let (gpu, host) = (Reducer::new(&spec, &gpu.device)?, Reducer::new(&spec, &Device::host())?);
        let compiled = Rc::new(Compiled { gpu, host });
        self.compiled.insert((case.name, text), compiled.clone());
        Ok(compiled)
    }
}

/// A reducer, the inputs of each turn, and its workspace.
pub(crate) struct Ours {
    compiled: Rc<Compiled>,
    inputs: Vec<Vec<DeviceInput<'static>>>,
    workspace: Workspace,
}

impl Ours {
    pub(crate) fn new(
        gpu: &Gpu,
        compiled: Rc<Compiled>,
        (case, n): (&Case, usize),
        slots: &Slots,
    ) -> Outcome<Ours> {
        let workspace = compiled.gpu.workspace(gpu.stream, n as u64)?;
        let input = |turn, place| input(gpu, case.ty, slots.pointer(turn, place), n);
        let turn = |turn| (0..case.inputs()).map(|place| input(turn, place)).collect();
        let inputs = (0..slots.copies.min(MOST_TURNS) as u64).map(turn).collect();
        Ok(Ours { compiled, inputs, workspace })
    }

    /// Returns the result of turn 0.
    pub(crate) fn values(&mut self) -> Outcome<Vec<Value>> {
        self.enqueue(0)?;
        Ok(self.workspace.read(&self.workspace.stream().clone())?)
    }
}

impl Launch for Ours {
    fn enqueue(&mut self, turn: u64) -> Outcome<()> {
        let inputs = &self.inputs[turn as usize % self.inputs.len()];
        let stream = self.workspace.stream().clone();
        Ok(self.compiled.gpu.enqueue(&stream, inputs, &[], &mut self.workspace)?)
    }

    fn enqueue_captured(&mut self, turn: u64) -> Outcome<()> {
        let inputs = &self.inputs[turn as usize % self.inputs.len()];
        let stream = self.workspace.stream().clone();
        // SAFETY: `Native` drops the graph before the contestant, and replays it on this stream; inputs live as long as the process.
        Ok(unsafe { self.compiled.gpu.enqueue_captured(&stream, inputs, &[], &mut self.workspace) }?)
    }

    fn numbers(&mut self) -> Outcome<Vec<f64>> {
        Ok(self.values()?.into_iter().map(as_f64).collect())
    }
}

/// Describes elements as an input of the library.
pub(crate) fn input(gpu: &Gpu, ty: Scalar, pointer: u64, n: usize) -> DeviceInput<'static> {
    match ty {
        Scalar::Bool => typed::<bool>(gpu, pointer, n),
        Scalar::F16 => typed::<f16>(gpu, pointer, n),
        Scalar::Bf16 => typed::<bf16>(gpu, pointer, n),
        Scalar::F32 => typed::<f32>(gpu, pointer, n),
        Scalar::F64 => typed::<f64>(gpu, pointer, n),
        Scalar::I8 => typed::<i8>(gpu, pointer, n),
        Scalar::I16 => typed::<i16>(gpu, pointer, n),
        Scalar::I32 => typed::<i32>(gpu, pointer, n),
        Scalar::I64 => typed::<i64>(gpu, pointer, n),
        Scalar::U8 => typed::<u8>(gpu, pointer, n),
        Scalar::U16 => typed::<u16>(gpu, pointer, n),
        Scalar::U32 => typed::<u32>(gpu, pointer, n),
        Scalar::U64 => typed::<u64>(gpu, pointer, n),
    }
}

/// The slice is leaked: it does not own its memory.
fn typed<T: Element>(gpu: &Gpu, pointer: u64, n: usize) -> DeviceInput<'static> {
    // SAFETY: n elements lie there, for as long as the process lives.
    let slice = unsafe { gpu.stream.upgrade_device_ptr::<T>(pointer, n) };
    DeviceInput::on_stream(gpu.stream, Box::leak(Box::new(slice)))
}

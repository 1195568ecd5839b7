//! No safe call lets a kernel use memory that is no longer valid. The streams are real, and kept busy, so that a call that
//! does not wait runs too early. `reduce-runtime/tests/soundness.rs` has the same tests with a simulated driver.

use super::cases;
use super::device::{gpu, gpu_alone};
use reduce_ir::Scalar;
use reduce_runtime::cudarc::driver::{CudaContext, CudaSlice, CudaStream, sys};
use reduce_runtime::{Compiled, Device, DeviceInput, DeviceInputs, Error, Reduction, Workspace};
use std::sync::Arc;

static SUM: Reduction<f32, f32> = Reduction::new(|| Ok(cases::auto("sum", Scalar::F32)));

const N: usize = 1 << 20;
/// The calls keep a stream busy for longer than the host needs to queue the next operations.
const CALLS: usize = 200;
const ROUNDS: usize = 20;

/// Three streams, and a reduction whose calls keep one of them busy.
struct Machine {
    sum: Compiled<f32, f32>,
    streams: [Arc<CudaStream>; 3],
    others: CudaSlice<f32>,
}

impl Machine {
    fn of(device: &Device) -> Machine {
        let sum = SUM.compile(device).unwrap();
        sum.reducer().prepare_all().unwrap();
        let context = CudaContext::new(0).unwrap();
        let streams = [0; 3].map(|_| context.new_stream().unwrap());
        let others = filled(&streams[0], 3.0);
        streams[0].synchronize().unwrap();
        Machine { sum, streams, others }
    }

    fn workspace(&self, stream: usize) -> Workspace {
        self.sum.workspace(&self.streams[stream], N as u64).unwrap()
    }

    /// Queues calls on other elements.
    fn keep_busy(&self, stream: usize, workspace: &mut Workspace) {
        let stream = &self.streams[stream];
        DeviceInputs::new(stream, &self.others)
            .scope(|inputs| (0..CALLS).for_each(|_| self.sum.enqueue(stream, inputs, workspace).unwrap()))
            .unwrap();
    }

    /// Queues a sum of ones of one stream on another stream that is busy, leaks its input, passes the ones to `then`, and
    /// returns the sum.
    fn sum_of_ones(&self, owner: usize, reader: usize, then: impl FnOnce(CudaSlice<f32>)) -> f32 {
        let mut workspace = self.workspace(reader);
        let ones = filled(&self.streams[owner], 1.0);
        self.keep_busy(reader, &mut workspace);
        let stream = &self.streams[reader];
        let input = DeviceInput::on_stream(stream, &ones);
        self.sum.reducer().enqueue(stream, std::slice::from_ref(&input), &[], &mut workspace).unwrap();
        Box::leak(Box::new(input));
        then(ones);
        self.sum.read(stream, &workspace).unwrap()
    }
}

fn filled(stream: &Arc<CudaStream>, x: f32) -> CudaSlice<f32> {
    stream.clone_htod(&vec![x; N]).unwrap()
}

#[test]
fn memory_that_a_call_reads_is_not_given_to_others() {
    let Some(device) = gpu("memory_that_a_call_reads_is_not_given_to_others") else { return };
    let machine = Machine::of(&device);
    for (owner, reader) in [(0, 1), (1, 1), (2, 1)].repeat(ROUNDS) {
        let stream = &machine.streams[owner];
        // The allocator returns freed memory first.
        let sum = machine.sum_of_ones(owner, reader, |ones| {
            drop(ones);
            drop(filled(stream, 7.0));
        });
        assert_eq!(sum, N as f32, "of stream {owner}, on {reader}");
    }
}

#[test]
fn memory_that_a_call_reads_is_not_written_on_other_streams() {
    let Some(device) = gpu("memory_that_a_call_reads_is_not_written_on_other_streams") else { return };
    let machine = Machine::of(&device);
    let sevens = filled(&machine.streams[2], 7.0);
    for (owner, reader) in [(0, 1), (1, 1)].repeat(ROUNDS) {
        let sum = machine.sum_of_ones(owner, reader, |mut ones| {
            machine.streams[2].memcpy_dtod(&sevens, &mut ones).unwrap();
            machine.streams[2].synchronize().unwrap();
        });
        assert_eq!(sum, N as f32, "of stream {owner}, on {reader}");
    }
}

#[test]
fn a_result_is_not_written_while_another_stream_reads_it() {
    let Some(device) = gpu("a_result_is_not_written_while_another_stream_reads_it") else { return };
    let machine = Machine::of(&device);
    let [stream, other, _] = &machine.streams;
    let (mut workspace, mut busy) = (machine.workspace(0), machine.workspace(1));
    let (ones, sevens) = (filled(stream, 1.0), filled(stream, 7.0));
    let mut kept = other.alloc_zeros::<f32>(1).unwrap();
    for _ in 0..ROUNDS {
        machine.sum.enqueue(stream, &DeviceInputs::new(stream, &ones), &mut workspace).unwrap();
        machine.keep_busy(1, &mut busy);
        other.memcpy_dtod(&workspace.result::<f32>().unwrap(), &mut kept).unwrap();
        machine.sum.enqueue(stream, &DeviceInputs::new(stream, &sevens), &mut workspace).unwrap();
        assert_eq!(other.clone_dtoh(&kept).unwrap(), [N as f32]);
        assert_eq!(machine.sum.read(stream, &workspace).unwrap(), 7.0 * N as f32);
    }
}

/// Also on another stream than the one of the workspace.
#[test]
fn a_result_is_read_when_it_is_there() {
    let Some(device) = gpu("a_result_is_read_when_it_is_there") else { return };
    let machine = Machine::of(&device);
    let [stream, other, _] = &machine.streams;
    let mut workspace = machine.workspace(0);
    let ones = filled(stream, 1.0);
    for _ in 0..ROUNDS {
        machine.keep_busy(0, &mut workspace);
        machine.sum.enqueue(stream, &DeviceInputs::new(stream, &ones), &mut workspace).unwrap();
        assert_eq!(machine.sum.read(other, &workspace).unwrap(), N as f32);
    }
}

#[test]
fn a_captured_stream_is_refused_and_stays_of_use() {
    let Some(device) = gpu_alone("a_captured_stream_is_refused_and_stays_of_use") else { return };
    let machine = Machine::of(&device);
    let stream = &machine.streams[0];
    let (ones, mut workspace) = (filled(stream, 1.0), machine.workspace(0));
    let inputs = DeviceInputs::new(stream, &ones);
    machine.sum.enqueue(stream, &inputs, &mut workspace).unwrap();
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    let errors = [
        machine.sum.enqueue(stream, &inputs, &mut workspace).err(),
        machine.sum.read(stream, &workspace).err(),
        workspace.result::<f32>().err(),
        machine.sum.workspace(stream, 1).err(),
        machine.sum.reducer().reduce_device(inputs.as_slice()).err(),
    ];
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0));
    for error in errors {
        assert!(matches!(error, Some(Error::Capturing)), "{error:?}");
    }
    graph.unwrap();
    machine.sum.enqueue(stream, &inputs, &mut workspace).unwrap();
    assert_eq!(machine.sum.read(stream, &workspace).unwrap(), N as f32);
}

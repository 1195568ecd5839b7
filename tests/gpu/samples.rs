//! Compares reductions on the GPU with those on the host.

use super::cases::lengths_of_all;
use super::data::{Kind, Resident, View};
use reduce_ir::operation::Order;
use reduce_ir::{Scalar, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::cudarc::driver::CudaContext;
use reduce_runtime::{Device, Error, Reducer};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements of every type and kind, on the host and on the device.
pub(crate) struct Samples {
    pub(crate) samples: BTreeMap<Scalar, Vec<(Lanes, Resident)>>,
}

impl Samples {
    /// The maximum number of elements of a reduction.
    pub(crate) const MOST: usize = 70_000;
    /// The maximum number of elements before the reduced ones, which misalign the view.
    const MARGIN: usize = 8;

    pub(crate) fn new() -> Samples {
        let stream = CudaContext::new(0).unwrap().default_stream();
        let sample = |ty: Scalar, kind: Kind| {
            let lanes = kind.lanes(ty, Samples::MOST + Samples::MARGIN);
            let resident = Resident::new(&stream, &lanes);
            (lanes, resident)
        };
        let samples = Scalar::ALL.map(|ty| (ty, Kind::ALL.map(|kind| sample(ty, kind)).into())).into();
        stream.synchronize().unwrap();
        Samples { samples }
    }

    /// Reduces n elements of a kind on both devices. The views begin a few elements into the memory, the second further in
    /// than the first.
    pub(crate) fn compare(
        &self,
        spec: &Spec,
        gpu: &Reducer,
        host: &Reducer,
        n: usize,
        kind: Kind,
    ) -> Result<(), String> {
        let inputs = spec.operation.inputs.iter().zip(0..);
        let samples: Vec<_> = inputs
            .map(|(input, place)| {
                let start = (n + 3 * place) % (Samples::MARGIN - 3);
                (&self.samples[&input.ty][kind as usize], start..start + n)
            })
            .collect();
        let slices: Vec<_> =
            samples.iter().map(|((lanes, _), at)| lanes.borrow().slice(at.clone())).collect();
        let views: Vec<_> = samples.iter().map(|((_, resident), at)| resident.view(at.clone())).collect();
        let inputs: Vec<_> = views.iter().map(View::input).collect();
        let expected = host.reduce(&slices).map(|outcome| outcome.values);
        let resident = gpu.reduce_device(&inputs).map(|outcome| outcome.values);
        let copied = gpu.reduce(&slices).map(|outcome| outcome.values);
        for (found, way) in [(resident, "device slices"), (copied, "host slices")] {
            let near = || slack(gpu, &slices, kind).is_some_and(|slack| within(slack, &found, &expected));
            if !same(&found, &expected) && !near() {
                return Err(format!("{}, n = {n}, {kind:?}, {way}: {found:?}, not {expected:?}", spec.text));
            }
        }
        Ok(())
    }

    /// Compares for every length and kind.
    fn compare_all(&self, spec: &Spec, device: &Device) -> Result<(), String> {
        let text = |error: Error| format!("{}: {error}", spec.text);
        let gpu = Reducer::new(spec, device).map_err(text)?;
        let host = Reducer::new(spec, &Device::host()).map_err(text)?;
        for n in lengths_of_all(gpu.programs(), Samples::MOST) {
            Kind::ALL.iter().try_for_each(|&kind| self.compare(spec, &gpu, &host, n, kind))?;
        }
        Ok(())
    }
}

/// Returns whether both have the same bits, or the same error.
pub(crate) fn same(found: &Result<Vec<Value>, Error>, expected: &Result<Vec<Value>, Error>) -> bool {
    match (found, expected) {
        (Ok(found), Ok(expected)) => found == expected,
        (Err(found), Err(expected)) => found.to_string() == expected.to_string(),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

/// Returns the distance that two sums may have if blocks are combined in any order: twice γ_d Σ|x|, where no element goes
/// through more than d additions (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2). Returns `None` if
/// the bits must be the same: for other reductions, and for kinds whose sums are all exact.
fn slack(gpu: &Reducer, slices: &[LanesRef<'_>], kind: Kind) -> Option<f64> {
    let program = gpu.programs().for_len(slices[0].len() as u64);
    let operation = &program.operation;
    if operation.exact || operation.order == Order::Fixed || !matches!(kind, Kind::Plain) {
        return None;
    }
    let unit = match operation.acc.fields[0].ty.size() {
        _ if !operation.acc.fields[0].ty.is_float() => return None,
        8 => f64::EPSILON / 2.0,
        _ => f64::from(f32::EPSILON) / 2.0,
    };
    let first = program.plan().launches(slices[0].len() as u64)[0];
    let in_block = program.plan().tiles()[0] / u64::from(program.block) + u64::from(program.block.ilog2());
    let rounded = (in_block + first.grid) as f64 * unit;
    let magnitude: f64 = (0..slices[0].len()).map(|i| float(slices[0].get(i)).abs()).sum();
    Some(2.0 * rounded / (1.0 - rounded) * magnitude)
}

fn within(slack: f64, found: &Result<Vec<Value>, Error>, expected: &Result<Vec<Value>, Error>) -> bool {
    let (Ok(found), Ok(expected)) = (found, expected) else { return false };
    (float(found[0]) - float(expected[0])).abs() <= slack
}

fn float(value: Value) -> f64 {
    value.get::<f64>().or_else(|| value.get::<f32>().map(f64::from)).unwrap()
}

/// Compares specifications on all cores, and fails with a list of all differences.
pub(crate) fn compare_on_all_cores(specs: &[Spec], device: &Device) {
    let samples = Samples::new();
    let differences = on_all_cores(specs, |spec| samples.compare_all(spec, device).err());
    let differences: Vec<_> = differences.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{} of {}:\n{}", differences.len(), specs.len(), differences.join("\n"));
}

/// Applies `work` to each item. The order of the results is arbitrary.
pub(crate) fn on_all_cores<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(item);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

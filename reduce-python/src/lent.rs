//! Workspaces and results that PyTorch or CuPy allocates: from its own pool, in the order of its stream, and kept by its graphs.

use crate::arrays;
use crate::on_gpu::{Call, Queued};
use crate::results::empty;
use crate::tensor::{Library, Place};
use cudarc::driver::sys::{self, CUdeviceptr};
use cudarc::driver::{CudaSlice, CudaStream};
use pyo3::prelude::*;
use reducegen::ir::Scalar;
use reducegen::{DeviceGroups, DeviceInput, Error, Reducer, View};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, PoisonError};

/// A workspace in memory of another library, which is given back.
pub(crate) struct Lent {
    pub(crate) groups: ManuallyDrop<DeviceGroups>,
    bytes: u64,
    #[expect(dead_code, reason = "keeps the memory")]
    array: Py<PyAny>,
}

impl Drop for Lent {
    fn drop(&mut self) {
        // SAFETY: taken once, here. Leaking the memory gives it back to its owner.
        unsafe { ManuallyDrop::take(&mut self.groups) }.into_memory().leak();
    }
}

/// The workspaces that a compiled reduction keeps from call to call, each with the number of its stream. A new one costs an
/// allocation and a memset, which take longer than the launch.
#[derive(Default)]
pub(crate) struct Workspaces(Mutex<Vec<(u64, Lent)>>);

impl Workspaces {
    /// The most that are kept: programs may make streams without end.
    const MOST: usize = 8;
    /// The most bytes of one that is kept.
    const LARGEST: u64 = 1 << 20;

    /// Takes the workspace for a stream. No other call uses it until it is given back.
    fn take(&self, stream: u64) -> Option<Lent> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(it, _)| *it == stream)?;
        Some(kept.swap_remove(at).1)
    }

    pub(crate) fn keep(&self, stream: u64, lent: Lent) {
        if lent.bytes > Workspaces::LARGEST {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = (kept.len() == Workspaces::MOST).then(|| kept.remove(0));
        kept.push((stream, lent));
        drop(kept);
        drop(oldest);
    }
}

impl Call<'_> {
    /// Queues a reduction of groups, each with elements, in memory of the caller's library. A graph may capture the stream.
    pub(crate) fn queue_lent(
        &self,
        stream: &Arc<CudaStream>,
        views: &[View<&DeviceInput<'_>>],
        library: Library,
    ) -> Result<Queued, Error> {
        let Some(number) = self.stream_number(stream) else {
            self.keep_for_graphs();
            let mut lent = self.lent(stream, views, library)?;
            // SAFETY: the library keeps the memory of arrays that it allocated during a capture as long as the graph. The reduction
            // is kept until the process ends; the caller keeps the inputs, as for all work in a graph.
            unsafe { self.reducer.reduce_groups_captured(views, self.params, &mut lent.groups) }?;
            return Ok(Queued::Lent(lent, None));
        };
        if let Some(lent) = self.workspaces.take(number) {
            match self.reduce(lent, number, views, library) {
                // It was made for other groups, or for fewer elements.
                Err(Error::OtherWorkspace) => {}
                queued => return queued,
            }
        }
        self.reduce(self.lent(stream, views, library)?, number, views, library)
    }

    /// Queues a reduction outside of captures. Results that are scalars are written where they belong.
    fn reduce(
        &self,
        mut lent: Lent,
        number: u64,
        views: &[View<&DeviceInput<'_>>],
        library: Library,
    ) -> Result<Queued, Error> {
        let output = &self.reducer.operation().output;
        if !output.is_scalar() {
            // SAFETY: nothing is captured; the library frees memory in the order of the stream.
            unsafe { self.reducer.reduce_groups_captured(views, self.params, &mut lent.groups) }?;
            return Ok(Queued::Lent(lent, Some(number)));
        }
        let mut array = None;
        let place = |shape: &[u64]| {
            let shape: Vec<_> = shape.iter().map(|&length| length as usize).collect();
            let (made, address) = self.allocate(library, output.fields[0].ty, &shape)?;
            array = Some(made);
            Ok(address)
        };
        // SAFETY: as above; the array has room for the results, which are scalars of its type.
        unsafe { self.reducer.reduce_groups_at(views, self.params, &mut lent.groups, place) }?;
        self.workspaces.keep(number, lent);
        array.map(Queued::Placed).ok_or(Error::NothingEnqueued)
    }

    /// Makes a workspace.
    fn lent(
        &self,
        stream: &Arc<CudaStream>,
        views: &[View<&DeviceInput<'_>>],
        library: Library,
    ) -> Result<Lent, Error> {
        let mut memory = None;
        let groups = self.reducer.groups_in(views, self.params, |bytes| {
            let (array, address) = self.allocate(library, Scalar::U8, &[bytes as usize])?;
            memory = Some((bytes, array));
            // SAFETY: the array has that many bytes; it lives until the results were copied, in the order of the stream.
            Ok::<CudaSlice<u8>, _>(unsafe { stream.upgrade_device_ptr(address, bytes as usize) })
        })?;
        let groups = ManuallyDrop::new(groups);
        let (bytes, array) = memory.ok_or(Error::NothingEnqueued)?;
        Ok(Lent { groups, bytes, array })
    }

    /// Allocates an array of the caller's library, and returns it with its address.
    fn allocate(
        &self,
        library: Library,
        ty: Scalar,
        shape: &[usize],
    ) -> Result<(Py<PyAny>, CUdeviceptr), Error> {
        let place = (Place::Cuda(self.gpu.context.ordinal()), self.stream);
        let allocated = Python::attach(|py| {
            let array = empty(py, library, ty, shape, place)?;
            let address = arrays::address(&array, library)? as CUdeviceptr;
            Ok::<_, PyErr>((array.unbind(), address))
        });
        let asked = (shape.iter().product::<usize>() * ty.size()) as u64;
        let free = || self.gpu.context.mem_get_info().map_or(0, |(free, _)| free as u64);
        allocated.map_err(|_| Error::OutOfMemory { asked, free: free() })
    }

    /// Returns the number of a stream, which no other stream ever has, unlike its handle. `None`: a graph may be capturing it.
    fn stream_number(&self, stream: &CudaStream) -> Option<u64> {
        // The null stream is one of the current context.
        self.gpu.context.bind_to_thread().ok()?;
        let none = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        let (mut status, mut number) = (none, 0);
        // SAFETY: the stream lives; one status is written.
        let asked = unsafe { sys::cuStreamIsCapturing(stream.cu_stream(), &mut status) };
        if asked.result().is_err() || status != none {
            return None;
        }
        // SAFETY: the stream lives; one number is written.
        unsafe { sys::cuStreamGetId(stream.cu_stream(), &mut number) }.result().ok()?;
        Some(number)
    }

    /// Keeps the kernels until the process ends: a graph may replay them.
    fn keep_for_graphs(&self) {
        static KEPT: Mutex<Vec<Arc<Reducer>>> = Mutex::new(Vec::new());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.iter().any(|it| Arc::ptr_eq(it, self.reducer)) {
            kept.push(self.reducer.clone());
        }
    }
}

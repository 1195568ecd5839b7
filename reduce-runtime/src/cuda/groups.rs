//! Reduces groups on a GPU.

use super::driver::{self, failed};
use super::kernels::{Kernels, bytes};
use super::workspace::{Workspace, values};
use crate::{Error, View};
use cudarc::driver::DevicePtr;
use cudarc::driver::sys::CUdeviceptr;
use reduce_ir::Value;
use reduce_ir::axes::Nest;
use reduce_ir::operation::Record;
use reduce_lanes::{Lanes, LanesRef};
use std::ops::Range;

impl Kernels {
    /// Reduces each group of a merged nest, of copies of host memory. There is at least one group, with at least one element.
    /// Returns one vector for each field of the stored output.
    pub(crate) fn reduce_groups(
        &self,
        inputs: &[View<LanesRef<'_>>],
        nest: &Nest,
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        let stream = self.stream();
        let spans: Vec<_> = inputs.iter().map(|input| input.span().unwrap_or(0..0)).collect();
        let copies = inputs
            .iter()
            .zip(&spans)
            .map(|(input, span)| self.copy(&stream, bytes(input.data.slice(span.clone()))));
        let copies = copies.collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = copies.iter().map(|copy| copy.device_ptr(&stream)).collect();
        let addresses: Vec<_> = pointers.iter().map(|(pointer, _)| *pointer).collect();
        let firsts = addresses.iter().zip(inputs).zip(&spans).map(first_of_view);
        let extent = nest.extent();
        self.prepare(extent.length)?;
        let mut workspace = Workspace::new(&self.variants, &stream, extent)?;
        workspace.prepare_groups(extent, &sizes(nest), words(nest, firsts), params)?;
        stream.context().bind_to_thread().map_err(failed("binding its context"))?;
        let stored = self.variants.operation.stored();
        let mut results = vec![0; extent.groups as usize * stored.size()];
        // SAFETY: the stream is waited for before the bytes are used, or dropped.
        let launched =
            workspace.launch_all().and_then(|()| unsafe { workspace.copy_result(&stream, &mut results) });
        if let Err(error) = driver::wait(&stream) {
            // Kernels may still write to the workspace, and the copy to the results.
            std::mem::forget((workspace, results));
            return launched.and(Err(failed("running the kernels")(error)));
        }
        launched?;
        Ok(fields(&stored, &results))
    }
}

/// Returns the address of the first element of a view in a copy of its span.
pub(super) fn first_of_view(
    ((copy, input), span): ((&CUdeviceptr, &View<LanesRef<'_>>), &Range<usize>),
) -> CUdeviceptr {
    copy + ((input.offset - span.start) * input.data.ty().size()) as u64
}

/// Returns the lengths of axes that kernels take.
pub(super) fn sizes(nest: &Nest) -> Vec<u64> {
    let lengths: Vec<_> = nest.kept.iter().chain(&nest.reduced).map(|dim| dim.length).collect();
    nest.domain().sizes().map(|axis| lengths[axis]).collect()
}

/// Returns the words by which kernels take inputs: for each its address, and the steps that the domain names.
pub(super) fn words(nest: &Nest, firsts: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    let count = nest.domain().steps();
    firsts.enumerate().flat_map(move |(input, first)| {
        [first].into_iter().chain(nest.steps(input).take(count).map(|step| step as u64))
    })
}

/// Decodes records, one vector for each field.
fn fields(record: &Record, bytes: &[u8]) -> Vec<Lanes> {
    let mut fields: Vec<_> = record.types().into_iter().map(Lanes::empty).collect();
    for one in bytes.chunks(record.size()) {
        for (field, value) in fields.iter_mut().zip(values(record, one)) {
            field.extend(Lanes::splat(value, 1).borrow());
        }
    }
    fields
}

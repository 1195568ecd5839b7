//! Results that no kernel writes: those of no elements.

use super::Workspace;
use crate::cuda::driver::failed;
use crate::cuda::launch::fill;
use crate::cuda::variants::bytes_of;
use crate::{Error, host};
use reduce_ir::Value;

impl Workspace {
    /// Writes the results of groups without elements, or of no groups.
    pub(in crate::cuda) fn write_empty_groups(&mut self, params: &[Value]) -> Result<(), Error> {
        let (operation, groups) = (&self.variants.operation, self.groups());
        if groups > 0 {
            let results =
                bytes_of(&operation.stored(), &host::empty_result(operation, params)?).repeat(groups);
            let from = (self.result_ptr() - self.base) as usize;
            let mut memory = self.memory.slice_mut(from..from + results.len());
            self.stream.memcpy_htod(&results, &mut memory).map_err(failed("setting the results"))?;
        }
        self.has_result = true;
        Ok(())
    }

    /// Queues a write of the result of an empty input.
    pub(in crate::cuda) fn enqueue_empty_result(&mut self, params: &[Value]) -> Result<(), Error> {
        let operation = &self.variants.operation;
        let result = bytes_of(&operation.stored(), &host::empty_result(operation, params)?);
        // SAFETY: the result has that size, in memory that is freed in the order of the stream.
        unsafe { fill(&self.stream, self.result_ptr(), &result) }.map_err(failed("setting the result"))?;
        self.has_result = true;
        Ok(())
    }
}

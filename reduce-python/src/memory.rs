//! The memory of results that no Python library has allocated.

use crate::tensor::Place;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use std::sync::Arc;

/// Memory on the host or a GPU. It is freed in the order of its stream.
pub(crate) struct Memory {
    address: usize,
    place: Place,
    kept: Kept,
}

enum Kept {
    Host(#[expect(dead_code, reason = "keeps the memory")] Vec<u64>),
    Cuda(CudaSlice<u8>),
}

impl Memory {
    /// Takes words on the host.
    pub(crate) fn of_host(words: Vec<u64>) -> Memory {
        Memory { address: words.as_ptr() as usize, place: Place::Host, kept: Kept::Host(words) }
    }

    /// Takes memory of a GPU.
    pub(crate) fn of_gpu(slice: CudaSlice<u8>) -> Memory {
        let ordinal = slice.stream().context().ordinal();
        let address = slice.device_ptr(slice.stream()).0 as usize;
        Memory { address, place: Place::Cuda(ordinal), kept: Kept::Cuda(slice) }
    }

    pub(crate) fn address(&self) -> usize {
        self.address
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Returns the stream that the memory is written on.
    pub(crate) fn stream(&self) -> Option<&Arc<CudaStream>> {
        match &self.kept {
            Kept::Host(_) => None,
            Kept::Cuda(slice) => Some(slice.stream()),
        }
    }
}

//! Files mapped into memory: data of any size, read on access.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};

/// The bytes of a regular file, read-only.
#[derive(Debug)]
pub struct Mapped(Mmap);

impl Mapped {
    /// Maps the whole of `file`, which may be empty.
    ///
    /// # Safety
    /// Nobody changes or shortens the file while it is mapped, in this process or another: the bytes would change under
    /// a reference, and a file that shrinks ends the process with the signal SIGBUS.
    ///
    /// # Errors
    /// The system reports that the file is not a regular one, or is larger than the address space.
    pub unsafe fn of(file: &File) -> io::Result<Mapped> {
        // SAFETY: the caller promises it.
        unsafe { Mmap::map(file) }.map(Mapped)
    }

    /// Reads bytes into memory, if the system can do so ahead. It does nothing elsewhere.
    pub fn prefetch(&self, bytes: Range<usize>) {
        // Without it, bytes are read on access. So an error needs no answer.
        #[cfg(target_os = "linux")]
        let _ = self.0.advise_range(memmap2::Advice::PopulateRead, bytes.start, bytes.len());
        #[cfg(all(unix, not(target_os = "linux")))]
        let _ = self.0.advise_range(memmap2::Advice::WillNeed, bytes.start, bytes.len());
        #[cfg(not(unix))]
        let _ = bytes;
    }

    /// Releases the memory of bytes, which are read from the file again on access.
    pub fn release(&self, bytes: Range<usize>) {
        #[cfg(unix)]
        // SAFETY: the mapping is shared and read-only, so the pages have the bytes of the file when they are read again.
        let _ = unsafe {
            self.0.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, bytes.start, bytes.len())
        };
        #[cfg(not(unix))]
        let _ = bytes;
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

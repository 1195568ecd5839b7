//! Files mapped into memory: data of any size, read on access.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::Deref;

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
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

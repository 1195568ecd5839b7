//! Files as memory: data of any size, read when it is used.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of a regular file, read-only.
#[derive(Debug)]
pub struct Mapped(Mmap);

impl Mapped {
    /// Maps the whole of `file`, which may be empty. As with every program that maps its data, whoever
    /// changes the file meanwhile gets the result of neither version, and a file that shrinks ends the
    /// process with the signal SIGBUS.
    ///
    /// # Errors
    /// Those of the system: the file is no regular one, or larger than the address space.
    pub fn of(file: &File) -> io::Result<Mapped> {
        // SAFETY: the bytes are only read, any bytes are valid, and nobody in this process writes them.
        // Other processes may, as in every mapping of a file; the documentation above says what then.
        unsafe { Mmap::map(file) }.map(Mapped)
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

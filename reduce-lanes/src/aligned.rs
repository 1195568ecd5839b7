//! Vectors that begin at a line of the cache, where they have grown here.

use super::LINE;
use std::ops::{Deref, DerefMut};

/// A vector of scalars. Loops over several of them take up to twice as long where vectors of the processor lie across lines.
#[derive(Debug, Default)]
pub struct Aligned<T> {
    memory: Vec<T>,
    /// Where the first scalar lies.
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// None.
    pub const fn new() -> Aligned<T> {
        Aligned { memory: Vec::new(), start: 0 }
    }

    /// Removes all and keeps the memory.
    pub fn clear(&mut self) {
        self.memory.truncate(self.start);
    }

    /// Makes it `len` long; new scalars are `value`.
    pub fn resize(&mut self, len: usize, value: T) {
        self.reserve(len.saturating_sub(self.len()));
        self.memory.resize(self.start + len, value);
    }

    /// Appends those.
    pub fn extend_from_slice(&mut self, more: &[T]) {
        self.reserve(more.len());
        self.memory.extend_from_slice(more);
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        if self.memory.capacity() - self.memory.len() < more {
            self.grow(more);
        }
    }

    /// Moves to new memory, at least twice as much.
    #[cold]
    fn grow(&mut self, more: usize) {
        let line = LINE / size_of::<T>();
        let room = (self.len() + more).max(2 * self.len()) + line;
        let mut memory: Vec<T> = Vec::with_capacity(room);
        let start = memory.as_ptr().align_offset(LINE).min(line);
        memory.resize(start, T::default());
        memory.extend_from_slice(self);
        *self = Aligned { memory, start };
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.memory[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..]
    }
}

impl<T: Copy + Default> Clone for Aligned<T> {
    fn clone(&self) -> Aligned<T> {
        let mut clone = Aligned::new();
        clone.extend_from_slice(self);
        clone
    }
}

impl<T: PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Aligned<T>) -> bool {
        self[..] == other[..]
    }
}

impl<T: Copy + Default> Extend<T> for Aligned<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        let more = more.into_iter();
        self.reserve(more.size_hint().0);
        self.memory.extend(more);
    }
}

/// Where it lies.
impl<T> From<Vec<T>> for Aligned<T> {
    fn from(memory: Vec<T>) -> Aligned<T> {
        Aligned { memory, start: 0 }
    }
}

impl<T> FromIterator<T> for Aligned<T> {
    fn from_iter<I: IntoIterator<Item = T>>(scalars: I) -> Aligned<T> {
        Vec::from_iter(scalars).into()
    }
}

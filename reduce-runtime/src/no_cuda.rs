//! Replaces the module `cuda` in a build without it, by types that have no value.

use crate::architecture::{Architecture, Target};
use crate::image::Image;
use crate::reducer::Outcome;
use crate::{Error, Reducer, Strided, Timing, View};
use reduce_codegen::Programs;
use reduce_codegen::keys::Keyed;
use reduce_ir::Value;
use reduce_ir::axes::Nest;
use reduce_ir::program::Program;
use reduce_lanes::{Lanes, LanesRef};
use std::path::Path;
use std::time::Duration;

/// The compiler of kernels, which this build lacks.
#[derive(Debug)]
pub enum Nvrtc {}

impl Nvrtc {
    /// Returns the NVRTC of this process.
    ///
    /// # Errors
    /// [`Error::BuiltWithoutCuda`].
    pub fn get() -> Result<&'static Nvrtc, Error> {
        Err(Error::BuiltWithoutCuda)
    }

    /// Loads the NVRTC at a path.
    ///
    /// # Errors
    /// [`Error::BuiltWithoutCuda`].
    ///
    /// # Safety
    /// With the feature `cuda`: the file is a build of NVRTC.
    pub unsafe fn open(_: &Path) -> Result<Nvrtc, Error> {
        Err(Error::BuiltWithoutCuda)
    }

    /// Returns the path of the library.
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// Returns the architectures that it compiles for.
    pub fn architectures(&self) -> &[Architecture] {
        match *self {}
    }

    /// Compiles CUDA C.
    ///
    /// # Errors
    /// Never: this type has no value.
    pub fn compile(&self, _: &str, _: Target) -> Result<Image, Error> {
        match *self {}
    }

    /// Prints and compiles a program.
    ///
    /// # Errors
    /// Never: this type has no value.
    pub fn compile_program(&self, _: &Program, _: Target) -> Result<Image, Error> {
        match *self {}
    }
}

/// A GPU. This build cannot open one.
#[derive(Clone, Debug)]
pub(crate) enum Gpu {}

impl Gpu {
    pub(crate) fn count() -> Result<usize, Error> {
        Err(Error::BuiltWithoutCuda)
    }

    pub(crate) fn open(_: usize) -> Result<Gpu, Error> {
        Err(Error::BuiltWithoutCuda)
    }

    pub(crate) fn has_context_of(&self, _: &Gpu) -> bool {
        match *self {}
    }

    pub(crate) fn name(&self) -> String {
        match *self {}
    }

    pub(crate) fn description(&self) -> String {
        match *self {}
    }

    pub(crate) fn architecture(&self) -> Architecture {
        match *self {}
    }

    pub(crate) fn time_read(&self, _: u64) -> Result<Duration, Error> {
        match *self {}
    }
}

/// The kernels of a program over segments. This build cannot load any.
#[derive(Debug)]
pub(crate) enum SegmentKernels {}

impl Reducer {
    pub(crate) fn reduce_cut_copied(
        &self,
        _: &[View<LanesRef<'_>>],
        _: &Nest,
        _: &[usize],
        _: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        Err(Error::BuiltWithoutCuda)
    }
}

/// The kernels of a program over elements with keys. This build cannot load any.
#[derive(Debug)]
pub(crate) enum KeyKernels {}

impl KeyKernels {
    pub(crate) fn load(_: Keyed, gpu: &Gpu) -> Result<KeyKernels, Error> {
        match *gpu {}
    }

    pub(crate) fn reduce(&self, _: &[Strided<LanesRef<'_>>], _: &[Value]) -> Result<Vec<Lanes>, Error> {
        match *self {}
    }
}

/// The kernels of a program. This build cannot load any.
#[derive(Debug)]
pub(crate) enum Kernels {}

impl Kernels {
    pub(crate) fn new(_: &Programs, gpu: &Gpu) -> Result<Kernels, Error> {
        match *gpu {}
    }

    pub(crate) fn prepare(&self, _: u64) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn prepare_all(&self) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn reduce(&self, _: &[Strided<LanesRef<'_>>], _: &[Value]) -> Result<Outcome, Error> {
        match *self {}
    }

    pub(crate) fn partials(&self, _: &[Strided<LanesRef<'_>>], _: &[Value]) -> Result<Vec<Lanes>, Error> {
        match *self {}
    }

    pub(crate) fn reduce_groups(
        &self,
        _: &[View<LanesRef<'_>>],
        _: &Nest,
        _: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        match *self {}
    }

    pub(crate) fn time_groups(
        &self,
        _: &[View<LanesRef<'_>>],
        _: &Nest,
        _: &[Value],
    ) -> Result<Timing, Error> {
        match *self {}
    }

    pub(crate) fn time(&self, _: &[Strided<LanesRef<'_>>], _: &[Value]) -> Result<Timing, Error> {
        match *self {}
    }
}

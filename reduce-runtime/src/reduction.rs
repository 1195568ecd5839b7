//! A reduction with Rust types: what `reduction!` gives.

mod types;

pub use types::{Output, Slices};

use crate::{Device, Error, Reducer};
use reduce_dsl::Spec;
use reduce_dsl::program::Program;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// A reduction from slices of `In` to `Out`: `f32` to `f32`, or `(f32, f32)` to `f32` for two inputs.
/// It can live in a `static`, and threads may share it.
#[derive(Debug)]
pub struct Reduction<In, Out> {
    spec: fn() -> Spec,
    host: OnceLock<Compiled<In, Out>>,
}

impl<In, Out: Output> Reduction<In, Out> {
    /// The reduction that `spec` specifies. The types are checked when it runs; `reduction!` gets them right.
    pub const fn new(spec: fn() -> Spec) -> Reduction<In, Out> {
        Reduction { spec, host: OnceLock::new() }
    }

    /// Reduces slices of equal length, a tuple of them for several inputs, on all cores of the host, with the bits
    /// that every GPU gives. Slices go to a GPU only where one is named: see [`Reduction::compile`]. With
    /// `layout: strided`, [`Strided`](crate::Strided) elements may stand in the place of slices.
    ///
    /// # Errors
    /// See [`Reducer::reduce`].
    pub fn reduce<S: Slices<In>>(&self, slices: S) -> Result<Out, Error> {
        if let Some(host) = self.host.get() {
            return host.reduce(slices);
        }
        let host = self.compile(&Device::host())?;
        self.host.get_or_init(|| host).reduce(slices)
    }

    /// Compiles the reduction for a device, to run it there many times.
    ///
    /// # Errors
    /// See [`Reducer::new`].
    pub fn compile(&self, device: &Device) -> Result<Compiled<In, Out>, Error> {
        let reducer = Reducer::new(&self.spec(), device)?;
        Ok(Compiled { reducer, types: PhantomData })
    }

    /// The specification.
    pub fn spec(&self) -> Spec {
        (self.spec)()
    }

    /// The program that it becomes.
    ///
    /// # Errors
    /// A pass that does not apply, which `reduction!` has excluded.
    pub fn program(&self) -> Result<Program, Error> {
        Ok(reduce_codegen::compile(&self.spec())?)
    }

    /// The CUDA that it becomes, the same text for every architecture.
    ///
    /// # Errors
    /// As [`Reduction::program`].
    pub fn cuda(&self) -> Result<String, Error> {
        Ok(reduce_codegen::cuda(&self.program()?)?)
    }
}

/// A [`Reduction`] compiled for a device. Nothing is lowered or compiled again when it runs.
#[derive(Debug)]
pub struct Compiled<In, Out> {
    reducer: Reducer,
    types: PhantomData<fn(In) -> Out>,
}

impl<In, Out: Output> Compiled<In, Out> {
    /// Reduces slices, or strided elements, of equal length in the memory of the host; a GPU gets a copy.
    ///
    /// # Errors
    /// See [`Reducer::reduce`].
    pub fn reduce<S: Slices<In>>(&self, slices: S) -> Result<Out, Error> {
        let outcome = self.reducer.reduce(&slices.views())?;
        self.read(&outcome.values)
    }

    /// Reduces data that lies on the device already: slices or views of cudarc, at any alignment, or strided
    /// elements of them, a tuple for several inputs. See [`Reducer::reduce_device`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_device`].
    #[cfg(feature = "cuda")]
    pub fn reduce_device<S: crate::DeviceSlices<In>>(&self, slices: S) -> Result<Out, Error> {
        let outcome = self.reducer.reduce_device(&slices.inputs())?;
        self.read(&outcome.values)
    }

    /// The same without Rust types, with its program and device.
    pub fn reducer(&self) -> &Reducer {
        &self.reducer
    }

    fn read(&self, values: &[reduce_dsl::Value]) -> Result<Out, Error> {
        Out::of(values).ok_or_else(|| Error::OutputType {
            expected: std::any::type_name::<Out>(),
            found: self.reducer.program().operation.output.text(),
        })
    }
}

//! Reduces views with several axes to one result for each group.

use crate::SegmentsError;
use crate::cuda::Kernels;
use crate::device::DeviceKind;
use crate::reducer::Backend;
use crate::{Error, Reducer, Timing, View, host, inputs, view};
use reduce_codegen::Programs;
use reduce_ir::axes::{Axes, Cut, Nest, ShapeError};
use reduce_ir::operation::{Missing, Nothing, Operation};
use reduce_ir::{Domain, Extent, Scalar, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use std::sync::{Arc, PoisonError};

/// The results of groups, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// The length of each axis of the result.
    pub shape: Vec<u64>,
    /// The values, one vector for each field of the operation's output.
    pub fields: Vec<Lanes>,
    /// Whether each group has a result. `None`: all have.
    pub present: Option<Vec<bool>>,
}

impl Groups {
    /// Makes the results of an operation from its stored fields.
    ///
    /// # Errors
    /// An assertion failed for an element of a group.
    pub(crate) fn new(
        operation: &Operation,
        shape: Vec<u64>,
        mut stored: Vec<Lanes>,
    ) -> Result<Groups, Error> {
        let present = match operation.nothing {
            None => None,
            Some(Nothing::Flag) => stored.pop().map(|flags| bits(&flags).map(|flag| flag != 0).collect()),
            Some(Nothing::Scalar(nothing)) => {
                stored.first().map(|values| bits(values).map(|value| value != nothing.bits()).collect())
            }
        };
        let failed = if operation.asserts { stored.pop() } else { None };
        if failed.is_some_and(|failed| bits(&failed).any(|flag| flag != 0)) {
            return Err(missing(operation, Missing::Assertion));
        }
        Ok(Groups { shape, fields: stored, present })
    }

    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.fields.first().map_or(0, Lanes::len)
    }

    /// Returns whether there are no groups.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the result of a group, one value for each field. `None`: no element of the group was left to reduce.
    #[must_use]
    pub fn get(&self, group: usize) -> Option<Vec<Value>> {
        let is_present = self.present.as_ref().is_none_or(|present| present[group]);
        is_present.then(|| self.fields.iter().map(|field| field.get(group)).collect())
    }
}

fn bits(lanes: &Lanes) -> impl Iterator<Item = u64> {
    (0..lanes.len()).map(|at| lanes.get(at).bits())
}

/// Removes the flags from a stored result. Fails if they say that no element was left to reduce, or that an assertion failed.
pub(crate) fn ensure_nonempty(operation: &Operation, values: Vec<Value>) -> Result<Vec<Value>, Error> {
    operation.unstored(values).map_err(|why| missing(operation, why))
}

/// Returns the error for a stored result that is no result.
pub(crate) fn missing(operation: &Operation, why: Missing) -> Error {
    let operator = operation.name.clone();
    match why {
        Missing::Nothing => Error::NothingLeft { operator },
        Missing::Assertion => Error::AssertionFailed { operator },
    }
}

/// Checks that memory for the results can be allocated. Allocating it later would end the process.
pub(crate) fn check_room(operation: &Operation, groups: u64) -> Result<(), Error> {
    check_memory(groups, operation.stored().size())
}

/// Checks that memory for that many structs of `size` bytes can be allocated.
pub(crate) fn check_memory(groups: u64, size: usize) -> Result<(), Error> {
    let bytes = usize::try_from(groups).unwrap_or(usize::MAX).saturating_mul(size);
    let too_many = |_| Error::Shape(ShapeError::TooManyResults { groups, size });
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(too_many)
}

impl Reducer {
    /// Reduces each group of views in host memory, as the `axes` of the specification say. For a GPU, they are copied.
    ///
    /// The result of a group has the bits of a reduction of its elements alone, in the order of the reduced axes as written.
    /// Positions count in this order, too.
    ///
    /// ```
    /// # use reduce_runtime::{Device, Reducer, View};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sums = Reducer::new(&reduce_dsl::parse::spec("op: sum, ty: f32, axes: i j -> i")?, &Device::host())?;
    /// let groups = sums.reduce_groups(&[View::new([1.0f32, 2.0, 3.0, 4.0].as_slice().into(), [2, 2])], &[])?;
    /// assert_eq!(groups.get(1), Some(vec![7.0f32.into()]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The specification has no `axes`; inputs differ from it in number, type or axes, or lie outside their data; params differ
    /// from it; there is no memory for the results; the driver reports an error.
    pub fn reduce_groups(&self, inputs: &[View<LanesRef<'_>>], params: &[Value]) -> Result<Groups, Error> {
        if let Some(keying) = self.keying().filter(|keying| keying.program.keys.given.is_none()) {
            return self.reduce_by(keying, inputs, params);
        }
        inputs::check_params(self.operation(), params)?;
        let shapes = inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len())));
        let nest = self.nest(shapes)?;
        let (extent, shape) = (nest.extent(), nest.result.clone());
        check_room(self.operation(), extent.groups)?;
        if extent.groups == 0 || extent.length == 0 {
            return self.empty_groups(extent, shape, params);
        }
        self.within(extent.length)?;
        let nest = nest.of(self.operation());
        let params = nest.params(self.operation(), params);
        let stored = match &self.backend {
            Backend::Host { plan, associations } => {
                let association = &associations[self.programs().place(extent.length)];
                plan.reduce_groups(association, inputs, &nest, &params)?
            }
            Backend::Cuda(_) => self.kernels_of(nest.domain())?.reduce_groups(inputs, &nest, &params)?,
        };
        Groups::new(self.operation(), shape, stored)
    }

    /// Times every launch of the plan for views in host memory, and the whole plan, on a GPU: see [`Timing`]. The inputs are
    /// copied to the device once, including the gaps between elements, and stay there.
    ///
    /// # Errors
    /// The device is the host; there are no elements; an error of [`Reducer::reduce_groups`].
    pub fn time_groups(&self, inputs: &[View<LanesRef<'_>>], params: &[Value]) -> Result<Timing, Error> {
        inputs::check_params(self.operation(), params)?;
        let shapes = inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len())));
        let nest = self.nest(shapes)?.of(self.operation());
        match self.backend {
            Backend::Host { .. } => Err(Error::HostHasNoClock),
            Backend::Cuda(_) if nest.extent().elements() == 0 => Err(Error::NothingToTime),
            Backend::Cuda(_) => {
                let params = nest.params(self.operation(), params);
                self.kernels_of(nest.domain())?.time_groups(inputs, &nest, &params)
            }
        }
    }

    /// Returns the axes of the specification, if there may be several groups.
    pub fn axes(&self) -> Option<&Axes> {
        self.spec.as_ref()?.axes.as_ref()
    }

    /// Returns the kernels for groups of that domain. The first call for a domain makes them.
    pub(crate) fn kernels_of(&self, domain: Domain) -> Result<Arc<Kernels>, Error> {
        let (DeviceKind::Cuda(gpu), Backend::Cuda(kernels)) = (self.device().kind(), &self.backend) else {
            return Err(Error::DeviceMemoryOnHost);
        };
        let Some(spec) = self.spec.as_ref().filter(|_| domain != self.programs().domain()) else {
            return Ok(kernels.clone());
        };
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = others.iter().find(|(other, _)| *other == domain) {
            return Ok(made.clone());
        }
        let programs = Programs::of(&Spec { domain, ..spec.clone() }, gpu.architecture().tuning())?;
        let made = Arc::new(Kernels::new(&programs, gpu)?);
        others.push((domain, made.clone()));
        Ok(made)
    }

    /// As [`Reducer::nest_of`], if no offsets cut the elements.
    pub(crate) fn nest(
        &self,
        inputs: impl ExactSizeIterator<Item = View<(Scalar, usize)>>,
    ) -> Result<Nest, Error> {
        match self.axes().map(|axes| axes.cut) {
            Some(Cut::Offsets(_) | Cut::Runs(_) | Cut::Keys(_)) => Err(SegmentsError::Missing.into()),
            None | Some(Cut::Whole) => self.nest_of(inputs),
        }
    }

    /// Checks the inputs, given the type and length of the data of each, and returns the loops over them.
    pub(crate) fn nest_of(
        &self,
        inputs: impl ExactSizeIterator<Item = View<(Scalar, usize)>>,
    ) -> Result<Nest, Error> {
        let (expected, found) = (self.operation().inputs.len(), inputs.len());
        if expected != found {
            return Err(Error::InputCount { expected, found });
        }
        let axes: &Axes = self.axes().ok_or(Error::NoAxes)?;
        let mut shapes = Vec::new();
        for (param, input) in self.operation().inputs.iter().zip(inputs) {
            inputs::check_type(param, input.data.0)?;
            view::check(&param.name, &input)?;
            shapes.push((param.name.as_str(), input.shape()));
        }
        Ok(axes.nest(&shapes)?)
    }

    /// Returns the results of groups of no elements, or of no groups.
    pub(crate) fn empty_groups(
        &self,
        extent: Extent,
        shape: Vec<u64>,
        params: &[Value],
    ) -> Result<Groups, Error> {
        let operation = self.operation();
        let groups = extent.groups as usize;
        let types = operation.stored().types();
        if groups == 0 {
            return Groups::new(operation, shape, types.into_iter().map(Lanes::empty).collect());
        }
        if operation.identity.is_none() && operation.empty.is_none() {
            let fields =
                operation.output.types().into_iter().map(|ty| Lanes::splat(Value::from_bits(ty, 0), groups));
            return Ok(Groups { shape, fields: fields.collect(), present: Some(vec![false; groups]) });
        }
        let values = host::empty_result(operation, params)?;
        let stored = values.into_iter().map(|value| Lanes::splat(value, groups)).collect();
        Groups::new(operation, shape, stored)
    }
}

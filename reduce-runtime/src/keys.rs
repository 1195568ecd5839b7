//! Reduces elements with keys, which number the groups.

use crate::cuda::KeyKernels;
use crate::device::DeviceKind;
use crate::host::{HostError, KeyPlan};
use crate::{Device, Error, Groups, Reducer, SegmentsError, Strided, View, groups, inputs, view};
use reduce_codegen::keys::Keyed;
use reduce_codegen::{Programs, Tuning};
use reduce_ir::axes::{Axes, Cut, Keys};
use reduce_ir::{Domain, Spec, Value};
use reduce_lanes::LanesRef;
use std::sync::Arc;

/// A program over elements with keys, and its backend.
pub(crate) struct Keying {
    pub(crate) program: Keyed,
    pub(crate) backend: KeyBackend,
}

/// The backend that runs the program.
pub(crate) enum KeyBackend {
    Host(Box<KeyPlan>),
    Cuda(Arc<KeyKernels>),
}

impl Keying {
    fn of(program: Keyed, device: &Device) -> Result<Keying, Error> {
        let backend = match device.kind() {
            DeviceKind::Host => KeyBackend::Host(Box::new(KeyPlan::new(&program.operation, program.keys)?)),
            DeviceKind::Cuda(gpu) => KeyBackend::Cuda(Arc::new(KeyKernels::load(program.clone(), gpu)?)),
        };
        Ok(Keying { program, backend })
    }
}

/// Returns whether the specification has keys that number groups.
pub(crate) fn has_keys(spec: &Spec) -> bool {
    spec.axes.as_ref().is_some_and(|axes| matches!(axes.cut, Cut::Keys(_)))
}

impl Reducer {
    /// Compiles a specification with keys. The keys that a call gives are the last input of the operation.
    pub(crate) fn with_keys(spec: &Spec, device: &Device, tuning: Tuning) -> Result<Reducer, Error> {
        let program = Keyed::of(spec)?;
        let operation = program.operation.clone();
        let rows = Spec { operation, domain: Domain::ROWS, axes: None, ..spec.clone() };
        let mut reducer = Reducer::of(Programs::of(&rows, tuning)?, device)?;
        reducer.spec = Some(spec.clone());
        reducer.keying = Some(Keying::of(program, device)?);
        Ok(reducer)
    }

    /// Reduces the elements of each group, by the keys of views in host memory of one axis. A key is the number of its element's group.
    /// For a GPU, they are copied. The result has one axis, the groups.
    ///
    /// Elements of other groups count as absent, as with `filter`. The order of the elements of a group is that of the inputs, and positions
    /// count all elements. The bits depend on the specification, the number of elements and the keys alone.
    ///
    /// ```
    /// # use reduce_runtime::{Device, Reducer, View};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sums = reduce_dsl::parse::spec("op: sum, ty: f32, by: { day: u32 }, groups: 3")?;
    /// let (x, days) = ([1.0f32, 2.0, 3.0, 4.0], [2u32, 0, 2, 2]);
    /// let sums = Reducer::new(&sums, &Device::host())?;
    /// let groups = sums.reduce_keys(&[View::new(x.as_slice().into(), [4])], View::new(days.as_slice().into(), [4]), &[])?;
    /// assert_eq!(groups.get(2), Some(vec![8.0f32.into()]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The specification has no `groups` with a number, or computes its keys; keys have another type or number; a key is no group, and the
    /// specification has no `others: drop`; an error of [`Reducer::reduce_groups`].
    pub fn reduce_keys(
        &self,
        inputs: &[View<LanesRef<'_>>],
        keys: View<LanesRef<'_>>,
        params: &[Value],
    ) -> Result<Groups, Error> {
        let keying = self.keying().ok_or(SegmentsError::NoNumbers)?;
        let expected = keying.program.keys.given.ok_or(SegmentsError::Computed)?;
        let found = keys.data.ty();
        if expected != found {
            return Err(SegmentsError::KeyType { expected, found }.into());
        }
        self.reduce_by(keying, &[inputs, &[keys]].concat(), params)
    }

    /// Returns the program and backend, if the specification has keys that number groups.
    pub(crate) fn keying(&self) -> Option<&Keying> {
        self.keying.as_ref()
    }

    /// Reduces by the keys of all inputs.
    pub(crate) fn reduce_by(
        &self,
        keying: &Keying,
        all: &[View<LanesRef<'_>>],
        params: &[Value],
    ) -> Result<Groups, Error> {
        let operation = &keying.program.operation;
        inputs::check_params(operation, params)?;
        let shapes: Vec<_> =
            all.iter().map(|input| input.with_data((input.data.ty(), input.data.len()))).collect();
        let n = check_line(&keying.program, &shapes)?;
        let keys = keying.program.keys;
        groups::check_room(operation, keys.groups)?;
        let inputs: Vec<_> = all.iter().map(strided).collect();
        let stored = match &keying.backend {
            KeyBackend::Host(plan) => {
                let association = keying.program.association(n);
                plan.reduce(&association, inputs, params).map_err(|error| key_error(error, keys))?
            }
            KeyBackend::Cuda(kernels) => kernels.reduce(&inputs, params)?,
        };
        Groups::new(operation, vec![keys.groups], stored)
    }
}

/// Checks inputs along one axis, given the type and length of the data of each, and returns the number of elements.
pub(crate) fn check_line(program: &Keyed, all: &[View<(reduce_ir::Scalar, usize)>]) -> Result<u64, Error> {
    let (expected, found) = (program.operation.inputs.len(), all.len());
    if expected != found {
        // The keys are no input of the user.
        let given = usize::from(program.keys.given.is_some());
        return Err(Error::InputCount { expected: expected - given, found: found.saturating_sub(given) });
    }
    let mut shapes = Vec::new();
    for (param, input) in program.operation.inputs.iter().zip(all) {
        inputs::check_type(param, input.data.0)?;
        view::check(&param.name, input)?;
        shapes.push((param.name.as_str(), input.shape()));
    }
    let nest = Axes::line(expected, Cut::Whole).nest(&shapes)?;
    let n = nest.reduced.first().map_or(0, |dim| dim.length);
    if n > Keyed::MOST {
        return Err(Error::TooManyElements { n, most: Keyed::MOST });
    }
    Ok(n)
}

/// Returns the elements of a view of one axis.
fn strided<'a>(view: &View<LanesRef<'a>>) -> Strided<LanesRef<'a>> {
    let step = view.steps.first().copied().unwrap_or(1);
    Strided { data: view.data, offset: view.offset, step, len: view.lengths.first().copied().unwrap_or(1) }
}

fn key_error(error: HostError, keys: Keys) -> Error {
    if let HostError::Key { position } = error {
        return SegmentsError::Key { position, groups: keys.groups }.into();
    }
    error.into()
}

//! Our side of shapes: a reducer of the library with several results, whose calls are queued into memory that is allocated
//! once.

use super::Outcome;
use super::cases::Case;
use super::clock::{Clock, Launch};
use super::gpu::Gpu;
use super::ours::{Compiled, MOST_TURNS, input};
use super::outputs::as_f64;
use super::pool::lanes;
use super::shapes::Shape;
use super::slots::Slots;
use super::table::Check;
use reduce_lanes::LanesRef;
use reducegen::Scalar;
use reducegen::{DeviceGroups, DeviceInput, View};
use std::rc::Rc;
use std::slice;

/// A reducer, the input of each turn, and the memory of the results.
pub(crate) struct OurGroups {
    clock: Rc<Clock>,
    compiled: Rc<Compiled>,
    inputs: Vec<View<&'static DeviceInput<'static>>>,
    groups: DeviceGroups,
    shape: Shape,
}

impl OurGroups {
    pub(crate) fn new(
        clock: &Rc<Clock>,
        compiled: Rc<Compiled>,
        (case, shape): (&Case, Shape),
        slots: &Slots,
    ) -> Outcome<OurGroups> {
        let view = |turn| {
            let input = input(&clock.gpu, case.ty, slots.pointer(turn, 0), shape.elements());
            // Leaked, like the slice that it describes.
            View::new(&*Box::leak(Box::new(input)), shape.lengths)
        };
        let inputs: Vec<_> = (0..slots.copies.min(MOST_TURNS) as u64).map(view).collect();
        let groups = compiled.gpu.reduce_groups_device(&inputs[..1], &[])?;
        Ok(OurGroups { clock: clock.clone(), compiled, inputs, groups, shape })
    }

    /// Returns the results of turn 0.
    pub(crate) fn results(&mut self) -> Outcome<Results> {
        self.enqueue(0)?;
        let pointer = self.groups.workspace().result_ptr();
        Results::read(&self.clock.gpu, pointer, self.shape.result, self.shape.outputs)
    }

    /// Compares the results of turn 0 with the bits of the host backend on the same elements.
    pub(crate) fn check(&mut self, elements: LanesRef<'_>) -> Outcome<(Check, Vec<f64>)> {
        let expected = self.compiled.host.reduce_groups(&[View::new(elements, self.shape.lengths)], &[])?;
        let results = self.results()?;
        let (found, expected) = (results.lanes(), expected.fields[0].borrow());
        let differs = |&at: &usize| found.get(at).bits() != expected.get(at).bits();
        let text = |at: usize| format!("{} instead of {}", found.get(at), expected.get(at));
        Ok((Check::of_each(expected.len(), differs, text), results.numbers()))
    }
}

impl Launch for OurGroups {
    fn enqueue(&mut self, turn: u64) -> Outcome<()> {
        let input = &self.inputs[turn as usize % self.inputs.len()];
        Ok(self.compiled.gpu.reduce_groups_into(slice::from_ref(input), &[], &mut self.groups)?)
    }

    fn enqueue_captured(&mut self, turn: u64) -> Outcome<()> {
        let input = slice::from_ref(&self.inputs[turn as usize % self.inputs.len()]);
        // SAFETY: `Native` drops the graph before the contestant, and replays it on this stream; inputs live as long as the process.
        Ok(unsafe { self.compiled.gpu.reduce_groups_captured(input, &[], &mut self.groups) }?)
    }

    fn numbers(&mut self) -> Outcome<Vec<f64>> {
        Ok(self.results()?.numbers())
    }
}

/// Results of one type, on the host.
pub(crate) struct Results {
    ty: Scalar,
    count: usize,
    words: Vec<u64>,
}

impl Results {
    pub(crate) fn read(gpu: &Gpu, from: u64, ty: Scalar, count: usize) -> Outcome<Results> {
        let bytes = count * ty.size();
        let mut words = vec![0; bytes.div_ceil(8)];
        gpu.read(from, &mut bytemuck::cast_slice_mut(&mut words)[..bytes])?;
        Ok(Results { ty, count, words })
    }

    fn lanes(&self) -> LanesRef<'_> {
        lanes(self.ty, &bytemuck::cast_slice(&self.words)[..self.count * self.ty.size()])
    }

    pub(crate) fn numbers(&self) -> Vec<f64> {
        let lanes = self.lanes();
        (0..lanes.len()).map(|at| as_f64(lanes.get(at))).collect()
    }
}

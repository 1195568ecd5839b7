//! Where data is cut: the chunks of the association, and the two halves of a reduction that is cut there.

use super::PartialsError;
use crate::reducer::Backend;
use crate::{Error, Reducer, Strided, View, host};
use reduce_ir::Value;
use reduce_ir::axes::{Cut, Dim, Nest};
use reduce_ir::operation::Operation;
use reduce_ir::program::Association;
use reduce_ir::spec::Passes;
use reduce_lanes::{Lanes, LanesRef};

/// How groups of some length are cut, and the plan that evaluates the parts.
pub(crate) struct Cutting<'a> {
    operation: &'a Operation,
    plan: &'a host::Plan,
    association: &'a Association,
    len: u64,
}

impl Cutting<'_> {
    /// Returns the number of elements of a chunk.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the operation.
    pub(crate) fn operation(&self) -> &Operation {
        self.operation
    }

    /// Returns the partials of elements of one group, whose first one is at a position.
    pub(crate) fn partials(
        &self,
        inputs: &[Strided<LanesRef<'_>>],
        params: &[Value],
        first: u64,
    ) -> Result<Vec<Lanes>, Error> {
        let (views, nest) = line(inputs);
        self.partials_of(&views, &nest.of(self.operation), params, first)
    }

    /// Returns the partials of elements of groups, by merged loops.
    pub(super) fn partials_of(
        &self,
        views: &[View<LanesRef<'_>>],
        nest: &Nest,
        params: &[Value],
        first: u64,
    ) -> Result<Vec<Lanes>, Error> {
        let part = host::Part { views, nest, params, first, chunk: self.len };
        Ok(self.plan.partials(self.association, part)?)
    }

    /// Combines all partials of groups of `n` elements to stored results.
    pub(crate) fn merge(
        &self,
        partials: Vec<Lanes>,
        (groups, n): (usize, u64),
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        Ok(self.plan.merge(self.association, partials, (groups, n), params)?)
    }
}

/// Returns the elements of one group as views, and the loop over them.
pub(super) fn line<'a>(inputs: &[Strided<LanesRef<'a>>]) -> (Vec<View<LanesRef<'a>>>, Nest) {
    let length = inputs.first().map_or(0, |input| input.len as u64);
    let reduced = vec![Dim { length, steps: inputs.iter().map(|input| input.step as i64).collect() }];
    let nest = Nest { kept: Vec::new(), reduced, result: Vec::new(), along: Vec::new() };
    let view =
        |&Strided { data, offset, step, len }| View { data, offset, lengths: vec![len], steps: vec![step] };
    (inputs.iter().map(view).collect(), nest)
}

impl Reducer {
    /// Returns how groups of `total` elements are cut.
    pub(crate) fn cutting(&self, total: u64) -> Result<Cutting<'_>, Error> {
        match self.axes().map(|axes| axes.cut) {
            Some(Cut::Offsets(_)) => return Err(PartialsError::Segments.into()),
            Some(Cut::Runs(_)) => return Err(PartialsError::Runs.into()),
            Some(Cut::Keys(_)) => return Err(PartialsError::Keys.into()),
            None | Some(Cut::Whole) => {}
        }
        self.within(total)?;
        let (plan, associations) = match &self.backend {
            Backend::Host { plan, associations } => (plan, associations),
            Backend::Cuda(_) => return self.on_host()?.cutting(total),
        };
        let association = &associations[self.programs().place(total)];
        let all = total.max(1);
        let len = match association.chunk() {
            Some(len) => len.min(all),
            None if self.spec.as_ref().is_some_and(|spec| spec.passes == Passes::Auto) => all,
            None => return Err(self.without_chunks(total).into()),
        };
        Ok(Cutting { operation: self.operation(), plan, association, len })
    }

    /// Names the pass that makes one chunk of all elements.
    fn without_chunks(&self, total: u64) -> PartialsError {
        let passes = &self.programs().for_len(total).passes;
        let is_it = |name: &str| ["serial", "grid_stride"].contains(&name);
        let pass = passes.iter().find(|pass| is_it(pass.name)).or(passes.first());
        PartialsError::NoChunks { pass: pass.map_or_else(String::new, ToString::to_string) }
    }
}

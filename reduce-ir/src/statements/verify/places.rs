//! Checks places: which values can be loaded, stored, posted and sent.

use super::{Check, Over, Uniform, Verifier, Violation};
use crate::program::Reads;
use crate::statements::{Buffer, Expr, Local, Place, Stmt, Ty};

impl Verifier<'_> {
    pub(super) fn load(&mut self, local: &Local, place: &Place) -> Check {
        let uniform = self.place(place)?;
        let element = self.element(place.buffer);
        let legal = match (local.ty, place.buffer) {
            (Ty::Vector(ty, lanes), Buffer::Input(_)) => {
                let whole = lanes.is_power_of_two() && u64::from(lanes) * ty.size() as u64 <= 16;
                self.ensure(6, whole && self.kernel.domain.is_adjacent(), || {
                    format!("{} cannot load {lanes} elements of {ty}", local.name)
                })?;
                element == Some(Ty::Scalar(ty))
            }
            (ty, Buffer::Input(_) | Buffer::Items | Buffer::Shared(_) | Buffer::List(_)) => {
                element == Some(ty)
            }
            (ty, Buffer::Offsets(_) | Buffer::Tiles | Buffer::LongSegments) => element == Some(ty),
            (ty, Buffer::Partials) => {
                let ticket = self.steps.has_ticket() && !self.steps.has_flags();
                (ticket || self.over == Over::Keys) && element == Some(ty)
            }
            (ty, Buffer::Marks | Buffer::Number) => element == Some(ty),
            (_, Buffer::Result | Buffer::Ticket | Buffer::Keys(_)) => false,
        };
        self.ensure(7, legal, || format!("`{}` cannot be loaded from {place}", local.name))?;
        self.bind(local, false, uniform)
    }

    pub(super) fn store(&self, place: &Place, value: &Expr) -> Check {
        self.place(place)?;
        let writable = match place.buffer {
            Buffer::Partials => self.over == Over::Keys || !self.steps.has_flags(),
            Buffer::Result => true,
            Buffer::Shared(name) => !self.kernel.shared.iter().any(|it| it.name == name && it.sent),
            Buffer::Items => self.steps.in_place().is_some(),
            Buffer::Ticket => self.steps.has_ticket(),
            Buffer::Tiles => matches!(self.over, Over::Segments | Over::Runs),
            Buffer::LongSegments => self.over == Over::Segments,
            Buffer::Offsets(_) | Buffer::Marks | Buffer::Keys(_) => self.over == Over::Runs,
            Buffer::List(_) => self.over == Over::Runs,
            Buffer::Input(_) | Buffer::Number => false,
        };
        self.ensure(7, writable, || format!("{value} cannot be stored to {place}"))?;
        self.value_of(place, value)
    }

    /// Checks a message to the array of messages.
    pub(super) fn send(&self, stmt: &Stmt, place: &Place, value: &Expr) -> Check {
        let Buffer::Shared(array) = place.buffer else {
            return self.ensure(12, false, || format!("{place} cannot receive a message"));
        };
        self.messages(stmt, array, self.cluster_runs)?;
        self.place(place)?;
        self.value_of(place, value)
    }

    /// Checks a value that is written to a place.
    pub(super) fn value_of(&self, place: &Place, value: &Expr) -> Check {
        let element = self.element(place.buffer);
        self.ensure(7, element.is_some() && element == value.ty(), || {
            format!("{value} cannot be stored to {place}")
        })?;
        self.check(value).map(|_| ())
    }

    pub(super) fn place(&self, place: &Place) -> Result<Uniform, Violation> {
        let shared = matches!(place.buffer, Buffer::Shared(_));
        let legal = shared || place.rank.is_none();
        let narrow = shared || matches!(place.buffer, Buffer::List(_));
        place.rank.iter().try_for_each(|_| self.require_cluster(&place.to_string()))?;
        self.ensure(4, place.rank.is_none() || self.cluster_runs, || {
            format!("{place} is accessed before its block may run")
        })?;
        self.ensure(7, legal, || format!("{place} is not in the shared memory of a block"))?;
        place.rank.iter().try_for_each(|rank| self.expect(rank, Ty::U32).map(|_| ()))?;
        self.expect(&place.index, if narrow { Ty::U32 } else { Ty::U64 })
    }

    pub(super) fn element(&self, buffer: Buffer) -> Option<Ty> {
        match buffer {
            Buffer::Input(k) if self.kernel.reads == Reads::Inputs => {
                Some(Ty::Scalar(self.operation.inputs.get(k)?.ty))
            }
            Buffer::Items if self.kernel.reads == Reads::Partials => Some(Ty::Acc),
            Buffer::Input(_) | Buffer::Items => None,
            Buffer::Partials => Some(Ty::Acc),
            Buffer::Result => Some(Ty::Output),
            Buffer::Ticket => Some(Ty::U32),
            Buffer::Offsets(ty) if matches!(self.over, Over::Segments | Over::Runs) => Some(Ty::Scalar(ty)),
            Buffer::Keys(ty) if self.over == Over::Runs => Some(Ty::Scalar(ty)),
            Buffer::Marks if self.over == Over::Runs => Some(Ty::U32),
            Buffer::Tiles if self.over == Over::Runs => Some(Ty::U64),
            Buffer::Number if self.over == Over::Segments => Some(Ty::U64),
            Buffer::Keys(_) | Buffer::Marks | Buffer::Number => None,
            Buffer::Tiles | Buffer::LongSegments if self.over == Over::Segments => Some(Ty::U64),
            Buffer::Offsets(_) | Buffer::Tiles | Buffer::LongSegments => None,
            Buffer::List(name) => self.list(name).is_ok().then_some(Ty::U32),
            Buffer::Shared(name) => {
                self.kernel.shared.iter().find(|array| array.name == name).map(|_| Ty::Acc)
            }
        }
    }

    /// Checks a statement that needs partials with flags.
    pub(super) fn require_flags(&self, stmt: &Stmt, place: &Place) -> Check {
        let legal = self.steps.has_flags() && place.buffer == Buffer::Partials;
        self.ensure(7, legal, || format!("`{}` needs partials with flags", stmt.to_string().trim()))
    }

    /// Checks a statement that needs an array of messages, and is legal only at its time.
    pub(super) fn messages(&self, stmt: &Stmt, array: &str, in_time: bool) -> Check {
        let text = stmt.to_string();
        self.require_cluster(text.trim())?;
        let sent = self.kernel.shared.iter().any(|it| it.name == array && it.sent);
        self.ensure(12, sent && in_time, || format!("`{}` is not allowed here", text.trim()))
    }
}

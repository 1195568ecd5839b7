//! `return`, `break` and `continue`: the condition of each exit, and the values at that point.
//!
//! Functions have no control flow. Every exit keeps its condition, the variables and the value at that point. Where the exits of a
//! frame meet the code after it, selects choose the first exit whose condition holds.

use super::lower::Lower;
use crate::parse::diagnostic::Extent;
use crate::parse::tree::{Ex, Leave, Step};
use reduce_ir::Value;
use reduce_ir::func::Id;
use reduce_ir::ops::{Bin, Un};

/// The flow of control at a point of a function.
#[derive(Default)]
pub(super) struct Flow {
    /// The conditions under which this point is reached.
    pub(super) guards: Vec<Guard>,
    /// The functions and loops around this point.
    frames: Vec<Frame>,
    /// Whether no code after this point is reached, up to the end of the innermost branch.
    pub(super) is_dead: bool,
    /// The iterations of all loops so far.
    pub(super) iterations: usize,
}

/// A condition, and the value that it has at this point.
#[derive(Clone, Copy)]
pub(super) struct Guard {
    pub(super) cond: Id,
    pub(super) holds: bool,
    /// The frame that is left otherwise; `None` for a branch.
    pub(super) leaves: Option<usize>,
}

/// The kind of a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    Function,
    Loop,
    /// One iteration of a loop, which `continue` leaves.
    Iteration,
}

struct Frame {
    around: Around,
    /// The guards outside.
    guards: usize,
    /// The exits of the frames outside, at its start.
    before: Vec<usize>,
    exits: Vec<Exit>,
}

/// A point where a frame is left.
struct Exit {
    /// `None`: always.
    cond: Option<Id>,
    locals: Vec<Option<Vec<Id>>>,
    value: Vec<Id>,
}

impl Flow {
    pub(super) fn enter(&mut self, around: Around) {
        let (guards, before) = (self.guards.len(), self.exits());
        self.frames.push(Frame { around, guards, before, exits: Vec::new() });
    }

    /// Returns the number of exits of each frame.
    pub(super) fn exits(&self) -> Vec<usize> {
        self.frames.iter().map(|frame| frame.exits.len()).collect()
    }

    /// Adds the guards of the code after exits that were added since [`Flow::exits`] returned `before`.
    pub(super) fn guard_exits(&mut self, before: &[usize]) {
        for (place, (frame, &before)) in self.frames.iter().zip(before).enumerate() {
            let guard = |cond| Guard { cond, holds: false, leaves: Some(place) };
            self.guards.extend(frame.exits[before..].iter().filter_map(|exit| exit.cond).map(guard));
        }
    }
}

impl Lower<'_> {
    /// Leaves the innermost frame of a kind.
    fn leave_frame(&mut self, around: Around, value: Vec<Id>) -> Vec<Id> {
        let Some(frame) = self.flow.frames.iter().rposition(|frame| frame.around == around) else {
            return Vec::new();
        };
        let cond = self.reached(frame);
        let exit = Exit { cond, locals: self.locals.clone(), value };
        self.flow.frames[frame].exits.push(exit);
        self.flow.is_dead = true;
        Vec::new()
    }

    /// Returns the condition under which this point is reached from the start of a frame, if none of its own exits was taken
    /// before; `None` if it always is.
    fn reached(&mut self, frame: usize) -> Option<Id> {
        let from = self.flow.frames[frame].guards;
        let inner = |guard: &&Guard| guard.leaves.is_none_or(|left| left > frame);
        let guards: Vec<_> = self.flow.guards[from..].iter().filter(inner).copied().collect();
        self.all_hold(&guards)
    }

    /// Returns the condition that all guards hold; `None` if there are none.
    pub(super) fn all_hold(&mut self, guards: &[Guard]) -> Option<Id> {
        let mut all: Option<Id> = None;
        for guard in guards {
            let own = if guard.holds { Ok(guard.cond) } else { self.builder.un(Un::Not, guard.cond) };
            let both = match (all, own) {
                (Some(all), Ok(own)) => self.builder.bin(Bin::And, all, own),
                (None, own) => own,
                (Some(_), wrong) => wrong,
            };
            all = both.ok();
        }
        all
    }

    /// Asserts a condition where this point is reached.
    pub(super) fn assert(&mut self, condition: Id, place: Extent) -> Option<()> {
        let guards = self.flow.guards.clone();
        let condition = match self.all_hold(&guards) {
            None if self.builder.known(condition).and_then(Value::get) == Some(false) => {
                self.errors.add(place, "this assertion never holds").help("assert a condition that can hold");
                return None;
            }
            None => condition,
            Some(reached) => {
                let skipped = self.builder.un(Un::Not, reached).ok()?;
                self.builder.bin(Bin::Or, skipped, condition).ok()?
            }
        };
        self.builder.assert(condition).ok()
    }

    pub(super) fn exit(&mut self, value: &Ex) -> Option<Vec<Id>> {
        let value = self.lower(value)?;
        Some(self.leave_frame(Around::Function, value))
    }

    pub(super) fn leave(&mut self, leave: Leave) -> Vec<Id> {
        let around = match leave {
            Leave::Break => Around::Loop,
            Leave::Continue => Around::Iteration,
        };
        self.leave_frame(around, Vec::new())
    }

    /// Lowers the body of a function, which `return` leaves.
    pub(super) fn function(&mut self, steps: &[Step], value: &Ex, place: Extent) -> Option<Vec<Id>> {
        let visible = self.locals.len();
        let mut is_right = true;
        // The arguments belong to the caller, which they may leave.
        for step in steps {
            is_right &= self.step(step).is_some();
        }
        if self.flow.is_dead {
            return is_right.then(Vec::new);
        }
        self.flow.enter(Around::Function);
        let value = if is_right { self.lower(value) } else { None };
        let value = self.merge_exits(value, place);
        self.locals.truncate(visible);
        value
    }

    /// Ends a frame: merges its exits with the code that runs to its end.
    pub(super) fn merge_exits(&mut self, value: Option<Vec<Id>>, place: Extent) -> Option<Vec<Id>> {
        let frame = self.flow.frames.pop()?;
        self.flow.guards.truncate(frame.guards);
        self.flow.guard_exits(&frame.before);
        let is_function = frame.around == Around::Function;
        let mut end = if self.flow.is_dead { None } else { Some((self.locals.clone(), value?)) };
        for exit in frame.exits.into_iter().rev() {
            end = Some(match (end, exit.cond) {
                (Some((locals, value)), Some(cond)) => {
                    let value = self.choose(cond, &exit.value, &value, place)?;
                    let locals =
                        if is_function { locals } else { self.merged(cond, exit.locals, locals, place)? };
                    (locals, value)
                }
                (_, None) | (None, Some(_)) => (exit.locals, exit.value),
            });
        }
        self.flow.is_dead = end.is_none();
        let Some((locals, value)) = end else { return Some(Vec::new()) };
        self.locals = locals;
        Some(value)
    }
}

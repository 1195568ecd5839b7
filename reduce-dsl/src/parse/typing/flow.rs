//! Branches, loops and assignments: variables become values, which selects merge after branches.

use super::exits::{Around, Guard};
use super::lower::Lower;
use super::range;
use crate::parse::diagnostic::Extent;
use crate::parse::tree::{Ex, Loop, Over};
use reduce_ir::Value;
use reduce_ir::func::Id;
use reduce_ir::ops::Bin;

/// The limit on iterations of all loops of a closure.
const ITERATIONS: usize = 4096;

/// The scalars of each local.
pub(super) type Locals = Vec<Option<Vec<Id>>>;

impl Lower<'_> {
    /// Lowers `if`. Only the branch that a known condition selects is lowered.
    pub(super) fn branches(&mut self, [cond, a, b]: &[Ex; 3], place: Extent) -> Option<Vec<Id>> {
        let cond = self.one(cond);
        match cond.and_then(|cond| self.builder.known(cond)).and_then(Value::get::<bool>) {
            Some(true) => return self.lower(a),
            Some(false) => return self.lower(b),
            None => {}
        }
        let Some(cond) = cond else {
            // The branches may have errors as well.
            let _ = (self.lower(a), self.lower(b));
            return None;
        };
        let (guards, exits, before) = (self.flow.guards.len(), self.flow.exits(), self.locals.clone());
        let (a, a_locals, a_leaves) = self.branch(a, Guard { cond, holds: true, leaves: None });
        self.locals = before;
        let (b, b_locals, b_leaves) = self.branch(b, Guard { cond, holds: false, leaves: None });
        self.flow.guards.truncate(guards);
        self.flow.guard_exits(&exits);
        let (a, b) = (a?, b?);
        self.flow.is_dead = a_leaves && b_leaves;
        let (locals, value) = match (a_leaves, b_leaves) {
            (true, _) => (b_locals, b),
            (false, true) => (a_locals, a),
            (false, false) => {
                if a.len() > 1 || differing(&a_locals, &b_locals) > 1 {
                    self.builder.name(cond, "condition");
                }
                let value = self.choose(cond, &a, &b, place)?;
                (self.merged(cond, a_locals, b_locals, place)?, value)
            }
        };
        self.locals = locals;
        Some(value)
    }

    /// Lowers a branch. Returns its value, the variables at its end, and whether it does not reach its end.
    fn branch(&mut self, ex: &Ex, guard: Guard) -> (Option<Vec<Id>>, Locals, bool) {
        let guards = self.flow.guards.len();
        self.flow.guards.push(guard);
        let value = self.lower(ex);
        self.flow.guards.truncate(guards);
        let leaves = std::mem::take(&mut self.flow.is_dead);
        (value, std::mem::take(&mut self.locals), leaves)
    }

    /// Lowers `&&` and `||`. The second operand is evaluated only if the first does not decide.
    pub(super) fn logic(&mut self, op: Bin, [a, b]: &[Ex; 2], place: Extent) -> Option<Vec<Id>> {
        let a = self.one(a);
        let decides = op == Bin::Or;
        let known = a.and_then(|a| self.builder.known(a)).and_then(Value::get::<bool>);
        if let (Some(a), true) = (a, known == Some(decides)) {
            return Some(vec![a]);
        }
        let Some(a) = a else {
            let _ = self.one(b);
            return None;
        };
        let (guards, exits, before) = (self.flow.guards.len(), self.flow.exits(), self.locals.clone());
        let (b, b_locals, b_leaves) = self.branch(b, Guard { cond: a, holds: !decides, leaves: None });
        self.flow.guards.truncate(guards);
        self.flow.guard_exits(&exits);
        let b = b?;
        if b_leaves {
            self.locals = before;
            return Some(vec![a]);
        }
        let (if_true, if_false) = if decides { (before, b_locals) } else { (b_locals, before) };
        self.locals = self.merged(a, if_true, if_false, place)?;
        let id = self.builder.bin(op, a, *b.first()?);
        Some(vec![self.checked(id, place)?])
    }

    /// Selects between two values, scalar by scalar.
    pub(super) fn choose(&mut self, cond: Id, a: &[Id], b: &[Id], place: Extent) -> Option<Vec<Id>> {
        let pairs = a.iter().zip(b);
        let chosen: Vec<_> = pairs
            .map(|(&a, &b)| {
                let id = self.builder.select(cond, a, b);
                self.checked(id, place)
            })
            .collect();
        chosen.into_iter().collect()
    }

    /// Merges the variables of two branches.
    pub(super) fn merged(&mut self, cond: Id, a: Locals, b: Locals, place: Extent) -> Option<Locals> {
        self.locals = b;
        // Locals that one branch alone has are out of scope after it.
        for (local, a) in a.into_iter().enumerate() {
            let b = self.locals.get(local).cloned().flatten();
            let (Some(a), Some(b)) = (a, b) else { continue };
            if a != b {
                let merged = self.choose(cond, &a, &b, place)?;
                self.set(local, merged);
            }
        }
        Some(std::mem::take(&mut self.locals))
    }

    /// Lowers a loop: one copy of its body for each iteration.
    pub(super) fn repeat(&mut self, repeat: &Loop, place: Extent) -> Option<Vec<Id>> {
        let values = self.iterations(&repeat.over, place)?;
        let visible = self.locals.len();
        self.flow.enter(Around::Loop);
        let mut done = Some(Vec::new());
        for value in values {
            self.flow.enter(Around::Iteration);
            self.store(repeat.local, value);
            let body = self.lower(&repeat.body).map(|_| Vec::new());
            done = self.merge_exits(body, place);
            if done.is_none() || self.flow.is_dead {
                break;
            }
        }
        let done = self.merge_exits(done, place);
        self.locals.truncate(visible);
        done
    }

    /// Returns the scalars that the variable of a loop takes.
    fn iterations(&mut self, over: &Over, place: Extent) -> Option<Vec<Vec<Id>>> {
        let values = match over {
            Over::Elements(array) => {
                let width = self.types.fields(array.ty).first().map_or(1, |(_, ty)| self.types.width(*ty));
                self.lower(array)?.chunks(width.max(1)).map(<[Id]>::to_vec).collect()
            }
            Over::Range { ends, is_closed, is_reversed } => {
                let [from, to] = [self.bound(&ends[0]), self.bound(&ends[1])];
                let ty = self.types.scalar(ends[0].ty);
                let (from, to) = (from?, to?);
                let to = if *is_closed { to + 1 } else { to };
                let count = usize::try_from((to - from).max(0)).unwrap_or(usize::MAX);
                self.count(count, place)?;
                let mut values: Vec<_> = (from..to.max(from)).collect();
                if *is_reversed {
                    values.reverse();
                }
                let constant = |value: i128| vec![self.builder.constant(Value::from_bits(ty, value as u64))];
                return Some(values.into_iter().map(constant).collect());
            }
        };
        let values: Vec<Vec<Id>> = values;
        self.count(values.len(), place)?;
        Some(values)
    }

    /// Counts iterations up to the limit.
    fn count(&mut self, count: usize, place: Extent) -> Option<()> {
        self.flow.iterations = self.flow.iterations.saturating_add(count);
        if self.flow.iterations <= ITERATIONS {
            return Some(());
        }
        let message = format!("the loops of a closure run at most {ITERATIONS} times together");
        let start = Extent { start: place.start, end: place.start };
        self.errors.add(start, message).help("a loop is written out once for each iteration; take fewer");
        None
    }

    /// Returns the value of a bound, which must be known: a number, or arithmetic on numbers that does not wrap.
    fn bound(&mut self, ex: &Ex) -> Option<i128> {
        let id = self.one(ex)?;
        let known = range::known(&self.builder, id);
        if known.is_none() {
            self.errors
                .add(ex.place, "the bounds of a loop are constants here")
                .help("write a number, as in `for i in 0..4`, and leave early with `break`");
        }
        known
    }
}

/// Returns the number of scalars that differ.
fn differing(a: &Locals, b: &Locals) -> usize {
    let pairs = a.iter().flatten().flatten().zip(b.iter().flatten().flatten());
    pairs.filter(|(a, b)| a != b).count()
}

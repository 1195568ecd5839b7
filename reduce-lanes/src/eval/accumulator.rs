//! Evaluates functions from an accumulator to the next one, in place where possible.

mod groups;

use super::Evaluator;
use super::code::{At, Code, Place};
use crate::{
    BLOCK, Fused, LaneError, Lanes, LanesRef, Loops, Prefetch, SHARED, Summed, TREE, Term, adds_squares,
    has_pairwise_step, sums, widens,
};
use reduce_ir::Scalar;
use reduce_ir::func::{Func, Id, Node};
use reduce_ir::ops::{Bin, Un};

/// Computes `acc = f(acc, right)` lane by lane, for `combine` and `fold`.
///
/// Most fields are updated by one operation with one value, as in `acc.sum + x * x`. Such a field stays in place: the value
/// `x * x` is evaluated, and one loop adds it to the accumulator.
#[derive(Clone, Debug)]
pub struct Accumulator {
    /// For each field its right operand, or its next value if it is not `in_place`.
    right: Evaluator,
    /// The operation of each field that is updated in place.
    in_place: Vec<Option<Bin>>,
    /// Whether a field becomes one value that does not depend on the accumulator. If all lanes do, one block is kept.
    held: Vec<bool>,
    /// The next values of the fields that are not updated in place.
    next: Vec<Lanes>,
    /// Whether parameters are accumulated as they are, or squared, so that nothing is evaluated before.
    direct: bool,
    /// Whether one loop does a pairwise step.
    has_step: bool,
    prefetch: Option<Prefetch>,
}

impl Accumulator {
    /// An evaluator of `f`, whose first parameters and whose results are the accumulator; `uniform` as for [`Evaluator::with`].
    pub fn new(f: &Func, uniform: &[bool], loops: Loops) -> Accumulator {
        let code = Code::of(f, uniform);
        let differs = |(_, met): &(Bin, Id)| !code.place(*met).uniform;
        let met: Vec<_> = (0..f.results().len()).map(|k| met(f, k).filter(differs)).collect();
        let results = f.results().iter().zip(&met).map(|(&result, met)| met.map_or(result, |(_, met)| met));
        let mut accumulator = Accumulator {
            right: Evaluator::with(&f.giving(&results.collect::<Vec<_>>()), uniform, loops),
            in_place: met.iter().map(|met| met.map(|(op, _)| op)).collect(),
            held: held(f, &code),
            next: f.result_types().into_iter().map(Lanes::empty).collect(),
            direct: false,
            has_step: false,
            prefetch: None,
        };
        accumulator.direct = accumulator.accumulates_elements();
        accumulator.has_step =
            accumulator.direct && accumulator.all_combine_with_themselves(has_pairwise_step);
        accumulator
    }

    /// Sets the prefetch strategy of elements that are read from memory. Initially elements are taken to be in a cache.
    pub fn set_prefetch(&mut self, prefetch: Prefetch) {
        self.prefetch = Some(prefetch);
    }

    /// Whether every field is updated in place. Then no field uses another one, and [`Accumulator::accumulate`] takes any number of
    /// rows at once, each as long as the accumulator.
    pub fn takes_rows(&self) -> bool {
        self.in_place.iter().all(Option::is_some)
    }

    /// Bytes per lane of the registers and the accumulator, without those that hold one value for all lanes.
    pub fn lane_bytes(&self) -> usize {
        let next =
            self.next.iter().zip(&self.held).filter(|(_, held)| !**held).map(|(next, _)| next.ty().size());
        next.sum::<usize>() + self.right.code.lane_bytes()
    }

    /// Operations that [`Accumulator::accumulate`] evaluates.
    pub fn operations(&self) -> usize {
        if self.direct { 0 } else { self.right.code.instructions.len() }
    }

    /// Whether parameters are accumulated as they are, or squared.
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// Whether parameters are accumulated as they are, or converted to a wider type.
    pub fn is_plain(&self) -> bool {
        self.direct && (0..self.next.len()).all(|k| self.squared(k).is_none())
    }

    fn accumulates_elements(&self) -> bool {
        let is_element = |k: usize| self.right.func.line(self.right.func.results()[k]).is_none();
        self.takes_rows() && (0..self.next.len()).all(|k| is_element(k) || self.squared(k).is_some())
    }

    /// The parameter whose squares the `k`-th field adds, if there is a loop for them.
    fn squared(&self, k: usize) -> Option<Id> {
        self.fused()?;
        let f = &self.right.func;
        let line = f.line(f.results()[k]).filter(|line| line.ty == self.next[k].ty())?;
        let Node::Bin(Bin::Mul, x, y) = line.node else { return None };
        let element = narrow(f, self.next.len(), x);
        let is_such = x == y && self.in_place[k] == Some(Bin::Add) && self.lies_in_rows(element);
        (is_such && adds_squares(f.ty(element), line.ty)).then_some(element)
    }

    /// Whether it is a parameter after the accumulator that differs between lanes.
    fn lies_in_rows(&self, id: Id) -> bool {
        let is_element = id.0 as usize >= self.next.len() && self.right.func.line(id).is_none();
        is_element && !self.right.code.place(id).uniform
    }

    fn fused(&self) -> Option<Fused> {
        self.right.loops.fused
    }

    /// Whether [`Accumulator::sum`] can compute every field: a float sum of known terms.
    pub fn is_sum(&self) -> bool {
        self.fused().is_some() && (0..self.next.len()).all(|k| self.term(k).is_some())
    }

    /// The term that the `k`-th field sums, of parameters that differ between lanes.
    fn term(&self, k: usize) -> Option<Term<Id>> {
        let (f, &met) = (&self.right.func, self.right.func.results().get(k)?);
        let operand = |id| narrow(f, self.next.len(), id);
        let computed = f.line(met).filter(|line| line.ty == self.next[k].ty());
        let term = match computed.map(|line| line.node) {
            Some(Node::Un(Un::Abs, x)) => Term::Magnitude(operand(x)),
            Some(Node::Bin(Bin::Mul, x, y)) if x == y => Term::Square(operand(x)),
            Some(Node::Bin(Bin::Mul, x, y)) => Term::Product(operand(x), operand(y)),
            Some(_) | None => Term::Itself(operand(met)),
        };
        let [x, y] = term.inputs();
        let known = sums(f.ty(x), self.next[k].ty()) && f.ty(x) == f.ty(y);
        let is_such =
            self.in_place[k] == Some(Bin::Add) && known && self.lies_in_rows(x) && self.lies_in_rows(y);
        is_such.then_some(term)
    }

    /// Sums the terms of `len` elements, which are whole chunks, and appends the remaining lanes to every field of `out`.
    /// `acc` is overwritten.
    ///
    /// # Errors
    /// The types of the lanes differ from those of the parameters, or the fields are no [sums](Accumulator::is_sum).
    pub fn sum<'a>(
        &self,
        how: Summed,
        right: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
        [acc, out]: [&mut [Lanes]; 2],
    ) -> Result<(), LaneError> {
        let fields = acc.len();
        for (k, (acc, out)) in acc.iter_mut().zip(out).enumerate() {
            let (Some(term), Some(fused)) = (self.term(k), self.fused()) else {
                return crate::bug("sum", &[acc.borrow()]);
            };
            let term = term.map(|id| right(id.0 as usize - fields).slice(0..len));
            (fused.sum)(term, how, acc, out, self.prefetch)?;
        }
        Ok(())
    }

    /// The place of the plain parameter of the `k`-th field, after the accumulator.
    fn plain(&self, k: usize) -> usize {
        self.right.func.results()[k].0 as usize - self.next.len()
    }

    /// For a function of two accumulators: whether every order and grouping gives the same bits. This holds if each field is
    /// combined with the same field by one exact operation.
    pub fn is_exact(&self) -> bool {
        self.all_combine_with_themselves(|op, ty| op.is_exact(ty))
    }

    /// For a function of two accumulators: the operation by which each field is combined with itself, if all are.
    pub fn operations_of_fields(&self) -> Option<Vec<Bin>> {
        self.all_combine_with_themselves(|_, _| true)
            .then(|| self.in_place.iter().flatten().copied().collect())
    }

    /// For a function of two accumulators: whether each field is combined with itself, by such an operation.
    fn all_combine_with_themselves(&self, is_such: impl Fn(Bin, Scalar) -> bool) -> bool {
        let such = |(op, next): (&Option<Bin>, &Lanes)| op.is_some_and(|op| is_such(op, next.ty()));
        let met = (self.next.len() as u32..).map(Id);
        let same = self.right.func.results().iter().zip(met).all(|(&result, field)| result == field);
        same && self.in_place.iter().zip(&self.next).all(such)
    }

    /// Combines, of every `2 half` lanes of `items`, the first half with the second, as far as there is one. Returns false, and
    /// leaves `out` alone, if there is no loop for that.
    ///
    /// # Errors
    /// The types of the lanes differ from those of the parameters.
    pub fn pairwise_step(&self, items: &[Lanes], half: usize, out: &mut [Lanes]) -> Result<bool, LaneError> {
        if !self.has_step {
            return Ok(false);
        }
        for ((op, items), out) in self.in_place.iter().flatten().zip(items).zip(out) {
            (self.right.loops.pairwise_step)(*op, items.borrow(), half, out)?;
        }
        Ok(true)
    }

    /// Appends to `out` the combination by halves of every `items` items of `width` lanes. Returns false, and leaves `out` alone, if
    /// there is no loop for that.
    ///
    /// # Errors
    /// The types of the lanes differ from those of the parameters.
    pub fn pairwise_tree(
        &self,
        items: &[Lanes],
        shape: [usize; 2],
        out: &mut [Lanes],
    ) -> Result<bool, LaneError> {
        let [count, width] = shape;
        let Some(fused) = self.fused() else { return Ok(false) };
        if !self.has_step || width < BLOCK || count > TREE || !count.is_power_of_two() {
            return Ok(false);
        }
        for ((op, items), out) in self.in_place.iter().flatten().zip(items).zip(out) {
            (fused.pairwise_tree)(*op, items.borrow(), shape, out)?;
        }
        Ok(true)
    }

    /// Updates the first `len` lanes of every field of `acc` with the lanes of `right`, the parameters after the accumulator. The
    /// other lanes stay as they are. `between` is called after each operation.
    ///
    /// A field that becomes one value may be left as a block of [`SHARED`] lanes; at least one field has all lanes.
    ///
    /// # Errors
    /// The types of the lanes differ from those of the parameters.
    pub fn accumulate<'a>(
        &mut self,
        acc: &mut [Lanes],
        right: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
        between: impl FnMut(),
    ) -> Result<(), LaneError> {
        let fields = acc.len();
        let behind = |k: usize| right(k - fields);
        if self.direct {
            return self.accumulate_directly(acc, behind, len);
        }
        self.evaluate(acc, &right, len, between)?;
        for k in 0..self.in_place.len() {
            match self.in_place[k] {
                Some(op) => {
                    let right = self.right.result(k, behind, len);
                    // The operand was just computed and is in a cache.
                    (self.right.loops.accumulate)(op, &mut acc[k], right, None)?;
                }
                None if self.held[k] => self.hold(acc, k, len),
                None => {
                    self.next[k].extend(acc[k].borrow().slice(len..acc[k].len()));
                    std::mem::swap(&mut self.next[k], &mut acc[k]);
                }
            }
        }
        Ok(())
    }

    /// Sets the first `len` lanes of the `k`-th field to its one value.
    fn hold(&mut self, acc: &mut [Lanes], k: usize, len: usize) {
        let lanes = acc.iter().map(Lanes::len).max().unwrap_or(0);
        let (append, next) = (self.right.loops.append, &mut self.next[k]);
        let block = len.min(SHARED);
        let value = self.right.result(k, |_| LanesRef::Bool(&[]), block);
        next.clear();
        if len == lanes {
            append(value, block, next);
        } else {
            let old = acc[k].borrow();
            append(value, len, next);
            append(if old.len() == lanes { old.slice(len..lanes) } else { old }, lanes - len, next);
        }
        std::mem::swap(next, &mut acc[k]);
    }

    /// [`Accumulator::accumulate`] of parameters as they are, or squared.
    fn accumulate_directly<'a>(
        &self,
        acc: &mut [Lanes],
        behind: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
    ) -> Result<(), LaneError> {
        let Loops { accumulate, fused, .. } = self.right.loops;
        for (k, (acc, op)) in acc.iter_mut().zip(self.in_place.iter().flatten()).enumerate() {
            match self.squared(k).zip(fused) {
                Some((id, fused)) => {
                    (fused.add_squares)(acc, behind(id.0 as usize).slice(0..len), self.prefetch)?
                }
                None => accumulate(*op, acc, self.right.result(k, &behind, len), self.prefetch)?,
            }
        }
        Ok(())
    }

    /// Evaluates the right operands, and the next values of fields that are not updated in place, from the old fields.
    fn evaluate<'a>(
        &mut self,
        acc: &[Lanes],
        right: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
        between: impl FnMut(),
    ) -> Result<(), LaneError> {
        let arg = |k: usize| if k < acc.len() { acc[k].borrow() } else { right(k - acc.len()) };
        self.right.run(arg, len, between)?;
        let moved = (0..self.next.len()).filter(|&k| self.in_place[k].is_none() && !self.held[k]);
        moved.for_each(|k| self.right.take(k, arg, len, &mut self.next[k]));
        Ok(())
    }
}

/// The operation that updates the `k`-th field and its right operand, if nothing else uses the field and its result, and the
/// operand is no field itself.
fn met(f: &Func, k: usize) -> Option<(Bin, Id)> {
    let (field, result) = (Id(k as u32), f.results()[k]);
    let Node::Bin(op, a, b) = f.line(result)?.node else { return None };
    let met = if a == field { b } else { a };
    let alone = op.commutes() && (a == field || b == field) && met.0 as usize >= f.results().len();
    let met = if op == Bin::Add { narrow(f, f.results().len(), met) } else { met };
    (alone && times_used(f, field) == 1 && times_used(f, result) == 1).then_some((op, met))
}

/// The operand of a conversion that the loops for sums do as well, if it is no field; otherwise `met` itself.
fn narrow(f: &Func, fields: usize, met: Id) -> Id {
    match f.line(met).map(|line| line.node) {
        Some(Node::Cast(to, from)) if from.0 as usize >= fields && widens(Bin::Add, f.ty(from), to) => from,
        _ => met,
    }
}

/// Whether each field becomes one value that does not depend on the accumulator. Not all fields do: one has to tell the number of
/// lanes.
fn held(f: &Func, code: &Code) -> Vec<bool> {
    let is_made = |id| matches!(code.place(id), Place { at: At::Register(_), uniform: true });
    let is_held = |(k, &result)| is_made(result) && times_used(f, Id(k as u32)) == 0;
    let held: Vec<_> = f.results().iter().enumerate().map(is_held).collect();
    if held.contains(&false) { held } else { vec![false; held.len()] }
}

fn times_used(f: &Func, id: Id) -> usize {
    let operands = f.lines().iter().flat_map(|line| line.node.operands());
    operands.chain(f.results().iter().copied()).filter(|&used| used == id).count()
}

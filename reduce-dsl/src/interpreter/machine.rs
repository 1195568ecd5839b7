//! One launch: blocks one after the other, the threads of a block in lock-step.

use super::memory::Memory;
use super::{Domain, Fault};
use crate::expanded::{AtomicOp, Barrier, Buffer, ExpandedKernel, Expr, Local, Loop, Place, Stmt, Ty};
use crate::lanes::{self, Lanes};
use crate::program::Program;
use crate::{Scalar, Value};
use std::collections::HashMap;

/// The threads' values of a local: one lane for each thread of the block.
#[derive(Clone)]
enum Val<A> {
    Scalar(Lanes),
    Vector(Vec<Lanes>),
    Acc(A),
}

pub(super) struct Machine<'a, D: Domain> {
    program: &'a Program,
    kernel: &'a ExpandedKernel,
    domain: &'a mut D,
    memory: Memory<'a, D>,
    items: u64,
    grid: u64,
    block: u64,
    shared: HashMap<&'static str, D::Accs>,
    locals: HashMap<String, Val<D::Accs>>,
}

impl<'a, D: Domain> Machine<'a, D> {
    pub(super) fn new(
        program: &'a Program,
        kernel: &'a ExpandedKernel,
        domain: &'a mut D,
        memory: Memory<'a, D>,
        items: u64,
        grid: u64,
    ) -> Machine<'a, D> {
        let (shared, locals) = (HashMap::new(), HashMap::new());
        Machine { program, kernel, domain, memory, items, grid, block: 0, shared, locals }
    }

    pub(super) fn into_memory(self) -> Memory<'a, D> {
        self.memory
    }

    /// Every block, in order.
    pub(super) fn grid(&mut self) -> Result<(), Fault> {
        let kernel = self.kernel;
        for block in 0..self.grid {
            self.block = block;
            self.locals.clear();
            let arrays = kernel.shared.iter();
            let fresh = arrays.map(|it| (it.name, self.domain.undefined(kernel.constant(it.len) as usize)));
            self.shared = fresh.collect();
            self.body(&kernel.body, &vec![true; self.threads()])?;
        }
        Ok(())
    }

    fn threads(&self) -> usize {
        self.kernel.block as usize
    }

    /// The statements, in the threads of `mask`.
    fn body(&mut self, stmts: &[Stmt], mask: &[bool]) -> Result<(), Fault> {
        if mask.contains(&true) { stmts.iter().try_for_each(|stmt| self.stmt(stmt, mask)) } else { Ok(()) }
    }

    fn stmt(&mut self, stmt: &Stmt, mask: &[bool]) -> Result<(), Fault> {
        match stmt {
            Stmt::Note(..) | Stmt::Fence(..) => Ok(()),
            Stmt::Let(local, value) | Stmt::Var(local, value) => {
                let value = self.value(value, mask)?;
                self.locals.insert(local.name.clone(), value);
                Ok(())
            }
            Stmt::Set(local, value) => self.set(local, value, mask),
            Stmt::For(it) => self.repeat(it, mask),
            Stmt::If(test, then, otherwise) => {
                let holds = self.condition(test, mask)?;
                let [yes, no] = [true, false].map(|side| both(mask, &holds, side));
                self.body(then, &yes)?;
                self.body(otherwise, &no)
            }
            Stmt::Load(local, place) => self.load(stmt, local, place, mask),
            Stmt::Store(place, value) => self.store(stmt, place, value, mask),
            Stmt::Shuffle { into, value, down, .. } => self.shuffle(stmt, into, [value, down], mask),
            Stmt::AtomicCombine { place, value, .. } => self.atomic_combine(stmt, place, value, mask),
            Stmt::Exit => Err(Fault::Unbound(text(stmt))),
            Stmt::Barrier(barrier) => {
                let warp = matches!(barrier, Barrier::Warp(_));
                let width = if warp { Program::WARP as usize } else { self.threads() };
                self.converged(stmt, width, mask)
            }
            Stmt::Atomic { into, op, place, value, .. } => {
                self.atomic(stmt, into, *op, [&place.index, value], mask)
            }
        }
    }

    fn set(&mut self, local: &Local, value: &Expr, mask: &[bool]) -> Result<(), Fault> {
        let new = self.value(value, mask)?;
        let pairs = lanes_of(mask);
        let old = self.locals.get_mut(&local.name).ok_or_else(|| Fault::Unbound(local.name.clone()))?;
        match (old, new) {
            (Val::Scalar(old), Val::Scalar(new)) => old.copy(new.borrow(), &pairs),
            (Val::Acc(old), Val::Acc(new)) => self.domain.copy(old, &new, &pairs),
            _ => return Err(Fault::Unbound(local.name.clone())),
        }
        Ok(())
    }

    fn repeat(&mut self, it: &Loop, mask: &[bool]) -> Result<(), Fault> {
        let from = self.value(&it.from, mask)?;
        self.locals.insert(it.local.name.clone(), from);
        let mut turning = both(mask, &self.condition(&it.test, mask)?, true);
        while turning.contains(&true) {
            self.body(&it.body, &turning)?;
            self.set(&it.local, &it.next, &turning)?;
            turning = both(&turning, &self.condition(&it.test, &turning)?, true);
        }
        Ok(())
    }

    fn load(&mut self, stmt: &Stmt, local: &Local, place: &Place, mask: &[bool]) -> Result<(), Fault> {
        let width = if let Ty::Vector(_, lanes) = local.ty { u64::from(lanes) } else { 1 };
        let pairs = self.positions(stmt, place, width, mask)?;
        let value = match (place.buffer, local.ty) {
            (Buffer::Input(k), Ty::Vector(ty, lanes)) => {
                let bytes = ty.size() as u64 * width;
                let misaligned =
                    |&(_, at): &(usize, usize)| !(at as u64 * ty.size() as u64).is_multiple_of(bytes);
                if !self.memory.inputs[k].aligned || pairs.iter().any(misaligned) {
                    return Err(Fault::Misaligned { statement: text(stmt) });
                }
                Val::Vector((0..lanes as usize).map(|lane| self.elements(k, &pairs, lane)).collect())
            }
            (Buffer::Input(k), _) => Val::Scalar(self.elements(k, &pairs, 0)),
            (buffer, _) => {
                let mut accs = self.domain.undefined(self.threads());
                self.domain.copy(&mut accs, self.array(buffer)?, &pairs);
                // An accumulator that nothing wrote may be read, but not used: see `value`.
                Val::Acc(accs)
            }
        };
        self.locals.insert(local.name.clone(), value);
        Ok(())
    }

    fn elements(&self, input: usize, pairs: &[(usize, usize)], offset: usize) -> Lanes {
        let from = self.memory.inputs[input].elements.borrow();
        let mut lanes = Lanes::splat(Value::from_bits(from.ty(), 0), self.threads());
        let pairs: Vec<_> = pairs.iter().map(|&(i, j)| (i, j + offset)).collect();
        lanes.copy(from, &pairs);
        lanes
    }

    fn store(&mut self, stmt: &Stmt, place: &Place, value: &Expr, mask: &[bool]) -> Result<(), Fault> {
        let Val::Acc(accs) = self.value(value, mask)? else { return Err(Fault::Unbound(text(stmt))) };
        let positions = self.positions(stmt, place, 1, mask)?;
        let global = matches!(place.buffer, Buffer::Items | Buffer::Partials | Buffer::Result);
        if global && let Some(thread) = self.undefined_thread(&accs, mask) {
            return Err(Fault::Undefined { statement: text(stmt), thread });
        }
        let pairs: Vec<_> = positions.into_iter().map(|(thread, at)| (at, thread)).collect();
        let (domain, memory) = (&self.domain, &mut self.memory);
        match place.buffer {
            Buffer::Partials => domain.copy(&mut memory.partials, &accs, &pairs),
            Buffer::Result => domain.copy(&mut memory.result, &accs, &pairs),
            Buffer::Shared(name) => {
                let array = self.shared.get_mut(name).ok_or_else(|| Fault::Unbound(name.to_owned()))?;
                domain.copy(array, &accs, &pairs);
            }
            Buffer::Items => domain.copy(&mut memory.items, &accs, &pairs),
            Buffer::Input(_) | Buffer::Ticket => return Err(Fault::Unbound(text(stmt))),
        }
        Ok(())
    }

    fn atomic_combine(
        &mut self,
        stmt: &Stmt,
        place: &Place,
        value: &Expr,
        mask: &[bool],
    ) -> Result<(), Fault> {
        let accs = self.acc(value, mask, value)?;
        for (thread, at) in self.positions(stmt, place, 1, mask)? {
            let mut pair = [self.domain.undefined(1), self.domain.undefined(1)];
            self.domain.copy(&mut pair[0], &self.memory.partials, &[(0, at)]);
            self.domain.copy(&mut pair[1], &accs, &[(0, thread)]);
            let sum = self.domain.combine(&pair[0], &pair[1])?;
            self.domain.copy(&mut self.memory.partials, &sum, &[(at, 0)]);
        }
        Ok(())
    }

    fn array(&self, buffer: Buffer) -> Result<&D::Accs, Fault> {
        let unbound = || Fault::Unbound(buffer.to_string());
        match buffer {
            Buffer::Items => Ok(&self.memory.items),
            Buffer::Shared(name) => self.shared.get(name).ok_or_else(unbound),
            Buffer::Input(_) | Buffer::Partials | Buffer::Result | Buffer::Ticket => Err(unbound()),
        }
    }

    fn len(&self, buffer: Buffer) -> u64 {
        let accs = |accs: &D::Accs| self.domain.len(accs) as u64;
        match buffer {
            Buffer::Input(k) => self.memory.inputs[k].elements.len() as u64,
            Buffer::Items => accs(&self.memory.items),
            Buffer::Partials => accs(&self.memory.partials),
            Buffer::Result => accs(&self.memory.result),
            Buffer::Ticket => self.memory.ticket.len() as u64,
            Buffer::Shared(name) => self.shared.get(name).map_or(0, accs),
        }
    }

    /// For each thread of `mask`, the element of the buffer that it accesses.
    fn positions(
        &mut self,
        stmt: &Stmt,
        place: &Place,
        width: u64,
        mask: &[bool],
    ) -> Result<Vec<(usize, usize)>, Fault> {
        let Val::Scalar(index) = self.value(&place.index, mask)? else {
            return Err(Fault::Unbound(text(stmt)));
        };
        let len = self.len(place.buffer);
        let position = |(thread, _): (usize, usize)| {
            let index = index.get(thread).bits();
            let inside = index.checked_add(width).is_some_and(|end| end <= len);
            if inside {
                Ok((thread, index as usize))
            } else {
                Err(Fault::OutOfBounds { statement: text(stmt), index, len })
            }
        };
        lanes_of(mask).into_iter().map(position).collect()
    }

    fn shuffle(
        &mut self,
        stmt: &Stmt,
        into: &Local,
        [value, down]: [&Expr; 2],
        mask: &[bool],
    ) -> Result<(), Fault> {
        self.converged(stmt, Program::WARP as usize, mask)?;
        let (Val::Acc(accs), Val::Scalar(down)) = (self.value(value, mask)?, self.value(down, mask)?) else {
            return Err(Fault::Unbound(text(stmt)));
        };
        let warp = Program::WARP as usize;
        let source = |(thread, _): (usize, usize)| {
            let up = thread % warp + down.get(thread).bits() as usize;
            (thread, if up < warp { thread / warp * warp + up } else { thread })
        };
        let pairs: Vec<_> = lanes_of(mask).into_iter().map(source).collect();
        let mut shuffled = self.domain.undefined(self.threads());
        self.domain.copy(&mut shuffled, &accs, &pairs);
        self.locals.insert(into.name.clone(), Val::Acc(shuffled));
        Ok(())
    }

    fn atomic(
        &mut self,
        stmt: &Stmt,
        into: &Local,
        op: AtomicOp,
        [at, value]: [&Expr; 2],
        mask: &[bool],
    ) -> Result<(), Fault> {
        let place = Buffer::Ticket.at(at.clone());
        let positions = self.positions(stmt, &place, 1, mask)?;
        let Val::Scalar(operand) = self.value(value, mask)? else { return Err(Fault::Unbound(text(stmt))) };
        let mut before = Lanes::splat(Value::of(0u32), self.threads());
        for (thread, at) in positions {
            let (ticket, operand) = (&mut self.memory.ticket[at], operand.get(thread).bits() as u32);
            before.set(thread, Value::of(*ticket));
            *ticket = match op {
                AtomicOp::Add => ticket.wrapping_add(operand),
                AtomicOp::Exchange => operand,
            };
        }
        self.locals.insert(into.name.clone(), Val::Scalar(before));
        Ok(())
    }

    /// Every group of `width` threads takes part as a whole, or not at all.
    fn converged(&self, stmt: &Stmt, width: usize, mask: &[bool]) -> Result<(), Fault> {
        let whole = |group: &[bool]| group.iter().all(|&on| on == group[0]);
        let all = mask.chunks(width).all(whole);
        if all { Ok(()) } else { Err(Fault::Divergent { statement: text(stmt) }) }
    }

    fn condition(&mut self, test: &Expr, mask: &[bool]) -> Result<Vec<bool>, Fault> {
        match self.value(test, mask)? {
            Val::Scalar(Lanes::Bool(holds)) => Ok(holds),
            Val::Scalar(_) | Val::Vector(_) | Val::Acc(_) => Err(Fault::Unbound(test.to_string())),
        }
    }

    fn undefined_thread(&self, accs: &D::Accs, mask: &[bool]) -> Option<usize> {
        (0..mask.len()).find(|&thread| mask[thread] && !self.domain.defined(accs, thread))
    }

    fn value(&mut self, expr: &Expr, mask: &[bool]) -> Result<Val<D::Accs>, Fault> {
        let threads = self.threads();
        let splat = |value| Ok(Val::Scalar(Lanes::splat(value, threads)));
        match expr {
            Expr::Const(value) => splat(*value),
            Expr::Named(name) => splat(Value::of(self.kernel.constant(name))),
            Expr::Local(local) => self.local(local).cloned(),
            Expr::Lane(local, lane) => match self.local(local)? {
                Val::Vector(lanes) => Ok(Val::Scalar(lanes[*lane as usize].clone())),
                Val::Scalar(_) | Val::Acc(_) => Err(Fault::Unbound(local.name.clone())),
            },
            Expr::Thread => Ok(Val::Scalar(Lanes::U32((0..threads as u32).collect()))),
            Expr::Block => splat(Value::of(self.block as u32)),
            Expr::Grid => splat(Value::of(self.grid as u32)),
            Expr::Rank => splat(Value::of(0u32)),
            Expr::Step(k) => splat(Value::of(self.memory.inputs[*k].step)),
            Expr::Items => splat(Value::of(self.items)),
            Expr::Aligned(Buffer::Input(k), _) => splat(Value::of(self.memory.inputs[*k].aligned)),
            Expr::Aligned(..) => splat(Value::of(true)),
            Expr::Un(op, a) => self.scalars([a], mask, |[a], out| lanes::un(*op, a.borrow(), out), expr),
            Expr::Bin(op, a, b) => {
                self.scalars([a, b], mask, |[a, b], out| lanes::bin(*op, a.borrow(), b.borrow(), out), expr)
            }
            Expr::Cmp(op, a, b) => {
                self.scalars([a, b], mask, |[a, b], out| lanes::cmp(*op, a.borrow(), b.borrow(), out), expr)
            }
            Expr::Cast(ty, a) => self.cast(*ty, a, mask),
            Expr::Map(args) => self.map(args, mask),
            Expr::Combine(a, b) => {
                let (a, b) = (self.acc(a, mask, expr)?, self.acc(b, mask, expr)?);
                self.domain.combine(&a, &b).map(Val::Acc)
            }
            Expr::Empty => Ok(Val::Acc(self.domain.empty(threads))),
            Expr::Finish(a) => self.value(a, mask),
        }
    }

    fn local(&self, local: &Local) -> Result<&Val<D::Accs>, Fault> {
        self.locals.get(&local.name).ok_or_else(|| Fault::Unbound(local.name.clone()))
    }

    fn scalars<const N: usize>(
        &mut self,
        operands: [&Expr; N],
        mask: &[bool],
        op: impl FnOnce([Lanes; N], &mut Lanes) -> Result<(), lanes::LaneError>,
        expr: &Expr,
    ) -> Result<Val<D::Accs>, Fault> {
        let mut values = Vec::with_capacity(N);
        for operand in operands {
            let Val::Scalar(lanes) = self.value(operand, mask)? else {
                return Err(Fault::Unbound(operand.to_string()));
            };
            values.push(lanes);
        }
        let Some(Ty::Scalar(ty)) = expr.ty() else { return Err(Fault::Unbound(expr.to_string())) };
        let mut out = Lanes::empty(ty);
        let operands = <[Lanes; N]>::try_from(values).map_err(|_| Fault::Unbound(expr.to_string()))?;
        op(operands, &mut out)?;
        Ok(Val::Scalar(out))
    }

    fn cast(&mut self, ty: Scalar, a: &Expr, mask: &[bool]) -> Result<Val<D::Accs>, Fault> {
        match (self.value(a, mask)?, ty) {
            (Val::Scalar(Lanes::U32(from)), Scalar::U64) => {
                Ok(Val::Scalar(Lanes::U64(from.into_iter().map(u64::from).collect())))
            }
            (Val::Scalar(Lanes::U64(from)), Scalar::U32) => {
                Ok(Val::Scalar(Lanes::U32(from.into_iter().map(|it| it as u32).collect())))
            }
            (same, _) => Ok(same),
        }
    }

    fn map(&mut self, args: &[Expr], mask: &[bool]) -> Result<Val<D::Accs>, Fault> {
        let mut lanes = Vec::new();
        for arg in args {
            let Val::Scalar(elements) = self.value(arg, mask)? else {
                return Err(Fault::Unbound(arg.to_string()));
            };
            lanes.push(elements);
        }
        let positions = if self.program.operation.indexed { lanes.pop() } else { None };
        self.domain.map(&lanes, positions.as_ref(), mask).map(Val::Acc)
    }

    /// An accumulator that is about to be used: defined in every thread of `mask`.
    fn acc(&mut self, expr: &Expr, mask: &[bool], user: &Expr) -> Result<D::Accs, Fault> {
        let Val::Acc(accs) = self.value(expr, mask)? else { return Err(Fault::Unbound(expr.to_string())) };
        match self.undefined_thread(&accs, mask) {
            None => Ok(accs),
            Some(thread) => Err(Fault::Undefined { statement: user.to_string(), thread }),
        }
    }
}

fn both(mask: &[bool], holds: &[bool], wanted: bool) -> Vec<bool> {
    mask.iter().zip(holds).map(|(&on, &holds)| on && holds == wanted).collect()
}

/// The threads of a mask, each paired with itself.
fn lanes_of(mask: &[bool]) -> Vec<(usize, usize)> {
    (0..mask.len()).filter(|&thread| mask[thread]).map(|thread| (thread, thread)).collect()
}

/// The first line of a statement.
fn text(stmt: &Stmt) -> String {
    stmt.to_string().lines().next().unwrap_or_default().trim().to_owned()
}

//! Upper bounds of the scalars of a kernel, for every launch: rule 9 of the verifier.

use super::super::{Expr, Local, Loop, LoweredKernel, Place, Stmt, Ty};
use crate::ops::{Bin, Cmp, Un};
use crate::program::Program;
use std::collections::{BTreeMap, BTreeSet};

/// The bound of the elements of an input, and of the distance between its first and last in memory: the range of addresses.
const ITEMS: u128 = 1 << 63;

/// The bound of the position where a group begins: its items can be counted from there in 64 bits.
const STARTS: u128 = 1 << 62;

/// The bound of the blocks of a launch (CUDA C++ Programming Guide, technical specifications: x-dimension of a grid).
const BLOCKS: u128 = (1 << 31) - 1;

/// Checks every expression. The error is an expression that may not fit its type.
pub(super) fn check(program: &Program, kernel: &LoweredKernel) -> Result<(), Expr> {
    let items = program.up_to.map_or(ITEMS, u128::from);
    let blocks = program.up_to.map_or(BLOCKS, |n| program.plan().launches(n)[0].grid.into());
    Bounds::of(kernel, items, blocks).body(&kernel.body)
}

/// Checks every expression of a kernel over segments, of at most that number of elements.
pub(super) fn check_segments(kernel: &LoweredKernel, most: Option<u64>) -> Result<(), Expr> {
    let (items, blocks) = (most.map_or(STARTS, u128::from), BLOCKS);
    Bounds::of(kernel, items, blocks).body(&kernel.body)
}

/// Checks every expression of a kernel over elements with keys, of at most that number of elements and blocks.
pub(super) fn check_keys(kernel: &LoweredKernel, [items, blocks]: [u64; 2]) -> Result<(), Expr> {
    let (items, blocks) = (items.into(), blocks.into());
    Bounds::of(kernel, items, blocks).body(&kernel.body)
}

struct Bounds<'a> {
    kernel: &'a LoweredKernel,
    /// The greatest number of items.
    items: u128,
    /// The greatest number of blocks.
    blocks: u128,
    /// The greatest value of each scalar, where it is less than its type allows.
    locals: BTreeMap<&'a str, u128>,
    /// The locals that are less than the length of an axis.
    coordinates: BTreeSet<&'a str>,
    /// The least value of locals that are chosen among constants.
    least: BTreeMap<&'a str, u128>,
}

impl<'a> Bounds<'a> {
    fn of(kernel: &'a LoweredKernel, items: u128, blocks: u128) -> Bounds<'a> {
        let (locals, coordinates, least) = Default::default();
        Bounds { kernel, items, blocks, locals, coordinates, least }
    }

    /// Checks a body. Its names end with it.
    fn body(&mut self, stmts: &'a [Stmt]) -> Result<(), Expr> {
        let outside = (self.locals.clone(), self.least.clone());
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))?;
        (self.locals, self.least) = outside;
        Ok(())
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Result<(), Expr> {
        match stmt {
            Stmt::Let(local, value) => {
                let most = self.upper_bound(value)?;
                self.locals.insert(&local.name, most);
                if matches!(value, Expr::Bin(Bin::Rem, _, size) if matches!(**size, Expr::Size(_))) {
                    self.coordinates.insert(&local.name);
                }
                self.least.insert(&local.name, self.least(value));
                Ok(())
            }
            Stmt::Var(_, value) | Stmt::Set(_, value) | Stmt::Vote(_, value) | Stmt::Expect(_, value) => {
                self.check(value)
            }
            Stmt::Move(_, by) | Stmt::Append(_, by) | Stmt::Fault(by) => self.check(by),
            Stmt::Ballot(_, value) => self.check(value),
            Stmt::Prefix { before, total, value } => {
                let most = self.upper_bound(value)? * u128::from(self.kernel.block);
                if most > greatest(Ty::U32) {
                    return Err(value.clone());
                }
                for local in [before, total] {
                    self.locals.insert(&local.name, most);
                }
                Ok(())
            }
            Stmt::Turn { turns, value, .. } => {
                self.locals.insert(&turns.name, 32);
                self.check(value)
            }
            Stmt::For(it) => self.counted_loop(it),
            Stmt::If(test, then, otherwise) => {
                self.check(test)?;
                let outside = self.locals.clone();
                self.narrow(test);
                self.body(then)?;
                self.locals = outside;
                self.body(otherwise)
            }
            Stmt::Load(_, place) | Stmt::LoadUnaligned(_, place) | Stmt::Take(_, place) => self.place(place),
            Stmt::Store(place, value) | Stmt::Post(place, value) | Stmt::Send(place, value) => {
                self.place(place)?;
                self.check(value)
            }
            Stmt::AtomicCombine { place, value, .. } | Stmt::Atomic { place, value, .. } => {
                self.place(place)?;
                self.check(value)
            }
            Stmt::Shuffle { value, down, .. } => {
                self.check(value)?;
                self.check(down)
            }
            Stmt::Redux(_, predicate) => predicate.iter().try_for_each(|predicate| self.check(predicate)),
            Stmt::Note(..) | Stmt::Exit | Stmt::Barrier(_) | Stmt::Fence(..) => Ok(()),
            Stmt::Clear(_) => Ok(()),
            Stmt::Length(local, list) => {
                if let Some(list) = self.kernel.lists.iter().find(|it| it.name == *list) {
                    self.locals.insert(&local.name, self.kernel.constant(list.most).into());
                }
                Ok(())
            }
            Stmt::Receive(_) | Stmt::Arrive | Stmt::Wait | Stmt::AwaitLaunch | Stmt::TriggerLaunch => Ok(()),
        }
    }

    /// Notes that a local is at most a constant, if the condition says so.
    fn narrow(&mut self, test: &'a Expr) {
        if let Expr::Bin(Bin::And, a, b) = test {
            self.narrow(a);
            self.narrow(b);
        }
        if let Expr::Cmp(Cmp::Lt, a, end) = test
            && let (Expr::Local(local), Some(end)) = (&**a, self.constant_value(end))
        {
            self.locals.insert(&local.name, end.saturating_sub(1));
        }
        if let Expr::Cmp(Cmp::Le, a, end) = test
            && let (Expr::Local(local), Some(end)) = (&**a, self.constant_value(end))
        {
            let most = self.locals.get(local.name.as_str()).copied().unwrap_or_else(|| greatest(local.ty));
            self.locals.insert(&local.name, most.min(end));
        }
    }

    /// Inside a loop, the test bounds the counter; a counter that shrinks is bounded by its first value.
    fn counted_loop(&mut self, it: &'a Loop) -> Result<(), Expr> {
        let from = self.upper_bound(&it.from)?;
        let counts = |expr: &Expr| *expr == it.local.get();
        let most = match (&it.test, &it.next) {
            (Expr::Cmp(Cmp::Lt, a, end), _) if counts(a) => self.upper_bound(end)?.saturating_sub(1),
            (Expr::Cmp(Cmp::Le, a, end), _) if counts(a) => self.upper_bound(end)?,
            (_, Expr::Bin(Bin::Div, a, _)) if counts(a) => from,
            _ => greatest(it.local.ty),
        };
        self.locals.insert(&it.local.name, most);
        self.check(&it.test)?;
        self.check(&it.next)?;
        self.body(&it.body)?;
        self.locals.remove(it.local.name.as_str());
        Ok(())
    }

    fn place(&self, place: &Place) -> Result<(), Expr> {
        place.rank.iter().try_for_each(|rank| self.check(rank))?;
        self.check(&place.index)
    }

    fn check(&self, expr: &Expr) -> Result<(), Expr> {
        self.upper_bound(expr).map(|_| ())
    }

    /// Returns the greatest value of a scalar; values that are not positions are bounded by their type.
    fn upper_bound(&self, expr: &Expr) -> Result<u128, Expr> {
        let of_type = expr.ty().map_or(0, greatest);
        let most = match expr {
            Expr::Const(value) => value.bits().into(),
            Expr::Named(name) => self.kernel.constant(name).into(),
            Expr::Local(Local { name, .. }) => self.locals.get(name.as_str()).copied().unwrap_or(of_type),
            Expr::Thread => self.kernel.block.saturating_sub(1).into(),
            Expr::Block => self.blocks.saturating_sub(1),
            Expr::Grid => self.blocks,
            Expr::Rank => self.kernel.cluster.saturating_sub(1).into(),
            Expr::Items | Expr::Elements => self.items,
            Expr::Groups => BLOCKS,
            Expr::First(group) => self.check(group).map(|()| STARTS)?,
            Expr::Size(_) => ITEMS,
            // A distance from the first element; a negative one wraps.
            Expr::Offset(_, terms) => {
                terms.iter().try_for_each(|(_, coordinate)| self.check(coordinate))?;
                ITEMS
            }
            Expr::Select(test, a, b) => {
                self.check(test)?;
                self.upper_bound(a)?.max(self.upper_bound(b)?)
            }
            Expr::Bin(op, a, b) => self.bound_of_operation(*op, a, b)?.unwrap_or(of_type),
            Expr::Cast(_, a) => self.upper_bound(a)?,
            Expr::Lane(..) | Expr::Param(..) | Expr::Aligned(..) | Expr::Empty | Expr::Nothing => of_type,
            Expr::Un(Un::CountOnes, a) => self.check(a).map(|()| 32)?,
            Expr::Un(Un::TrailingZeros, a) => self.check(a).map(|()| 31)?,
            Expr::Un(..)
            | Expr::AlignedAt(..)
            | Expr::Cmp(..)
            | Expr::Map(_)
            | Expr::Slot(_)
            | Expr::Combine(..)
            | Expr::Fold(..)
            | Expr::Finish(..) => {
                expr.operands().into_iter().try_for_each(|operand| self.check(operand))?;
                of_type
            }
        };
        let is_position = matches!(expr.ty(), Some(Ty::U32 | Ty::U64));
        if is_position && most > of_type { Err(expr.clone()) } else { Ok(most) }
    }

    /// Returns the value of a constant.
    fn constant_value(&self, expr: &Expr) -> Option<u128> {
        if let Expr::Cast(_, constant) = expr {
            return self.constant_value(constant);
        }
        if let Expr::Const(value) = expr {
            return Some(value.bits().into());
        }
        if let Expr::Named(name) = expr { Some(self.kernel.constant(name).into()) } else { None }
    }

    /// Returns the least value of a constant, of a choice among constants, or of a product of these; 0 for others.
    fn least(&self, expr: &Expr) -> u128 {
        if let Expr::Cast(_, inner) = expr {
            self.least(inner)
        } else if let Expr::Select(_, a, b) = expr {
            self.least(a).min(self.least(b))
        } else if let Expr::Bin(Bin::Mul, a, b) = expr {
            self.least(a).saturating_mul(self.least(b))
        } else if let Expr::Local(local) = expr {
            self.least.get(local.name.as_str()).copied().unwrap_or(0)
        } else {
            self.constant_value(expr).unwrap_or(0)
        }
    }

    /// Returns the greatest result of an operation, if it is known.
    fn bound_of_operation(&self, op: Bin, a: &Expr, b: &Expr) -> Result<Option<u128>, Expr> {
        let (left, right) = (self.upper_bound(a)?, self.upper_bound(b)?);
        Ok(match op {
            Bin::Add => Some(left.saturating_add(right)),
            // The place where a row begins, or a column of a segment.
            Bin::Mul if self.is_along(a) || self.is_along(b) => Some(STARTS),
            Bin::Mul => Some(left.saturating_mul(right)),
            Bin::Div => Some(left / self.least(b).max(1)),
            Bin::Sub | Bin::Shr => Some(left),
            Bin::Rem => Some(left.min(right.saturating_sub(1))),
            Bin::Min | Bin::MinNum | Bin::And => Some(left.min(right)),
            Bin::Max | Bin::MaxNum => Some(left.max(right)),
            Bin::Or | Bin::Xor | Bin::Shl => None,
            Bin::Powf | Bin::Hypot | Bin::Atan2 => None,
        })
    }
}

impl Bounds<'_> {
    /// Returns whether an expression is the length of an axis, or less: a number of rows times it is a place among all elements.
    fn is_along(&self, expr: &Expr) -> bool {
        let is_coordinate = |local: &Local| self.coordinates.contains(local.name.as_str());
        matches!(expr, Expr::Size(_)) || matches!(expr, Expr::Local(local) if is_coordinate(local))
    }
}

/// Returns the greatest value of a type of positions or conditions.
fn greatest(ty: Ty) -> u128 {
    match ty {
        Ty::BOOL => 1,
        Ty::U32 => u32::MAX.into(),
        Ty::Scalar(_) | Ty::Vector(..) | Ty::Acc | Ty::Output => u64::MAX.into(),
    }
}

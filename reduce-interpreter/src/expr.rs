//! Expressions on the 32 lanes of a warp: index arithmetic, natively and checked, and accumulators.

use super::warp::{PerLane, WIDTH, mask};
use reduce_ir::ops::{Bin, Cmp};

/// An expression of type `u32`, `u64` or `bool`, or an element, as bits.
#[derive(Clone, Debug)]
pub(super) enum ScalarExpr {
    Const(u64),
    Register(usize),
    Thread,
    Block,
    Rank,
    /// The bits that a mask keeps, inverted.
    Not(Box<ScalarExpr>, u64),
    /// A position times a signed step, modulo 2^64: a distance in memory, of 63 bits and a sign.
    Strided(Box<[ScalarExpr; 2]>),
    /// On numbers of up to so much.
    Bin(Bin, Box<[ScalarExpr; 2]>, u64),
    /// Of conditions: the right side is evaluated where the left one does not decide.
    And(Box<[ScalarExpr; 2]>),
    Or(Box<[ScalarExpr; 2]>),
    Cmp(Cmp, Box<[ScalarExpr; 2]>),
    /// A `u64` as `u32`.
    Narrow(Box<ScalarExpr>),
}

/// An expression of an accumulator.
#[derive(Clone, Debug)]
pub(super) enum AccExpr {
    Register(usize),
    Map(Vec<ScalarExpr>),
    Combine(Box<[AccExpr; 2]>),
    Fold(Box<AccExpr>, Vec<ScalarExpr>),
    Empty,
    /// The accumulator itself: results are finished by whoever asks for them.
    Finish(Box<AccExpr>),
}

impl AccExpr {
    /// Does it combine?
    pub(super) fn combines(&self) -> bool {
        match self {
            AccExpr::Register(_) | AccExpr::Map(..) | AccExpr::Empty => false,
            AccExpr::Combine(..) | AccExpr::Fold(..) => true,
            AccExpr::Finish(acc) => acc.combines(),
        }
    }
}

/// What scalars are evaluated on, and which lanes went wrong.
pub(super) struct Lanes<'a> {
    pub(super) registers: &'a [PerLane<u64>],
    /// The thread of the first lane.
    pub(super) thread: u32,
    pub(super) block: u64,
    pub(super) rank: u32,
    pub(super) overflow: u32,
    pub(super) by_zero: u32,
}

impl Lanes<'_> {
    /// The value in every lane; it means something in those of `active`.
    pub(super) fn eval(&mut self, expr: &ScalarExpr, active: u32) -> PerLane<u64> {
        match expr {
            ScalarExpr::Const(value) => [*value; WIDTH],
            ScalarExpr::Register(at) => self.registers[*at],
            ScalarExpr::Thread => std::array::from_fn(|lane| u64::from(self.thread) + lane as u64),
            ScalarExpr::Block => [self.block; WIDTH],
            ScalarExpr::Rank => [self.rank.into(); WIDTH],
            ScalarExpr::Not(a, kept) => self.eval(a, active).map(|it| !it & kept),
            ScalarExpr::Strided(operands) => self.strided(operands, active),
            ScalarExpr::Bin(op, operands, most) => self.bin(*op, operands, *most, active),
            ScalarExpr::And(operands) => self.decide(operands, active, 0),
            ScalarExpr::Or(operands) => self.decide(operands, active, 1),
            ScalarExpr::Cmp(op, operands) => self.cmp(*op, operands, active),
            ScalarExpr::Narrow(a) => {
                let wide = self.eval(a, active);
                self.overflow |= active & mask(|lane| wide[lane] > u32::MAX.into());
                wide.map(|it| u64::from(it as u32))
            }
        }
    }

    fn strided(&mut self, [position, step]: &[ScalarExpr; 2], active: u32) -> PerLane<u64> {
        let (position, step) = (self.eval(position, active), self.eval(step, active));
        let exact = |lane: usize| i128::from(position[lane]) * i128::from(step[lane] as i64);
        self.overflow |= active & mask(|lane| i64::try_from(exact(lane)).is_err());
        zip(&position, &step, u64::wrapping_mul)
    }

    fn bin(&mut self, op: Bin, [a, b]: &[ScalarExpr; 2], most: u64, active: u32) -> PerLane<u64> {
        let (a, b) = (self.eval(a, active), self.eval(b, active));
        match op {
            Bin::Add => self.checked(&a, &b, most, active, u64::overflowing_add),
            Bin::Sub => self.checked(&a, &b, most, active, u64::overflowing_sub),
            Bin::Mul => self.checked(&a, &b, most, active, u64::overflowing_mul),
            Bin::Div => self.divided(&a, &b, active, |a, b| a / b),
            Bin::Rem => self.divided(&a, &b, active, |a, b| a % b),
            Bin::Min | Bin::MinNum => zip(&a, &b, u64::min),
            Bin::Max | Bin::MaxNum => zip(&a, &b, u64::max),
            Bin::And => zip(&a, &b, |a, b| a & b),
            Bin::Or => zip(&a, &b, |a, b| a | b),
            Bin::Xor => zip(&a, &b, |a, b| a ^ b),
            // Of 64 bits where `most` is, else of 32.
            Bin::Shl => zip(&a, &b, |a, b| a << (b & bits(most)) & most),
            Bin::Shr => zip(&a, &b, |a, b| a >> (b & bits(most))),
        }
    }

    /// What does not fit wraps, as on a GPU, and is noted.
    fn checked(
        &mut self,
        a: &PerLane<u64>,
        b: &PerLane<u64>,
        most: u64,
        active: u32,
        op: impl Fn(u64, u64) -> (u64, bool),
    ) -> PerLane<u64> {
        let mut beyond = [false; WIDTH];
        let result = std::array::from_fn(|lane| {
            let (result, carry) = op(a[lane], b[lane]);
            beyond[lane] = carry || result > most;
            result & most
        });
        if beyond.contains(&true) {
            self.overflow |= active & mask(|lane| beyond[lane]);
        }
        result
    }

    fn divided(
        &mut self,
        a: &PerLane<u64>,
        b: &PerLane<u64>,
        active: u32,
        op: impl Fn(u64, u64) -> u64,
    ) -> PerLane<u64> {
        self.by_zero |= active & mask(|lane| b[lane] == 0);
        zip(a, b, |a, b| if b == 0 { 0 } else { op(a, b) })
    }

    fn decide(&mut self, [a, b]: &[ScalarExpr; 2], active: u32, decided: u64) -> PerLane<u64> {
        let left = self.eval(a, active);
        let open = active & mask(|lane| left[lane] != decided);
        if open == 0 {
            return left;
        }
        let right = self.eval(b, open);
        zip(&left, &right, |left, right| if left == decided { left } else { right })
    }

    fn cmp(&mut self, op: Cmp, [a, b]: &[ScalarExpr; 2], active: u32) -> PerLane<u64> {
        let (a, b) = (self.eval(a, active), self.eval(b, active));
        match op {
            Cmp::Eq => zip(&a, &b, |a, b| u64::from(a == b)),
            Cmp::Ne => zip(&a, &b, |a, b| u64::from(a != b)),
            Cmp::Lt => zip(&a, &b, |a, b| u64::from(a < b)),
            Cmp::Le => zip(&a, &b, |a, b| u64::from(a <= b)),
            Cmp::Gt => zip(&a, &b, |a, b| u64::from(a > b)),
            Cmp::Ge => zip(&a, &b, |a, b| u64::from(a >= b)),
        }
    }
}

/// What a distance is taken modulo, less one.
fn bits(most: u64) -> u64 {
    u64::from(most.count_ones()) - 1
}

fn zip(a: &PerLane<u64>, b: &PerLane<u64>, op: impl Fn(u64, u64) -> u64) -> PerLane<u64> {
    std::array::from_fn(|lane| op(a[lane], b[lane]))
}

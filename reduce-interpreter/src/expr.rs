//! Expressions on the 32 lanes of a warp: checked index arithmetic on native integers, and accumulators.

use super::warp::{PerLane, WIDTH, each, mask};
use reduce_ir::Value;
use reduce_ir::func::{Func, Param};
use reduce_ir::ops::{Bin, Cmp, Un};

/// An expression of type `u32`, `u64` or `bool`, or an element, as bits.
#[derive(Clone, Debug)]
pub(super) enum ScalarExpr {
    Const(u64),
    Register(usize),
    Thread,
    Block,
    Rank,
    /// The inverted bits, restricted to a mask.
    Not(Box<ScalarExpr>, u64),
    /// The sum of signed steps times coordinates, modulo 2^64: a distance in memory, of 63 bits and a sign.
    Offset(Vec<(i64, ScalarExpr)>),
    /// A position relative to a pointer, and the register with the distance by which that pointer was moved.
    Moved(Box<ScalarExpr>, usize),
    /// Whether a pointer is a multiple of a number of bytes after it was moved by the items in a register.
    Aligned {
        register: usize,
        size: u64,
        pointer: u64,
        bytes: u64,
    },
    /// Whether an element's address is a multiple of a number of bytes.
    AlignedAt {
        index: Box<ScalarExpr>,
        size: u64,
        pointer: u64,
        bytes: u64,
    },
    /// The second operand where the first one holds, otherwise the third. The other one is not evaluated.
    Select(Box<[ScalarExpr; 3]>),
    /// An operation on integers up to the given maximum.
    Bin(Bin, Box<[ScalarExpr; 2]>, u64),
    /// Conditions: the right side is evaluated only in lanes where the left one does not decide.
    And(Box<[ScalarExpr; 2]>),
    Or(Box<[ScalarExpr; 2]>),
    Cmp(Cmp, Box<[ScalarExpr; 2]>),
    /// A `u64` as `u32`.
    Narrow(Box<ScalarExpr>),
    /// The number of ones in a `u32`, or of zeros below the lowest one.
    Bits(Un, Box<ScalarExpr>),
    /// The number of the group of an element.
    Slot(Vec<ScalarExpr>),
}

/// An expression of an accumulator.
#[derive(Clone, Debug)]
pub(super) enum AccExpr {
    Register(usize),
    Map(Vec<ScalarExpr>),
    Combine(Box<[AccExpr; 2]>),
    Fold(Box<AccExpr>, Vec<ScalarExpr>),
    Empty,
    /// The accumulator itself: the caller finishes the results.
    Finish(Box<AccExpr>),
}

impl AccExpr {
    /// Returns whether the expression combines accumulators.
    pub(super) fn combines(&self) -> bool {
        match self {
            AccExpr::Register(_) | AccExpr::Map(..) | AccExpr::Empty => false,
            AccExpr::Combine(..) | AccExpr::Fold(..) => true,
            AccExpr::Finish(acc) => acc.combines(),
        }
    }
}

/// The registers and built-in values for an evaluation, and the lanes with arithmetic faults.
pub(super) struct Lanes<'a> {
    pub(super) registers: &'a [PerLane<u64>],
    /// The function from an element to the number of its group.
    pub(super) key: Option<&'a Func>,
    /// The thread of the first lane.
    pub(super) thread: u32,
    pub(super) block: u64,
    pub(super) rank: u32,
    pub(super) overflow: u32,
    pub(super) by_zero: u32,
}

impl Lanes<'_> {
    /// Evaluates the expression in every lane. The values of lanes outside `active` have no meaning.
    pub(super) fn eval(&mut self, expr: &ScalarExpr, active: u32) -> PerLane<u64> {
        match expr {
            ScalarExpr::Const(value) => [*value; WIDTH],
            ScalarExpr::Register(at) => self.registers[*at],
            ScalarExpr::Thread => std::array::from_fn(|lane| u64::from(self.thread) + lane as u64),
            ScalarExpr::Block => [self.block; WIDTH],
            ScalarExpr::Rank => [self.rank.into(); WIDTH],
            ScalarExpr::Not(a, kept) => self.eval(a, active).map(|it| !it & kept),
            ScalarExpr::Offset(terms) => self.offset(terms, active),
            ScalarExpr::Moved(index, register) => {
                zip(&self.eval(index, active), &self.registers[*register], u64::wrapping_add)
            }
            ScalarExpr::Aligned { register, size, pointer, bytes } => self.registers[*register]
                .map(|items| pointer.wrapping_add(items.wrapping_mul(*size)).is_multiple_of(*bytes).into()),
            ScalarExpr::AlignedAt { index, size, pointer, bytes } => self
                .eval(index, active)
                .map(|at| pointer.wrapping_add(at.wrapping_mul(*size)).is_multiple_of(*bytes).into()),
            ScalarExpr::Select(operands) => {
                let [test, a, b] = &**operands;
                let test = self.eval(test, active);
                let first = active & mask(|lane| test[lane] != 0);
                let (a, b) = (self.eval(a, first), self.eval(b, active & !first));
                std::array::from_fn(|lane| if test[lane] != 0 { a[lane] } else { b[lane] })
            }
            ScalarExpr::Bin(op, operands, most) => self.bin(*op, operands, *most, active),
            ScalarExpr::And(operands) => self.short_circuit(operands, active, 0),
            ScalarExpr::Or(operands) => self.short_circuit(operands, active, 1),
            ScalarExpr::Cmp(op, operands) => self.cmp(*op, operands, active),
            ScalarExpr::Slot(args) => self.slots(args, active),
            ScalarExpr::Bits(op, a) => {
                let ones = *op == Un::CountOnes;
                let count = |it: u64| if ones { it.count_ones() } else { (it as u32).trailing_zeros() };
                self.eval(a, active).map(|it| count(it).into())
            }
            ScalarExpr::Narrow(a) => {
                let wide = self.eval(a, active);
                self.overflow |= active & mask(|lane| wide[lane] > u32::MAX.into());
                wide.map(|it| u64::from(it as u32))
            }
        }
    }

    fn slots(&mut self, args: &[ScalarExpr], active: u32) -> PerLane<u64> {
        let args: Vec<_> = args.iter().map(|arg| self.eval(arg, active)).collect();
        let mut slots = [u64::from(u32::MAX); WIDTH];
        let Some(key) = self.key else { return slots };
        for lane in each(active) {
            let value = |(param, bits): (&Param, &PerLane<u64>)| Value::from_bits(param.ty, bits[lane]);
            let values: Vec<_> = key.params().iter().zip(&args).map(value).collect();
            // An ill-typed key is no group.
            slots[lane] = key.evaluate(&values).map_or(slots[lane], |slot| slot[0].bits());
        }
        slots
    }

    fn offset(&mut self, terms: &[(i64, ScalarExpr)], active: u32) -> PerLane<u64> {
        let mut exact = [0i128; WIDTH];
        for (step, coordinate) in terms {
            let coordinate = self.eval(coordinate, active);
            let add =
                |(sum, at): (&mut i128, &u64)| *sum = sum.saturating_add(i128::from(*at) * i128::from(*step));
            exact.iter_mut().zip(&coordinate).for_each(add);
        }
        self.overflow |= active & mask(|lane| i64::try_from(exact[lane]).is_err());
        exact.map(|sum| sum as u64)
    }

    fn bin(&mut self, op: Bin, [a, b]: &[ScalarExpr; 2], most: u64, active: u32) -> PerLane<u64> {
        let (a, b) = (self.eval(a, active), self.eval(b, active));
        match op {
            Bin::Add => self.checked(&a, &b, most, active, u64::overflowing_add),
            Bin::Sub => self.checked(&a, &b, most, active, u64::overflowing_sub),
            Bin::Mul => self.checked(&a, &b, most, active, u64::overflowing_mul),
            Bin::Div => self.checked_division(&a, &b, active, |a, b| a / b),
            Bin::Rem => self.checked_division(&a, &b, active, |a, b| a % b),
            Bin::Min | Bin::MinNum => zip(&a, &b, u64::min),
            Bin::Max | Bin::MaxNum => zip(&a, &b, u64::max),
            Bin::And => zip(&a, &b, |a, b| a & b),
            Bin::Or => zip(&a, &b, |a, b| a | b),
            Bin::Xor => zip(&a, &b, |a, b| a ^ b),
            // A shift of 64 bits where `most` has 64, otherwise of 32.
            Bin::Shl => zip(&a, &b, |a, b| a << (b & shift_mask(most)) & most),
            Bin::Shr => zip(&a, &b, |a, b| a >> (b & shift_mask(most))),
            // The verifier excludes these: indices are integers.
            Bin::Powf | Bin::Hypot | Bin::Atan2 => a,
        }
    }

    /// Applies an operation. A result that does not fit wraps, as on a GPU, and its lane is recorded.
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

    fn checked_division(
        &mut self,
        a: &PerLane<u64>,
        b: &PerLane<u64>,
        active: u32,
        op: impl Fn(u64, u64) -> u64,
    ) -> PerLane<u64> {
        self.by_zero |= active & mask(|lane| b[lane] == 0);
        zip(a, b, |a, b| if b == 0 { 0 } else { op(a, b) })
    }

    fn short_circuit(&mut self, [a, b]: &[ScalarExpr; 2], active: u32, decided: u64) -> PerLane<u64> {
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

/// Returns the mask of shift distances: the number of bits of the type minus one.
fn shift_mask(most: u64) -> u64 {
    u64::from(most.count_ones()) - 1
}

fn zip(a: &PerLane<u64>, b: &PerLane<u64>, op: impl Fn(u64, u64) -> u64) -> PerLane<u64> {
    std::array::from_fn(|lane| op(a[lane], b[lane]))
}

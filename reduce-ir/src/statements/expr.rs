//! The expressions of statements: positions, conditions, accumulators.

use super::{Buffer, Local};
use crate::ops::{Bin, Cmp, Un};
use crate::{Scalar, Value};

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A literal.
    Const(Value),
    /// A constant of the kernel.
    Named(&'static str),
    /// A local.
    Local(Local),
    /// An element of a local vector.
    Lane(Local, u32),
    /// The thread's number in its block, `u32`.
    Thread,
    /// The block's number in the grid, `u32`.
    Block,
    /// The number of blocks, `u32`.
    Grid,
    /// The block's number in its cluster, `u32`.
    Rank,
    /// The number of items of the launch, `u64`.
    Items,
    /// The number of groups, `u64`.
    Groups,
    /// The position, in memory, of the first item of a group, `u64`.
    First(Box<Expr>),
    /// The number of elements of the whole reduction, `u64`, in a kernel over partials.
    Elements,
    /// The distance in memory, in elements of an input: the sum of coordinates times the steps of their axes, modulo 2^64. Axes
    /// are numbered from 0: first the kept ones, then the reduced ones. `u64`.
    Offset(usize, Vec<(usize, Expr)>),
    /// The length of an axis, `u64`.
    Size(usize),
    /// A scalar that the call gives, and its type.
    Param(usize, Scalar),
    /// Whether the address of the buffer's first element is a multiple of that number of bytes.
    Aligned(Buffer, u32),
    /// Whether the address of this element of the buffer is a multiple of that number of bytes.
    AlignedAt(Buffer, u32, Box<Expr>),
    /// An operation on one operand.
    Un(Un, Box<Expr>),
    /// An operation on two operands.
    Bin(Bin, Box<Expr>, Box<Expr>),
    /// A comparison.
    Cmp(Cmp, Box<Expr>, Box<Expr>),
    /// The first value if the condition holds, otherwise the second.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion between `u32` and `u64`; bits that do not fit are dropped.
    Cast(Scalar, Box<Expr>),
    /// The accumulator of one element, from the arguments that the operation's `map` names.
    Map(Vec<Expr>),
    /// The number of the element's group, from the arguments that the operation's `key` names. `u32`; no group is at least 2^31.
    Slot(Vec<Expr>),
    /// The combination of two accumulators.
    Combine(Box<Expr>, Box<Expr>),
    /// An accumulator with one element added by the operation's `fold`, and the arguments that `fold` names after the accumulator.
    Fold(Box<Expr>, Vec<Expr>),
    /// The accumulator of no element: the fill, or undefined if there is no fill.
    Empty,
    /// The result of no elements.
    Nothing,
    /// The result of an accumulator, and the arguments that the operation's `finish` names after the accumulator.
    Finish(Box<Expr>, Vec<Expr>),
}

//! What is computed, whatever the schedule: map, op, identity, finish, on which types.
//!
//! Data → `map` → accumulators → `op`, in the order of the association → one accumulator → `finish` → result.

use crate::func::{Func, Param};
use crate::{Scalar, Value};
use std::fmt;

/// An accumulator or result: one scalar, or a named struct of scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The name of the struct, or `None` for a bare scalar.
    pub name: Option<String>,
    /// The scalars. A bare scalar is one field with an empty name.
    pub fields: Vec<Param>,
}

impl Record {
    /// A bare scalar.
    pub fn scalar(ty: Scalar) -> Record {
        Record { name: None, fields: vec![Param::new("", ty)] }
    }

    /// A struct of scalars.
    pub fn of(name: &str, fields: &[(&str, Scalar)]) -> Record {
        let fields = fields.iter().map(|&(name, ty)| Param::new(name, ty)).collect();
        Record { name: Some(name.to_owned()), fields }
    }

    /// Is it a bare scalar?
    pub fn is_scalar(&self) -> bool {
        self.name.is_none()
    }

    /// The types of the fields.
    pub fn types(&self) -> Vec<Scalar> {
        self.fields.iter().map(|field| field.ty).collect()
    }

    /// Bytes in memory, laid out as C does.
    pub fn size(&self) -> usize {
        let end = self
            .fields
            .iter()
            .fold(0usize, |at, field| at.next_multiple_of(field.ty.size()) + field.ty.size());
        end.next_multiple_of(self.align())
    }

    /// Alignment in memory, as in C.
    pub fn align(&self) -> usize {
        self.fields.iter().map(|field| field.ty.size()).max().unwrap_or(1)
    }

    /// Where each field starts, as in C.
    pub fn offsets(&self) -> Vec<usize> {
        let mut at = 0usize;
        let place = |field: &Param| {
            let start = at.next_multiple_of(field.ty.size());
            at = start + field.ty.size();
            start
        };
        self.fields.iter().map(place).collect()
    }

    /// Parameters for a value of this type called `name`: `a`, or `a.value` and `a.index`.
    pub fn params(&self, name: &str) -> Vec<Param> {
        let path = |field: &Param| {
            if field.name.is_empty() { name.to_owned() } else { format!("{name}.{}", field.name) }
        };
        self.fields.iter().map(|field| Param::new(path(field), field.ty)).collect()
    }

    /// How it prints: `f32`, or `Best { value: f32, index: u64 }`.
    pub fn text(&self) -> String {
        let fields: Vec<_> =
            self.fields.iter().map(|field| format!("{}: {}", field.name, field.ty)).collect();
        match &self.name {
            None => self.fields[0].ty.to_string(),
            Some(name) => format!("{name} {{ {} }}", fields.join(", ")),
        }
    }
}

/// How the elements of an input lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// One after the other.
    #[default]
    Contiguous,
    /// A step apart, which is given at the call for each input.
    Strided,
}

/// As it is written: `contiguous`, or `strided`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::Contiguous => "contiguous",
            Layout::Strided => "strided",
        })
    }
}

/// What the user asks of the association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// A function of the specification and n: every run gives the same bits.
    #[default]
    Fixed,
    /// Whatever comes first may be combined first: bits may change from run to run.
    Any,
}

/// As it is written: `fixed`, or `any`.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Fixed => "fixed",
            Order::Any => "any",
        })
    }
}

/// The functions of a reduction, typed and checked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The name that emitted text uses: that of the operator.
    pub name: String,
    /// The inputs, all of the same length.
    pub inputs: Vec<Param>,
    /// How the elements of the inputs lie.
    pub layout: Layout,
    /// Does `map` take the element's 64-bit position as its last parameter?
    pub indexed: bool,
    /// Inputs (and position) → accumulator.
    pub map: Func,
    /// The accumulator.
    pub acc: Record,
    /// Two accumulators → accumulator; associative.
    pub combine: Func,
    /// Neutral on both sides of `combine`, bit for bit; `None`: absent elements are skipped.
    pub identity: Option<Vec<Value>>,
    /// May elements be reordered, not only regrouped?
    pub commutative: bool,
    /// Does every order and grouping give the same bits?
    pub exact: bool,
    /// May the association change from run to run?
    pub order: Order,
    /// Accumulator → result.
    pub finish: Func,
    /// The result.
    pub output: Record,
}

impl Operation {
    /// Bytes read for each element, over all inputs.
    pub fn element_size(&self) -> usize {
        self.inputs.iter().map(|input| input.ty.size()).sum()
    }
}

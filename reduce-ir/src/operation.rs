//! What is computed, whatever the schedule: map, op, identity, finish, on which types.
//!
//! Data → `map` → accumulators → `op`, in the order of the association → one accumulator → `finish` → result.

mod absent;
mod names;

mod nan;

pub use absent::both;
pub use absent::{Nothing, Starts};

pub use names::is_identifier;

pub use nan::{gives_number, numbers};

use crate::evaluate::OperandError;
use crate::func::{Func, Param};
use crate::ops::Bin;
use crate::{Scalar, Value};
use std::fmt;

/// An accumulator or result: one scalar, or a named struct of scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The name of the struct, or `None` for a bare scalar.
    pub name: Option<String>,
    /// The type arguments of a struct of the library, which has the same name there; `None` for the user's own.
    pub generics: Option<Vec<Scalar>>,
    /// The scalars. A bare scalar is one field with an empty name.
    pub fields: Vec<Param>,
}

impl Record {
    /// A bare scalar.
    pub fn scalar(ty: Scalar) -> Record {
        Record { name: None, generics: None, fields: vec![Param::new("", ty)] }
    }

    /// A struct of scalars.
    pub fn of(name: &str, fields: &[(&str, Scalar)]) -> Record {
        let fields = fields.iter().map(|&(name, ty)| Param::new(name, ty)).collect();
        Record { name: Some(name.to_owned()), generics: None, fields }
    }

    /// The same of values as they are computed with ([`Scalar::compute`]).
    pub fn computed(&self) -> Record {
        let Record { name, generics, fields } = self.clone();
        let compute = |types: Vec<Scalar>| types.into_iter().map(Scalar::compute).collect();
        let fields = fields.into_iter().map(|field| Param { ty: field.ty.compute(), ..field }).collect();
        Record { name, generics: generics.map(compute), fields }
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

    /// Words of 4 bytes that hold it: as many go to another block.
    pub fn words(&self) -> usize {
        self.size().div_ceil(4)
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
///
/// Behind its inputs and accumulators a function has parameters for whatever else it uses, by name:
/// see [`Operation::map_arguments`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The name that emitted text uses: that of the operator, or of the closure that it is.
    pub name: String,
    /// The inputs, all of the same length.
    pub inputs: Vec<Param>,
    /// Scalars that are given at the call.
    pub params: Vec<Param>,
    /// The name of the element's position, for the functions that use it.
    pub index: String,
    /// The type of positions: `u64`, or [in a program for few elements](crate::program) `u32`.
    pub position: Scalar,
    /// Inputs → accumulator. May use the position and the params.
    pub map: Func,
    /// The accumulator.
    pub acc: Record,
    /// Two accumulators → accumulator; associative.
    pub combine: Func,
    /// Accumulator, inputs → accumulator: adds one element. May use the position, the step of its lane, and the params.
    /// `None`: `combine` of the accumulator and what `map` gives.
    pub fold: Option<Func>,
    /// The accumulator of no elements. `None`: there is no result of none.
    pub identity: Option<Vec<Value>>,
    /// What stands for absent elements: neutral on both sides of `combine`, bit for bit. `None`: they are skipped.
    pub fill: Option<Vec<Value>>,
    /// May elements be reordered, not only regrouped?
    pub commutative: bool,
    /// Does every order and grouping give the same bits?
    pub exact: bool,
    /// Is `combine` that of a named operator, and not of a closure?
    pub named: bool,
    /// What decides which elements the result depends on, if anything does.
    pub searches: Vec<Search>,
    /// May the association change from run to run?
    pub order: Order,
    /// Accumulator → result. May use the number of elements and the params.
    pub finish: Func,
    /// The result.
    pub output: Record,
    /// How a result says that no element was left to reduce, if that is an error.
    pub nothing: Option<Nothing>,
}

/// A field of the accumulator by which elements win: of those whose mapped field is the best there is, the first and the
/// last, together with those of all other searches, have the accumulator of all elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// The field.
    pub field: usize,
    /// The field of the element's position.
    pub position: usize,
    /// Which of two positions wins where their values are equally good: [`Bin::Min`] or [`Bin::Max`].
    pub place: Bin,
    /// Two values of it → the better one. Floats that are equal, and NaN, are equally good.
    pub best: Func,
}

/// What a parameter of a function of an [`Operation`] is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A field of the accumulator: of the left one, in `combine`.
    Acc(usize),
    /// An element of an input.
    Input(usize),
    /// The element's position.
    Index,
    /// How many elements the lane has folded before, `u64`.
    Step,
    /// The number of elements, `u64`.
    Count,
    /// A scalar given at the call.
    Param(usize),
}

impl Operation {
    /// The name of the number of elements, in `finish`.
    pub const COUNT: &str = "n";
    /// The name of the position, where none is written.
    pub const INDEX: &str = "index";
    /// The name of the step of a lane, in `fold`.
    pub const STEP: &str = "step";

    /// Bytes read for each element, over all inputs.
    pub fn element_size(&self) -> usize {
        self.inputs.iter().map(|input| input.ty.size()).sum()
    }

    /// What the parameters of `map` are given.
    pub fn map_arguments(&self) -> Vec<Argument> {
        self.arguments(&self.map, 0, self.inputs.len())
    }

    /// What the parameters of `fold` are given, if there is one.
    pub fn fold_arguments(&self) -> Option<Vec<Argument>> {
        let fold = self.fold.as_ref()?;
        Some(self.arguments(fold, self.acc.fields.len(), self.inputs.len()))
    }

    /// What the parameters of `finish` are given.
    pub fn finish_arguments(&self) -> Vec<Argument> {
        self.arguments(&self.finish, self.acc.fields.len(), 0)
    }

    /// Does `map` or `fold` use the element's position?
    pub fn is_indexed(&self) -> bool {
        self.map_arguments()
            .into_iter()
            .chain(self.fold_arguments().unwrap_or_default())
            .any(|it| it == Argument::Index)
    }

    /// Do kernels that are launched on no elements give their result? They finish the fill.
    pub fn has_result_of_nothing(&self) -> bool {
        self.fill.is_some() && self.fill == self.identity
    }

    /// Does `finish` use the number of elements?
    pub fn counts(&self) -> bool {
        self.finish_arguments().contains(&Argument::Count)
    }

    /// The result of the accumulator of n elements, with the scalars given at the call.
    ///
    /// # Errors
    /// The accumulator or the params have other types than the operation says: a bug of the caller.
    pub fn finished(&self, acc: &[Value], n: u64, params: &[Value]) -> Result<Vec<Value>, OperandError> {
        self.finish.evaluate(&self.finish_values(acc, n, params))
    }

    /// What `finish` is given then.
    pub fn finish_values(&self, acc: &[Value], n: u64, params: &[Value]) -> Vec<Value> {
        let given = |argument: &Argument| match *argument {
            Argument::Acc(field) => acc.get(field).copied(),
            Argument::Count => Some(Value::of(n)),
            Argument::Param(param) => params.get(param).copied(),
            Argument::Input(_) | Argument::Index | Argument::Step => None,
        };
        self.finish_arguments().iter().filter_map(given).collect()
    }

    /// The type of what a parameter is given.
    pub fn argument_type(&self, argument: Argument) -> Scalar {
        match argument {
            Argument::Acc(field) => self.acc.fields[field].ty,
            Argument::Input(input) => self.inputs[input].ty,
            Argument::Index => self.position,
            Argument::Step | Argument::Count => Scalar::U64,
            Argument::Param(param) => self.params[param].ty,
        }
    }

    /// Accumulators come first, then inputs; what comes behind them is told by its name.
    pub fn arguments(&self, func: &Func, accs: usize, inputs: usize) -> Vec<Argument> {
        let named = |(position, param): (usize, &Param)| match position.checked_sub(accs) {
            None => Argument::Acc(position),
            Some(input) if input < inputs => Argument::Input(input),
            Some(_) => self.argument(&param.name),
        };
        func.params().iter().enumerate().map(named).collect()
    }

    fn argument(&self, name: &str) -> Argument {
        match self.params.iter().position(|param| param.name == name) {
            Some(param) => Argument::Param(param),
            None if name == self.index => Argument::Index,
            None if name == Operation::STEP => Argument::Step,
            None => Argument::Count,
        }
    }
}

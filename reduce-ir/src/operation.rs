//! The operation of a reduction, independent of the schedule: map, op, identity, finish, and their types.
//!
//! Data → `map` → accumulators → `op`, in the order of the association → one accumulator → `finish` → result.

mod absent;
mod asserting;
mod keyed;
mod measure;
mod names;

mod nan;

pub use absent::both;
pub use absent::{Conditions, Nothing, Starts};

pub use asserting::Missing;

pub use measure::{Measure, Measures};

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
    /// The type arguments, if this is the library's struct of the same name; `None` for a struct of the user.
    pub generics: Option<Vec<Scalar>>,
    /// The scalars. A bare scalar is one field with an empty name.
    pub fields: Vec<Param>,
}

impl Record {
    /// Creates a bare scalar.
    pub fn scalar(ty: Scalar) -> Record {
        Record { name: None, generics: None, fields: vec![Param::new("", ty)] }
    }

    /// Creates a struct of scalars.
    pub fn of(name: &str, fields: &[(&str, Scalar)]) -> Record {
        let fields = fields.iter().map(|&(name, ty)| Param::new(name, ty)).collect();
        Record { name: Some(name.to_owned()), generics: None, fields }
    }

    /// Returns the record with every field in the type of its computation ([`Scalar::compute`]).
    pub fn computed(&self) -> Record {
        let Record { name, generics, fields } = self.clone();
        let compute = |types: Vec<Scalar>| types.into_iter().map(Scalar::compute).collect();
        let fields = fields.into_iter().map(|field| Param { ty: field.ty.compute(), ..field }).collect();
        Record { name, generics: generics.map(compute), fields }
    }

    /// Returns a value as Rust writes it: `190.2`, `Range { lo: 0.0, hi: 190.2 }`, `(1.5, 3)`, `[0, 2]`. Nested tuples and arrays are
    /// flattened.
    pub fn value_text(&self, values: &[Value]) -> String {
        let Some(name) = &self.name else { return values.iter().map(Value::to_string).collect() };
        // A tuple or an array is a struct with the fields v0, v1, …, and its name begins with the kind.
        let is_positional =
            self.fields.iter().zip(0..).all(|(field, at)| field.name.starts_with(&format!("v{at}")));
        let scalars = || values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        if is_positional && name.starts_with("Tuple") {
            return format!("({})", scalars());
        }
        if is_positional && name.starts_with("Array") {
            return format!("[{}]", scalars());
        }
        let field = |(field, value): (&Param, &Value)| format!("{}: {value}", field.name);
        let fields: Vec<_> = self.fields.iter().zip(values).map(field).collect();
        format!("{name} {{ {} }}", fields.join(", "))
    }

    /// Returns whether it is a bare scalar.
    pub fn is_scalar(&self) -> bool {
        self.name.is_none()
    }

    /// Returns the types of the fields.
    pub fn types(&self) -> Vec<Scalar> {
        self.fields.iter().map(|field| field.ty).collect()
    }

    /// Returns the size in bytes, laid out as in C.
    pub fn size(&self) -> usize {
        let end = self
            .fields
            .iter()
            .fold(0usize, |at, field| at.next_multiple_of(field.ty.size()) + field.ty.size());
        end.next_multiple_of(self.align())
    }

    /// Returns the alignment in bytes, as in C.
    pub fn align(&self) -> usize {
        self.fields.iter().map(|field| field.ty.size()).max().unwrap_or(1)
    }

    /// Returns the number of 4-byte words that hold it. A block sends this number of words to another block.
    pub fn words(&self) -> usize {
        self.size().div_ceil(4)
    }

    /// Returns the byte offset of each field, as in C.
    pub fn offsets(&self) -> Vec<usize> {
        let mut at = 0usize;
        let place = |field: &Param| {
            let start = at.next_multiple_of(field.ty.size());
            at = start + field.ty.size();
            start
        };
        self.fields.iter().map(place).collect()
    }

    /// Returns parameters for a value of this type called `name`: `a`, or `a.value` and `a.index`.
    pub fn params(&self, name: &str) -> Vec<Param> {
        let path = |field: &Param| {
            if field.name.is_empty() { name.to_owned() } else { format!("{name}.{}", field.name) }
        };
        self.fields.iter().map(|field| Param::new(path(field), field.ty)).collect()
    }

    /// Returns its text: `f32`, or `Best { value: f32, index: u64 }`.
    pub fn text(&self) -> String {
        let fields: Vec<_> =
            self.fields.iter().map(|field| format!("{}: {}", field.name, field.ty)).collect();
        match &self.name {
            None => self.fields[0].ty.to_string(),
            Some(name) => format!("{name} {{ {} }}", fields.join(", ")),
        }
    }
}

/// The user's requirement on the association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The association is a function of the specification and n: every run gives the same bits.
    #[default]
    Fixed,
    /// Accumulators may be combined in the order in which they become ready: bits may change from run to run.
    Any,
}

/// Prints the word of the specification: `fixed` or `any`.
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
/// After its accumulators and inputs, a function has a parameter for everything else that it uses, by name:
/// see [`Operation::map_arguments`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The name in emitted text: the name of the operator, or a name for the closure.
    pub name: String,
    /// The inputs, all of the same length.
    pub inputs: Vec<Param>,
    /// The scalars that the call gives, and then those of [`Operation::measures`].
    pub params: Vec<Param>,
    /// What functions take from the shape of the inputs.
    pub measures: Measures,
    /// The name of the element's position, for the functions that use it.
    pub index: String,
    /// The type of positions: `u64`, or `u32` [in a program for few elements](crate::program).
    pub position: Scalar,
    /// Inputs → the number of the element's group, of an integer type, if elements have keys. It may use the position and the params.
    pub key: Option<Func>,
    /// Inputs → accumulator. It may use the position and the params.
    pub map: Func,
    /// The accumulator.
    pub acc: Record,
    /// Two accumulators → accumulator; associative.
    pub combine: Func,
    /// Accumulator, inputs → accumulator: adds one element. It may use the position, the step of its lane, and the params.
    /// `None`: `combine` adds the result of `map` to the accumulator.
    pub fold: Option<Func>,
    /// The accumulator of no elements. `None`: a reduction of no elements has no result.
    pub identity: Option<Vec<Value>>,
    /// The accumulator in the place of absent elements: neutral on both sides of `combine`, bit for bit. `None`: they are skipped.
    pub fill: Option<Vec<Value>>,
    /// Whether elements may be reordered, not only regrouped.
    pub commutative: bool,
    /// Whether every order and grouping gives the same bits.
    pub exact: bool,
    /// Whether `combine` is the function of a named operator, and not of a closure.
    pub named: bool,
    /// The searches that decide which elements the result depends on; may be empty.
    pub searches: Vec<Search>,
    /// Whether the association may change from run to run.
    pub order: Order,
    /// Accumulator → result. It may use the number of elements and the params.
    pub finish: Func,
    /// The result.
    pub output: Record,
    /// The result of no elements, if the specification gives it. Otherwise it is the result of the identity, or an error.
    pub empty: Option<Vec<Value>>,
    /// How a result reports that no element was left to reduce, if that is an error.
    pub nothing: Option<Nothing>,
    /// Whether a stored result says that an assertion failed, which is an error: see [`Operation::asserting`].
    pub asserts: bool,
}

/// A field of the accumulator that selects elements. Each search selects the first and the last element with the best mapped
/// field. The elements that all searches select together have the accumulator of all elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// The field.
    pub field: usize,
    /// The field of the element's position.
    pub position: usize,
    /// The choice between the positions of equally good values: [`Bin::Min`] or [`Bin::Max`].
    pub place: Bin,
    /// Two values of the field → the better value. Equal floats are equally good, and so are NaNs.
    pub best: Func,
}

/// The argument that a function of an [`Operation`] gets for one of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A field of the accumulator; in `combine`, of the left accumulator.
    Acc(usize),
    /// An element of an input.
    Input(usize),
    /// The element's position.
    Index,
    /// The number of the group among all groups, in row-major order, `u64`.
    Group,
    /// The number of elements that the lane has folded before, `u64`.
    Step,
    /// The number of elements, `u64`.
    Count,
    /// One of the params.
    Param(usize),
}

impl Operation {
    /// The name of the number of elements, in `finish`.
    pub const COUNT: &str = "n";
    /// The default name of the position.
    pub const INDEX: &str = "index";
    /// The name of the step of a lane, in `fold`.
    pub const STEP: &str = "step";

    /// Returns the bytes read for each element, over all inputs.
    pub fn element_size(&self) -> usize {
        self.inputs.iter().map(|input| input.ty.size()).sum()
    }

    /// Returns the arguments of `map`, in the order of its parameters.
    pub fn map_arguments(&self) -> Vec<Argument> {
        self.arguments(&self.map, 0, self.inputs.len())
    }

    /// Returns the arguments of `key`, in the order of its parameters.
    pub fn key_arguments(&self) -> Vec<Argument> {
        self.key.as_ref().map_or_else(Vec::new, |key| self.arguments(key, 0, self.inputs.len()))
    }

    /// Returns the arguments of `fold`, in the order of its parameters, if there is a `fold`.
    pub fn fold_arguments(&self) -> Option<Vec<Argument>> {
        let fold = self.fold.as_ref()?;
        Some(self.arguments(fold, self.acc.fields.len(), self.inputs.len()))
    }

    /// Returns the arguments of `finish`, in the order of its parameters.
    pub fn finish_arguments(&self) -> Vec<Argument> {
        self.arguments(&self.finish, self.acc.fields.len(), 0)
    }

    /// Returns whether `key`, `map` or `fold` uses the element's position.
    pub fn is_indexed(&self) -> bool {
        self.uses(Argument::Index)
    }

    /// Returns whether `key`, `map` or `fold` has that argument.
    pub fn uses(&self, argument: Argument) -> bool {
        let fold = self.fold_arguments().unwrap_or_default();
        self.map_arguments().into_iter().chain(fold).chain(self.key_arguments()).any(|it| it == argument)
    }

    /// Returns whether the elements of a group may be taken in any order: it changes no bit of the result.
    pub fn takes_any_order(&self) -> bool {
        self.exact && self.commutative && self.fold.is_none() && !self.is_indexed()
    }

    /// Returns whether kernels give the right result for no elements: they finish the fill, so it must be the identity.
    pub fn has_result_of_nothing(&self) -> bool {
        self.empty.is_none() && self.fill.is_some() && self.fill == self.identity
    }

    /// Returns whether a reduction can have no result: of no elements, or because none was left to reduce.
    pub fn may_lack_result(&self) -> bool {
        self.nothing.is_some() || (self.identity.is_none() && self.empty.is_none())
    }

    /// Returns whether `finish` uses the number of elements.
    pub fn counts(&self) -> bool {
        self.finish_arguments().contains(&Argument::Count)
    }

    /// Returns the result of the accumulator of n elements, with the params that the call gives.
    ///
    /// # Errors
    /// The accumulator or the params have other types than the operation declares: a bug of the caller.
    pub fn finished(&self, acc: &[Value], n: u64, params: &[Value]) -> Result<Vec<Value>, OperandError> {
        self.finish.evaluate(&self.finish_values(acc, n, params))
    }

    /// Returns the values of the arguments of `finish`.
    pub fn finish_values(&self, acc: &[Value], n: u64, params: &[Value]) -> Vec<Value> {
        let given = |argument: &Argument| match *argument {
            Argument::Acc(field) => acc.get(field).copied(),
            Argument::Count => Some(Value::of(n)),
            Argument::Param(param) => params.get(param).copied(),
            Argument::Input(_) | Argument::Index | Argument::Group | Argument::Step => None,
        };
        self.finish_arguments().iter().filter_map(given).collect()
    }

    /// Returns the type of an argument.
    pub fn argument_type(&self, argument: Argument) -> Scalar {
        match argument {
            Argument::Acc(field) => self.acc.fields[field].ty,
            Argument::Input(input) => self.inputs[input].ty,
            Argument::Index => self.position,
            Argument::Group | Argument::Step | Argument::Count => Scalar::U64,
            Argument::Param(param) => self.params[param].ty,
        }
    }

    /// Returns the arguments of a function: `accs` scalars of accumulators, then `inputs` inputs, then arguments by name.
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
            None if name == self.measures.group => Argument::Group,
            None if name == Operation::STEP => Argument::Step,
            None => Argument::Count,
        }
    }
}

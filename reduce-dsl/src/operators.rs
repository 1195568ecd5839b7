//! The named operators: a table, one row each. To add an operator, add a row to
//! [`OPERATORS`].
//!
//! A row builds the functions of an [`Operation`] for an element type. Nothing else in the project knows an
//! operator by name.

mod parts;
mod table;

pub use table::OPERATORS;

use crate::func::{Func, FuncBuilder, Id, Param};
use crate::operation::{Layout, Operation, Order, Record};
use crate::ops::TypeError;
use crate::{Scalar, Value};

type Built = Result<Vec<Id>, TypeError>;

/// A named operator.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// The name in specifications.
    pub name: &'static str,
    /// One line for the documentation: what it gives, and its rule for NaN and ties.
    pub doc: &'static str,
    /// How many inputs it takes where no `map` is written.
    pub inputs: usize,
    /// The element types it is defined for.
    pub domain: Domain,
    /// Does it use the element's position?
    pub indexed: bool,
    /// The accumulator for an element type.
    pub acc: fn(Scalar) -> Record,
    /// One element for each input (and the position, if `indexed`) → the accumulator of that element.
    pub lift: fn(&mut FuncBuilder, &[Id]) -> Built,
    /// Two accumulators → accumulator.
    pub combine: fn(&mut FuncBuilder, &[Id], &[Id]) -> Built,
    /// The neutral accumulator, if there is one.
    pub identity: fn(Scalar) -> Option<Value>,
    /// Accumulator → result.
    pub finish: fn(&mut FuncBuilder, &[Id]) -> Built,
    /// Does every order of the elements give the same bits?
    pub exact: fn(Scalar) -> bool,
}

/// The element types an operator is defined for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Floats and integers.
    Numbers,
    /// Integers.
    Integers,
}

/// The row of that name.
pub fn operator(name: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|row| row.name == name)
}

/// Why an operator cannot be applied to inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// The operator is not defined for the element type.
    #[error("`{operator}` is not defined for {ty}; it takes {domain}")]
    Undefined {
        /// The operator.
        operator: &'static str,
        /// The element type.
        ty: Scalar,
        /// The types it takes.
        domain: &'static str,
    },
    /// There are more or fewer inputs than the operator takes.
    #[error("`{operator}` takes {expected}, and there {}", if *found == 1 {
        "is 1; name them, as in `inputs: { x: f32, y: f32 }`".to_owned()
    } else {
        format!("are {found}; write a `map` that makes one value of them")
    })]
    Inputs {
        /// The operator.
        operator: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The inputs there are.
        found: usize,
    },
    /// `dot` brings its own `map`.
    #[error("`{operator}` maps its inputs itself; write `op: sum` with this `map`")]
    OwnMap {
        /// The operator.
        operator: &'static str,
    },
    /// The inputs of a product differ in type.
    #[error("`{operator}` takes inputs of one type, not {left} and {right}")]
    Mixed {
        /// The operator.
        operator: &'static str,
        /// The type of the first input.
        left: Scalar,
        /// The type of the second.
        right: Scalar,
    },
    /// A row of the table is wrong: a bug of this project.
    #[error("bug in the table of operators: {0}")]
    Row(#[from] TypeError),
}

impl Domain {
    fn holds(self, ty: Scalar) -> bool {
        match self {
            Domain::Numbers => ty.is_number(),
            Domain::Integers => ty.is_integer(),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Domain::Numbers => "numbers",
            Domain::Integers => "integers (i32, u32, i64, u64)",
        }
    }
}

impl Operator {
    /// Is it defined for elements of that type?
    pub fn takes(&self, ty: Scalar) -> bool {
        self.domain.holds(ty)
    }

    /// The reduction of `inputs` by this operator, after `map` if there is one (inputs as they are
    /// computed with, [`Scalar::compute`] → one scalar).
    pub fn apply(&self, inputs: &[Param], map: Option<&Func>) -> Result<Operation, OperatorError> {
        let element = self.element(inputs, map)?;
        let acc = (self.acc)(element);
        let finish = self.finish(&acc)?;
        Ok(Operation {
            name: self.name.to_owned(),
            inputs: inputs.to_vec(),
            layout: Layout::default(),
            index: "index".to_owned(),
            params: Vec::new(),
            fold: None,
            nothing: None,
            map: self.map(inputs, map)?,
            combine: self.combine(&acc)?,
            identity: (self.identity)(element).map(|value| vec![value]),
            padding: (self.identity)(element).map(|value| vec![value]),
            commutative: true,
            exact: (self.exact)(element),
            order: Order::default(),
            output: Record::scalar(finish.result_types()[0]),
            finish,
            acc,
        })
    }

    fn element(&self, inputs: &[Param], map: Option<&Func>) -> Result<Scalar, OperatorError> {
        let operator = self.name;
        let ty = match map {
            Some(_) if self.inputs != 1 => return Err(OperatorError::OwnMap { operator }),
            Some(map) => map.result_types()[0],
            None => self.unmapped_element(inputs)?,
        };
        let domain = self.domain.text();
        self.takes(ty).then_some(ty).ok_or(OperatorError::Undefined { operator, ty, domain })
    }

    fn unmapped_element(&self, inputs: &[Param]) -> Result<Scalar, OperatorError> {
        let (operator, found) = (self.name, inputs.len());
        if found != self.inputs {
            let expected = if self.inputs == 1 { "1 input" } else { "2 inputs" };
            return Err(OperatorError::Inputs { operator, expected, found });
        }
        let left = inputs[0].ty;
        match inputs.iter().map(|input| input.ty).find(|ty| ty.compute() != left.compute()) {
            Some(right) => Err(OperatorError::Mixed { operator, left, right }),
            None => Ok(left),
        }
    }

    fn map(&self, inputs: &[Param], map: Option<&Func>) -> Result<Func, TypeError> {
        let mut params = inputs.to_vec();
        params.extend(self.indexed.then(|| Param::new("index", Scalar::U64)));
        let mut f = FuncBuilder::new(params);
        let all = f.params();
        let (elements, index) = all.split_at(inputs.len());
        let mut lifted = match map {
            None => elements.to_vec(),
            Some(map) => {
                let widened: Vec<_> = elements.iter().map(|&x| f.widen(x)).collect();
                f.call(map, &widened)?
            }
        };
        lifted.extend(index);
        let results = (self.lift)(&mut f, &lifted)?;
        Ok(f.build(results))
    }

    fn combine(&self, acc: &Record) -> Result<Func, TypeError> {
        let mut f = FuncBuilder::new([acc.params("a"), acc.params("b")].concat());
        let all = f.params();
        let (a, b) = all.split_at(acc.fields.len());
        let results = (self.combine)(&mut f, a, b)?;
        Ok(f.build(results))
    }

    fn finish(&self, acc: &Record) -> Result<Func, TypeError> {
        let mut f = FuncBuilder::new(acc.params("acc"));
        let all = f.params();
        let results = (self.finish)(&mut f, &all)?;
        Ok(f.build(results))
    }
}

//! The named operators: a table, one row each. To add an operator, add a row.
//!
//! A row builds the functions of an [`Operation`] for an element type. Nothing else in the project knows an
//! operator by name.

use crate::func::{Func, FuncBuilder, Id, Param};
use crate::operation::{Operation, Record};
use crate::ops::{Bin, Cmp, TypeError, Un};
use crate::{Scalar, Value};
use half::f16;

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

/// The table.
pub const OPERATORS: [Operator; 12] = [
    Operator {
        name: "sum",
        doc: "the sum; f16 accumulates in f32, integers wrap",
        inputs: 1,
        domain: Domain::Numbers,
        indexed: false,
        acc: |ty| Record::scalar(ty.compute()),
        lift: |f, x| Ok(vec![f.widen(x[0])]),
        combine: |f, a, b| one(f.bin(Bin::Add, a[0], b[0])),
        identity: |ty| Some(negative_zero(ty.compute())),
        finish: canonical,
        exact: Scalar::is_integer,
    },
    Operator {
        name: "prod",
        doc: "the product; f16 accumulates in f32, integers wrap",
        inputs: 1,
        domain: Domain::Numbers,
        indexed: false,
        acc: |ty| Record::scalar(ty.compute()),
        lift: |f, x| Ok(vec![f.widen(x[0])]),
        combine: |f, a, b| one(f.bin(Bin::Mul, a[0], b[0])),
        identity: |ty| Some(one_of(ty.compute())),
        finish: canonical,
        exact: Scalar::is_integer,
    },
    Operator {
        name: "min",
        doc: "the smallest; NaN if any element is NaN; -0 is below +0 (IEEE 754-2019 minimum)",
        inputs: 1,
        domain: Domain::Numbers,
        indexed: false,
        acc: Record::scalar,
        lift: |_, x| Ok(x.to_vec()),
        combine: |f, a, b| one(f.bin(Bin::Min, a[0], b[0])),
        identity: |ty| Some(greatest(ty)),
        finish: canonical,
        exact: |_| true,
    },
    Operator {
        name: "max",
        doc: "the largest; NaN if any element is NaN; -0 is below +0 (IEEE 754-2019 maximum)",
        inputs: 1,
        domain: Domain::Numbers,
        indexed: false,
        acc: Record::scalar,
        lift: |_, x| Ok(x.to_vec()),
        combine: |f, a, b| one(f.bin(Bin::Max, a[0], b[0])),
        identity: |ty| Some(least(ty)),
        finish: canonical,
        exact: |_| true,
    },
    Operator {
        name: "argmin",
        doc: "the position of the smallest, as NumPy: the first of equals, or the first NaN",
        inputs: 1,
        domain: Domain::Numbers,
        indexed: true,
        acc: best,
        lift: |_, x| Ok(x.to_vec()),
        combine: |f, a, b| first_best(f, a, b, |f, x, y| f.cmp(Cmp::Lt, x, y)),
        identity: |_| None,
        finish: |_, acc| Ok(vec![acc[1]]),
        exact: |_| true,
    },
    Operator {
        name: "argmax",
        doc: "the position of the largest, as NumPy: the first of equals, or the first NaN",
        inputs: 1,
        domain: Domain::Numbers,
        indexed: true,
        acc: best,
        lift: |_, x| Ok(x.to_vec()),
        combine: |f, a, b| first_best(f, a, b, |f, x, y| f.cmp(Cmp::Lt, y, x)),
        identity: |_| None,
        finish: |_, acc| Ok(vec![acc[1]]),
        exact: |_| true,
    },
    Operator {
        name: "dot",
        doc: "the sum of the products of two inputs; f16 multiplies and accumulates in f32, integers wrap",
        inputs: 2,
        domain: Domain::Numbers,
        indexed: false,
        acc: |ty| Record::scalar(ty.compute()),
        lift: |f, x| {
            let (x, y) = (f.widen(x[0]), f.widen(x[1]));
            one(f.bin(Bin::Mul, x, y))
        },
        combine: |f, a, b| one(f.bin(Bin::Add, a[0], b[0])),
        identity: |ty| Some(negative_zero(ty.compute())),
        finish: canonical,
        exact: Scalar::is_integer,
    },
    Operator {
        name: "and",
        doc: "the bits that every element has",
        inputs: 1,
        domain: Domain::Integers,
        indexed: false,
        acc: Record::scalar,
        lift: |_, x| Ok(x.to_vec()),
        combine: |f, a, b| one(f.bin(Bin::And, a[0], b[0])),
        identity: |ty| Some(Value::from_bits(ty, u64::MAX)),
        finish: canonical,
        exact: |_| true,
    },
    Operator {
        name: "or",
        doc: "the bits that any element has",
        inputs: 1,
        domain: Domain::Integers,
        indexed: false,
        acc: Record::scalar,
        lift: |_, x| Ok(x.to_vec()),
        combine: |f, a, b| one(f.bin(Bin::Or, a[0], b[0])),
        identity: |ty| Some(Value::from_bits(ty, 0)),
        finish: canonical,
        exact: |_| true,
    },
    Operator {
        name: "xor",
        doc: "the bits that an odd number of elements has",
        inputs: 1,
        domain: Domain::Integers,
        indexed: false,
        acc: Record::scalar,
        lift: |_, x| Ok(x.to_vec()),
        combine: |f, a, b| one(f.bin(Bin::Xor, a[0], b[0])),
        identity: |ty| Some(Value::from_bits(ty, 0)),
        finish: canonical,
        exact: |_| true,
    },
    Operator {
        name: "any",
        doc: "is any element not 0? NaN is not 0",
        inputs: 1,
        domain: Domain::Numbers,
        indexed: false,
        acc: |_| Record::scalar(Scalar::Bool),
        lift: is_not_zero,
        combine: |f, a, b| one(f.bin(Bin::Or, a[0], b[0])),
        identity: |_| Some(Value::of(false)),
        finish: canonical,
        exact: |_| true,
    },
    Operator {
        name: "all",
        doc: "is no element 0? NaN is not 0",
        inputs: 1,
        domain: Domain::Numbers,
        indexed: false,
        acc: |_| Record::scalar(Scalar::Bool),
        lift: is_not_zero,
        combine: |f, a, b| one(f.bin(Bin::And, a[0], b[0])),
        identity: |_| Some(Value::of(true)),
        finish: canonical,
        exact: |_| true,
    },
];

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
            indexed: self.indexed,
            map: self.map(inputs, map)?,
            combine: self.combine(&acc)?,
            identity: (self.identity)(element).map(|value| vec![value]),
            commutative: true,
            exact: (self.exact)(element),
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

fn one(id: Result<Id, TypeError>) -> Built {
    id.map(|id| vec![id])
}

fn canonical(f: &mut FuncBuilder, acc: &[Id]) -> Built {
    if f.ty(acc[0]).is_float() { one(f.un(Un::Canonical, acc[0])) } else { Ok(acc.to_vec()) }
}

fn best(ty: Scalar) -> Record {
    Record::of("Best", &[("value", ty), ("index", Scalar::U64)])
}

/// The better of two candidates (value, position): NaN before everything, then by `better`, then the
/// lower position. A strict total order on distinct positions, so associative and commutative.
fn first_best(f: &mut FuncBuilder, a: &[Id], b: &[Id], better: Better) -> Built {
    let b_first = f.cmp(Cmp::Lt, b[1], a[1])?;
    let (b_better, a_better) = (better(f, b[0], a[0])?, better(f, a[0], b[0])?);
    f.name(b_first, "b_first");
    f.name(b_better, "b_better");
    let not_worse = f.un(Un::Not, a_better)?;
    let tie = f.bin(Bin::And, not_worse, b_first)?;
    let mut take_b = f.bin(Bin::Or, b_better, tie)?;
    if f.ty(a[0]).is_float() {
        take_b = before_nan(f, [a[0], b[0]], b_first, take_b)?;
    }
    f.name(take_b, "take_b");
    Ok(vec![f.select(take_b, b[0], a[0])?, f.select(take_b, b[1], a[1])?])
}

type Better = fn(&mut FuncBuilder, Id, Id) -> Result<Id, TypeError>;

/// `otherwise`, unless there is a NaN: then the second is taken if it is the only NaN, or the first of two.
fn before_nan(f: &mut FuncBuilder, [a, b]: [Id; 2], b_first: Id, otherwise: Id) -> Result<Id, TypeError> {
    let (a_nan, b_nan) = (f.un(Un::IsNan, a)?, f.un(Un::IsNan, b)?);
    f.name(a_nan, "a_nan");
    f.name(b_nan, "b_nan");
    let a_number = f.un(Un::Not, a_nan)?;
    let preferred = f.bin(Bin::Or, a_number, b_first)?;
    let take_nan = f.bin(Bin::And, b_nan, preferred)?;
    let some_nan = f.bin(Bin::Or, a_nan, b_nan)?;
    f.select(some_nan, take_nan, otherwise)
}

fn is_not_zero(f: &mut FuncBuilder, x: &[Id]) -> Built {
    let x = f.widen(x[0]);
    let zero = f.constant(Value::from_bits(f.ty(x), 0));
    one(f.cmp(Cmp::Ne, x, zero))
}

/// The identity of addition: −0.0 for floats, so that a sum of −0.0 stays −0.0.
fn negative_zero(ty: Scalar) -> Value {
    let sign = if ty.is_float() { 1 << (8 * ty.size() - 1) } else { 0 };
    Value::from_bits(ty, sign)
}

fn one_of(ty: Scalar) -> Value {
    match ty {
        Scalar::F16 => Value::of(f16::ONE),
        Scalar::F32 => Value::of(1.0f32),
        Scalar::F64 => Value::of(1.0f64),
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => Value::from_bits(ty, 1),
    }
}

fn greatest(ty: Scalar) -> Value {
    match ty {
        Scalar::F16 => Value::of(f16::INFINITY),
        Scalar::F32 => Value::of(f32::INFINITY),
        Scalar::F64 => Value::of(f64::INFINITY),
        Scalar::I32 => Value::of(i32::MAX),
        Scalar::I64 => Value::of(i64::MAX),
        Scalar::Bool | Scalar::U32 | Scalar::U64 => Value::from_bits(ty, u64::MAX),
    }
}

fn least(ty: Scalar) -> Value {
    match ty {
        Scalar::F16 => Value::of(f16::NEG_INFINITY),
        Scalar::F32 => Value::of(f32::NEG_INFINITY),
        Scalar::F64 => Value::of(f64::NEG_INFINITY),
        Scalar::I32 => Value::of(i32::MIN),
        Scalar::I64 => Value::of(i64::MIN),
        Scalar::Bool | Scalar::U32 | Scalar::U64 => Value::from_bits(ty, 0),
    }
}

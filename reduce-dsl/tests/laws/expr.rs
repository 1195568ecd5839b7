//! Operations written as Rust expressions; each operator builds a node.

use reduce_ir::arith::Element;
use reduce_ir::func::{Func, FuncBuilder, Id, Param};
use reduce_ir::operation::{Measures, Operation, Order, Record};
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::{Scalar, Value};
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::rc::Rc;
use std::slice::from_ref;

/// A scalar that a function under construction computes.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    id: Id,
    f: Rc<RefCell<FuncBuilder>>,
}

impl Expr {
    fn of(&self, id: impl FnOnce(&mut FuncBuilder) -> Id) -> Expr {
        let id = id(&mut self.f.borrow_mut());
        Expr { id, f: self.f.clone() }
    }

    fn un(&self, op: Un) -> Expr {
        self.of(|f| f.un(op, self.id).unwrap())
    }

    pub(crate) fn bin(&self, op: Bin, other: &Expr) -> Expr {
        self.of(|f| f.bin(op, self.id, other.id).unwrap())
    }

    fn cmp(&self, op: Cmp, other: &Expr) -> Expr {
        self.of(|f| f.cmp(op, self.id, other.id).unwrap())
    }

    /// Returns a constant.
    pub(crate) fn is(&self, value: impl Element) -> Expr {
        self.of(|f| f.constant(Value::of(value)))
    }

    pub(crate) fn cast(&self, ty: Scalar) -> Expr {
        self.of(|f| f.cast(ty, self.id).unwrap())
    }

    pub(crate) fn mul_add(&self, a: &Expr, b: &Expr) -> Expr {
        self.of(|f| f.mul_add(self.id, a.id, b.id).unwrap())
    }

    /// Returns `if self { a } else { b }`, field by field.
    pub(crate) fn choose(&self, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
        let select = |(a, b): (&Expr, &Expr)| self.of(|f| f.select(self.id, a.id, b.id).unwrap());
        a.iter().zip(b).map(select).collect()
    }

    pub(crate) fn gt(&self, other: &Expr) -> Expr {
        self.cmp(Cmp::Gt, other)
    }

    pub(crate) fn lt(&self, other: &Expr) -> Expr {
        self.cmp(Cmp::Lt, other)
    }

    pub(crate) fn eq(&self, other: &Expr) -> Expr {
        self.cmp(Cmp::Eq, other)
    }

    pub(crate) fn and(&self, other: &Expr) -> Expr {
        self.bin(Bin::And, other)
    }

    pub(crate) fn or(&self, other: &Expr) -> Expr {
        self.bin(Bin::Or, other)
    }

    /// Returns the maximum as Rust defines it, which ignores NaN.
    pub(crate) fn max(&self, other: &Expr) -> Expr {
        self.bin(Bin::MaxNum, other)
    }

    /// Returns the minimum as Rust defines it, which ignores NaN.
    pub(crate) fn min(&self, other: &Expr) -> Expr {
        self.bin(Bin::MinNum, other)
    }

    pub(crate) fn abs(&self) -> Expr {
        self.un(Un::Abs)
    }

    pub(crate) fn sqrt(&self) -> Expr {
        self.un(Un::Sqrt)
    }

    pub(crate) fn floor(&self) -> Expr {
        self.un(Un::Floor)
    }

    pub(crate) fn exp(&self) -> Expr {
        self.un(Un::Exp)
    }

    pub(crate) fn ln(&self) -> Expr {
        self.un(Un::Ln)
    }

    pub(crate) fn to_bits(&self) -> Expr {
        self.un(Un::ToBits)
    }
}

macro_rules! sign {
    ($($trait:ident $method:ident $op:ident),*) => {
        $(
            impl $trait<&Expr> for &Expr {
                type Output = Expr;
                fn $method(self, other: &Expr) -> Expr {
                    self.bin(Bin::$op, other)
                }
            }
            impl $trait<Expr> for &Expr {
                type Output = Expr;
                fn $method(self, other: Expr) -> Expr {
                    self.bin(Bin::$op, &other)
                }
            }
            impl $trait<&Expr> for Expr {
                type Output = Expr;
                fn $method(self, other: &Expr) -> Expr {
                    self.bin(Bin::$op, other)
                }
            }
            impl $trait for Expr {
                type Output = Expr;
                fn $method(self, other: Expr) -> Expr {
                    self.bin(Bin::$op, &other)
                }
            }
        )*
    };
}

sign!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div);

impl Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.un(Un::Neg)
    }
}

/// Builds a function of groups of parameters; `build` receives the groups.
fn func(groups: &[Vec<Param>], build: impl FnOnce(&[Vec<Expr>]) -> Vec<Expr>) -> Func {
    let given = params(groups);
    let results = build(&given);
    built(&given, &results)
}

fn params(groups: &[Vec<Param>]) -> Vec<Vec<Expr>> {
    let f = Rc::new(RefCell::new(FuncBuilder::new(groups.concat())));
    let mut ids = f.borrow().params().into_iter();
    let mut group = |params: &Vec<Param>| {
        let ids = ids.by_ref().take(params.len());
        ids.map(|id| Expr { id, f: f.clone() }).collect::<Vec<_>>()
    };
    groups.iter().map(&mut group).collect()
}

fn built(params: &[Vec<Expr>], results: &[Expr]) -> Func {
    let f = params.iter().flatten().next().unwrap().f.borrow().clone();
    f.build(results.iter().map(|result| result.id).collect())
}

/// Returns an operation on scalars of type `ty` whose accumulator is the element.
pub(crate) fn scalar(ty: Scalar, op: impl FnOnce(&Expr, &Expr) -> Expr) -> Operation {
    of(&[ty], Record::scalar(ty), |x| x.to_vec(), |a, b| vec![op(&a[0], &b[0])])
}

/// Returns an operation whose accumulator has one field for each input, all of type `ty`.
pub(crate) fn fields<const N: usize>(
    ty: Scalar,
    names: [&str; N],
    op: impl FnOnce(&[Expr], &[Expr]) -> Vec<Expr>,
) -> Operation {
    of(&[ty; N], Record::of("Acc", &names.map(|name| (name, ty))), |x| x.to_vec(), op)
}

/// Returns an operation.
pub(crate) fn of(
    inputs: &[Scalar],
    acc: Record,
    map: impl FnOnce(&[Expr]) -> Vec<Expr>,
    op: impl FnOnce(&[Expr], &[Expr]) -> Vec<Expr>,
) -> Operation {
    let named = ["x", "y", "z", "w"].iter().zip(inputs);
    let inputs: Vec<_> = named.map(|(name, &ty)| Param::new(*name, ty)).collect();
    let map = func(from_ref(&inputs), |given| map(&given[0]));
    let combine = func(&[acc.params("a"), acc.params("b")], |it| op(&it[0], &it[1]));
    operation(inputs, acc, map, combine)
}

fn operation(inputs: Vec<Param>, acc: Record, map: Func, combine: Func) -> Operation {
    let finish = func(&[acc.params("acc")], |acc| acc[0].clone());
    Operation {
        name: "closure".to_owned(),
        params: Vec::new(),
        measures: Measures::default(),
        index: "i".to_owned(),
        map,
        combine,
        fold: None,
        identity: None,
        fill: None,
        commutative: false,
        exact: false,
        named: false,
        key: None,
        position: Scalar::U64,
        searches: Vec::new(),
        order: Order::default(),
        finish,
        output: acc.clone(),
        empty: None,
        nothing: None,
        asserts: false,
        acc,
        inputs,
    }
}

/// Returns an operation on elements of type `ty` and their positions.
pub(crate) fn indexed(ty: Scalar, op: impl FnOnce(&[Expr], &[Expr]) -> Vec<Expr>) -> Operation {
    let acc = Record::of("Best", &[("value", ty), ("index", Scalar::U64)]);
    let given = [Param::new("x", ty), Param::new("i", Scalar::U64)].to_vec();
    let operation = of(&[ty], acc, |x| vec![x[0].clone(), x[0].is(0u64)], op);
    Operation { map: func(&[given], |it| it[0].clone()), ..operation }
}

/// Adds a `fold` of accumulator, inputs and step.
pub(crate) fn with_fold(
    operation: Operation,
    fold: impl FnOnce(&[Expr], &[Expr], &Expr) -> Vec<Expr>,
) -> Operation {
    let step = Param::new(Operation::STEP, Scalar::U64);
    let groups = [operation.acc.params("acc"), operation.inputs.clone(), vec![step]];
    let fold = func(&groups, |it| fold(&it[0], &it[1], &it[2][0]));
    Operation { fold: Some(fold), ..operation }
}

/// Adds an identity.
pub(crate) fn with_identity<const N: usize>(operation: Operation, identity: [Value; N]) -> Operation {
    Operation { identity: Some(identity.to_vec()), ..operation }
}

/// Declares the operation commutative.
pub(crate) fn commutative(operation: Operation) -> Operation {
    Operation { commutative: true, ..operation }
}

//! What the builder of functions leaves out, because it is known without computing it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use reduce_ir::func::{Func, FuncBuilder, Id, Param};
use reduce_ir::ops::Bin;
use reduce_ir::{Scalar, Value};
use reduce_lanes::eval::Evaluator;

/// `x op c` of a type, or `c op x`.
fn with_constant(op: Bin, ty: Scalar, constant: Value, first: bool) -> Func {
    let mut f = FuncBuilder::new(vec![Param::new("x", ty)]);
    let (x, c) = (f.params()[0], f.constant(constant));
    let [a, b] = if first { [c, x] } else { [x, c] };
    let result = f.bin(op, a, b).unwrap();
    f.build(vec![result])
}

fn zero(ty: Scalar) -> Value {
    Value::from_bits(ty, 0)
}

#[test]
fn a_difference_from_the_integer_0_is_the_integer() {
    for ty in Scalar::ALL.into_iter().filter(|ty| *ty != Scalar::Bool && !ty.is_half()) {
        let difference = with_constant(Bin::Sub, ty, zero(ty), false);
        assert_eq!(difference.is_identity(), ty.is_integer(), "{difference}");
        assert!(!with_constant(Bin::Sub, ty, zero(ty), true).is_identity());
    }
}

#[test]
fn the_least_of_0_and_an_unsigned_integer_is_0() {
    for ty in Scalar::ALL.into_iter().filter(|ty| ty.is_integer()) {
        for first in [false, true] {
            let least = with_constant(Bin::Min, ty, zero(ty), first);
            let known = least.constant(least.results()[0]);
            assert_eq!(known, ty.is_unsigned().then_some(zero(ty)), "{least}");
        }
    }
}

/// Whatever is left out: the value of every element of 8 bits, beside every constant.
#[test]
fn what_is_left_out_is_what_it_computes() {
    for (ty, op) in
        [(Scalar::U8, Bin::Sub), (Scalar::U8, Bin::Min), (Scalar::I8, Bin::Sub), (Scalar::I8, Bin::Min)]
    {
        for (constant, x) in (0..=255).flat_map(|constant| (0..=255).map(move |x| (constant, x))) {
            let [constant, x] = [constant, x].map(|bits| Value::from_bits(ty, bits));
            let mut f = FuncBuilder::new(vec![Param::new("x", ty), Param::new("c", ty)]);
            let result = f.bin(op, Id(0), Id(1)).unwrap();
            let computed = Evaluator::new(&f.build(vec![result])).run_once(&[x, constant]).unwrap();
            let left_out = with_constant(op, ty, constant, false);
            assert_eq!(Evaluator::new(&left_out).run_once(&[x]).unwrap(), computed, "{left_out}");
        }
    }
}

/// A function that is called with constants is as if it had been written with them.
#[test]
fn a_call_leaves_out_the_same() {
    let ty = Scalar::U64;
    let mut inner = FuncBuilder::new(vec![Param::new("x", ty), Param::new("c", ty)]);
    let least = inner.bin(Bin::Min, Id(0), Id(1)).unwrap();
    let rest = inner.bin(Bin::Sub, Id(0), least).unwrap();
    let inner = inner.build(vec![rest]);
    let mut f = FuncBuilder::new(vec![Param::new("x", ty)]);
    let zero = f.constant(zero(ty));
    let results = f.call(&inner, &[Id(0), zero]).unwrap();
    assert!(f.build(results).is_identity());
}

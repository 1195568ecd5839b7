//! Every scalar operation on every type for which it is defined, as a reduction. `map` applies the operation and hashes the
//! bits of its value with their position, and the hashes are added. One wrong bit changes the sum.

use super::spec_of;
use reduce_ir::func::{Func, FuncBuilder, Id, Param};
use reduce_ir::operation::{Measures, Operation, Order, Record};
use reduce_ir::ops::{Bin, Cmp, TypeError, Un, cast};
use reduce_ir::passes;
use reduce_ir::{Scalar, Spec, Value};

type Built = Result<Id, TypeError>;

/// Returns the specification of every operation on every type, with names such as `min of f16 and f16`.
pub(crate) fn all() -> Vec<Spec> {
    let types = Scalar::ALL;
    let mut specs = Vec::new();
    for a in types {
        for op in Un::ALL {
            specs.extend(spec(&op.to_string(), &[a], |f, x| f.un(op, x[0])));
        }
        for op in Bin::ALL {
            let b = if matches!(op, Bin::Shl | Bin::Shr) { Scalar::U32 } else { a };
            specs.extend(spec(&op.to_string(), &[a, b], |f, x| binary(f, op, x)));
        }
        for op in Cmp::ALL {
            specs.extend(spec(&op.to_string(), &[a, a], |f, x| f.cmp(op, x[0], x[1])));
        }
        for to in types.into_iter().filter(|&to| to != a && cast(a, to).is_ok()) {
            specs.extend(spec(&format!("as {to}"), &[a], |f, x| f.cast(to, x[0])));
        }
        for (name, one) in [("1 / as f32", Value::of(1.0f32)), ("1 / as f64", Value::of(1.0f64))] {
            specs.extend(spec(name, &[a], |f, x| reciprocal(f, one, x)));
        }
        specs.extend(spec("if", &[Scalar::Bool, a, a], |f, x| f.select(x[0], x[1], x[2])));
        specs.extend(spec("mul_add", &[a, a, a], |f, x| f.mul_add(x[0], x[1], x[2])));
    }
    specs
}

/// Returns the specification, if the operation is defined for the types.
fn spec(name: &str, types: &[Scalar], apply: impl Fn(&mut FuncBuilder, &[Id]) -> Built) -> Option<Spec> {
    let inputs: Vec<_> = ["x", "y", "z"].iter().zip(types).map(|(&name, &ty)| Param::new(name, ty)).collect();
    let mut map = FuncBuilder::new([inputs.clone(), vec![Param::new("index", Scalar::U64)]].concat());
    let ids = map.params();
    let value = apply(&mut map, &ids).ok()?;
    map.name(value, "value");
    let digest = digest(&mut map, value, ids[types.len()]).unwrap();
    let sum = |a, b, f: &mut FuncBuilder| f.bin(Bin::Add, a, b).unwrap();
    let operation = Operation {
        measures: Measures::default(),
        name: name.to_owned(),
        inputs,
        params: Vec::new(),
        index: "index".to_owned(),
        map: map.build(vec![digest]),
        acc: Record::scalar(Scalar::U64),
        combine: function(&["a", "b"], |f, x| sum(x[0], x[1], f)),
        fold: None,
        identity: Some(vec![Value::of(0u64)]),
        fill: Some(vec![Value::of(0u64)]),
        commutative: true,
        exact: true,
        named: false,
        key: None,
        position: Scalar::U64,
        searches: Vec::new(),
        order: Order::Fixed,
        finish: function(&["acc"], |_, x| x[0]),
        output: Record::scalar(Scalar::U64),
        empty: None,
        nothing: None,
        asserts: false,
    };
    Some(spec_of(operation, (&passes![shuffle, coarsen(4)], 256)))
}

/// Builds a function of `u64` arguments.
fn function(names: &[&str], apply: impl Fn(&mut FuncBuilder, &[Id]) -> Id) -> Func {
    let mut f = FuncBuilder::new(names.iter().map(|&name| Param::new(name, Scalar::U64)).collect());
    let params = f.params();
    let result = apply(&mut f, &params);
    f.build(vec![result])
}

/// Replaces the integer divisors 0 and -1, by which a reduction never divides.
fn binary(f: &mut FuncBuilder, op: Bin, x: &[Id]) -> Built {
    let ty = f.ty(x[1]);
    if !matches!(op, Bin::Div | Bin::Rem) || !ty.is_integer() {
        return f.bin(op, x[0], x[1]);
    }
    let mut divisor = x[1];
    for bits in [0, u64::MAX].into_iter().take(if ty.is_signed() { 2 } else { 1 }) {
        let [refused, seven] = [bits, 7].map(|bits| f.constant(Value::from_bits(ty, bits)));
        let is_refused = f.cmp(Cmp::Eq, divisor, refused)?;
        divisor = f.select(is_refused, seven, divisor)?;
    }
    f.name(divisor, "divisor");
    f.bin(op, x[0], divisor)
}

/// Divides 1 by a whole number, for which the emitted code has a special form.
fn reciprocal(f: &mut FuncBuilder, one: Value, x: &[Id]) -> Built {
    let (whole, one) = (f.cast(one.ty(), x[0])?, f.constant(one));
    f.bin(Bin::Div, one, whole)
}

/// SplitMix64's odd multipliers (Steele, Lea, Flood 2014). Multiplying by an odd number loses no bits.
const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9];

/// Builds a hash that differs wherever the bits of the value differ. Every NaN has the same bits.
fn digest(f: &mut FuncBuilder, value: Id, index: Id) -> Built {
    let value = f.widen(value);
    let bits = if f.ty(value).is_float() { f.un(Un::ToBits, value)? } else { value };
    let bits = f.cast(Scalar::U64, bits)?;
    f.name(bits, "bits");
    let [first, second] = ODD.map(|it| f.constant(Value::of(it)));
    let place = f.bin(Bin::Mul, index, first)?;
    let mixed = f.bin(Bin::Xor, bits, place)?;
    f.name(mixed, "mixed");
    let distance = f.constant(Value::of(32u32));
    let high = f.bin(Bin::Shr, mixed, distance)?;
    let mixed = f.bin(Bin::Xor, mixed, high)?;
    f.bin(Bin::Mul, mixed, second)
}

/// Returns the bits of the value at position 0 that has this digest.
pub(crate) fn bits_of_digest(digest: u64) -> u64 {
    // Newton's method: every step doubles the number of correct bits.
    let inverse =
        (0..6).fold(1u64, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(ODD[1].wrapping_mul(inverse))));
    let mixed = digest.wrapping_mul(inverse);
    mixed ^ mixed >> 32
}

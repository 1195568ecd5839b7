//! Accumulators of one value for all lanes, and of fields that are added to each other.

use reduce_ir::Scalar;
use reduce_ir::func::{FuncBuilder, Param};
use reduce_ir::ops::Bin;
use reduce_lanes::eval::Accumulator;
use reduce_lanes::{Lanes, LanesRef, Loops, SHARED};

/// `{ s: acc.s + acc.h as i32, h: acc.h + x }`: the operand of `s` is converted, as sums of narrow types do themselves.
#[test]
fn a_field_may_be_added_to_another_one_converted() -> Result<(), Box<dyn std::error::Error>> {
    let params = [("s", Scalar::I32), ("h", Scalar::I16), ("x", Scalar::I16)];
    let mut f = FuncBuilder::new(params.map(|(name, ty)| Param::new(name, ty)).to_vec());
    let params = f.params();
    let wide = f.cast(Scalar::I32, params[1])?;
    let results = [f.bin(Bin::Add, params[0], wide)?, f.bin(Bin::Add, params[1], params[2])?];
    let mut accumulator = Accumulator::new(&f.build(results.to_vec()), &[false; 3], Loops::default());
    assert!(!accumulator.takes_rows());
    let mut acc = [Lanes::from(vec![10i32, 20]), Lanes::from(vec![1i16, 2])];
    accumulator.accumulate(&mut acc, |_| LanesRef::I16(&[5, 6]), 2, || ())?;
    assert_eq!(acc, [Lanes::from(vec![11i32, 22]), Lanes::from(vec![6i16, 8])]);
    Ok(())
}

/// `{ s: acc.s + (step + 1), n: step + 1 }`: one value for all lanes is added to `s`, and becomes `n`.
#[test]
fn one_value_for_all_lanes_may_be_accumulated() -> Result<(), Box<dyn std::error::Error>> {
    let params = ["s", "n", "step"].map(|name| Param::new(name, Scalar::U64));
    let mut f = FuncBuilder::new(params.to_vec());
    let params = f.params();
    let one = f.constant(reduce_ir::Value::of(1u64));
    let next = f.bin(Bin::Add, params[2], one)?;
    let sum = f.bin(Bin::Add, params[0], next)?;
    let f = f.build(vec![sum, next]);
    let mut accumulator = Accumulator::new(&f, &[false, false, true], Loops::default());
    let mut acc = [Lanes::from(vec![10u64, 20, 30]), Lanes::from(vec![0u64; 3])];
    let mut operations = 0;
    accumulator.accumulate(&mut acc, |_| LanesRef::U64(&[4; 3]), 3, || operations += 1)?;
    accumulator.accumulate(&mut acc, |_| LanesRef::U64(&[6; 2]), 2, || operations += 1)?;
    assert_eq!(acc, [Lanes::from(vec![22u64, 32, 35]), Lanes::from(vec![7u64, 7, 5])]);
    assert_eq!(operations, 2 * accumulator.operations());
    Ok(())
}

/// `{ n: step, s: acc.s + x }`: a block of `n` is kept, and all its lanes once some lanes go on alone.
#[test]
fn a_field_that_is_one_value_is_left_as_a_block() -> Result<(), Box<dyn std::error::Error>> {
    let params = ["n", "s", "x", "step"].map(|name| Param::new(name, Scalar::U64));
    let mut f = FuncBuilder::new(params.to_vec());
    let params = f.params();
    let one = f.constant(reduce_ir::Value::of(1u64));
    let next = f.bin(Bin::Add, params[3], one)?;
    let sum = f.bin(Bin::Add, params[1], params[2])?;
    let mut accumulator =
        Accumulator::new(&f.build(vec![next, sum]), &[false, false, false, true], Loops::default());
    let (len, some) = (3 * SHARED + 5, 2 * SHARED + 1);
    let [steps, x] = [1, 2].map(|value| Lanes::splat(reduce_ir::Value::of(value as u64), len));
    let right = |k| if k == 0 { x.borrow() } else { steps.borrow() };
    let mut acc = [Lanes::from(vec![9u64; len]), Lanes::from(vec![0u64; len])];
    accumulator.accumulate(&mut acc, right, len, || ())?;
    assert_eq!(acc, [Lanes::from(vec![2u64; SHARED]), Lanes::from(vec![2u64; len])]);
    let steps = Lanes::splat(reduce_ir::Value::of(7u64), len);
    let right = |k| if k == 0 { x.borrow() } else { steps.borrow() };
    accumulator.accumulate(&mut acc, right, some, || ())?;
    let both = |a, b| Lanes::from([vec![a; some], vec![b; len - some]].concat());
    assert_eq!(acc, [both(8u64, 2), both(4u64, 2)]);
    Ok(())
}

//! Rows that join lanes, and halves that meet.

use crate::values::{same, special};
use crate::{loops, reading};
use reduce_ir::ops::Bin;
use reduce_ir::{Scalar, Value, f16};
use reduce_lanes::{Lanes, LanesRef, NARROW};

/// Elements of four groups of rows of every part for the narrowest types, more for others, and some besides.
const MANY: usize = 71 * NARROW + 5;

/// As many lanes as stay in registers meet several rows at once: special values in every mixture, and a shorter row.
#[test]
fn several_rows_join_as_one_after_the_other() {
    for ty in Scalar::ALL {
        let values = special(ty);
        let mut random = 1u64;
        let mut pick = |len| {
            let mut lanes = Lanes::splat(values[0], len);
            for i in 0..len {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                lanes.set(i, values[(random >> 33) as usize % values.len()]);
            }
            lanes
        };
        for _ in 0..50 {
            let (acc, b) = (pick(NARROW), pick(MANY));
            for op in Bin::ALL.into_iter().filter(|op| op.commutes() && op.result(ty, ty).is_ok()) {
                check_rows(op, &acc, b.borrow());
            }
        }
    }
}

/// Rows that join at once give what they give one by one.
fn check_rows(op: Bin, acc: &Lanes, b: LanesRef<'_>) {
    for (name, loops, prefetch) in reading() {
        let (mut at_once, mut one_by_one) = (acc.clone(), acc.clone());
        (loops.accumulate)(op, &mut at_once, b, prefetch).unwrap();
        for start in (0..b.len()).step_by(acc.len()) {
            let row = b.slice(start..b.len().min(start + acc.len()));
            (loops.accumulate)(op, &mut one_by_one, row, prefetch).unwrap();
        }
        let equal = (0..acc.len()).all(|i| same(at_once.get(i), one_by_one.get(i)));
        assert!(equal, "{name}: {op} of {:?}", acc.ty());
    }
}

/// One NaN, or one zero with the other sign, is seen wherever it is.
#[test]
fn nan_and_zeros_are_found_at_any_place() {
    for ty in [Scalar::F16, Scalar::Bf16, Scalar::F32, Scalar::F64] {
        let bits = special(ty);
        let zeros = || bits.iter().copied().filter(|x| x.as_f64() == Some(0.0));
        let nans = || bits.iter().copied().filter(|x| x.as_f64().is_some_and(f64::is_nan));
        for (all, odd) in zeros().flat_map(|all| zeros().chain(nans()).map(move |odd| (all, odd))) {
            for place in 0..MANY {
                let (acc, mut b) = (Lanes::splat(all, NARROW), Lanes::splat(all, MANY));
                b.set(place, odd);
                [Bin::Min, Bin::Max].into_iter().for_each(|op| check_rows(op, &acc, b.borrow()));
            }
        }
    }
}

/// Of every two halves the first one is left, which the second one joined as far as there is one.
#[test]
fn the_second_half_joins_the_first() {
    for (name, loops) in loops() {
        for (half, len) in
            [1, 2, 3, 4, 8, 16, 64].into_iter().flat_map(|half| (0..200).map(move |len| (half, len)))
        {
            let x: Vec<f32> = (0..len).map(|i| 1.0 / (i + 3) as f32).collect();
            let left = (0..len).filter(|i| i / half % 2 == 0);
            let mut met: Vec<_> = left.map(|i| x.get(i + half).map_or(x[i], |y| x[i] * y)).collect();
            let mut out = Lanes::from(vec![7.0f32; 50]);
            (loops.pairwise_step)(Bin::Mul, LanesRef::F32(&x), half, &mut out).unwrap();
            assert_eq!(out, Lanes::from(met.clone()), "{name}: {len} lanes, half {half}");
            (loops.append)(LanesRef::F32(&x), x.len(), &mut out);
            met.extend(x);
            assert_eq!(out, Lanes::from(met), "{name}: {len} lanes");
        }
    }
}

/// Row after row joins, many side by side, the last one shorter; one lane is a chain.
#[test]
fn rows_join_in_their_order() {
    let x: Vec<f32> = (0..100_003u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 7.0).collect();
    let narrow: Vec<f16> = x.iter().map(|&x| f16::from_f32(x / 1e4)).collect();
    for (name, loops, prefetch) in reading() {
        for lanes in [1, 2, NARROW, 64, 100, 1003, 2048, 200_000] {
            let (mut plain, mut widened) = (vec![0.5f32; lanes], vec![0.5f32; lanes]);
            x.iter().enumerate().for_each(|(i, x)| plain[i % lanes] += x);
            narrow.iter().enumerate().for_each(|(i, &x)| widened[i % lanes] += f32::from(x));
            let mut most = vec![0.5f32; lanes];
            x.iter().enumerate().for_each(|(i, &x)| most[i % lanes] = most[i % lanes].max(x));
            let join = |op: Bin, b: LanesRef<'_>| {
                let mut acc = Lanes::splat(Value::of(0.5f32), lanes);
                (loops.accumulate)(op, &mut acc, b, prefetch).unwrap();
                acc
            };
            assert_eq!(join(Bin::Add, LanesRef::F32(&x)), Lanes::from(plain), "{name}, {lanes} lanes");
            assert_eq!(join(Bin::Add, LanesRef::F16(&narrow)), Lanes::from(widened), "{name}, {lanes} lanes");
            assert_eq!(join(Bin::Max, LanesRef::F32(&x)), Lanes::from(most), "{name}, {lanes} lanes");
        }
    }
}

/// Squares of integers wrap in the type of the sum, not in their own.
#[test]
fn squares_are_of_the_type_of_the_sum() {
    let x: Vec<i32> = (0..10_007u32).map(|i| i.wrapping_mul(2_654_435_761) as i32).collect();
    let narrow: Vec<u8> = x.iter().map(|&x| x as u8).collect();
    for ((name, loops, prefetch), lanes) in
        reading().flat_map(|it| [1, NARROW, 100].map(|lanes| (it.clone(), lanes)))
    {
        let Some(fused) = loops.fused else { continue };
        let (mut same, mut wide, mut of_bytes) = (vec![5i32; lanes], vec![5i64; lanes], vec![5u32; lanes]);
        for (i, (&x, &byte)) in x.iter().zip(&narrow).enumerate() {
            same[i % lanes] = same[i % lanes].wrapping_add(x.wrapping_mul(x));
            wide[i % lanes] = wide[i % lanes].wrapping_add(i64::from(x) * i64::from(x));
            of_bytes[i % lanes] += u32::from(byte) * u32::from(byte);
        }
        let cases = [
            (Value::of(5i32), LanesRef::I32(&x), Lanes::from(same)),
            (Value::of(5i64), LanesRef::I32(&x), Lanes::from(wide)),
            (Value::of(5u32), LanesRef::U8(&narrow), Lanes::from(of_bytes)),
        ];
        for (start, x, expected) in cases {
            let mut acc = Lanes::splat(start, lanes);
            (fused.add_squares)(&mut acc, x, prefetch).unwrap();
            assert!(acc == expected, "{name}: {lanes} lanes of {}", x.ty());
        }
    }
}

//! Lanes against plain scalar code: gathering, and `f16` against the conversions of `half`.

use reduce_dsl::arith::{self, Order};
use reduce_dsl::f16;
use reduce_dsl::lanes::{Lanes, LanesRef, gather};

#[test]
fn gather_takes_a_block_of_each_stride() {
    for (offset, block, stride) in [
        (0, 1, 2),
        (1, 1, 2),
        (2, 2, 4),
        (4, 4, 8),
        (0, 8, 16),
        (16, 16, 32),
        (2, 3, 7),
        (0, 1, 1),
        (5, 1, 9),
    ] {
        for n in 0..100u32 {
            let from: Vec<u32> = (100..100 + n).collect();
            let wanted = |i: &usize| (offset..offset + block).contains(&(i % stride));
            let expected: Vec<u32> = (0..from.len()).filter(wanted).map(|i| from[i]).collect();
            let mut lanes = Lanes::from(vec![7u32]);
            gather(LanesRef::from(from.as_slice()), offset, block, stride, &mut lanes);
            assert_eq!(lanes, Lanes::from(expected), "{offset} {block} {stride} of {n}");
        }
    }
}

#[test]
fn every_f16_widens_exactly() {
    for x in (0..=u16::MAX).map(f16::from_bits) {
        let wide = arith::widen(x);
        assert_eq!(wide.is_nan(), x.is_nan());
        assert!(x.is_nan() || wide.to_bits() == f32::from(x).to_bits(), "{:04x}", x.to_bits());
    }
}

#[test]
fn f16_is_ordered_as_f32() {
    let mut some: Vec<_> = (0..=u16::MAX).step_by(97).collect();
    some.extend([0, 1, 0x8000, 0x8001, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00, 0x3ff, 0x400, 0x83ff]);
    let same = |a: f16, b: f32| arith::widen(a).to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    for (a, b) in some.iter().flat_map(|&a| some.iter().map(move |&b| (f16::from_bits(a), f16::from_bits(b))))
    {
        let (x, y) = (f32::from(a), f32::from(b));
        assert!(same(Order::min(a, b), Order::min(x, y)), "min of {a:?} and {b:?}");
        assert!(same(Order::max(a, b), Order::max(x, y)), "max of {a:?} and {b:?}");
        assert_eq!((Order::lt(a, b), Order::le(a, b)), (x < y, x <= y), "order of {a:?} and {b:?}");
    }
}

//! Lanes against plain scalar code: gathering, dealing, `f16` against the conversions of `half`, and every operation on every
//! type, many lanes at once by the instructions of each processor, against one lane at a time.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../tests/support/skip.rs"]
mod skip;

mod accumulators;
mod operations;
mod rows;
mod segments;
mod sums;
mod values;

use reduce_ir::arith::{self, Order};
use reduce_ir::f16;
use reduce_lanes::{Aligned, Deinterleave, LINE, Lanes, LanesRef, Loops, Prefetch, gather};

#[test]
fn gather_takes_a_block_of_each_stride() {
    for (offset, block, stride) in [
        (0, 1, 2),
        (1, 1, 2),
        (0, 1, 4),
        (1, 1, 4),
        (2, 1, 4),
        (3, 1, 4),
        (6, 1, 8),
        (2, 2, 4),
        (4, 4, 8),
        (0, 2, 4),
        (1, 2, 4),
        (0, 4, 8),
        (0, 8, 16),
        (8, 8, 16),
        (0, 16, 32),
        (16, 16, 32),
        (2, 3, 7),
        (0, 1, 1),
        (5, 1, 9),
    ] {
        for n in 0..100u32 {
            let from: Vec<u32> = (100..100 + n).collect();
            let wanted = |i: &usize| (offset..offset + block).contains(&(i % stride));
            let expected: Vec<u32> = (0..from.len()).filter(wanted).map(|i| from[i]).collect();
            let mut lanes = Lanes::from(vec![7u32; 1 + n as usize / 2]);
            gather(LanesRef::from(from.as_slice()), [offset, block, stride], &mut lanes, 1);
            assert_eq!(lanes, Lanes::from([vec![7], expected].concat()), "{offset} {block} {stride} of {n}");
        }
    }
}

#[test]
fn units_are_dealt_out() {
    for (part, parts) in [(1, 2), (1, 4), (2, 2), (2, 4), (4, 2), (4, 4), (1, 3), (3, 2), (5, 1), (1, 16)] {
        for (n, at) in (0..150u16).flat_map(|n| [(n, 0), (n, 3)]) {
            let from: Vec<u16> = (100..100 + n).collect();
            let how = Deinterleave { part, parts, room: 160 };
            for (name, loops) in loops() {
                let mut lanes = Lanes::from(vec![7u16; how.room * parts]);
                (loops.deinterleave)(LanesRef::from(from.as_slice()), how, &mut lanes, at);
                let Lanes::U16(dealt) = &lanes else { unreachable!("they are u16") };
                for (k, room) in dealt.chunks(how.room).enumerate() {
                    let of_part = |&i: &usize| i % (part * parts) / part == k;
                    let expected: Vec<u16> = (0..from.len()).filter(of_part).map(|i| from[i]).collect();
                    assert_eq!(how.len(from.len(), k), expected.len(), "{how:?} of {n}");
                    let (kept, new) = room.split_at(at);
                    assert_eq!(kept, vec![7; at], "{name}: {how:?} of {n} behind {at}");
                    assert_eq!(new[..expected.len()], expected, "{name}: {how:?} of {n} behind {at}");
                }
            }
        }
    }
}

#[test]
fn what_grows_begins_at_a_line() {
    fn check<T: Copy + Default + PartialEq + std::fmt::Debug>(value: T) {
        let mut lanes = Aligned::from(vec![value; 3]);
        lanes.resize(2, value);
        for len in [3, 4, 100, 10_000] {
            let before = lanes.to_vec();
            lanes.resize(len, T::default());
            let expected = [before, vec![T::default(); len]].concat();
            assert_eq!(lanes[..], expected[..len]);
            lanes.extend_from_slice(&[value; 5]);
            assert_eq!(lanes[len..], [value; 5]);
            assert_eq!(lanes.clone(), lanes);
            assert_eq!(lanes.clone().as_ptr() as usize % LINE, 0);
        }
        assert_eq!(lanes.as_ptr() as usize % LINE, 0);
        lanes.clear();
        assert_eq!((lanes.len(), lanes.as_ptr() as usize % LINE), (0, 0));
    }
    check(true);
    check(f16::ONE);
    check(1.5f32);
    check(7u64);
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

/// All loops, with every prefetch strategy.
fn reading() -> impl Iterator<Item = (String, Loops, Option<Prefetch>)> {
    let strategies = || Prefetch::ALL.into_iter().map(Some).chain([None]);
    let each = move |(name, loops)| {
        strategies().map(move |prefetch| (format!("{name}, {prefetch:?}"), loops, prefetch))
    };
    loops().into_iter().flat_map(each)
}

/// The loops for every processor, and those that this one has besides.
fn loops() -> Vec<(&'static str, Loops)> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        use reduce_lanes::{Fused, avx2};
        // SAFETY: processors with AVX2 and FMA have what came with them.
        let newer = Loops {
            apply: |node, operands, out| unsafe { avx2::apply(node, operands, out) },
            accumulate: |op, acc, b, prefetch| unsafe { avx2::accumulate(op, acc, b, prefetch) },
            append: |lanes, len, out| unsafe { avx2::append(lanes, len, out) },
            pairwise_step: |op, lanes, half, out| unsafe { avx2::pairwise_step(op, lanes, half, out) },
            gather: |from, places, to, kept| unsafe { avx2::gather(from, places, to, kept) },
            deinterleave: |from, how, to, at| unsafe { avx2::deinterleave(from, how, to, at) },
            fused: Some(Fused {
                add_squares: |acc, b, prefetch| unsafe { avx2::add_squares(acc, b, prefetch) },
                sum: |term, how, acc, out, prefetch| unsafe { avx2::sum(term, how, acc, out, prefetch) },
                sum_groups: |term, how, groups, lanes| unsafe { avx2::sum_groups(term, how, groups, lanes) },
                sum_segments: |from, offsets, sums, lanes, prefetch| unsafe {
                    avx2::sum_segments(from, offsets, sums, lanes, prefetch)
                },
                fold_columns: |op, acc, from, pitch| unsafe { avx2::fold_columns(op, acc, from, pitch) },
                pairwise_tree: |op, lanes, shape, out| unsafe { avx2::pairwise_tree(op, lanes, shape, out) },
            }),
            ..Loops::default()
        };
        return vec![("portable", Loops::default()), ("avx2", newer)];
    }
    skip::skipped("lanes, the loops for AVX2", "this processor has none");
    vec![("portable", Loops::default())]
}

//! Lanes against plain scalar code: gathering, `f16` against the conversions of `half`, and every operation on every
//! type, many lanes at once by the instructions of each processor, against one lane at a time.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../tests/support/skip.rs"]
mod skip;

use reduce_dsl::arith::{self, Order};
use reduce_dsl::func::{Id, Node};
use reduce_dsl::lanes::{Lanes, LanesRef, Loops, NARROW, Summed, Term, Way, gather};
use reduce_dsl::ops::{self, Bin, Cmp, Un};
use reduce_dsl::{Scalar, Value, bf16, f16};

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
            let mut lanes = Lanes::from(vec![7u32]);
            gather(LanesRef::from(from.as_slice()), offset, block, stride, &mut lanes);
            assert_eq!(lanes, Lanes::from([vec![7], expected].concat()), "{offset} {block} {stride} of {n}");
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

/// All loops, by every way of reading memory.
fn reading() -> impl Iterator<Item = (String, Loops, Option<Way>)> {
    let ways = || Way::ALL.into_iter().map(Some).chain([None]);
    let each = move |(name, loops)| ways().map(move |way| (format!("{name}, {way:?}"), loops, way));
    loops().into_iter().flat_map(each)
}

/// The loops for every processor, and those that this one has besides.
fn loops() -> Vec<(&'static str, Loops)> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        use reduce_dsl::lanes::avx2;
        // SAFETY: processors with AVX2 and FMA have what came with them.
        let newer = Loops {
            apply: |node, operands, out| unsafe { avx2::apply(node, operands, out) },
            accumulate: |op, acc, b, way| unsafe { avx2::accumulate(op, acc, b, way) },
            add_squares: |acc, b, way| unsafe { avx2::add_squares(acc, b, way) },
            sum: |term, how, acc, out, way| unsafe { avx2::sum(term, how, acc, out, way) },
            append: |lanes, out| unsafe { avx2::append(lanes, out) },
            halve: |op, lanes, half, out| unsafe { avx2::halve(op, lanes, half, out) },
            gather: |from, offset, block, stride, to| unsafe {
                avx2::gather(from, offset, block, stride, to)
            },
        };
        return vec![("portable", Loops::default()), ("avx2", newer)];
    }
    skip::skipped("lanes, the loops for AVX2", "this processor has none");
    vec![("portable", Loops::default())]
}

/// Zeros, ones, the ends of the range, infinities, NaN of both kinds and signs, subnormals, and bits at random.
fn special(ty: Scalar) -> Vec<Value> {
    let (size, top) = (8 * ty.size() as u32, 1u64 << (8 * ty.size() as u32 - 1));
    let exponent = match ty {
        Scalar::F16 => 0x7c00,
        Scalar::Bf16 => 0x7f80,
        Scalar::F32 => 0x7f80_0000,
        Scalar::F64 => 0x7ff0_0000_0000_0000,
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => 1 << (size - 2),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => 1 << (size - 2),
    };
    let plain =
        [0, 1, 2, 3, exponent, exponent - 1, exponent + 1, exponent >> 1, (exponent >> 1) + 5, top - 1];
    let random = (1..=7u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - size));
    let bits = plain.into_iter().chain(random).flat_map(|bits| [bits, bits ^ top]);
    bits.map(|bits| Value::from_bits(ty, if ty == Scalar::Bool { bits & 1 } else { bits })).collect()
}

/// Every combination of special values of those types, one vector for each.
fn combinations(types: &[Scalar]) -> Vec<Lanes> {
    let values: Vec<_> = types.iter().map(|&ty| special(ty)).collect();
    let len = values.iter().map(Vec::len).product::<usize>();
    let mut lanes: Vec<_> = types.iter().map(|&ty| Lanes::splat(Value::from_bits(ty, 0), len)).collect();
    for at in 0..len {
        let mut rest = at;
        for (lanes, values) in lanes.iter_mut().zip(&values) {
            lanes.set(at, values[rest % values.len()]);
            rest /= values.len();
        }
    }
    lanes
}

fn same(a: Value, b: Value) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

/// All lanes at once, by all loops, give what one lane at a time gives by those for every processor.
fn check(node: Node, types: &[Scalar], result: Scalar) {
    let operands = combinations(types);
    let operands: Vec<_> = operands.iter().map(Lanes::borrow).collect();
    let one = |at: usize| {
        let mut out = Lanes::empty(result);
        let operands: Vec<_> = operands.iter().map(|lanes| lanes.slice(at..at + 1)).collect();
        (Loops::default().apply)(node, &operands, &mut out).unwrap();
        out.get(0)
    };
    let expected: Vec<_> = (0..operands[0].len()).map(one).collect();
    for (name, loops) in loops() {
        let mut out = Lanes::empty(result);
        (loops.apply)(node, &operands, &mut out).unwrap();
        let joins = match node {
            Node::Bin(op, ..) => op.commutes(),
            Node::Const(_) | Node::Un(..) | Node::Cmp(..) => false,
            Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => false,
        };
        if let (true, Node::Bin(op, ..)) = (joins, node) {
            let mut acc = Lanes::empty(result);
            acc.extend(operands[0]);
            (loops.accumulate)(op, &mut acc, operands[1], None).unwrap();
            assert!(
                (0..acc.len()).all(|i| same(acc.get(i), out.get(i))),
                "{name}: {op} of {types:?} in place"
            );
        }
        for (at, &expected) in expected.iter().enumerate() {
            let args: Vec<_> = operands.iter().map(|lanes| lanes.get(at)).collect();
            assert!(
                same(out.get(at), expected),
                "{name}: {node:?} of {args:?} is {expected}, not {}",
                out.get(at)
            );
        }
    }
}

#[test]
fn every_operation_has_one_meaning_by_all_instructions() {
    let id = Id(0);
    for a in Scalar::ALL {
        for op in Un::ALL.into_iter().filter(|op| !matches!(op, Un::Exp | Un::Ln)) {
            op.result(a).into_iter().for_each(|ty| check(Node::Un(op, id), &[a], ty));
        }
        for to in Scalar::ALL.into_iter().filter(|&to| to != a) {
            ops::cast(a, to).into_iter().for_each(|ty| check(Node::Cast(ty, id), &[a], ty));
        }
        for b in [a, Scalar::U32] {
            for op in Bin::ALL {
                op.result(a, b).into_iter().for_each(|ty| check(Node::Bin(op, id, id), &[a, b], ty));
            }
        }
        for op in Cmp::ALL {
            op.result(a, a).into_iter().for_each(|ty| check(Node::Cmp(op, id, id), &[a, a], ty));
        }
        check(Node::Select(id, id, id), &[Scalar::Bool, a, a], a);
        ops::mul_add(a, a, a).into_iter().for_each(|ty| check(Node::MulAdd(id, id, id), &[a, a, a], ty));
    }
}

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
    for (name, loops, way) in reading() {
        let (mut at_once, mut one_by_one) = (acc.clone(), acc.clone());
        (loops.accumulate)(op, &mut at_once, b, way).unwrap();
        for start in (0..b.len()).step_by(acc.len()) {
            let row = b.slice(start..b.len().min(start + acc.len()));
            (loops.accumulate)(op, &mut one_by_one, row, way).unwrap();
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
            (loops.halve)(Bin::Mul, LanesRef::F32(&x), half, &mut out).unwrap();
            assert_eq!(out, Lanes::from(met.clone()), "{name}: {len} lanes, half {half}");
            (loops.append)(LanesRef::F32(&x), &mut out);
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
    for (name, loops, way) in reading() {
        for lanes in [1, 2, NARROW, 64, 100, 1003, 2048, 200_000] {
            let (mut plain, mut widened) = (vec![0.5f32; lanes], vec![0.5f32; lanes]);
            x.iter().enumerate().for_each(|(i, x)| plain[i % lanes] += x);
            narrow.iter().enumerate().for_each(|(i, &x)| widened[i % lanes] += f32::from(x));
            let mut most = vec![0.5f32; lanes];
            x.iter().enumerate().for_each(|(i, &x)| most[i % lanes] = most[i % lanes].max(x));
            let join = |op: Bin, b: LanesRef<'_>| {
                let mut acc = Lanes::splat(Value::of(0.5f32), lanes);
                (loops.accumulate)(op, &mut acc, b, way).unwrap();
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
    for ((name, loops, way), lanes) in
        reading().flat_map(|it| [1, NARROW, 100].map(|lanes| (it.clone(), lanes)))
    {
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
            (loops.add_squares)(&mut acc, x, way).unwrap();
            assert!(acc == expected, "{name}: {lanes} lanes of {}", x.ty());
        }
    }
}

/// Rows of a chunk are summed one after the other, in any number, and then the lanes by pairs; what was there before stays.
#[test]
fn chunks_are_summed_in_their_association() {
    let x: Vec<f32> =
        (0..40_960u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 7.0 - 1e6).collect();
    for (lanes, pairs) in
        [32, 96, 2048].into_iter().flat_map(|lanes| [1, 2, 4, 8].map(|pairs| (lanes, pairs)))
    {
        for (rows, chunks) in [(1, 1), (1, 6), (2, 3), (7, 2), (8, 1), (9, 2), (20, 1)] {
            let chunk = rows * lanes;
            check_sums(Summed::new(chunk, lanes, pairs).unwrap(), &x[..chunks * chunk], [chunk, lanes]);
        }
    }
    // A lane of zeros that are all negative is such a zero.
    check_sums(Summed::new(96, 32, 2).unwrap(), &[-0.0; 96], [96, 32]);
    let unknown = [(0, 32, 1), (32, 0, 1), (33, 33, 1), (48, 32, 1), (32, 32, 3)];
    assert!(unknown.iter().all(|&(chunk, lanes, pairs)| Summed::new(chunk, lanes, pairs).is_none()));
}

/// Of every type, by all loops.
fn check_sums(how: Summed, x: &[f32], [chunk, lanes]: [usize; 2]) {
    let (wide, f16s, bf16s): (Vec<_>, Vec<_>, Vec<_>) = (
        x.iter().map(|&x| f64::from(x) / 3.0).collect(),
        x.iter().map(|&x| f16::from_f32(x / 1e4)).collect(),
        x.iter().map(|&x| bf16::from_f32(x)).collect(),
    );
    let (y, y_f16): (Vec<_>, Vec<_>) =
        (x.iter().rev().copied().collect(), f16s.iter().rev().copied().collect());
    let (x_f16, x_bf16) = (LanesRef::F16(&f16s), LanesRef::Bf16(&bf16s));
    let (as_f64, product) = (|&x: &f32| f64::from(x), |(&x, &y): (&f16, &f16)| f32::from(x) * f32::from(y));
    let f32s = |terms: Vec<f32>| Lanes::from(summed(&terms, [chunk, lanes], how.pairs()));
    let f64s = |terms: Vec<f64>| Lanes::from(summed(&terms, [chunk, lanes], how.pairs()));
    let cases = [
        (Term::Itself(LanesRef::F32(x)), f32s(x.to_vec())),
        (Term::Itself(x_f16), f32s(f16s.iter().map(|&x| x.into()).collect())),
        (Term::Itself(x_bf16), f32s(bf16s.iter().map(|&x| x.into()).collect())),
        (Term::Itself(LanesRef::F32(x)), f64s(x.iter().map(as_f64).collect())),
        (Term::Itself(LanesRef::F64(&wide)), f64s(wide.clone())),
        (Term::Magnitude(x_f16), f32s(f16s.iter().map(|&x| f32::from(x).abs()).collect())),
        (Term::Magnitude(LanesRef::F32(x)), f32s(x.iter().map(|x| x.abs()).collect())),
        (Term::Square(x_f16), f32s(f16s.iter().zip(&f16s).map(product).collect())),
        (Term::Square(LanesRef::F32(x)), f64s(x.iter().map(as_f64).map(|x| x * x).collect())),
        (Term::Product(x_f16, LanesRef::F16(&y_f16)), f32s(f16s.iter().zip(&y_f16).map(product).collect())),
        (
            Term::Product(LanesRef::F32(x), LanesRef::F32(&y)),
            f32s(x.iter().zip(&y).map(|(x, y)| x * y).collect()),
        ),
    ];
    for ((name, loops, way), (term, left)) in
        reading().flat_map(|loops| cases.iter().map(move |it| (loops.clone(), it)))
    {
        let mut expected = Lanes::splat(Value::from_bits(left.ty(), 5), 3);
        let (mut acc, mut out) = (Lanes::splat(Value::from_bits(left.ty(), 7), 100), expected.clone());
        expected.extend(left.borrow());
        (loops.sum)(*term, how, &mut acc, &mut out, way).unwrap();
        let bits = |lanes: &Lanes| (0..lanes.len()).map(|i| lanes.get(i).bits()).collect::<Vec<_>>();
        assert!(bits(&out) == bits(&expected), "{name}: {how:?} in {}", left.ty());
    }
}

/// One element of every row of a chunk is a lane.
fn summed<T: Copy + std::ops::Add<Output = T>>(x: &[T], [chunk, lanes]: [usize; 2], pairs: usize) -> Vec<T> {
    let lane = |x: &[T], l: usize| x[l..].iter().step_by(lanes).copied().reduce(|sum, x| sum + x).unwrap();
    let mut left: Vec<_> = x.chunks(chunk).flat_map(|x| (0..lanes).map(move |l| lane(x, l))).collect();
    for _ in 0..pairs.ilog2() {
        left = left.chunks(2).map(|two| two[0] + two[1]).collect();
    }
    left
}

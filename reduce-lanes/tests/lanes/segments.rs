//! Segments that are summed where they lie.

use crate::loops;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Association, Level, Tree};
use reduce_ir::{Value, bf16, evaluate, f16};
use reduce_lanes::{Lanes, LanesRef, SegmentSum, Summed};

/// A segment has the sum of its association, whatever its neighbours, also if other elements follow that are no numbers.
#[test]
fn segments_are_summed_in_their_association() {
    let numbers = (0..400_000u32).map(|at| at.wrapping_mul(2_654_435_761) >> 8);
    let x: Vec<f32> = numbers.map(|x| if x % 997 == 0 { -0.0 } else { x as f32 / 7.0 - 1e6 }).collect();
    let wide: Vec<_> = x.iter().map(|&x| f64::from(x) / 3.0).collect();
    let half: Vec<_> = x.iter().map(|&x| f16::from_f32(x / 1e4)).collect();
    let brain: Vec<_> = x.iter().map(|&x| bf16::from_f32(x)).collect();
    check(LanesRef::F32(&x), x.iter().map(|&x| x.into()).collect());
    check(LanesRef::F32(&x), x.iter().map(|&x| f64::from(x).into()).collect());
    check(LanesRef::F64(&wide), wide.iter().map(|&x| x.into()).collect());
    check(LanesRef::F16(&half), half.iter().map(|&x| f32::from(x).into()).collect());
    check(LanesRef::Bf16(&brain), brain.iter().map(|&x| f32::from(x).into()).collect());
}

fn check(from: LanesRef<'_>, terms: Vec<Value>) {
    let (bytes, ty) = (from.ty().size(), terms[0].ty());
    let pairs = 16 / bytes;
    // Of up to three chunks, and of up to forty.
    let [short, long] = [(1, 3), (4, 40)].map(|(second, chunks)| {
        let (lanes, chunk) = (32 * second * pairs, 64 * second * pairs);
        let how = Summed::new(chunk, lanes, pairs).unwrap();
        let fold = Level { lanes: lanes as u64, ..Level::every(chunk as u64, Tree::Serial) };
        let halving = |items: usize| Level::every(items as u64, Tree::Halving);
        let first = vec![fold, Level::every(pairs as u64, Tree::Pairs), halving(32), halving(second)];
        let association = Association { first, again: vec![halving(32), halving(2)] };
        (SegmentSum::new(chunks * chunk, how, bytes).unwrap(), association)
    });
    let (sums, most) = ([short.0, long.0], long.0.most());
    let ends = [0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 40, 63, 64, 65, 100, 128, 130, 500, 512, 1000, 4096, 10_000];
    let mut offsets = vec![3];
    for length in ends.into_iter().chain([most, 0, most + 1, short.0.most(), 5, 17, 33]) {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    assert!(offsets[offsets.len() - 1] + SegmentSum::AFTER <= from.len());
    for (name, loops) in loops() {
        let Some(fused) = loops.fused else { continue };
        // The last segments have too few elements after them in the shorter data.
        for len in [from.len(), offsets[offsets.len() - 1]] {
            let (mut acc, mut out) = (Lanes::empty(ty), Lanes::splat(terms[0], 1));
            (fused.sum_segments)(from.slice(0..len), &offsets, &sums, [&mut acc, &mut out], None).unwrap();
            assert_eq!(out.len(), offsets.len());
            for (segment, ends) in offsets.windows(2).enumerate() {
                let elements = &terms[ends[0]..ends[1]];
                let tree = if elements.len() > short.0.most() { &long.1 } else { &short.1 };
                if (1..=most).contains(&elements.len()) && ends[1] + SegmentSum::AFTER <= len {
                    let wanted = tree.reduce(elements.to_vec(), add).unwrap();
                    let found = out.get(1 + segment);
                    assert_eq!(found.bits(), wanted.bits(), "{name}: {} in {ty}, {ends:?}", from.ty());
                }
            }
        }
    }
}

fn add(a: Value, b: Value) -> Value {
    evaluate::bin(Bin::Add, a, b).unwrap()
}

#[test]
fn unknown_trees_of_segments_have_no_loop() {
    let sum = |lanes, pairs, most| SegmentSum::new(most, Summed::new(2 * lanes, lanes, pairs).unwrap(), 4);
    assert!(sum(128, 4, 1024).is_some());
    // Other pairs, too few items for a block, too many items, too many chunks.
    let unknown = [(64, 2, 128), (64, 4, 128), (8192, 4, 8192), (128, 4, 1 << 20)];
    assert!(unknown.iter().all(|&(lanes, pairs, most)| sum(lanes, pairs, most).is_none()));
}

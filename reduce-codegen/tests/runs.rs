//! Kernels find the runs of equal neighbouring keys, and kernels over segments reduce them.

use reduce_codegen::Tuning;
use reduce_codegen::runs::Heads;
use reduce_codegen::segments::Segmented;
use reduce_dsl::parse::text;
use reduce_interpreter::{Cut, Found, Input, Options, Provenance, Schedule, Values, run_heads, run_segments};
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;

/// Keys: the length of each run, in turn.
fn keys(ty: Scalar, lengths: &[usize]) -> Vec<u64> {
    let one = if ty.is_float() { Value::parse(ty, "1.5").unwrap().bits() } else { 1 };
    let run = |(at, length): (usize, &usize)| vec![if at % 2 == 0 { one } else { one + 1 }; *length];
    lengths.iter().enumerate().flat_map(run).collect()
}

fn find(ty: Scalar, keys: &[u64], schedule: Schedule) -> Found {
    let program = Heads::of(ty, Scalar::U32).unwrap();
    let bits = Heads::bits(ty);
    let mut lanes = Lanes::empty(bits);
    keys.iter().for_each(|&key| lanes.extend(Lanes::splat(Value::from_bits(bits, key), 1).borrow()));
    let grids = Heads::grids(keys.len() as u64);
    let lowered = program.lower().unwrap();
    let mut domain = Values::new(&program.operation);
    let input = Input::new(lanes, true);
    run_heads(&program.operation, &lowered, &mut domain, &input, grids, Options::under(schedule))
}

fn check(ty: Scalar, keys: &[u64], starts: &[u64], schedule: Schedule) {
    let found = find(ty, keys, schedule);
    assert_eq!(found.reports, []);
    assert_eq!(found.number, starts.len() as u64);
    let offsets: Vec<_> = starts.iter().copied().chain([keys.len() as u64]).collect();
    let written: Vec<_> = found.offsets.iter().flatten().copied().collect();
    assert_eq!(written, offsets);
    let wanted: Vec<_> = starts.iter().map(|&at| keys[at as usize]).collect();
    assert_eq!(found.keys.iter().flatten().copied().collect::<Vec<_>>(), wanted);
}

fn starts(lengths: &[usize]) -> Vec<u64> {
    lengths.iter().scan(0, |at, length| Some(std::mem::replace(at, *at + *length as u64))).collect()
}

#[test]
fn every_run_is_found() {
    let tile = Heads::TILE as usize;
    let mixed: Vec<_> = (0..9000usize).map(|at| 1 + at * 7919 % 5).collect();
    let kinds =
        [vec![1], vec![5, 1, 1, 40], vec![1; 100], vec![tile], vec![tile, 1], vec![tile - 1, 2, tile], mixed];
    for (at, lengths) in kinds.iter().enumerate() {
        let ty = [Scalar::U32, Scalar::F64, Scalar::I8, Scalar::F16][at % 4];
        for schedule in Schedule::all(Heads::tiles(lengths.iter().sum::<usize>() as u64)).into_iter().take(3)
        {
            check(ty, &keys(ty, lengths), &starts(lengths), schedule);
        }
    }
}

#[test]
fn floats_are_equal_by_bits_and_zeros_are_equal() {
    let bits = |it: f32| u64::from(it.to_bits());
    let nan = bits(f32::NAN);
    let keys = [bits(0.0), bits(-0.0), nan, nan, nan + 1, bits(1.0), bits(1.0)];
    check(Scalar::F32, &keys, &[0, 2, 4, 5], Schedule::FORWARD);
    check(Scalar::U32, &keys, &[0, 1, 2, 4, 5], Schedule::FORWARD);
}

/// The number of runs never leaves the device: the kernels over segments read it.
#[test]
fn runs_are_segments() {
    for lengths in [vec![3, 1, 700, 2], vec![1; 50], (0..300).map(|at| 1 + at % 40).collect(), vec![9000]] {
        let (keys, n) = (keys(Scalar::U32, &lengths), lengths.iter().sum::<usize>() as u64);
        let found = find(Scalar::U32, &keys, Schedule::FORWARD);
        let spec = text("ty: f32, op: sum", None).unwrap().spec;
        let program = Segmented::of(&spec, Scalar::U32, Tuning::of(90), 1 << 20).unwrap().counted();
        let lowered = program.lower().unwrap();
        // Nothing reads beyond the offsets that were written.
        let offsets: Vec<_> =
            found.offsets.iter().map(|offset| offset.unwrap_or(u64::from(u32::MAX))).collect();
        let cut = Cut {
            elements: n,
            offsets: &offsets,
            number: Some(found.number),
            grids: program.grids(n, n),
            tiles: program.tiles(n, n),
            partials: program.partials(n),
        };
        let mut domain = Provenance::new(&program.operation);
        let inputs = Provenance::inputs(&program.operation, n, true);
        let options = Options::under(Schedule::FORWARD);
        let (outcome, fault) = run_segments(&program.operation, &lowered, &mut domain, &inputs, cut, options);
        assert_eq!((outcome.reports, fault), (vec![], None), "{lengths:?}");
        for (run, (start, length)) in starts(&lengths).into_iter().zip(&lengths).enumerate() {
            let mut leaves = domain.leaves(outcome.results[run].unwrap());
            leaves.sort_unstable();
            assert_eq!(
                leaves,
                (start..start + *length as u64).collect::<Vec<_>>(),
                "run {run} of {lengths:?}"
            );
        }
        assert!(outcome.results[lengths.len()..].iter().all(Option::is_none));
    }
}

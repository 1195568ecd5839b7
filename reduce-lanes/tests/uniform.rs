//! What all lanes share is computed once, and gives what each lane by itself gives.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::ops::{Bin, TypeError};
use reduce_ir::{Scalar, Value};
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{Lanes, LanesRef, Loops};

/// `(x, step) -> (x + (step + 1), step + 1, x, 7)`, of `u64`.
fn counted() -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(vec![Param::new("x", Scalar::U64), Param::new("step", Scalar::U64)]);
    let [x, step] = f.params()[..] else { unreachable!() };
    let (one, seven) = (f.constant(Value::of(1u64)), f.constant(Value::of(7u64)));
    let count = f.bin(Bin::Add, step, one)?;
    let sum = f.bin(Bin::Add, x, count)?;
    Ok(f.build(vec![sum, count, x, seven]))
}

/// The registers of a call are those of the next, which has more lanes or fewer, and another step or the same.
#[test]
fn each_call_gives_its_own_lanes() {
    let func = counted().unwrap();
    let mut shared = Evaluator::with(&func, &[false, true], Loops::default());
    let mut results = vec![Lanes::empty(Scalar::U64); 4];
    for (len, step) in [(3, 5), (8, 5), (8, 9), (2, 9), (0, 4), (5, 0), (5, 6)] {
        let x: Vec<u64> = (0..len).map(|i| i * i).collect();
        let steps = vec![step; x.len()];
        let args = [LanesRef::U64(&x), LanesRef::U64(&steps)];
        shared.run_into(|k| args[k], x.len(), &mut results).unwrap();
        let sums = x.iter().map(|x| x + step + 1).collect::<Vec<_>>();
        let counts = vec![step + 1; x.len()];
        assert_eq!(results, [sums, counts, x.clone(), vec![7; x.len()]].map(Lanes::from));
        // What the caller does with them is nothing to the next call.
        results.iter_mut().for_each(|lanes| lanes.fill(Value::of(77u64)));
    }
}

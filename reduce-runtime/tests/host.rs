//! The host backend against [`Association::reduce`], which combines one pair of elements at a time.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "host/associations.rs"]
mod associations;
#[path = "host/data.rs"]
mod data;
#[path = "../../tests/support/rotation.rs"]
mod rotation;
#[path = "../../tests/support/splitmix.rs"]
mod splitmix;
#[path = "host/uniform.rs"]
mod uniform;

use associations::{PAIRS, WARP, association, associations, level};
use data::{Data, element};
use reduce_dsl::operators::{Nan, OPERATORS, Request, Ties, operator};
use reduce_dsl::parse;
use reduce_ir::func::{FuncBuilder, Param};
use reduce_ir::operation::Operation;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Association, Tree};
use reduce_ir::{Scalar, Value, f16};
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::Strided;
use reduce_runtime::host::{self, HostError, Isa, Plan};
use splitmix::Random;

fn operation(name: &str, ty: Scalar) -> Operation {
    let row = operator(name).unwrap();
    let inputs: Vec<_> = ["x", "y"].iter().take(row.inputs).map(|&name| Param::new(name, ty)).collect();
    row.apply(&inputs, None).unwrap()
}

/// Lists every operator with every type that it supports, except those with a `fold`, which the reference does not
/// evaluate: tests/differential.rs and tests/custom_operations.rs compare them with the interpreter.
fn operations() -> impl Iterator<Item = Operation> {
    let typed = |operator: &'static reduce_dsl::operators::Operator| {
        Scalar::ALL.into_iter().filter(|&ty| operator.takes(ty)).map(|ty| operation(operator.name, ty))
    };
    OPERATORS.iter().flat_map(typed).filter(|operation| operation.fold.is_none())
}

fn inputs(operation: &Operation, data: Data, n: usize) -> Vec<Lanes> {
    let mut random = Random::new(n as u64);
    let column = |input: &Param| {
        let mut lanes = Lanes::empty(input.ty);
        lanes.resize(n);
        (0..n).for_each(|i| lanes.set(i, element(input.ty, data, &mut random)));
        lanes
    };
    operation.inputs.iter().map(column).collect()
}

/// Maps the elements, one at a time.
fn mapped(operation: &Operation, inputs: &[Lanes]) -> Vec<Vec<Value>> {
    let mut map = Evaluator::new(&operation.map);
    let mut element = |i: usize| {
        let index = operation.is_indexed().then(|| Value::of(i as u64));
        let element: Vec<_> = inputs.iter().map(|input| input.get(i)).chain(index).collect();
        map.run_once(&element).unwrap()
    };
    (0..inputs[0].len()).map(&mut element).collect()
}

/// Combines the items, one pair at a time.
fn reference(operation: &Operation, association: &Association, items: &[Vec<Value>]) -> Option<Vec<Value>> {
    let mut combine = Evaluator::new(&operation.combine);
    let pair = |a: Vec<Value>, b: Vec<Value>| combine.run_once(&[a, b].concat()).unwrap();
    let acc = association.reduce(items.to_vec(), pair).or_else(|| operation.identity.clone())?;
    Some(operation.finished(&acc, items.len() as u64, &[]).unwrap())
}

/// Makes a plan for each instruction set of this processor.
fn plans(operation: &Operation) -> Vec<Plan> {
    Isa::all().into_iter().map(|isa| Plan::at(isa, operation).unwrap()).collect()
}

/// Returns the result of all plans, which must agree whatever they reduced before.
fn reduce(
    operation: &Operation,
    plans: &[Plan],
    association: &Association,
    inputs: &[Lanes],
    n: usize,
) -> Option<Vec<Value>> {
    let slices: Vec<_> = inputs.iter().map(|input| input.borrow().slice(0..n)).collect();
    let mut results = plans.iter().map(|plan| match plan.reduce(association, &slices, &[]) {
        Err(HostError::Empty { operator }) if operator == operation.name && n == 0 => None,
        values => Some(values.unwrap()),
    });
    let first = results.next().unwrap();
    assert!(results.all(|other| other == first), "{} of {n} by other instructions", operation.name);
    first
}

/// Checks that the host gives the bits of the reference for every association and every size n, on the first n elements.
/// Covers every instruction set of this processor.
fn check(operation: &Operation, data: Data, sizes: impl Iterator<Item = usize> + Clone) {
    let inputs = inputs(operation, data, sizes.clone().max().unwrap());
    let items = mapped(operation, &inputs);
    let plans = plans(operation);
    for association in associations() {
        for n in sizes.clone() {
            let found = reduce(operation, &plans, &association, &inputs, n);
            let expected = reference(operation, &association, &items[..n]);
            assert_eq!(
                found, expected,
                "{} of {n} {data:?} {:?}\n{association}",
                operation.name, operation.inputs
            );
        }
    }
}

/// Checks every third size up to 200, of a rotating part of the operations; the three kinds of data cover all sizes.
fn check_small_sizes(data: Data) {
    rotation::sample(operations(), 40)
        .for_each(|operation| check(&operation, data, (data as usize..=200).step_by(3).chain([0, 1, 2, 3])));
}

#[test]
fn every_operator_and_type_on_finite_data() {
    check_small_sizes(Data::Finite);
}

#[test]
fn every_operator_and_type_on_small_data() {
    check_small_sizes(Data::Small);
}

#[test]
fn every_operator_and_type_on_all_bits() {
    check_small_sizes(Data::Bits);
}

#[test]
fn around_the_boundaries_of_tiles() {
    let sizes = [255, 256, 257, 383, 384, 385, 511, 512, 513, 639, 640, 641, 1023, 1024, 1025, 1100];
    for (name, ty) in
        [("sum", Scalar::F32), ("dot", Scalar::F16), ("argmax", Scalar::F32), ("any", Scalar::F64)]
    {
        check(&operation(name, ty), Data::Finite, sizes.into_iter());
        check(&operation(name, ty), Data::Small, sizes.into_iter());
    }
}

#[test]
fn around_the_boundaries_of_batches() {
    let sizes = [16_383, 16_384, 16_385, 24_575, 24_577, 65_535, 65_536, 65_537, 65_600];
    for name in rotation::sample(["sum", "sum_of_squares"], 2) {
        check(&operation(name, Scalar::F32), Data::Finite, sizes.into_iter());
    }
}

/// The map of a sum is fused into it only if it is computed in the type of the sum, from inputs of one type.
#[test]
fn terms_of_sums_are_computed_as_the_map_says() {
    let specs = [
        "ty: f32, acc: f64, op: sum",
        "ty: f32, acc: f64, op: norm1",
        "ty: f32, map: |x| (x as f64) * (x as f64), op: sum",
        "ty: f32, map: |x| (x * x) as f64, op: sum",
        "ty: f32, map: |x| (x as f64).abs() * x as f64, op: sum",
        "ty: f16, map: |x| (x * x) as f64, op: sum",
        "ty: f16, map: |x| 2.0 * x, op: sum",
        "inputs: { x: f32, y: f64 }, map: |x, y| (x as f64) * y, op: sum",
        "inputs: { x: f32, y: f32 }, acc: S { p: f32, y: f32 }, map: |x, y| S { p: x * y, y }, \
         op: |a, b| S { p: a.p + b.p, y: a.y + b.y }, identity: none",
        "ty: i32, acc: i64, op: sum",
        "ty: u32, acc: u64, op: sum",
    ];
    let read = |spec: &&str| parse::text(spec, None).unwrap().spec.operation;
    let floats = [Scalar::F16, Scalar::Bf16, Scalar::F32, Scalar::F64];
    let named = ["norm1", "sum_of_squares", "dot"].into_iter();
    let named = named.flat_map(|name| floats.map(|ty| operation(name, ty)));
    for operation in specs.iter().map(read).chain(named) {
        check(&operation, Data::Finite, [512, 1100].into_iter());
        check(&operation, Data::Bits, [512, 1100].into_iter());
    }
}

/// The association of an exact operation cannot be observed, so the host uses its own, with pieces of 32768 elements.
#[test]
fn around_the_boundaries_of_pieces() {
    let sizes = [32_767, 32_768, 32_769, 32_801, 65_536, 98_305];
    let exact = [
        ("max", Scalar::F32),
        ("min", Scalar::F16),
        ("max", Scalar::Bf16),
        ("minmax", Scalar::F64),
        ("sum", Scalar::I8),
        ("xor", Scalar::U64),
        // These map many rows at once.
        ("norm_inf", Scalar::F32),
        ("dot", Scalar::I32),
        ("sum_of_squares", Scalar::I32),
        ("sum_of_squares", Scalar::I8),
        ("count_nonzero", Scalar::F64),
    ];
    for (name, ty) in rotation::sample(exact, 3) {
        check_pieces(&operation(name, ty), Data::Bits, &sizes);
        check_pieces(&operation(name, ty), Data::Small, &sizes);
    }
}

/// Searches with many equal elements in many pieces; with NaN, propagated or ignored; and over mapped values.
#[test]
fn what_is_searched_is_found_in_any_piece() {
    let searches = ["argmin", "argmax", "findmin", "findmax", "argminmax"].map(|name| (name, Scalar::F32));
    let searches = searches.into_iter().chain([("argminmax", Scalar::F16), ("argminmax", Scalar::U64)]);
    for (name, ty) in rotation::sample(searches, 3) {
        for (ties, nan) in [(Ties::First, Nan::Propagate), (Ties::Last, Nan::Ignore)] {
            let inputs = [Param::new("x", ty)];
            let request = Request { ties: Some(ties), nan, ..Request::new(&inputs) };
            let operation = operator(name).unwrap().applied(&request).unwrap();
            assert!(!operation.searches.is_empty());
            check_pieces(&operation, Data::Small, &[1, 32_768, 70_001]);
            check_pieces(&operation, Data::Bits, &[1, 32_768, 70_001]);
        }
    }
}

/// Fields that combine with another field keep the order of the association, although each operation is exact.
#[test]
fn fields_that_cross_keep_their_association() {
    let minmax = operation("minmax", Scalar::I32);
    let mut f = FuncBuilder::new([minmax.acc.params("a"), minmax.acc.params("b")].concat());
    let params = f.params();
    let crossed = [(Bin::Min, params[0], params[3]), (Bin::Max, params[1], params[2])];
    let results = crossed.map(|(op, a, b)| f.bin(op, a, b).unwrap());
    let crossed = Operation { combine: f.build(results.to_vec()), ..minmax };
    check(&crossed, Data::Finite, [100, 1000].into_iter());
}

/// A searched value may depend on the position: here it is least in a piece that is neither the first nor the last.
#[test]
fn what_is_searched_may_depend_on_the_position() {
    let inputs = [Param::new("x", Scalar::I64)];
    let mut f = FuncBuilder::new(vec![inputs[0].clone(), Param::new("index", Scalar::U64)]);
    let (index, middle) = (f.params()[1], f.constant(Value::of(40_000u64)));
    let away = f.bin(Bin::Xor, index, middle).unwrap();
    let away = f.cast(Scalar::I64, away).unwrap();
    let sum = f.bin(Bin::Add, f.params()[0], away).unwrap();
    let map = f.build(vec![sum]);
    let request = Request { map: Some(&map), ..Request::new(&inputs) };
    for name in ["argmin", "argmax", "argminmax"] {
        let operation = operator(name).unwrap().applied(&request).unwrap();
        check_pieces(&operation, Data::Finite, &[1, 32_768, 32_769, 100_001]);
    }
}

/// [`check`], for operations with the same bits in every association.
fn check_pieces(operation: &Operation, data: Data, sizes: &[usize]) {
    assert!(operation.exact);
    let inputs = inputs(operation, data, *sizes.iter().max().unwrap());
    let items = mapped(operation, &inputs);
    let (plans, association) = (plans(operation), association(&[PAIRS], &[PAIRS]));
    for &n in sizes {
        let found = reduce(operation, &plans, &association, &inputs, n);
        let expected = reference(operation, &association, &items[..n]);
        assert_eq!(found, expected, "{} of {n} {data:?} {:?}", operation.name, operation.inputs);
    }
}

/// With this many elements, the host also tries its ways of reading memory, which do not change a bit either.
#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let (sum, n) = (operation("sum", Scalar::F32), (1 << 21) + 3);
    let data: Vec<f32> = (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as f32 / 3.0).collect();
    for association in rotation::sample(associations(), 2) {
        let expected = Value::of(association.reduce(data.clone(), |a, b| a + b).unwrap());
        let plans = plans(&sum);
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for plan in &plans {
                let found = pool.install(|| plan.reduce(&association, &[LanesRef::F32(&data)], &[])).unwrap();
                assert_eq!(found, [expected], "{threads} threads\n{association}");
            }
        }
    }
}

/// Elements are multiples of 2⁻³⁰, and so are all their rounded sums: integers measure the error exactly.
#[test]
fn the_error_of_a_sum_is_within_the_bound_of_its_depth() {
    let sum = operation("sum", Scalar::F32);
    let fixed = |x: f32| (f64::from(x) * f64::from(1 << 30)) as i128;
    for association in associations() {
        for n in [1usize, 2, 100, 5_000, 300_001] {
            let mut random = Random::new(n as u64);
            let mut next = || random.bits();
            let data: Vec<f32> = (0..n)
                .map(|_| ((next() as i32 >> 8) as f32) / f32::powi(2.0, 10 + next() as i32 % 20))
                .collect();
            let values = host::reduce(&sum, &association, &[LanesRef::F32(&data)]).unwrap();
            let exact: i128 = data.iter().map(|&x| fixed(x)).sum();
            let magnitude: i128 = data.iter().map(|&x| fixed(x).abs()).sum();
            let error = (fixed(values[0].get().unwrap()) - exact).abs();
            // γ_d = d u / (1 - d u), u = 2⁻²⁴.
            let depth = i128::from(association.depth(n as u64));
            assert!(error * ((1 << 24) - depth) <= depth * magnitude, "{error} of {n}\n{association}");
        }
    }
}

#[test]
fn large_inputs_are_exact_where_every_order_is() {
    let (sum, max) = (operation("sum", Scalar::U32), operation("max", Scalar::U32));
    let data: Vec<u32> = (0..(1u32 << 24) + 1).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let warps = [WARP, level(8, 1, Tree::Halving)];
    let first = [level(4096, 1024, Tree::Serial), level(4, 1, Tree::Pairs), warps[0], warps[1]];
    for n in [(1 << 24) - 1, 1 << 24, (1 << 24) + 1] {
        let input = LanesRef::U32(&data[..n]);
        let total = data[..n].iter().fold(0u32, |a, &b| a.wrapping_add(b));
        let found = host::reduce(&sum, &association(&first, &warps), &[input]);
        assert_eq!(found.unwrap(), [Value::of(total)]);
        let found = host::reduce(&max, &association(&first, &warps), &[input]);
        assert_eq!(found.unwrap(), [Value::of(*data[..n].iter().max().unwrap())]);
    }
}

#[test]
fn nothing_has_no_value_without_an_identity() {
    let naive = association(&[PAIRS], &[PAIRS]);
    let error = host::reduce(&operation("argmax", Scalar::F32), &naive, &[LanesRef::F32(&[])]).unwrap_err();
    assert_eq!(error.to_string(), "`argmax` has no value for empty input; give it at least one element");
    let sum = host::reduce(&operation("sum", Scalar::F32), &naive, &[LanesRef::F32(&[])]).unwrap();
    assert_eq!(sum, [Value::of(0.0f32)]);
}

#[test]
fn an_association_that_combines_nothing_is_an_error() {
    let idle = association(&[], &[]);
    let error = host::reduce(&operation("sum", Scalar::F32), &idle, &[LanesRef::F32(&[1.0, 2.0])]);
    assert_eq!(error, Err(HostError::Stuck { items: 2 }));
}

/// The conversion by an instruction and the one by bits agree, in one lane of 128: all other elements are −0.
#[test]
fn every_f16_is_summed_as_its_value() {
    let (sum, lanes) = (operation("sum", Scalar::F16), 128);
    let fold = [level(256, lanes as u64, Tree::Serial), level(128, 1, Tree::Pairs)];
    let association = association(&fold, &[PAIRS]);
    let mut data = vec![f16::from_f32(-0.0); 2 * lanes];
    println!("instructions: {}", Isa::all().iter().map(Isa::to_string).collect::<Vec<_>>().join(", "));
    let plans: Vec<_> = Isa::all().into_iter().map(|isa| (isa, Plan::at(isa, &sum).unwrap())).collect();
    // Every third value: three has no factor in common with the number of lanes, so every lane has its turn.
    for x in rotation::sample(0..=u16::MAX, 3).map(f16::from_bits) {
        let lane = lanes + usize::from(x.to_bits()) % lanes;
        data[lane] = x;
        let expected = if x.is_nan() { f32::from_bits(0x7fc0_0000) } else { f32::from(x) };
        for (isa, plan) in &plans {
            let found = plan.reduce(&association, &[LanesRef::F16(&data)], &[]).unwrap();
            assert_eq!(found, [Value::of(expected)], "{isa}: {:04x}", x.to_bits());
        }
        data[lane] = f16::from_f32(-0.0);
    }
}

/// Inputs must have one length and lie inside their data.
#[test]
fn inputs_that_do_not_fit_are_not_reduced() {
    let plan = Plan::new(&operation("dot", Scalar::F32)).unwrap();
    let (long, short) = (vec![1.0f32; 1 << 18], [1.0f32; 10]);
    let [long, short] = [&long[..], &short].map(|it| Strided::from(LanesRef::F32(it)));
    let beyond = Strided { offset: 1, ..short };
    for inputs in [[short, long], [long, short], [short, beyond]] {
        let error = plan.reduce(&associations()[0], &inputs, &[]).unwrap_err();
        assert!(matches!(error, HostError::Given { .. }), "{error}");
    }
}

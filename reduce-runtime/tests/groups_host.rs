//! On the host, each group has the bits of a reduction of its elements alone, whatever axes are reduced and however they lie.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../tests/support/rotation.rs"]
mod rotation;
#[path = "../../tests/support/splitmix.rs"]
mod splitmix;

use reduce_dsl::parse::spec;
use reduce_ir::axes::{self, Axis, Cut, Kept, Pattern};
use reduce_ir::{Axes, Domain, Scalar, Spec, Value, f16};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::host::{Isa, Plan};
use reduce_runtime::{Device, Reducer, View};
use splitmix::Random;

const SPECS: [&str; 33] = [
    "op: sum, ty: f32",
    "op: sum, ty: f64",
    "op: sum, ty: f16",
    "op: sum, ty: i32",
    "op: max, ty: f32",
    "op: max, ty: i32",
    "op: min, ty: f16",
    "op: prod, ty: f32",
    "op: sum_of_squares, ty: i32",
    "op: argmax, ty: f32",
    "op: mean, ty: f32, nan: ignore",
    "op: var, ty: f32",
    "inputs: { x: f32, y: f32 }, op: dot",
    "inputs: { x: i32, y: i32 }, op: dot",
    "ty: f32, op: max, filter: |x| x > 0.4",
    "ty: f32, map: |x| x.abs(), op: sum",
    "ty: f32, params: { a: f32 }, map: |x| a * x, op: sum",
    "ty: f32, index: i, map: |x| x * (i as f32), op: sum",
    "ty: f32, index: i, map: |x| x * (i as f32), op: sum, fold: |acc, x| acc + (i as f32) * x",
    "op: var, ty: f32, passes: [vectorize(2), coarsen(8)]",
    LAST,
    "op: sum, ty: f32, passes: [shuffle]",
    "op: sum, ty: f32, passes: [serial]",
    "op: sum, ty: f32, passes: [grid_stride(2)]",
    "op: sum, ty: f32, passes: [shuffle, vectorize(4), coarsen(2)]",
    "op: var, ty: f32, passes: [grid_stride(2)]",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32 }, map: |x| At { v: x }, op: |a, b| if b.v >= a.v { b } else { a }, passes: [coarsen(4)]",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32 }, map: |x| At { v: x }, op: |a, b| if b.v >= a.v { b } else { a }, passes: []",
    "op: var, ty: f32, passes: [serial]",
    // Neither a position nor a param lies in memory, where the loops for plain elements read.
    "ty: f32, index: i, map: |x| i, op: max",
    "ty: f32, index: i, map: |x| i, op: |a, b| a.wrapping_mul(b), identity: none",
    "ty: f32, params: { a: f32 }, map: |x| a, op: sum",
    "ty: f32, params: { a: f32 }, map: |x| a, op: max",
];

/// Returns the last of the largest elements, but takes a NaN for larger: an operation without identity, whose order shows.
const LAST: &str = "ty: f32, identity: none, commutative: false, acc: At { v: f32 }, map: |x| At { v: x }, op: |a, b| if b.v >= a.v { b } else { a }";

/// A specification, compiled for groups along axes and for one group.
struct Case {
    text: &'static str,
    groups: Reducer,
    alone: Reducer,
    params: Vec<Value>,
}

impl Case {
    fn new(text: &'static str, axes: usize, kept: &[usize]) -> Case {
        let alone = spec(text).unwrap();
        let params = alone.operation.params.iter().map(|_| Value::of(1.7f32)).collect();
        let axes = along(axes, kept, alone.operation.inputs.len());
        let groups = Spec { domain: axes.domain(), axes: Some(axes), ..alone.clone() };
        let alone = Spec { domain: Domain::WHOLE, ..alone };
        let [groups, alone] = [groups, alone].map(|spec| Reducer::new(&spec, &Device::host()).unwrap());
        Case { text, groups, alone, params }
    }

    /// Checks every group of inputs of that shape.
    fn check(&self, shape: &Shape, random: &mut Random) {
        let inputs = &self.groups.operation().inputs;
        let inputs: Vec<_> = inputs.iter().map(|input| Input::new(input.ty, shape, random)).collect();
        let views: Vec<_> = inputs.iter().map(|input| input.view(shape)).collect();
        let found = self.groups.reduce_groups(&views, &self.params).unwrap();
        self.check_instructions(&views);
        let kept = shape.positions(&shape.kept);
        assert_eq!(found.len(), kept.len());
        for (group, kept) in kept.iter().enumerate() {
            let elements: Vec<_> = inputs.iter().map(|input| input.elements(shape, kept)).collect();
            let elements: Vec<_> = elements.iter().map(Lanes::borrow).collect();
            let wanted = self.alone.reduce_with(&elements, &self.params).ok().map(|it| it.values);
            let [found, wanted] = [found.get(group), wanted].map(bits);
            assert_eq!(found, wanted, "{}: group {group} of {shape:?}, {inputs:?}", self.text);
        }
    }

    /// Checks that every instruction set gives the same stored results.
    fn check_instructions(&self, views: &[View<LanesRef<'_>>]) {
        let shape = |view: &View<LanesRef<'_>>| axes::Shape {
            lengths: view.lengths.iter().map(|&length| length as u64).collect(),
            steps: view.steps.iter().map(|&step| step as i64).collect(),
        };
        let names = self.groups.operation().inputs.iter().map(|input| input.name.as_str());
        let shapes: Vec<_> = names.zip(views.iter().map(shape)).collect();
        let nest = self.groups.axes().unwrap().nest(&shapes).unwrap().merged();
        let programs = self.groups.programs();
        let association = programs.variants()[programs.place(nest.extent().length)].association();
        let by = |isa: &Isa| {
            let plan = Plan::at(*isa, self.groups.operation()).unwrap();
            let stored = plan.reduce_groups(&association, views, &nest, &self.params).unwrap();
            let bits = |lanes: &Lanes| (0..lanes.len()).map(|at| lanes.get(at).bits()).collect::<Vec<_>>();
            stored.iter().map(bits).collect::<Vec<_>>()
        };
        let all = Isa::all();
        let wanted = by(&Isa::best());
        assert!(all.iter().all(|isa| by(isa) == wanted), "{}: {nest:?}", self.text);
    }
}

/// Returns the bits of values; NaN equals NaN.
fn bits(values: Option<Vec<Value>>) -> Option<Vec<u64>> {
    values.map(|values| values.iter().map(|value| value.bits()).collect())
}

/// Returns axes of which some are kept, in that order.
fn along(axes: usize, kept: &[usize], inputs: usize) -> Axes {
    let axis = |at: usize| Axis { name: Some(format!("a{at}")), length: None };
    let pattern = Pattern { has_leading: false, dims: (0..axes).map(|at| vec![at]).collect() };
    Axes {
        axes: (0..axes).map(axis).collect(),
        inputs: vec![pattern; inputs],
        result: kept.iter().map(|&at| Kept::Axis(at)).collect(),
        is_by_input: inputs > 1,
        cut: Cut::Whole,
    }
}

#[derive(Clone, Debug)]
struct Shape {
    lengths: Vec<usize>,
    kept: Vec<usize>,
}

impl Shape {
    /// Returns all coordinates along some axes, in row-major order; 0 along the others.
    fn positions(&self, along: &[usize]) -> Vec<Vec<usize>> {
        let mut all = vec![vec![0; self.lengths.len()]];
        for &axis in along {
            let turns = |at: &Vec<usize>| {
                let at = at.clone();
                (0..self.lengths[axis]).map(move |turn| {
                    let mut at = at.clone();
                    at[axis] = turn;
                    at
                })
            };
            all = all.iter().flat_map(turns).collect();
        }
        all
    }

    fn reduced(&self) -> Vec<usize> {
        (0..self.lengths.len()).filter(|axis| !self.kept.contains(axis)).collect()
    }
}

/// An input whose axes lie in any order and direction, and with gaps, or repeat their elements.
struct Input {
    data: Lanes,
    offset: usize,
    steps: Vec<isize>,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of steps {:?}", self.data.ty(), self.steps)
    }
}

impl Input {
    fn new(ty: Scalar, shape: &Shape, random: &mut Random) -> Input {
        let mut order: Vec<_> = (0..shape.lengths.len()).collect();
        if random.below(2) == 0 {
            order.sort_by_key(|_| random.bits());
        }
        let plain = random.below(3) == 0;
        let (mut steps, mut step, mut offset) = (vec![0; order.len()], 1, random.below(3) as usize);
        for &axis in order.iter().rev() {
            step *= if plain || random.below(3) > 0 { 1 } else { 2 };
            let last = step * (shape.lengths[axis] - 1);
            match random.below(6) {
                0 if !plain => continue,
                1 if !plain => (steps[axis], offset) = (-(step as isize), offset + last),
                _ => steps[axis] = step as isize,
            }
            step *= shape.lengths[axis];
        }
        Input { data: elements(ty, offset + step + 1, random), offset, steps }
    }

    fn view(&self, shape: &Shape) -> View<LanesRef<'_>> {
        View {
            data: self.data.borrow(),
            offset: self.offset,
            lengths: shape.lengths.clone(),
            steps: self.steps.clone(),
        }
    }

    /// Copies the elements of the group at some coordinates.
    fn elements(&self, shape: &Shape, kept: &[usize]) -> Lanes {
        let place = |at: &[usize]| -> isize {
            at.iter().zip(&self.steps).map(|(&at, step)| at as isize * step).sum()
        };
        let first = self.offset as isize + place(kept);
        let places: Vec<_> =
            shape.positions(&shape.reduced()).iter().map(|at| (first + place(at)) as usize).collect();
        let mut copy = Lanes::splat(Value::from_bits(self.data.ty(), 0), places.len());
        copy.copy(self.data.borrow(), &places.into_iter().enumerate().collect::<Vec<_>>());
        copy
    }
}

/// Returns numbers whose sum rounds differently in every order; a few are equal, zero or NaN.
fn elements(ty: Scalar, len: usize, random: &mut Random) -> Lanes {
    let mut number = || match random.below(64) {
        0 => 0.0,
        1 => -0.0,
        2 if random.below(64) == 0 => f64::NAN,
        _ => random.below(2001) as f64 * 1.37e-3 - 1.3,
    };
    if ty == Scalar::F16 {
        return (0..len).map(|_| f16::from_f64(number())).collect::<Vec<_>>().into();
    }
    if ty == Scalar::F64 {
        return (0..len).map(|_| number()).collect::<Vec<_>>().into();
    }
    if ty == Scalar::I32 {
        return (0..len).map(|_| (number() * 1e9) as i32).collect::<Vec<_>>().into();
    }
    (0..len).map(|_| number() as f32).collect::<Vec<_>>().into()
}

/// Returns a shape of groups of about `n` elements, of at most `most` elements in all.
fn shape(n: usize, most: usize, random: &mut Random) -> Shape {
    let groups = (most / n).clamp(1, 700);
    let some = |end: usize, random: &mut Random| 1 + random.below(end as u64) as usize;
    let few = some(3, random);
    let g = some(groups, random);
    let (lengths, kept): (Vec<usize>, Vec<usize>) = match random.below(9) {
        0 => (vec![n, g], vec![1]),
        1 => (vec![g, n], vec![0]),
        2 => (vec![g.div_ceil(few), n, few], vec![0, 2]),
        3 => (vec![few, n, g.div_ceil(few)], vec![2, 0]),
        4 => (vec![few, g, n.div_ceil(few)], vec![1]),
        5 => (vec![n, few], vec![1]),
        6 => (vec![n.div_ceil(few), few, g], vec![2]),
        7 => (vec![few, g.div_ceil(few), n], vec![0, 1]),
        _ => (vec![n.div_ceil(few), g, few], vec![1]),
    };
    Shape { lengths, kept }
}

/// Checks every specification on random shapes of groups of about so many elements.
fn check_lengths(lengths: &[usize], most: usize, seed: u64) {
    let mut random = Random::new(seed);
    for text in rotation::sample(SPECS, 2) {
        for &n in lengths {
            let shape = shape(n, most, &mut random);
            Case::new(text, shape.lengths.len(), &shape.kept).check(&shape, &mut random);
        }
    }
}

#[test]
fn short_groups_have_the_bits_that_they_have_alone() {
    for seed in 0..3 {
        let lengths: Vec<_> = (1..=300).step_by(23).map(|n| n + seed as usize * 7).chain([1, 2, 3]).collect();
        check_lengths(&lengths, 3000, seed);
    }
}

#[test]
fn groups_around_the_bounds_of_programs_have_the_bits_that_they_have_alone() {
    check_lengths(&[511, 512, 513, 1024, 1025, 2047], 6000, 10);
    check_lengths(&[8192, 8193, 16385], 30_000, 11);
}

#[test]
fn long_groups_have_the_bits_that_they_have_alone() {
    check_lengths(&[140_000], 500_000, 20);
}

#[test]
fn many_groups_have_the_bits_that_they_have_alone() {
    for (at, text) in rotation::sample(SPECS.into_iter().enumerate(), 3) {
        let mut random = Random::new(30 + at as u64);
        for (lengths, kept) in
            [(vec![20_000, 9], 0), (vec![9, 20_000], 1), (vec![150, 1000], 1), (vec![300, 600], 0)]
        {
            let shape = Shape { lengths, kept: vec![kept] };
            let case = Case::new(text, 2, &shape.kept);
            let inputs = &case.groups.operation().inputs;
            let inputs: Vec<_> =
                inputs.iter().map(|input| Input::new(input.ty, &shape, &mut random)).collect();
            let views: Vec<_> = inputs.iter().map(|input| input.view(&shape)).collect();
            let found = case.groups.reduce_groups(&views, &case.params).unwrap();
            let kept = shape.positions(&shape.kept);
            for group in (0..kept.len()).step_by(kept.len() / 97 + 1).chain([kept.len() - 1]) {
                let elements: Vec<_> =
                    inputs.iter().map(|input| input.elements(&shape, &kept[group])).collect();
                let elements: Vec<_> = elements.iter().map(Lanes::borrow).collect();
                let wanted = case.alone.reduce_with(&elements, &case.params).ok().map(|it| it.values);
                assert_eq!(bits(found.get(group)), bits(wanted), "{text}: {group} of {shape:?}, {inputs:?}");
            }
        }
    }
}

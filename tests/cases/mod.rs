//! The cases of the tests: every operator on every type that it takes, by every list of passes.
#![allow(dead_code, reason = "no test uses all of it")]

pub(crate) mod operations;

use reduce_codegen::Programs;
use reduce_dsl::operators::{Nan, OPERATORS, Request, Ties, operator};
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::passes;
use reduce_ir::program::Program;
use reduce_ir::spec::{Listed, Passes};
use reduce_ir::{Domain, Scalar, Spec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Passes and threads per block. The blocks differ so that every number of warps occurs.
pub(crate) const LISTS: [(&[Pass], u32); 31] = [
    (&[], 256),
    (&[], 1024),
    (&passes![sequential], 256),
    (&passes![sequential, unroll], 32),
    (&passes![sequential, coarsen(3)], 128),
    (&passes![sequential, vectorize(4), unroll], 512),
    (&passes![shuffle], 256),
    (&passes![shuffle, unroll], 1024),
    (&passes![shuffle, coarsen(4)], 256),
    (&passes![shuffle, coarsen(5), unroll], 32),
    (&passes![vectorize(4)], 64),
    (&passes![shuffle, vectorize(4)], 256),
    (&passes![shuffle, vectorize(2), coarsen(3)], 128),
    (&passes![shuffle, vectorize(8), unroll], 64),
    (&passes![shuffle, vectorize(16), coarsen(2)], 32),
    (&passes![shuffle, coarsen(4), vectorize(4), unroll], 256),
    (&passes![serial], 32),
    (&passes![in_place], 64),
    (&passes![in_place, sequential, unroll], 128),
    (&passes![bitmask], 256),
    (&passes![strided_index, coarsen(2)], 128),
    (&passes![sequential, last_warp], 256),
    (&passes![sequential, last_warp, unroll, grid_stride(3)], 64),
    (&passes![shuffle, vectorize(4), grid_stride(2)], 64),
    (&passes![shuffle, vectorize(4), coarsen(2), unroll, streaming, one_block, ticket], 128),
    (&passes![sequential, last_warp, one_block, ticket], 64),
    (&passes![shuffle, vectorize(4), unroll, cluster(8)], 128),
    (&passes![shuffle, cluster(2), one_block, ticket, flag], 32),
    (&passes![shuffle, vectorize(8), lanes(2), coarsen(3)], 64),
    (&passes![shuffle, vectorize(4), one_block, ticket, dependent, trigger], 64),
    (&passes![sequential, trigger, dependent], 32),
];

/// Lists for operators that do not commute.
pub(crate) const ORDERED: [(&[Pass], u32); 2] = [
    (&passes![shuffle, coarsen(4), warp_striped, unroll, cluster(2)], 64),
    (&passes![shuffle, vectorize(4), coarsen(2), warp_striped, streaming, one_block, ticket, flag], 128),
];

/// A list that is tuned for speed.
pub(crate) const FLAGSHIP: (&[Pass], u32) = (&passes![shuffle, vectorize(4), coarsen(8), unroll], 256);

/// Returns the specification of an operator on elements of `ty`.
pub(crate) fn spec(name: &str, ty: Scalar, (passes, block): (&[Pass], u32)) -> Spec {
    spec_of(operation(name, &vec![ty; operator(name).unwrap().inputs]), (passes, block))
}

/// Returns the same with `nan: ignore` and, for operators with ties, `ties: last`.
pub(crate) fn choosing(name: &str, ty: Scalar, list: (&[Pass], u32)) -> Spec {
    let row = operator(name).unwrap();
    let inputs: Vec<_> = ["x", "y"].iter().take(row.inputs).map(|&name| Param::new(name, ty)).collect();
    let ties = row.ties.then_some(Ties::Last);
    let request = Request { nan: Nan::Ignore, ties, ..Request::new(&inputs) };
    spec_of(row.applied(&request).unwrap(), list)
}

fn spec_of(operation: Operation, (passes, block): (&[Pass], u32)) -> Spec {
    let types: Vec<_> = operation.inputs.iter().map(|input| input.ty.name()).collect();
    let text = format!(
        "op: {}, ty: {}, block: {block}, passes: {}",
        operation.name,
        types.join(" and "),
        Listed(passes)
    );
    Spec {
        operation,
        domain: Domain::WHOLE,
        axes: None,
        defaults: Vec::new(),
        text,
        block: Some(block),
        passes: Passes::List(passes.to_vec()),
    }
}

/// Returns the same with `passes: auto`.
pub(crate) fn auto(name: &str, ty: Scalar) -> Spec {
    let spec = spec(name, ty, (&[], 256));
    let text = spec.text.replace("block: 256, passes: []", "passes: auto");
    Spec { text, block: None, passes: Passes::Auto, ..spec }
}

/// Returns the same for strided elements.
pub(crate) fn strided(spec: Spec) -> Spec {
    Spec { text: format!("layout: strided, {}", spec.text), domain: Domain::STRIDED, ..spec }
}

/// Returns operators on strided elements, by every list that accepts them and by `auto`.
pub(crate) fn all_strided() -> Vec<Spec> {
    let vectors = |list: &(&[Pass], u32)| list.0.iter().any(|pass| pass.name == "vectorize");
    let lists = LISTS.into_iter().filter(|list| !vectors(list));
    let of = |(name, ty)| lists.clone().map(move |list| spec(name, ty, list)).chain([auto(name, ty)]);
    let pairs = [("sum", Scalar::F32), ("argmax", Scalar::F64), ("dot", Scalar::F16), ("max", Scalar::U64)];
    pairs.into_iter().flat_map(of).map(strided).collect()
}

/// Returns every operator, type and list, a product of inputs of two types, and strided inputs.
pub(crate) fn all() -> Vec<Spec> {
    let mut specs = Vec::new();
    for row in &OPERATORS {
        for ty in Scalar::ALL.into_iter().filter(|&ty| row.takes(ty)) {
            specs.extend(LISTS.map(|list| spec(row.name, ty, list)).into_iter().filter(fits));
            specs.push(auto(row.name, ty));
        }
    }
    specs.extend(LISTS.map(|list| spec_of(operation("dot", &[Scalar::F16, Scalar::F32]), list)));
    specs.extend(all_strided());
    specs
}

/// Returns whether the list keeps the order of the elements if the operator needs it.
pub(crate) fn fits(spec: &Spec) -> bool {
    spec.operation.commutative || reduce_codegen::stages(spec).is_ok()
}

/// The lists whose kernels are snapshots: one for each building block of kernels.
pub(crate) const SHOWN: [usize; 15] = [0, 2, 3, 6, 8, 10, 12, 14, 15, 17, 20, 21, 23, 24, 26];

/// The operators whose kernels are snapshots by every list: one for each kind of accumulator and of `map`.
const SHOWN_BY_ALL: [&str; 6] = ["sum", "max", "argmax", "dot", "var", "first"];

/// Returns operator, type and list of each snapshot: every operator, every type by every list, and each of [`SHOWN_BY_ALL`]
/// by every list that it allows.
pub(crate) fn shown() -> Vec<(&'static str, Scalar, usize)> {
    let mut missing = BTreeSet::new();
    let mut cases: Vec<(&'static str, Scalar, usize)> = Vec::new();
    let all = OPERATORS.iter().flat_map(|row| Scalar::ALL.map(|ty| (row, ty)));
    let legal: Vec<_> = all.filter(|(row, ty)| row.takes(*ty)).map(|(row, ty)| (row.name, ty)).collect();
    for &(name, ty) in &legal {
        for list in SHOWN.into_iter().filter(|&list| fits(&spec(name, ty, LISTS[list]))) {
            missing.insert((ty.name(), list));
            missing.extend(SHOWN_BY_ALL.contains(&name).then_some((name, list)));
        }
    }
    let gain = |missing: &BTreeSet<_>, (name, ty): (&'static str, Scalar), list| {
        usize::from(missing.contains(&(name, list))) + usize::from(missing.contains(&(ty.name(), list)))
    };
    for &it in legal.iter().chain(&legal) {
        let lists = SHOWN.into_iter().rev().filter(|&list| fits(&spec(it.0, it.1, LISTS[list])));
        let best = lists.max_by_key(|&list| gain(&missing, it, list)).unwrap();
        if gain(&missing, it, best) > 0 || !cases.iter().any(|&(name, ..)| name == it.0) {
            missing.remove(&(it.0, best));
            missing.remove(&(it.1.name(), best));
            cases.push((it.0, it.1, best));
        }
    }
    for (what, list) in missing {
        let is_meant = |&&(name, ty): &&(&str, Scalar)| {
            (name == what || ty.name() == what) && fits(&spec(name, ty, LISTS[list]))
        };
        let &(name, ty) = legal.iter().find(is_meant).unwrap();
        cases.push((name, ty, list));
    }
    cases
}

/// Returns the lengths around the boundaries of a program: levels, tiles, blocks, warps.
pub(crate) fn lengths(program: &Program, most: usize) -> Vec<usize> {
    let [tile, partial_tile] = program.plan().tiles();
    let edges = [2, u64::from(Program::WARP), u64::from(program.block), tile, 3 * tile, tile * partial_tile];
    let around = edges.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]);
    let mut lengths: Vec<_> = around.chain([0, 1000]).map(|n| n as usize).filter(|&n| n <= most).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Returns these lengths for every variant, and the lengths around the ends of the variants.
pub(crate) fn lengths_of_all(programs: &Programs, most: usize) -> Vec<usize> {
    let of_each = programs.variants().iter().flat_map(|program| lengths(program, most));
    let ends = programs.variants().iter().filter_map(|program| program.up_to);
    let ends = ends.flat_map(|end| [end, end + 1]).map(|n| n as usize).filter(|&n| n <= most);
    let supported = |n: &usize| programs.up_to().is_none_or(|most| *n as u64 <= most);
    of_each.chain(ends).filter(supported).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns an operator on inputs of these types. Kept, because its text is parsed, and every list of passes asks for it.
fn operation(name: &str, types: &[Scalar]) -> Operation {
    static KEPT: Mutex<BTreeMap<String, Operation>> = Mutex::new(BTreeMap::new());
    let make = || {
        let inputs: Vec<_> = ["x", "y"].iter().zip(types).map(|(&name, &ty)| Param::new(name, ty)).collect();
        operator(name).unwrap().apply(&inputs, None).unwrap()
    };
    KEPT.lock().unwrap().entry(format!("{name} {types:?}")).or_insert_with(make).clone()
}

/// Returns the program after each pass of every case of an operator and type, each kernel once.
pub(crate) fn programs(name: &str, ty: Scalar) -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    let specs = LISTS.map(|list| spec(name, ty, list)).into_iter().filter(fits).chain([auto(name, ty)]);
    for stage in specs.collect::<Vec<_>>().iter().flat_map(|spec| reduce_codegen::stages(spec).unwrap()) {
        let it = stage.program;
        if !programs.iter().any(|other| other.block == it.block && other.kernels == it.kernels) {
            programs.push(it);
        }
    }
    programs
}

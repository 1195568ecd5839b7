//! On the host, each numbered group has the result of a filter by its key, in the association of all elements.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../tests/support/splitmix.rs"]
mod splitmix;

use reduce_codegen::keys::Keyed;
use reduce_dsl::parse::spec;
use reduce_ir::Value;
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::host::Plan;
use reduce_runtime::{Device, Groups, Reducer, View};
use splitmix::Random;

/// Fields of a specification of one input `x`, except for its key.
const OPERATIONS: [&str; 14] = [
    "ty: f32, op: sum",
    "ty: f16, op: sum",
    "ty: f64, op: mean",
    "ty: f32, op: var",
    "ty: i32, op: sum",
    "ty: u8, op: max",
    "ty: f32, op: max",
    "ty: f32, op: argmax",
    "ty: f32, map: |x| 1u64, op: sum",
    "ty: f32, map: |x| x * x, op: sum",
    "ty: f32, op: sum, nan: ignore",
    "ty: f32, filter: |x| x > 0.3, op: mean",
    "ty: f32, index: i, map: |x| x * (i as f32), op: sum, fold: |acc, x| acc + (i as f32) * x",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32 }, map: |x| At { v: x }, \
     op: |a, b| if b.v >= a.v { b } else { a }",
];

/// Random elements of the type of the input.
fn elements(fields: &str, n: usize, random: &mut Random) -> Lanes {
    let ty = spec(fields).unwrap().operation.inputs[0].ty;
    let mut lanes = Lanes::empty(ty);
    for _ in 0..n {
        let value = random.below(200);
        let text = if ty.is_float() { format!("{}", value as f64 / 100.0) } else { value.to_string() };
        let value = Value::parse(ty, &text).unwrap();
        lanes.extend(Lanes::splat(value, 1).borrow());
    }
    lanes
}

/// The results of a filter for some of the keys.
fn filtered(fields: &str, groups: u64, x: LanesRef<'_>, keys: &[u32]) -> Vec<Option<Vec<Value>>> {
    let program =
        Keyed::of(&spec(&format!("{fields}, by: {{ key: u32 }}, groups: {groups}")).unwrap()).unwrap();
    let association = program.association(keys.len() as u64);
    let ty = x.ty();
    let fields = fields
        .replace(&format!("ty: {ty}"), &format!("inputs: {{ x: {ty}, key: u32 }}, params: {{ g: u32 }}"));
    let fields = fields
        .replace("|x| x >", "|x, key| key == g && x >")
        .replace("|x|", "|x, key|")
        .replace("|acc, x|", "|acc, x, key|");
    let map = if fields.contains("map:") { "" } else { "map: |x, key| x, " };
    let filter = if fields.contains("filter:") { "" } else { "filter: |x, key| key == g, " };
    let operation =
        spec(&format!("{map}{filter}{fields}")).unwrap_or_else(|error| panic!("{error}")).operation;
    let plan = Plan::new(&operation).unwrap();
    let of_group = |group: u64| {
        let stored = plan.reduce(&association, &[x, keys.into()], &[Value::of(group as u32)]);
        stored.ok().and_then(|stored| operation.unstored(stored).ok())
    };
    shown(groups).map(of_group).collect()
}

/// Some of the groups.
fn shown(groups: u64) -> impl Iterator<Item = u64> {
    (0..groups).step_by(groups.div_ceil(20) as usize)
}

fn results(groups: &Groups) -> Vec<Option<Vec<Value>>> {
    shown(groups.len() as u64).map(|group| groups.get(group as usize)).collect()
}

fn line(lanes: LanesRef<'_>) -> View<LanesRef<'_>> {
    View::new(lanes, [lanes.len()])
}

#[test]
fn each_group_has_the_result_of_a_filter() {
    let mut random = Random::new(40);
    for fields in OPERATIONS {
        for (groups, n) in [(1, 700), (7, 0), (7, 1), (7, 5000), (90, 3000), (700, 4000), (14_000, 300)] {
            if groups > 100 && fields.contains("At") {
                continue;
            }
            let x = elements(fields, n, &mut random);
            let keys: Vec<u32> =
                (0..n).map(|_| (random.below(groups) * random.below(groups) / groups) as u32).collect();
            let keyed = spec(&format!("{fields}, by: {{ key: u32 }}, groups: {groups}")).unwrap();
            let reducer = Reducer::new(&keyed, &Device::host()).unwrap();
            let found = reducer.reduce_keys(&[line(x.borrow())], line(keys.as_slice().into()), &[]).unwrap();
            assert_eq!(found.shape, [groups]);
            let wanted = filtered(fields, groups, x.borrow(), &keys);
            assert_eq!(results(&found), wanted, "{fields}, {groups} groups of {n}");
        }
    }
}

//! Golden bits: what the host backend must give, on every processor, for ever. They change only with an
//! association, on purpose: `REDUCEGEN_UPDATE_GOLDEN=1` writes them anew.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;

use cases::{LISTS, auto, spec, strided};
use reduce_dsl::lanes::Lanes;
use reduce_dsl::operators::OPERATORS;
use reduce_dsl::{Scalar, Spec, Value};
use reduce_runtime::{Device, Reducer};

const GOLDEN: &str = include_str!("golden.txt");

/// SplitMix64 (Steele, Lea, Flood, 2014).
fn random(i: u64) -> u64 {
    let z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Floats between −2 and 2 with all their digits, so that every order of a sum rounds differently, and a few
/// zeros; integers of all bits.
fn element(ty: Scalar, i: u64) -> Value {
    let bits = random(i);
    let unit = (bits >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0;
    match ty {
        // Exact, because conversions of `half` round differently on different processors.
        Scalar::F16 => Value::of(reduce_dsl::f16::from_f32((bits >> 53) as f32 / 512.0 - 2.0)),
        Scalar::Bf16 => Value::of(reduce_dsl::bf16::from_f32((bits >> 57) as f32 / 32.0 - 2.0)),
        Scalar::F32 => Value::of(unit as f32),
        Scalar::F64 => Value::of(unit),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => Value::from_bits(ty, bits),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Value::from_bits(ty, bits),
    }
}

fn elements(ty: Scalar, n: usize, input: u64) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(n);
    (0..n).for_each(|i| lanes.set(i, element(ty, i as u64 + (input << 40))));
    lanes
}

fn line(spec: &Spec, n: usize) -> String {
    let reducer = Reducer::new(spec, &Device::host()).unwrap();
    let inputs = spec.operation.inputs.iter().zip(0..);
    let inputs: Vec<_> = inputs.map(|(input, place)| elements(input.ty, n, place)).collect();
    let inputs: Vec<_> = inputs.iter().map(Lanes::borrow).collect();
    let bits: Vec<_> = reducer.reduce(&inputs).unwrap().values.iter().map(|value| value.hex()).collect();
    format!("{:>16}  n {n:>6}  {}\n", bits.join(" "), spec.text)
}

/// Lists that had golden bits from the beginning; those of the others come after.
const FIRST: usize = 16;

/// Every operator and type, by lists of each half and by `auto`, with one and with several levels; then what `auto`
/// makes of elements that lie apart.
fn lines() -> Vec<String> {
    let (mut lines, mut later) = (Vec::new(), Vec::new());
    for (turn, row) in OPERATORS.iter().enumerate() {
        for (ty_turn, ty) in Scalar::ALL.into_iter().enumerate().filter(|(_, ty)| row.takes(*ty)) {
            let list = |k| spec(row.name, ty, LISTS[(turn + ty_turn + k) % FIRST]);
            let cases = [(list(0), 1000), (list(5), 4097), (list(11), 70_001), (auto(row.name, ty), 100_003)];
            lines.extend(cases.iter().map(|(spec, n)| line(spec, *n)));
            let list = LISTS[FIRST + (turn + ty_turn) % (LISTS.len() - FIRST)];
            later.push(line(&spec(row.name, ty, list), 4097));
        }
    }
    later.extend(
        [("sum", Scalar::F32), ("dot", Scalar::F64)].map(|(name, ty)| line(&strided(auto(name, ty)), 70_001)),
    );
    [lines, later].concat()
}

#[test]
fn bits_are_as_they_were() {
    let found = lines();
    if std::env::var_os("REDUCEGEN_UPDATE_GOLDEN").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");
        std::fs::write(file, found.concat()).unwrap();
        return;
    }
    assert_eq!(found.len(), 377);
    let wanted: Vec<_> = GOLDEN.lines().collect();
    let differing: Vec<_> =
        found.iter().zip(&wanted).filter(|(found, wanted)| found.trim_end() != **wanted).collect();
    assert!(
        differing.is_empty() && wanted.len() == found.len(),
        "{} differ: {differing:#?}",
        differing.len()
    );
}

//! Every scalar operation on every type gives the same bits on the GPU and on the host, for special and random operands, or
//! for all operands.

use super::cases::operations;
use super::device::gpu;
use super::samples::on_all_cores;
use super::splitmix::random;
use reduce_ir::{Scalar, Spec, Value, constants};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Reducer};

/// The number of random operands, unless the operands are exhaustive: for functions of the library, and for other
/// operations.
const RANDOM: [u64; 2] = [1 << 24, 1 << 18];

#[test]
fn every_operation_on_every_type_gives_the_bits_of_the_host() {
    let Some(device) = gpu("every_operation_on_every_type_gives_the_bits_of_the_host") else { return };
    let specs = operations::all();
    let wrong: Vec<_> =
        on_all_cores(&specs, |spec| difference(spec, &device)).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} of {} operations:\n{}", wrong.len(), specs.len(), wrong.join("\n"));
    println!("{} operations on types", specs.len());
}

/// Functions that many operations build, which have more operands than others.
const LIBRARY: [&str; 13] =
    ["exp", "ln", "exp2", "log2", "exp_m1", "ln_1p", "sin", "cos", "tan", "tanh", "powf", "hypot", "atan2"];

/// Without a GPU the operations are still checked: each runs on the host.
#[test]
fn the_operations_are_legal() {
    for spec in operations::all() {
        let operands = operands(&spec, 1);
        let inputs: Vec<_> = operands.iter().map(Lanes::borrow).collect();
        let host = Reducer::new(&spec, &Device::host()).unwrap();
        assert!(host.reduce(&inputs).is_ok(), "{}", spec.text);
    }
}

#[test]
fn a_digest_tells_the_bits() {
    let spec = operations::all().into_iter().find(|spec| spec.text.starts_with("op: sqrt, ty: f64")).unwrap();
    let host = Reducer::new(&spec, &Device::host()).unwrap();
    let digest = host.reduce(&[LanesRef::from(&[2.0f64][..])]).unwrap().values[0].bits();
    assert_eq!(operations::bits_of_digest(digest), 2f64.sqrt().to_bits());
}

/// Returns the first operands for which GPU and host have different bits, with both results.
fn difference(spec: &Spec, device: &Device) -> Option<String> {
    let random = RANDOM[usize::from(!LIBRARY.contains(&spec.operation.name.as_str()))];
    let operands = operands(spec, random);
    let [gpu, host] = [device, &Device::host()].map(|device| Reducer::new(spec, device).unwrap());
    let digests = |from: usize, to: usize| {
        let inputs: Vec<LanesRef<'_>> = operands.iter().map(|it| it.borrow().slice(from..to)).collect();
        [&gpu, &host].map(|reducer| reducer.reduce(&inputs).unwrap().values[0].bits())
    };
    let differ = |from, to| digests(from, to)[0] != digests(from, to)[1];
    let (mut from, mut to) = (0, operands[0].len());
    if !differ(from, to) {
        return None;
    }
    while to - from > 1 {
        let middle = from.midpoint(to);
        if differ(from, middle) { to = middle } else { from = middle }
    }
    let [found, expected] = digests(from, to).map(operations::bits_of_digest);
    let shown: Vec<_> =
        operands.iter().map(|it| format!("{0} (0x{1})", it.get(from), it.get(from).hex())).collect();
    Some(format!(
        "{}: of {} the GPU makes {found:#x}, the host {expected:#x}",
        spec.text,
        shown.join(" and ")
    ))
}

/// Returns operands for every input: all that exist if they have few bits, and otherwise every combination of special
/// values, then random ones.
fn operands(spec: &Spec, random_ones: u64) -> Vec<Lanes> {
    let types: Vec<_> = spec.operation.inputs.iter().map(|input| input.ty).collect();
    let bits = |ty: &Scalar| if *ty == Scalar::Bool { 1 } else { 8 * ty.size() as u32 };
    let all: u32 = types.iter().map(bits).sum();
    if all <= 17 {
        let mut shift = 0;
        let column = |ty: &Scalar| {
            shift += bits(ty);
            lanes(*ty, (0..1u64 << all).map(|row| row >> (shift - bits(ty))))
        };
        return types.iter().map(column).collect();
    }
    let specials: Vec<Vec<u64>> = types.iter().map(|&ty| special(ty, types.len() > 2)).collect();
    let rows: usize = specials.iter().map(Vec::len).product();
    let mut repeat = 1;
    let column = |(place, (&ty, specials)): (u64, (&Scalar, &Vec<u64>))| {
        let every = repeat;
        repeat *= specials.len();
        let special = (0..rows).map(|row| specials[row / every % specials.len()]);
        lanes(ty, special.chain((0..random_ones).map(|row| random_operand(ty, row, place))))
    };
    (0..).zip(types.iter().zip(&specials)).map(column).collect()
}

fn lanes(ty: Scalar, bits: impl Iterator<Item = u64>) -> Lanes {
    let values: Vec<_> = bits.map(|bits| Value::from_bits(ty, bits)).collect();
    let mut lanes = Lanes::empty(ty);
    lanes.resize(values.len());
    values.into_iter().enumerate().for_each(|(i, value)| lanes.set(i, value));
    lanes
}

/// Returns random bits. Every other float is near 1, and every fourth operand is near the operand before it.
fn random_operand(ty: Scalar, row: u64, place: u64) -> u64 {
    let bits = random(4 * row + place);
    if row % 4 == 3 && place > 0 {
        return random_operand(ty, row, place - 1) ^ (bits & 1);
    }
    let one = constants::one(ty).bits();
    if ty.is_float() && row % 2 == 1 {
        // The exponent has the highest bits of 1 or of 2; the next few bits are random.
        let kept = u64::MAX >> 8 >> (64 - 8 * ty.size());
        return (one & !kept | bits & kept) ^ (bits >> 63 << (8 * ty.size() - 1));
    }
    bits
}

/// Returns the bits of boundary values. `few` keeps the ends of every kind, and some of the others.
fn special(ty: Scalar, few: bool) -> Vec<u64> {
    let values = if ty.is_float() { special_floats(ty) } else { special_integers(ty) };
    let ends = values.len().min(28);
    let every = if few { 57 } else { 1 };
    values[..ends].iter().chain(values[ends..].iter().step_by(every)).copied().collect()
}

fn special_integers(ty: Scalar) -> Vec<u64> {
    let powers = (0..8 * ty.size() as u32).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    let all = powers.flat_map(|bits| [bits, bits.wrapping_neg()]);
    all.chain([0x5555_5555_5555_5555, 0x0123_4567_89ab_cdef]).collect()
}

/// Returns zeros, the ends of the subnormals and normals, NaN of both kinds, and values around the limits of integers.
fn special_floats(ty: Scalar) -> Vec<u64> {
    let (infinity, one) = (constants::greatest(ty).bits(), constants::one(ty).bits());
    let least_normal = constants::constant(ty, "MIN_POSITIVE").map_or(0, Value::bits);
    // One step of the exponent.
    let binade = least_normal;
    let edges = [1, least_normal, one, infinity].into_iter().flat_map(|it| [it - 1, it, it + 1]);
    let quiet = [infinity | binade >> 1, infinity | (binade - 1)];
    let powers = (0..=64).filter(|k| one + k * binade < infinity).map(|k| one + k * binade);
    // 2^k, 1.5 * 2^k, and their neighbours.
    let around = powers.flat_map(|it| [it - 1, it, it + 1, it + binade / 2, it + binade / 2 + 1]);
    let small = (1..=3).flat_map(|k| [one - k * binade, one - k * binade / 2]);
    let positive = edges.chain(quiet).chain(around).chain(small);
    let sign = 1u64 << (8 * ty.size() - 1);
    positive.flat_map(|bits| [bits, bits | sign]).collect()
}

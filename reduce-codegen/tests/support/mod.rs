//! What the tests of this crate share: which programs, which sizes, which data.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "shared by tests, which fail by panicking"
)]

use reduce_codegen::{Stage, stages};
use reduce_dsl::func::Param;
use reduce_dsl::lanes::Lanes;
use reduce_dsl::operators::Operator;
use reduce_dsl::pass::{Pass, PassWord};
use reduce_dsl::program::{Program, Reads};
use reduce_dsl::spec::Passes;
use reduce_dsl::{Scalar, Spec, Value};

/// The pass lists that every operator and type goes through, with the block size of each.
pub const LISTS: [(u32, &str); 16] = [
    (256, ""),
    (32, "coarsen(4)"),
    (128, "sequential"),
    (64, "unroll"),
    (256, "sequential unroll"),
    (256, "shuffle"),
    (32, "shuffle unroll"),
    (64, "shuffle coarsen(4)"),
    (32, "vectorize(4)"),
    (64, "sequential vectorize(2) coarsen(3)"),
    (128, "shuffle vectorize(4) coarsen(2) unroll"),
    (64, "shuffle vectorize(8) coarsen(5)"),
    (32, "vectorize(16) shuffle"),
    (128, "coarsen(7) sequential unroll"),
    (1024, "shuffle coarsen(1) vectorize(2)"),
    (512, "shuffle vectorize(4) coarsen(16) unroll"),
];

/// The passes of a list.
pub fn passes(list: &str) -> Vec<Pass> {
    let pass = |word: &str| {
        let (name, argument) = word.split_once('(').unwrap_or((word, "0)"));
        PassWord::named(name).unwrap().with(argument.trim_end_matches(')').parse().unwrap()).unwrap()
    };
    list.split_whitespace().map(pass).collect()
}

/// The specification of an operator on inputs of one type.
pub fn spec(operator: &Operator, ty: Scalar, block: u32, list: &str) -> Spec {
    let inputs: Vec<_> = ["x", "y"][..operator.inputs].iter().map(|&name| Param::new(name, ty)).collect();
    let operation = operator.apply(&inputs, None).unwrap();
    let text = format!("op: {}, ty: {ty}, block: {block}, passes: [{list}]", operator.name);
    Spec { operation, text, block: Some(block), passes: Passes::List(passes(list)) }
}

/// The program of every stage of every list.
pub fn programs(operator: &Operator, ty: Scalar) -> Vec<Program> {
    let stages =
        |&(block, list): &(u32, &str)| -> Vec<Stage> { stages(&spec(operator, ty, block, list)).unwrap() };
    let mut programs: Vec<Program> = Vec::new();
    for stage in LISTS.iter().flat_map(stages) {
        let same =
            |other: &Program| other.block == stage.program.block && other.kernels == stage.program.kernels;
        if !programs.iter().any(same) {
            programs.push(stage.program);
        }
    }
    programs
}

/// Sizes around everything that a program treats specially, up to a few tiles.
pub fn boundaries(program: &Program) -> Vec<u64> {
    let [tile, partials] = [program.tile(Reads::Inputs), program.tile(Reads::Partials)];
    let edges =
        [1, 2, 3, 5].map(|k| k * tile).into_iter().chain([program.block.into(), 32, 64, tile * partials]);
    let around = edges.flat_map(|edge| [edge - 1, edge, edge + 1]);
    let mut sizes: Vec<u64> = around.filter(|&n| n <= 40_000).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// A generator of numbers that look random: SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Elements of every kind: ordinary, cancelling, zeros of both signs, infinities, NaN, subnormals, extremes.
/// `special` of 256 elements are of the special kinds.
pub fn elements(ty: Scalar, n: u64, special: u64, seed: u64) -> Lanes {
    let mut random = Random(seed);
    let mut lanes = Lanes::empty(ty);
    lanes.resize(n as usize);
    for i in 0..n as usize {
        let bits = random.next();
        let value = if bits & 255 < special {
            specials(ty)[(bits >> 8) as usize % 8]
        } else {
            ordinary(ty, bits >> 16)
        };
        lanes.set(i, value);
    }
    lanes
}

fn specials(ty: Scalar) -> [Value; 8] {
    let bits = match ty {
        Scalar::F16 => [0x7e01, 0xfc00, 0x7c00, 0, 0x8000, 1, 0xfbff, 0xfe00],
        Scalar::F32 => [0x7fc0_0001, 0xff80_0000, 0x7f80_0000, 0, 1 << 31, 1, 0xff7f_ffff, 0xffc0_0000],
        Scalar::F64 => {
            [0x7ff8 << 48 | 1, 0xfff0 << 48, 0x7ff0 << 48, 0, 1 << 63, 1, 0xffef_ffff_ffff_ffff, 0xfff8 << 48]
        }
        _ => [0, 1, u64::MAX, u64::MAX >> 1, 1 << 63, (1 << 31) - 1, 1 << 31, 2],
    };
    bits.map(|bits| Value::from_bits(ty, bits))
}

fn ordinary(ty: Scalar, bits: u64) -> Value {
    let small = (bits % 2001) as f64 / 8.0 - 125.0;
    match ty {
        Scalar::F16 => Value::of(reduce_dsl::f16::from_f64(small)),
        Scalar::F32 => Value::of(small as f32 * 1.1),
        Scalar::F64 => Value::of(small * 1.1),
        _ => Value::from_bits(ty, bits),
    }
}

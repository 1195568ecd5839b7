//! The superaccumulator, compared with operations that the processor rounds correctly: sums, products and fused products of
//! two floats with random bits.

use super::exact::Exact;
use super::splitmix::Random;

/// Returns a float with random bits, or with an exponent near 0, so that the significands of two floats overlap.
fn float(random: &mut Random) -> f64 {
    let bits = random.bits();
    match random.below(4) {
        0 => f64::from_bits(bits),
        1 => f64::from_bits(bits & !(0x7fe << 52)),
        _ => f64::from_bits(bits & !(0x7ff << 52) | (1023 - 60 + random.below(120)) << 52),
    }
}

/// Compares bits. All NaN are equal, and so are both zeros, because an exact zero has no sign.
fn same(found: f64, expected: f64) -> bool {
    found.to_bits() == expected.to_bits()
        || found.is_nan() && expected.is_nan()
        || found == 0.0 && expected == 0.0
}

#[test]
fn two_floats_round_as_the_processor_rounds_them() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let [x, y, z] = [(); 3].map(|()| float(&mut random));
        let [sum, product] = [Exact::sum([x, y]), Exact::dot([(x, y)])];
        assert!(same(sum.to_f64(), x + y), "{x:e} + {y:e}: {:e}", sum.to_f64());
        assert!(same((-sum).to_f64(), -x - y), "-({x:e} + {y:e})");
        assert!(same(product.to_f64(), x * y), "{x:e} * {y:e}: {:e}", product.to_f64());
        let fused = product.plus(z, 1.0).to_f64();
        assert!(same(fused, x.mul_add(y, z)), "{x:e} * {y:e} + {z:e}: {fused:e}");
    }
}

#[test]
fn two_floats_of_32_bits_round_as_the_processor_rounds_them() {
    let mut random = Random::new(2);
    for _ in 0..20_000 {
        let bits = random.bits();
        let [x, y] = [bits as u32, (bits >> 32) as u32 & !(0x7f << 24) | (bits as u32 & 0x7f << 24)];
        let [x, y] = [x, y].map(f32::from_bits);
        let exact = Exact::sum([x, y].map(f64::from));
        assert!(same(exact.to_f32().into(), (x + y).into()), "{x:e} + {y:e}");
        let exact = Exact::dot([(x.into(), y.into())]);
        assert!(same(exact.to_f32().into(), (x * y).into()), "{x:e} * {y:e}");
    }
}

#[test]
fn ties_and_ends_of_the_range() {
    let (one, tiny, most) = (1.0, f64::from_bits(1), f64::MAX);
    let half = f64::EPSILON / 2.0;
    for (terms, expected) in [
        (&[][..], 0.0),
        (&[one, half], 1.0),
        (&[one, half, tiny], 1.0 + f64::EPSILON),
        (&[one, f64::EPSILON, half], 1.0 + 2.0 * f64::EPSILON),
        (&[one, -half / 2.0, -tiny], 1.0 - half),
        (&[most, most / 2f64.powi(53) / 2.0], most),
        (&[most, 2f64.powi(970)], f64::INFINITY),
        (&[most, most, -most, -most, tiny], tiny),
        (&[1e308, 1e-308, -1e308, 1.0, -1.0], 1e-308),
        (&[f64::INFINITY, -1.0], f64::INFINITY),
        (&[f64::INFINITY, f64::NEG_INFINITY], f64::NAN),
    ] {
        assert!(same(Exact::sum(terms.iter().copied()).to_f64(), expected), "{terms:?}");
    }
}

/// Sums of whole numbers equal sums of integers, in any order; so do differences and multiples.
#[test]
fn many_terms_sum_as_integers() {
    let mut random = Random::new(3);
    for n in [1u64, 2, 63, 64, 65, 4096] {
        let terms: Vec<i64> = (0..n).map(|_| random.bits() as i64 >> random.below(64)).collect();
        let terms: Vec<i64> = terms.into_iter().map(|it| it >> 11 << 11).collect();
        let sum: i128 = terms.iter().map(|&it| i128::from(it)).sum();
        let exact = Exact::sum(terms.iter().map(|&it| it as f64));
        let reversed = Exact::sum(terms.iter().rev().map(|&it| it as f64));
        assert_eq!(exact, reversed);
        assert_eq!(exact.clone() + exact.clone(), exact.clone() * 2);
        assert_eq!(exact < Exact::sum([1.0]), sum < 1);
        assert_eq!(exact.is_negative(), sum < 0);
        let factor = random.bits() >> 10;
        let multiple = (exact * factor).to_f64();
        assert_eq!(multiple, (sum.checked_mul(factor.into()).unwrap()) as f64, "{sum} * {factor}");
    }
}

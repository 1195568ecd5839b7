//! Tests for known errors of other libraries, each by name.

use super::ways::{How, IGNORE, USUAL, result, result_of_pairs, scalar};
use reduce_dsl::operators::Ties;
use reduce_ir::{Value, bf16, f16};

const LAST: How = How { ties: Some(Ties::Last), ..USUAL };

/// CUB starts from the greatest finite number, and returns it.
#[test]
fn the_smallest_of_infinities_is_infinite() {
    assert_eq!(scalar::<f32, f32>("min", USUAL, &[f32::INFINITY; 3]), f32::INFINITY);
    assert_eq!(scalar::<f64, f64>("max", USUAL, &[f64::NEG_INFINITY; 3]), f64::NEG_INFINITY);
    assert_eq!(scalar::<f16, f16>("min", USUAL, &[f16::INFINITY; 3]), f16::INFINITY);
    assert_eq!(scalar::<bf16, bf16>("max", USUAL, &[bf16::NEG_INFINITY; 3]), bf16::NEG_INFINITY);
}

/// For 3, NaN, 1, a comparison that ignores NaN returns 1 or 3, depending on the grouping.
#[test]
fn a_position_beside_nan_does_not_depend_on_grouping() {
    assert_eq!(scalar::<f32, u64>("argmin", USUAL, &[3.0, f32::NAN, 1.0]), 1);
    assert_eq!(scalar::<f32, u64>("argmin", IGNORE, &[3.0, f32::NAN, 1.0]), 2);
    assert_eq!(scalar::<f32, u64>("argmax", USUAL, &[f32::NAN, 1.0, f32::NAN]), 0);
    assert_eq!(scalar::<f32, u64>("argmax", LAST, &[f32::NAN, 1.0, f32::NAN]), 2);
    assert_eq!(scalar::<f32, u64>("argmax", IGNORE, &[f32::NAN, 1.0, f32::NAN]), 1);
}

/// Numba starts from 0.
#[test]
fn the_largest_of_negative_numbers_is_negative() {
    assert_eq!(scalar::<f32, f32>("max", USUAL, &[-3.0, -2.0, -5.0]), -2.0);
    assert_eq!(scalar::<i8, i8>("max", USUAL, &[-3, -2, -5]), -2);
}

/// In 16 bits, adding 1 to 2048 (to 256 in `bf16`) changes nothing.
#[test]
fn ones_of_16_bits_are_all_counted() {
    assert_eq!(scalar::<f16, f32>("sum", USUAL, &[f16::ONE; 3000]), 3000.0);
    assert_eq!(scalar::<bf16, f32>("sum", USUAL, &[bf16::ONE; 3000]), 3000.0);
    assert_eq!(scalar::<f16, f32>("mean", USUAL, &[f16::ONE; 3000]), 1.0);
}

#[test]
fn integers_of_8_bits_are_added_in_32_and_their_products_in_64() {
    assert_eq!(scalar::<i8, i32>("sum", USUAL, &[-128; 3]), -384);
    assert_eq!(scalar::<u8, u32>("sum", USUAL, &[255; 3]), 765);
    assert_eq!(scalar::<i16, i32>("prod", USUAL, &[-32768, 2]), -65536);
    assert_eq!(scalar::<bool, u64>("sum", USUAL, &[true, false, true]), 2);
    assert_eq!(
        result_of_pairs::<u8>("dot", USUAL, &[(255, 255), (255, 255)]),
        Some(vec![Value::of(130_050u64)])
    );
}

#[test]
fn products_of_16_bits_do_not_wrap() {
    let least = [(-32768i16, -32768i16); 2];
    assert_eq!(result_of_pairs("dot", USUAL, &least), Some(vec![Value::of(1i64 << 31)]));
    let bytes = vec![(255u8, 255u8); 66_052];
    assert_eq!(result_of_pairs("dot", USUAL, &bytes), Some(vec![Value::of(66_052u64 * 65_025)]));
    let apart = [(-32768i16, 32767i16)];
    assert_eq!(result_of_pairs("squared_distance", USUAL, &apart), Some(vec![Value::of(65_535u64 * 65_535)]));
}

/// A sum that starts from +0 loses the sign.
#[test]
fn a_sum_of_negative_zeros_is_a_negative_zero() {
    for name in ["sum", "sum_compensated", "mean"] {
        for n in [1, 2, 5] {
            assert_eq!(result(name, USUAL, &vec![-0.0f32; n]), Some(vec![Value::of(-0.0f32)]), "{name}");
        }
    }
    assert_eq!(result_of_pairs("dot", USUAL, &[(-0.0f64, 1.0)]), Some(vec![Value::of(-0.0f64)]));
}

#[test]
fn zeros_have_an_order_and_positions_do_not_see_it() {
    assert_eq!(result("min", USUAL, &[0.0f32, -0.0]), Some(vec![Value::of(-0.0f32)]));
    assert_eq!(result("max", USUAL, &[-0.0f32, 0.0, -0.0]), Some(vec![Value::of(0.0f32)]));
    assert_eq!(result("min", IGNORE, &[0.0f32, -0.0, f32::NAN]), Some(vec![Value::of(-0.0f32)]));
    assert_eq!(scalar::<f32, u64>("argmin", USUAL, &[0.0, -0.0]), 0);
    assert_eq!(scalar::<f32, u64>("argmin", LAST, &[0.0, -0.0]), 1);
}

/// The magnitude of the smallest integer does not fit its type.
#[test]
fn the_smallest_integer_has_a_magnitude() {
    assert_eq!(scalar::<i8, u32>("norm_inf", USUAL, &[-128, 127]), 128);
    assert_eq!(scalar::<i32, u32>("norm_inf", USUAL, &[i32::MIN]), 1 << 31);
    assert_eq!(scalar::<i64, u64>("norm1", USUAL, &[i64::MIN]), 1 << 63);
    assert_eq!(scalar::<u64, u64>("norm_inf", USUAL, &[u64::MAX, 1]), u64::MAX);
}

/// The difference of unsigned numbers wraps, and its square hides that.
#[test]
fn a_squared_distance_of_unsigned_numbers_is_right() {
    assert_eq!(
        result_of_pairs::<u8>("squared_distance", USUAL, &[(3, 5), (5, 3)]),
        Some(vec![Value::of(8u64)])
    );
    assert_eq!(result_of_pairs::<u64>("squared_distance", USUAL, &[(0, 3)]), Some(vec![Value::of(9u64)]));
}

/// `exp` overflows, and the difference of infinities is NaN.
#[test]
fn a_logarithm_of_a_sum_of_exponentials_neither_overflows_nor_is_nan() {
    let infinity = f32::INFINITY;
    assert_eq!(scalar::<f32, f32>("logsumexp", USUAL, &[1000.0]), 1000.0);
    assert_eq!(scalar::<f32, f32>("logsumexp", USUAL, &[-infinity; 3]), -infinity);
    assert_eq!(scalar::<f32, f32>("logsumexp", USUAL, &[infinity, 1.0, infinity]), infinity);
    assert_eq!(scalar::<f32, f32>("logsumexp", USUAL, &[-infinity, 3.0, -infinity]), 3.0);
    assert_eq!(scalar::<f64, f64>("logsumexp", USUAL, &[f64::MIN, f64::MAX]), f64::MAX);
}

/// The mean square minus the squared mean would be 0 or negative.
#[test]
fn a_variance_far_from_zero_keeps_its_digits() {
    let x = [1e8, 1e8 + 1.0];
    assert_eq!(scalar::<f64, f64>("var", USUAL, &x), 0.25);
}

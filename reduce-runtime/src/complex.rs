//! Complex numbers of the crate `num-complex`, without a copy. With the feature `num-complex`.

/// The version of `num-complex` whose numbers this module takes.
pub use num_complex;

use bytemuck::Pod;
use num_complex::Complex;

/// Returns complex numbers as the elements of a reduction with `ty: [f32; 2]` or `[f64; 2]`: the real part, then the imaginary one.
///
/// ```
/// # #[cfg(feature = "num-complex")] {
/// use num_complex::Complex;
/// use reduce_runtime::complex::parts;
///
/// let numbers = [Complex::new(1.0, 2.0), Complex::new(3.0, -4.0)];
/// assert_eq!(parts(&numbers), [[1.0, 2.0], [3.0, -4.0]]);
/// # }
/// ```
#[must_use]
pub fn parts<T: Pod>(numbers: &[Complex<T>]) -> &[[T; 2]] {
    bytemuck::cast_slice(numbers)
}

//! The macro `output!`.

/// Implements [`Output`](crate::Output) for an existing struct, so that reductions can name it by its path as accumulator or result. Several
/// reductions may share it.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// pub struct Range {
///     lo: f64,
///     hi: f64,
/// }
///
/// reducegen::output!(Range { lo, hi });
///
/// # fn main() -> Result<(), reducegen::Error> {
/// let range = reducegen::reduction! {
///     ty: f64,
///     acc: crate::Range { lo: f64, hi: f64 },
///     map: |x| Range { lo: x, hi: x },
///     op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
///     identity: none,
/// };
/// assert_eq!(range.reduce(&[3.0, -1.0])?, Range { lo: -1.0, hi: 3.0 });
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! output {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::Output for $name {
            fn of(values: &[$crate::__private::Value]) -> ::core::option::Option<Self> {
                let mut rest = values;
                let made = $name { $($field: $crate::__private::take(&mut rest)?),+ };
                rest.is_empty().then_some(made)
            }

            fn width() -> ::core::primitive::usize {
                0 $(+ $crate::__private::width(|it: $name| it.$field))+
            }
        }
    };
}

//! Tuples, arrays and existing structs as results.

use super::Output;
use reduce_ir::Value;

impl<T: Output, const N: usize> Output for [T; N] {
    fn of(values: &[Value]) -> Option<[T; N]> {
        if values.len() != Self::width() {
            return None;
        }
        let elements: Option<Vec<T>> = values.chunks(T::width().max(1)).map(T::of).collect();
        elements?.try_into().ok()
    }

    fn width() -> usize {
        N * T::width()
    }
}

/// Takes a field from the front of the values of a result; for the macro `output!`.
pub fn take<T: Output>(rest: &mut &[Value]) -> Option<T> {
    let (own, after) = rest.split_at_checked(T::width())?;
    *rest = after;
    T::of(own)
}

/// Returns the number of scalars of the field that a function takes; for the macro `output!`.
pub fn width<S, T: Output>(_: fn(S) -> T) -> usize {
    T::width()
}

/// Implements [`Output`] for a tuple.
macro_rules! tuples {
    ($(($($part:ident)+))*) => {
        $(impl<$($part: Output),+> Output for ($($part,)+) {
            fn of(values: &[Value]) -> Option<($($part,)+)> {
                let mut rest = values;
                let parts = ($(take::<$part>(&mut rest)?,)+);
                rest.is_empty().then_some(parts)
            }

            fn width() -> usize {
                0 $(+ $part::width())+
            }
        })*
    };
}

tuples! {
    (A)
    (A B)
    (A B C)
    (A B C D)
    (A B C D E)
    (A B C D E F)
    (A B C D E F G)
    (A B C D E F G H)
    (A B C D E F G H I)
    (A B C D E F G H I J)
    (A B C D E F G H I J K)
    (A B C D E F G H I J K L)
}

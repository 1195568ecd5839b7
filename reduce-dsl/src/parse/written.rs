//! The state of a field: absent, wrong, or a value.

/// The state of a field.
#[derive(Clone)]
pub(super) enum Written<T> {
    Absent,
    /// The value is wrong and has been reported.
    Wrong,
    Is(T),
}

impl<T> Written<T> {
    /// Applies `f` to the value. `None` from `f` means that it reported an error.
    pub(super) fn then<U>(self, f: impl FnOnce(T) -> Option<U>) -> Written<U> {
        match self {
            Written::Is(value) => f(value).map_or(Written::Wrong, Written::Is),
            Written::Wrong => Written::Wrong,
            Written::Absent => Written::Absent,
        }
    }

    /// Returns the value, if there is a valid one.
    pub(super) fn value(&self) -> Option<&T> {
        match self {
            Written::Is(value) => Some(value),
            Written::Wrong | Written::Absent => None,
        }
    }

    /// Returns the value as an option; `None` if it is wrong.
    pub(super) fn right(self) -> Option<Option<T>> {
        match self {
            Written::Is(value) => Some(Some(value)),
            Written::Wrong => None,
            Written::Absent => Some(None),
        }
    }
}

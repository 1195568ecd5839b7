//! Physical properties of a fold.

/// Properties of a fold that change its instructions and not its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints {
    /// Is the loop over units unrolled?
    pub unrolled: bool,
    /// Do vector loads tell the cache that no thread reads the elements again?
    pub streaming: bool,
}

//! Mistakes in an item are reported one by one, as in an expression.
use reducegen::reduction;

reduction! {
    /// The range.
    pub static RANGE;
    ty: f65,
    op: suum,
}

reduction! { pub static SUM; ty: f32, op: sum, passes: [shuffle, vectorize(4), vectorize(2)] }

fn main() {}

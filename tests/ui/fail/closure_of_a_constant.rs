//! A constant of the crate, whose value only rustc knows.
use reducegen::reduction;

const LIMIT: f32 = 2.0;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| x * LIMIT + x * crate::LIMIT,
        op: sum,
    };
}

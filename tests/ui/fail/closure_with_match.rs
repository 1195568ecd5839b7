//! A `match` that does not cover every value.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: i32,
        map: |x| match x {
            0 => 1,
            1..=9 => x,
        },
        op: sum,
    };
}

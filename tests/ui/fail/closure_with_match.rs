//! A `match`, where only `if` distinguishes cases.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: i32,
        map: |x| match x {
            0 => 1,
            _ => x,
        },
        op: sum,
    };
}

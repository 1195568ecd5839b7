//! A helper function that calls itself.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        fn power(x: f32, n: u32) -> f32 {
            if n == 0 { 1.0 } else { x * power(x, n - 1) }
        }
        ty: f32,
        map: |x| power(x, 3) + power(x, 2),
        op: sum,
    };
}

//! A fold that forgets the map.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| x * x,
        op: sum,
        fold: |acc, x| acc + x,
    };
}

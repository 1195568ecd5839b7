//! `auto` is in the place of a list.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, op: sum, passes: [auto] };
}

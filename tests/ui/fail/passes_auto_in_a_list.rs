//! `auto` replaces a list, and cannot be in one.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, op: sum, passes: [auto] };
}

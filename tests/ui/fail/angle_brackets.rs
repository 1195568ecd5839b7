//! Rust has no macro calls in angle brackets: this is rustc's own message.
use reducegen::reduction;

fn main() {
    let _ = reduction!< op: max, ty: f32 >;
}

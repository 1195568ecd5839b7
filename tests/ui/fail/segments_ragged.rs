//! Offsets of a type that no offsets have, and segments of two axes.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: max, ty: f32, segments: u16 };
    let _ = reduction! { op: max, ty: f32, axes: a b c -> a, segments: u32 };
}

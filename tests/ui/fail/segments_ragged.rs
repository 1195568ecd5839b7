//! Segments of lengths that come with a call.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: max, ty: f32, segments: u32 };
}

//! An operator whose result depends on the grouping and on the order.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sub, ty: f32 };
}

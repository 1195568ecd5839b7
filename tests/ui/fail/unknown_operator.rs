//! An operator that is not in the table.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: summ, ty: f32 };
}

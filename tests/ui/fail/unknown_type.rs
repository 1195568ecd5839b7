//! A type that is not in the table.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: float32 };
}

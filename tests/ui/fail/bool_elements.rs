//! A type that only accumulators have.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: any, ty: bool };
}

//! Operator and type are missing.
use reducegen::reduction;

fn main() {
    let _ = reduction! { passes: [shuffle] };
}

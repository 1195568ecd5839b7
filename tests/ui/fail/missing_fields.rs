//! Neither operator nor type.
use reducegen::reduction;

fn main() {
    let _ = reduction! { passes: [shuffle] };
}

//! A misspelt method.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| x.abss(), op: max };
}

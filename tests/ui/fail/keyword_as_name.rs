use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| { let match = x; x }, op: sum };
}

//! An index that is out of range.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: u8,
        map: |x| {
            let mut bins = [0u32; 4];
            bins[x as usize] = 1;
            bins[4] = 1;
            bins
        },
        op: |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]],
        identity: [0; 4],
    };
}

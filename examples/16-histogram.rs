//! A histogram: the accumulator is a struct with an array, and a loop adds two of them.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let histogram = reduction! {
        ty: u8,
        acc: Histogram { bins: [u32; 8] },
        map: |x| {
            let mut one = Histogram { bins: [0; 8] };
            one.bins[(x / 32) as usize] = 1;
            one
        },
        op: |mut a, b| {
            for i in 0..8 {
                a.bins[i] += b.bins[i];
            }
            a
        },
        identity: Histogram { bins: [0; 8] },
    };
    let pixels: Vec<u8> = (0..=255).chain(250..=255).collect();
    let counts = histogram.reduce(&pixels)?;
    println!("{:?}", counts.bins);
    assert_eq!(counts.bins, [32, 32, 32, 32, 32, 32, 32, 38]);

    // An index out of range makes the call fail: `min` limits it.
    let lo_hi = reduction! {
        ty: f32,
        params: { lo: f32, width: f32 },
        map: |x| {
            let mut bins = [0u64; 4];
            bins[(((x - lo) / width) as usize).min(3)] = 1;
            bins
        },
        op: |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]],
        identity: [0; 4],
    };
    assert_eq!(lo_hi.with_params(|p| p.lo(10.0).width(2.5)).reduce(&[10.0, 12.0, 15.0, 99.0])?, [2, 0, 1, 1]);
    Ok(())
}

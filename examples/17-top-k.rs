//! The three largest elements, in order: a sorted array as accumulator, into which a loop inserts.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let top = reduction! {
        fn insert(mut top: [f32; 3], x: f32) -> [f32; 3] {
            let mut new = x;
            for i in 0..3 {
                let larger = top[i].max(new);
                new = top[i].min(new);
                top[i] = larger;
            }
            top
        }

        ty: f32,
        map: |x| [x, f32::NEG_INFINITY, f32::NEG_INFINITY],
        op: |a, b| {
            let mut top = a;
            for x in b {
                top = insert(top, x);
            }
            top
        },
        identity: [f32::NEG_INFINITY; 3],
        filter: |x| !x.is_nan(),
    };
    let scores: Vec<f32> = (0..10_000).map(|i| ((i * 7919) % 10_007) as f32).collect();
    let best = top.reduce(&scores)?;
    println!("{best:?}");
    let mut sorted = scores.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(best, sorted[..3]);
    Ok(())
}

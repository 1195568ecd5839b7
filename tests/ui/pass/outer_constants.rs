//! Constants of the crate, of a module and of a function in closures: their values are those that rustc computes.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![deny(warnings)]

use reducegen::{Reduction, reduction};

const SCALE: f32 = 2.0;
const OFFSET: f32 = -SCALE / 4.0;
const SECOND: usize = 1;

mod limits {
    pub const MOST: u32 = 1 << 4;
}

static SCALED: Reduction<f32, f64, f64> = reduction! {
    ty: f32,
    params: { k: f64 },
    map: |x| (x * SCALE + OFFSET) as f64 * k,
    op: sum,
    finish: |s| if s > crate::SCALE as f64 { s } else { 0.0 },
};

fn main() {
    const STEP: u32 = limits::MOST / 2;
    assert_eq!(SCALED.with(10.0).reduce(&[1.0, 3.0]).unwrap(), 70.0);
    let steps = reduction! { ty: u32, filter: |x| x <= limits::MOST, map: |x| x.min(STEP), op: max };
    assert_eq!(steps.reduce(&[3, 12, 40]).unwrap(), 8);
    let second = reduction! { ty: [f32; 3], map: |p| p[SECOND] * crate::OFFSET, op: sum };
    assert_eq!(second.reduce(&[[1.0, 2.0, 3.0], [0.0, 4.0, 0.0]]).unwrap(), -3.0);
    let later = reduction! { ty: f32, index: i, filter: |_| i >= SECOND as u64, op: sum };
    assert_eq!(later.reduce(&[1.0, 2.0, 3.0]).unwrap(), 5.0);
    let text = reducegen::reduction! { ty: f32, map: |x| x + OFFSET, op: sum }.spec().unwrap().text;
    assert_eq!(text, "ty: f32, map: |x| x + (-0.5f32), op: sum");
}

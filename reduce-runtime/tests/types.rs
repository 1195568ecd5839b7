//! The typed API: the types that threads may share, and the arguments that `reduce` takes.

use reduce_runtime::{Compiled, Device, Error, Outcome, Reducer, Reduction, Slices, Strided};

fn shared<T: Send + Sync + 'static>() {}

#[test]
fn threads_may_share_everything_and_statics_may_hold_reductions() {
    shared::<Device>();
    shared::<Reducer>();
    shared::<Outcome>();
    shared::<Error>();
    shared::<Compiled<(f32, f64), f32>>();
    shared::<Reduction<f32, u64>>();
}

#[test]
fn an_error_is_a_standard_error() {
    fn standard<E: std::error::Error + Send + Sync + 'static>() {}
    standard::<Error>();
}

#[test]
fn slices_are_whatever_gives_one() {
    fn slices<In>(_: impl Slices<In>) {}
    let (x, y, z) = (vec![1.0f32], [2.0f64, 3.0], Box::<[u32]>::from([4]));
    slices::<f32>(&x);
    slices::<f32>(&x[..0]);
    slices::<f32>(&[]);
    slices::<(f32, f64)>((&x, &y));
    slices::<(f32, u32)>((&x, Strided { data: &z, offset: 0, step: 2, len: 1 }));
    slices::<(f32, f64, u32, f32)>((&x, &y, &z, &x));
    type F = f32;
    slices::<(F, F, F, F, F, F, F, F, F, F, F, F, F, F, F, f64)>((
        &x, &x, &x, &x, &x, &x, &x, &x, &x, &x, &x, &x, &x, &x, &x, &y,
    ));
}

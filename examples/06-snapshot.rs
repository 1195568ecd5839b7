//! Keep the CUDA of your own reductions under review, with a snapshot test.
//!
//! With insta as a dev-dependency this is a complete test. The snapshot is a file next to the code. If a pull request
//! changes the kernel, by its specification or by a new version of reducegen, it shows the difference. `INSTA_UPDATE=always
//! cargo test` or `cargo insta review` accepts it.

use reducegen::{Error, Reduction, reduction};

static ABSMAX: Reduction<f32, f32> =
    reduction! { ty: f32, map: |x| x.abs(), op: max, passes: [shuffle, coarsen(4)] };

#[test]
fn kernel_of_absmax() {
    insta::assert_snapshot!(ABSMAX.cuda().expect("the specification was checked at compile time"));
}

fn main() -> Result<(), Error> {
    let cuda = ABSMAX.cuda()?;
    assert!(cuda.contains("fabsf(x)"), "the closure is in the kernel");
    assert_eq!(cuda, ABSMAX.cuda()?, "the text depends on the specification alone");
    println!("{cuda}");
    Ok(())
}

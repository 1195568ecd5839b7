//! Keep the CUDA of your reductions under review: a test that holds it as a snapshot.
//!
//! In your own crate this is a test with insta, and the snapshot a file beside it. A pull request that
//! changes the kernel then shows the kernel's diff:
//!
//! ```ignore
//! #[test]
//! fn kernel_of_absmax() {
//!     insta::assert_snapshot!(ABSMAX.cuda().unwrap());
//! }
//! ```
//!
//! Here the comparison is by hand, so that the example stands alone.

use reducegen::{Error, Reduction, reduction};

static ABSMAX: Reduction<f32, f32> = reduction! { ty: f32, map: |x| x.abs(), op: max, passes: [shuffle] };

fn main() -> Result<(), Error> {
    let cuda = ABSMAX.cuda()?;
    let kernel = cuda.split("__device__ __forceinline__ float map").nth(1).unwrap_or_default();
    let map = kernel.lines().take(4).collect::<Vec<_>>().join("\n");
    println!("float map{map}");
    assert_eq!(map, "(float x)\n{\n    return fabsf(x);\n}");

    // The text depends on the specification alone, so the snapshot is stable.
    assert_eq!(cuda, ABSMAX.cuda()?);
    Ok(())
}

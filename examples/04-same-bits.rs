//! The same bits everywhere: a float sum depends on its association and on nothing else.

use reducegen::{Device, Error, reduction};

fn main() -> Result<(), Error> {
    let naive = reduction! { op: sum, ty: f32, passes: [] };
    let fast =
        reduction! { op: sum, ty: f32, passes: [shuffle, vectorize(4), coarsen(16), unroll], block: 512 };
    let x: Vec<f32> = (1..=1_000_000).map(|i| 1.0 / i as f32).collect();

    // Two schedules are two associations, which may round differently. The result of each is fixed.
    println!("{}", naive.program()?.association());
    println!("naive {:08x}, fast {:08x}", naive.reduce(&x)?.to_bits(), fast.reduce(&x)?.to_bits());
    assert_eq!(naive.reduce(&x)?.to_bits(), naive.reduce(&x)?.to_bits());

    // On a GPU, the same specification gives the same bits.
    let device = Device::auto();
    let there = fast.compile(&device)?.reduce(&x)?;
    println!("on {}: {:08x}", device.name(), there.to_bits());
    assert_eq!(there.to_bits(), fast.reduce(&x)?.to_bits());

    // The result is close to the exact sum: the bound is the depth of the association times one rounding.
    let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
    let depth = fast.program()?.association().depth(x.len() as u64) as f64;
    assert!((f64::from(there) - exact).abs() <= depth * f64::from(f32::EPSILON / 2.0) * exact * 1.001);
    Ok(())
}

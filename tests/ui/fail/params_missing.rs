//! Params must be given before the elements, on a reduction and on a compiled one.
use reducegen::{Device, Error, reduction};

fn main() -> Result<(), Error> {
    let scaled = reduction! { ty: f32, params: { k: f32 }, map: |x| x * k, op: sum };
    scaled.reduce(&[1.0, 2.0])?;
    scaled.compile(&Device::host())?.reduce(&[1.0, 2.0])?;
    Ok(())
}

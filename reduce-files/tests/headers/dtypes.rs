//! The table of element types.

use reduce_files::dtype::{Dtype, NotBool};
use reduce_ir::Scalar;
use reduce_lanes::LanesRef;

#[test]
fn every_type_of_the_language_has_a_row() {
    for ty in Scalar::ALL {
        assert_eq!(Dtype::named(ty.name()).map(|dtype| dtype.ty), Some(ty));
    }
    assert_eq!(Dtype::coded("f4").map(|dtype| dtype.ty), Some(Scalar::F32));
}

#[test]
fn a_bool_is_0_or_1() {
    let cast = Dtype::coded("b1").map(|dtype| dtype.cast);
    let cast = |bytes| cast.map(|cast| cast(bytes));
    assert!(matches!(cast(&[0, 1, 1]), Some(Ok(LanesRef::Bool([false, true, true])))));
    assert!(matches!(cast(&[]), Some(Ok(LanesRef::Bool([])))));
    let error = cast(&[1, 0, 0, 2, 255]).and_then(Result::err);
    assert_eq!(error, Some(NotBool { at: 3, byte: 2 }));
}

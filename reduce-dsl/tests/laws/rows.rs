//! The table of operators, on every type.

use reduce_dsl::Scalar;
use reduce_dsl::func::Param;
use reduce_dsl::laws::{Effort, Law, check};
use reduce_dsl::operation::Operation;
use reduce_dsl::operators::{OPERATORS, Operator};

fn operation(row: &Operator, ty: Scalar) -> Option<Operation> {
    let inputs: Vec<_> = ["x", "y"].iter().take(row.inputs).map(|name| Param::new(*name, ty)).collect();
    row.takes(ty).then(|| row.apply(&inputs, None).unwrap())
}

/// Every row satisfies the laws on elements of type `ty`, and is what it says to be.
fn assert_rows(ty: Scalar, effort: Effort) {
    let mut rows = 0;
    for row in &OPERATORS {
        let Some(operation) = operation(row, ty) else { continue };
        let found =
            check(&operation, effort).unwrap_or_else(|broken| panic!("{} of {ty}: {broken}", row.name));
        assert_eq!(operation.commutative, found.commutative, "{} of {ty}", row.name);
        assert!(!operation.exact || found.exact, "{} of {ty}: {:?}", row.name, found.nan_depends_on_order);
        let laws: Vec<_> = found.checked.iter().map(|checked| checked.law).collect();
        assert_eq!(
            laws.contains(&Law::Identity),
            operation.identity.is_some() || operation.padding.is_some()
        );
        assert_eq!(laws.contains(&Law::Fold), operation.fold.is_some());
        rows += 1;
    }
    assert!(rows > 0, "no row takes {ty}");
}

#[test]
fn rows_of_wide_types() {
    for ty in Scalar::ALL.into_iter().filter(|ty| ty.size() > 1) {
        assert_rows(ty, Effort::Thorough);
    }
}

#[test]
fn rows_of_every_i8() {
    assert_rows(Scalar::I8, Effort::Exhaustive);
}

#[test]
fn rows_of_every_u8() {
    assert_rows(Scalar::U8, Effort::Exhaustive);
}

//! Tests the table of operators, on every type, with every choice.

use crate::rotation::sample;
use reduce_dsl::laws::{Effort, Law, check};
use reduce_dsl::operators::{Nan, OPERATORS, Operator, Request, Ties};
use reduce_ir::Scalar;
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;

/// Returns the operations of a row on elements of type `ty`.
fn operations(row: &Operator, ty: Scalar) -> Vec<(String, Operation)> {
    let inputs: Vec<_> = ["x", "y"].iter().take(row.inputs).map(|name| Param::new(*name, ty)).collect();
    let mut operations: Vec<(String, Operation)> = Vec::new();
    for nan in [Nan::Propagate, Nan::Ignore] {
        for ties in [None, Some(Ties::First), Some(Ties::Last)] {
            let request = Request { nan, ties, ..Request::new(&inputs) };
            // A row refuses choices that it does not offer.
            let Ok(operation) = row.applied(&request) else { continue };
            if operations.iter().all(|(_, other)| *other != operation) {
                operations.push((format!("{} of {ty}, nan: {nan}, ties: {ties:?}", row.name), operation));
            }
        }
    }
    operations
}

/// Checks that rows satisfy the laws on elements of type `ty`, and have the properties that they declare: a rotating 96th of
/// the rows on all elements of 8 bits, and a quarter of them otherwise.
fn assert_rows(ty: Scalar, effort: Effort) {
    let parts = if effort == Effort::Exhaustive { 96 } else { 4 };
    for row in sample(OPERATORS.iter().filter(|row| row.takes(ty)), parts) {
        let operations = operations(row, ty);
        assert!(!operations.is_empty(), "{} does not take {ty}", row.name);
        for (name, operation) in operations {
            let found = check(&operation, effort).unwrap_or_else(|broken| panic!("{name}: {broken}"));
            assert_eq!(operation.commutative, found.commutative, "{name}");
            assert!(!operation.exact || found.exact, "{name}: {found:?}");
            let laws: Vec<_> = found.checked.iter().map(|checked| checked.law).collect();
            let has_neutral = operation.identity.is_some() || operation.fill.is_some();
            assert_eq!(laws.contains(&Law::Identity), has_neutral, "{name}");
            assert_eq!(laws.contains(&Law::Fold), operation.fold.is_some(), "{name}");
        }
    }
}

#[test]
fn rows_of_floats() {
    for ty in [Scalar::F16, Scalar::Bf16, Scalar::F32, Scalar::F64] {
        assert_rows(ty, Effort::Thorough);
    }
}

#[test]
fn rows_of_wide_integers() {
    let signed = [Scalar::I16, Scalar::I32, Scalar::I64];
    let unsigned = [Scalar::U16, Scalar::U32, Scalar::U64];
    signed.into_iter().chain(unsigned).for_each(|ty| assert_rows(ty, Effort::Thorough));
}

#[test]
fn rows_of_every_i8() {
    assert_rows(Scalar::I8, Effort::Exhaustive);
}

#[test]
fn rows_of_every_u8_and_bool() {
    for ty in [Scalar::U8, Scalar::Bool] {
        assert_rows(ty, Effort::Exhaustive);
    }
}

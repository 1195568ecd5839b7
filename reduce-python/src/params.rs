//! Values for the params of a specification, from keywords.

use crate::errors::DtypeError;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use reducegen::ir::func::Param;
use reducegen::ir::{Scalar, Spec, Value};
use reducegen::{bf16, f16};

/// Returns the values of the params, in their order. A param that is not given has its default.
pub(crate) fn values(spec: &Spec, given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<Value>> {
    let params = spec.operation.given_params();
    let mut unread = given.map_or(0, |given| given.len());
    let mut values = Vec::with_capacity(params.len());
    for (at, param) in params.iter().enumerate() {
        let found = given.map(|given| given.get_item(&param.name)).transpose()?.flatten();
        unread -= usize::from(found.is_some());
        let missing = || expected(params, &format!("`{}` is missing", param.name));
        values.push(match found {
            Some(found) => value(param, &found)?,
            None => spec.default_of(at).ok_or_else(missing)?,
        });
    }
    if unread == 0 {
        return Ok(values);
    }
    let names = given.iter().flat_map(|given| given.keys()).map(|name| name.to_string());
    let unknown =
        names.filter(|name| params.iter().all(|param| param.name != *name)).collect::<Vec<_>>().join("`, `");
    Err(expected(params, &format!("there is no `{unknown}`")))
}

fn expected(params: &[Param], problem: &str) -> PyErr {
    let params: Vec<_> = params.iter().map(|param| format!("`{}: {}`", param.name, param.ty)).collect();
    let all =
        if params.is_empty() { "no params".to_owned() } else { format!("the params {}", params.join(", ")) };
    DtypeError::new_err(format!("{problem}; the reduction takes {all}, by keyword"))
}

/// Returns a Python number as a value of a type.
fn value(param: &Param, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let wrong = |error: PyErr| {
        let (name, ty) = (&param.name, param.ty);
        if error.is_instance_of::<PyOverflowError>(given.py()) {
            return DtypeError::new_err(format!("`{name}: {ty}` does not hold {given}"));
        }
        DtypeError::new_err(format!("`{name}: {ty}` is not {}", given.get_type()))
    };
    macro_rules! integer {
        ($($scalar:ident: $ty:ty),*) => {
            match param.ty {
                $(Scalar::$scalar => given.extract::<$ty>().map(Value::of),)*
                Scalar::Bool => given.extract::<bool>().map(Value::of),
                Scalar::F16 => given.extract().map(f16::from_f64).map(Value::of),
                Scalar::Bf16 => given.extract().map(bf16::from_f64).map(Value::of),
                Scalar::F32 => given.extract::<f64>().map(|it| Value::of(it as f32)),
                Scalar::F64 => given.extract::<f64>().map(Value::of),
            }
        };
    }
    let value = integer!(I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64);
    value.map_err(wrong)
}

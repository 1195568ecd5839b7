//! `exp` and `ln`, as the library defines them.

use super::{Helper, used_by};
use crate::cuda::func::function;
use reduce_dsl::operation::Record;
use reduce_dsl::ops::Un;
use reduce_dsl::{Scalar, library};

pub(super) fn un(op: Un, ty: Scalar, name: &str) -> String {
    let scalar = Record::scalar(ty);
    let Some(definition) = library::definition(op, ty) else { return String::new() };
    let text = function(name, &definition, &scalar, &scalar);
    format!("// {op}, made of operations that every machine rounds alike{text}")
}

pub(super) fn calls(op: Un, ty: Scalar) -> Vec<Helper> {
    library::definition(op, ty).iter().flat_map(used_by).collect()
}

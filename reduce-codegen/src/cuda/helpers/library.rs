//! `exp`, `sin` and their like, as the library defines them.

use super::{Helper, used_by};
use crate::cuda::func::library_function;
use crate::cuda::spelling::library_spelling;
use reduce_ir::func::Func;
use reduce_ir::library;

pub(super) fn text(helper: Helper) -> String {
    let function = definition(helper).map(|it| library_function(&helper.name(), &it)).unwrap_or_default();
    format!("// {}, built from operations that round alike on every device{function}", what(helper))
}

pub(super) fn calls(helper: Helper) -> Vec<Helper> {
    definition(helper).iter().flat_map(|it| used_by(it, library_spelling)).collect()
}

fn what(helper: Helper) -> String {
    match helper {
        Helper::Un(op, _) => op.to_string(),
        Helper::Bin(op, _) => op.to_string(),
        Helper::NormalExp(_) => "exp where it is neither subnormal nor infinite".to_owned(),
        Helper::Cast(..) | Helper::ReciprocalOfWhole(_) | Helper::RawBits => String::new(),
    }
}

fn definition(helper: Helper) -> Option<Func> {
    match helper {
        Helper::Un(op, ty) => library::definition(op, ty),
        Helper::Bin(op, ty) => library::definition_of_two(op, ty),
        Helper::NormalExp(ty) => library::normal_exp(ty),
        Helper::Cast(..) | Helper::ReciprocalOfWhole(_) | Helper::RawBits => None,
    }
}

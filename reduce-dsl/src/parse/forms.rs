//! Reads types: scalars, structs by name, tuples and arrays.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::device;
use super::diagnostic::{Errors, Extent};
use super::form::Form;
use super::role::Dialect;
use proc_macro2::Ident;
use reduce_ir::Scalar;
use syn::{Expr, Lit, Type, TypeArray};

/// The limit on the elements of an array in a closure.
pub(super) const ELEMENTS: usize = 1024;

/// Reads a type of closures. `known` finds structs by their names.
pub(super) fn read(
    ty: &Type,
    dialect: Dialect,
    known: &dyn Fn(&str) -> Option<Form>,
    errors: &mut Errors,
) -> Option<Form> {
    match ty {
        Type::Paren(inner) => read(&inner.elem, dialect, known, errors),
        Type::Group(inner) => read(&inner.elem, dialect, known, errors),
        Type::Path(path) if path.qself.is_none() => match path.path.get_ident() {
            Some(name) => named(name, dialect, known, errors),
            None => refused(ty, errors),
        },
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let parts: Vec<_> = tuple.elems.iter().map(|ty| part(ty, dialect, errors)).collect();
            let form = Form::Tuple(parts.into_iter().collect::<Option<_>>()?);
            small(form, ty, errors)
        }
        Type::Array(array) => {
            let (element, count) = (part(&array.elem, dialect, errors), length(array, errors));
            small(Form::Array(Box::new(element?), count?), ty, errors)
        }
        _ => refused(ty, errors),
    }
}

/// Reads the type of a part of a tuple or an array, which is no struct.
pub(super) fn part(ty: &Type, dialect: Dialect, errors: &mut Errors) -> Option<Form> {
    read(ty, dialect, &|_| None, errors)
}

fn refused(ty: &Type, errors: &mut Errors) -> Option<Form> {
    errors.add(
        Extent::of(ty),
        "a type here is a scalar, as in `f32`, a tuple, an array, or a struct by its name",
    );
    None
}

/// Limits the size of a type, which is expanded to its scalars.
fn small(form: Form, ty: &Type, errors: &mut Errors) -> Option<Form> {
    if form.width() <= ELEMENTS {
        return Some(form);
    }
    let message = format!("`{form}` has more than {ELEMENTS} scalars");
    errors.add(Extent::of(ty), message).help("values live in registers; take a smaller array");
    None
}

/// Reads the length of an array type.
fn length(array: &TypeArray, errors: &mut Errors) -> Option<usize> {
    count(&array.len, errors)
}

/// Reads the number of elements of an array, a literal.
pub(super) fn count(expr: &Expr, errors: &mut Errors) -> Option<usize> {
    let number = match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse::<usize>().ok(),
            _ => None,
        },
        _ => None,
    };
    match number {
        Some(count) if (1..=ELEMENTS).contains(&count) => return Some(count),
        Some(count) => {
            errors.add(Extent::of(expr), format!("an array here has 1 to {ELEMENTS} elements, not {count}"));
        }
        None => {
            errors
                .add(Extent::of(expr), "the length of an array is a number here")
                .help("write it, as in `[u32; 16]`");
        }
    }
    None
}

fn named(
    name: &Ident,
    dialect: Dialect,
    known: &dyn Fn(&str) -> Option<Form>,
    errors: &mut Errors,
) -> Option<Form> {
    let word = name.to_string();
    match scalar(&word) {
        Some(ty) if ty.is_half() && !dialect.is_row() => {
            errors
                .add(name.span(), format!("{ty} is for elements; closures compute in f32"))
                .help("a result is f32, which the caller can round");
            None
        }
        Some(ty) => Some(Form::Scalar(ty)),
        None => known(&word).or_else(|| {
            device::unknown_type(name, errors);
            None
        }),
    }
}

/// Returns the scalar of that name. `usize` and `isize` have 64 bits, as on the machines with these devices.
pub(super) fn scalar(name: &str) -> Option<Scalar> {
    match name {
        "usize" => Some(Scalar::U64),
        "isize" => Some(Scalar::I64),
        _ => Scalar::from_name(name),
    }
}

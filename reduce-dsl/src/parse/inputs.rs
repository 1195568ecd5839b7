//! The fields `ty` and `inputs`: the names and types of the inputs.

use super::diagnostic::{Errors, Extent};
use super::fields::{Element, Fields, Names};
use super::form::Form;
use super::role::Dialect;
use super::{forms, names};
use proc_macro2::Ident;
use reduce_ir::Scalar;
use reduce_ir::func::Param;

/// The limit on inputs. The parameters of a kernel are limited.
const INPUTS: usize = 16;

/// The inputs as written: names, and scalars or arrays of scalars.
pub(super) type Written = Vec<(String, Form)>;

/// Returns the inputs of the operation. The elements of an array are inputs of their own: `z: [f32; 2]` is `z_0` and `z_1`.
pub(super) fn scalars(written: &Written) -> Vec<Param> {
    let of_one = |(name, form): &(String, Form)| match form {
        Form::Scalar(ty) => vec![Param::new(name, *ty)],
        Form::Array(..) | Form::Tuple(_) | Form::Struct(..) => {
            let parts = form.record().fields.into_iter().enumerate();
            parts.map(|(at, part)| Param::new(format!("{name}_{at}"), part.ty)).collect()
        }
    };
    written.iter().flat_map(of_one).collect()
}

/// Reads the inputs from `ty` or `inputs`, or takes them from the data.
pub(super) fn read(
    fields: &Fields,
    dialect: Dialect,
    from_data: Option<&[Scalar]>,
    errors: &mut Errors,
) -> Option<Written> {
    match (&fields.ty, &fields.inputs) {
        (Some(ty), Some(_)) => {
            errors.add(ty.ty.span(), "write `ty` or `inputs`, not both");
            None
        }
        (Some(ty), None) => {
            let form = form(ty, dialect, errors)?;
            counted(form.width(), Extent::of(&ty.ty), errors)?;
            Some(vec![("x".to_owned(), form)])
        }
        (None, Some(inputs)) => named_inputs(inputs, dialect, errors),
        (None, None) if fields.has("ty") || fields.has("inputs") || fields.lacks => None,
        (None, None) => match from_data {
            Some(types) => of_data(types, errors),
            None => {
                let message = "the type of the elements is missing; add a field, as in `ty: f32`";
                errors.add(Extent::whole(), message);
                None
            }
        },
    }
}

/// Names inputs that only have types: `x`, `y`, `z`, `x3`, …
fn of_data(types: &[Scalar], errors: &mut Errors) -> Option<Written> {
    counted(types.len(), Extent::whole(), errors)?;
    let letters = ["x", "y", "z"].map(str::to_owned).into_iter();
    let names = letters.chain((3..).map(|i| format!("x{i}")));
    Some(names.zip(types).map(|(name, &ty)| (name, Form::Scalar(ty))).collect())
}

fn counted(count: usize, place: Extent, errors: &mut Errors) -> Option<()> {
    if !(1..=INPUTS).contains(&count) {
        errors.add(place, format!("a reduction has 1 to {INPUTS} inputs, not {count}"));
        return None;
    }
    Some(())
}

fn named_inputs(written: &Names, dialect: Dialect, errors: &mut Errors) -> Option<Written> {
    let count = written.names.len();
    counted(count, written.place, errors)?;
    let (mut inputs, mut is_distinct): (Written, _) = (Vec::new(), true);
    for (name, ty) in &written.names {
        let text = name.to_string();
        if inputs.iter().any(|input| input.0 == text) {
            errors.add(name.span(), format!("two inputs are named `{text}`"));
            is_distinct = false;
        } else if let Some(message) = names::refuse_input(&text) {
            errors.add(name.span(), message);
        }
        inputs.extend(form(ty, dialect, errors).map(|form| (text, form)));
    }
    let scalars = scalars(&inputs);
    let twice = |at: &usize| scalars[..*at].iter().any(|before| before.name == scalars[*at].name);
    if let (true, Some(at)) = (is_distinct, (0..scalars.len()).find(twice)) {
        let message = format!("two inputs are called `{}` in kernels", scalars[at].name);
        errors.add(written.place, message).help("rename one; `z: [f32; 2]` becomes `z_0` and `z_1`");
        is_distinct = false;
    }
    counted(scalars.len(), written.place, errors)?;
    (is_distinct && inputs.len() == count).then_some(inputs)
}

/// Reads the type of an element. Arrays lie in memory as in Rust, so they are for calls from Rust.
fn form(element: &Element, dialect: Dialect, errors: &mut Errors) -> Option<Form> {
    let ty = scalar(&element.ty, errors);
    let Some(count) = &element.count else { return ty.map(Form::Scalar) };
    let place = Extent::of(count);
    let count = forms::count(count, errors);
    if dialect == Dialect::Text {
        let message = "an array of an input is for Rust code; here every scalar is an input";
        errors.add(place, message).help("write `layout: strided, inputs: { z_0: f32, z_1: f32 }`");
        return None;
    }
    Some(Form::Array(Box::new(Form::Scalar(ty?)), count?))
}

/// Returns the scalar type of that name.
pub(super) fn scalar(name: &Ident, errors: &mut Errors) -> Option<Scalar> {
    let ty = forms::scalar(&name.to_string());
    if ty.is_none() {
        names::unknown("type", name, &names::types(), errors);
    }
    ty
}

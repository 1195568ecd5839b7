//! The fields `ty` and `inputs`: the names and types of the inputs.

use super::diagnostic::{Errors, Extent};
use super::fields::{Fields, Names};
use super::{forms, names};
use proc_macro2::Ident;
use reduce_ir::Scalar;
use reduce_ir::func::Param;

/// The limit on inputs. The parameters of a kernel are limited.
const INPUTS: usize = 16;

/// Reads the inputs from `ty` or `inputs`, or takes them from the data.
pub(super) fn read(fields: &Fields, from_data: Option<&[Scalar]>, errors: &mut Errors) -> Option<Vec<Param>> {
    match (&fields.ty, &fields.inputs) {
        (Some(ty), Some(_)) => {
            errors.add(ty.span(), "write `ty` or `inputs`, not both");
            None
        }
        (Some(ty), None) => Some(vec![Param::new("x", scalar(ty, errors)?)]),
        (None, Some(inputs)) => named_inputs(inputs, errors),
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
fn of_data(types: &[Scalar], errors: &mut Errors) -> Option<Vec<Param>> {
    counted(types.len(), Extent::whole(), errors)?;
    let letters = ["x", "y", "z"].map(str::to_owned).into_iter();
    let names = letters.chain((3..).map(|i| format!("x{i}")));
    Some(names.zip(types).map(|(name, &ty)| Param::new(name, ty)).collect())
}

fn counted(count: usize, place: Extent, errors: &mut Errors) -> Option<()> {
    if !(1..=INPUTS).contains(&count) {
        errors.add(place, format!("a reduction has 1 to {INPUTS} inputs, not {count}"));
        return None;
    }
    Some(())
}

fn named_inputs(written: &Names, errors: &mut Errors) -> Option<Vec<Param>> {
    let count = written.names.len();
    counted(count, written.place, errors)?;
    let (mut inputs, mut is_distinct): (Vec<Param>, _) = (Vec::new(), true);
    for (name, ty) in &written.names {
        let text = name.to_string();
        if inputs.iter().any(|input| input.name == text) {
            errors.add(name.span(), format!("two inputs are named `{text}`"));
            is_distinct = false;
        } else if let Some(message) = names::refuse_input(&text) {
            errors.add(name.span(), message);
        }
        inputs.extend(scalar(ty, errors).map(|ty| Param::new(text, ty)));
    }
    (is_distinct && inputs.len() == count).then_some(inputs)
}

/// Returns the scalar type of that name.
pub(super) fn scalar(name: &Ident, errors: &mut Errors) -> Option<Scalar> {
    let ty = forms::scalar(&name.to_string());
    if ty.is_none() {
        names::unknown("type", name, &names::types(), errors);
    }
    ty
}

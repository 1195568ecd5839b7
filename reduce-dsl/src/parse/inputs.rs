//! `ty` and `inputs`: what the elements are.

use super::diagnostic::{Errors, Extent};
use super::fields::{Fields, Inputs};
use super::names;
use crate::Scalar;
use crate::func::Param;
use proc_macro2::Ident;

/// Inputs of a reduction; a kernel's parameters are limited.
const INPUTS: usize = 16;

/// Types of the language that this version does not have.
const LATER_TYPES: [&str; 5] = ["bf16", "i8", "u8", "i16", "u16"];

/// The inputs of `ty` or `inputs`, or else of the data.
pub(super) fn read(fields: &Fields, from_data: Option<&[Scalar]>, errors: &mut Errors) -> Option<Vec<Param>> {
    match (&fields.ty, &fields.inputs) {
        (Some(ty), Some(_)) => {
            errors.add(ty.span(), "write `ty` or `inputs`, not both");
            None
        }
        (Some(ty), None) => Some(vec![Param::new("x", scalar(ty, errors)?)]),
        (None, Some(inputs)) => named_inputs(inputs, errors),
        (None, None) if fields.has("ty") || fields.has("inputs") => None,
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

/// Inputs that only have types: `x`, `y`, `z`, `x3`, …
fn of_data(types: &[Scalar], errors: &mut Errors) -> Option<Vec<Param>> {
    if types.contains(&Scalar::Bool) {
        errors.add(Extent::whole(), "the data is bool, which is not a type of elements");
        return None;
    }
    counted(types.len(), Extent::whole(), errors)?;
    let letters = ["x", "y", "z"].map(str::to_owned).into_iter();
    let names = letters.chain((3..).map(|i| format!("x{i}")));
    Some(names.zip(types).map(|(name, &ty)| Param::new(name, ty)).collect())
}

fn counted(count: usize, place: Extent, errors: &mut Errors) -> Option<()> {
    if !(1..=INPUTS).contains(&count) {
        errors.add(place, format!("there are 1 to {INPUTS} inputs, not {count}"));
        return None;
    }
    Some(())
}

fn named_inputs(written: &Inputs, errors: &mut Errors) -> Option<Vec<Param>> {
    let count = written.inputs.len();
    counted(count, written.place, errors)?;
    let mut inputs: Vec<Param> = Vec::new();
    for (name, ty) in &written.inputs {
        let text = name.to_string();
        if inputs.iter().any(|input| input.name == text) {
            errors.add(name.span(), format!("two inputs are named `{text}`"));
        } else if let Some(message) = names::refuse_input(&text) {
            errors.add(name.span(), message);
        }
        inputs.extend(scalar(ty, errors).map(|ty| Param::new(text, ty)));
    }
    (inputs.len() == count).then_some(inputs)
}

fn scalar(name: &Ident, errors: &mut Errors) -> Option<Scalar> {
    let word = name.to_string();
    match Scalar::from_name(&word) {
        Some(Scalar::Bool) => {
            errors
                .add(name.span(), "bool is the accumulator of `any` and `all`, not a type of elements")
                .help("give numbers: every element that is not 0 counts as true");
            None
        }
        Some(ty) => Some(ty),
        None if LATER_TYPES.contains(&word.as_str()) => {
            errors.add(name.span(), format!("this version does not support the type `{word}` yet"));
            None
        }
        None => {
            names::unknown("type", name, &names::types(), errors);
            None
        }
    }
}

//! The scope of closures besides their parameters: `params`, `index`, and the struct of `acc`.

use super::along::Along;
use super::constants::Constants;
use super::diagnostic::{Errors, Extent};
use super::fields::{Acc, Fields, Params, WrittenParam};
use super::form::{Form, Named};
use super::helpers::{self, Helpers};
use super::hygiene::Name;
use super::role::Dialect;
use super::typing::Outer;
use super::written::Written;
use super::{forms, inputs, names};
use proc_macro2::Ident;
use quote::ToTokens;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;
use reduce_ir::{Axes, Scalar};
use std::cell::RefCell;
use std::rc::Rc;
use syn::{Path, Type};

/// The limit on params. The parameters of a kernel are limited.
const PARAMS: usize = 16;

/// The limit on scalars of an accumulator, which lives in registers.
pub(super) const FIELDS: usize = 16;

/// The names that fields add to the scope of closures.
pub(super) struct Scope {
    pub(super) dialect: Dialect,
    /// The inputs as written; `None` if they are wrong.
    pub(super) written: Option<inputs::Written>,
    /// The inputs of the operation.
    pub(super) inputs: Option<Vec<Param>>,
    /// The params, with their names as written.
    pub(super) params: Vec<(Ident, Scalar)>,
    /// The name of the position.
    pub(super) index: Option<Ident>,
    /// The axes that closures may name.
    pub(super) along: Along,
    /// Whether the value of `params` or `index` is wrong, so that an unknown name may belong to them.
    pub(super) lacks_names: bool,
    /// The names of inputs, params and position.
    pub(super) taken: Vec<String>,
    /// The value of `acc`.
    pub(super) acc: Written<Record>,
    /// The Rust type of the accumulator, if it is declared and no plain struct.
    pub(super) form: Option<Form>,
    pub(super) helpers: Helpers,
    /// The values of constants.
    pub(super) constants: Rc<Constants>,
    /// The constants that functions have parameters for, as far as they have been read.
    pub(super) outer: RefCell<Vec<Outer>>,
}

impl Scope {
    pub(super) fn read(
        fields: &Fields,
        (dialect, constants): (Dialect, &Rc<Constants>),
        from_data: Option<&[Scalar]>,
        errors: &mut Errors,
    ) -> Scope {
        let written = inputs::read(fields, dialect, from_data, errors);
        let inputs = written.as_ref().map(inputs::scalars);
        let of_arrays = written.iter().flatten().map(|(name, _)| name.clone());
        let mut taken: Vec<String> =
            inputs.iter().flatten().map(|input| input.name.clone()).chain(of_arrays).collect();
        let params = fields.params.as_ref().map(|written| params(written, &mut taken, errors));
        let index = fields.index.clone();
        index.iter().for_each(|name| {
            check_name(name, "the position", &mut taken, errors);
        });
        let lacks = |field, is_read: bool| fields.has(field) && !is_read;
        let lacks_names = lacks("params", fields.params.is_some()) || lacks("index", fields.index.is_some());
        let declared = fields.value("acc", fields.acc.as_ref());
        let declared = declared.then(|acc| accumulator(acc, (&taken, dialect), errors));
        let params = params.unwrap_or_default();
        let names = params.iter().map(|(name, _)| name).chain(&index).map(Ident::to_string).collect();
        let helpers = helpers::read(&fields.helpers, (dialect, constants), declared.value(), names, errors);
        let form = declared.value().filter(|form| !form.is_flat()).cloned();
        let acc = declared.then(|form| Some(form.record()));
        Scope {
            dialect,
            written,
            inputs,
            params,
            index,
            along: Along::default(),
            lacks_names,
            taken,
            acc,
            form,
            helpers,
            constants: Rc::clone(constants),
            outer: RefCell::default(),
        }
    }

    /// Returns whether an input is an array.
    pub(super) fn has_arrays(&self) -> bool {
        self.written.iter().flatten().any(|(_, form)| !form.is_flat())
    }

    /// Adds the names of axes.
    pub(super) fn with_axes(self, axes: &Axes, fields: &Fields) -> Scope {
        let written = fields.axes.as_ref().map_or_else(Vec::new, |written| written.from.names());
        let along = Along::of(axes, &written, &self.taken, self.index.as_ref());
        Scope { along, ..self }
    }

    /// Returns the params as parameters of functions, and then those that the form of the inputs gives.
    pub(super) fn free_params(&self) -> impl Iterator<Item = Param> {
        let constants: Vec<_> = self.outer.borrow().iter().map(|it| it.param.clone()).collect();
        self.named_params().map(|(_, param)| param).chain(constants).chain(self.along.params())
    }

    /// Returns the params as parameters of functions, with their names.
    pub(super) fn named_params(&self) -> impl Iterator<Item = (Name, Param)> {
        self.params.iter().map(|(name, ty)| (Name::of(name), Param::new(name.to_string(), *ty)))
    }

    /// Returns the position as a parameter of functions, with its name.
    pub(super) fn named_index(&self) -> Option<(Name, Param)> {
        self.index.as_ref().map(|name| (Name::of(name), Param::new(name.to_string(), Scalar::U64)))
    }

    /// Returns the names of positions, with their types.
    pub(super) fn positions(&self) -> impl Iterator<Item = (Ident, Scalar)> {
        self.index.iter().map(|name| (name.clone(), Scalar::U64)).chain(self.along.idents())
    }

    /// Returns the names that `params`, `index` and `axes` add.
    pub(super) fn names(&self) -> Vec<String> {
        let named = self.params.iter().cloned().chain(self.positions()).map(|(name, _)| name.to_string());
        named.chain(self.outer.borrow().iter().map(|it| it.param.name.clone())).collect()
    }

    /// Returns a type for examples.
    pub(super) fn number(&self) -> Scalar {
        self.inputs.iter().flatten().next().map_or(Scalar::F32, |input| input.ty.compute())
    }
}

fn params(written: &Params, taken: &mut Vec<String>, errors: &mut Errors) -> Vec<(Ident, Scalar)> {
    let count = written.params.len();
    if !(1..=PARAMS).contains(&count) {
        errors.add(written.place, format!("a reduction has 1 to {PARAMS} params, not {count}"));
    }
    if let Some(name) = &written.name
        && let Some(message) = names::refuse_struct(&name.to_string(), taken)
    {
        errors.add(name.span(), message);
    }
    // Wrong params stay in scope, so that their uses are not reported as well.
    let one = |WrittenParam { name, ty, .. }: &WrittenParam| {
        let is_new = check_name(name, "a param", taken, errors);
        is_new.then(|| (name.clone(), computing(ty, errors).unwrap_or(Scalar::F32)))
    };
    written.params.iter().filter_map(one).collect()
}

/// Reports a name that a param or the position cannot have. Returns whether the name is new.
fn check_name(name: &Ident, what: &str, taken: &mut Vec<String>, errors: &mut Errors) -> bool {
    let word = name.to_string();
    let is_new = !taken.contains(&word);
    if let Some(message) = names::refuse(&word, what) {
        errors.add(name.span(), message);
    } else if !is_new {
        errors.add(name.span(), format!("the name `{word}` is taken"));
    }
    taken.push(word);
    is_new
}

/// Reads the name of a type that closures compute in.
fn computing(name: &Ident, errors: &mut Errors) -> Option<Scalar> {
    let ty = inputs::scalar(name, errors)?;
    if ty.is_half() {
        let message = format!("{ty} is for elements; closures compute in f32");
        errors.add(name.span(), message).help("write `f32`");
        return None;
    }
    Some(ty)
}

/// Reads the type of the accumulator.
fn accumulator(written: &Acc, (taken, dialect): (&[String], Dialect), errors: &mut Errors) -> Option<Form> {
    let form = match written {
        Acc::Type(ty) => match name_of(ty) {
            Some(name) => acc_scalar(name, errors)?,
            None => forms::part(ty, dialect, errors)?,
        },
        Acc::Struct(path, fields, place) => structure(path, fields, (*place, taken, dialect), errors)?,
    };
    if form.width() > FIELDS {
        let message = format!("an accumulator has at most {FIELDS} scalars, not {}", form.width());
        errors.add(written.place(), message).help("accumulators live in registers");
        return None;
    }
    Some(form)
}

fn structure(
    path: &Path,
    written: &[(Ident, Type)],
    (place, taken, dialect): (Extent, &[String], Dialect),
    errors: &mut Errors,
) -> Option<Form> {
    let named = named(path);
    let (name, mut fits) = (&path.segments.last()?.ident, true);
    if let Some(message) = names::refuse_struct(&name.to_string(), taken) {
        errors.add(name.span(), message);
        fits = false;
    }
    if !(1..=FIELDS).contains(&written.len()) {
        errors.add(place, format!("a struct has 1 to {FIELDS} fields, not {}", written.len()));
        fits = false;
    }
    let mut fields: Vec<(String, Form)> = Vec::new();
    for (name, ty) in written {
        let word = name.to_string();
        if fields.iter().any(|(known, _)| *known == word) {
            errors.add(name.span(), format!("two fields are named `{word}`"));
            fits = false;
        } else if let Some(message) = names::refuse_field(&word) {
            errors.add(name.span(), message);
            fits = false;
        }
        fields.extend(field(ty, dialect, errors).map(|form| (word, form)));
    }
    let form = (fits && fields.len() == written.len()).then_some(Form::Struct(named, fields))?;
    if let Some(twice) = repeated(&form.record()) {
        let message = format!("two scalars of this struct are called `{twice}` in kernels");
        errors.add(place, message).help("rename a field; `bins: [u32; 2]` becomes `bins_0` and `bins_1`");
        return None;
    }
    Some(form)
}

/// Returns the name of a struct. A path of several words names an existing struct.
pub(super) fn named(path: &Path) -> Named {
    let name = path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
    let is_existing = path.segments.len() > 1 || path.leading_colon.is_some();
    Named { name, path: is_existing.then(|| path.to_token_stream().to_string()) }
}

/// Reads the type of a field: a scalar by its name, or a tuple or an array.
fn field(ty: &Type, dialect: Dialect, errors: &mut Errors) -> Option<Form> {
    match name_of(ty) {
        Some(name) => computing(name, errors).map(Form::Scalar),
        None => forms::part(ty, dialect, errors),
    }
}

/// Returns the name of a type that is one word.
fn name_of(ty: &Type) -> Option<&Ident> {
    if let Type::Path(path) = ty { path.path.get_ident() } else { None }
}

/// Returns a name that two scalars have.
fn repeated(record: &Record) -> Option<&str> {
    let mut names: Vec<_> = record.fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Reads a scalar. A name that looks like a struct is reported with the syntax of structs.
fn acc_scalar(name: &Ident, errors: &mut Errors) -> Option<Form> {
    let word = name.to_string();
    if forms::scalar(&word).is_none() && word.starts_with(|c: char| c.is_ascii_uppercase()) {
        let message = format!("the fields of `{word}` are missing");
        errors
            .add(name.span(), message)
            .help(format!("write them, as in `acc: {word} {{ lo: f64, hi: f64 }}`"));
        return None;
    }
    inputs::scalar(name, errors).map(Form::Scalar)
}

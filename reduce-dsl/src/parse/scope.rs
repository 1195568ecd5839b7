//! The scope of closures besides their parameters: `params`, `index`, and the struct of `acc`.

use super::along::Along;
use super::diagnostic::Errors;
use super::fields::{Acc, Fields, Names};
use super::hygiene::Name;
use super::role::Dialect;
use super::written::Written;
use super::{inputs, names};
use proc_macro2::Ident;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;
use reduce_ir::{Axes, Scalar};

/// The limit on params. The parameters of a kernel are limited.
const PARAMS: usize = 16;

/// The limit on scalars of an accumulator, which lives in registers.
const FIELDS: usize = 16;

/// The names that fields add to the scope of closures.
pub(super) struct Scope {
    pub(super) dialect: Dialect,
    /// The inputs; `None` if they are wrong.
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
}

impl Scope {
    pub(super) fn read(
        fields: &Fields,
        dialect: Dialect,
        from_data: Option<&[Scalar]>,
        errors: &mut Errors,
    ) -> Scope {
        let inputs = inputs::read(fields, from_data, errors);
        let mut taken: Vec<String> = inputs.iter().flatten().map(|input| input.name.clone()).collect();
        let params = fields.params.as_ref().map(|written| params(written, &mut taken, errors));
        let index = fields.index.clone();
        index.iter().for_each(|name| {
            check_name(name, "the position", &mut taken, errors);
        });
        let lacks = |field, is_read: bool| fields.has(field) && !is_read;
        let lacks_names = lacks("params", fields.params.is_some()) || lacks("index", fields.index.is_some());
        let acc = fields.value("acc", fields.acc.as_ref()).then(|acc| accumulator(acc, &taken, errors));
        let params = params.unwrap_or_default();
        Scope { dialect, inputs, params, index, along: Along::default(), lacks_names, taken, acc }
    }

    /// Adds the names of axes.
    pub(super) fn with_axes(self, axes: &Axes, fields: &Fields) -> Scope {
        let written = fields.axes.as_ref().map_or_else(Vec::new, |written| written.from.names());
        let along = Along::of(axes, &written, &self.taken, self.index.as_ref());
        Scope { along, ..self }
    }

    /// Returns the params as parameters of functions, and then those that the shape of the inputs gives.
    pub(super) fn free_params(&self) -> impl Iterator<Item = Param> {
        self.named_params().map(|(_, param)| param).chain(self.along.params())
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
        self.params.iter().cloned().chain(self.positions()).map(|(name, _)| name.to_string()).collect()
    }

    /// Returns a type for examples.
    pub(super) fn number(&self) -> Scalar {
        self.inputs.iter().flatten().next().map_or(Scalar::F32, |input| input.ty.compute())
    }
}

fn params(written: &Names, taken: &mut Vec<String>, errors: &mut Errors) -> Vec<(Ident, Scalar)> {
    if !(1..=PARAMS).contains(&written.names.len()) {
        errors
            .add(written.place, format!("a reduction has 1 to {PARAMS} params, not {}", written.names.len()));
    }
    // Wrong params stay in scope, so that their uses are not reported as well.
    let one = |(name, ty): &(Ident, Ident)| {
        let is_new = check_name(name, "a param", taken, errors);
        is_new.then(|| (name.clone(), computing(ty, errors).unwrap_or(Scalar::F32)))
    };
    written.names.iter().filter_map(one).collect()
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

fn accumulator(written: &Acc, taken: &[String], errors: &mut Errors) -> Option<Record> {
    let (name, written) = match written {
        Acc::Scalar(ty) => return acc_scalar(ty, errors),
        Acc::Struct(name, fields) => (name, fields),
    };
    let mut fits = true;
    if let Some(message) = names::refuse_struct(&name.to_string(), taken) {
        errors.add(name.span(), message);
        fits = false;
    }
    if !(1..=FIELDS).contains(&written.names.len()) {
        errors.add(written.place, format!("a struct has 1 to {FIELDS} fields, not {}", written.names.len()));
        fits = false;
    }
    let mut fields: Vec<Param> = Vec::new();
    for (name, ty) in &written.names {
        let word = name.to_string();
        if fields.iter().any(|field| field.name == word) {
            errors.add(name.span(), format!("two fields are named `{word}`"));
            fits = false;
        } else if let Some(message) = names::refuse_field(&word) {
            errors.add(name.span(), message);
            fits = false;
        }
        fields.extend(computing(ty, errors).map(|ty| Param::new(word, ty)));
    }
    (fits && fields.len() == written.names.len()).then(|| Record {
        name: Some(name.to_string()),
        generics: None,
        fields,
    })
}

/// Reads a scalar. A name that looks like a struct is reported with the syntax of structs.
fn acc_scalar(name: &Ident, errors: &mut Errors) -> Option<Record> {
    let word = name.to_string();
    if Scalar::from_name(&word).is_none() && word.starts_with(|c: char| c.is_ascii_uppercase()) {
        let message = format!("the fields of `{word}` are missing");
        errors
            .add(name.span(), message)
            .help(format!("write them, as in `acc: {word} {{ lo: f64, hi: f64 }}`"));
        return None;
    }
    inputs::scalar(name, errors).map(Record::scalar)
}

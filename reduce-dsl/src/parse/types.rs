//! Types during inference, with the rules of rustc: a literal without suffix takes its type from the context.

use super::form::{Form, Named};
use super::literal::Number;
use reduce_ir::Scalar;
use reduce_ir::operation::Record;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// A scalar.
    Scalar(Scalar),
    /// A struct, a tuple or an array, by its index in [`Types`].
    Struct(usize),
    /// The type of a literal without suffix, by its index in [`Types`].
    Number(usize),
    /// The type of an expression that leaves its block, as `return` does. It unifies with every type.
    Never,
    /// The type of an expression whose error has been reported. It unifies with every type.
    Unknown,
}

/// The type of an expression without a value: the tuple without fields.
pub(crate) const UNIT: Ty = Ty::Struct(0);

/// The knowledge about the type of a literal without suffix.
#[derive(Clone, Copy)]
enum Known {
    Integer,
    Float,
    /// The value of a constant of the user, which may have any scalar type.
    Any,
    Is(Ty),
}

/// A struct, a tuple or an array whose fields may still have to be inferred.
struct Struct {
    kind: Aggregate,
    fields: Vec<(String, Ty)>,
}

/// The kind of a type with fields.
enum Aggregate {
    Named(Named, Option<Vec<Scalar>>),
    Tuple,
    Array,
}

/// The types in one function.
pub(crate) struct Types {
    numbers: Vec<Known>,
    structs: Vec<Struct>,
    forms: Vec<Form>,
    /// The arrays whose lengths are assumed.
    assumed: Vec<Ty>,
}

impl Types {
    /// Returns the types of a function that may use those structs. `forms` are the Rust types of records that have one.
    pub(crate) fn new(records: &[Record], forms: &[Form]) -> Types {
        let unit = Struct { kind: Aggregate::Tuple, fields: Vec::new() };
        let mut types =
            Types { numbers: Vec::new(), structs: vec![unit], forms: forms.to_vec(), assumed: Vec::new() };
        records.iter().for_each(|record| {
            types.of_record(record);
        });
        types
    }

    /// Returns the type of a value of a record.
    pub(crate) fn of_record(&mut self, record: &Record) -> Ty {
        let Some(name) = &record.name else { return Ty::Scalar(record.fields[0].ty) };
        if let Some(ty) = self.named(name) {
            return ty;
        }
        if let Some(form) = self.forms.iter().find(|form| form.record() == *record).cloned() {
            return self.of_form(&form);
        }
        let fields = record.fields.iter().map(|field| (field.name.clone(), Ty::Scalar(field.ty)));
        let named = Named { name: name.clone(), path: None };
        self.add(Aggregate::Named(named, record.generics.clone()), fields.collect())
    }

    /// Returns the type of a form.
    pub(crate) fn of_form(&mut self, form: &Form) -> Ty {
        match form {
            Form::Scalar(ty) => Ty::Scalar(*ty),
            Form::Array(element, count) => {
                let element = self.of_form(element);
                self.array(element, *count)
            }
            Form::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.of_form(part)).collect();
                self.tuple(parts)
            }
            Form::Struct(named, fields) => self.named(&named.name).unwrap_or_else(|| {
                let fields = fields.iter().map(|(name, form)| (name.clone(), self.of_form(form))).collect();
                self.define(named.clone(), fields)
            }),
        }
    }

    /// Returns the struct of that name.
    pub(crate) fn named(&self, name: &str) -> Option<Ty> {
        let is = |it: &Struct| matches!(&it.kind, Aggregate::Named(own, _) if own.name == name);
        self.structs.iter().position(is).map(Ty::Struct)
    }

    /// Adds a new struct of the user.
    pub(crate) fn define(&mut self, named: Named, fields: Vec<(String, Ty)>) -> Ty {
        self.add(Aggregate::Named(named, None), fields)
    }

    /// Returns the type of a tuple.
    pub(crate) fn tuple(&mut self, parts: Vec<Ty>) -> Ty {
        if parts.is_empty() {
            return UNIT;
        }
        let fields = parts.into_iter().enumerate().map(|(at, ty)| (at.to_string(), ty)).collect();
        self.add(Aggregate::Tuple, fields)
    }

    /// Returns the type of an array.
    pub(crate) fn array(&mut self, element: Ty, count: usize) -> Ty {
        self.add(Aggregate::Array, (0..count).map(|at| (at.to_string(), element)).collect())
    }

    fn add(&mut self, kind: Aggregate, fields: Vec<(String, Ty)>) -> Ty {
        self.structs.push(Struct { kind, fields });
        Ty::Struct(self.structs.len() - 1)
    }

    /// Returns the fields of a struct, a tuple or an array; empty for a scalar.
    pub(crate) fn fields(&self, ty: Ty) -> &[(String, Ty)] {
        match self.resolve(ty) {
            Ty::Struct(place) => &self.structs[place].fields,
            Ty::Scalar(_) | Ty::Number(_) | Ty::Never | Ty::Unknown => &[],
        }
    }

    /// Returns whether it is a struct with a name.
    pub(crate) fn is_named(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Some(Aggregate::Named(..)))
    }

    /// Returns whether it is an array.
    pub(crate) fn is_array(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Some(Aggregate::Array))
    }

    fn kind(&self, ty: Ty) -> Option<&Aggregate> {
        match self.resolve(ty) {
            Ty::Struct(place) => Some(&self.structs[place].kind),
            Ty::Scalar(_) | Ty::Number(_) | Ty::Never | Ty::Unknown => None,
        }
    }

    /// Returns the number of scalars of a value.
    pub(crate) fn width(&self, ty: Ty) -> usize {
        match self.resolve(ty) {
            Ty::Struct(place) => self.structs[place].fields.iter().map(|(_, ty)| self.width(*ty)).sum(),
            Ty::Scalar(_) | Ty::Number(_) | Ty::Never | Ty::Unknown => 1,
        }
    }

    /// Returns the number of scalars before a field.
    pub(crate) fn offset(&self, ty: Ty, field: usize) -> usize {
        self.fields(ty)[..field].iter().map(|(_, ty)| self.width(*ty)).sum()
    }

    /// Returns the type of a number literal.
    pub(crate) fn of_number(&mut self, number: &Number) -> Ty {
        if let Some(suffix) = number.suffix {
            return Ty::Scalar(suffix);
        }
        self.numbers.push(if number.is_float { Known::Float } else { Known::Integer });
        Ty::Number(self.numbers.len() - 1)
    }

    /// Returns the type of a constant of the user.
    pub(crate) fn of_constant(&mut self) -> Ty {
        self.numbers.push(Known::Any);
        Ty::Number(self.numbers.len() - 1)
    }

    /// Turns the type of a constant into an array of `count` elements, if the type is still unknown.
    pub(crate) fn make_array(&mut self, ty: Ty, count: usize) {
        if let (Ty::Number(constant), true) = (self.resolve(ty), self.is_any(ty)) {
            let element = self.of_constant();
            let array = self.array(element, count);
            self.numbers[constant] = Known::Is(array);
            self.assumed.push(array);
        }
    }

    /// Returns whether nothing is known about the type or a part of it yet, or its length is assumed.
    pub(crate) fn is_open(&self, ty: Ty) -> bool {
        let ty = self.resolve(ty);
        self.is_any(ty)
            || self.assumed.contains(&ty)
            || self.fields(ty).iter().any(|(_, field)| self.is_open(*field))
    }

    /// Returns whether nothing is known about the type yet.
    pub(crate) fn is_any(&self, ty: Ty) -> bool {
        matches!(self.resolve(ty), Ty::Number(number) if matches!(self.numbers[number], Known::Any))
    }

    /// Returns the type as far as it is inferred.
    pub(crate) fn resolve(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Number(number) => match self.numbers[number] {
                Known::Is(ty) => self.resolve(ty),
                Known::Integer | Known::Float | Known::Any => ty,
            },
            Ty::Scalar(_) | Ty::Struct(_) | Ty::Never | Ty::Unknown => ty,
        }
    }

    /// Returns the final scalar type. Literals that no context decides become `i32` or `f64`.
    pub(crate) fn scalar(&self, ty: Ty) -> Scalar {
        match self.resolve(ty) {
            Ty::Scalar(scalar) => scalar,
            Ty::Number(number) if matches!(self.numbers[number], Known::Float) => Scalar::F64,
            Ty::Number(_) | Ty::Struct(_) | Ty::Never | Ty::Unknown => Scalar::I32,
        }
    }

    /// Returns the final Rust type.
    pub(crate) fn form(&self, ty: Ty) -> Form {
        let Ty::Struct(place) = self.resolve(ty) else { return Form::Scalar(self.scalar(ty)) };
        let Struct { kind, fields } = &self.structs[place];
        match kind {
            Aggregate::Named(named, _) => {
                let fields = fields.iter().map(|(name, ty)| (name.clone(), self.form(*ty)));
                Form::Struct(named.clone(), fields.collect())
            }
            Aggregate::Tuple => Form::Tuple(fields.iter().map(|(_, ty)| self.form(*ty)).collect()),
            Aggregate::Array => {
                let element = fields.first().map_or(Form::Scalar(Scalar::I32), |(_, ty)| self.form(*ty));
                Form::Array(Box::new(element), fields.len())
            }
        }
    }

    /// Returns the final record.
    pub(crate) fn record(&self, ty: Ty) -> Record {
        let record = self.form(ty).record();
        match self.kind(ty) {
            Some(Aggregate::Named(_, generics)) => Record { generics: generics.clone(), ..record },
            Some(Aggregate::Tuple | Aggregate::Array) | None => record,
        }
    }

    /// Unifies two types; returns `false` if they differ.
    pub(crate) fn unify(&mut self, a: Ty, b: Ty) -> bool {
        match (self.resolve(a), self.resolve(b)) {
            (Ty::Unknown | Ty::Never, _) | (_, Ty::Unknown | Ty::Never) => true,
            (a, b) if a == b => true,
            // A constant takes the type of a literal, and not the other way round.
            (Ty::Number(literal), Ty::Number(constant)) if self.is_any(b) => {
                self.numbers[constant] = Known::Is(Ty::Number(literal));
                true
            }
            (Ty::Number(number), other) | (other, Ty::Number(number)) => {
                let fits = self.holds(other, number);
                if fits {
                    self.numbers[number] = Known::Is(other);
                }
                fits
            }
            (Ty::Struct(a), Ty::Struct(b)) => self.unify_parts(a, b),
            (Ty::Scalar(_) | Ty::Struct(_), Ty::Scalar(_) | Ty::Struct(_)) => false,
        }
    }

    /// Unifies two tuples or two arrays, part by part.
    fn unify_parts(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.structs[a], &self.structs[b]);
        let alike = match (&a.kind, &b.kind) {
            (Aggregate::Tuple, Aggregate::Tuple) | (Aggregate::Array, Aggregate::Array) => {
                a.fields.len() == b.fields.len()
            }
            (Aggregate::Named(..) | Aggregate::Tuple | Aggregate::Array, _) => false,
        };
        let parts: Vec<_> = a.fields.iter().zip(&b.fields).map(|((_, a), (_, b))| (*a, *b)).collect();
        alike && parts.into_iter().all(|(a, b)| self.unify(a, b))
    }

    /// Returns whether a literal can have that type.
    fn holds(&self, ty: Ty, number: usize) -> bool {
        let is_float = matches!(self.numbers[number], Known::Float);
        match ty {
            Ty::Scalar(_) | Ty::Number(_) if matches!(self.numbers[number], Known::Any) => true,
            Ty::Scalar(scalar) => {
                if is_float {
                    scalar.is_float()
                } else {
                    scalar.is_integer()
                }
            }
            Ty::Number(other) => is_float == matches!(self.numbers[other], Known::Float),
            Ty::Struct(_) | Ty::Never | Ty::Unknown => false,
        }
    }

    /// Returns `true` for a float, `false` for an integer, and `None` for other or unknown types.
    pub(crate) fn is_float(&self, ty: Ty) -> Option<bool> {
        match self.resolve(ty) {
            Ty::Scalar(scalar) if scalar.is_number() => Some(scalar.is_float()),
            Ty::Number(_) if self.is_any(ty) => None,
            Ty::Number(number) => Some(matches!(self.numbers[number], Known::Float)),
            Ty::Scalar(_) | Ty::Struct(_) | Ty::Never | Ty::Unknown => None,
        }
    }

    /// Returns the words of messages for a type.
    pub(crate) fn show(&self, ty: Ty) -> String {
        match self.resolve(ty) {
            Ty::Scalar(scalar) => scalar.to_string(),
            Ty::Struct(_) => format!("`{}`", self.form(ty)),
            Ty::Number(number) if matches!(self.numbers[number], Known::Float) => "a float".to_owned(),
            Ty::Number(_) if self.is_any(ty) => "of a type that is not known here".to_owned(),
            Ty::Number(_) => "an integer".to_owned(),
            Ty::Never => "no value".to_owned(),
            Ty::Unknown => "unknown".to_owned(),
        }
    }
}

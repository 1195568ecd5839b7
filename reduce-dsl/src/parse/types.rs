//! Types during inference, with the rules of rustc: a literal without suffix takes its type from the context.

use super::literal::Number;
use reduce_ir::Scalar;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// A scalar.
    Scalar(Scalar),
    /// A struct, by its index in [`Types`].
    Struct(usize),
    /// The type of a literal without suffix, by its index in [`Types`].
    Number(usize),
    /// The type of an expression whose error has been reported. It unifies with every type.
    Unknown,
}

/// The knowledge about the type of a literal without suffix.
#[derive(Clone, Copy)]
enum Known {
    Integer,
    Float,
    Is(Ty),
}

/// A struct whose fields may still have to be inferred.
struct Struct {
    name: String,
    generics: Option<Vec<Scalar>>,
    fields: Vec<(String, Ty)>,
}

/// The types in one function.
pub(crate) struct Types {
    numbers: Vec<Known>,
    structs: Vec<Struct>,
}

impl Types {
    /// Returns the types of a function that may use those structs.
    pub(crate) fn new(records: &[Record]) -> Types {
        let mut types = Types { numbers: Vec::new(), structs: Vec::new() };
        records.iter().for_each(|record| {
            types.of_record(record);
        });
        types
    }

    /// Returns the type of a value of a record.
    pub(crate) fn of_record(&mut self, record: &Record) -> Ty {
        let Some(name) = &record.name else { return Ty::Scalar(record.fields[0].ty) };
        self.named(name).unwrap_or_else(|| {
            let fields = record.fields.iter().map(|field| (field.name.clone(), Ty::Scalar(field.ty)));
            self.add(name, record.generics.clone(), fields.collect())
        })
    }

    /// Returns the struct of that name.
    pub(crate) fn named(&self, name: &str) -> Option<Ty> {
        self.structs.iter().position(|it| it.name == name).map(Ty::Struct)
    }

    /// Adds a new struct of the user.
    pub(crate) fn define(&mut self, name: &str, fields: Vec<(String, Ty)>) -> Ty {
        self.add(name, None, fields)
    }

    fn add(&mut self, name: &str, generics: Option<Vec<Scalar>>, fields: Vec<(String, Ty)>) -> Ty {
        self.structs.push(Struct { name: name.to_owned(), generics, fields });
        Ty::Struct(self.structs.len() - 1)
    }

    /// Returns the fields of a struct; empty for a scalar.
    pub(crate) fn fields(&self, ty: Ty) -> &[(String, Ty)] {
        match ty {
            Ty::Struct(place) => &self.structs[place].fields,
            Ty::Scalar(_) | Ty::Number(_) | Ty::Unknown => &[],
        }
    }

    /// Returns the type of a number literal.
    pub(crate) fn of_number(&mut self, number: &Number) -> Ty {
        if let Some(suffix) = number.suffix {
            return Ty::Scalar(suffix);
        }
        self.numbers.push(if number.is_float { Known::Float } else { Known::Integer });
        Ty::Number(self.numbers.len() - 1)
    }

    /// Returns the type as far as it is inferred.
    pub(crate) fn resolve(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Number(number) => match self.numbers[number] {
                Known::Is(ty) => self.resolve(ty),
                Known::Integer | Known::Float => ty,
            },
            Ty::Scalar(_) | Ty::Struct(_) | Ty::Unknown => ty,
        }
    }

    /// Returns the final scalar type. Literals that no context decides become `i32` or `f64`.
    pub(crate) fn scalar(&self, ty: Ty) -> Scalar {
        match self.resolve(ty) {
            Ty::Scalar(scalar) => scalar,
            Ty::Number(number) if matches!(self.numbers[number], Known::Float) => Scalar::F64,
            Ty::Number(_) | Ty::Struct(_) | Ty::Unknown => Scalar::I32,
        }
    }

    /// Returns the final record.
    pub(crate) fn record(&self, ty: Ty) -> Record {
        match self.resolve(ty) {
            Ty::Struct(place) => {
                let Struct { name, generics, fields } = &self.structs[place];
                let fields = fields.iter().map(|(name, ty)| Param::new(&**name, self.scalar(*ty)));
                Record { name: Some(name.clone()), generics: generics.clone(), fields: fields.collect() }
            }
            ty @ (Ty::Scalar(_) | Ty::Number(_) | Ty::Unknown) => Record::scalar(self.scalar(ty)),
        }
    }

    /// Unifies two types; returns `false` if they differ.
    pub(crate) fn unify(&mut self, a: Ty, b: Ty) -> bool {
        match (self.resolve(a), self.resolve(b)) {
            (Ty::Unknown, _) | (_, Ty::Unknown) => true,
            (a, b) if a == b => true,
            (Ty::Number(number), other) | (other, Ty::Number(number)) => {
                let fits = self.holds(other, number);
                if fits {
                    self.numbers[number] = Known::Is(other);
                }
                fits
            }
            (Ty::Scalar(_) | Ty::Struct(_), Ty::Scalar(_) | Ty::Struct(_)) => false,
        }
    }

    /// Returns whether a literal can have that type.
    fn holds(&self, ty: Ty, number: usize) -> bool {
        let is_float = matches!(self.numbers[number], Known::Float);
        match ty {
            Ty::Scalar(scalar) => {
                if is_float {
                    scalar.is_float()
                } else {
                    scalar.is_integer()
                }
            }
            Ty::Number(other) => is_float == matches!(self.numbers[other], Known::Float),
            Ty::Struct(_) | Ty::Unknown => false,
        }
    }

    /// Returns `true` for a float, `false` for an integer, and `None` for other or unknown types.
    pub(crate) fn is_float(&self, ty: Ty) -> Option<bool> {
        match self.resolve(ty) {
            Ty::Scalar(scalar) if scalar.is_number() => Some(scalar.is_float()),
            Ty::Number(number) => Some(matches!(self.numbers[number], Known::Float)),
            Ty::Scalar(_) | Ty::Struct(_) | Ty::Unknown => None,
        }
    }

    /// Returns the words of messages for a type.
    pub(crate) fn show(&self, ty: Ty) -> String {
        match self.resolve(ty) {
            Ty::Scalar(scalar) => scalar.to_string(),
            Ty::Struct(place) => format!("`{}`", self.structs[place].name),
            Ty::Number(number) if matches!(self.numbers[number], Known::Float) => "a float".to_owned(),
            Ty::Number(_) => "an integer".to_owned(),
            Ty::Unknown => "unknown".to_owned(),
        }
    }
}

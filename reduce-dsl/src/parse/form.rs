//! The Rust types of accumulators and results: scalars, structs, tuples and arrays. Functions see their scalars only.

use reduce_ir::Scalar;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;

/// A Rust type that a closure takes or returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A scalar.
    Scalar(Scalar),
    /// `[f32; 4]`.
    Array(Box<Form>, usize),
    /// `(f32, u64)`.
    Tuple(Vec<Form>),
    /// A struct of the user, with its fields.
    Struct(Named, Vec<(String, Form)>),
}

/// The name of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name in functions and kernels.
    pub name: String,
    /// The path of an existing struct, as written; `None` for one that the macro makes.
    pub path: Option<String>,
}

/// The most characters of the name of a struct.
const NAME: usize = 32;

impl Form {
    /// Returns the record of its scalars. `bins: [u32; 2]` has the fields `bins_0` and `bins_1`; a tuple has `v0`, `v1`, ….
    pub fn record(&self) -> Record {
        let mut fields = Vec::new();
        match self {
            Form::Scalar(ty) => return Record::scalar(*ty),
            Form::Array(..) | Form::Tuple(_) => {
                for (at, part) in self.parts().into_iter().enumerate() {
                    part.leaves(format!("v{at}"), &mut fields);
                }
            }
            Form::Struct(_, own) => {
                own.iter().for_each(|(name, form)| form.leaves(name.clone(), &mut fields));
            }
        }
        Record { name: Some(self.name()), generics: None, fields }
    }

    /// Returns whether it is a scalar, or a struct that has the fields of its record and that the macro makes.
    pub fn is_flat(&self) -> bool {
        match self {
            Form::Scalar(_) => true,
            Form::Struct(named, fields) => {
                named.path.is_none() && fields.iter().all(|(_, form)| matches!(form, Form::Scalar(_)))
            }
            Form::Array(..) | Form::Tuple(_) => false,
        }
    }

    /// Returns the number of its scalars.
    pub fn width(&self) -> usize {
        match self {
            Form::Scalar(_) => 1,
            Form::Array(element, count) => element.width().saturating_mul(*count),
            Form::Tuple(_) | Form::Struct(..) => {
                self.parts().iter().fold(0, |sum: usize, part| sum.saturating_add(part.width()))
            }
        }
    }

    /// Returns the types of its fields or elements, in order.
    pub fn parts(&self) -> Vec<&Form> {
        match self {
            Form::Scalar(_) => Vec::new(),
            Form::Array(element, count) => vec![&**element; *count],
            Form::Tuple(parts) => parts.iter().collect(),
            Form::Struct(_, fields) => fields.iter().map(|(_, form)| form).collect(),
        }
    }

    /// Returns the name of its struct. The name of a tuple or an array follows from its types, so that equal types are one struct.
    pub fn name(&self) -> String {
        let name = match self {
            Form::Struct(named, _) => return named.name.clone(),
            Form::Scalar(_) => self.part_name(),
            Form::Array(..) => format!("Array{}", self.part_name()),
            Form::Tuple(parts) => format!("Tuple{}", parts.iter().map(Form::part_name).collect::<String>()),
        };
        if name.len() <= NAME { name } else { format!("Tuple{:016x}", fnv(&name)) }
    }

    fn part_name(&self) -> String {
        match self {
            Form::Scalar(ty) => {
                let (first, rest) = ty.name().split_at(1);
                first.to_uppercase() + rest
            }
            Form::Array(element, count) => format!("{}x{count}", element.part_name()),
            Form::Tuple(parts) => {
                format!("T{}E", parts.iter().map(Form::part_name).collect::<String>())
            }
            Form::Struct(named, _) => named.name.clone(),
        }
    }

    fn leaves(&self, name: String, fields: &mut Vec<Param>) {
        if let Form::Scalar(ty) = self {
            fields.push(Param::new(name, *ty));
            return;
        }
        for (at, part) in self.parts().into_iter().enumerate() {
            part.leaves(format!("{name}_{at}"), fields);
        }
    }
}

/// Prints the Rust type.
impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Form::Scalar(ty) => write!(f, "{ty}"),
            Form::Array(element, count) => write!(f, "[{element}; {count}]"),
            Form::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(Form::to_string).collect();
                let comma = if parts.len() == 1 { "," } else { "" };
                write!(f, "({}{comma})", parts.join(", "))
            }
            Form::Struct(named, _) => f.write_str(&named.name),
        }
    }
}

/// Returns the FNV-1a hash of a text.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

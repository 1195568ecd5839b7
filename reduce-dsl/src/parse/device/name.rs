//! Names and paths: parameters, `let`s and constants, and errors for unknown ones.

use super::{Constant, Reader};
use crate::parse::constants::{self, Constants};
use crate::parse::diagnostic::Extent;
use crate::parse::hygiene::Name;
use crate::parse::role::Dialect;
use crate::parse::tree::{Ex, Kind};
use crate::parse::types::Ty;
use crate::parse::{forms, names};
use proc_macro2::TokenStream;
use quote::ToTokens;
use reduce_ir::value::Values;
use reduce_ir::{Scalar, Value, constants as named};
use syn::{Expr, ExprCast, ExprPath, Path};

impl Reader<'_> {
    pub(super) fn path(&mut self, path: &ExprPath) -> Ex {
        let place = Extent::of(path);
        if path.qself.is_some() || path.path.segments.iter().any(|it| !it.arguments.is_none()) {
            return self.unknown_path(&path.path);
        }
        match path.path.get_ident() {
            Some(name) => {
                let name = Name::of(name);
                let constant = if self.is_local(&name) { None } else { self.outer(&path.path) };
                constant.unwrap_or_else(|| self.local_name(&name, place))
            }
            None => self.constant(&path.path),
        }
    }

    /// Reads a constant of the user, which only the macro has: `LIMIT` or `crate::LIMIT`.
    fn outer(&mut self, path: &Path) -> Option<Ex> {
        let name = self.name_of_outer(path)?;
        let place = Extent::of(path);
        match &*self.role.constants {
            Constants::Open => {}
            Constants::Assumed(assumed) => assumed.note(&name, path, self.role.name),
            Constants::Known(values) => {
                let name = constants::spelled(path);
                let (_, values) = values.iter().find(|(known, _)| *known == name)?.clone();
                return Some(self.known(values, place));
            }
        }
        let ty = self.types.of_constant();
        Some(self.constant_as(path.to_token_stream(), name, ty, place))
    }

    fn known(&mut self, values: Values, place: Extent) -> Ex {
        let one = |value: Value| Ex { kind: Kind::Value(value), ty: Ty::Scalar(value.ty()), place };
        match values {
            Values::One(value) => one(value),
            Values::Array(values) => match values.first() {
                Some(first) => {
                    let ty = self.types.array(Ty::Scalar(first.ty()), values.len());
                    Ex { kind: Kind::Struct(values.into_iter().map(one).collect()), ty, place }
                }
                None => self.error(place, "this array has no elements; write its values"),
            },
        }
    }

    /// Takes a constant whose value is assumed for an array, if nothing else is known about it.
    pub(super) fn assume_array(&mut self, ty: Ty) {
        if let Constants::Assumed(assumed) = &*self.role.constants {
            self.types.make_array(ty, assumed.len());
        }
    }

    /// Reads `LIMIT as f64` as a constant of that type, because the type of `LIMIT` is not known.
    pub(super) fn cast_outer(&mut self, cast: &ExprCast, ty: Ty) -> Option<Ex> {
        let (Expr::Path(path), Ty::Scalar(_)) = (&*cast.expr, ty) else { return None };
        if !matches!(*self.role.constants, Constants::Open) {
            return None;
        }
        let is_local = path.path.get_ident().is_some_and(|name| self.is_local(&Name::of(name)));
        let name = self.name_of_outer(&path.path).filter(|_| !is_local)?;
        let name = format!("{name}__as__{}", self.types.scalar(ty));
        Some(self.constant_as(cast.to_token_stream(), name, ty, Extent::of(cast)))
    }

    /// Returns the name of the param for a constant of the user.
    fn name_of_outer(&self, path: &Path) -> Option<String> {
        let name = path.segments.last()?.ident.to_string();
        let constants = &self.role.constants;
        let sees = constants.are_seen_by(self.role.name)
            && (self.open.is_empty() || !matches!(**constants, Constants::Open));
        let of_library = |word: &str| matches!(word, "core" | "std") || forms::scalar(word).is_some();
        let is_known = path.segments.first().is_some_and(|it| of_library(&it.ident.to_string()));
        let words = path.segments.iter().map(|it| constants::word(&it.ident));
        (names::is_constant(&name) && !is_known && sees && self.role.dialect == Dialect::Rust)
            .then(|| format!("const__{}", words.collect::<Vec<_>>().join("__")))
    }

    fn constant_as(&mut self, tokens: TokenStream, name: String, ty: Ty, place: Extent) -> Ex {
        let known = self.constants.iter().find(|known| known.name == name);
        let (local, ty) = known.map(|known| (known.local, known.ty)).unwrap_or_else(|| {
            let local = self.bind(None, ty);
            self.constants.push(Constant { tokens, name, local, ty });
            (local, ty)
        });
        Ex { kind: Kind::Local(local), ty, place }
    }

    fn is_local(&self, name: &Name) -> bool {
        self.names.iter().any(|(known, _)| known.word == name.word)
    }

    /// Reads the name of a parameter or a `let`.
    pub(super) fn local_name(&mut self, name: &Name, place: Extent) -> Ex {
        let names = || self.names.iter().rev();
        // Names from other macros may differ only in hygiene. rustc decides whether they are one name.
        let found = names().find(|(known, _)| known == name);
        match found.or_else(|| names().find(|(known, _)| known.word == name.word)) {
            Some(&(_, local)) => Ex { kind: Kind::Local(local), ty: self.locals[local].ty, place },
            None => self.unknown_name(&name.word, place),
        }
    }

    /// Reports a name that looks like a capture, and suggests the field that declares it or the name that was
    /// probably meant.
    fn unknown_name(&mut self, name: &str, place: Extent) -> Ex {
        let role = self.role;
        if let Some(hidden) = role.hidden.iter().find(|hidden| hidden.name == name) {
            return self.error_with_help(place, hidden.message(role.name), hidden.help);
        }
        if role.lacks_names {
            return Ex::wrong(place);
        }
        let (message, otherwise) = if names::is_constant(name) {
            (format!("the value of `{name}` is not known here"), "write the number, or ")
        } else {
            (format!("`{name}` is not defined in this closure, which cannot capture variables"), "")
        };
        let known: Vec<_> = self.names.iter().map(|(name, _)| name.word.as_str()).collect();
        let near = names::nearest(name, &known).map(|near| format!("did you mean `{near}`?"));
        let near = near.or_else(|| self.of_the_language(name));
        let param = name.to_lowercase();
        let field = match names::refuse_input(&param) {
            None => format!("{{ {param}: {} }}", role.number),
            Some(_) => format!("{{ k: {} }}", role.number),
        };
        let give = match role.name {
            "op" => "it combines two accumulators; move this to `map`, `fold` or `finish`".to_owned(),
            "identity" | "empty" => "write the value, as in `0.0`".to_owned(),
            _ => format!("{otherwise}give it at the call: add the field `params: {field}`"),
        };
        self.error_with_help(place, message, near.unwrap_or(give))
    }

    /// Returns the help for a name that is not in scope but stands for a feature of the language.
    fn of_the_language(&self, name: &str) -> Option<String> {
        let has_index = self.role.has_index;
        match (self.role.name, name) {
            ("finish", "n" | "len" | "count") => {
                Some("take the number of elements as a second parameter: `finish: |acc, n| …`".to_owned())
            }
            ("map" | "fold", "i" | "idx" | "index" | "pos" | "position") if !has_index => {
                Some("for the position of the element, add the field `index: i`".to_owned())
            }
            ("identity", "None" | "NONE" | "null") => Some("write `none`, if no value is neutral".to_owned()),
            ("empty", "none" | "None" | "NONE" | "null") => Some(
                "leave `empty` out; then no elements are an error, or have the result of the identity"
                    .to_owned(),
            ),
            ("fold", "step") => {
                Some("take the step as a last parameter: `fold: |acc, x, step| …`".to_owned())
            }
            _ => None,
        }
    }

    /// Reads `f32::INFINITY` or `core::f32::consts::PI`. The latter belongs to a module, not to the type.
    fn constant(&mut self, path: &Path) -> Ex {
        let place = Extent::of(path);
        let words: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let words = match words.as_slice() {
            ["core" | "std", rest @ ..] => rest,
            [ty, "consts", name] if Scalar::from_name(ty).is_some() => {
                let help = format!("write `core::{ty}::consts::{name}`");
                return self.error_with_help(place, format!("`{ty}::consts` is a module of `core`"), help);
            }
            all => all,
        };
        let (ty, value) = match words {
            [ty, "consts", name] => (ty, Scalar::from_name(ty).map(|ty| (ty, names::mathematical(ty, name)))),
            [ty, name] => (ty, forms::scalar(ty).map(|ty| (ty, named::constant(ty, name)))),
            _ => return self.unknown_path(path),
        };
        match value {
            None => self.unknown_path(path),
            Some((_, Some(value))) => Ex { kind: Kind::Value(value), ty: Ty::Scalar(value.ty()), place },
            Some((_, None)) => {
                let name = words.last().copied().unwrap_or_default();
                let known = names::constants_of(Scalar::from_name(ty).filter(|_| words.len() == 2));
                let help = match names::nearest(name, &known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the constants are {}", known.join(", ")),
                };
                self.error_with_help(place, format!("{ty} has no constant `{name}` here"), help)
            }
        }
    }

    fn unknown_path(&mut self, path: &Path) -> Ex {
        if let Some(constant) = self.outer(path) {
            return constant;
        }
        let help = "write the number, or give it at the call in the field `params`";
        self.error_with_help(Extent::of(path), "the value of this path is not known here", help)
    }
}

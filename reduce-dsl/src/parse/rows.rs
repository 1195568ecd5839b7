//! The texts of rows of the table of operators and of methods. Their language and checks are those of closures,
//! with words that stand for types and constants.

use super::closure::Lambda;
use super::constants::Constants;
use super::diagnostic::Errors;
use super::helpers::Helpers;
use super::hygiene::Name;
use super::role::{Dialect, Role};
use super::typing::{self, Typed};
use proc_macro2::{Group, TokenStream, TokenTree};
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::Record;
use reduce_ir::{Scalar, Value};
use std::rc::Rc;

/// The scope of the closures of a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row<'a> {
    /// Identifiers that stand for other tokens: `T` for `f32`, `LEAST` for `f32::NEG_INFINITY`.
    pub(crate) words: &'a [(&'a str, &'a str)],
    /// Scalars that are in scope by name: the position and the params. Unused ones do not become parameters of
    /// the function.
    pub(crate) free: &'a [Param],
    /// Structs by their names.
    pub(crate) records: &'a [Record],
}

impl Row<'_> {
    /// Reads the closure `text` as a function of `params`, each a name with its type. Returns the function and
    /// its result type, which is `result` if that is given.
    ///
    /// # Errors
    /// The row is wrong: a bug of this project.
    pub(crate) fn function(
        &self,
        text: &str,
        params: &[(&str, Record)],
        result: Option<&Record>,
    ) -> Result<(Func, Record), String> {
        let closure = syn::parse2(self.tokens(text)?).map_err(|error| format!("{error}, in `{text}`"))?;
        let mut errors = Errors::default();
        let lambda = Lambda::read(&closure, &mut errors);
        let typed = lambda.and_then(|lambda| self.typed(&lambda, params, result, &mut errors));
        typed.map(|it| (it.func, it.result)).ok_or_else(|| first(&mut errors, text))
    }

    /// Evaluates the expression `text` to a value of type `record`.
    ///
    /// # Errors
    /// The row is wrong: a bug of this project.
    pub(crate) fn value(&self, text: &str, record: &Record) -> Result<Vec<Value>, String> {
        let body = syn::parse2(self.tokens(text)?).map_err(|error| format!("{error}, in `{text}`"))?;
        let mut errors = Errors::default();
        let typed = self.typed(&Lambda::constant(&body), &[], Some(record), &mut errors);
        let func = typed.ok_or_else(|| first(&mut errors, text))?.func;
        func.evaluate(&[]).map_err(|error| error.to_string())
    }

    fn typed(
        &self,
        lambda: &Lambda,
        params: &[(&str, Record)],
        result: Option<&Record>,
        errors: &mut Errors,
    ) -> Option<Typed> {
        let role = Role {
            name: "row",
            dialect: Dialect::Row,
            constants: Rc::new(Constants::Open),
            params: params.iter().map(|(name, ty)| ((*name).to_owned(), Some(ty.clone()))).collect(),
            optional: 0,
            free: self.free.iter().map(|free| (Name::plain(&free.name), free.clone())).collect(),
            has_index: true,
            lacks_names: false,
            hidden: Vec::new(),
            records: self.records.to_vec(),
            forms: Vec::new(),
            helpers: Helpers::default(),
            lenient: false,
            defines: None,
            result: result.map(|record| (record.clone(), "its type")),
            number: Scalar::F32,
        };
        typing::closure(lambda, &role, definition, errors)
    }

    fn tokens(&self, text: &str) -> Result<TokenStream, String> {
        let tokens = text.parse::<TokenStream>().map_err(|error| format!("{error}, in `{text}`"))?;
        self.replaced(tokens)
    }

    fn replaced(&self, tokens: TokenStream) -> Result<TokenStream, String> {
        let one = |tree: TokenTree| match tree {
            TokenTree::Ident(word) => match self.words.iter().find(|(name, _)| word == name) {
                Some((_, tokens)) => tokens.parse().map_err(|error| format!("{error}, in `{tokens}`")),
                None => Ok(TokenTree::from(word).into()),
            },
            TokenTree::Group(group) => {
                let inside = self.replaced(group.stream())?;
                Ok(TokenTree::from(Group::new(group.delimiter(), inside)).into())
            }
            other @ (TokenTree::Punct(_) | TokenTree::Literal(_)) => Ok(TokenStream::from(other)),
        };
        tokens.into_iter().map(one).collect()
    }
}

fn first(errors: &mut Errors, text: &str) -> String {
    let message = errors.finish().into_iter().next().map_or_else(String::new, |error| error.message);
    format!("{message}, in `{text}`")
}

/// Reads the text of a method as a function of operands of those types.
pub(super) fn definition(text: &str, types: &[Scalar]) -> Result<Func, String> {
    let Some(&ty) = types.first() else { return Err(format!("no receiver, in `{text}`")) };
    let (bits, top) = (ty.bits_type().name(), (8 * ty.size() - 1).to_string());
    let words = [("T", ty.name()), ("U", bits), ("TOP", &*top)];
    let closure = text.split('|').nth(1).unwrap_or_default();
    let params: Vec<_> =
        closure.split(", ").zip(types).map(|(name, &ty)| (name, Record::scalar(ty))).collect();
    let row = Row { words: &words, free: &[], records: &[] };
    row.function(text, &params, None).map(|(func, _)| func)
}

#[cfg(test)]
mod tests {
    use super::Row;
    use reduce_ir::func::Param;
    use reduce_ir::operation::Record;
    use reduce_ir::{Scalar, Value};

    /// Tests a row that selects the larger of two values with their positions, for every type.
    #[test]
    fn a_row_is_typed_for_every_type() {
        for ty in Scalar::ALL {
            let best = Record::of("Best", &[("value", ty), ("index", Scalar::U64)]);
            let (words, records) = ([("T", ty.name())], [best.clone()]);
            let row = Row { words: &words, free: &[Param::new("index", Scalar::U64)], records: &records };
            let map = row.function("|x| Best { value: x, index }", &[("x", Record::scalar(ty))], Some(&best));
            assert_eq!(map.map(|(func, _)| func.params().len()), Ok(2));
            let combine = "|a, b| if b.value.is_nan() || (b.value as T) == a.value && b.index < a.index { b } else { a }";
            let (combine, result) = row
                .function(combine, &[("a", best.clone()), ("b", best.clone())], Some(&best))
                .unwrap_or_else(|error| unreachable!("{error}"));
            assert_eq!((combine.params().len(), result), (4, best));
        }
    }

    #[test]
    fn a_row_has_values() {
        let words = [("LEAST", "f64::NEG_INFINITY")];
        let row = Row { words: &words, ..Row::default() };
        let least = row.value("LEAST", &Record::scalar(Scalar::F64));
        assert_eq!(least, Ok(vec![Value::of(f64::NEG_INFINITY)]));
        let message = row.value("LEAST", &Record::scalar(Scalar::I32)).err().unwrap_or_default();
        assert_eq!(message, "`row` gives its type, i32, and this is f64, in `LEAST`");
    }
}

//! Reads tokens into fields: the values as written, each with its place. Nothing is resolved here.
//!
//! A field that cannot be read is reported, and reading continues with the next one.

mod axes;
mod brackets;
mod export;
mod function;
mod keys;
mod params;
mod schedule;
mod syntax;
mod values;

pub(super) use axes::{Axes, Inputs, Segments, Term};
pub use export::Export;
pub(super) use keys::{By, Groups};
pub(super) use params::{Params, WrittenParam};
pub(super) use schedule::{Argument, Schedule, Word};
pub(super) use values::{Acc, Element, Names, Op};

use super::closure::Lambda;
use super::diagnostic::{Errors, Extent};
use super::names;
use super::written::Written;
use proc_macro2::{Ident, TokenStream, TokenTree};
use reduce_ir::Scalar;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprClosure, ItemFn, LitBool, LitInt, Token, braced};
use syntax::{DOCUMENTED, error, word};

/// The fields, in the order of the canonical text.
const FIELDS: [&str; 24] = [
    "ty",
    "inputs",
    "layout",
    "axes",
    "segments",
    "by",
    "groups",
    "others",
    "params",
    "index",
    "filter",
    "map",
    "acc",
    "op",
    "fold",
    "identity",
    "commutative",
    "finish",
    "empty",
    "nan",
    "ties",
    "order",
    "block",
    "passes",
];

/// The fields of a specification, as written.
#[derive(Default)]
pub(super) struct Fields {
    /// The names of the written fields, including those whose values could not be read.
    written: Vec<Ident>,
    /// Whether a field could not be read, so that a missing one may be that field.
    pub(super) lacks: bool,
    pub(super) export: Option<Export>,
    /// Helper functions.
    pub(super) helpers: Vec<ItemFn>,
    pub(super) ty: Option<Element>,
    pub(super) inputs: Option<Names>,
    pub(super) layout: Option<Ident>,
    pub(super) axes: Option<Axes>,
    pub(super) segments: Option<Segments>,
    pub(super) by: Option<By>,
    pub(super) groups: Option<Groups>,
    pub(super) others: Option<Ident>,
    pub(super) params: Option<Params>,
    pub(super) index: Option<Ident>,
    pub(super) filter: Option<ExprClosure>,
    pub(super) map: Option<ExprClosure>,
    pub(super) acc: Option<Acc>,
    pub(super) op: Option<Op>,
    /// The type of `op`, if it is a function of that type, such as `f32::max`.
    pub(super) op_type: Option<Scalar>,
    pub(super) fold: Option<ExprClosure>,
    pub(super) identity: Option<Expr>,
    pub(super) commutative: Option<LitBool>,
    pub(super) finish: Option<ExprClosure>,
    pub(super) empty: Option<Expr>,
    pub(super) nan: Option<Ident>,
    pub(super) ties: Option<Ident>,
    pub(super) order: Option<Ident>,
    pub(super) block: Option<LitInt>,
    pub(super) passes: Option<Schedule>,
}

impl Fields {
    /// Reads the fields alone, or the macro call in any brackets, including angle brackets.
    pub(super) fn read(tokens: TokenStream, errors: &mut Errors) -> Fields {
        let mut fields = Fields::default();
        let parser = |input: ParseStream| {
            let content;
            braced!(content in input);
            match export::read(&content) {
                Ok(export) => fields.export = export,
                Err(error) => {
                    errors.add_syntax(error);
                    skip_to_field(&content);
                }
            }
            fields.read_all(&content, errors);
            Ok(())
        };
        // Tokens left over after a syntax error are not a second error.
        if let Err(error) = parser.parse2(brackets::enclosed(tokens))
            && errors.is_empty()
        {
            errors.add_syntax(error);
        }
        function::expand(&mut fields, errors);
        fields
    }

    /// Returns whether a field of that name is written, even if its value could not be read.
    pub(super) fn has(&self, name: &str) -> bool {
        self.name(name).is_some()
    }

    /// Returns whether keys number the groups.
    pub(super) fn has_keys(&self) -> bool {
        self.has("by") && matches!(self.groups, Some(Groups::Number(_)))
    }

    /// Returns the state of the field of that name.
    pub(super) fn value<T>(&self, name: &str, value: Option<T>) -> Written<T> {
        match value {
            Some(value) => Written::Is(value),
            None if self.has(name) => Written::Wrong,
            None => Written::Absent,
        }
    }

    /// Reads the closure of the field of that name.
    pub(super) fn lambda(
        &self,
        name: &str,
        closure: Option<&ExprClosure>,
        errors: &mut Errors,
    ) -> Written<Lambda> {
        self.value(name, closure).then(|closure| Lambda::read(closure, errors))
    }

    /// Returns the place of the value of `op`.
    pub(super) fn op_place(&self) -> Extent {
        match &self.op {
            Some(Op::Name(name)) => name.span().into(),
            Some(Op::Function(path)) => Extent::of(path),
            Some(Op::Closure(closure)) => Extent::of(closure),
            None => Extent::whole(),
        }
    }

    /// Returns the name token of a field, if the field is written.
    pub(super) fn name(&self, name: &str) -> Option<&Ident> {
        self.written.iter().find(|written| *written == name)
    }

    fn read_all(&mut self, input: ParseStream, errors: &mut Errors) {
        while !input.is_empty() {
            if input.peek(Token![fn]) {
                match input.parse() {
                    Ok(helper) => self.helpers.push(helper),
                    Err(error) => {
                        errors.add_syntax(error);
                        skip_to_field(input);
                    }
                }
                let _ = input.parse::<Option<Token![,]>>();
                continue;
            }
            let outcome = self.read_field(input, errors).and_then(|()| separator(input));
            if let Err(error) = outcome {
                errors.add_syntax(error);
                self.lacks = true;
                skip_to_field(input);
                let _ = separator(input);
            }
        }
    }

    fn read_field(&mut self, input: ParseStream, errors: &mut Errors) -> syn::Result<()> {
        if input.peek(Token![<]) {
            return Err(error(input, "this `<` is never closed"));
        }
        if input.peek(Token![#]) {
            return Err(error(input, DOCUMENTED));
        }
        if !input.peek(Ident::peek_any) {
            return Err(error(input, "expected a field, as in `op: max`"));
        }
        let name = input.call(Ident::parse_any)?;
        let word = name.to_string();
        let again = self.has(&word);
        if !again {
            self.written.push(name.clone());
        }
        if !input.peek(Token![:]) || input.peek(Token![::]) {
            return Err(error(input, format!("expected `:` and a value after `{word}`")));
        }
        input.parse::<Token![:]>()?;
        if again {
            errors.add(name.span(), format!("`{word}` is written twice"));
            return Fields::default().read_value(&name, input, &mut Errors::default());
        }
        self.read_value(&name, input, errors)
    }

    fn read_value(&mut self, name: &Ident, input: ParseStream, errors: &mut Errors) -> syn::Result<()> {
        match name.to_string().as_str() {
            "ty" => {
                let element = values::element(input, "`ty` is the name of a type, as in `ty: f32`")?;
                let ty = &element.ty;
                if input.peek(Token![<]) {
                    errors
                        .add(ty.span(), format!("`{ty}` is no scalar type"))
                        .help("complex numbers are arrays, as in `ty: [f32; 2]`, or two inputs");
                    skip_to_field(input);
                } else {
                    self.ty = Some(element);
                }
            }
            "inputs" => self.inputs = Some(values::names(input, &values::INPUTS)?),
            "layout" => {
                let expected = "`layout` is `contiguous` or `strided`, as in `layout: strided`";
                self.layout = Some(word(input, expected)?);
            }
            "axes" => self.axes = Some(axes::axes(input)?),
            "segments" => self.segments = Some(axes::segments(input)?),
            "by" => self.by = Some(keys::by(input)?),
            "groups" => self.groups = Some(keys::groups(input)?),
            "others" => {
                let expected = "`others` says what becomes of other keys: `error` or `drop`";
                self.others = Some(word(input, expected)?);
            }
            "params" => self.params = Some(params::params(input)?),
            "index" => {
                self.index = Some(word(input, "`index` is a name for the position, as in `index: i`")?)
            }
            "filter" => {
                self.filter = Some(values::closure(
                    input,
                    "`filter` is a closure on the inputs that gives a bool, as in `filter: |x| x > 0.0`",
                )?);
            }
            "map" => {
                self.map = Some(values::closure(
                    input,
                    "`map` is a closure on the inputs, as in `map: |x| x.abs()`",
                )?);
            }
            "acc" => self.acc = Some(values::acc(input)?),
            "op" => self.op = Some(values::op(input)?),
            "fold" => {
                let expected =
                    "`fold` is a closure that adds one element, as in `fold: |acc, x| acc + x * x`";
                self.fold = Some(values::closure(input, expected)?);
            }
            "identity" => self.identity = Some(input.parse()?),
            "commutative" => self.commutative = Some(values::bool(input)?),
            "finish" => {
                let expected = "`finish` is a closure on the accumulator, as in `finish: |acc| acc.sqrt()`";
                self.finish = Some(values::closure(input, expected)?);
            }
            "empty" => self.empty = Some(input.parse()?),
            "nan" => self.nan = Some(word(input, "`nan` is `propagate` or `ignore`, as in `nan: ignore`")?),
            "ties" => self.ties = Some(word(input, "`ties` is `first` or `last`, as in `ties: last`")?),
            "order" => self.order = Some(word(input, "`order` is `fixed` or `any`, as in `order: any`")?),
            "block" => self.block = Some(values::number(input)?),
            "passes" => self.passes = Some(schedule::schedule(input, errors)?),
            _ => {
                names::unknown("field", name, &FIELDS, errors);
                self.lacks = true;
                skip_to_field(input);
            }
        }
        Ok(())
    }
}

fn separator(input: ParseStream) -> syn::Result<()> {
    if input.is_empty() {
        return Ok(());
    }
    if !input.peek(Token![,]) {
        return Err(error(input, "expected `,` and the next field"));
    }
    input.parse::<Token![,]>().map(|_| ())
}

/// Skips to the comma before the next apparent field, or to that field.
fn skip_to_field(input: ParseStream) {
    let at_field = |input: ParseStream| {
        input.peek(Ident::peek_any) && input.peek2(Token![:]) && !input.peek2(Token![::])
    };
    let before_field = |input: ParseStream| {
        let comma = input.fork();
        comma.parse::<Token![,]>().is_ok() && at_field(&comma)
    };
    while !(input.is_empty() || at_field(input) || before_field(input)) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

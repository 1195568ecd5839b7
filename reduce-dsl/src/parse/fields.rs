//! Tokens → fields: what is written, each part with its place. Nothing is resolved here.
//!
//! A field that cannot be read is reported, and reading goes on with the next one.

use super::diagnostic::{Errors, Extent};
use super::names;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use std::fmt::Display;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprClosure, LitInt, Token, braced, bracketed, parenthesized, token};

/// The fields, in the order in which the canonical text has them.
const FIELDS: [&str; 9] = ["ty", "inputs", "layout", "map", "op", "identity", "order", "block", "passes"];

/// Fields of the language that this version does not have.
const LATER: [&str; 8] = ["acc", "commutative", "finish", "fold", "index", "nan", "params", "ties"];

/// The fields of a specification, as written.
#[derive(Default)]
pub(super) struct Fields {
    /// The names of the fields that are written, whether or not their values could be read.
    written: Vec<String>,
    pub(super) ty: Option<Ident>,
    pub(super) inputs: Option<Inputs>,
    pub(super) layout: Option<Ident>,
    pub(super) map: Option<ExprClosure>,
    pub(super) op: Option<Ident>,
    pub(super) identity: Option<Expr>,
    pub(super) order: Option<Ident>,
    pub(super) block: Option<LitInt>,
    pub(super) passes: Option<Schedule>,
}

/// `{ x: f32, y: f32 }`.
pub(super) struct Inputs {
    pub(super) place: Extent,
    pub(super) inputs: Vec<(Ident, Ident)>,
}

/// `[shuffle, coarsen(4)]`, or `auto`.
pub(super) struct Schedule {
    pub(super) place: Extent,
    pub(super) passes: Option<Vec<Word>>,
}

/// `coarsen(4)`.
pub(super) struct Word {
    pub(super) name: Ident,
    pub(super) argument: Option<Argument>,
    pub(super) place: Extent,
}

/// What stands in the parentheses of a pass.
pub(super) struct Argument {
    pub(super) tokens: TokenStream,
    pub(super) place: Extent,
}

impl Fields {
    /// Reads the fields alone, or the macro call in any brackets, angle ones too.
    pub(super) fn read(tokens: TokenStream, errors: &mut Errors) -> Fields {
        let mut fields = Fields::default();
        let parser = |input: ParseStream| {
            let content;
            braced!(content in input);
            fields.read_all(&content, errors);
            Ok(())
        };
        if let Err(error) = parser.parse2(enclosed(tokens)) {
            errors.add_syntax(error);
        }
        fields
    }

    /// Is a field of that name there, whether or not its value could be read?
    pub(super) fn has(&self, name: &str) -> bool {
        self.written.iter().any(|written| written == name)
    }

    fn read_all(&mut self, input: ParseStream, errors: &mut Errors) {
        while !input.is_empty() {
            let outcome = self.read_field(input, errors).and_then(|()| separator(input));
            if let Err(error) = outcome {
                errors.add_syntax(error);
                skip_to_field(input);
                let _ = separator(input);
            }
        }
    }

    fn read_field(&mut self, input: ParseStream, errors: &mut Errors) -> syn::Result<()> {
        if input.peek(Token![<]) {
            return Err(error(input, "this `<` is never closed"));
        }
        if !input.peek(Ident::peek_any) {
            return Err(error(input, "expected a field, as in `op: max`"));
        }
        let name = input.call(Ident::parse_any)?;
        let word = name.to_string();
        let again = self.has(&word);
        if !again {
            self.written.push(word.clone());
        }
        if !input.peek(Token![:]) {
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
            "ty" => self.ty = Some(word(input, "`ty` is the name of a type, as in `ty: f32`")?),
            "inputs" => self.inputs = Some(read_inputs(input)?),
            "layout" => {
                self.layout =
                    Some(word(input, "`layout` is `contiguous` or `strided`, as in `layout: strided`")?);
            }
            "map" => self.map = Some(closure(input)?),
            "op" => self.op = Some(operator(input)?),
            "identity" => self.identity = Some(input.parse()?),
            "order" => self.order = Some(word(input, "`order` is `fixed` or `any`, as in `order: any`")?),
            "block" => self.block = Some(number(input)?),
            "passes" => self.passes = Some(schedule(input, errors)?),
            other => {
                unknown(other, name, errors);
                skip_to_field(input);
            }
        }
        Ok(())
    }
}

/// The fields in braces whose place is that of the last token, where errors of a missing end belong.
fn enclosed(tokens: TokenStream) -> TokenStream {
    let trees = inside_brackets(tokens.into_iter().collect());
    let end = trees.last().map(TokenTree::span);
    let mut group = Group::new(Delimiter::Brace, trees.into_iter().collect());
    if let Some(end) = end {
        group.set_span(end);
    }
    TokenTree::from(group).into()
}

/// How the macro is called.
const CALLS: [&[&str]; 2] = [&["reduction", "!"], &["reducegen", ":", ":", "reduction", "!"]];

fn inside_brackets(mut trees: Vec<TokenTree>) -> Vec<TokenTree> {
    let is = |tree: Option<&TokenTree>, text: &str| tree.is_some_and(|tree| tree.to_string() == text);
    let starts = |call: &&&[&str]| call.iter().enumerate().all(|(i, text)| is(trees.get(i), text));
    if let Some(call) = CALLS.iter().find(starts) {
        trees.drain(..call.len());
        trees.pop_if(|last| is(Some(last), ";"));
    }
    if let [TokenTree::Group(group)] = trees.as_slice() {
        trees = group.stream().into_iter().collect();
    }
    if is(trees.first(), "<") && is(trees.last(), ">") && trees.len() > 1 {
        trees.pop();
        trees.remove(0);
    }
    trees
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

/// Goes to the comma before what seems to be the next field, or to that field.
fn skip_to_field(input: ParseStream) {
    let at_field = |input: ParseStream| input.peek(Ident::peek_any) && input.peek2(Token![:]);
    let before_field =
        |input: ParseStream| input.peek(Token![,]) && input.peek2(Ident::peek_any) && input.peek3(Token![:]);
    while !(input.is_empty() || at_field(input) || before_field(input)) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

fn unknown(word: &str, name: &Ident, errors: &mut Errors) {
    if LATER.contains(&word) {
        errors.add(name.span(), format!("this version does not support the field `{word}` yet"));
        return;
    }
    names::unknown("field", name, &FIELDS, errors);
}

/// An error at the next token; at the end of the input, at the last one.
fn error(input: ParseStream, message: impl Display) -> syn::Error {
    syn::Error::new(input.span(), message)
}

fn word(input: ParseStream, expected: &str) -> syn::Result<Ident> {
    if input.peek(Ident::peek_any) { input.call(Ident::parse_any) } else { Err(error(input, expected)) }
}

fn number(input: ParseStream) -> syn::Result<LitInt> {
    if input.peek(LitInt) {
        input.parse()
    } else {
        Err(error(input, "`block` is a number, as in `block: 256`"))
    }
}

fn closure(input: ParseStream) -> syn::Result<ExprClosure> {
    if input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move]) {
        return input.parse();
    }
    Err(error(input, "`map` is a closure on the inputs, as in `map: |x| x.abs()`"))
}

fn operator(input: ParseStream) -> syn::Result<Ident> {
    if input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move]) {
        let closure: ExprClosure = input.parse()?;
        let known = names::operators().join(", ");
        let message = format!("closures for `op` are not supported by this version; name one of {known}");
        return Err(syn::Error::new_spanned(closure, message));
    }
    word(input, "`op` is the name of an operator, as in `op: sum`")
}

fn read_inputs(input: ParseStream) -> syn::Result<Inputs> {
    if !input.peek(token::Brace) {
        return Err(error(
            input,
            "`inputs` names inputs and their types, as in `inputs: { x: f32, y: f32 }`",
        ));
    }
    let content;
    let brace = braced!(content in input);
    let inputs = named_types(&content);
    // What is left behind would be reported a second time.
    content.parse::<TokenStream>()?;
    Ok(Inputs { place: brace.span.join().into(), inputs: inputs? })
}

fn named_types(input: ParseStream) -> syn::Result<Vec<(Ident, Ident)>> {
    let mut inputs = Vec::new();
    while !input.is_empty() {
        let name = word(input, "expected the name of an input, as in `x: f32`")?;
        if !input.peek(Token![:]) {
            return Err(syn::Error::new(name.span(), format!("expected a type too, as in `{name}: f32`")));
        }
        input.parse::<Token![:]>()?;
        inputs.push((name, word(input, "expected the type of the input, as in `x: f32`")?));
        if !(input.is_empty() || input.peek(Token![,])) {
            return Err(error(input, "expected `,` and the next input"));
        }
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(inputs)
}

fn schedule(input: ParseStream, errors: &mut Errors) -> syn::Result<Schedule> {
    if input.peek(token::Bracket) {
        let content;
        let bracket = bracketed!(content in input);
        let passes = Some(words(&content, errors));
        return Ok(Schedule { place: bracket.span.join().into(), passes });
    }
    let expected = "`passes` is a list, as in `passes: [shuffle, coarsen(4)]`, or `auto`";
    let name = word(&input.fork(), expected)?;
    if name != "auto" {
        return Err(error(input, expected));
    }
    input.call(Ident::parse_any)?;
    Ok(Schedule { place: name.span().into(), passes: None })
}

fn words(input: ParseStream, errors: &mut Errors) -> Vec<Word> {
    let mut words = Vec::new();
    while !input.is_empty() {
        match pass(input) {
            Ok(word) => words.push(word),
            Err(error) => errors.add_syntax(error),
        }
        while !input.is_empty() && !input.peek(Token![,]) {
            if input.parse::<TokenTree>().is_err() {
                return words;
            }
        }
        if input.parse::<Option<Token![,]>>().is_err() {
            return words;
        }
    }
    words
}

/// The words of a hyphenated name behind the first, joined as names of passes are.
fn behind_hyphens(input: ParseStream) -> syn::Result<String> {
    let mut words = Vec::new();
    while input.parse::<Option<Token![-]>>()?.is_some() {
        words.push(input.call(Ident::parse_any)?.to_string());
    }
    Ok(words.join("_"))
}

fn pass(input: ParseStream) -> syn::Result<Word> {
    let name = word(input, "expected a pass, as in `shuffle`")?;
    let mut word = Word { place: name.span().into(), name, argument: None };
    if input.peek(token::Paren) {
        let content;
        let paren = parenthesized!(content in input);
        let tokens: TokenStream = content.parse()?;
        let closing = paren.span.close();
        let place = if tokens.is_empty() { paren.span.join().into() } else { Extent::of(&tokens) };
        word.place = Extent { start: word.name.span(), end: closing };
        word.argument = Some(Argument { tokens, place });
    }
    if input.is_empty() || input.peek(Token![,]) {
        Ok(word)
    } else if let (true, Ok(rest)) = (input.peek(Token![-]), input.fork().call(behind_hyphens)) {
        Err(error(input, format!("passes have no `-` in their names; write `{}_{rest}`", word.name)))
    } else {
        Err(error(input, "expected `,` and the next pass"))
    }
}

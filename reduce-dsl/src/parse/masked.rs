//! A specification for data with gaps: one more input says which elements are present, and `filter` asks it.
//!
//! ```text
//! ty: f64, op: mean   -->   inputs: { x: f64, present: bool }, filter: |x, present| present, map: |x, present| x, op: mean
//! ```

use super::{Diagnostic, SpecError};
use proc_macro2::{Spacing, TokenStream, TokenTree};
use reduce_ir::Spec;
use reduce_ir::func::Param;

/// A field: its name and its value.
type Field = (String, Vec<TokenTree>);

/// Returns the specification for data with gaps: its last input is a `bool`, whether an element is present.
///
/// # Errors
/// An operator of several inputs has no `map`, or the axes of each input are named: then write that input yourself.
pub fn masked_spec(spec: &Spec) -> Result<Spec, SpecError> {
    let refused = || {
        let message =
            "elements may be absent, and this specification has no place for the input that says so";
        let help = "write `map`, as in `map: |x, y| x * y, op: sum`, or the input itself: `inputs: { x: f32, present: bool }, filter: |x, present| present`";
        let diagnostic = Diagnostic { help: Some(help.to_owned()), ..Diagnostic::error(0..0, message) };
        SpecError::new(&spec.text, vec![diagnostic])
    };
    super::spec(&masked(&spec.text, &spec.operation.inputs).ok_or_else(refused)?)
}

/// Returns the text of a specification whose last input is a `bool`: whether an element is present. `text` is canonical. `None` if an
/// operator of several inputs has no `map` that could leave the last one out, or if the text names the axes of each input.
pub fn masked(text: &str, inputs: &[Param]) -> Option<String> {
    let name = mask_name(text);
    let fields = fields(text)?;
    let has = |name: &str| fields.iter().any(|(field, _)| field == name);
    let names: Vec<_> = inputs.iter().map(|input| input.name.as_str()).chain([name.as_str()]).collect();
    let typed = |(name, ty)| format!("{name}: {ty}");
    let types = inputs.iter().map(|input| input.ty.name()).chain(["bool"]);
    let types: Vec<_> = names.iter().zip(types).map(typed).collect();
    let mut written = vec![format!("inputs: {{ {} }}", types.join(", "))];
    let params = names.join(", ");
    if !has("filter") {
        written.push(format!("filter: |{params}| {name}"));
    }
    if !has("map") {
        let [input] = inputs else { return None };
        written.push(format!("map: |{params}| {}", input.name));
    }
    for (field, value) in fields.iter().filter(|(field, _)| field != "ty" && field != "inputs") {
        written.push(format!("{field}: {}", rewritten(field, value, &name, inputs.len())?));
    }
    Some(written.join(", "))
}

/// Returns a name that the text does not contain.
fn mask_name(text: &str) -> String {
    let names = ["present".to_owned()].into_iter().chain((2..).map(|number| format!("present{number}")));
    // The text is finite, so it lacks one of them.
    names.into_iter().find(|name| !text.contains(name)).unwrap_or_default()
}

/// Returns the value of a field. The functions of the inputs have one more parameter.
fn rewritten(field: &str, value: &[TokenTree], name: &str, inputs: usize) -> Option<String> {
    let is_closure = value.first().is_some_and(|first| is_punct(first, '|'));
    match field {
        "filter" => {
            let (params, body) = with_param(value, name, inputs)?;
            // An absent element may have any value, so the assertions of the condition must not see it.
            Some(format!("|{params}| if {name} {{ {body} }} else {{ false }}"))
        }
        "map" | "by" if is_closure => {
            with_param(value, name, inputs).map(|(params, body)| format!("|{params}| {body}"))
        }
        // The accumulator comes first.
        "fold" => with_param(value, name, inputs + 1).map(|(params, body)| format!("|{params}| {body}")),
        "axes" if matches!(value.first(), Some(TokenTree::Group(_))) => None,
        _ => Some(text_of(value)),
    }
}

/// Returns the parameters of a closure, with one more at a place, and its body.
fn with_param(closure: &[TokenTree], name: &str, place: usize) -> Option<(String, String)> {
    let (_, inside) = closure.split_first()?;
    let end = inside.iter().position(|token| is_punct(token, '|'))?;
    let params = inside[..end].split(|token| is_punct(token, ','));
    let mut params: Vec<_> = params.map(text_of).filter(|param| !param.is_empty()).collect();
    if params.len() < place {
        return None;
    }
    params.insert(place, name.to_owned());
    Some((params.join(", "), text_of(&inside[end + 1..])))
}

/// Splits a canonical text into fields.
fn fields(text: &str) -> Option<Vec<Field>> {
    let tokens: Vec<_> = text.parse::<TokenStream>().ok()?.into_iter().collect();
    let starts: Vec<_> = (0..tokens.len()).filter(|&at| is_start(&tokens, at)).collect();
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([tokens.len()]);
    let field = |(&start, end): (&usize, usize)| (tokens[start].to_string(), tokens[start + 2..end].to_vec());
    Some(starts.iter().zip(ends).map(field).collect())
}

/// Returns whether a field starts there: a name and a colon after a comma.
fn is_start(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Alone);
    matches!(tokens[at], TokenTree::Ident(_))
        && tokens.get(at + 1).is_some_and(is_colon)
        && at.checked_sub(1).is_none_or(|before| is_punct(&tokens[before], ','))
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

fn text_of(tokens: &[TokenTree]) -> String {
    tokens.iter().cloned().collect::<TokenStream>().to_string()
}

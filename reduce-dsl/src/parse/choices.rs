//! The fields whose value is one word of a list.

use super::diagnostic::Errors;
use super::fields::Fields;
use super::names;
use crate::operators::{Nan, Ties};
use proc_macro2::Ident;
use reduce_ir::axes::Others;
use reduce_ir::operation::Order;
use reduce_ir::{Access, Domain};

/// Reads `layout`; the default is `contiguous`.
pub(super) fn access(fields: &Fields, errors: &mut Errors) -> Option<Access> {
    let words = [("contiguous", Access::Contiguous), ("strided", Domain::STRIDED.access)];
    choice("layout", fields, fields.layout.as_ref(), &words, errors)
}

/// Reads `order`; the default is `fixed`.
pub(super) fn order(fields: &Fields, errors: &mut Errors) -> Option<Order> {
    let words = [("fixed", Order::Fixed), ("any", Order::Any)];
    choice("order", fields, fields.order.as_ref(), &words, errors)
}

/// Reads `nan`; the default is `propagate`.
pub(super) fn nan(fields: &Fields, errors: &mut Errors) -> Option<Nan> {
    let words = [("propagate", Nan::Propagate), ("ignore", Nan::Ignore)];
    choice("nan", fields, fields.nan.as_ref(), &words, errors)
}

/// Reads `others`; the default is `error`.
pub(super) fn others(fields: &Fields, errors: &mut Errors) -> Option<Others> {
    let words = [("error", Others::Error), ("drop", Others::Drop)];
    choice("others", fields, fields.others.as_ref(), &words, errors)
}

/// Reads `ties`, which has no default.
pub(super) fn ties(fields: &Fields, errors: &mut Errors) -> Option<Option<Ties>> {
    let words = [("first", Some(Ties::First)), ("last", Some(Ties::Last))];
    choice("ties", fields, fields.ties.as_ref(), &words, errors)
}

/// Returns the value of a field's word; the default if the field is not written.
fn choice<T: Copy + Default>(
    field: &str,
    fields: &Fields,
    written: Option<&Ident>,
    words: &[(&'static str, T)],
    errors: &mut Errors,
) -> Option<T> {
    let Some(written) = written else { return (!fields.has(field)).then(T::default) };
    let found = words.iter().find(|(word, _)| written == word).map(|&(_, value)| value);
    if found.is_none() {
        let known: Vec<_> = words.iter().map(|&(word, _)| word).collect();
        let message = format!("`{field}` is `{}`, not `{written}`", known.join("` or `"));
        let error = errors.add(written.span(), message);
        if let Some(near) = names::nearest(&written.to_string(), &known) {
            error.help(format!("did you mean `{near}`?"));
        }
    }
    found
}

//! The groups of `axes`.

use super::diagnostic::Errors;
use super::fields::Fields;
use proc_macro2::Ident;
use reduce_ir::Domain;

/// Returns the groups that the axes form; one group of all elements if no axes are written.
pub(super) fn groups(fields: &Fields, errors: &mut Errors) -> Option<Domain> {
    let Some(axes) = &fields.axes else { return (!fields.has("axes")).then_some(Domain::WHOLE) };
    let before = errors.count();
    repeated(&axes.from, errors);
    repeated(&axes.to, errors);
    for name in axes.to.iter().filter(|name| !axes.from.contains(name)) {
        errors.add(name.span(), format!("the input has no axis `{name}`; write it before `->` as well"));
    }
    if fields.layout.as_ref().is_some_and(|layout| layout == "strided") {
        let message =
            "`axes` is for data without a step between elements; leave `axes` or `layout: strided` out";
        errors.add(axes.place, message);
    }
    if errors.count() > before {
        return None;
    }
    if axes.from.len() == 2 && axes.to == axes.from[..1] {
        return Some(Domain::ROWS);
    }
    let message = "only two axes that keep the first are supported, as in `axes: i j -> i`";
    errors.add(axes.place, message);
    None
}

fn repeated(names: &[Ident], errors: &mut Errors) {
    let again = |(at, name): &(usize, &Ident)| names[..*at].contains(name);
    for (_, name) in names.iter().enumerate().filter(again) {
        errors.add(name.span(), format!("the axis `{name}` is named twice"));
    }
}

//! `axes: i j -> i`: the axes of the input, slowest first, and the axes that are kept.

use super::diagnostic::{Errors, Extent};
use super::fields::Fields;
use proc_macro2::Ident;
use reduce_ir::Domain;

/// The axes as written.
pub(super) struct Axes {
    /// The axes of the input, slowest first.
    pub(super) from: Vec<Ident>,
    /// The axes of the result.
    pub(super) to: Vec<Ident>,
    pub(super) place: Extent,
}

impl Axes {
    /// The canonical spelling.
    pub(super) fn text(&self) -> String {
        let words = |names: &[Ident]| names.iter().map(Ident::to_string).collect::<Vec<_>>().join(" ");
        format!("{} -> {}", words(&self.from), words(&self.to)).trim_end().to_owned()
    }
}

/// Returns the groups that the axes form; one group of all elements if no axes are written.
pub(super) fn groups(fields: &Fields, errors: &mut Errors) -> Option<Domain> {
    let Some(axes) = &fields.axes else { return (!fields.has("axes")).then_some(Domain::WHOLE) };
    let before = errors.count();
    repeated(&axes.from, errors);
    repeated(&axes.to, errors);
    for name in axes.to.iter().filter(|name| !axes.from.contains(name)) {
        errors.add(name.span(), format!("`{name}` is no axis of the input; write it before `->` as well"));
    }
    if errors.count() > before {
        return None;
    }
    if axes.from.len() == 2 && axes.to == axes.from[..1] {
        return Some(Domain::ROWS);
    }
    let message = "of two axes, the first one is kept, as in `axes: i j -> i`; other axes are not supported";
    errors.add(axes.place, message);
    None
}

fn repeated(names: &[Ident], errors: &mut Errors) {
    let again = |(at, name): &(usize, &Ident)| names[..*at].contains(name);
    for (_, name) in names.iter().enumerate().filter(again) {
        errors.add(name.span(), format!("the axis `{name}` is named twice"));
    }
}

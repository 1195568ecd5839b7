//! Resolves `segments`, and `by` with `groups`: what cuts the reduced axis into groups.

use super::super::diagnostic::{Errors, Extent};
use super::super::fields::{Fields, Segments};
use super::super::inputs;
use reduce_ir::Axes;
use reduce_ir::axes::Cut;

/// Reads what cuts the elements; [`Cut::Whole`] for segments of a fixed length as well.
pub(super) fn read(fields: &Fields, errors: &mut Errors) -> Option<Cut> {
    let names = ["axes", "segments", "by", "groups"].map(|name| fields.name(name));
    match names {
        [_, Some(_), Some(by), _] => {
            errors.add(by.span(), "write `segments` or `by`, not both");
            None
        }
        [Some(_), Some(name), ..] if matches!(fields.segments, Some(Segments::Length(_))) => {
            errors
                .add(name.span(), "segments of a fixed length are an axis; leave `segments` out")
                .help("split an axis, as in `axes: (s 16) -> s`");
            None
        }
        [_, Some(_), ..] => match fields.segments.as_ref()? {
            Segments::Length(_) => Some(Cut::Whole),
            Segments::Offsets(ty) => Some(Cut::Offsets(*ty)),
        },
        [_, _, Some(_), _] => by(fields, errors),
        [_, _, None, Some(groups)] => {
            errors
                .add(
                    groups.span(),
                    "`groups` says which elements of equal keys form a group, and there are no keys",
                )
                .help("name the key, as in `by: { key: u32 }`");
            None
        }
        [..] => Some(Cut::Whole),
    }
}

/// Reads the key and the groups.
fn by(fields: &Fields, errors: &mut Errors) -> Option<Cut> {
    let by = fields.by.as_ref()?;
    let [(_, ty)] = &by.names[..] else {
        errors.add(by.place, format!("there is one key, not {}", by.names.len()));
        return None;
    };
    let ty = inputs::scalar(ty, errors)?;
    match &fields.groups {
        Some(groups) if groups == "runs" => Some(Cut::Runs(ty)),
        Some(groups) => {
            errors
                .add(groups.span(), format!("`{groups}` is no kind of groups"))
                .help("write `groups: runs`");
            None
        }
        None => {
            if !fields.has("groups") {
                let help = "write `groups: runs` for runs of equal neighbouring keys";
                errors.add(by.place, "`by` needs `groups`").help(help);
            }
            None
        }
    }
}

/// Cuts the only reduced axis.
pub(super) fn applied(axes: Axes, cut: Cut, fields: &Fields, errors: &mut Errors) -> Option<Axes> {
    let reduced: Vec<_> = axes.reduced().collect();
    if cut == Cut::Whole || matches!(reduced[..], [Some(_)]) {
        return Some(Axes { cut, ..axes });
    }
    let name = |axis: &Option<usize>| {
        axis.map_or_else(|| "`..`".to_owned(), |axis| format!("`{}`", axes.text(axis)))
    };
    let names: Vec<_> = reduced.iter().map(name).collect();
    let found =
        if names.is_empty() { "no axis is".to_owned() } else { format!("these are: {}", names.join(", ")) };
    let name = fields.name("segments").or_else(|| fields.name("by"));
    let place = name.map_or_else(Extent::whole, |name| name.span().into());
    let what = name.map_or_else(String::new, ToString::to_string);
    errors
        .add(place, format!("`{what}` cuts the one axis that is reduced, and {found}"))
        .help("keep all axes but one, as in `axes: e f -> f`");
    None
}

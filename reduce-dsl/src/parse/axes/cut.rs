//! Resolves `segments`, and `by` with `groups`: what cuts the reduced axis into groups.

use super::super::choices;
use super::super::diagnostic::{Errors, Extent};
use super::super::fields::{By, Fields, Groups, Segments};
use super::super::inputs;
use reduce_ir::axes::{Cut, Keys};
use reduce_ir::{Axes, Scalar};
use syn::LitInt;

/// Reads what cuts the elements; [`Cut::Whole`] for segments of a fixed length as well.
pub(super) fn read(fields: &Fields, errors: &mut Errors) -> Option<Cut> {
    let names = ["axes", "segments", "by", "groups"].map(|name| fields.name(name));
    if let (Some(others), None) = (fields.name("others"), names[2]) {
        let message = "`others` says what becomes of keys, and there are no keys";
        errors.add(others.span(), message).help("name the key, as in `by: { key: u32 }`");
    }
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
    let given = match by {
        By::Given(names) => match &names.names[..] {
            [(_, element)] if element.count.is_some() => {
                errors.add(by.place(), "a key is one integer, as in `by: { key: u32 }`");
                return None;
            }
            [(_, element)] => Some(inputs::scalar(&element.ty, errors)?),
            names => {
                errors.add(by.place(), format!("there is one key, not {}", names.len()));
                return None;
            }
        },
        By::Closure(_) => None,
    };
    match (fields.groups.as_ref(), given) {
        (Some(Groups::Number(number)), _) => keys(number, given, fields, errors).map(Cut::Keys),
        (Some(Groups::Runs), Some(ty)) => not_dropped(fields, errors).then_some(Cut::Runs(ty)),
        (Some(Groups::Runs), None) => {
            errors.add(by.place(), "runs are of keys that the call gives").help(
                "name the key, as in `by: { key: u32 }`, or write the number of groups, as in `groups: 64`",
            );
            None
        }
        (None, _) => {
            if !fields.has("groups") {
                let help = "write the number of groups, as in `groups: 64`, or `groups: runs` for runs of equal neighbouring keys";
                errors.add(by.place(), "`by` needs `groups`").help(help);
            }
            None
        }
    }
}

/// Reads the groups of keys that number them.
fn keys(number: &LitInt, given: Option<Scalar>, fields: &Fields, errors: &mut Errors) -> Option<Keys> {
    let groups = number.base10_parse::<u64>().ok().filter(|groups| (1..=Keys::MOST).contains(groups));
    if groups.is_none() {
        errors.add(Extent::of(number), format!("the number of groups is 1 to {}", Keys::MOST));
    }
    if let (Some(By::Given(names)), Some(ty)) = (&fields.by, given)
        && !ty.is_integer()
    {
        let message = format!("keys of the type {ty} do not number groups");
        errors.add(names.place, message).help("use an integer type, or `groups: runs`");
        return None;
    }
    Some(Keys { given, groups: groups?, others: choices::others(fields, errors)? })
}

/// Reports `others` beside `groups: runs`.
fn not_dropped(fields: &Fields, errors: &mut Errors) -> bool {
    let Some(others) = fields.name("others") else { return true };
    errors.add(others.span(), "each key has a run; leave `others` out");
    false
}

/// Cuts the only reduced axis.
pub(super) fn applied(axes: Axes, cut: Cut, fields: &Fields, errors: &mut Errors) -> Option<Axes> {
    if let (Cut::Keys(_), Some(written)) = (cut, fields.name("axes")) {
        let message = "elements with numbered groups lie along one axis; leave `axes` out";
        errors.add(written.span(), message).help("or keep axes beside `groups: runs`");
        return None;
    }
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

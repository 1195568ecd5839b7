//! The names of the items of a trace.

use reduce_ir::func::Id;
use reduce_ir::operation::Operation;
use reduce_lanes::LanesRef;
use reduce_runtime::{Strided, View};

/// The names: `x[3]` or `x[1, 2]` if an item is an element of the only input; otherwise `item 3`, with a heading that
/// lists the elements of an item.
#[derive(Debug)]
pub(super) struct Names {
    /// The name of the input, if its elements are the items, and the places of its elements.
    plain: Option<(String, Places)>,
    /// The line that lists the elements of an item, if its name does not.
    pub(super) heading: Option<String>,
}

/// The places of the elements of an input.
#[derive(Debug)]
enum Places {
    /// A row, and how many of its elements were skipped.
    Row(usize),
    /// An array, by the length and the step of each axis.
    Array(Vec<(u64, u64)>),
}

impl Names {
    /// Returns the names for the items that an operation makes of the elements.
    pub(super) fn of_items(operation: &Operation, views: &[Strided<LanesRef<'_>>]) -> Names {
        let mapped = is_mapped(operation);
        if let ([input], [Strided { offset, step: 1, .. }], false) = (&operation.inputs[..], views, mapped) {
            return Names { plain: Some((input.name.clone(), Places::Row(*offset))), heading: None };
        }
        let inputs = operation.inputs.iter().zip(views);
        let elements: Vec<_> = inputs
            .map(|(input, view)| format!("{}[{}]", input.name, place(view.offset, view.step)))
            .collect();
        let mapped = if mapped { "items as mapped; " } else { "" };
        Names { plain: None, heading: Some(format!("\n{mapped}item i is {}\n", elements.join(", "))) }
    }

    /// Returns the names for the items that an operation makes of the elements of groups.
    pub(super) fn of_groups(operation: &Operation, views: &[View<LanesRef<'_>>]) -> Names {
        let mapped = is_mapped(operation);
        if let ([input], [view], false) = (&operation.inputs[..], views, mapped) {
            let axes = view.lengths.iter().zip(&view.steps);
            let axes = axes.map(|(&length, &step)| (length as u64, step.unsigned_abs() as u64)).collect();
            return Names { plain: Some((input.name.clone(), Places::Array(axes))), heading: None };
        }
        let mapped = if mapped { "items as mapped; " } else { "" };
        let heading = format!("\n{mapped}items are numbered group by group, in the order of the reduction\n");
        Names { plain: None, heading: Some(heading) }
    }

    /// Returns the name of an item, given its place among the elements of the first input.
    pub(super) fn of(&self, item: u64, place: u64) -> String {
        match &self.plain {
            Some((input, Places::Row(offset))) => format!("{input}[{}]", *offset as u64 + place),
            Some((input, Places::Array(axes))) => {
                let coordinates = axes.iter().map(|(length, step)| (place / step % length).to_string());
                format!("{input}[{}]", coordinates.collect::<Vec<_>>().join(", "))
            }
            None => format!("item {item}"),
        }
    }
}

/// Returns whether `map` changes the element.
fn is_mapped(operation: &Operation) -> bool {
    operation.map.results().first() != Some(&Id(0))
}

/// Returns the index of element i.
fn place(offset: usize, step: isize) -> String {
    let behind = match step.unsigned_abs() {
        0 => return offset.to_string(),
        1 => "i".to_owned(),
        distance => format!("{distance} i"),
    };
    match (offset, step < 0) {
        (_, true) => format!("{offset} - {behind}"),
        (0, false) => behind,
        (_, false) => format!("{offset} + {behind}"),
    }
}

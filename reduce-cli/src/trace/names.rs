//! The names of the items of a trace.

use reduce_ir::func::Id;
use reduce_ir::operation::Operation;
use reduce_lanes::LanesRef;
use reduce_runtime::Strided;

/// The names: `x[3]` if an item is an element of a contiguous input; otherwise `item 3`, with a heading that lists
/// the elements of an item.
#[derive(Debug)]
pub(super) struct Names {
    /// The name of the input, and the number of its skipped elements.
    plain: Option<(String, usize)>,
    /// The line that lists the elements of an item, if its name does not.
    pub(super) heading: Option<String>,
}

impl Names {
    /// Returns the names for the items that an operation makes of the elements.
    pub(super) fn of_items(operation: &Operation, views: &[Strided<LanesRef<'_>>]) -> Names {
        let mapped = operation.map.results().first() != Some(&Id(0));
        if let ([input], [Strided { offset, step: 1, .. }], false) = (&operation.inputs[..], views, mapped) {
            return Names { plain: Some((input.name.clone(), *offset)), heading: None };
        }
        let inputs = operation.inputs.iter().zip(views);
        let elements: Vec<_> = inputs
            .map(|(input, view)| format!("{}[{}]", input.name, place(view.offset, view.step)))
            .collect();
        let mapped = if mapped { "items as mapped; " } else { "" };
        Names { plain: None, heading: Some(format!("\n{mapped}item i is {}\n", elements.join(", "))) }
    }

    /// Returns the name of the item at a position.
    pub(super) fn of(&self, position: u64) -> String {
        match &self.plain {
            Some((input, offset)) => format!("{input}[{}]", *offset as u64 + position),
            None => format!("item {position}"),
        }
    }
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

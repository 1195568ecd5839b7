//! The number of elements and groups, in words.

use crate::data::{Cutting, Data};
use crate::document::Size;

impl Size {
    /// Returns the size of the elements.
    pub(crate) fn of(data: &Data) -> Size {
        let (groups, n) = (data.extent.groups, data.extent.length);
        let text = match &data.cut {
            Cutting::Even => even(groups, n),
            Cutting::Segments(offsets) => segments(offsets, &data.sizes, n),
            Cutting::Keys { .. } => format!("{} in {}", counted(n, "element"), keyed(data)),
        };
        Size { n, groups, text }
    }
}

fn even(groups: u64, n: u64) -> String {
    if groups == 1 {
        return counted(n, "element");
    }
    format!("{} of {}", counted(groups, "group"), counted(n, "element"))
}

fn segments(offsets: &[u64], columns: &[u64], n: u64) -> String {
    let lengths = || offsets.windows(2).map(|pair| pair[1] - pair[0]);
    let count = counted(lengths().count() as u64, "segment");
    let range = range(lengths());
    let columns = columns
        .first()
        .map_or_else(String::new, |&columns| format!(" in each of {}", counted(columns, "column")));
    format!("{count} of {range}, {n} in all{columns}")
}

/// Returns the number of groups, with their sizes if they are known.
fn keyed(data: &Data) -> String {
    let count = counted(data.extent.groups, "group");
    let Some(groups) = &data.groups else { return format!("{count} by key") };
    let mut sizes = vec![0; data.extent.groups as usize];
    groups.iter().flatten().for_each(|&group| sizes[group as usize] += 1);
    let others = groups.iter().filter(|group| group.is_none()).count();
    let others = if others > 0 {
        format!("; {} in no group", counted(others as u64, "element"))
    } else {
        String::new()
    };
    format!("{count} of {}{others}", range(sizes.into_iter()))
}

/// Returns the least and the greatest number of elements.
fn range(sizes: impl Iterator<Item = u64> + Clone) -> String {
    match (sizes.clone().min(), sizes.max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {}", counted(most, "element")),
        (_, most) => counted(most.unwrap_or(0), "element"),
    }
}

fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

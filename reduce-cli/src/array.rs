//! The results of groups as text: an array in brackets, as NumPy prints it, or a line for each struct.

use reduce_ir::operation::Record;
use reduce_runtime::Groups;

/// The maximum number of results that are all printed.
const MOST: usize = 1000;
/// The number of results at each end of an axis that are printed if there are more.
const EDGE: u64 = 3;
/// The text in the place of the others.
const MORE: &str = "...";
/// The text of a group without a result.
const NONE: &str = "none";

/// Returns the results as text, without a newline at the end.
pub(crate) fn text(output: &Record, groups: &Groups) -> String {
    let all = Results { output, groups, is_cut: groups.len() > MOST };
    match (groups.is_empty(), output.is_scalar()) {
        (true, _) => "[]".to_owned(),
        (false, true) => {
            let width = all.places(0, 0).into_iter().flatten().map(|at| all.cell(at).chars().count()).max();
            all.block(0, 0, width.unwrap_or(0))
        }
        (false, false) => all.places(0, 0).into_iter().map(|at| all.line(at)).collect::<Vec<_>>().join("\n"),
    }
}

/// Returns texts in brackets, cut as results are.
pub(crate) fn names(names: &[String]) -> String {
    let quoted =
        |names: &[String]| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" ");
    let edge = EDGE as usize;
    match names.len() {
        0..=MOST => format!("[{}]", quoted(names)),
        len => format!("[{} {MORE} {}]", quoted(&names[..edge]), quoted(&names[len - edge..])),
    }
}

/// Returns the coordinates of a group, slowest first.
pub(crate) fn coordinates(shape: &[u64], group: u64) -> Vec<u64> {
    let mut rest = group;
    let mut coordinates: Vec<_> = shape
        .iter()
        .rev()
        .map(|&length| {
            let at = rest % length.max(1);
            rest /= length.max(1);
            at
        })
        .collect();
    coordinates.reverse();
    coordinates
}

struct Results<'a> {
    output: &'a Record,
    groups: &'a Groups,
    /// Whether only the ends of each axis are printed.
    is_cut: bool,
}

impl Results<'_> {
    /// Returns the coordinates along an axis that are printed; `None` for those that are left out.
    fn along(&self, axis: usize) -> Vec<Option<u64>> {
        let length = self.groups.shape[axis];
        if !self.is_cut || length <= 2 * EDGE {
            return (0..length).map(Some).collect();
        }
        let (first, last) = ((0..EDGE).map(Some), (length - EDGE..length).map(Some));
        first.chain([None]).chain(last).collect()
    }

    /// Returns the groups that are printed, given their first coordinates as one number.
    fn places(&self, axis: usize, first: u64) -> Vec<Option<u64>> {
        let Some(&length) = self.groups.shape.get(axis) else { return vec![Some(first)] };
        let inner = |at: Option<u64>| match at {
            Some(at) => self.places(axis + 1, first * length + at),
            None => vec![None],
        };
        self.along(axis).into_iter().flat_map(inner).collect()
    }

    /// Returns the results from an axis on, in brackets. Rows of the last axis are lines.
    fn block(&self, axis: usize, first: u64, width: usize) -> String {
        let shape = &self.groups.shape;
        let Some(&length) = shape.get(axis) else { return format!("{:>width$}", self.cell(first)) };
        let inner = |at: Option<u64>| {
            at.map_or(MORE.to_owned(), |at| self.block(axis + 1, first * length + at, width))
        };
        let separator = match shape.len() - axis - 1 {
            0 => " ".to_owned(),
            lines => "\n".repeat(lines) + &" ".repeat(axis + 1),
        };
        let items: Vec<_> = self.along(axis).into_iter().map(inner).collect();
        format!("[{}]", items.join(&separator))
    }

    /// Returns the result of a group.
    fn cell(&self, group: u64) -> String {
        let values = self.groups.get(group as usize);
        values.map_or(NONE.to_owned(), |values| self.output.value_text(&values))
    }

    /// Returns the line of a group: its coordinates and its result.
    fn line(&self, group: Option<u64>) -> String {
        let Some(group) = group else { return MORE.to_owned() };
        if self.groups.shape.is_empty() {
            return self.cell(group);
        }
        let coordinates = coordinates(&self.groups.shape, group);
        let coordinates: Vec<_> = coordinates.iter().map(u64::to_string).collect();
        format!("[{}]: {}", coordinates.join(", "), self.cell(group))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{coordinates, names, text};
    use reduce_dsl::parse;
    use reduce_lanes::Lanes;
    use reduce_runtime::Groups;

    fn shown(shape: &[u64], present: Option<Vec<bool>>) -> String {
        let operation = parse::spec("op: sum, ty: i32").unwrap().operation;
        let count = shape.iter().product::<u64>() as i64;
        let fields = vec![Lanes::from((0..count).collect::<Vec<i64>>())];
        text(&operation.output, &Groups { shape: shape.to_vec(), fields, present })
    }

    #[test]
    fn arrays_have_brackets() {
        for (shape, text) in [
            (&[][..], "0"),
            (&[1], "[0]"),
            (&[3], "[0 1 2]"),
            (&[1, 2], "[[0 1]]"),
            (&[3, 4], "[[ 0  1  2  3]\n [ 4  5  6  7]\n [ 8  9 10 11]]"),
            (&[2, 1, 2], "[[[0 1]]\n\n [[2 3]]]"),
            (&[0], "[]"),
            (&[3, 0], "[]"),
        ] {
            assert_eq!(shown(shape, None), text, "{shape:?}");
        }
        assert_eq!(shown(&[3], Some(vec![true, false, true])), "[   0 none    2]");
    }

    #[test]
    fn long_arrays_are_cut() {
        assert!(!shown(&[1000], None).contains("..."));
        assert_eq!(shown(&[1001], None), "[   0    1    2 ...  998  999 1000]");
        let rows = "[[   0    1    2 ...  498  499  500]\n [ 501  502  503 ...  999 1000 1001]]";
        assert_eq!(shown(&[2, 501], None), rows);
        let columns = shown(&[501, 2], None);
        let lines: Vec<_> = columns.lines().collect();
        assert_eq!((lines.len(), lines[3], lines[6]), (7, " ...", " [1000 1001]]"));
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        let some = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
        assert_eq!(names(&some(2)), r#"["0" "1"]"#);
        assert_eq!(names(&some(1001)), r#"["0" "1" "2" ... "998" "999" "1000"]"#);
    }

    #[test]
    fn groups_have_coordinates() {
        assert_eq!(coordinates(&[2, 3, 4], 17), [1, 1, 1]);
        assert!(coordinates(&[], 0).is_empty());
    }
}

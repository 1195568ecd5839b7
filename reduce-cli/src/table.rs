//! Text in aligned columns.

use std::fmt;

/// Rows of cells under headings.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// The text above the column.
    pub(crate) heading: &'static str,
    /// The side on which cells are aligned.
    pub(crate) side: Side,
}

/// A side of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

impl Table {
    /// Creates an empty table.
    pub(crate) fn new(columns: Vec<Column>) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row, with a cell for each column.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Returns the table without the columns that contain only blank cells: texts in the given list.
    pub(crate) fn without(self, blank: &[&str]) -> Table {
        let has_content = |at: usize| self.rows.iter().any(|row| !blank.contains(&row[at].as_str()));
        let kept: Vec<_> = (0..self.columns.len()).filter(|&at| has_content(at)).collect();
        let columns = kept.iter().map(|&at| self.columns[at]).collect();
        let rows = self.rows.iter().map(|row| kept.iter().map(|&at| row[at].clone()).collect()).collect();
        Table { columns, rows }
    }

    fn width(&self, at: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[at].as_str());
        cells.chain([self.columns[at].heading]).map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    fn line<'a>(&self, cells: impl Iterator<Item = &'a str>) -> String {
        let padded = |(at, cell): (usize, &str)| {
            let width = self.width(at);
            match self.columns[at].side {
                Side::Left => format!("{cell:<width$}"),
                Side::Right => format!("{cell:>width$}"),
            }
        };
        cells.enumerate().map(padded).collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

/// Two spaces separate columns; no line ends with a space.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.line(self.columns.iter().map(|column| column.heading)))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", self.line(row.iter().map(String::as_str))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let column = |heading, side| Column { heading, side };
        let mut table = Table::new(vec![
            column("name", Side::Left),
            column("zero", Side::Right),
            column("count", Side::Right),
            column("note", Side::Left),
        ]);
        for (name, count, note) in [("a", "12", "≥ x"), ("longer", "0", "")] {
            table.push([name, "0", count, note].map(str::to_owned).to_vec());
        }
        let shown = "name    count  note\na          12  ≥ x\nlonger      0\n";
        assert_eq!(table.without(&["0"]).to_string(), shown);
    }
}

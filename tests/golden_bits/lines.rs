//! The golden file: lines of bits, each for a specification, n, and a class of elements.
//!
//! ```text
//! association A5
//!
//! elements: uniform
//!         c1fc2c00  n   1000  op: sum, ty: f16, block: 256, passes: []
//! ```

use super::classes::Class;
use super::subjects;
use reduce_ir::Spec;
use reduce_lanes::Lanes;
use std::fmt::Write;

const TEXT: &str = include_str!("../golden.txt");

/// A result and its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) class: Class,
    pub(crate) n: usize,
    /// The text of the specification.
    pub(crate) text: String,
    /// The bits of the result.
    pub(crate) bits: String,
}

impl Line {
    pub(crate) fn spec(&self) -> Spec {
        subjects::spec(&self.text)
    }

    /// Returns the elements of each input.
    pub(crate) fn elements(&self, spec: &Spec) -> Vec<Lanes> {
        let inputs = spec.operation.inputs.iter().zip(0..);
        inputs.map(|(input, place)| self.class.elements(input.ty, self.n, place)).collect()
    }
}

/// Returns the version of the association, and the lines.
pub(crate) fn stored() -> (&'static str, Vec<Line>) {
    let mut rows = TEXT.lines();
    let version = rows.next().unwrap().strip_prefix("association ").unwrap();
    let (mut class, mut lines) = (Class::Uniform, Vec::new());
    for row in rows.filter(|row| !row.is_empty()) {
        match row.strip_prefix("elements: ") {
            Some(name) => class = Class::ALL.into_iter().find(|class| class.to_string() == name).unwrap(),
            None => lines.push(line(class, row)),
        }
    }
    (version, lines)
}

fn line(class: Class, row: &str) -> Line {
    let (bits, rest) = row.split_once("  n ").unwrap();
    let (n, text) = rest.trim_start().split_once("  ").unwrap();
    Line { class, n: n.parse().unwrap(), text: text.to_owned(), bits: bits.trim_start().to_owned() }
}

/// Formats the file with these lines.
pub(crate) fn file(version: &str, lines: &[Line]) -> String {
    let mut file = format!("association {version}\n");
    for class in Class::ALL {
        writeln!(file, "\nelements: {class}").unwrap();
        for Line { n, text, bits, .. } in lines.iter().filter(|line| line.class == class) {
            writeln!(file, "{bits:>16}  n {n:>6}  {text}").unwrap();
        }
    }
    file
}

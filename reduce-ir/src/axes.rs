//! Axes: the notation `b h w c -> b c`, which names the axes of the inputs and those of the result.

mod error;
mod found;
mod nest;
mod splits;
#[cfg(test)]
mod tests;

pub use error::ShapeError;
pub use nest::{Along, Dim, Nest, Shape};
pub use splits::Untold;

use crate::Scalar;
use crate::func::Param;

/// The axes of a specification. Axes that the result does not name are reduced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axes {
    /// The axes, in the order in which they are written. Reduced axes are reduced in this order.
    pub axes: Vec<Axis>,
    /// The axes of each input.
    pub inputs: Vec<Pattern>,
    /// The axes of the result, slowest first.
    pub result: Vec<Kept>,
    /// Whether the text names the inputs: `{ x: b c, w: c } -> b`. If not, all inputs have the same axes.
    pub is_by_input: bool,
    /// How the elements along the reduced axes are cut into groups.
    pub cut: Cut,
}

/// How the elements along the reduced axes are cut into groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cut {
    /// They are one group, for each position along the kept axes.
    #[default]
    Whole,
    /// The call gives ascending offsets of this type. Segment `s` has the elements from offset `s` to offset `s + 1` along the only
    /// reduced axis. The segments are the slowest axis of the result.
    Offsets(Scalar),
    /// The call gives a key of this type for each element along the only reduced axis. Neighbours of equal keys are a group. The groups
    /// are the slowest axis of the result.
    Runs(Scalar),
    /// Each element along the only axis has a key, which is the number of its group.
    Keys(Keys),
}

/// The keys of elements whose groups are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keys {
    /// The type of the keys that the call gives. `None`: the specification computes them.
    pub given: Option<Scalar>,
    /// The number of groups. A key is less.
    pub groups: u64,
    /// What becomes of an element whose key is no group.
    pub others: Others,
}

impl Keys {
    /// The greatest number of groups.
    pub const MOST: u64 = 1 << 31;

    fn text(self, by: Option<&str>) -> String {
        let by = match self.given {
            Some(ty) => format!("{{ key: {ty} }}"),
            None => by.unwrap_or_default().to_owned(),
        };
        let others = if self.others == Others::Drop { ", others: drop" } else { "" };
        format!("by: {by}, groups: {}{others}", self.groups)
    }
}

/// What becomes of elements whose key is no group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Others {
    /// They are an error.
    #[default]
    Error,
    /// They are left out.
    Drop,
}

/// One axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Its name. An axis that is written as a number has none.
    pub name: Option<String>,
    /// Its length, if the specification gives it.
    pub length: Option<u64>,
}

/// The axes of one input, slowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Whether it begins with `..`: any number of axes, which all inputs with `..` share. They come before all other axes.
    pub has_leading: bool,
    /// The other dimensions. A dimension is one axis, or several axes into which it is split, slowest first. Axes are given by
    /// their place in [`Axes::axes`].
    pub dims: Vec<Vec<usize>>,
}

/// A dimension of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kept {
    /// The axes of `..`.
    Leading,
    /// An axis, by its place in [`Axes::axes`].
    Axis(usize),
    /// A dimension of length 1.
    One,
}

impl Axes {
    /// The limit on axes, on dimensions of the result, and on dimensions of an input with those of `..`.
    pub const MOST: usize = 16;

    /// Returns the axes for reducing each row of a row-major matrix: `i j -> i`.
    pub fn rows() -> Axes {
        let axis = |name: &str| Axis { name: Some(name.to_owned()), length: None };
        Axes {
            axes: vec![axis("i"), axis("j")],
            inputs: vec![Pattern { has_leading: false, dims: vec![vec![0], vec![1]] }],
            result: vec![Kept::Axis(0)],
            is_by_input: false,
            cut: Cut::Whole,
        }
    }

    /// Returns the axes for inputs of one axis, which is cut into groups.
    pub fn line(inputs: usize, cut: Cut) -> Axes {
        Axes {
            axes: vec![Axis { name: Some("e".to_owned()), length: None }],
            inputs: vec![Pattern { has_leading: false, dims: vec![vec![0]] }; inputs],
            result: Vec::new(),
            is_by_input: false,
            cut,
        }
    }

    /// Returns the places of the reduced axes. `None`: those of `..`.
    pub fn reduced(&self) -> impl Iterator<Item = Option<usize>> {
        let has_leading = self.inputs.iter().any(|pattern| pattern.has_leading);
        let leading = (has_leading && !self.result.contains(&Kept::Leading)).then_some(None);
        let is_reduced = |at: &usize| !self.result.contains(&Kept::Axis(*at));
        leading.into_iter().chain((0..self.axes.len()).filter(is_reduced).map(Some))
    }

    /// Returns the text of an axis: its name, or its length.
    pub fn text(&self, axis: usize) -> String {
        let Axis { name, length } = &self.axes[axis];
        name.clone().unwrap_or_else(|| length.unwrap_or(1).to_string())
    }

    /// Returns the text of the axes of one input.
    pub fn pattern(&self, input: usize) -> String {
        let Pattern { has_leading, dims } = &self.inputs[input];
        let dim = |axes: &Vec<usize>| match axes[..] {
            [axis] => self.text(axis),
            _ => self.split_text(axes),
        };
        let leading = has_leading.then(|| "..".to_owned());
        leading.into_iter().chain(dims.iter().map(dim)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the text of a dimension that is split into axes.
    fn split_text(&self, axes: &[usize]) -> String {
        let words: Vec<_> = axes.iter().map(|&axis| self.text(axis)).collect();
        format!("({})", words.join(" "))
    }

    /// Returns the fields `axes`, `segments`, `by`, `groups` and `others` of the specification, with the names of the inputs and the
    /// closure that computes keys.
    pub fn fields(&self, inputs: &[Param], by: Option<&str>) -> Vec<String> {
        let cut = match self.cut {
            Cut::Whole => None,
            Cut::Offsets(ty) => Some(format!("segments: {ty}")),
            Cut::Runs(ty) => Some(format!("by: {{ key: {ty} }}, groups: runs")),
            Cut::Keys(keys) => Some(keys.text(by)),
        };
        let is_line = cut.is_some() && *self == Axes::line(inputs.len(), self.cut);
        let axes = (!is_line).then(|| format!("axes: {}", self.spelling(inputs)));
        axes.into_iter().chain(cut).collect()
    }

    /// Returns the value of the field `axes`, with the names of the inputs.
    pub fn spelling(&self, inputs: &[Param]) -> String {
        let from = match self.is_by_input {
            false => self.pattern(0),
            true => {
                let one = |(at, input): (usize, &Param)| format!("{}: {}", input.name, self.pattern(at));
                format!("{{ {} }}", inputs.iter().enumerate().map(one).collect::<Vec<_>>().join(", "))
            }
        };
        let word = |kept: &Kept| match *kept {
            Kept::Leading => "..".to_owned(),
            Kept::Axis(axis) => self.text(axis),
            Kept::One => "1".to_owned(),
        };
        let to: Vec<_> = self.result.iter().map(word).collect();
        format!("{from} -> {}", to.join(" ")).trim_end().to_owned()
    }
}

//! The shapes of inputs, for specifications with axes: `--shape 1024x4096`, or `--shape i=1024,j=4096`.

use crate::failure::Failure;
use reduce_dsl::parse;
use reduce_ir::axes::{Axis, Dim, Kept, Nest, Shape, ShapeError};
use reduce_ir::func::Param;
use reduce_ir::{Axes, Extent, Spec};
use reduce_lanes::LanesRef;
use reduce_runtime::{Error, View};
use std::cmp::Reverse;

/// The maximum length of an axis.
const MOST: u64 = 1 << 40;

/// The value of `--shape`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lengths {
    /// The shape of every input.
    OfInputs(Vec<u64>),
    /// The length of each axis, by its name.
    OfAxes(Vec<(String, u64)>),
}

impl Lengths {
    /// Reads `1024x4096` or `i=1024,j=4096`.
    pub(crate) fn parse(text: &str) -> Result<Lengths, &'static str> {
        let expected = "a shape is lengths, as in 1024x4096, or named lengths, as in i=1024,j=4096";
        let axis = |text: &str| {
            let (name, length) = text.split_once('=').ok_or(expected)?;
            let name = Some(name.trim()).filter(|name| !name.is_empty()).ok_or(expected)?;
            Ok((name.to_owned(), length_of(length, expected)?))
        };
        if text.contains('=') {
            return text.split(',').map(axis).collect::<Result<_, _>>().map(Lengths::OfAxes);
        }
        text.split('x').map(|text| length_of(text, expected)).collect::<Result<_, _>>().map(Lengths::OfInputs)
    }

    /// Returns the shape of each input.
    pub(crate) fn of_inputs(&self, axes: &Axes) -> Result<Vec<Vec<u64>>, Failure> {
        match self {
            Lengths::OfInputs(lengths) => Ok(vec![lengths.clone(); axes.inputs.len()]),
            Lengths::OfAxes(named) => {
                check_names(named, axes)?;
                (0..axes.inputs.len()).map(|input| shape_of(input, named, axes)).collect()
            }
        }
    }
}

fn length_of(text: &str, expected: &'static str) -> Result<u64, &'static str> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(expected);
    }
    text.parse().ok().filter(|&length| length <= MOST).ok_or("the length of an axis is 0 to 1099511627776")
}

/// Checks that each name is an axis of unknown length, and is given once.
fn check_names(named: &[(String, u64)], axes: &Axes) -> Result<(), Failure> {
    let known: Vec<_> = axes.axes.iter().filter_map(|axis| axis.name.as_deref()).collect();
    for (at, (name, _)) in named.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            return Err(unknown(name, &known));
        }
        if named[..at].iter().any(|(other, _)| other == name) {
            return Err(Failure::request(format!(
                "`--shape` gives the length of axis `{name}` twice; leave one out"
            )));
        }
    }
    Ok(())
}

fn unknown(name: &str, known: &[&str]) -> Failure {
    Failure::request(match parse::nearest(name, known) {
        Some(near) => format!("there is no axis `{name}`; did you mean `{near}`?"),
        None if known.is_empty() => {
            format!("there is no axis `{name}`; write a shape without names, as in `--shape 1024x4096`")
        }
        None => format!("there is no axis `{name}`; the axes are {}", known.join(", ")),
    })
}

/// Returns the shape of an input if the length of every axis is known.
fn shape_of(input: usize, named: &[(String, u64)], axes: &Axes) -> Result<Vec<u64>, Failure> {
    let pattern = &axes.inputs[input];
    if pattern.has_leading {
        return Err(Failure::request(
            "the axes of `..` have no names; write the shape of the inputs, as in `--shape 8x1024x4096`",
        ));
    }
    let too_large = || Error::Shape(ShapeError::TooLarge);
    let dim = |dim: &Vec<usize>| {
        dim.iter().try_fold(1u64, |product, &axis| {
            let length = length_in(named, &axes.axes[axis])?;
            Ok(product.checked_mul(length).ok_or_else(too_large)?)
        })
    };
    pattern.dims.iter().map(dim).collect()
}

fn length_in(named: &[(String, u64)], Axis { name, length }: &Axis) -> Result<u64, Failure> {
    let name = name.as_deref().unwrap_or_default();
    let given = named.iter().find(|(other, _)| other == name).map(|(_, length)| *length);
    given.or(*length).ok_or_else(|| {
        let all: Vec<_> = named.iter().map(|(name, length)| format!("{name}={length}")).collect();
        let all = all.join(",");
        Failure::request(format!(
            "`--shape` gives no length for axis `{name}`; add it, as in `--shape {all},{name}=16`"
        ))
    })
}

/// A specification for inputs of given shapes.
#[derive(Clone, Debug)]
pub(crate) struct Shaped {
    /// The specification, with the domain of these shapes.
    pub(crate) spec: Spec,
    /// The loops, merged.
    pub(crate) nest: Nest,
    /// The shape of each input.
    shapes: Vec<Shape>,
    /// What would be faster, if the elements of a group are read across memory.
    pub(crate) advice: Option<String>,
}

impl Shaped {
    /// Returns the specification for inputs of these shapes, which fit the axes.
    pub(crate) fn new(spec: &Spec, axes: &Axes, shapes: Vec<Shape>) -> Result<Shaped, Error> {
        let names = spec.operation.inputs.iter().map(|input| input.name.as_str());
        let inputs: Vec<_> = names.zip(shapes.iter().cloned()).collect();
        let written = axes.nest(&inputs)?;
        let nest = written.of(&spec.operation);
        let advice = across_memory(&nest).then(|| advice(axes, &written));
        let spec = Spec { domain: nest.domain(), ..spec.clone() };
        Ok(Shaped { spec, nest, shapes, advice })
    }

    /// Returns the specification for inputs of the lengths that `--shape` gives, in row-major or Fortran order.
    pub(crate) fn of_lengths(spec: &Spec, lengths: &Lengths, fortran: bool) -> Result<Shaped, Failure> {
        let Some(axes) = &spec.axes else {
            return Err(Failure::request(
                "`--shape` is for specifications with `axes`; leave it out, or write `axes`, as in `axes: i j -> i`",
            ));
        };
        let shape = |lengths: &Vec<u64>| in_order(lengths, fortran).ok_or(Error::Shape(ShapeError::TooLarge));
        let shapes = lengths.of_inputs(axes)?.iter().map(shape).collect::<Result<_, _>>()?;
        Ok(Shaped::new(spec, axes, shapes)?)
    }

    /// Returns the number of groups, and of elements in each.
    pub(crate) fn extent(&self) -> Extent {
        self.nest.extent()
    }

    /// Returns the loops as the axes are written, not merged.
    pub(crate) fn written(&self, axes: &Axes) -> Result<Nest, Error> {
        let names = self.spec.operation.inputs.iter().map(|input| input.name.as_str());
        Ok(axes.nest(&names.zip(self.shapes.iter().cloned()).collect::<Vec<_>>())?)
    }

    /// Returns the number of elements of each input.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.shapes.iter().map(|shape| shape.lengths.iter().product())
    }

    /// Returns the elements of each input as views of these shapes.
    pub(crate) fn views<'a>(&self, lanes: impl Iterator<Item = LanesRef<'a>>) -> Vec<View<LanesRef<'a>>> {
        let view = |(data, shape): (LanesRef<'a>, &Shape)| View {
            data,
            offset: 0,
            lengths: shape.lengths.iter().map(|&length| length as usize).collect(),
            steps: shape.steps.iter().map(|&step| step as isize).collect(),
        };
        lanes.zip(&self.shapes).map(view).collect()
    }

    /// Returns the bytes of all inputs.
    pub(crate) fn bytes(&self) -> u64 {
        let sizes = self.spec.operation.inputs.iter().map(|Param { ty, .. }| ty.size() as u64);
        self.counts().zip(sizes).map(|(count, size)| count * size).sum()
    }

    /// Returns the inputs and the result: `1024x4096 f32 -> 1024`.
    pub(crate) fn text(&self) -> String {
        let inputs = self.shapes.iter().zip(&self.spec.operation.inputs);
        let inputs: Vec<_> =
            inputs.map(|(shape, input)| format!("{} {}", text(&shape.lengths), input.ty)).collect();
        let from = if let [only] = &inputs[..] { only.clone() } else { format!("({})", inputs.join(", ")) };
        format!("{from} -> {}", text(&self.nest.result))
    }
}

fn in_order(lengths: &[u64], fortran: bool) -> Option<Shape> {
    if !fortran {
        return Shape::row_major(lengths);
    }
    let reversed: Vec<_> = lengths.iter().rev().copied().collect();
    let Shape { mut lengths, mut steps } = Shape::row_major(&reversed)?;
    lengths.reverse();
    steps.reverse();
    Some(Shape { lengths, steps })
}

/// Returns the distance in memory between neighbours along an axis, in the first input.
fn step(dim: &Dim) -> u64 {
    dim.steps.first().map_or(0, |step| step.unsigned_abs())
}

/// Returns whether a slower reduced axis has a smaller step than a faster one.
fn across_memory(nest: &Nest) -> bool {
    !nest.reduced.is_sorted_by_key(|dim| Reverse(step(dim)))
}

/// Returns the order of reduced axes that follows memory.
fn advice(axes: &Axes, written: &Nest) -> String {
    let is_kept =
        |place: usize| axes.result.iter().any(|kept| matches!(kept, Kept::Axis(at) if *at == place));
    let reduced: Vec<_> = (0..axes.axes.len()).filter(|&place| !is_kept(place)).collect();
    // Leading axes have no names, and come first.
    let named = written
        .reduced
        .len()
        .checked_sub(reduced.len())
        .map_or(&[][..], |skipped| &written.reduced[skipped..]);
    let mut order: Vec<_> = reduced.iter().zip(named).collect();
    order.sort_by_key(|(_, dim)| Reverse(step(dim)));
    let names: Vec<_> = order.into_iter().map(|(&place, _)| axes.text(place)).collect();
    format!(
        "the elements of a group are read across memory; name the reduced axes in the order {}, of a transposed input, to read \
         them side by side, with other bits",
        names.join(" ")
    )
}

/// Returns a shape as `--shape` takes it: `1024x4096`. One element without axes is `()`.
pub(crate) fn text(lengths: &[u64]) -> String {
    let words: Vec<_> = lengths.iter().map(u64::to_string).collect();
    if words.is_empty() { "()".to_owned() } else { words.join("x") }
}

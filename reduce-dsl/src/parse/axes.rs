//! Resolves `axes`: the names of axes become places in the list of axes.

mod cut;
mod inputs;

use super::diagnostic::{Errors, Extent};
use super::fields::{self, Fields, Inputs, Segments, Term};
use super::inputs::Written;
use super::names;
use proc_macro2::Ident;
use reduce_ir::Axes;
use reduce_ir::axes::{Axis, Cut, Kept, Pattern};
use syn::LitInt;

/// Reads the axes; `None` inside if neither `axes` nor a cut is written.
pub(super) fn read(fields: &Fields, inputs: Option<&Written>, errors: &mut Errors) -> Option<Option<Axes>> {
    let axes = of_written(fields, inputs, errors)?;
    Some(axes.zip(inputs).map(|(axes, inputs)| of_scalars(axes, inputs)))
}

/// Gives each element of an array the axes of the array.
fn of_scalars(axes: Axes, inputs: &Written) -> Axes {
    let patterns = axes.inputs.into_iter().zip(inputs);
    let inputs = patterns.flat_map(|(pattern, (_, form))| vec![pattern; form.width()]).collect();
    Axes { inputs, ..axes }
}

fn of_written(fields: &Fields, inputs: Option<&Written>, errors: &mut Errors) -> Option<Option<Axes>> {
    let name = ["axes", "segments", "by"].iter().find_map(|name| fields.name(name));
    if let (Some(name), Some(layout)) = (name, fields.layout.as_ref().filter(|layout| *layout == "strided")) {
        let message = format!("the inputs of `{name}` have any strides; leave `layout: strided` out");
        errors.add(layout.span(), message);
    }
    let cut = cut::read(fields, errors);
    if let Some(Segments::Length(length)) = &fields.segments {
        return segments(length, inputs, errors).filter(|_| cut.is_some()).map(Some);
    }
    match &fields.axes {
        Some(written) => cut::applied(resolved(written, inputs, errors)?, cut?, fields, errors).map(Some),
        None if fields.has("axes") => None,
        None if cut? == Cut::Whole => Some(None),
        None => Some(Some(Axes::line(inputs?.len(), cut?))),
    }
}

/// Returns the axes of segments of a fixed length: `(s 16) -> s`.
fn segments(written: &LitInt, inputs: Option<&Written>, errors: &mut Errors) -> Option<Axes> {
    let inner = Axis { name: None, length: Some(length(written, errors)?) };
    let outer = Axis { name: Some("s".to_owned()), length: None };
    let pattern = Pattern { has_leading: false, dims: vec![vec![0, 1]] };
    let inputs = vec![pattern; inputs?.len()];
    Some(Axes {
        axes: vec![outer, inner],
        inputs,
        result: vec![Kept::Axis(0)],
        is_by_input: false,
        cut: Cut::Whole,
    })
}

fn resolved(written: &fields::Axes, inputs: Option<&Written>, errors: &mut Errors) -> Option<Axes> {
    let before = errors.count();
    let mut reader = Reader { axes: Vec::new(), errors };
    let patterns = reader.inputs(&written.from, inputs);
    let result = reader.result(&written.to, &written.from);
    let Reader { axes, errors } = reader;
    let patterns = patterns.filter(|_| errors.count() == before)?;
    let is_by_input = patterns.iter().any(|pattern| *pattern != patterns[0]);
    let axes = Axes { axes, inputs: patterns, result, is_by_input, cut: Cut::Whole };
    inputs::check(&axes, &written.from, inputs?, errors)?;
    Some(axes)
}

/// The axes that were read so far.
struct Reader<'a> {
    axes: Vec<Axis>,
    errors: &'a mut Errors,
}

impl Reader<'_> {
    /// Reads the axes of one input.
    fn pattern(&mut self, terms: &[Term]) -> Pattern {
        let mut pattern = Pattern::default();
        let mut seen = Vec::new();
        for (at, term) in terms.iter().enumerate() {
            match term {
                Term::Leading(place) => {
                    self.check_leading(at, pattern.has_leading, *place);
                    pattern.has_leading = true;
                }
                Term::Split(terms, place) => {
                    self.check_split(terms, *place);
                    pattern.dims.push(terms.iter().filter_map(|term| self.axis(term, &mut seen)).collect());
                }
                Term::Name(_) | Term::Number(_) => {
                    pattern.dims.push(self.axis(term, &mut seen).into_iter().collect())
                }
            }
        }
        pattern
    }

    /// Reports `..` that is not first, or not alone.
    fn check_leading(&mut self, at: usize, is_second: bool, place: Extent) {
        if is_second {
            self.errors.add(place, "`..` is written twice");
        } else if at > 0 {
            let message = "`..` is for leading axes only; write it before the other axes";
            self.errors.add(place, message);
        }
    }

    /// Reports a dimension that is split into fewer than two axes, or contains more than axes.
    fn check_split(&mut self, terms: &[Term], place: Extent) {
        match terms {
            [] => {
                let message =
                    "`()` has no axes; write `1` for a dimension of length 1, or axes, as in `(s 16)`";
                self.errors.add(place, message);
            }
            [term @ (Term::Name(_) | Term::Number(_))] => {
                let message = format!("one axis needs no parentheses; write `{}`", term.text());
                self.errors.add(place, message);
            }
            [..] => {}
        }
        for term in terms {
            match term {
                Term::Split(inner, place) => {
                    let message =
                        format!("splits do not nest; write `{}` without parentheses", Term::list(inner));
                    self.errors.add(*place, message);
                }
                Term::Leading(place) => {
                    self.errors.add(*place, "`..` cannot be part of a split; write the axes by name");
                }
                Term::Name(_) | Term::Number(_) => {}
            }
        }
    }

    /// Returns the place of an axis of an input, whose names so far are `seen`.
    fn axis<'t>(&mut self, term: &'t Term, seen: &mut Vec<&'t Ident>) -> Option<usize> {
        let axis = match term {
            Term::Name(name) if seen.contains(&name) => {
                self.errors.add(name.span(), format!("the axis `{name}` is named twice"));
                return None;
            }
            Term::Name(name) => {
                seen.push(name);
                match self.find(name) {
                    Some(at) => return Some(at),
                    None => self.named(name),
                }
            }
            Term::Number(number) => Axis { name: None, length: Some(length(number, self.errors)?) },
            Term::Leading(_) | Term::Split(..) => return None,
        };
        if self.axes.len() == Axes::MOST {
            self.errors.add(term.place(), too_many("inputs have"));
        }
        self.axes.push(axis);
        Some(self.axes.len() - 1)
    }

    /// Returns a new axis.
    fn named(&mut self, name: &Ident) -> Axis {
        let text = name.to_string();
        if let Some(message) = names::refuse_axis(&text) {
            self.errors.add(name.span(), message);
        }
        Axis { name: Some(text), length: None }
    }

    fn find(&self, name: &Ident) -> Option<usize> {
        self.axes.iter().position(|axis| axis.name.as_ref().is_some_and(|known| name == known))
    }

    /// Reads the axes of the result.
    fn result(&mut self, terms: &[Term], from: &Inputs) -> Vec<Kept> {
        let mut result = Vec::new();
        for term in terms {
            let kept = self.kept(term, from);
            if kept.is_some_and(|kept| kept != Kept::One && result.contains(&kept)) {
                let message = match term {
                    Term::Name(name) => format!("the axis `{name}` is named twice"),
                    Term::Leading(_) | Term::Number(_) | Term::Split(..) => {
                        format!("`{}` is written twice", term.text())
                    }
                };
                self.errors.add(term.place(), message);
            }
            result.extend(kept);
        }
        if let Some(term) = terms.get(Axes::MOST) {
            self.errors.add(term.place(), too_many("a result has"));
        }
        result
    }

    fn kept(&mut self, term: &Term, from: &Inputs) -> Option<Kept> {
        match term {
            Term::Leading(_) if from.patterns().flatten().any(|term| matches!(term, Term::Leading(_))) => {
                Some(Kept::Leading)
            }
            Term::Leading(place) => {
                let message = "no input has `..`; write it before `->` as well, before the other axes";
                self.errors.add(*place, message);
                None
            }
            Term::Number(number) if number_of(number) == Some(1) => Some(Kept::One),
            Term::Number(number) => {
                let message = format!("the result keeps axes by name, or `1`; `{number}` is neither");
                self.errors.add(number.span(), message);
                None
            }
            Term::Split(terms, place) if terms.is_empty() => {
                self.errors.add(*place, "`()` has no axes; write `1` for a dimension of length 1");
                None
            }
            Term::Split(terms, place) => {
                let message = format!("an axis of the result cannot be split; write `{}`", Term::list(terms));
                self.errors.add(*place, message);
                None
            }
            Term::Name(name) => self.find(name).map(Kept::Axis).or_else(|| {
                self.unknown(name, from);
                None
            }),
        }
    }

    /// Reports an axis of the result that no input has.
    fn unknown(&mut self, name: &Ident, from: &Inputs) {
        let whose = if from.patterns().count() == 1 { "the input has no" } else { "no input has the" };
        let message = format!("{whose} axis `{name}`; write it before `->` as well");
        let known: Vec<_> = self.axes.iter().filter_map(|axis| axis.name.as_deref()).collect();
        let near = names::nearest(&name.to_string(), &known);
        let error = self.errors.add(name.span(), message);
        if let Some(near) = near {
            error.help(format!("did you mean `{near}`?"));
        }
    }
}

fn too_many(whose: &str) -> String {
    format!("{whose} at most {} axes", Axes::MOST)
}

/// Reads the length of an axis.
fn length(written: &LitInt, errors: &mut Errors) -> Option<u64> {
    const MOST: u64 = 1 << 62;
    let length = number_of(written).filter(|length| (1..=MOST).contains(length));
    if length.is_none() {
        let message = format!("`{written}` is not the length of an axis, which is a number from 1 to 2^62");
        errors.add(written.span(), message);
    }
    length
}

/// Returns the value of a number without a suffix.
fn number_of(written: &LitInt) -> Option<u64> {
    written.base10_parse().ok().filter(|_| written.suffix().is_empty())
}

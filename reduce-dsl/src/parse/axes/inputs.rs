//! The left side of `axes`: the axes of each input.

use super::Reader;
use crate::parse::diagnostic::{Errors, Extent};
use crate::parse::fields::{Inputs, Term};
use crate::parse::inputs::Written;
use crate::parse::names;
use proc_macro2::Ident;
use reduce_ir::Axes;
use reduce_ir::axes::{Kept, Pattern, Untold};

impl Inputs {
    /// Returns the names of the axes, each as it is written first.
    pub(in super::super) fn names(&self) -> Vec<Ident> {
        let mut names: Vec<Ident> = Vec::new();
        let mut add = |term: &Term| match term {
            Term::Name(name) if !names.contains(name) => names.push(name.clone()),
            Term::Name(_) | Term::Leading(_) | Term::Number(_) | Term::Split(..) => {}
        };
        for term in self.patterns().flatten() {
            match term {
                Term::Split(terms, _) => terms.iter().for_each(&mut add),
                Term::Name(_) | Term::Leading(_) | Term::Number(_) => add(term),
            }
        }
        names
    }

    /// Returns the axes of each input as written. There is one pattern if the inputs are not named.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &[Term]> {
        let (alike, named): (_, &[_]) = match self {
            Inputs::Alike(terms) => (Some(terms.as_slice()), &[]),
            Inputs::Named(named, _) => (None, named),
        };
        alike.into_iter().chain(named.iter().map(|(_, terms)| terms.as_slice()))
    }

    /// Returns the axes of an input.
    fn of(&self, input: &str) -> Option<&[Term]> {
        match self {
            Inputs::Alike(terms) => Some(terms),
            Inputs::Named(all, _) => {
                all.iter().find(|(name, _)| name == input).map(|(_, terms)| terms.as_slice())
            }
        }
    }
}

impl Reader<'_> {
    /// Reads the axes of all inputs, in the order of the inputs. Without inputs, whose error is reported elsewhere,
    /// reads the axes as written.
    pub(super) fn inputs(&mut self, from: &Inputs, inputs: Option<&Written>) -> Option<Vec<Pattern>> {
        let Some(inputs) = inputs else {
            from.patterns().for_each(|terms| drop(self.pattern(terms)));
            return None;
        };
        match from {
            Inputs::Alike(terms) => Some(vec![self.pattern(terms); inputs.len()]),
            Inputs::Named(named, place) => {
                self.check_names(named, *place, inputs);
                let terms = inputs.iter().filter_map(|(name, _)| from.of(name));
                let patterns = terms.map(|terms| self.pattern(terms)).collect();
                // Axes of unknown inputs are not reported as well where the result names them.
                let is_unknown = |name: &Ident| !inputs.iter().any(|(input, _)| name == input);
                let unknown = named.iter().filter(|(name, _)| is_unknown(name));
                unknown.for_each(|(_, terms)| drop(self.pattern(terms)));
                Some(patterns)
            }
        }
    }

    /// Reports names that are not those of the inputs.
    fn check_names(&mut self, named: &[(Ident, Vec<Term>)], place: Extent, inputs: &Written) {
        let known: Vec<_> = inputs.iter().map(|(name, _)| name.as_str()).collect();
        for (at, (name, _)) in named.iter().enumerate() {
            let word = name.to_string();
            if !known.contains(&word.as_str()) {
                let help = names::nearest(&word, &known).map_or_else(
                    || format!("the inputs are {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                self.errors.add(name.span(), format!("there is no input `{word}`")).help(help);
            } else if named[..at].iter().any(|(other, _)| other == name) {
                self.errors.add(name.span(), format!("the axes of `{word}` are written twice"));
            }
        }
        for input in known.iter().filter(|known| !named.iter().any(|(name, _)| name == *known)) {
            let help = format!("write them between the braces, as in `{input}: b c`");
            self.errors.add(place, format!("the axes of input `{input}` are missing")).help(help);
        }
    }
}

/// Checks axes whose names are resolved.
pub(super) fn check(axes: &Axes, from: &Inputs, inputs: &Written, errors: &mut Errors) -> Option<()> {
    if let Err(untold) = axes.splits() {
        let Untold { input, dim, axes: unknown } = &untold;
        let terms = from.of(&inputs[*input].0).unwrap_or_default();
        let at = dim + usize::from(axes.inputs[*input].has_leading);
        let names: Vec<_> = unknown.iter().map(|&axis| format!("`{}`", axes.text(axis))).collect();
        let message = format!(
            "no dimension tells the lengths of {}; a split has at most one axis of unknown length",
            names.join(" and ")
        );
        errors.add(terms.get(at).map_or_else(Extent::whole, Term::place), message).help(
            "write a length in place of a name, as in `(s 16)`, or name it as a dimension of another input",
        );
        return None;
    }
    let Inputs::Named(named, place) = from else { return Some(()) };
    let place_of = |name: &Ident| inputs.iter().position(|(input, _)| name == input);
    let written: Vec<_> = named.iter().filter_map(|(name, _)| place_of(name)).collect();
    if reduced(axes, &written) != reduced(axes, &(0..inputs.len()).collect::<Vec<_>>()) {
        let names: Vec<_> = inputs.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message =
            "axes are reduced in the order in which they are written; write the inputs in their order";
        errors.add(*place, message).help(format!("the order is {}", names.join(", ")));
        return None;
    }
    Some(())
}

/// Returns the reduced axes, in the order in which these inputs name them.
fn reduced(axes: &Axes, inputs: &[usize]) -> Vec<usize> {
    let mut all = Vec::new();
    for &axis in inputs.iter().flat_map(|&input| axes.inputs[input].dims.iter().flatten()) {
        if !all.contains(&axis) && !axes.result.contains(&Kept::Axis(axis)) {
            all.push(axis);
        }
    }
    all
}

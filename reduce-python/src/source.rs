//! The text of a specification, and the specifications that calls make of it.

use crate::errors::{self, InternalError, SpecificationError};
use pyo3::prelude::*;
use reducegen::dsl::operators;
use reducegen::dsl::parse::{self, Bytes, Diagnostic, Parsed, SpecError};
use reducegen::ir::axes::Cut;
use reducegen::ir::{Domain, Scalar, Spec};
use reducegen::{Device, Error, Reducer, codegen};

/// The text of a specification.
pub(crate) struct Source {
    text: String,
    /// Whether the text has `$0`, `$1`, … in place of the types of the inputs.
    is_template: bool,
    /// How a call gives the elements.
    pub(crate) layout: Layout,
}

/// How a call gives the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// All elements have one result, unless the call names an axis.
    Flat,
    /// As `Flat`, of elements that may lie a step apart.
    Strided,
    /// The specification names the axes.
    Axes,
    /// With offsets.
    Offsets,
    /// With keys.
    Keys,
}

/// The axes of a call for a specification that names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The specification as it is written.
    Written,
    /// Inputs of that many axes; the bits of `reduced` number those that are reduced.
    Axes { axes: usize, reduced: u64, keep: bool },
}

/// The keywords of calls, which no param may have as its name.
const KEYWORDS: [&str; 8] = ["axis", "by", "check", "first", "keepdims", "offsets", "stream", "total"];

/// Types that a specification without types is tried with.
const TRIED: [Scalar; 3] = [Scalar::F32, Scalar::I32, Scalar::Bool];
/// The most inputs that a specification without types is tried with.
const MOST_INPUTS: usize = 16;

impl Source {
    /// Reads a text, and finds its mistakes. The name of an operator alone is a specification.
    pub(crate) fn new(text: &str, is_template: bool) -> PyResult<Source> {
        let text = match operators::operator(text) {
            Some(_) => format!("op: {text}"),
            None => text.to_owned(),
        };
        let mut source = Source { text, is_template, layout: Layout::Flat };
        let spec = source.tried().map_err(|error| errors::of_spec(&error))?;
        if let Some(param) =
            spec.operation.given_params().iter().find(|param| KEYWORDS.contains(&&*param.name))
        {
            let message = format!("`{}` is a keyword of every call; give the param another name", param.name);
            return Err(SpecificationError::new_err(message));
        }
        source.layout = layout(&spec);
        Ok(source)
    }

    /// Returns the specification for some types, if there are types that it is one for.
    fn tried(&self) -> Result<Spec, SpecError> {
        let written = self.parsed(None);
        let error = match written {
            Ok(parsed) => return Ok(parsed.spec),
            Err(error) => error,
        };
        let counts = 1..=MOST_INPUTS;
        let tries = counts.flat_map(|count| TRIED.map(|ty| vec![ty; count]));
        let mut best: Option<SpecError> = None;
        for types in tries {
            match self.parsed(Some(&types)) {
                Ok(parsed) => return Ok(parsed.spec),
                Err(error) => {
                    let fewer = |best: &SpecError| error.diagnostics().len() < best.diagnostics().len();
                    best = Some(best.filter(|best| !fewer(best)).unwrap_or(error));
                }
            }
        }
        // Types that are written do not depend on the tries.
        let has_types = !error.to_string().contains("the type of the elements is missing");
        Err(if has_types && !self.is_template { error } else { best.unwrap_or(error) })
    }

    fn parsed(&self, types: Option<&[Scalar]>) -> Result<Parsed<Bytes>, SpecError> {
        match types.filter(|_| self.is_template) {
            None => parse::text(&self.text, types),
            Some(types) => {
                let fill =
                    |text: String, (at, ty): (usize, &Scalar)| text.replace(&format!("${at}"), ty.name());
                parse::text(&types.iter().enumerate().fold(self.text.clone(), fill), None)
            }
        }
    }

    /// Returns the specification for inputs of these types; `None`: the types are written.
    pub(crate) fn spec(&self, types: Option<&[Scalar]>, form: Form) -> PyResult<Spec> {
        let parsed = self.parsed(types).map_err(|error| errors::of_spec(&error))?;
        match form {
            Form::Written => Ok(parsed.spec),
            Form::Axes { axes, reduced, keep } => {
                let text = parsed.spec.text.replacen("layout: strided, ", "", 1);
                let text = format!("{text}, axes: {}", notation(axes, reduced, keep));
                parse::spec(&text).map_err(|error| errors::of_spec(&error))
            }
        }
    }

    /// Compiles the specification for inputs of these types and a device.
    pub(crate) fn compiled(
        &self,
        types: &[Scalar],
        form: Form,
        device: &Device,
    ) -> PyResult<(Spec, Reducer)> {
        let spec = self.spec(Some(types), form)?;
        let reducer = Reducer::new(&spec, device).map_err(|error| self.explained(types, error))?;
        Ok((spec, reducer))
    }

    /// Returns the exception of an error of the compiler, at the pass or block that it is about.
    pub(crate) fn explained(&self, types: &[Scalar], error: Error) -> PyErr {
        use codegen::Error::{Refused, SharedMemory};
        let Ok(parsed) = self.parsed(Some(types)) else { return errors::of_runtime(&error) };
        let place = if let Error::Codegen(Refused { index, .. }) = &error {
            parsed.places.pass(*index)
        } else if let Error::Codegen(SharedMemory { .. }) = &error {
            parsed.places.block
        } else {
            return errors::of_runtime(&error);
        };
        let marked = SpecError::new(&self.text, vec![Diagnostic::error(place, error.to_string())]);
        SpecificationError::new_err(marked.to_string())
    }

    /// Returns the text as it was given.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

fn layout(spec: &Spec) -> Layout {
    match spec.axes.as_ref().map(|axes| axes.cut) {
        None if spec.domain == Domain::STRIDED => Layout::Strided,
        None => Layout::Flat,
        Some(Cut::Whole) => Layout::Axes,
        Some(Cut::Offsets(_)) => Layout::Offsets,
        Some(Cut::Runs(_)) => Layout::Keys,
        // A computed key needs no array.
        Some(Cut::Keys(keys)) => {
            if keys.given.is_some() {
                Layout::Keys
            } else {
                Layout::Axes
            }
        }
    }
}

/// Returns the notation of axes for inputs of one shape.
fn notation(axes: usize, reduced: u64, keep: bool) -> String {
    let names: Vec<_> = (0..axes).map(|axis| format!("axis{axis}")).collect();
    let result = names.iter().enumerate().filter_map(|(axis, name)| match reduced >> axis & 1 {
        0 => Some(name.as_str()),
        _ if keep => Some("1"),
        _ => None,
    });
    format!("{} -> {}", names.join(" "), result.collect::<Vec<_>>().join(" "))
}

/// Reports a state that only a bug reaches.
pub(crate) fn bug(what: &str) -> PyErr {
    InternalError::new_err(format!("bug of reducegen: {what}; please report it"))
}

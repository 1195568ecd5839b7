//! The playground: the report of a text, or its errors, as JSON.

use crate::{CutProgram, Data, Document, Error, elements};
use reduce_codegen::{Tuning, runnable_stages};
use reduce_dsl::parse::{self, Bytes, Diagnostic, Parsed};
use reduce_ir::axes::{Cut, Nest, Shape};
use reduce_ir::{Axes, Spec};
use serde::{Deserialize, Serialize};

/// The answer to a text: a document, or errors.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Document(Box<Document>),
    Errors(Vec<Fault>),
}

/// An error, and the characters that it is about, in UTF-16 as in JavaScript.
#[derive(Debug, Serialize)]
struct Fault {
    message: String,
    help: Option<String>,
    from: usize,
    to: usize,
}

/// The maximum number of elements.
pub const MOST: u64 = 1 << 16;

/// A specification, the number of its elements, and the lengths of its axes, if it has any.
#[derive(Debug, Deserialize)]
struct Request {
    text: String,
    n: u64,
    #[serde(default)]
    lengths: Vec<u64>,
}

/// Answers a request, `{"text": "op: sum, ty: f32", "n": 256, "lengths": []}`: with `{"document": …}`, or with `{"errors": [{"message",
/// "help", "from", "to"}]}`, whose places are UTF-16 units of the text.
pub fn request(json: &str) -> String {
    let answer = match serde_json::from_str(json) {
        Ok(Request { text, n, lengths }) => document(&text, n, &lengths),
        Err(error) => Err(vec![Fault { message: error.to_string(), help: None, from: 0, to: 0 }]),
    };
    let answer = match answer {
        Ok(document) => Answer::Document(Box::new(document)),
        Err(faults) => Answer::Errors(faults),
    };
    serde_json::to_string(&answer).unwrap_or_default()
}

fn document(text: &str, n: u64, lengths: &[u64]) -> Result<Document, Vec<Fault>> {
    let parsed = parse::text(text, None)
        .map_err(|error| error.diagnostics().iter().map(|it| Fault::of(text, it)).collect::<Vec<_>>())?;
    let whole =
        |message: String| vec![Fault { message, help: None, from: 0, to: text.encode_utf16().count() }];
    let (spec, data) = data(&parsed, n, lengths).map_err(whole)?;
    if let Some(document) = cut(&parsed, &data).map_err(|error| whole(error.to_string()))? {
        return Ok(document);
    }
    let at = |error: &reduce_codegen::Error| place(&parsed, error);
    let stages = runnable_stages(&spec, Tuning::DEFAULT, data.extent.length).map_err(|error| {
        at(&error).map_or_else(
            || whole(error.to_string()),
            |place| vec![Fault::of(text, &Diagnostic::error(place, error.to_string()))],
        )
    })?;
    let (document, _) = Document::of(&parsed, &stages, &data).map_err(|error| whole(error.to_string()))?;
    Ok(document)
}

/// Returns the report of segments or keys; none for other groups.
fn cut(parsed: &Parsed<Bytes>, data: &Data) -> Result<Option<Document>, Error> {
    let Some(program) = CutProgram::of(&parsed.spec, data, Tuning::DEFAULT)? else { return Ok(None) };
    let (mut document, _) = Document::of_kernels(parsed, program.kernels(), data)?;
    document.notes.push(elements::note(data).to_owned());
    Ok(Some(document))
}

/// Returns the place of a pass that does not apply.
fn place(parsed: &Parsed<Bytes>, error: &reduce_codegen::Error) -> Option<Bytes> {
    if let reduce_codegen::Error::Refused { index, .. } = error {
        return Some(parsed.places.pass(*index));
    }
    None
}

/// Returns the specification for the elements, and the elements.
fn data(parsed: &Parsed<Bytes>, n: u64, lengths: &[u64]) -> Result<(Spec, Data), String> {
    let spec = &parsed.spec;
    let Some(axes) = &spec.axes else {
        let n = n.clamp(1, MOST);
        return Ok((spec.clone(), Data::generated(&spec.operation, spec.domain, n)));
    };
    let line = [n.clamp(1, MOST)];
    let is_line = *axes == Axes::line(spec.operation.inputs.len(), axes.cut);
    let shapes = shapes(axes, if is_line { &line } else { lengths })?;
    let counts: Vec<u64> = shapes.iter().map(|shape| shape.lengths.iter().product()).collect();
    let names = spec.operation.inputs.iter().map(|input| input.name.as_str());
    let inputs: Vec<_> = names.zip(shapes).collect();
    let written = axes.nest(&inputs).map_err(|error| error.to_string())?;
    if axes.cut != Cut::Whole {
        let data = elements_of(spec, axes.cut, &written, &counts).map_err(|error| error.to_string())?;
        return Ok((spec.clone(), data));
    }
    let nest = written.of(&spec.operation);
    let data = Data::shaped(&spec.operation, &nest, counts.into_iter());
    if !(1..=MOST).contains(&data.extent.elements()) {
        return Err(format!("the lengths give {} elements; 1 to {MOST} are shown", data.extent.elements()));
    }
    Ok((Spec { domain: nest.domain(), ..spec.clone() }, data))
}

/// Returns generated elements that segments or keys cut, along the loops of a nest. `counts` are the numbers of elements of the inputs.
fn elements_of(spec: &Spec, cut: Cut, nest: &Nest, counts: &[u64]) -> Result<Data, Error> {
    let (operation, n) = (&spec.operation, nest.extent().length);
    if let Cut::Keys(keys) = cut {
        return Data::generated_keys(operation, keys, n);
    }
    let lanes = elements::lanes(operation, counts.iter().copied());
    Data::segments(nest, lanes, elements::offsets(n), nest.params(operation, &elements::params(operation)))
}

/// Returns the shape of each input, given the length of each axis in order. Axes without one have the length 16.
fn shapes(axes: &Axes, lengths: &[u64]) -> Result<Vec<Shape>, String> {
    let known =
        |axis: usize| axes.axes[axis].length.or(lengths.get(axis).copied()).unwrap_or(16).clamp(1, MOST);
    let shape = |pattern: &reduce_ir::axes::Pattern| {
        let leading = pattern.has_leading.then_some(4);
        let dim = |dim: &Vec<usize>| dim.iter().map(|&axis| known(axis)).fold(1, u64::saturating_mul);
        let lengths: Vec<_> = leading.into_iter().chain(pattern.dims.iter().map(dim)).collect();
        let count = lengths.iter().copied().fold(1, u64::saturating_mul);
        Shape::row_major(&lengths).filter(|_| count <= MOST)
    };
    let shapes: Option<_> = axes.inputs.iter().map(shape).collect();
    shapes.ok_or_else(|| format!("the lengths give more than {MOST} elements"))
}

impl Fault {
    fn of(text: &str, diagnostic: &Diagnostic) -> Fault {
        let utf16 = |at: usize| text.get(..at.min(text.len())).unwrap_or(text).encode_utf16().count();
        let Diagnostic { message, help, span, .. } = diagnostic;
        let (from, to) = (utf16(span.start), utf16(span.end));
        Fault { message: message.clone(), help: help.clone(), from, to }
    }
}

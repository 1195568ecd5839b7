//! The reductions of the tests, as texts of specifications without a schedule: every named operator on every type that it
//! takes, in every variant, and closures.

use super::closures::{CLOSURES, Closure};
use reduce_codegen::Error as Refusal;
use reduce_dsl::operators::OPERATORS;
use reduce_dsl::parse;
use reduce_ir::operation::{Missing, Operation};
use reduce_ir::pass::Pass;
use reduce_ir::spec::Listed;
use reduce_ir::{Scalar, Spec, Value, constants};
use reduce_runtime::Error;

/// A specification without a schedule.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "not every test asks what it is")]
pub(crate) struct Subject {
    /// The name, without types.
    pub(crate) name: String,
    /// The type of the elements.
    pub(crate) ty: Scalar,
    /// The fields.
    pub(crate) text: String,
}

/// Fields that change the meaning of a named operator, where they apply.
const VARIANTS: [&str; 4] = ["", ", nan: ignore", ", ties: last", ", nan: ignore, ties: last"];

/// Returns all subjects.
pub(crate) fn subjects() -> Vec<Subject> {
    let rows = OPERATORS.iter().flat_map(|row| Scalar::ALL.map(|ty| named(row.name, ty)));
    let closures = CLOSURES.iter().flat_map(|it| it.2.iter().map(|&ty| closure(it, ty)));
    rows.flatten().chain(closures).collect()
}

/// Returns a named operator on a type in its distinct variants, or nothing if it does not take the type.
fn named(name: &str, ty: Scalar) -> Vec<Subject> {
    let inputs = [format!("ty: {ty}"), format!("inputs: {{ x: {ty}, y: {ty} }}")];
    let mut known = Vec::new();
    let mut found = Vec::new();
    for variant in VARIANTS {
        for inputs in &inputs {
            let text = format!("op: {name}, {inputs}{variant}");
            let Ok(parsed) = parse::text(&text, None) else { continue };
            if !known.contains(&parsed.spec.operation) {
                known.push(parsed.spec.operation);
                found.push(Subject { name: format!("{name}{variant}"), ty, text });
            }
        }
    }
    found
}

fn closure(&(name, text, _): &Closure, ty: Scalar) -> Subject {
    let text = text.replace("$T", ty.name()).replace("$C", ty.compute().name());
    Subject { name: name.to_owned(), ty, text }
}

impl Subject {
    /// Returns the specification without the passes that are refused, with smaller blocks where it needs them smaller.
    pub(crate) fn scheduled(&self, passes: &[Pass], mut block: u32) -> Spec {
        let mut passes = passes.to_vec();
        loop {
            let spec = spec(&format!("{}, block: {block}, passes: {}", self.text, Listed(&passes)));
            match reduce_codegen::compile(&spec) {
                Err(Refusal::Refused { index, .. }) => drop(passes.remove(index)),
                Err(Refusal::SharedMemory { .. }) => block /= 2,
                Ok(_) => return spec,
                Err(error) => panic!("{}: {error}", spec.text),
            }
        }
    }

    /// Returns the specification with the library's schedule.
    pub(crate) fn auto(&self) -> Spec {
        spec(&format!("{}, passes: auto", self.text))
    }
}

/// Returns the params of the tests: 1 for each that a call gives.
pub(crate) fn params(operation: &Operation) -> Vec<Value> {
    operation.given_params().iter().map(|param| constants::one(param.ty)).collect()
}

/// Replaces the bits if there are no elements to reduce.
pub(crate) const NO_RESULT: &str = "nothing";

/// The text of a result whose assertion failed.
pub(crate) const FAILED: &str = "an assertion failed";

/// Returns the text of a stored result that is no result.
#[allow(dead_code, reason = "not every test interprets programs")]
pub(crate) fn missing(why: Missing) -> String {
    match why {
        Missing::Nothing => NO_RESULT.to_owned(),
        Missing::Assertion => FAILED.to_owned(),
    }
}

/// Returns the bits of a result, or the error.
pub(crate) fn bits(result: Result<Vec<Value>, Error>) -> String {
    match result {
        Ok(values) => values.iter().map(|value| value.hex()).collect::<Vec<_>>().join(" "),
        Err(Error::Empty { .. } | Error::NothingLeft { .. }) => NO_RESULT.to_owned(),
        Err(Error::AssertionFailed { .. }) => FAILED.to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Parses the specification of a text, and keeps the text.
pub(crate) fn spec(text: &str) -> Spec {
    match reduce_dsl::parse::spec(text) {
        Ok(spec) => Spec { text: text.to_owned(), ..spec },
        Err(error) => panic!("{error}"),
    }
}

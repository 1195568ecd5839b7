//! `reducegen check`: tests the laws of a reduction.

use crate::args::Check;
use crate::failure::Failure;
use crate::source::Source;
use crate::table::{Column, Side, Table};
use crate::{json, output};
use reduce_dsl::laws::{Broken, Cause, Counterexample, Effort, Found, Remark};
use reduce_dsl::parse::{Diagnostic, SpecError};
use serde::Serialize;

/// Prints the tested laws and the findings; fails if a law does not hold.
pub(crate) fn check(args: &Check) -> Result<(), Failure> {
    let source = Source::read(&args.spec)?;
    let effort = if args.exhaustive { Effort::Exhaustive } else { Effort::Thorough };
    let parsed = match source.read_fields(None) {
        Ok(parsed) => parsed,
        Err(error) => return refused(args, error),
    };
    match parsed.subject.check(effort) {
        Ok(found) if args.json => print(&(json::text(&Holds::of(&parsed.spec.text, &found))? + "\n")),
        Ok(found) => print(&text(&parsed.spec.text, &found)),
        Err(broken) => {
            let message = broken.to_string();
            let error = Diagnostic { broken: Some(broken), ..Diagnostic::error(parsed.places.op, message) };
            refused(args, source.about(vec![error]))
        }
    }
}

/// Reports the errors of a specification; a broken law also as JSON.
fn refused(args: &Check, error: SpecError) -> Result<(), Failure> {
    let Some(broken) = error.diagnostics().iter().find_map(|error| error.broken.as_ref()) else {
        return Err(Failure::Spec(error));
    };
    if args.json {
        print(&(json::text(&DoesNotHold::of(broken))? + "\n"))?;
    }
    Err(Failure::Law(error))
}

fn print(text: &str) -> Result<(), Failure> {
    output::write(None, text.as_bytes())
}

/// Formats the laws as a table, and the other findings as lines.
fn text(spec: &str, found: &Found) -> String {
    let right = |heading| Column { heading, side: Side::Right };
    let left = |heading| Column { heading, side: Side::Left };
    let columns = vec![left("law"), right("exact"), right("bounded"), right("discarded"), left("tried")];
    let mut table = Table::new(columns);
    for checked in &found.checked {
        let cases = checked.cases;
        let counts = [cases.exact, cases.bounded, cases.discarded].map(|count| count.to_string());
        let tried = if cases.exhaustive { "all" } else { "a sample" };
        table.push([&[checked.law.to_string()], &counts[..], &[tried.to_owned()]].concat());
    }
    let remarks: String = remarks(found).into_iter().map(|remark| remark + "\n").collect();
    format!("{spec}\n\n{table}\n{remarks}")
}

fn remarks(found: &Found) -> Vec<String> {
    let commutes = match &found.not_commutative {
        Some(example) => format!("elements keep their order: {example}"),
        None => "elements may be reordered".to_owned(),
    };
    let bits = if found.exact { "every order gives the same bits" } else { "the order changes the bits" };
    let tried = found.is_vacuous().then(|| "no sampled element satisfies `filter`".to_owned());
    tried
        .into_iter()
        .chain([commutes, bits.to_owned()])
        .chain(found.remarks.iter().map(Remark::to_string))
        .collect()
}

/// The line of JSON if the laws hold.
#[derive(Serialize)]
struct Holds<'a> {
    spec: &'a str,
    holds: bool,
    laws: Vec<Tried>,
    commutative: bool,
    exact: bool,
    not_commutative: Option<Example<'a>>,
    nan: Option<Example<'a>>,
    overflow: Option<Example<'a>>,
    division_by_zero: Option<Example<'a>>,
}

#[derive(Serialize)]
struct Tried {
    law: String,
    exact: u64,
    bounded: u64,
    discarded: u64,
    exhaustive: bool,
}

/// The line of JSON if a law does not hold.
#[derive(Serialize)]
struct DoesNotHold<'a> {
    holds: bool,
    law: String,
    counterexample: Example<'a>,
}

/// Two expressions, each with its result.
#[derive(Serialize)]
struct Example<'a> {
    left: [&'a str; 2],
    right: [&'a str; 2],
}

impl<'a> Holds<'a> {
    fn of(spec: &'a str, found: &'a Found) -> Holds<'a> {
        let laws = found.checked.iter().map(|checked| Tried {
            law: checked.law.to_string(),
            exact: checked.cases.exact,
            bounded: checked.cases.bounded,
            discarded: checked.cases.discarded,
            exhaustive: checked.cases.exhaustive,
        });
        let remark = |cause| found.remark(cause).map(|remark| Example::of(&remark.counterexample));
        Holds {
            spec,
            holds: true,
            laws: laws.collect(),
            commutative: found.commutative,
            exact: found.exact,
            not_commutative: found.not_commutative.as_ref().map(Example::of),
            nan: remark(Cause::Nan),
            overflow: remark(Cause::Overflow),
            division_by_zero: remark(Cause::DivisionByZero),
        }
    }
}

impl<'a> DoesNotHold<'a> {
    fn of(broken: &'a Broken) -> DoesNotHold<'a> {
        let counterexample = Example::of(&broken.counterexample);
        DoesNotHold { holds: false, law: broken.law.to_string(), counterexample }
    }
}

impl<'a> Example<'a> {
    fn of(Counterexample { left, right, .. }: &'a Counterexample) -> Example<'a> {
        let [left, right] = [left, right].map(|side| [side.expression.as_str(), side.result.as_str()]);
        Example { left, right }
    }
}

//! Counts of a program by the interpreter, and a check of its result.

mod groups;

use crate::args::MOST_COUNTED;
use crate::elements::Elements;
use reduce_dsl::ladder::STEP;
use reduce_interpreter::{Options, Values, run};
use reduce_ir::Value;
use reduce_ir::program::Program;
use reduce_report::counts::Sums;
use reduce_runtime::{Device, Error, host};

/// The default number of elements on a GPU: the one of the source that gives the most figures.
const DEFAULT_TIMED: u64 = 25_600_000;
/// The number of counted elements by default, and for requests above the maximum.
const DEFAULT_COUNTED: u64 = 1 << 19;

/// Returns the number of elements to reduce, and the number to count.
pub(crate) fn lengths(asked: Option<u64>, device: &Device) -> [u64; 2] {
    let timed = device.architecture().is_some();
    let n = asked.unwrap_or(if timed { DEFAULT_TIMED } else { DEFAULT_COUNTED });
    [n, if n > MOST_COUNTED { DEFAULT_COUNTED } else { n }]
}

/// Returns a line for the case that fewer elements are counted than reduced.
pub(crate) fn limit([n, counts_n]: [u64; 2]) -> String {
    if n == counts_n {
        return String::new();
    }
    format!("counted on {counts_n} elements: above {MOST_COUNTED} the interpreter takes too long\n")
}

/// The counts of a program, and the check of its result.
#[derive(Debug)]
pub(crate) struct Counted {
    /// The counts.
    pub(crate) sums: Sums,
    /// A fault of the execution or its result: a bug of this project.
    pub(crate) wrong: Option<String>,
}

impl Counted {
    /// Runs the program on n elements in the interpreter, with all warps in order, and on the host.
    pub(crate) fn of(program: &Program, n: u64) -> Result<Counted, Error> {
        let elements = Elements::new(&program.operation, program.domain, n, STEP);
        let params = elements.params.as_slice();
        let options = Options::FORWARD.with(params);
        let lowered = reduce_codegen::lower(program)?;
        let mut domain = Values::new(&program.operation);
        let outcome = run(program, &lowered, &mut domain, &elements.inputs(), n, options);
        let association = program.association();
        let host = host::reduce_with(&program.operation, &association, &elements.views(), params)?;
        let found = outcome.acc().map(|acc| domain.finish(acc, n, params)).transpose();
        let found = found.map_err(host::HostError::from)?;
        let wrong = outcome.reports.first().map(ToString::to_string);
        let wrong = wrong.or_else(|| differ("the interpreter", &found.unwrap_or_default(), &host));
        Ok(Counted { sums: Sums::of(program, &outcome.counts), wrong })
    }
}

/// Describes the difference between the results of a device and of the host, compared bit for bit.
pub(crate) fn differ(device: &str, found: &[Value], host: &[Value]) -> Option<String> {
    let text = |values: &[Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    (found != host).then(|| format!("{device} finds {}, and the host {}", text(found), text(host)))
}

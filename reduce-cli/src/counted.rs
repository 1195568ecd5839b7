//! What a program does to elements, counted by the interpreter; and whether its result is the right one.

use crate::args::MOST_COUNTED;
use crate::elements::Elements;
use reduce_dsl::ladder::STEP;
use reduce_interpreter::{Counts, LaunchCounts, Options, Outcome, Values, run};
use reduce_ir::Value;
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::Part;
use reduce_runtime::{Device, Error, host};

/// Elements where a GPU takes times, and nothing was said: those of the source that gives most figures.
const TIMED: u64 = 25_600_000;
/// Elements that are counted, where nothing was said or too many.
const FEW: u64 = 1 << 19;

/// How many elements are reduced, and how many of them counted.
pub(crate) fn lengths(asked: Option<u64>, device: &Device) -> [u64; 2] {
    let timed = device.architecture().is_some();
    let n = asked.unwrap_or(if timed { TIMED } else { FEW });
    [n, if n > MOST_COUNTED { FEW } else { n }]
}

/// What is to be said where fewer elements are counted than reduced.
pub(crate) fn limit([n, counts_n]: [u64; 2]) -> String {
    if n == counts_n {
        return String::new();
    }
    format!("counted on {counts_n} elements: above {MOST_COUNTED} the interpreter takes too long\n")
}

/// The counts of a program, over all its launches.
#[derive(Debug)]
pub(crate) struct Counted {
    /// How many launches.
    pub(crate) launches: usize,
    /// The reduction loop: the trees of threads, without what threads fold alone before.
    pub(crate) tree: Counts,
    /// The whole kernel, without the copy.
    pub(crate) kernel: Counts,
    /// The copy that a tree in place works on.
    pub(crate) copy: Option<Counts>,
    /// What is wrong with the execution or its result: a bug of this project.
    pub(crate) wrong: Option<String>,
}

impl Counted {
    /// Runs the program on n elements in the interpreter, all warps in order, and on the host.
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
        Ok(Counted { wrong, ..Counted::sums(program, &outcome) })
    }

    fn sums(program: &Program, outcome: &Outcome) -> Counted {
        let copies = program.kernel(Reads::Partials).in_place().is_some();
        let (copy, kernels) = outcome.counts.split_at(usize::from(copies));
        Counted {
            launches: outcome.counts.len(),
            tree: sum(kernels.iter().map(|launch| *launch.part(Part::Tree))),
            kernel: sum(kernels.iter().map(LaunchCounts::total)),
            copy: copy.first().map(LaunchCounts::total),
            wrong: None,
        }
    }
}

/// How what some device found differs from what the host found, bit for bit.
pub(crate) fn differ(device: &str, found: &[Value], host: &[Value]) -> Option<String> {
    let text = |values: &[Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    (found != host).then(|| format!("{device} finds {}, and the host {}", text(found), text(host)))
}

fn sum(counts: impl Iterator<Item = Counts>) -> Counts {
    let mut sum = Counts::default();
    counts.for_each(|more| sum += more);
    sum
}

//! The result of `reducegen run` for people; [`super::json`] is for programs.

use crate::array;
use crate::distinct::GroupKeys;
use reduce_ir::Value;
use reduce_ir::operation::{Operation, Record};
use reduce_runtime::Groups;
use std::time::Duration;

/// A reduction that ran.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    /// The operation.
    pub(crate) operation: &'a Operation,
    /// The results.
    pub(crate) results: Results<'a>,
    /// The number and type of the reduced elements, as in `750 x f32`.
    pub(crate) elements: String,
    /// The number of elements of each input or, with axes, of all groups.
    pub(crate) n: u64,
    /// The bytes of the elements of all inputs.
    pub(crate) bytes: u64,
    /// The device: `host`, or `cuda:0`.
    pub(crate) device: &'a str,
    /// The passes, with `auto` replaced by the chosen ones.
    pub(crate) passes: Vec<String>,
    /// The time of the computation, without transfers; `None` if it was not measured.
    pub(crate) kernel: Option<Duration>,
    /// The wall time of everything, from the arguments to the result.
    pub(crate) total: Duration,
}

/// The results of a reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Results<'a> {
    /// One result: one value for each field.
    One(&'a [Value]),
    /// One result for each group.
    Groups(&'a Groups),
    /// One result for each key, with the keys by column.
    Keys(&'a [GroupKeys], &'a Groups),
}

impl Report<'_> {
    /// Returns a result as Rust writes it, `190.2` or `Range { lo: 0.0, hi: 190.2 }`, and several as an array.
    pub(crate) fn text(&self) -> String {
        match self.results {
            Results::One(values) => result_text(self.operation, values),
            Results::Groups(groups) => array::text(&self.operation.output, groups),
            Results::Keys(keys, groups) => {
                let keys: String = keys.iter().map(|keys| format!("keys {}\n", keys_text(keys))).collect();
                keys + &array::text(&self.operation.output, groups)
            }
        }
    }

    /// Returns the elements, the device, the time and the speed.
    pub(crate) fn summary(&self) -> String {
        let speed = self.gigabytes_per_second();
        let time = self.kernel.zip(speed).map_or(String::new(), |(kernel, speed)| {
            format!(" in {} us ({speed:.2} GB/s)", microseconds(kernel))
        });
        format!("{} on {}{time}", self.elements, self.device)
    }

    /// Returns the bytes of the inputs divided by the nanoseconds of the computation.
    pub(crate) fn gigabytes_per_second(&self) -> Option<f64> {
        self.kernel.map(|kernel| self.bytes as f64 / kernel.as_nanos().max(1) as f64)
    }
}

fn keys_text(keys: &GroupKeys) -> String {
    match keys {
        GroupKeys::Names(keys) => array::names(keys),
        GroupKeys::Numbers(keys) => {
            let all = Groups { shape: vec![keys.len() as u64], fields: vec![keys.clone()], present: None };
            array::text(&Record::scalar(keys.ty()), &all)
        }
    }
}

/// Returns the number of elements and their types, as in `750 x f32`.
pub(crate) fn elements(operation: &Operation, n: u64) -> String {
    let types: Vec<_> = operation.inputs.iter().map(|input| input.ty.name()).collect();
    let types = if let [only] = types[..] { only.to_owned() } else { format!("({})", types.join(", ")) };
    format!("{n} x {types}")
}

/// Returns a result as Rust writes it.
pub(crate) fn result_text(operation: &Operation, values: &[Value]) -> String {
    operation.output.value_text(values)
}

/// Returns a time in microseconds, to the nanosecond.
pub(crate) fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

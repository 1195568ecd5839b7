//! The result of `reducegen run` for people; [`super::json`] is for programs.

use reduce_ir::Value;
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use std::time::Duration;

/// A reduction that ran.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    /// The operation.
    pub(crate) operation: &'a Operation,
    /// The result, one value for each field.
    pub(crate) values: &'a [Value],
    /// The number of elements of each input.
    pub(crate) n: usize,
    /// The device: `host`, or `cuda:0`.
    pub(crate) device: &'a str,
    /// The passes, with `auto` replaced by the chosen ones.
    pub(crate) passes: Vec<String>,
    /// The wall time of the computation, without transfers.
    pub(crate) kernel: Duration,
    /// The wall time of everything, from the arguments to the result.
    pub(crate) total: Duration,
}

impl Report<'_> {
    /// Returns the result as Rust writes it: `190.2`, or `Range { lo: 0.0, hi: 190.2 }`.
    pub(crate) fn text(&self) -> String {
        result_text(self.operation, self.values)
    }

    /// Returns the number of elements, the device, the time and the speed.
    pub(crate) fn summary(&self) -> String {
        let types: Vec<_> = self.operation.inputs.iter().map(|input| input.ty.name()).collect();
        let element =
            if let [only] = types[..] { only.to_owned() } else { format!("({})", types.join(", ")) };
        let (n, device, time, speed) =
            (self.n, self.device, microseconds(self.kernel), self.gigabytes_per_second());
        format!("{n} x {element} on {device} in {time} us ({speed:.2} GB/s)")
    }

    /// Returns the bytes of the inputs divided by the nanoseconds of the computation.
    pub(crate) fn gigabytes_per_second(&self) -> f64 {
        let bytes = self.n * self.operation.element_size();
        bytes as f64 / self.kernel.as_nanos().max(1) as f64
    }
}

/// Returns a result as Rust writes it.
pub(crate) fn result_text(operation: &Operation, values: &[Value]) -> String {
    let output = &operation.output;
    let field = |(field, value): (&Param, &Value)| match field.name.as_str() {
        "" => value.to_string(),
        name => format!("{name}: {value}"),
    };
    let fields: Vec<_> = output.fields.iter().zip(values).map(field).collect();
    match &output.name {
        None => fields.concat(),
        Some(name) => format!("{name} {{ {} }}", fields.join(", ")),
    }
}

/// Returns a time in microseconds, to the nanosecond.
pub(crate) fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

//! Lines of JSON, in particular the line of `reducegen run`.

use crate::distinct::GroupKeys;
use crate::failure::Failure;
use crate::report::{Report, Results, microseconds};
use reduce_ir::func::Param;
use reduce_ir::{Scalar, Value};
use reduce_runtime::Groups;
use serde::{Serialize, Serializer};

/// Returns the line of a run, without a newline.
pub(crate) fn line(report: &Report<'_>) -> Result<String, Failure> {
    text(&Run::of(report))
}

/// Returns any value as one line, without a newline.
pub(crate) fn text(it: &impl Serialize) -> Result<String, Failure> {
    let json = serde_json::to_string(it);
    json.map_err(|error| Failure::Write { target: "JSON".to_owned(), error: error.into() })
}

/// The line of a run, with its keys in order.
#[derive(Serialize)]
struct Run<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<&'a [u64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<serde_json::Value>>,
    result: Named<'a, serde_json::Value>,
    bits: Named<'a, serde_json::Value>,
    n: u64,
    ty: Named<'a, &'static str>,
    device: &'a str,
    passes: &'a [String],
    kernel_us: Option<f64>,
    total_us: f64,
    gb_per_s: Option<f64>,
}

impl<'a> Run<'a> {
    fn of(report: &'a Report<'a>) -> Run<'a> {
        let inputs = &report.operation.inputs;
        Run {
            shape: match report.results {
                Results::One(_) => None,
                Results::Groups(groups) | Results::Keys(_, groups) => Some(&groups.shape),
            },
            keys: match report.results {
                Results::One(_) | Results::Groups(..) => None,
                Results::Keys(keys, ..) => Some(keys_of_groups(keys)),
            },
            result: fields(report, number),
            bits: fields(report, |value| value.hex().into()),
            n: report.n,
            ty: Named::of(inputs, inputs.len() == 1, inputs.iter().map(|input| input.ty.name())),
            device: report.device,
            passes: &report.passes,
            kernel_us: report.kernel.map(microseconds),
            total_us: microseconds(report.total),
            gb_per_s: report.gigabytes_per_second(),
        }
    }
}

/// Returns the key of each group: an array of its columns, if there are several.
fn keys_of_groups(columns: &[GroupKeys]) -> Vec<serde_json::Value> {
    let key = |column: &GroupKeys, at: usize| match column {
        GroupKeys::Numbers(keys) => number(keys.get(at)),
        GroupKeys::Names(keys) => keys[at].as_str().into(),
    };
    let groups = 0..columns.first().map_or(0, GroupKeys::len);
    match columns {
        [only] => groups.map(|at| key(only, at)).collect(),
        _ => groups.map(|at| columns.iter().map(|column| key(column, at)).collect()).collect(),
    }
}

/// Returns the values of each field of the output: one, or a flat array of those of all groups.
fn fields<'a>(
    report: &'a Report<'a>,
    convert: fn(Value) -> serde_json::Value,
) -> Named<'a, serde_json::Value> {
    let output = &report.operation.output;
    let values: Vec<serde_json::Value> = match report.results {
        Results::One(values) => values.iter().copied().map(convert).collect(),
        Results::Groups(groups) | Results::Keys(_, groups) => {
            (0..output.fields.len()).map(|field| array(groups, field, convert).into()).collect()
        }
    };
    Named::of(&output.fields, output.is_scalar(), values.into_iter())
}

/// Returns the values of a field in row-major order; null for a group without a result.
fn array(groups: &Groups, field: usize, convert: fn(Value) -> serde_json::Value) -> Vec<serde_json::Value> {
    let is_present = |group: usize| groups.present.as_ref().is_none_or(|present| present[group]);
    let value = |group| is_present(group).then(|| convert(groups.fields[field].get(group)));
    (0..groups.len()).map(|group| value(group).unwrap_or_default()).collect()
}

/// Converts a number to JSON. It becomes a string if JSON has no such number, or if JSON readers would round it.
///
/// Its digits are the fewest that give the same value in its own type.
fn number(value: Value) -> serde_json::Value {
    let text = value.to_string();
    match value.ty() {
        Scalar::Bool => (value.bits() == 1).into(),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => number.into(),
            Ok(_) | Err(_) => text.into(),
        },
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => match text.parse::<i64>() {
            Ok(number) if number.unsigned_abs() <= 1 << 53 => number.into(),
            Ok(_) | Err(_) => text.into(),
        },
    }
}

/// Named items as an object in their order. A single item without a telling name stands alone.
struct Named<'a, T> {
    items: Vec<(&'a str, T)>,
    bare: bool,
}

impl<'a, T> Named<'a, T> {
    fn of(names: &'a [Param], bare: bool, items: impl Iterator<Item = T>) -> Named<'a, T> {
        Named { items: names.iter().map(|param| param.name.as_str()).zip(items).collect(), bare }
    }
}

impl<T: Serialize> Serialize for Named<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.items.as_slice() {
            [(_, only)] if self.bare => only.serialize(serializer),
            items => serializer.collect_map(items.iter().map(|(name, item)| (name, item))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use reduce_ir::operation::{Operation, Record};
    use std::time::Duration;

    fn report<'a>(operation: &'a Operation, values: &'a [Value]) -> Report<'a> {
        let (kernel, total) = (Some(Duration::from_nanos(1500)), Duration::from_micros(2));
        Report {
            operation,
            results: Results::One(values),
            elements: "750 x f32".to_owned(),
            n: 750,
            bytes: 3000,
            device: "host",
            passes: vec!["shuffle".to_owned()],
            kernel,
            total,
        }
    }

    #[test]
    fn a_struct_is_an_object() {
        let mut operation = reduce_dsl::parse::text("op: argmax, ty: f32", None).unwrap().spec.operation;
        operation.output = Record::of("Best", &[("value", Scalar::F32), ("index", Scalar::U64)]);
        let values = [Value::of(f32::INFINITY), Value::of(7u64)];
        let report = report(&operation, &values);
        let json = r#"{"result":{"value":"inf","index":7},"bits":{"value":"7f800000","index":"0000000000000007"},"n":750,"ty":"f32","device":"host","passes":["shuffle"],"kernel_us":1.5,"total_us":2.0,"gb_per_s":2.0}"#;
        assert_eq!(line(&report).unwrap(), json);
        assert_eq!(report.text(), "Best { value: inf, index: 7 }");
        assert_eq!(report.summary(), "750 x f32 on host in 1.5 us (2.00 GB/s)");
    }

    #[test]
    fn numbers_come_back_in_their_own_type() {
        for x in [0.1f32, 1.0 / 3.0, f32::MIN_POSITIVE, f32::MAX, 1e-45, -16_777_216.0] {
            let text = number(Value::of(x)).to_string();
            assert_eq!(text.parse::<f32>().unwrap().to_bits(), x.to_bits(), "{text}");
        }
        for x in [0.1f64, 1.0 / 3.0, f64::MIN_POSITIVE, f64::MAX, 5e-324] {
            let text = number(Value::of(x)).to_string();
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), x.to_bits(), "{text}");
        }
        for x in [1i64 << 53, -(1 << 53)] {
            assert_eq!(number(Value::of(x)).as_i64(), Some(x));
            assert_eq!(number(Value::of(x + x.signum())).as_str().unwrap(), (x + x.signum()).to_string());
        }
    }
}

//! The cells of a column of text, whose type becomes known while they are read.

use crate::formats::column::Column;
use crate::formats::error::{Reason, check_size};
use reduce_ir::Scalar;
use reduce_lanes::Lanes;

/// What is wrong with a cell, and a way out.
pub(super) struct Mistake(pub(super) &'static str);

const NOT_A_NUMBER: Mistake =
    Mistake("not a number; name a column of numbers, or leave the cell empty where there is none");
const TOO_LARGE: Mistake =
    Mistake("an integer beyond 64 bits with a sign; write all numbers of the column with a point, as in 1.0");
const MIXED: Mistake =
    Mistake("not of the type of the cells above; write numbers, or `true` and `false`, in all");

/// The cells so far.
#[derive(Default)]
pub(super) struct Cells {
    values: Values,
    present: Option<Vec<bool>>,
}

/// The values so far. Absent ones are zero.
enum Values {
    /// Only absent ones: how many.
    Unknown(usize),
    Bools(Vec<bool>),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

/// The value of a cell.
enum Value {
    Absent,
    Bool(bool),
    Integer(i64),
    Float(f64),
}

impl Default for Values {
    fn default() -> Values {
        Values::Unknown(0)
    }
}

impl Cells {
    /// Appends a cell.
    pub(super) fn push(&mut self, cell: &[u8]) -> Result<(), Mistake> {
        let value = parse(cell)?;
        let is_present = !matches!(value, Value::Absent);
        let before = self.values.len();
        self.values.push(value)?;
        if let Some(present) = &mut self.present {
            present.push(is_present);
        } else if !is_present {
            let mut present = vec![true; before];
            present.push(false);
            self.present = Some(present);
        }
        Ok(())
    }

    /// Checks that the values fit into memory.
    pub(super) fn check_size(&self, column: &str, limit: u64) -> Result<(), Reason> {
        check_size(column, self.values.len() as u64, Scalar::I64, limit)
    }

    pub(super) fn into_column(self) -> Result<Column, Reason> {
        let values = match self.values {
            Values::Unknown(len) => Lanes::from(vec![0.0f64; len]),
            Values::Bools(values) => values.into(),
            Values::Integers(values) => values.into(),
            Values::Floats(values) => values.into(),
        };
        Ok(Column::flat(values, self.present))
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Unknown(len) => *len,
            Values::Bools(values) => values.len(),
            Values::Integers(values) => values.len(),
            Values::Floats(values) => values.len(),
        }
    }

    fn push(&mut self, value: Value) -> Result<(), Mistake> {
        self.widen(&value);
        match (self, value) {
            (Values::Unknown(len), Value::Absent) => *len += 1,
            (Values::Bools(values), Value::Bool(value)) => values.push(value),
            (Values::Bools(values), Value::Absent) => values.push(false),
            (Values::Integers(values), Value::Integer(value)) => values.push(value),
            (Values::Integers(values), Value::Absent) => values.push(0),
            (Values::Floats(values), Value::Float(value)) => values.push(value),
            (Values::Floats(values), Value::Integer(value)) => values.push(value as f64),
            (Values::Floats(values), Value::Absent) => values.push(0.0),
            (Values::Bools(_), Value::Integer(_) | Value::Float(_)) => return Err(MIXED),
            (Values::Integers(_) | Values::Floats(_), Value::Bool(_)) => return Err(MIXED),
            // `widen` has left neither.
            (Values::Unknown(_), _) | (Values::Integers(_), Value::Float(_)) => return Err(MIXED),
        }
        Ok(())
    }

    /// Changes the type to one that can hold the value, if there is one.
    fn widen(&mut self, value: &Value) {
        let wider = match (&*self, value) {
            (Values::Unknown(len), Value::Bool(_)) => Values::Bools(vec![false; *len]),
            (Values::Unknown(len), Value::Integer(_)) => Values::Integers(vec![0; *len]),
            (Values::Unknown(len), Value::Float(_)) => Values::Floats(vec![0.0; *len]),
            (Values::Integers(values), Value::Float(_)) => {
                Values::Floats(values.iter().map(|&value| value as f64).collect())
            }
            _ => return,
        };
        *self = wider;
    }
}

/// Returns whether a cell stands for no value.
pub(super) fn is_absent(text: &str) -> bool {
    ["", "na", "n/a", "null"].iter().any(|absent| text.eq_ignore_ascii_case(absent))
}

fn parse(cell: &[u8]) -> Result<Value, Mistake> {
    let text = str::from_utf8(cell).map_err(|_| NOT_A_NUMBER)?;
    if is_absent(text) {
        return Ok(Value::Absent);
    }
    if let Ok(value) = text.parse() {
        return Ok(Value::Integer(value));
    }
    match text.to_ascii_lowercase().as_str() {
        "true" => Ok(Value::Bool(true)),
        "false" => Ok(Value::Bool(false)),
        _ if text.strip_prefix(['+', '-']).unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit()) => {
            Err(TOO_LARGE)
        }
        _ => text.parse().map(Value::Float).map_err(|_| NOT_A_NUMBER),
    }
}

//! The fields `filter` and `nan`, which make elements absent.

use super::choices;
use super::closure::Lambda;
use super::diagnostic::Errors;
use super::fields::Fields;
use super::functions::{self, Functions};
use super::typing::Typed;
use crate::operators::{Nan, Operator};
use reduce_ir::Scalar;
use reduce_ir::Value;
use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::operation::{both, gives_number, numbers};
use reduce_ir::ops::TypeError;

/// The fields of the user about absent elements.
pub(super) struct Absent {
    /// The typed `filter`.
    pub(super) filter: Option<Typed>,
    /// `nan`.
    pub(super) nan: Nan,
    /// Whether a group has only the elements with its key.
    pub(super) has_keys: bool,
}

/// The condition on elements, and the treatment of NaN that is left to the row.
pub(super) struct Kept {
    /// The condition on stored inputs; `None` if every element stays.
    pub(super) keep: Option<Func>,
    /// The condition that an element is neither filtered nor an ignored NaN; `None` if every element is present.
    pub(super) present: Option<Func>,
    /// The treatment of NaN by the row.
    pub(super) nan: Nan,
}

impl Absent {
    /// Reads both fields; `None` if one is wrong.
    pub(super) fn read(
        fields: &Fields,
        functions: &mut Functions<'_>,
        errors: &mut Errors,
    ) -> Option<Absent> {
        let filter = fields.lambda("filter", fields.filter.as_ref(), errors);
        let filter = filter.then(|filter| functions.filter(&filter, errors)).right();
        let nan = choices::nan(fields, errors);
        Some(Absent { filter: filter?, nan: nan?, has_keys: fields.has_keys() })
    }

    /// Returns the condition for a closure, which does not treat NaN itself: an element is absent if any of its
    /// floats is NaN.
    pub(super) fn of_closure(&self, inputs: &[Param]) -> Result<Kept, TypeError> {
        let own = if self.nan == Nan::Ignore { numbers(inputs, None)? } else { None };
        let keep = both(self.filter(inputs)?, own, inputs)?;
        Ok(Kept { present: keep.clone(), keep, nan: Nan::Propagate })
    }

    /// Returns the condition for a row, which skips elements that are NaN after `map`.
    pub(super) fn of_row(
        &self,
        row: &Operator,
        inputs: &[Param],
        map: Option<&Func>,
    ) -> Result<Kept, TypeError> {
        let map = map.map(|map| functions::of_stored(map, inputs)).transpose()?;
        let own = match &map {
            Some(map) if self.nan == Nan::Ignore => numbers(inputs, Some(map))?,
            _ => None,
        };
        let keep = both(self.filter(inputs)?, own, inputs)?;
        let number = if self.nan == Nan::Ignore { is_number(inputs, map.as_ref())? } else { None };
        let present = both(keep.clone(), number, inputs)?;
        // A row without identity marks NaN elements in its own way, which does not combine with a condition.
        if keep.is_none() || self.nan == Nan::Propagate || row.identity.is_some() {
            return Ok(Kept { keep, present, nan: self.nan });
        }
        Ok(Kept { keep: present.clone(), present, nan: Nan::Propagate })
    }

    /// Returns the condition of `filter`. With keys, elements can be absent from a group also if it always holds.
    fn filter(&self, inputs: &[Param]) -> Result<Option<Func>, TypeError> {
        match &self.filter {
            Some(filter) => functions::of_stored(&filter.func, inputs).map(Some),
            None if self.has_keys => {
                let mut always = FuncBuilder::new(inputs.to_vec());
                let holds = always.constant(Value::of(true));
                Ok(Some(always.build(vec![holds])))
            }
            None => Ok(None),
        }
    }

    /// Returns the text of `filter`, avoiding the names that are taken.
    pub(super) fn spelling(&self, names: &[&str]) -> Option<String> {
        self.filter.as_ref().map(|it| it.written.closure(&it.result, &it.result, names))
    }

    /// Reports `nan: ignore` where neither an element nor its mapped value is a float.
    pub(super) fn check_nan(
        &self,
        fields: &Fields,
        inputs: &[Param],
        mapped: Option<Scalar>,
        errors: &mut Errors,
    ) {
        let has_nan = inputs.iter().map(|input| input.ty).chain(mapped).any(Scalar::is_float);
        if let (Nan::Ignore, false, Some(nan)) = (self.nan, has_nan, &fields.nan) {
            errors.add(nan.span(), "no element is a float, so NaN cannot occur").help("leave `nan` out");
        }
    }
}

/// Returns the condition that an element is not NaN after `map`; `None` if it cannot be NaN.
fn is_number(inputs: &[Param], map: Option<&Func>) -> Result<Option<Func>, TypeError> {
    match map {
        Some(map) if map.result_types()[0].is_float() => gives_number(map).map(Some),
        Some(_) => Ok(None),
        None => numbers(inputs, None),
    }
}

/// Refuses the parameter `n` of `finish` if elements can be absent: it counts all elements, so dividing by it
/// would be wrong.
pub(super) fn refuse_count(finish: &Lambda, fields: &Fields, errors: &mut Errors) {
    let count = finish.params.get(1).filter(|count| count.name.is_some());
    let ignores = fields.nan.as_ref().is_some_and(|nan| nan == "ignore");
    let field = match (fields.has("filter"), fields.has_keys()) {
        (true, _) => "filter",
        (false, true) => "by",
        (false, false) => "nan: ignore",
    };
    if let (Some(count), true) = (count, ignores || field != "nan: ignore") {
        let message = format!("with `{field}` this would count absent elements as well");
        errors
            .add(count.place, message)
            .help("leave it out; use `op: mean`, `op: var`, or a count in the accumulator");
    }
}

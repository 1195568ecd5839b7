//! Positions along axes. A function computes them from the number of the group or from the position in the group, and from
//! lengths, which the inputs of a call tell.

use super::Operation;
use crate::Value;
use crate::axes::Nest;
use crate::func::{Func, Param};

/// A param whose value the shape of the inputs gives. Axes are given by their places in [`Axes::axes`](crate::Axes::axes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// The length of an axis.
    Length(usize),
    /// The number of groups, or of elements of a group, from one position along an axis to the next.
    Inner(usize),
}

/// What functions take from the shape of the inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Measures {
    /// The name of the number of the group, for the functions that use it. Empty: none does.
    pub group: String,
    /// The values of the last params, in order.
    pub params: Vec<Measure>,
}

impl Operation {
    /// Returns the params that a call gives: those before the [measures](Measures::params).
    pub fn given_params(&self) -> &[Param] {
        &self.params[..self.params.len() - self.measures.params.len()]
    }

    /// Returns the same operation without the measures that no function uses.
    #[must_use]
    pub fn with_used_measures(mut self) -> Operation {
        let functions: Vec<&Func> =
            [&self.map, &self.finish].into_iter().chain(&self.fold).chain(&self.key).collect();
        let is_used =
            |name: &str| functions.iter().any(|func| func.params().iter().any(|it| it.name == name));
        let (given, group) = (self.given_params().len(), is_used(&self.measures.group));
        let measured = self.params[given..].iter().zip(&self.measures.params);
        let used: Vec<_> =
            measured.filter(|(param, _)| is_used(&param.name)).map(|(p, m)| (p.clone(), *m)).collect();
        self.params.truncate(given);
        self.measures.params.clear();
        for (param, measure) in used {
            self.params.push(param);
            self.measures.params.push(measure);
        }
        if !group {
            self.measures.group.clear();
        }
        self
    }
}

impl Nest {
    /// Returns the values of all params of an operation: those that a call gives, and its measures.
    pub fn params(&self, operation: &Operation, given: &[Value]) -> Vec<Value> {
        let value = |measure: &Measure| match *measure {
            Measure::Length(axis) => self.along[axis].length,
            Measure::Inner(axis) => self.along[axis].inner,
        };
        let measured = operation.measures.params.iter().map(|measure| Value::of(value(measure)));
        given.iter().copied().chain(measured).collect()
    }
}

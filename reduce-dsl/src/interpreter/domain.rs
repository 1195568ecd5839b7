//! What accumulators are while a program runs: a choice of the caller.

use super::Fault;
use crate::eval::Evaluator;
use crate::lanes::{Lanes, LanesRef};
use crate::operation::Operation;
use crate::{Scalar, Value};

/// A representation of accumulators, many at a time. Each is defined or not.
pub trait Domain {
    /// A vector of accumulators.
    type Accs: Clone;

    /// `len` accumulators that hold nothing.
    fn undefined(&self, len: usize) -> Self::Accs;

    /// `len` accumulators of no element: the identity, or nothing where there is none.
    fn empty(&mut self, len: usize) -> Self::Accs;

    /// The accumulators of single elements: the inputs' elements and their positions. Only lanes of
    /// `mask` matter.
    ///
    /// # Errors
    /// The elements do not belong together.
    fn map(
        &mut self,
        inputs: &[Lanes],
        positions: Option<&Lanes>,
        mask: &[bool],
    ) -> Result<Self::Accs, Fault>;

    /// Combines lane by lane; a lane is defined if both were.
    ///
    /// # Errors
    /// The operation is ill typed.
    fn combine(&mut self, a: &Self::Accs, b: &Self::Accs) -> Result<Self::Accs, Fault>;

    /// Is that accumulator defined?
    fn defined(&self, accs: &Self::Accs, lane: usize) -> bool;

    /// `into[i] = from[j]`, for every `(i, j)`.
    fn copy(&self, into: &mut Self::Accs, from: &Self::Accs, pairs: &[(usize, usize)]);

    /// How many.
    fn len(&self, accs: &Self::Accs) -> usize;
}

/// Accumulators are values.
pub struct Values<'a> {
    operation: &'a Operation,
    map: Evaluator,
    combine: Evaluator,
}

impl<'a> Values<'a> {
    /// The values of an operation.
    pub fn new(operation: &'a Operation) -> Values<'a> {
        let [map, combine] = [&operation.map, &operation.combine].map(Evaluator::new);
        Values { operation, map, combine }
    }

    /// The result of the accumulator that [`super::run`] gave.
    ///
    /// # Errors
    /// The operation is ill typed.
    pub fn finish(&self, accs: &ValueAccs) -> Result<Vec<Value>, Fault> {
        let acc: Vec<_> = accs.fields.iter().map(|field| field.get(0)).collect();
        Ok(Evaluator::new(&self.operation.finish).run_once(&acc)?)
    }

    fn lanes(&self, len: usize) -> Vec<Lanes> {
        let zero = |ty: Scalar| Lanes::splat(Value::from_bits(ty, 0), len);
        self.operation.acc.types().into_iter().map(zero).collect()
    }
}

/// Accumulators as values, field by field.
#[derive(Clone, Debug)]
pub struct ValueAccs {
    fields: Vec<Lanes>,
    defined: Vec<bool>,
}

impl Domain for Values<'_> {
    type Accs = ValueAccs;

    fn undefined(&self, len: usize) -> ValueAccs {
        ValueAccs { fields: self.lanes(len), defined: vec![false; len] }
    }

    fn empty(&mut self, len: usize) -> ValueAccs {
        match &self.operation.identity {
            None => self.undefined(len),
            Some(identity) => {
                let fields = identity.iter().map(|&value| Lanes::splat(value, len)).collect();
                ValueAccs { fields, defined: vec![true; len] }
            }
        }
    }

    fn map(
        &mut self,
        inputs: &[Lanes],
        positions: Option<&Lanes>,
        mask: &[bool],
    ) -> Result<ValueAccs, Fault> {
        let args: Vec<_> = inputs.iter().chain(positions).map(Lanes::borrow).collect();
        let fields = apply(&mut self.map, &args, mask.len())?;
        Ok(ValueAccs { fields, defined: mask.to_vec() })
    }

    fn combine(&mut self, a: &ValueAccs, b: &ValueAccs) -> Result<ValueAccs, Fault> {
        let args: Vec<_> = a.fields.iter().chain(&b.fields).map(Lanes::borrow).collect();
        let fields = apply(&mut self.combine, &args, a.defined.len())?;
        let defined = a.defined.iter().zip(&b.defined).map(|(&a, &b)| a && b).collect();
        Ok(ValueAccs { fields, defined })
    }

    fn defined(&self, accs: &ValueAccs, lane: usize) -> bool {
        accs.defined[lane]
    }

    fn copy(&self, into: &mut ValueAccs, from: &ValueAccs, pairs: &[(usize, usize)]) {
        for (into, from) in into.fields.iter_mut().zip(&from.fields) {
            into.copy(from.borrow(), pairs);
        }
        pairs.iter().for_each(|&(i, j)| into.defined[i] = from.defined[j]);
    }

    fn len(&self, accs: &ValueAccs) -> usize {
        accs.defined.len()
    }
}

fn apply(function: &mut Evaluator, args: &[LanesRef<'_>], len: usize) -> Result<Vec<Lanes>, Fault> {
    function.run(args, len)?;
    let mut results = Vec::new();
    for k in 0..function.results() {
        let from = function.result(k, args);
        let mut lanes = Lanes::empty(from.ty());
        lanes.extend(from);
        results.push(lanes);
    }
    Ok(results)
}

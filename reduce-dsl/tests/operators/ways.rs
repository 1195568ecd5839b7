//! Ways to reduce a few elements: from the left, from the right, pairwise, by `fold`, and with fill in between.

use reduce_dsl::operators::{Nan, Request, Ties, operator};
use reduce_ir::arith::Element;
use reduce_ir::func::Param;
use reduce_ir::operation::{Argument, Operation};
use reduce_ir::{Scalar, Value};

type Acc = Vec<Value>;

/// The choices with which an operator is applied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) nan: Nan,
    pub(crate) ties: Option<Ties>,
    pub(crate) acc: Option<Scalar>,
    /// The value of `ddof`, if the call passes one.
    pub(crate) ddof: Option<u64>,
}

/// Returns the result of a specification on elements of one input, after checking that all ways agree.
pub(crate) fn result_of<T: Element>(text: &str, x: &[T]) -> Option<Vec<Value>> {
    let operation = reduce_dsl::parse::spec(text).unwrap_or_else(|error| panic!("{error}")).operation;
    every_way(&operation, USUAL, &[x.iter().map(|&x| Value::of(x)).collect()])
}

pub(crate) const USUAL: How = How { nan: Nan::Propagate, ties: None, acc: None, ddof: None };
pub(crate) const IGNORE: How = How { nan: Nan::Ignore, ..USUAL };

/// Returns the operation of an operator on elements of that type.
pub(crate) fn operation(name: &str, ty: Scalar, how: How) -> Operation {
    let row = operator(name).unwrap();
    let inputs: Vec<_> = ["x", "y"].into_iter().take(row.inputs).map(|name| Param::new(name, ty)).collect();
    let params: Vec<_> = how.ddof.map(|_| Param::new("ddof", Scalar::U64)).into_iter().collect();
    let request =
        Request { nan: how.nan, ties: how.ties, acc: how.acc, params: &params, ..Request::new(&inputs) };
    row.applied(&request).unwrap()
}

/// Returns the result for elements of one input, after checking that all ways agree; `None` without a result.
pub(crate) fn result<T: Element>(name: &str, how: How, x: &[T]) -> Option<Vec<Value>> {
    let columns = [x.iter().map(|&x| Value::of(x)).collect()];
    every_way(&operation(name, T::TY, how), how, &columns)
}

/// Returns the results for elements of one input, one for each way.
pub(crate) fn results<T: Element>(name: &str, how: How, x: &[T]) -> Vec<Option<Vec<Value>>> {
    let columns = [x.iter().map(|&x| Value::of(x)).collect()];
    each_way(&operation(name, T::TY, how), how, &columns)
}

/// Returns the result for elements of two inputs.
pub(crate) fn result_of_pairs<T: Element>(name: &str, how: How, pairs: &[(T, T)]) -> Option<Vec<Value>> {
    let x = pairs.iter().map(|&(x, _)| Value::of(x)).collect();
    let y = pairs.iter().map(|&(_, y)| Value::of(y)).collect();
    every_way(&operation(name, T::TY, how), how, &[x, y])
}

/// Returns a result that is one scalar.
pub(crate) fn scalar<T: Element, R: Element>(name: &str, how: How, x: &[T]) -> R {
    result(name, how, x).unwrap()[0].get().unwrap()
}

fn every_way(operation: &Operation, how: How, columns: &[Vec<Value>]) -> Option<Vec<Value>> {
    let results = each_way(operation, how, columns);
    results.iter().for_each(|other| assert_eq!(*other, results[0], "{}: {columns:?}", operation.name));
    results[0].clone()
}

fn each_way(operation: &Operation, how: How, columns: &[Vec<Value>]) -> Vec<Option<Vec<Value>>> {
    let ways = Ways { operation, how, columns };
    let n = columns[0].len();
    let leaves: Vec<Acc> = (0..n).map(|i| ways.mapped(i)).collect();
    let mut accs = vec![ways.leftwards(&leaves), ways.rightwards(&leaves), ways.pairs(&leaves)];
    accs.extend(operation.fold.is_some().then(|| ways.folded()));
    if let Some(fill) = &operation.fill {
        let padded: Vec<Acc> =
            leaves.iter().flat_map(|leaf| [fill.clone(), leaf.clone(), fill.clone()]).collect();
        accs.extend([ways.leftwards(&padded), ways.pairs(&padded)]);
    }
    accs.into_iter().map(|acc| ways.finished(acc)).collect()
}

struct Ways<'a> {
    operation: &'a Operation,
    how: How,
    columns: &'a [Vec<Value>],
}

impl Ways<'_> {
    fn argument(&self, argument: Argument, i: usize, acc: &[Value]) -> Value {
        match argument {
            Argument::Acc(field) => acc[field],
            Argument::Input(input) => self.columns[input][i],
            Argument::Index | Argument::Group | Argument::Step => Value::of(i as u64),
            Argument::Count => Value::of(self.columns[0].len() as u64),
            Argument::Param(_) => Value::of(self.how.ddof.unwrap()),
        }
    }

    fn arguments(&self, arguments: Vec<Argument>, i: usize, acc: &[Value]) -> Vec<Value> {
        arguments.into_iter().map(|argument| self.argument(argument, i, acc)).collect()
    }

    fn mapped(&self, i: usize) -> Acc {
        let args = self.arguments(self.operation.map_arguments(), i, &[]);
        self.operation.map.evaluate(&args).unwrap()
    }

    fn combined(&self, a: &[Value], b: &[Value]) -> Acc {
        self.operation.combine.evaluate(&[a, b].concat()).unwrap()
    }

    fn leftwards(&self, leaves: &[Acc]) -> Option<Acc> {
        leaves.iter().cloned().reduce(|a, b| self.combined(&a, &b))
    }

    fn rightwards(&self, leaves: &[Acc]) -> Option<Acc> {
        leaves.iter().rev().cloned().reduce(|b, a| self.combined(&a, &b))
    }

    fn pairs(&self, leaves: &[Acc]) -> Option<Acc> {
        match leaves {
            [] => None,
            [one] => Some(one.clone()),
            more => {
                let (left, right) = more.split_at(more.len().div_ceil(2));
                Some(self.combined(&self.pairs(left)?, &self.pairs(right)?))
            }
        }
    }

    fn folded(&self) -> Option<Acc> {
        let fold = self.operation.fold.as_ref()?;
        let step = |acc: Acc, i: usize| {
            let args = self.arguments(self.operation.fold_arguments().unwrap_or_default(), i, &acc);
            fold.evaluate(&args).unwrap()
        };
        let n = self.columns[0].len();
        (n > 0).then(|| (1..n).fold(self.mapped(0), step))
    }

    fn finished(&self, acc: Option<Acc>) -> Option<Vec<Value>> {
        let acc = acc.or_else(|| self.operation.identity.clone())?;
        let args = self.arguments(self.operation.finish_arguments(), 0, &acc);
        let result = self.operation.finish.evaluate(&args).unwrap();
        self.operation.unstored(result).ok()
    }
}

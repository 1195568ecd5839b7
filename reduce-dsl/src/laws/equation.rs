//! The laws as equations between two reductions of the same elements, generic over the number domain.

use super::Law;
use super::batch::Batch;
use super::column::Column;
use super::native::{Equality, same, same_number};
use reduce_ir::func::{Func, Line};
use reduce_ir::library;
use reduce_ir::operation::{Argument, Operation};
use reduce_ir::{Scalar, Value};
use std::cell::Cell;

/// An equation between two reductions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Equation {
    /// op(op(a, b), c) = op(a, op(b, c)).
    Associative,
    /// op(e, a) = a.
    Left(Neutral),
    /// op(a, e) = a.
    Right(Neutral),
    /// op(a, b) = op(b, a).
    Commutative,
    /// Elements folded one by one = their `map` results combined in the same order.
    Fold,
}

/// An accumulator that has to be neutral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Neutral {
    /// Neutral as numbers: the sign of a zero does not matter.
    Identity(Vec<Value>),
    /// Neutral bit for bit.
    Fill(Vec<Value>),
}

impl Equation {
    /// Returns all equations that an operation has to satisfy.
    pub(super) fn of(operation: &Operation) -> Vec<Equation> {
        let identity = operation.identity.clone().map(Neutral::Identity);
        let fill = operation.fill.clone().map(Neutral::Fill);
        let both = |neutral: Neutral| [Equation::Left(neutral.clone()), Equation::Right(neutral)];
        let mut equations = vec![Equation::Associative];
        equations.extend(identity.into_iter().chain(fill).flat_map(both));
        equations.push(Equation::Commutative);
        equations.extend(operation.fold.as_ref().map(|_| Equation::Fold));
        equations
    }

    /// Returns the law that the equation belongs to.
    pub(super) fn law(&self) -> Law {
        match self {
            Equation::Associative => Law::Associative,
            Equation::Left(_) | Equation::Right(_) => Law::Identity,
            Equation::Commutative => Law::Commutative,
            Equation::Fold => Law::Fold,
        }
    }

    /// Returns the numbers of elements of its operands. For [`Equation::Fold`], the operand is the sequence.
    pub(super) fn shapes(&self) -> &'static [&'static [usize]] {
        match self {
            Equation::Associative => &[&[1, 1, 1], &[1, 2, 1], &[2, 1, 3]],
            Equation::Left(_) | Equation::Right(_) => &[&[1], &[2], &[3]],
            Equation::Commutative => &[&[1, 1], &[2, 1], &[2, 3]],
            Equation::Fold => &[&[2], &[3], &[5], &[20], &[100]],
        }
    }

    /// Returns the equality that the equation requires.
    pub(super) fn equality(&self) -> Equality {
        match self {
            Equation::Left(Neutral::Identity(_)) | Equation::Right(Neutral::Identity(_)) => same_number,
            Equation::Left(Neutral::Fill(_)) | Equation::Right(Neutral::Fill(_)) => same,
            Equation::Associative | Equation::Commutative | Equation::Fold => same,
        }
    }

    /// Returns whether any difference of bits breaks the equation.
    pub(super) fn is_strict(&self) -> bool {
        matches!(self, Equation::Left(Neutral::Fill(_)) | Equation::Right(Neutral::Fill(_)))
    }
}

impl Neutral {
    /// Returns the scalars of the accumulator.
    pub(super) fn values(&self) -> &[Value] {
        match self {
            Neutral::Identity(values) | Neutral::Fill(values) => values,
        }
    }
}

/// A number domain in which functions are computed.
pub(super) trait Numbers {
    /// A scalar of every case at once, or of one case.
    type Number: Clone;

    /// Returns the same value in every case.
    fn constant(&self, value: Value) -> Self::Number;

    /// Computes a line of `func` from the numbers of the lines before it.
    fn line(&self, func: &Func, line: &Line, known: &[Self::Number]) -> Self::Number;

    /// Returns the number with its error history reset, as if it were an input.
    fn as_input(&self, number: Self::Number) -> Self::Number;

    /// Returns the number of cases that are computed at once.
    fn cases(&self) -> usize;
}

/// The functions of an operation.
#[derive(Clone, Debug)]
pub(super) struct Functions<'a> {
    operation: &'a Operation,
    map: Func,
    combine: Func,
    fold: Option<Func>,
    /// Operations computed so far, summed over all cases.
    computed: Cell<u64>,
}

/// The functions of an operation, computed in one number domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Computation<'a, N> {
    functions: &'a Functions<'a>,
    numbers: N,
}

/// The elements of a batch, as numbers.
#[derive(Debug)]
pub(super) struct Given<T> {
    /// One entry for each element, which holds one number for each input.
    pub(super) inputs: Vec<Vec<T>>,
    /// One number for each element.
    pub(super) positions: Vec<T>,
    pub(super) params: Vec<T>,
}

type Accumulator<N> = Vec<<N as Numbers>::Number>;

impl<'a> Functions<'a> {
    /// Takes the functions as written: `exp` is one operation of the number domain.
    pub(super) fn of(operation: &'a Operation) -> Self {
        let (map, combine, fold) = (&operation.map, &operation.combine, &operation.fold);
        let computed = Cell::default();
        Functions { operation, map: map.clone(), combine: combine.clone(), fold: fold.clone(), computed }
    }

    /// Takes the functions as executed: `exp` is expanded into basic operations.
    pub(super) fn written_out(operation: &'a Operation) -> Self {
        let [map, combine] = [&operation.map, &operation.combine].map(library::written_out);
        let fold = operation.fold.as_ref().map(library::written_out);
        Functions { operation, map, combine, fold, computed: Cell::default() }
    }

    /// Computes the functions in the given number domain.
    pub(super) fn with<N: Numbers>(&'a self, numbers: N) -> Computation<'a, N> {
        Computation { functions: self, numbers }
    }

    /// Returns the number of operations of all functions.
    pub(super) fn operations(&self) -> usize {
        [Some(&self.map), Some(&self.combine), self.fold.as_ref()]
            .into_iter()
            .flatten()
            .map(|it| it.lines().len())
            .sum()
    }

    /// Returns the number of operations of `op`.
    pub(super) fn operations_of_op(&self) -> usize {
        self.combine.lines().len()
    }

    /// Returns the number of operations computed so far.
    pub(super) fn computed(&self) -> u64 {
        self.computed.get()
    }

    /// Returns whether a side of the equation may round, apart from its operands.
    pub(super) fn round(&self, equation: &Equation) -> bool {
        let fold = || [Some(&self.map), self.fold.as_ref()].into_iter().flatten().any(Func::rounds);
        self.combine.rounds() || *equation == Equation::Fold && fold()
    }
}

impl<N: Numbers> Computation<'_, N> {
    /// Computes both sides of an equation whose operands are made of elements.
    pub(super) fn sides(
        &self,
        equation: &Equation,
        shape: &[usize],
        given: &Given<N::Number>,
    ) -> [Accumulator<N>; 2] {
        if *equation == Equation::Fold {
            return [self.folded(given), self.combined(0..given.inputs.len(), given)];
        }
        self.sides_of(equation, &self.operands(shape, given))
    }

    /// Computes the operands: consecutive runs of elements.
    pub(super) fn operands(&self, shape: &[usize], given: &Given<N::Number>) -> Vec<Accumulator<N>> {
        let mut start = 0;
        let operand = |&elements: &usize| {
            let run = start..start + elements;
            start = run.end;
            let as_input = |number| self.numbers.as_input(number);
            self.combined(run, given).into_iter().map(as_input).collect()
        };
        shape.iter().map(operand).collect()
    }

    /// Computes both sides of an equation between accumulators.
    pub(super) fn sides_of(&self, equation: &Equation, operands: &[Accumulator<N>]) -> [Accumulator<N>; 2] {
        let op = |a: &Accumulator<N>, b: &Accumulator<N>| self.combine(a, b);
        let neutral = |it: &Neutral| it.values().iter().map(|&value| self.numbers.constant(value)).collect();
        match (equation, operands) {
            (Equation::Associative, [a, b, c]) => [op(&op(a, b), c), op(a, &op(b, c))],
            (Equation::Left(e), [a]) => [op(&neutral(e), a), a.clone()],
            (Equation::Right(e), [a]) => [op(a, &neutral(e)), a.clone()],
            (Equation::Commutative, [a, b]) => [op(a, b), op(b, a)],
            (_, others) => [others.concat(), others.concat()],
        }
    }

    fn combined(&self, run: std::ops::Range<usize>, given: &Given<N::Number>) -> Accumulator<N> {
        let mapped = run.map(|element| self.map(element, given));
        mapped.reduce(|a, b| self.combine(&a, &b)).unwrap_or_default()
    }

    fn folded(&self, given: &Given<N::Number>) -> Accumulator<N> {
        let first = self.map(0, given);
        (1..given.inputs.len()).fold(first, |acc, element| self.fold(&acc, element, given))
    }

    fn map(&self, element: usize, given: &Given<N::Number>) -> Accumulator<N> {
        self.apply(&self.functions.map, &self.functions.operation.map_arguments(), &[], element, given)
    }

    /// Folds an element into a lane that began with element 0. `element` is therefore also the step.
    fn fold(&self, acc: &[N::Number], element: usize, given: &Given<N::Number>) -> Accumulator<N> {
        match (&self.functions.fold, self.functions.operation.fold_arguments()) {
            (Some(fold), Some(arguments)) => self.apply(fold, &arguments, acc, element, given),
            _ => self.combine(acc, &self.map(element, given)),
        }
    }

    fn combine(&self, a: &[N::Number], b: &[N::Number]) -> Accumulator<N> {
        self.call(&self.functions.combine, [a, b].concat())
    }

    fn apply(
        &self,
        func: &Func,
        arguments: &[Argument],
        acc: &[N::Number],
        element: usize,
        given: &Given<N::Number>,
    ) -> Accumulator<N> {
        let count = |value: usize| self.numbers.constant(Value::from_bits(Scalar::U64, value as u64));
        let number = |argument: &Argument| match *argument {
            Argument::Acc(field) => acc[field].clone(),
            Argument::Input(input) => given.inputs[element][input].clone(),
            // Positions stand for numbers of groups as well: laws hold for any numbers.
            Argument::Index | Argument::Group => given.positions[element].clone(),
            Argument::Param(param) => given.params[param].clone(),
            Argument::Step => count(element),
            Argument::Count => count(given.inputs.len()),
        };
        self.call(func, arguments.iter().map(number).collect())
    }

    fn call(&self, func: &Func, arguments: Vec<N::Number>) -> Accumulator<N> {
        let (mut known, computed) = (arguments, &self.functions.computed);
        computed.set(computed.get() + (func.lines().len() * self.numbers.cases()) as u64);
        for line in func.lines() {
            known.push(self.numbers.line(func, line, &known));
        }
        func.results().iter().map(|id| known[id.0 as usize].clone()).collect()
    }
}

impl Batch {
    /// Returns the elements, each column converted by `number`.
    pub(super) fn given<T>(&self, number: impl Fn(&Column) -> T) -> Given<T> {
        Given {
            inputs: self.elements.iter().map(|it| it.inputs.iter().map(&number).collect()).collect(),
            positions: self.elements.iter().map(|it| number(&it.position)).collect(),
            params: self.params.iter().map(&number).collect(),
        }
    }
}

//! Operands that break a law, and the sentence that reports them.

use super::batch::{Batch, Element};
use super::column::Column;
use super::equation::{Equation, Functions, Neutral};
use super::native::{Computed, Native};
use reduce_ir::Value;
use reduce_ir::operation::{Argument, Operation};
use std::fmt;

/// Operands for which the two sides of a law differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The accumulators a, b, c. For [`Law::Fold`](super::Law::Fold), the elements, each with one value for
    /// each input.
    pub operands: Vec<Vec<Value>>,
    /// The position of the first element, for a `map` or `fold` that uses it.
    pub position: u64,
    /// The params that were passed to `map` and `fold`.
    pub params: Vec<Value>,
    /// One way to reduce the operands.
    pub left: Side,
    /// The other way to reduce them.
    pub right: Side,
    /// The further arguments of `map` and `fold`, as text.
    given: String,
    /// The elements that produce the accumulators, as text; empty if they equal the accumulators.
    elements: String,
}

/// One side of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The expression as text: `op(op(1, 2), 3)`.
    pub expression: String,
    /// The result, one value for each scalar of the accumulator.
    pub values: Vec<Value>,
    /// The result as text: `-4`, or `Range { lo: 1.0, hi: 2.0 }`.
    pub result: String,
}

impl Counterexample {
    /// Returns whether the sentence names elements in addition to accumulators.
    #[cfg(feature = "parse")]
    pub(crate) fn names_elements(&self) -> bool {
        !self.elements.is_empty()
    }

    /// Builds the counterexample of a single case.
    pub(super) fn of_case(
        operation: &Operation,
        functions: &Functions<'_>,
        equation: &Equation,
        case: &Batch,
    ) -> Self {
        let native = functions.with(Native { len: 1, traced: false });
        let given = case.given(Computed::given);
        if *equation != Equation::Fold {
            let operands = native.operands(&case.shape, &given);
            let operands = operands.iter().map(|operand| values(operand)).collect();
            let example = Counterexample::of_operands(operation, functions, equation, operands);
            return Counterexample { elements: elements(operation, case), ..example };
        }
        let sides = native.sides(equation, &case.shape, &given);
        let operands: Vec<Vec<Value>> = case.elements.iter().map(|it| first(&it.inputs)).collect();
        let [left, right] = folds(&operands);
        let [left, right] = written(operation, [left, right], sides);
        let position = case.elements[0].position.get(0).bits();
        let params = first(&case.params);
        let given = given_besides(operation, position, &params);
        Counterexample { operands, position, params, left, right, given, elements: String::new() }
    }

    /// Builds the counterexample of given accumulators.
    pub(super) fn of_operands(
        operation: &Operation,
        functions: &Functions<'_>,
        equation: &Equation,
        operands: Vec<Vec<Value>>,
    ) -> Self {
        let lanes = |value: &Value| Computed::given(&Column::splat(*value, 1));
        let numbers: Vec<Vec<_>> = operands.iter().map(|it| it.iter().map(lanes).collect()).collect();
        let sides = functions.with(Native { len: 1, traced: false }).sides_of(equation, &numbers);
        let texts: Vec<_> = operands.iter().map(|it| operation.acc.value_text(it)).collect();
        let neutral = |it: &Neutral| operation.acc.value_text(it.values());
        let expressions = match (equation, texts.as_slice()) {
            (Equation::Associative, [a, b, c]) => {
                [format!("op(op({a}, {b}), {c})"), format!("op({a}, op({b}, {c}))")]
            }
            (Equation::Commutative, [a, b]) => [format!("op({a}, {b})"), format!("op({b}, {a})")],
            (Equation::Left(e), [a]) => [format!("op({}, {a})", neutral(e)), a.clone()],
            (Equation::Right(e), [a]) => [format!("op({a}, {})", neutral(e)), a.clone()],
            (_, others) => [others.join(", "), others.join(", ")],
        };
        let [left, right] = written(operation, expressions, sides);
        let (given, elements) = (String::new(), String::new());
        Counterexample { operands, position: 0, params: Vec::new(), left, right, given, elements }
    }
}

/// Formats both sides of [`Equation::Fold`]: elements folded one by one, and their `map` results combined.
fn folds(elements: &[Vec<Value>]) -> [String; 2] {
    let text = |element: &Vec<Value>| {
        let inputs: Vec<_> = element.iter().map(Value::to_string).collect();
        inputs.join(", ")
    };
    let mapped = |element| format!("map({})", text(element));
    let start = elements.first().map(mapped).unwrap_or_default();
    let rest = || elements.iter().skip(1);
    let folded = rest().fold(start.clone(), |acc, element| format!("fold({acc}, {})", text(element)));
    [folded, rest().fold(start, |acc, element| format!("op({acc}, {})", mapped(element)))]
}

fn written(operation: &Operation, expressions: [String; 2], sides: [Vec<Computed>; 2]) -> [Side; 2] {
    let [left, right] = expressions;
    let [left_values, right_values] = sides.map(|side| values(&side));
    [(left, left_values), (right, right_values)].map(|(expression, values)| {
        let result = operation.acc.value_text(&values);
        Side { expression, values, result }
    })
}

/// Lists the elements of a case, unless they equal its accumulators: `; the elements are x = 1.0, w = -1.0 and
/// x = 2.0, w = 1.0`.
fn elements(operation: &Operation, case: &Batch) -> String {
    if operation.map.is_identity() {
        return String::new();
    }
    let element = |element: &Element| {
        let values = first(&element.inputs);
        let named = operation.inputs.iter().zip(&values);
        named.map(|(input, value)| format!("{} = {value}", input.name)).collect::<Vec<_>>().join(", ")
    };
    let elements: Vec<_> = case.elements.iter().map(element).collect();
    match elements.as_slice() {
        [] => String::new(),
        [one] => format!("; the element is {one}"),
        [others @ .., last] => format!("; the elements are {} and {last}", others.join("; ")),
    }
}

/// Lists the position and the params that `map` or `fold` uses.
fn given_besides(operation: &Operation, position: u64, params: &[Value]) -> String {
    let used = operation.map_arguments().into_iter().chain(operation.fold_arguments().unwrap_or_default());
    let used: Vec<_> = used.collect();
    let param = |(at, value): (usize, &Value)| {
        let name = &operation.params[at].name;
        used.contains(&Argument::Param(at)).then(|| format!("{name} = {value}"))
    };
    let mut given: Vec<_> = params.iter().enumerate().filter_map(param).collect();
    if operation.is_indexed() {
        given.push(format!("{} from {position}", operation.index));
    }
    if given.is_empty() { String::new() } else { format!(", with {}", given.join(" and ")) }
}

fn values(side: &[Computed]) -> Vec<Value> {
    side.iter().map(|number| number.get(0)).collect()
}

fn first(columns: &[Column]) -> Vec<Value> {
    columns.iter().map(|column| column.get(0)).collect()
}

/// Prints both sides and their results.
impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counterexample { left, right, given, elements, .. } = self;
        if right.expression == right.result {
            return write!(f, "{} is {}{elements}", left.expression, left.result);
        }
        write!(
            f,
            "{} is {}, and {} is {}{given}{elements}",
            left.expression, left.result, right.expression, right.result
        )
    }
}

//! Conditions that elements are not NaN, for `nan: ignore`.

use crate::Value;
use crate::func::{Func, FuncBuilder, Id, Node, Param};
use crate::ops::{Bin, TypeError, Un};

/// Returns the condition that no float input is NaN, or `None` if that always holds. `mapped`, a function of the inputs, is a
/// value whose NaN is tested anyway: inputs whose NaN always propagates to it are left out.
///
/// # Errors
/// A function has parameters of other types than the inputs: a bug of the caller.
pub fn numbers(inputs: &[Param], mapped: Option<&Func>) -> Result<Option<Func>, TypeError> {
    let shows = |input: usize| mapped.is_some_and(|mapped| shows_nan(mapped, Id(input as u32)));
    let floats = (0..inputs.len()).filter(|&input| inputs[input].ty.is_float() && !shows(input));
    let floats: Vec<_> = floats.map(|input| Id(input as u32)).collect();
    if floats.is_empty() {
        Ok(None)
    } else {
        are_numbers(FuncBuilder::new(inputs.to_vec()), &floats).map(Some)
    }
}

/// Returns the condition that no result of a function is NaN.
///
/// # Errors
/// A function has parameters of other types than the inputs: a bug of the caller.
pub fn gives_number(func: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(func.params().to_vec());
    let results = f.call(func, &f.params())?;
    are_numbers(f, &results)
}

fn are_numbers(mut f: FuncBuilder, floats: &[Id]) -> Result<Func, TypeError> {
    let mut all = f.constant(Value::of(true));
    for &float in floats {
        let nan = f.un(Un::IsNan, float)?;
        let number = f.un(Un::Not, nan)?;
        all = f.bin(Bin::And, all, number)?;
    }
    Ok(f.build(vec![all]))
}

/// Returns whether the result is NaN wherever that parameter is; `false` if the nodes do not show it.
fn shows_nan(func: &Func, param: Id) -> bool {
    let mut shows: Vec<bool> = (0..func.params().len()).map(|at| Id(at as u32) == param).collect();
    for line in func.lines() {
        let is = |id: Id| shows[id.0 as usize];
        // `powf` and `hypot` have numbers as results for some NaN.
        let next = match line.node {
            Node::Un(Un::Neg | Un::Abs | Un::Canonical | Un::Sqrt | Un::Exp | Un::Ln, a) => is(a),
            Node::Un(Un::Exp2 | Un::Log2 | Un::ExpM1 | Un::Ln1p, a) => is(a),
            Node::Un(Un::Sin | Un::Cos | Un::Tan | Un::Tanh, a) => is(a),
            Node::Un(Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven, a) => is(a),
            Node::Cast(to, a) => to.is_float() && is(a),
            Node::Bin(Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Min | Bin::Max, a, b) => {
                is(a) || is(b)
            }
            Node::Bin(Bin::Atan2, a, b) => is(a) || is(b),
            Node::MulAdd(a, b, c) => is(a) || is(b) || is(c),
            Node::Select(_, a, b) => is(a) && is(b),
            Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cmp(..) => false,
        };
        shows.push(next);
    }
    func.results().iter().any(|id| shows[id.0 as usize])
}

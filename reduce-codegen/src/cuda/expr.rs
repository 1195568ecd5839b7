//! Expressions of kernels in C++.

use super::func::{gives_acc, is_plain};
use super::types::{element, literal};
use reduce_ir::operation::Operation;
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::statements::{Buffer, Expr, Place, Ty};
use reduce_ir::{Scalar, Value};

/// Prints an expression.
pub(super) fn expr(operation: &Operation, it: &Expr) -> String {
    let sub = |it: &Expr| expr(operation, it);
    match it {
        Expr::Const(value) => number(*value),
        Expr::Named(name) => (*name).to_owned(),
        Expr::Local(local) => local.name.clone(),
        Expr::Lane(local, lane) => element(local, *lane),
        Expr::Thread => "threadIdx.x".to_owned(),
        Expr::Block => "blockIdx.x".to_owned(),
        Expr::Grid => "gridDim.x".to_owned(),
        Expr::Rank => "cluster_rank()".to_owned(),
        Expr::Items => "n".to_owned(),
        Expr::Groups => "groups".to_owned(),
        Expr::First(group) => format!("{} * n", operand(operation, group)),
        Expr::Elements => "elements".to_owned(),
        Expr::Offset(input, terms) => {
            let step = |axis| step(&operation.inputs[*input].name, axis);
            let term = |(axis, at): &(usize, Expr)| {
                format!("{} * {}", operand(operation, unwidened(at)), step(*axis))
            };
            terms.iter().map(term).collect::<Vec<_>>().join(" + ")
        }
        Expr::Size(axis) => format!("size_{axis}"),
        Expr::Param(param, _) => operation.params[*param].name.clone(),
        Expr::Aligned(at, bytes) => {
            format!("reinterpret_cast<unsigned long long>({}) % {bytes} == 0", buffer(operation, *at))
        }
        Expr::AlignedAt(at, bytes, index) => {
            let index = expr(operation, unwidened(index));
            format!(
                "reinterpret_cast<unsigned long long>(&{}[{index}]) % {bytes} == 0",
                buffer(operation, *at)
            )
        }
        Expr::Select(test, a, b) => {
            let [test, a, b] = [test, a, b].map(|it| inside_select(operation, it));
            format!("{test} ? {a} : {b}")
        }
        Expr::Un(Un::Not, a) => format!("!{}", operand(operation, a)),
        Expr::Un(Un::CountOnes, a) => format!("__popc({})", sub(a)),
        // It is not 0.
        Expr::Un(Un::TrailingZeros, a) => format!("__ffs({}) - 1", sub(a)),
        Expr::Un(op, a) => format!("{op}({})", sub(a)),
        Expr::Bin(op @ (Bin::Min | Bin::Max), a, b) => {
            format!("{op}({}, {})", of_call(operation, a), of_call(operation, b))
        }
        Expr::Bin(op, a, b) => binary(operation, *op, a, b),
        Expr::Cmp(Cmp::Lt, a, b) if matches!(**a, Expr::Const(_)) => {
            format!("{} > {}", side(operation, b), sub(a))
        }
        Expr::Cmp(op, a, b) if is_wide(a) => {
            format!("{} {op} {}", side(operation, a), side(operation, unwidened(b)))
        }
        Expr::Cmp(op, a, b) => format!("{} {op} {}", side(operation, a), side(operation, b)),
        Expr::Cast(ty, a) => format!("({}){}", super::types::scalar(*ty), operand(operation, a)),
        Expr::Map(args) if is_plain(&operation.map, &operation.acc) => {
            args.first().map(sub).unwrap_or_default()
        }
        Expr::Map(_) => call(operation, "map", it),
        Expr::Slot(_) => call(operation, "slot_of", it),
        Expr::Combine(..) => call(operation, "combine", it),
        Expr::Fold(..) => call(operation, "fold", it),
        Expr::Empty => if operation.fill.is_some() { "identity()" } else { "{}" }.to_owned(),
        Expr::Nothing => nothing(operation),
        Expr::Finish(a, _) if gives_acc(operation) => sub(a),
        Expr::Finish(..) => call(operation, "finish", it),
    }
}

/// Returns the name of the step of an input along an axis.
pub(super) fn step(input: &str, axis: usize) -> String {
    if axis == 0 { format!("{input}_step") } else { format!("{input}_step_{axis}") }
}

/// Prints a call of a function of the operation, on the operands of the expression.
fn call(operation: &Operation, name: &str, it: &Expr) -> String {
    let args: Vec<_> = it.operands().into_iter().map(|arg| expr(operation, unwidened(arg))).collect();
    format!("{name}({})", args.join(", "))
}

/// Prints an operand of `min` or `max`, whose operands have one type.
fn of_call(operation: &Operation, it: &Expr) -> String {
    let wide =
        if let Expr::Const(value) = it { Some(*value).filter(|it| it.ty() == Scalar::U64) } else { None };
    wide.map_or_else(|| expr(operation, it), literal)
}

/// Prints a part of a selection. The last part may be another selection.
fn inside_select(operation: &Operation, it: &Expr) -> String {
    expr(operation, unwidened(it))
}

/// Prints the call that returns the result of no elements.
fn nothing(operation: &Operation) -> String {
    let params: Vec<_> = operation.params.iter().map(|param| param.name.as_str()).collect();
    format!("nothing({})", params.join(", "))
}

/// Prints a place. C++ widens the position by itself.
pub(super) fn place(operation: &Operation, it: &Place) -> String {
    let here = format!("{}[{}]", buffer(operation, it.buffer), expr(operation, unwidened(&it.index)));
    match &it.rank {
        None => here,
        Some(rank) => format!("of_block({here}, {})", expr(operation, rank)),
    }
}

/// Returns the pointer or array of a buffer.
pub(super) fn buffer(operation: &Operation, it: Buffer) -> &str {
    match it {
        Buffer::Input(k) => &operation.inputs[k].name,
        Buffer::Items => "items",
        Buffer::Partials => "partials",
        Buffer::Result => "result",
        Buffer::Ticket => "ticket",
        Buffer::Shared(name) | Buffer::List(name) => name,
        Buffer::Offsets(_) => "offsets",
        Buffer::Tiles => "tiles",
        Buffer::Marks => "marks",
        Buffer::Keys(_) => "keys",
        Buffer::Number => "number_of_segments",
        Buffer::LongSegments => "long_segments",
    }
}

/// Prints a constant. Counts need no suffix: C++ converts them to the type of the other operand, unless that is a count
/// too.
fn number(value: Value) -> String {
    match value.ty() {
        Scalar::U32 | Scalar::U64 => value.to_string(),
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => literal(value),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::U8 | Scalar::U16 => literal(value),
    }
}

/// Prints `a op b`. If one operand is printed as `u64`, C++ widens the other by itself.
fn binary(operation: &Operation, op: Bin, a: &Expr, b: &Expr) -> String {
    let left = if is_wide(b) { unwidened(a) } else { a };
    let left_is_wide = is_wide(left) || matches!(left, Expr::Cast(Scalar::U64, _));
    let right = if left_is_wide { unwidened(b) } else { b };
    // Otherwise C++ would compute the left operand with the first one of the right operand, and both may have 32 bits.
    let apart = a.ty() == Some(Ty::U64) && !left_is_wide;
    let right = if apart { operand(operation, right) } else { inside(operation, op, right) };
    let left = match (left, b) {
        (Expr::Const(value), Expr::Const(_)) => literal(*value),
        _ => inside(operation, op, left),
    };
    format!("{left} {} {right}", sign(op, a))
}

/// Returns whether C++ gives it the type `u64` without a cast.
fn is_wide(it: &Expr) -> bool {
    it.ty() == Some(Ty::U64) && !matches!(it, Expr::Cast(..) | Expr::Const(_))
}

/// Returns the expression without the cast to `u64`, which C++ does by itself next to a `u64`.
pub(super) fn unwidened(it: &Expr) -> &Expr {
    if let Expr::Cast(Scalar::U64, inner) = it { inner } else { it }
}

fn sign(op: Bin, a: &Expr) -> String {
    match (op, a.ty()) {
        (Bin::And, Some(Ty::BOOL)) => "&&".to_owned(),
        (Bin::Or, Some(Ty::BOOL)) => "||".to_owned(),
        _ => op.to_string(),
    }
}

/// Prints a side of a comparison. Arithmetic binds tighter and needs no parentheses.
fn side(operation: &Operation, it: &Expr) -> String {
    let arithmetic = matches!(it, Expr::Bin(Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem, ..));
    if arithmetic { expr(operation, it) } else { operand(operation, it) }
}

/// Prints an operand of `op`, in parentheses unless every reader knows that it binds tighter.
fn inside(operation: &Operation, op: Bin, it: &Expr) -> String {
    let tighter = match it {
        Expr::Bin(Bin::Mul, ..) => matches!(op, Bin::Add | Bin::Sub | Bin::Mul),
        Expr::Bin(inner, ..) => *inner == op && matches!(op, Bin::Add | Bin::And),
        Expr::Cmp(..) | Expr::Aligned(..) | Expr::AlignedAt(..) => op == Bin::And,
        Expr::Select(..) | Expr::Nothing => false,
        Expr::Const(_) | Expr::Named(_) | Expr::Local(_) | Expr::Lane(..) | Expr::Thread | Expr::Block => {
            false
        }
        Expr::Grid | Expr::Rank | Expr::Items | Expr::Groups | Expr::Elements => false,
        Expr::Size(_) | Expr::Param(..) => false,
        Expr::Un(..) | Expr::Cast(..) | Expr::Map(_) | Expr::Combine(..) | Expr::Fold(..) => false,
        Expr::Slot(_) => false,
        Expr::Empty | Expr::Finish(..) | Expr::First(_) | Expr::Offset(..) => false,
    };
    if tighter { expr(operation, it) } else { operand(operation, it) }
}

/// Prints an expression in parentheses, unless it is one word, one call or one element.
fn operand(operation: &Operation, it: &Expr) -> String {
    let nested = match it {
        Expr::Bin(op, ..) => !matches!(op, Bin::Min | Bin::Max),
        Expr::Cmp(..) | Expr::Aligned(..) | Expr::First(_) | Expr::Offset(..) => true,
        Expr::AlignedAt(..) | Expr::Select(..) => true,
        Expr::Nothing | Expr::Slot(_) => false,
        Expr::Const(_) | Expr::Named(_) | Expr::Local(_) | Expr::Lane(..) | Expr::Thread | Expr::Block => {
            false
        }
        Expr::Grid | Expr::Rank | Expr::Items | Expr::Groups | Expr::Elements => false,
        Expr::Size(_) | Expr::Param(..) => false,
        Expr::Un(..) | Expr::Cast(..) | Expr::Map(_) | Expr::Combine(..) | Expr::Fold(..) => false,
        Expr::Empty | Expr::Finish(..) => false,
    };
    if nested { format!("({})", expr(operation, it)) } else { expr(operation, it) }
}

#[cfg(test)]
mod tests {
    use super::expr;
    use reduce_dsl::operators::operator;
    use reduce_ir::func::Param;
    use reduce_ir::statements::Expr;
    use reduce_ir::{Scalar, Value};

    /// C++ computes every value of 64 bits in 64 bits.
    #[test]
    fn no_side_of_64_bits_is_computed_in_32() {
        let sum = operator("sum").map(|sum| sum.apply(&[Param::new("x", Scalar::F32)], None));
        let Some(Ok(sum)) = sum else { unreachable!("sum is an operator of floats") };
        let wide = |it: Expr| it.cast(Scalar::U64);
        let many = || Expr::Const(Value::of(u64::from(u32::MAX / 2)));
        for (it, text) in [
            (Expr::Items.times(wide(Expr::Block)), "n * blockIdx.x"),
            (wide(Expr::Block).times(Expr::Items), "blockIdx.x * n"),
            (wide(Expr::Block).times(wide(Expr::Thread)), "(unsigned long long)blockIdx.x * threadIdx.x"),
            (many().times(wide(Expr::Block)), "2147483647 * (unsigned long long)blockIdx.x"),
            (wide(Expr::Block).times(many()), "(unsigned long long)blockIdx.x * 2147483647"),
            (many().times(Expr::Items), "2147483647 * n"),
            (
                wide(Expr::Block).times(wide(Expr::Thread).times(Expr::Items)),
                "blockIdx.x * (threadIdx.x * n)",
            ),
            (many().plus(wide(Expr::Thread).plus(Expr::Items)), "2147483647 + (threadIdx.x + n)"),
            (many().times(many()).times(wide(Expr::Block)), "2147483647ull * 2147483647 * blockIdx.x"),
            (Expr::from(1 << 30).times(2), "1073741824u * 2"),
        ] {
            assert_eq!(expr(&sum, &it), text, "{it}");
        }
    }
}

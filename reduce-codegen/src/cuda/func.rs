//! The functions of an operation as device functions: `map`, `combine`, `identity`, `finish`, `shuffle_down`.

use super::helpers::{INLINE, of_bin, of_un};
use super::types::{literal, record, scalar};
use reduce_dsl::Scalar;
use reduce_dsl::func::{Func, Id, Line, Node};
use reduce_dsl::operation::{Operation, Record};
use reduce_dsl::ops::{Bin, Un};

/// The functions that the kernels call.
pub(super) fn functions(operation: &Operation, shuffles: bool) -> String {
    let acc = &operation.acc;
    let mut text = String::new();
    if !is_plain(&operation.map, acc) {
        let params: Vec<_> =
            operation.map.params().iter().map(|it| format!("{} {}", scalar(it.ty), it.name)).collect();
        text.push_str(&function("map", &params.join(", "), &operation.map, acc));
    }
    let name = record(acc);
    text.push_str(&function("combine", &format!("{name} a, {name} b"), &operation.combine, acc));
    text.push_str(&identity(operation));
    if !is_plain(&operation.finish, acc) {
        text.push_str(&function("finish", &format!("{name} acc"), &operation.finish, &operation.output));
    }
    if shuffles && !shuffles_directly(acc) {
        text.push_str(&shuffle_down(acc));
    }
    text
}

/// Does a function give back its one scalar, so that no call is printed?
pub(super) fn is_plain(func: &Func, acc: &Record) -> bool {
    func.is_identity() && acc.is_scalar()
}

/// Does `__shfl_down_sync` take the accumulator as it is?
pub(super) fn shuffles_directly(acc: &Record) -> bool {
    acc.is_scalar() && !matches!(acc.fields[0].ty, Scalar::Bool | Scalar::F16)
}

fn function(name: &str, params: &str, func: &Func, result: &Record) -> String {
    let lets: String = (0..func.lines().len())
        .filter(|&line| is_named(func, line))
        .map(|line| {
            let (it, id) = (&func.lines()[line], func.id_of_line(line));
            format!("    const {} {} = {};\n", scalar(it.ty), text(func, id), node(func, it.node))
        })
        .collect();
    let fields: Vec<_> = func.results().iter().map(|&id| text(func, id)).collect();
    let value = if result.is_scalar() { fields.join(", ") } else { format!("{{{}}}", fields.join(", ")) };
    format!("\n{INLINE} {} {name}({params})\n{{\n{lets}    return {value};\n}}\n", record(result))
}

fn identity(operation: &Operation) -> String {
    let Some(values) = &operation.padding else { return String::new() };
    let fields: Vec<_> = values.iter().map(|&value| literal(value)).collect();
    let shown: Vec<_> = values.iter().map(ToString::to_string).collect();
    let value =
        if operation.acc.is_scalar() { fields.join(", ") } else { format!("{{{}}}", fields.join(", ")) };
    let (acc, shown) = (record(&operation.acc), shown.join(", "));
    format!("\n{INLINE} {acc} identity() {{ return {value}; }}  // {shown}\n")
}

/// The accumulator of the lane `stride` lanes up, field by field, in types that the hardware shuffles.
fn shuffle_down(acc: &Record) -> String {
    let name = record(acc);
    let values = acc.params("acc");
    let fields: Vec<_> = values.iter().map(|it| shuffled(it.ty, &it.name)).collect();
    let value = if acc.is_scalar() { fields.join(", ") } else { format!("{{{}}}", fields.join(", ")) };
    format!(
        "\n{INLINE} {name} shuffle_down(unsigned int mask, {name} acc, unsigned int stride)\n{{\n    return {value};\n}}\n"
    )
}

fn shuffled(ty: Scalar, value: &str) -> String {
    match ty {
        Scalar::Bool => format!("__shfl_down_sync(mask, (int){value}, stride) != 0"),
        Scalar::F16 | Scalar::Bf16 | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => {
            format!("({})__shfl_down_sync(mask, (int){value}, stride)", scalar(ty))
        }
        Scalar::F32 | Scalar::F64 | Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => {
            format!("__shfl_down_sync(mask, {value}, stride)")
        }
    }
}

/// Lines that have a name, or are used more than once, become locals.
fn is_named(func: &Func, line: usize) -> bool {
    let id = func.id_of_line(line);
    let operands = func.lines().iter().flat_map(|it| it.node.operands());
    let constant = matches!(func.lines()[line].node, Node::Const(_));
    let uses = operands.chain(func.results().iter().copied()).filter(|&used| used == id).count();
    func.lines()[line].name.is_some() && uses > 0 || uses > 1 && !constant
}

/// What reads the value of `id`. A `_` tells the names made here from those of inputs.
fn text(func: &Func, id: Id) -> String {
    let Some(line) = func.line(id) else {
        return func.params()[id.0 as usize].name.clone();
    };
    let number = id.0 as usize - func.params().len();
    match line {
        Line { name: Some(name), .. } => name.clone(),
        Line { .. } if is_named(func, number) => format!("t_{number}"),
        Line { node: it, .. } => node(func, *it),
    }
}

fn node(func: &Func, node: Node) -> String {
    let ty = |id| func.ty(id);
    let call = |name: String, args: &[Id]| {
        let args: Vec<_> = args.iter().map(|&id| text(func, id)).collect();
        format!("{name}({})", args.join(", "))
    };
    match node {
        Node::Const(value) => literal(value),
        Node::Un(op, a) => match of_un(op, ty(a)) {
            Some(helper) => call(helper.name(), &[a]),
            None => plain_un(op, ty(a), &operand(func, a)),
        },
        Node::Bin(op, a, b) => match (of_bin(op, ty(a)), intrinsic(op, ty(a))) {
            (Some(helper), _) => call(helper.name(), &[a, b]),
            (None, Some(name)) => call(name.to_owned(), &[a, b]),
            (None, None) => format!("{} {} {}", operand(func, a), sign(op, ty(a)), operand(func, b)),
        },
        Node::Cmp(op, a, b) if ty(a) == Scalar::F16 => {
            format!("f16_to_f32({}) {op} f16_to_f32({})", text(func, a), text(func, b))
        }
        Node::Cmp(op, a, b) => format!("{} {op} {}", operand(func, a), operand(func, b)),
        Node::Select(c, a, b) => {
            format!("{} ? {} : {}", operand(func, c), operand(func, a), operand(func, b))
        }
        Node::Cast(to, a) if ty(a) == Scalar::F16 => {
            debug_assert_eq!(to, Scalar::F32);
            call("f16_to_f32".to_owned(), &[a])
        }
        Node::Cast(to, a) => format!("({}){}", scalar(to), operand(func, a)),
        Node::MulAdd(a, b, c) => call("fma".to_owned(), &[a, b, c]),
    }
}

/// As [`text`], in parentheses where it is an expression with operators.
fn operand(func: &Func, id: Id) -> String {
    let it = text(func, id);
    let inner = it.strip_prefix('!').unwrap_or(&it);
    let atom = inner.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c)) || is_call(inner);
    if atom { it } else { format!("({it})") }
}

/// Is it `name(…)` with nothing behind the closing parenthesis?
fn is_call(text: &str) -> bool {
    let Some(open) = text.find('(').filter(|&open| open > 0) else { return false };
    let named = text[..open].chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut depth = 0;
    let close = text.char_indices().find(|&(_, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ')' && depth == 0
    });
    named && close.is_some_and(|(at, _)| at + 1 == text.len())
}

fn plain_un(op: Un, ty: Scalar, a: &str) -> String {
    match op {
        Un::Neg => format!("-{a}"),
        Un::Not => {
            if ty == Scalar::Bool {
                format!("!{a}")
            } else {
                format!("~{a}")
            }
        }
        Un::Abs if ty == Scalar::F32 => format!("fabsf({a})"),
        Un::Abs if ty == Scalar::F64 => format!("fabs({a})"),
        Un::IsNan => format!("{a} != {a}"),
        Un::Abs | Un::Canonical => a.to_owned(),
        Un::Sqrt | Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven | Un::Exp | Un::Ln => {
            format!("{op}({a})")
        }
        Un::ToBits | Un::FromBits | Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => {
            format!("{op}({a})")
        }
    }
}

/// The function that C++ has for an operation. Products of floats are never contracted with a sum.
fn intrinsic(op: Bin, ty: Scalar) -> Option<&'static str> {
    match (op, ty) {
        (Bin::Mul, Scalar::F32) => Some("__fmul_rn"),
        (Bin::Mul, Scalar::F64) => Some("__dmul_rn"),
        (Bin::Min, _) => Some("min"),
        (Bin::Max, _) => Some("max"),
        _ => None,
    }
}

fn sign(op: Bin, ty: Scalar) -> String {
    match (op, ty) {
        (Bin::And, Scalar::Bool) => "&&".to_owned(),
        (Bin::Or, Scalar::Bool) => "||".to_owned(),
        (Bin::Xor, Scalar::Bool) => "!=".to_owned(),
        _ => op.to_string(),
    }
}

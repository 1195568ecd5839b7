//! Sizes of operations and functions, by the time that NVRTC takes for them, in additions of `f32`.

use reduce_ir::func::{Func, Id, Line, Node};
use reduce_ir::ops::{Bin, Un};
use reduce_ir::{Scalar, library};

/// Returns the size of one copy of a function.
pub(super) fn weight(func: &Func) -> u64 {
    let chains = chains(func);
    let lines = func.lines().iter().zip(0..);
    let each = lines.map(|(line, at)| line_weight(func, line, chains[func.id_of_line(at).0 as usize]));
    each.fold(func.results().len() as u64, u64::saturating_add)
}

/// The smallest size of an operation that errors name.
const COSTLY: u64 = 20;

/// Returns the operations of a function that take many instructions, by kind, at most two kinds, largest first.
pub(super) fn costly(func: &Func) -> Vec<(String, usize)> {
    let (chains, mut kinds) = (chains(func), Vec::<(String, u64, usize)>::new());
    for (line, at) in func.lines().iter().zip(0..) {
        let weight = line_weight(func, line, chains[func.id_of_line(at).0 as usize]);
        if weight < COSTLY {
            continue;
        }
        let kind = format!("{} of {}", kind(line.node), line.ty);
        match kinds.iter_mut().find(|it| it.0 == kind) {
            Some((_, sum, count)) => (*sum, *count) = (sum.saturating_add(weight), *count + 1),
            None => kinds.push((kind, weight, 1)),
        }
    }
    kinds.sort_by_key(|&(_, sum, _)| std::cmp::Reverse(sum));
    kinds.into_iter().map(|(kind, _, count)| (kind, count)).take(2).collect()
}

fn kind(node: Node) -> &'static str {
    match node {
        Node::Un(Un::Sqrt, _) => "`sqrt`",
        Node::Un(Un::Exp, _) => "`exp`",
        Node::Un(Un::Ln, _) => "`ln`",
        Node::Un(Un::Exp2, _) => "`exp2`",
        Node::Un(Un::Log2, _) => "`log2`",
        Node::Un(Un::ExpM1, _) => "`exp_m1`",
        Node::Un(Un::Ln1p, _) => "`ln_1p`",
        Node::Un(Un::Sin, _) => "`sin`",
        Node::Un(Un::Cos, _) => "`cos`",
        Node::Un(Un::Tan, _) => "`tan`",
        Node::Un(Un::Tanh, _) => "`tanh`",
        Node::Bin(Bin::Powf, ..) => "`powf`",
        Node::Bin(Bin::Hypot, ..) => "`hypot`",
        Node::Bin(Bin::Atan2, ..) => "`atan2`",
        Node::Bin(Bin::Div, ..) => "`/`",
        Node::Bin(Bin::Rem, ..) => "`%`",
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cmp(..) => "operations",
        Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => "operations",
    }
}

fn line_weight(func: &Func, line: &Line, chain: u32) -> u64 {
    let wide = |narrow, wide| if line.ty.size() == 8 { wide } else { narrow };
    match line.node {
        Node::Const(_) => 0,
        Node::Un(Un::Exp, a) if library::exp_is_normal(func, a) => wide(35, 60),
        Node::Un(op, a) => un(op, func.ty(a)),
        Node::Bin(op, _, b) => bin(op, line.ty, func.constant(b).is_some(), chain),
        Node::Cmp(_, a, _) => 1 + of_half(func.ty(a), 2),
        Node::Select(..) => wide(10, 12),
        Node::Cast(_, a) => 2 + of_half(func.ty(a), 2),
        Node::MulAdd(..) => wide(1, 2),
    }
}

fn un(op: Un, ty: Scalar) -> u64 {
    let wide = |narrow, wide| if ty.size() == 8 { wide } else { narrow };
    match op {
        Un::Sqrt => wide(60, 110),
        Un::Exp => wide(50, 110),
        Un::Ln => wide(80, 200),
        Un::Exp2 => wide(60, 110),
        Un::Log2 => wide(160, 290),
        Un::ExpM1 => wide(150, 160),
        Un::Ln1p => wide(260, 230),
        Un::Sin | Un::Cos => wide(520, 620),
        Un::Tan => 640,
        Un::Tanh => wide(300, 250),
        Un::Neg | Un::Abs | Un::Not | Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven => wide(1, 2),
        Un::FromBits => 1,
        Un::IsNan | Un::Canonical | Un::ToBits => wide(3, 4) + of_half(ty, 2),
        Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => wide(4, 8),
    }
}

fn bin(op: Bin, ty: Scalar, by_constant: bool, chain: u32) -> u64 {
    let wide = |narrow, wide| if ty.size() == 8 { wide } else { narrow };
    match op {
        Bin::Div if ty.is_float() => wide(45, 75),
        Bin::Div | Bin::Rem if by_constant => wide(8, 16).max(of_chain(ty, chain)),
        Bin::Div | Bin::Rem => wide(40, 150),
        Bin::Mul => wide(1, if ty.is_float() { 2 } else { 5 }),
        Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => wide(2, 16) + of_half(ty, 6),
        Bin::Add | Bin::Sub | Bin::And | Bin::Or | Bin::Xor => wide(1, 2),
        Bin::Shl | Bin::Shr => wide(2, 4),
        Bin::Powf => 280,
        Bin::Hypot => 160,
        Bin::Atan2 => 260,
    }
}

fn of_half(ty: Scalar, weight: u64) -> u64 {
    if ty.is_half() { weight } else { 0 }
}

/// NVRTC 13.0 takes twice the time for each further unsigned division by a constant in a chain of such divisions.
fn of_chain(ty: Scalar, chain: u32) -> u64 {
    if ty.is_unsigned() { 2u64.saturating_pow(chain) } else { 0 }
}

/// Returns, for each value, the most divisions by constants on a path to it, including its own.
fn chains(func: &Func) -> Vec<u32> {
    let mut chains = vec![0; func.params().len()];
    for line in func.lines() {
        let before = line.node.operands().map(|id| chains[id.0 as usize]).max().unwrap_or(0);
        chains.push(before + u32::from(divides_by_constant(func, line.node)));
    }
    chains
}

fn divides_by_constant(func: &Func, node: Node) -> bool {
    let constant = |id: Id| func.constant(id).is_some();
    matches!(node, Node::Bin(Bin::Div | Bin::Rem, a, b) if func.ty(a).is_unsigned() && constant(b))
}

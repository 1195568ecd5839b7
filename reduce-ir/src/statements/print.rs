//! Prints lowered programs as stable, complete text, one line per statement, which `parse.rs` parses.

use super::{
    AtomicOp, Barrier, Buffer, Expr, FULL, Local, Lowered, LoweredKernel, MemoryOrder, Part, Place, Stmt, Ty,
    Unroll,
};
use crate::ops::Bin;
use crate::{Access, Scalar, Value};
use std::fmt;

impl fmt::Display for Lowered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kernels.iter().try_for_each(|kernel| kernel.fmt(f))
    }
}

impl fmt::Display for LoweredKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {} reads {}, block {}", self.name, self.reads, self.block)?;
        if self.cluster > 1 {
            write!(f, ", cluster {}", self.cluster)?;
        }
        if self.streaming {
            write!(f, ", streaming")?;
        }
        if self.dependent {
            write!(f, ", dependent")?;
        }
        if let Some(blocks) = self.resident {
            write!(f, ", resident {blocks}")?;
        }
        match self.domain.access {
            Access::Contiguous => {}
            Access::Adjacent => write!(f, ", adjacent")?,
            Access::Strided { reduced, beside } => {
                if reduced == 1 {
                    write!(f, ", strided{beside}")?
                } else {
                    write!(f, ", strided {reduced}{beside}")?
                }
            }
        }
        match self.domain.kept {
            0 => {}
            1 => write!(f, ", grouped")?,
            kept => write!(f, ", grouped {kept}")?,
        }
        writeln!(f)?;
        self.constants.iter().try_for_each(|it| writeln!(f, "  const {} = {}", it.name, it.value))?;
        self.shared.iter().try_for_each(|it| {
            let sent = if it.sent { "sent " } else { "" };
            writeln!(f, "  shared {}: [{sent}{}; {}]", it.name, Ty::Acc, it.len)
        })?;
        self.lists.iter().try_for_each(|it| writeln!(f, "  list {}: {}", it.name, it.most))?;
        body(f, &self.body, 1)
    }
}

impl fmt::Display for Stmt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_stmt(f, self, 0)
    }
}

fn body(f: &mut fmt::Formatter<'_>, stmts: &[Stmt], depth: usize) -> fmt::Result {
    stmts.iter().try_for_each(|stmt| print_stmt(f, stmt, depth))
}

fn print_stmt(f: &mut fmt::Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * depth)?;
    match stmt {
        Stmt::Note(part, text) => writeln!(f, "-- {part}: {text}"),
        Stmt::Let(local, value) => writeln!(f, "let {local} = {value}"),
        Stmt::Var(local, value) => writeln!(f, "var {local} = {value}"),
        Stmt::Move(buffer, by) => writeln!(f, "move {buffer} by {by}"),
        Stmt::Set(local, value) => writeln!(f, "{} = {value}", local.name),
        Stmt::Load(local, place) => writeln!(f, "load {local} = {place}"),
        Stmt::LoadUnaligned(local, place) => writeln!(f, "load unaligned {local} = {place}"),
        Stmt::Store(place, value) => writeln!(f, "store {place} = {value}"),
        Stmt::Post(place, value) => writeln!(f, "post {place} = {value}"),
        Stmt::Take(local, place) => writeln!(f, "take {local} = {place}"),
        Stmt::Expect(array, messages) => writeln!(f, "expect {array}, {messages}"),
        Stmt::Send(place, value) => writeln!(f, "send {place} = {value}"),
        Stmt::Receive(array) => writeln!(f, "receive {array}"),
        Stmt::Redux(acc, None) => writeln!(f, "redux {}", acc.name),
        Stmt::Redux(acc, Some(there)) => writeln!(f, "redux {} where {there}", acc.name),
        Stmt::Shuffle { into, value, down, mask: FULL } => {
            writeln!(f, "shuffle {into} = {value} down {down}")
        }
        Stmt::Shuffle { into, value, down, mask } => {
            writeln!(f, "shuffle {into} = {value} down {down}, mask {mask:#010x}")
        }
        Stmt::Barrier(barrier) => writeln!(f, "barrier {barrier}"),
        Stmt::Arrive => writeln!(f, "arrive"),
        Stmt::Wait => writeln!(f, "wait"),
        Stmt::Vote(local, value) => writeln!(f, "vote {local} = {value}"),
        Stmt::Exit => writeln!(f, "exit"),
        Stmt::Fence(order, scope) => writeln!(f, "fence {order} {scope}"),
        Stmt::AwaitLaunch => writeln!(f, "await launch"),
        Stmt::TriggerLaunch => writeln!(f, "trigger launch"),
        Stmt::Clear(list) => writeln!(f, "clear {list}"),
        Stmt::Append(list, value) => writeln!(f, "append {list}, {value}"),
        Stmt::Length(local, list) => writeln!(f, "length {local} = {list}"),
        Stmt::Fault(segment) => writeln!(f, "fault {segment}"),
        Stmt::Ballot(local, value) => writeln!(f, "ballot {local} = {value}"),
        Stmt::Prefix { before, total, value } => {
            writeln!(f, "prefix {}, {} = {value}", before.name, total.name)
        }
        Stmt::Turn { turn, turns, value } => writeln!(f, "turn {}, {} = {value}", turn.name, turns.name),
        Stmt::Atomic { into, op, place, value, order, scope } => {
            writeln!(f, "atomic {into} = {op}({place}, {value}) {order} {scope}")
        }
        Stmt::AtomicCombine { place, value, order, scope } => {
            writeln!(f, "atomic combine({place}, {value}) {order} {scope}")
        }
        Stmt::For(it) => {
            write!(f, "for {} = {} while {} next {}", it.local, it.from, it.test, it.next)?;
            match it.unroll {
                Unroll::Unsaid => writeln!(f)?,
                Unroll::By(turns) => writeln!(f, ", unrolled by {turns}")?,
                Unroll::All => writeln!(f, ", unrolled")?,
            }
            body(f, &it.body, depth + 1)
        }
        Stmt::If(test, then, otherwise) => {
            writeln!(f, "if {test}")?;
            body(f, then, depth + 1)?;
            if otherwise.is_empty() {
                return Ok(());
            }
            writeln!(f, "{:1$}else", "", 2 * depth)?;
            body(f, otherwise, depth + 1)
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) => literal(f, *value),
            Expr::Named(name) => f.write_str(name),
            Expr::Local(local) => f.write_str(&local.name),
            Expr::Lane(local, lane) => write!(f, "{}.{lane}", local.name),
            Expr::Thread => f.write_str("thread"),
            Expr::Block => f.write_str("block"),
            Expr::Grid => f.write_str("grid"),
            Expr::Rank => f.write_str("rank"),
            Expr::Items => f.write_str("n"),
            Expr::Groups => f.write_str("groups"),
            Expr::First(_) => call(f, "first", self),
            Expr::Elements => f.write_str("elements"),
            Expr::Offset(input, terms) => {
                write!(f, "offset(input{input}")?;
                terms.iter().try_for_each(|(axis, coordinate)| write!(f, ", {axis}: {coordinate}"))?;
                f.write_str(")")
            }
            Expr::Size(axis) => write!(f, "size{axis}"),
            Expr::Param(param, ty) => write!(f, "param({param}, {ty})"),
            Expr::Aligned(buffer, bytes) => write!(f, "aligned({buffer}, {bytes})"),
            Expr::AlignedAt(buffer, bytes, at) => write!(f, "aligned({buffer}, {bytes}, {at})"),
            Expr::Un(op, a) => write!(f, "{op}({a})"),
            Expr::Bin(op, a, b) if is_call(*op) => write!(f, "{op}({a}, {b})"),
            Expr::Bin(op, a, b) => write!(f, "{} {op} {}", Operand(a), Operand(b)),
            Expr::Cmp(op, a, b) => write!(f, "{} {op} {}", Operand(a), Operand(b)),
            Expr::Cast(ty, a) => write!(f, "{ty}({a})"),
            Expr::Select(..) => call(f, "select", self),
            Expr::Map(_) => call(f, "map", self),
            Expr::Slot(_) => call(f, "slot_of", self),
            Expr::Combine(..) => call(f, "combine", self),
            Expr::Fold(..) => call(f, "fold", self),
            Expr::Empty => f.write_str("empty"),
            Expr::Nothing => f.write_str("nothing"),
            Expr::Finish(..) => call(f, "finish", self),
        }
    }
}

/// Returns whether the operation is written as a call.
pub(super) fn is_call(op: Bin) -> bool {
    matches!(op, Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum)
}

/// Prints a function of the operation, with the operands of the expression.
fn call(f: &mut fmt::Formatter<'_>, name: &str, expr: &Expr) -> fmt::Result {
    let args: Vec<_> = expr.operands().into_iter().map(ToString::to_string).collect();
    write!(f, "{name}({})", args.join(", "))
}

/// Prints conditions and positions as they are, because their place determines their type, and other values as bits.
fn literal(f: &mut fmt::Formatter<'_>, value: Value) -> fmt::Result {
    let ty = value.ty();
    match ty {
        Scalar::Bool | Scalar::U32 | Scalar::U64 => write!(f, "{value}"),
        Scalar::F16
        | Scalar::Bf16
        | Scalar::F32
        | Scalar::F64
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16 => write!(f, "bits({ty}, {:#x})", value.bits()),
    }
}

/// An expression inside another: in parentheses if it has an operator of its own, so that readers need no rules of
/// precedence.
struct Operand<'a>(&'a Expr);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Expr::Bin(op, ..) if is_call(*op) => self.0.fmt(f),
            Expr::Bin(..) | Expr::Cmp(..) => write!(f, "({})", self.0),
            Expr::Const(_) | Expr::Named(_) | Expr::Local(_) | Expr::Lane(..) => self.0.fmt(f),
            Expr::Thread | Expr::Block | Expr::Grid | Expr::Rank | Expr::Items => self.0.fmt(f),
            Expr::Groups | Expr::First(_) | Expr::Elements => self.0.fmt(f),
            Expr::Offset(..) | Expr::Size(_) | Expr::Param(..) | Expr::Aligned(..) => self.0.fmt(f),
            Expr::AlignedAt(..) | Expr::Select(..) => self.0.fmt(f),
            Expr::Un(..) | Expr::Cast(..) | Expr::Map(_) | Expr::Slot(_) | Expr::Combine(..) => self.0.fmt(f),
            Expr::Fold(..) | Expr::Empty | Expr::Nothing | Expr::Finish(..) => self.0.fmt(f),
        }
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.ty)
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Scalar(ty) => ty.fmt(f),
            Ty::Vector(ty, lanes) => write!(f, "{ty}x{lanes}"),
            Ty::Acc => f.write_str("acc"),
            Ty::Output => f.write_str("output"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.buffer, self.index)?;
        self.rank.as_ref().map_or(Ok(()), |rank| write!(f, " of {}", Operand(rank)))
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Buffer::Input(k) => write!(f, "input{k}"),
            Buffer::Items => f.write_str("items"),
            Buffer::Partials => f.write_str("partials"),
            Buffer::Result => f.write_str("result"),
            Buffer::Ticket => f.write_str("ticket"),
            Buffer::Shared(name) | Buffer::List(name) => f.write_str(name),
            Buffer::Offsets(Scalar::U64) => f.write_str("offsets64"),
            Buffer::Offsets(_) => f.write_str("offsets"),
            Buffer::Tiles => f.write_str("tiles"),
            Buffer::Marks => f.write_str("marks"),
            Buffer::Number => f.write_str("number"),
            Buffer::Keys(ty) => write!(f, "keys_{ty}"),
            Buffer::LongSegments => f.write_str("long_segments"),
        }
    }
}

impl fmt::Display for MemoryOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemoryOrder::Relaxed => "relaxed",
            MemoryOrder::Acquire => "acquire",
            MemoryOrder::Release => "release",
            MemoryOrder::AcqRel => "acq_rel",
        })
    }
}

impl fmt::Display for AtomicOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AtomicOp::Add => "add",
            AtomicOp::Exchange => "exchange",
            AtomicOp::Increment => "increment",
        })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Fold => "fold",
            Part::Stage => "stage",
            Part::Tree => "tree",
            Part::Deliver => "deliver",
        })
    }
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Barrier::WARP => f.write_str("warp"),
            Barrier::Warp(mask) => write!(f, "warp, mask {mask:#010x}"),
            Barrier::Block => f.write_str("block"),
            Barrier::Cluster => f.write_str("cluster"),
        }
    }
}

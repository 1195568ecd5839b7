//! Statements of kernels in C++.

use super::expr::{buffer, expr, place, unwidened};
use super::shuffle::shuffles_directly;
use super::{atomic, lines, lists, types, unaligned};
use crate::lower::across::ITEM;
use reduce_ir::operation::Operation;
use reduce_ir::ops::Bin;
use reduce_ir::program::Scope;
use reduce_ir::statements::{
    AtomicOp, Barrier, Buffer, Expr, List, Local, Loop, MemoryOrder, Place, Rewriting, Stmt, Ty, Unroll,
    rewrite_expr,
};

/// The context of a statement, on which its spelling depends.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) operation: &'a Operation,
    /// Whether vector loads tell the cache that no thread reads the elements again.
    pub(super) streaming: bool,
    /// The lists of the kernel.
    pub(super) lists: &'a [List],
    /// Whether each statement has a [mark](super::lines).
    pub(super) marks: bool,
}

/// Prints statements, indented by `depth` levels.
pub(super) fn body(context: Context<'_>, stmts: &[Stmt], depth: usize) -> String {
    let (mut text, mut rest) = (String::new(), stmts);
    while let [first, after @ ..] = rest {
        let item = guarded_item(context, rest);
        rest = after.get(usize::from(item.is_some())..).unwrap_or_default();
        text +=
            &item.map_or_else(|| stmt(context, first, depth), |item| format!("{:1$}{item}\n", "", 4 * depth));
    }
    text.strip_prefix('\n').map_or(text.clone(), str::to_owned)
}

/// Returns the text of an item that is absent unless a test holds: its declaration, and the loads that set it. A conditional expression
/// lets NVRTC load several of them at once; branches keep their order.
fn guarded_item(context: Context<'_>, stmts: &[Stmt]) -> Option<String> {
    let [Stmt::Var(item, absent @ Expr::Empty), Stmt::If(test, then, otherwise), ..] = stmts else {
        return None;
    };
    let (Stmt::Set(set, value), loads) = then.split_last()? else { return None };
    if !item.name.starts_with(ITEM) || set != item || !otherwise.is_empty() || loads.is_empty() {
        return None;
    }
    let operation = context.operation;
    let loads: Option<Vec<_>> = loads.iter().map(|load| loaded(operation, load)).collect();
    let value = rewrite_expr(value.clone(), &mut Inline(loads?));
    let [test, value, absent] = [test, &value, absent].map(|it| expr(operation, it));
    let marks = lines::marks(context.marks, stmts[..2].iter().chain(then));
    Some(format!("{marks}{} = {test} ? {value} : {absent};", declared(context, item)))
}

/// Returns the local of a load of one element, and the text of its place.
fn loaded(operation: &Operation, load: &Stmt) -> Option<(Local, String)> {
    let Stmt::Load(local, from) = load else { return None };
    let is_element = matches!((from.buffer, local.ty), (Buffer::Input(_), Ty::Scalar(_)));
    is_element.then(|| {
        (local.clone(), format!("{}[{}]", buffer(operation, from.buffer), near(operation, &from.index)))
    })
}

/// Prints a position: what all items of a loop share, and then the distance from there in parentheses, which has 32 bits. So NVRTC keeps one
/// address for all of them, and needs fewer registers.
fn near(operation: &Operation, index: &Expr) -> String {
    let mut terms = Vec::new();
    flatten(index, &mut terms);
    let is_wide = |it: &&Expr| !matches!(it, Expr::Cast(..));
    // The first one has 64 bits, so the sum has.
    if let Some(at) = terms.iter().position(is_wide) {
        terms[..=at].rotate_right(1);
    }
    let text = |(at, it): (usize, &&Expr)| {
        if at == 0 {
            return expr(operation, it);
        }
        let narrow = expr(operation, unwidened(it));
        let is_sum = matches!(it, Expr::Cast(_, sum) if matches!(**sum, Expr::Bin(..)));
        if is_sum { format!("({narrow})") } else { narrow }
    };
    terms.iter().enumerate().map(text).collect::<Vec<_>>().join(" + ")
}

/// Lists the terms of a sum of 64 bits.
fn flatten<'e>(sum: &'e Expr, terms: &mut Vec<&'e Expr>) {
    if let Expr::Bin(Bin::Add, a, b) = sum {
        flatten(a, terms);
        flatten(b, terms);
    } else {
        terms.push(sum);
    }
}

/// Names the places of loads instead of their locals.
struct Inline(Vec<(Local, String)>);

impl Rewriting for Inline {
    fn expr(&mut self, expr: Expr) -> Expr {
        let Expr::Local(local) = &expr else { return expr };
        let load = self.0.iter().find(|(of_load, _)| of_load == local);
        load.map_or(expr.clone(), |(local, text)| Local::new(text.clone(), local.ty).get())
    }
}

fn stmt(context: Context<'_>, it: &Stmt, depth: usize) -> String {
    lines::marked(context.marks, it, unmarked(context, it, depth))
}

fn unmarked(context: Context<'_>, it: &Stmt, depth: usize) -> String {
    let operation = context.operation;
    let line = |text: String| format!("{:1$}{text}\n", "", 4 * depth);
    let sub = |it: &Expr| expr(operation, it);
    match it {
        Stmt::Note(_, text) => format!("\n{}", line(format!("// {text}"))),
        Stmt::Let(local, value) => line(format!("const {} = {};", declared(context, local), sub(value))),
        Stmt::Var(local, value) => line(format!("{} = {};", declared(context, local), sub(value))),
        Stmt::Set(local, value) => line(format!("{} = {};", local.name, sub(value))),
        Stmt::Move(at, by) => line(format!("{} += {};", buffer(operation, *at), sub(by))),
        Stmt::Load(local, from) => line(load(context, local, from)),
        Stmt::LoadUnaligned(local, from) => {
            let name = unaligned::name(local.ty);
            line(format!("const {} = {name}(&{});", declared(context, local), place(operation, from)))
        }
        Stmt::Store(to, value) => line(format!("{} = {};", place(operation, to), sub(value))),
        Stmt::Post(to, value) => line(format!("post_partial({}, {});", slot(operation, to), sub(value))),
        Stmt::Take(local, from) => {
            let (partial, from) = (types::record(&operation.acc), slot(operation, from));
            line(format!("const {} = take_partial<{partial}>({from});", declared(context, local)))
        }
        Stmt::Expect(_, messages) => line(format!("expect(messages, {});", sub(messages))),
        Stmt::Send(to, value) => line(send(operation, to, &sub(value))),
        Stmt::Receive(_) => line("receive(messages);".to_owned()),
        Stmt::Shuffle { into, value, down, mask } => {
            line(shuffle(context, into, [&sub(value), &sub(down)], *mask))
        }
        Stmt::Redux(acc, there) => {
            let there = there.iter().map(|there| format!(", {}", sub(there))).collect::<String>();
            line(format!("{0} = redux({0}{there});", acc.name))
        }
        Stmt::Barrier(it) => line(barrier(*it)),
        Stmt::Arrive => {
            line("asm volatile(\"barrier.cluster.arrive.relaxed.aligned;\" ::: \"memory\");".to_owned())
        }
        Stmt::Wait => line("asm volatile(\"barrier.cluster.wait.aligned;\" ::: \"memory\");".to_owned()),
        Stmt::Vote(local, value) => {
            line(format!("const bool {} = __syncthreads_or({});", local.name, sub(value)))
        }
        Stmt::Exit => line("return;".to_owned()),
        Stmt::Fence(order, scope) => line(fence(*order, *scope)),
        Stmt::AwaitLaunch => line("asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");".to_owned()),
        Stmt::TriggerLaunch => line("asm volatile(\"griddepcontrol.launch_dependents;\");".to_owned()),
        Stmt::Atomic { into, op, place: at, value, order, scope } => {
            let (at, value) = (place(operation, at), sub(value));
            ticket(&into.name, *op, &at, &value, *order, *scope).into_iter().map(line).collect()
        }
        Stmt::Clear(list) => line(format!("{list}_length = 0;")),
        Stmt::Length(local, list) => {
            let declared = declared(context, local);
            line(format!("const {declared} = {};", lists::length(context.lists, list)))
        }
        Stmt::Append(list, value) => line(lists::append(context.lists, list, &sub(value))),
        Stmt::Ballot(local, value) => {
            line(format!("const {} = __ballot_sync(0xffffffff, {});", declared(context, local), sub(value)))
        }
        Stmt::Prefix { before, total, value } => {
            let (sum, all) = (declared(context, before), declared(context, total));
            line(format!("{all};"))
                + &line(format!("const {sum} = sum_before({}, &{});", sub(value), total.name))
        }
        Stmt::Turn { turn, turns, value } => {
            let of_lane = format!("{} = turn_of_lane({});", declared(context, turn), sub(value));
            let of_warp = format!("{} = turns_of_warp({});", declared(context, turns), turn.name);
            line(format!("const {of_lane}")) + &line(format!("const {of_warp}"))
        }
        Stmt::Fault(segment) => line(format!("atomicMin(fault, {});", sub(segment))),
        Stmt::AtomicCombine { place: at, value, .. } if operation.key.is_some() => {
            line(format!("join_atomically(&{}, {});", place(operation, at), sub(value)))
        }
        Stmt::AtomicCombine { place: at, value, .. } => {
            line(atomic::combine(operation, &place(operation, at), &sub(value)))
        }
        Stmt::For(it) => counted(context, it, depth),
        Stmt::If(test, then, otherwise) => branch(context, &sub(test), [then, otherwise], depth),
    }
}

fn declared(context: Context<'_>, local: &Local) -> String {
    let ty = match local.ty {
        Ty::Scalar(ty) => types::scalar(ty).to_owned(),
        Ty::Vector(ty, lanes) => types::vector(ty, lanes),
        Ty::Acc => types::record(&context.operation.acc).to_owned(),
        Ty::Output => types::record(&context.operation.stored()).to_owned(),
    };
    format!("{ty} {}", local.name)
}

fn load(context: Context<'_>, local: &Local, from: &Place) -> String {
    let Context { operation, streaming, .. } = context;
    let (declared, from) = (declared(context, local), place(operation, from));
    match local.ty {
        Ty::Vector(ty, lanes) if streaming => {
            let (vector, word) = (types::vector(ty, lanes), types::word(ty, lanes));
            format!("const {declared} = load_once<{vector}, {word}>(&{from});")
        }
        Ty::Vector(ty, lanes) => {
            format!("const {declared} = *reinterpret_cast<const {}*>(&{from});", types::vector(ty, lanes))
        }
        Ty::Scalar(_) | Ty::Acc | Ty::Output => format!("const {declared} = {from};"),
    }
}

/// Returns the buffer and the index of a partial with flags.
fn slot(operation: &Operation, it: &Place) -> String {
    format!("{}, {}", buffer(operation, it.buffer), expr(operation, unwidened(&it.index)))
}

/// Prints a message. A place in the shared memory of another block is named by the place in this one, and the rank.
fn send(operation: &Operation, to: &Place, value: &str) -> String {
    let here = place(operation, &Place { rank: None, ..to.clone() });
    let rank = to.rank.as_ref().map_or("cluster_rank()".to_owned(), |rank| expr(operation, rank));
    format!("send({here}, messages, {rank}, {value});")
}

fn shuffle(context: Context<'_>, into: &Local, [value, down]: [&str; 2], mask: u32) -> String {
    let declared = declared(context, into);
    if shuffles_directly(&context.operation.acc) {
        format!("const {declared} = __shfl_down_sync({mask:#x}, {value}, {down});")
    } else {
        format!("const {declared} = shuffle_down({mask:#x}, {value}, {down});")
    }
}

fn counted(context: Context<'_>, it: &Loop, depth: usize) -> String {
    let operation = context.operation;
    let indent = format!("{:1$}", "", 4 * depth);
    let pragma = match it.unroll {
        Unroll::Unsaid => String::new(),
        Unroll::By(turns) => format!("{indent}#pragma unroll {turns}\n"),
        Unroll::All => format!("{indent}#pragma unroll\n"),
    };
    let [from, test] = [&it.from, &it.test].map(|it| expr(operation, it));
    let next = advance(operation, it);
    let ty = declared(context, &it.local);
    let head = format!("{indent}for ({ty} = {from}; {test}; {next}) {{\n");
    pragma + &head + &body(context, &it.body, depth + 1) + &indent + "}\n"
}

/// Returns `++unit`, `stride /= 2`, or the assignment in full.
fn advance(operation: &Operation, it: &Loop) -> String {
    let name = &it.local.name;
    let Expr::Bin(op, a, b) = &it.next else { return format!("{name} = {}", expr(operation, &it.next)) };
    let step = expr(operation, unwidened(b));
    match (**a == it.local.get(), *op == Bin::Add && step == "1") {
        (true, true) => format!("++{name}"),
        (true, false) => format!("{name} {op}= {step}"),
        (false, _) => format!("{name} = {}", expr(operation, &it.next)),
    }
}

fn branch(context: Context<'_>, test: &str, [then, otherwise]: [&Vec<Stmt>; 2], depth: usize) -> String {
    let indent = format!("{:1$}", "", 4 * depth);
    let then = body(context, then, depth + 1);
    let head = format!("{indent}if ({test}) {{\n{then}{indent}}}");
    match otherwise.as_slice() {
        [] => head + "\n",
        [only @ Stmt::If(..)] => format!("{head} else {}", stmt(context, only, depth).trim_start()),
        _ => format!("{head} else {{\n{}{indent}}}\n", body(context, otherwise, depth + 1)),
    }
}

fn barrier(it: Barrier) -> String {
    match it {
        Barrier::WARP => "__syncwarp();".to_owned(),
        Barrier::Warp(mask) => format!("__syncwarp({mask:#x});"),
        Barrier::Block => "__syncthreads();".to_owned(),
        Barrier::Cluster => {
            "asm volatile(\"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\" ::: \"memory\");"
                .to_owned()
        }
    }
}

/// Prints a fence. In PTX, `fence` orders both ways, for every order; `.acq_rel` is the weakest that exists.
fn fence(_: MemoryOrder, scope: Scope) -> String {
    format!("asm volatile(\"fence.acq_rel.{};\" ::: \"memory\");", ptx_scope(scope))
}

fn ticket(into: &str, op: AtomicOp, at: &str, value: &str, order: MemoryOrder, scope: Scope) -> [String; 2] {
    let op = match op {
        AtomicOp::Add => "add",
        AtomicOp::Exchange => "exch",
        AtomicOp::Increment => "inc",
    };
    let ty = if op == "exch" { "b32" } else { "u32" };
    let instruction = format!("atom.{order}.{}.{op}.{ty} %0, [%1], %2;", ptx_scope(scope));
    [
        format!("unsigned int {into};"),
        format!(
            "asm volatile(\"{instruction}\" : \"=r\"({into}) : \"l\"(&{at}), \"r\"({value}) : \"memory\");"
        ),
    ]
}

fn ptx_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Thread | Scope::Warp | Scope::Block => "cta",
        Scope::Cluster => "cluster",
        Scope::Grid => "gpu",
    }
}

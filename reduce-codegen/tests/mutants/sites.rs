//! The places where a kernel can be changed: every statement, and every expression inside one.

use reduce_ir::statements::{Expr, Loop, LoweredKernel, Place, Stmt};

/// A kernel in which one statement is replaced.
pub(crate) struct Variant {
    /// The place and the change, by first lines: `if … / store …  ->  nothing`.
    pub(crate) what: String,
    /// The kernel.
    pub(crate) kernel: LoweredKernel,
}

/// Returns the replacements of a statement.
type Rewrite<'a> = &'a dyn Fn(&Stmt) -> Vec<Vec<Stmt>>;

/// Returns the kernels in which one statement is replaced, one kernel for each list of statements that `rewrite` returns
/// for it.
pub(crate) fn variants(kernel: &LoweredKernel, rewrite: Rewrite<'_>) -> Vec<Variant> {
    let variant = |(what, body)| Variant { what, kernel: LoweredKernel { body, ..kernel.clone() } };
    bodies(&kernel.body, rewrite).into_iter().map(variant).collect()
}

fn bodies(stmts: &[Stmt], rewrite: Rewrite<'_>) -> Vec<(String, Vec<Stmt>)> {
    let mut found = Vec::new();
    for (at, stmt) in stmts.iter().enumerate() {
        let with = |new: &[Stmt]| [&stmts[..at], new, &stmts[at + 1..]].concat();
        let change =
            |new: &[Stmt]| format!("{}  ->  {}", line(stmt), new.first().map_or("nothing".into(), line));
        found.extend(rewrite(stmt).iter().map(|new| (change(new), with(new))));
        found.extend(inside(stmt, rewrite).into_iter().map(|(what, new)| (what, with(&[new]))));
    }
    found
}

/// Returns the statement with another body, for each change of the body.
fn inside(stmt: &Stmt, rewrite: Rewrite<'_>) -> Vec<(String, Stmt)> {
    let bodies = |stmts, branch, with: &dyn Fn(Vec<Stmt>) -> Stmt| -> Vec<(String, Stmt)> {
        let within = |what| format!("{}{branch} / {what}", line(stmt));
        bodies(stmts, rewrite).into_iter().map(|(what, body)| (within(what), with(body))).collect()
    };
    match stmt {
        Stmt::For(it) => bodies(&it.body, "", &|body| Stmt::For(Box::new(Loop { body, ..*it.clone() }))),
        Stmt::If(test, then, otherwise) => {
            let first = bodies(then, "", &|body| Stmt::If(test.clone(), body, otherwise.clone()));
            let second = bodies(otherwise, " else", &|body| Stmt::If(test.clone(), then.clone(), body));
            [first, second].concat()
        }
        _ => Vec::new(),
    }
}

fn line(stmt: &Stmt) -> String {
    stmt.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Returns the statement with one of its own expressions, or a part of one, replaced by each result of `rewrite`. Its body
/// stays the same.
pub(crate) fn with_expressions(stmt: &Stmt, rewrite: &dyn Fn(&Expr) -> Vec<Expr>) -> Vec<Stmt> {
    let count = expressions(&mut stmt.clone()).len();
    let replace = |at: usize| {
        let old = expressions(&mut stmt.clone())[at].clone();
        parts(&old, rewrite).into_iter().map(move |new| {
            let mut stmt = stmt.clone();
            *expressions(&mut stmt)[at] = new;
            stmt
        })
    };
    (0..count).flat_map(replace).collect()
}

/// Returns the expressions of a statement, without its body.
fn expressions(stmt: &mut Stmt) -> Vec<&mut Expr> {
    match stmt {
        Stmt::Let(_, value)
        | Stmt::Var(_, value)
        | Stmt::Set(_, value)
        | Stmt::Move(_, value)
        | Stmt::Vote(_, value)
        | Stmt::Append(_, value)
        | Stmt::Fault(value)
        | Stmt::Turn { value, .. }
        | Stmt::Ballot(_, value)
        | Stmt::Prefix { value, .. }
        | Stmt::Expect(_, value) => {
            vec![value]
        }
        Stmt::For(it) => vec![&mut it.from, &mut it.test, &mut it.next],
        Stmt::If(test, ..) => vec![test],
        Stmt::Load(_, place) | Stmt::LoadUnaligned(_, place) | Stmt::Take(_, place) => of_place(place),
        Stmt::Store(place, value) | Stmt::Post(place, value) | Stmt::Send(place, value) => {
            of_place(place).into_iter().chain([value]).collect()
        }
        Stmt::AtomicCombine { place, value, .. } | Stmt::Atomic { place, value, .. } => {
            of_place(place).into_iter().chain([value]).collect()
        }
        Stmt::Shuffle { value, down, .. } => vec![value, down],
        Stmt::Redux(_, there) => there.iter_mut().collect(),
        Stmt::Note(..) | Stmt::Exit | Stmt::Barrier(_) | Stmt::Fence(..) => Vec::new(),
        Stmt::Clear(_) | Stmt::Length(..) => Vec::new(),
        Stmt::Receive(_) | Stmt::Arrive | Stmt::Wait | Stmt::AwaitLaunch | Stmt::TriggerLaunch => Vec::new(),
    }
}

fn of_place(place: &mut Place) -> Vec<&mut Expr> {
    [&mut place.index].into_iter().chain(place.rank.as_deref_mut()).collect()
}

/// Returns the expression with one part of it replaced.
pub(crate) fn parts(expr: &Expr, rewrite: &dyn Fn(&Expr) -> Vec<Expr>) -> Vec<Expr> {
    let mut found = rewrite(expr);
    for (at, operand) in expr.operands().into_iter().enumerate() {
        found.extend(parts(operand, rewrite).into_iter().map(|new| with_operand(expr, at, new)));
    }
    found
}

fn with_operand(expr: &Expr, at: usize, new: Expr) -> Expr {
    let mut expr = expr.clone();
    match &mut expr {
        Expr::Un(_, a) | Expr::Cast(_, a) => **a = new,
        Expr::Bin(_, a, b) | Expr::Cmp(_, a, b) | Expr::Combine(a, b) => **[a, b][at] = new,
        Expr::Map(args) | Expr::Slot(args) => args[at] = new,
        Expr::Offset(_, terms) => terms[at].1 = new,
        Expr::Fold(acc, _) | Expr::Finish(acc, _) if at == 0 => **acc = new,
        Expr::Fold(_, args) | Expr::Finish(_, args) => args[at - 1] = new,
        Expr::Const(_) | Expr::Named(_) | Expr::Local(_) | Expr::Lane(..) | Expr::Aligned(..) => {}
        Expr::Thread | Expr::Block | Expr::Grid | Expr::Rank | Expr::Items => {}
        Expr::First(a) | Expr::AlignedAt(_, _, a) => **a = new,
        Expr::Select(test, a, b) => **[test, a, b][at] = new,
        Expr::Groups | Expr::Elements | Expr::Size(_) | Expr::Param(..) | Expr::Empty | Expr::Nothing => {}
    }
    expr
}

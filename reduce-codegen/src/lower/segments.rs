//! Lowers programs over segments. Each program is lowered as for a group. Its statements are then moved into a loop over segments: the
//! length of the segment replaces the length of the group, and values replace the constants that differ by tier.

mod block;
mod locals;
mod moved;
mod partials;
mod scan;
mod search;
mod short;
mod tier;
mod wide;

use super::Lowerer;
use crate::error::Error;
use crate::segments::Segmented;
use locals::{Bounds, feature, group, origin, rows, segment};
use moved::Moved;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::{
    Buffer, Constant, Expr, List, Local, Lowered, LoweredKernel, Part, Rewriting, Shared, Stmt, Ty, rewrite,
};
use reduce_ir::{Scalar, Value};

/// Returns the statements of the kernels, verified.
pub(crate) fn lower(program: &Segmented) -> Result<Lowered, Error> {
    let kernels = vec![search::kernel(program), scan::kernel(program), partials::kernel(program)];
    let narrow_index = program.operation.position == Scalar::U32;
    let of_offsets = (program.offsets == Scalar::U32).then_some(Segmented::MOST_OF_U32);
    let most = match narrow_index {
        true => Some(Segmented::NARROW),
        // Offsets of rows do not bound the number of elements.
        false => of_offsets.filter(|_| !program.has_columns()),
    };
    let steps = program.of_partials();
    for kernel in &kernels {
        let verified = kernel.verify_segments(&program.operation, steps.kernel(kernel.reads), most);
        if let Err(violation) = verified {
            return Err(Error::Lowered { violation, text: Lowered { kernels: kernels.clone() }.to_string() });
        }
    }
    Ok(Lowered { kernels })
}

/// Reads the number of segments, after the wait for the previous launch.
fn counted(mut body: Vec<Stmt>) -> Vec<Stmt> {
    struct Counted(Local);
    impl Rewriting for Counted {
        fn expr(&mut self, expr: Expr) -> Expr {
            if expr == Expr::Groups { self.0.get() } else { expr }
        }
    }
    let (read, groups) = (Local::new("counted", Ty::U64), Local::new("runs", Ty::U64));
    let start = body.iter().position(|stmt| *stmt == Stmt::AwaitLaunch).map_or(0, |at| at + 1);
    let rest = rewrite(body.split_off(start), &mut Counted(groups.clone()));
    // There are no more runs than elements, nor than a launch takes.
    let bounded = read.get().bin(Bin::Min, Expr::Items).bin(Bin::Min, number(search::MOST - 1));
    body.extend([Stmt::Load(read, Buffer::Number.at(number(0))), Stmt::Let(groups, bounded)]);
    body.extend(rest);
    body
}

/// A kernel while it is being made: its declarations, and its statements.
struct Draft<'a> {
    program: &'a Segmented,
    /// The positions of a segment.
    bounds: Bounds,
    constants: Vec<Constant>,
    shared: Vec<Shared>,
    lists: Vec<List>,
    body: Vec<Stmt>,
}

impl<'a> Draft<'a> {
    fn new(program: &'a Segmented) -> Draft<'a> {
        let (constants, shared, lists) = (Vec::new(), Vec::new(), Vec::new());
        let bounds = Bounds::of(program.offsets, program.has_columns());
        let mut draft = Draft { program, bounds, constants, shared, lists, body: Vec::new() };
        if program.dependent {
            let note = "wait for the previous launch, which may still write the data that this one reads";
            draft.body.extend([Stmt::Note(Part::Fold, note.to_owned()), Stmt::AwaitLaunch]);
        }
        if program.has_columns() {
            // No offset of 32 bits is greater.
            let most = if program.offsets == Scalar::U32 { Segmented::MOST_OF_U32 } else { u64::MAX };
            let all = Expr::Items.over(Expr::Size(0)).bin(Bin::Min, number(most));
            draft.body.push(Stmt::Let(rows(), all));
        }
        draft.constant("THREADS", Segmented::BLOCK, "threads of a block");
        draft.constant("TILE_SIZE", program.tile(), "elements and segments of a tile of the grid");
        draft
    }

    fn finish(self, name: &'static str, reads: Reads) -> LoweredKernel {
        let resident = (name == Segmented::KERNELS[1]).then_some(self.program.resident).flatten();
        LoweredKernel {
            name,
            reads,
            block: Segmented::BLOCK,
            cluster: 1,
            streaming: false,
            dependent: self.program.dependent,
            resident,
            domain: self.program.domain,
            constants: self.constants,
            shared: self.shared,
            lists: self.lists,
            body: if self.program.counted { counted(self.body) } else { self.body },
        }
    }

    fn constant(&mut self, name: &'static str, value: u32, note: &str) {
        if self.constants.iter().all(|it| it.name != name) {
            let (formula, note) = (value.to_string(), note.to_owned());
            self.constants.push(Constant { name, value, formula, note });
        }
    }

    /// Declares a list of at most `value` numbers.
    fn list(&mut self, name: &'static str, most: &'static str, value: u32) {
        self.constant(most, value, "numbers that the list holds");
        self.lists.push(List { name, most });
    }

    fn note(&mut self, text: impl Into<String>) {
        self.body.push(Stmt::Note(Part::Fold, text.into()));
    }

    /// Returns the statements that read the offsets of the segment `group`. Offsets beyond the data, or before the segment's first one,
    /// make it shorter, so nothing is read outside.
    fn bounds(&self) -> Vec<Stmt> {
        let at = self.bounds;
        let offset = |place: Expr| Buffer::Offsets(self.program.offsets).at(place);
        let (number_of, limit) =
            if at.has_columns { (segment(), rows().get()) } else { (group(), Expr::Items) };
        let own = [
            Stmt::Load(at.own_offset(), offset(number_of.get())),
            Stmt::Load(at.next_offset(), offset(number_of.get().bin(Bin::Add, number(1)))),
            Stmt::Let(at.end(), at.next_offset().get().bin(Bin::Min, at.narrow(limit))),
            Stmt::Let(at.begin(), at.own_offset().get().bin(Bin::Min, at.end().get())),
            Stmt::Let(at.length(), at.end().get().bin(Bin::Sub, at.begin().get())),
        ];
        let of_column = Stmt::Let(segment(), group().get().over(Expr::Size(0)));
        at.has_columns.then_some(of_column).into_iter().chain(own).collect()
    }

    /// Returns the statement for the column of the group, if groups are columns.
    fn column(&self) -> Option<Stmt> {
        let within = group().get().bin(Bin::Rem, Expr::Size(0));
        self.bounds.has_columns.then(|| Stmt::Let(feature(), within))
    }

    /// Returns the statement for [`Bounds::origin`], if groups are columns.
    fn origin(&self) -> Option<Stmt> {
        let before = self.bounds.wide(self.bounds.begin().get()).times(Expr::Size(0));
        let place = before.bin(Bin::Add, feature().get().times(self.length()));
        self.bounds.has_columns.then(|| Stmt::Let(origin(), place))
    }

    /// Returns the condition that the offsets of a segment ascend and lie in the data.
    fn is_valid(&self) -> Expr {
        let at = self.bounds;
        let begins = at.own_offset().get().equals(at.begin().get());
        begins.and(at.next_offset().get().equals(at.end().get()))
    }

    /// Returns the number of elements of a segment, `u64`.
    fn length(&self) -> Expr {
        self.bounds.wide(self.bounds.length().get())
    }

    /// Returns the condition that a segment has at most that many elements.
    fn has_at_most(&self, most: u64) -> Expr {
        at_most(self.bounds.length().get(), self.bounds.number(most))
    }

    /// Returns the values of the words of a group in a segment.
    fn moved(&self) -> Moved {
        Moved::new(self.bounds, self.length())
    }

    /// Takes over the declarations of a lowering. Those of equal names have equal values.
    fn declare(&mut self, lowering: &Lowerer<'_>) {
        for it in &lowering.constants {
            self.constant(it.name, it.value, &it.note);
        }
    }
}

/// Returns the lowering of a kernel of a program of one group.
fn lowering(program: &Program, reads: Reads) -> Lowerer<'_> {
    Lowerer::new(program, program.kernel(reads))
}

/// Returns a constant of type `u64`.
fn number(value: u64) -> Expr {
    Expr::Const(Value::of(value))
}

/// Returns `a <= b`.
fn at_most(a: Expr, b: Expr) -> Expr {
    Expr::Cmp(Cmp::Le, Box::new(a), Box::new(b))
}

/// Returns a constant of the kernel as a `u64`.
fn wide(name: &'static str) -> Expr {
    Expr::Named(name).cast(Scalar::U64)
}

/// Returns the statements of a group without the remarks on its steps, and without the start of the next launch.
fn without_notes(body: Vec<Stmt>) -> Vec<Stmt> {
    let inside = |mut it: Stmt| {
        if let Stmt::For(it) = &mut it {
            it.body = without_notes(std::mem::take(&mut it.body));
        } else if let Stmt::If(_, then, otherwise) = &mut it {
            *then = without_notes(std::mem::take(then));
            *otherwise = without_notes(std::mem::take(otherwise));
        }
        it
    };
    let stays = |it: &Stmt| !matches!(it, Stmt::Note(..) | Stmt::TriggerLaunch);
    body.into_iter().filter(stays).map(inside).collect()
}

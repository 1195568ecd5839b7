//! Lowers programs over segments. The statements of each program are those of a group, moved into a loop over segments: there, the
//! length of the group is that of the segment, and the constants of a tier are values.

mod block;
mod locals;
mod long;
mod moved;
mod search;
mod short;

use super::Lowerer;
use crate::error::Error;
use crate::segments::Segmented;
use locals::{begin, end, group, length};
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::{Kernel, Program, Reads};
use reduce_ir::statements::{
    Buffer, Constant, Expr, List, Local, Lowered, LoweredKernel, Part, Shared, Stmt, Ty,
};
use reduce_ir::{Domain, Scalar, Value};

/// Returns the statements of the kernels, verified.
pub(crate) fn lower(program: &Segmented) -> Result<Lowered, Error> {
    let kernels = vec![search::kernel(program), block::kernel(program), long::kernel(program)];
    let most = (program.operation.position == Scalar::U32).then_some(Segmented::NARROW);
    let steps = program.of_partials();
    for kernel in &kernels {
        let verified = kernel.verify_segments(&program.operation, steps.kernel(kernel.reads), most);
        if let Err(violation) = verified {
            return Err(Error::Lowered { violation, text: Lowered { kernels: kernels.clone() }.to_string() });
        }
    }
    Ok(Lowered { kernels })
}

/// A kernel while it is being made: its declarations, and its statements.
struct Draft<'a> {
    program: &'a Segmented,
    constants: Vec<Constant>,
    shared: Vec<Shared>,
    lists: Vec<List>,
    body: Vec<Stmt>,
}

impl<'a> Draft<'a> {
    fn new(program: &'a Segmented) -> Draft<'a> {
        let (constants, shared, lists) = (Vec::new(), Vec::new(), Vec::new());
        let mut draft = Draft { program, constants, shared, lists, body: Vec::new() };
        if program.dependent {
            let note = "wait for the previous launch, which may still write the data that this one reads";
            draft.body.extend([Stmt::Note(Part::Fold, note.to_owned()), Stmt::AwaitLaunch]);
        }
        draft.constant("THREADS", Segmented::BLOCK, "threads of a block");
        draft.constant("TILE_SIZE", program.tile(), "elements and segments of a tile of the grid");
        draft
    }

    fn finish(self, name: &'static str, reads: Reads) -> LoweredKernel {
        LoweredKernel {
            name,
            reads,
            block: Segmented::BLOCK,
            cluster: 1,
            streaming: false,
            dependent: self.program.dependent,
            domain: Domain::ROWS,
            constants: self.constants,
            shared: self.shared,
            lists: self.lists,
            body: self.body,
        }
    }

    fn constant(&mut self, name: &'static str, value: u32, note: &str) {
        if self.constants.iter().all(|it| it.name != name) {
            let (formula, note) = (value.to_string(), note.to_owned());
            self.constants.push(Constant { name, value, formula, note });
        }
    }

    /// Declares a list of tile-relative numbers.
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
        let [from, to] =
            ["from_offset", "to_offset"].map(|name| Local::new(name, Ty::Scalar(self.program.offsets)));
        let at = |next: bool| if next { group().get().bin(Bin::Add, number(1)) } else { group().get() };
        let load = |local: &Local, next| {
            Stmt::Load(local.clone(), Buffer::Offsets(self.program.offsets).at(at(next)))
        };
        vec![
            load(&from, false),
            load(&to, true),
            Stmt::Let(end(), self.position(&to).bin(Bin::Min, Expr::Items)),
            Stmt::Let(begin(), self.position(&from).bin(Bin::Min, end().get())),
            Stmt::Let(length(), end().get().bin(Bin::Sub, begin().get())),
        ]
    }

    /// Returns the condition that the offsets of a segment ascend and lie in the data.
    fn is_valid(&self) -> Expr {
        let [from, to] =
            ["from_offset", "to_offset"].map(|name| Local::new(name, Ty::Scalar(self.program.offsets)));
        self.position(&from).equals(begin().get()).and(self.position(&to).equals(end().get()))
    }

    /// Returns an offset as a position, `u64`.
    fn position(&self, offset: &Local) -> Expr {
        let is_wide = self.program.offsets == Scalar::U64;
        if is_wide { offset.get() } else { offset.get().cast(Scalar::U64) }
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
    Lowerer::new(program, kernel_of(program, reads))
}

fn kernel_of(program: &Program, reads: Reads) -> &Kernel {
    program.kernel(reads)
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

//! Prints programs as stable text, one line per step. `{:#}` prints the complete text, which can be parsed.

use super::{
    Arrangement, Combine, Exchange, Fold, Kernel, Lowering, Medium, Program, Reads, Scope, Share, Size, Step,
    Team, Tree,
};
use crate::func::Param;
use crate::operation::{Operation, Order};
use crate::spec::Listed;
use crate::{Access, Domain, Value};
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Head(&self.operation, self.domain.access).fmt(f)?;
        match self.domain {
            Domain { kept: 0, .. } => {}
            Domain::ROWS => writeln!(f, "  groups    rows")?,
            Domain { kept, .. } => writeln!(f, "  groups    {kept} axes")?,
        }
        self.up_to.iter().try_for_each(|n| writeln!(f, "  up to     {n} elements"))?;
        if f.alternate() {
            writeln!(f, "  passes    {}", Listed(&self.passes))?;
        }
        self.kernels.iter().try_for_each(|kernel| print_kernel(f, self, kernel))
    }
}

/// The lines about the operation and the layout of its elements.
pub(super) struct Head<'a>(pub(super) &'a Operation, pub(super) Access);

impl fmt::Display for Head<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Head(op, access) = self;
        let values =
            |values: &Option<Vec<Value>>| values.as_ref().map_or("none".to_owned(), |values| join(values));
        writeln!(f, "program {}({}) -> {}", op.name, declared(&op.inputs), op.stored().text())?;
        if !op.params.is_empty() {
            writeln!(f, "  params    {}", declared(&op.params))?;
        }
        if *access != Access::Contiguous {
            writeln!(f, "  layout    {access}")?;
        }
        writeln!(f, "  acc       {}", op.acc.text())?;
        writeln!(f, "  map       {}", op.map)?;
        writeln!(f, "  op        {}{}", op.combine, if op.commutative { "" } else { ", in order" })?;
        op.fold.iter().try_for_each(|fold| writeln!(f, "  fold      {fold}"))?;
        writeln!(f, "  identity  {}", values(&op.identity))?;
        if op.fill != op.identity {
            writeln!(f, "  fill      {}", values(&op.fill))?;
        }
        writeln!(f, "  finish    {}", op.finish)?;
        if op.order != Order::Fixed {
            writeln!(f, "  order     {}", op.order)?;
        }
        Ok(())
    }
}

fn print_kernel(f: &mut fmt::Formatter<'_>, program: &Program, kernel: &Kernel) -> fmt::Result {
    let (block, tile) = (program.block, program.tile(kernel.reads));
    let dependent = if kernel.dependent { ", dependent" } else { "" };
    let trigger = if kernel.trigger { ", trigger" } else { "" };
    let (name, reads) = (kernel.name, kernel.reads);
    let team = kernel.team;
    writeln!(f, "kernel {name} reads {reads}, team {team}, block {block}, tile {tile}{dependent}{trigger}")?;
    kernel.steps.iter().try_for_each(|step| {
        f.write_str("  ")?;
        fmt::Display::fmt(step, f)?;
        f.write_str("\n")
    })
}

fn declared(params: &[Param]) -> String {
    params.iter().map(|param| format!("{}: {}", param.name, param.ty)).collect::<Vec<_>>().join(", ")
}

fn join(values: &[Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Fold(fold) => fold.fmt(f),
            Step::Combine(combine) => combine.fmt(f),
            Step::Keep => f.write_str("keep every thread's item in the workspace"),
            Step::Exchange(Exchange::Atomic) => f.write_str("combine grid through an atomic"),
            Step::Exchange(Exchange::LastBlock { flags: false }) => {
                f.write_str("combine grid through a ticket, in the block that finishes last")
            }
            Step::Exchange(Exchange::LastBlock { flags: true }) => {
                f.write_str("combine grid through a ticket and flags, in the block that starts last")
            }
            Step::Exchange(Exchange::NextLaunch) => f.write_str("combine grid through the next launch"),
        }
    }
}

impl fmt::Display for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.width;
        let lanes =
            if self.shares_lanes() { format!(" in {}", several(self.lanes, "lane")) } else { String::new() };
        let hints = if f.alternate() { self.hints } else { self.effective_hints() };
        let hints: String = hints.held().map(|hint| format!(", {}", hint.text)).collect();
        match self.share {
            Share::Units(units) => {
                let (consecutive, rows) = match self.arrangement {
                    Arrangement::Striped => ("", ""),
                    Arrangement::Blocked if self.in_rows => ("", ", each in a row of its warp"),
                    Arrangement::Blocked => ("consecutive ", ""),
                };
                write!(f, "fold thread: {units} x {width} {consecutive}items{lanes}{rows}{hints}")
            }
            Share::Rest => {
                let units = match self.arrangement {
                    Arrangement::Striped => format!("units of {}{lanes}", several(width, "item")),
                    Arrangement::Blocked => "consecutive runs".to_owned(),
                };
                write!(f, "fold thread: everything, {units}{hints}")
            }
        }
    }
}

impl fmt::Display for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            Size::Thread => f.write_str("thread"),
            Size::Lanes(lanes) => write!(f, "{lanes} lanes"),
            Size::Warp => f.write_str("warp"),
            Size::Block => f.write_str("block"),
            Size::Cluster => f.write_str("cluster"),
            Size::Grid { most: None } => f.write_str("grid"),
            Size::Grid { most: Some(blocks) } => write!(f, "grid of at most {}", several(blocks, "block")),
        }?;
        if self.logical > 1 {
            write!(f, " of {} logical threads each", self.logical)?;
        }
        if self.beside > 1 { write!(f, " beside {}", self.beside) } else { Ok(()) }
    }
}

impl fmt::Display for Combine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Combine { scope, items, tree, medium, .. } = self;
        write!(f, "combine {scope}: {} ", several(*items, "item"))?;
        let last_warp = if self.last_warp { ", last warp by itself" } else { "" };
        match (self.lowering, medium) {
            (Lowering::Loop, _) => write!(f, "by {tree} through {medium}{last_warp}"),
            (Lowering::Unrolled, _) => write!(f, "by {tree} through {medium}{last_warp}, unrolled"),
            (Lowering::WarpReduce, _) if f.alternate() => write!(f, "by {tree} through redux.sync"),
            // The order of the tree has no effect here.
            (Lowering::WarpReduce, _) => f.write_str("through redux.sync"),
            (Lowering::SerialTail, Medium::Shuffle) => write!(f, "by {tree} in one thread"),
            (Lowering::SerialTail, _) => write!(f, "by {tree} through {medium}, in one thread"),
        }
    }
}

/// Returns a count with its noun: `1 item`, `2 items`.
fn several(count: u32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

impl fmt::Display for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reads::Inputs => "inputs",
            Reads::Partials => "partials",
        })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Thread => "thread",
            Scope::Warp => "warp",
            Scope::Block => "block",
            Scope::Cluster => "cluster",
            Scope::Grid => "grid",
        })
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tree::Serial => "serial",
            Tree::Halving => "halving",
            Tree::Pairs => "pairs",
            Tree::Any => "any order",
        })
    }
}

impl fmt::Display for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Medium::Registers => f.write_str("registers"),
            Medium::Shuffle => f.write_str("shuffle"),
            Medium::Shared(addressing) => write!(f, "shared memory, {addressing}"),
            Medium::Global(addressing) => write!(f, "global memory, {addressing}"),
            Medium::Distributed => f.write_str("distributed shared memory"),
        }
    }
}

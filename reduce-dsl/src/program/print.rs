//! The text of a program: stable, one line a step.

use super::{Addressing, Combine, Fold, GridMedium, Kernel, Medium, Program, Reads, Scope, Step, Tree};
use crate::operation::Order;
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let op = &self.operation;
        let inputs: Vec<_> = op.inputs.iter().map(|input| format!("{}: {}", input.name, input.ty)).collect();
        let identity = op.identity.as_ref().map_or("none".to_owned(), |values| join(values));
        writeln!(f, "program {}({}) -> {}", op.name, inputs.join(", "), op.output.text())?;
        writeln!(f, "  acc       {}", op.acc.text())?;
        writeln!(f, "  map       {}", op.map)?;
        writeln!(f, "  op        {}", op.combine)?;
        writeln!(f, "  identity  {identity}")?;
        writeln!(f, "  finish    {}", op.finish)?;
        if op.order != Order::Fixed {
            writeln!(f, "  order     {}", op.order)?;
        }
        self.kernels.iter().try_for_each(|kernel| print_kernel(f, self, kernel))
    }
}

fn print_kernel(f: &mut fmt::Formatter<'_>, program: &Program, kernel: &Kernel) -> fmt::Result {
    let (block, tile) = (program.block, program.tile(kernel.reads));
    writeln!(f, "kernel {} reads {}, block {block}, tile {tile}", kernel.name, kernel.reads)?;
    kernel.steps.iter().try_for_each(|step| writeln!(f, "  {step}"))
}

fn join(values: &[crate::Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Fold(fold) => fold.fmt(f),
            Step::Combine(combine) => combine.fmt(f),
            Step::Grid(GridMedium::NextLaunch) => f.write_str("combine grid through the next launch"),
        }
    }
}

impl fmt::Display for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "fold thread: {} x {} items{}",
            self.units,
            self.width,
            unrolled(self.unrolled && self.units > 1)
        )
    }
}

impl fmt::Display for Combine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Combine { scope, items, tree, medium, .. } = self;
        write!(f, "combine {scope}: {items} items by {tree} through {medium}{}", unrolled(self.unrolled))
    }
}

fn unrolled(unrolled: bool) -> &'static str {
    if unrolled { ", unrolled" } else { "" }
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
        })
    }
}

impl fmt::Display for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Medium::Registers => "registers",
            Medium::Shuffle => "shuffle",
            Medium::Shared(Addressing::Modulo) => "shared memory, modulo addressing",
            Medium::Shared(Addressing::Sequential) => "shared memory, sequential addressing",
        })
    }
}

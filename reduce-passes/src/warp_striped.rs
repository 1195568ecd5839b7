//! `warp_striped`: the threads of a warp read neighbouring units, for an operator that does not commute.
//!
//! The load units of a warp lie in rows of 32, one for each thread. So a thread has one unit of each row, in an
//! accumulator of its own. Each row is combined over the warp, and then the rows are combined. Without this pass a
//! thread reads consecutive units. Neighbouring threads then read further apart, the more units there are, which takes
//! more requests for the same memory.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Spec, pass::Pass, program::Program};
//! # use reduce_dsl::parse;
//! # let spec = parse::text("op: |a, b| if b > a { b } else { a }, ty: f32, identity: f32::NEG_INFINITY", None).unwrap().spec;
//! # let naive = naive(&spec.operation, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let coarse = apply(apply(naive, Pass::plain("shuffle")).unwrap(), Pass::with("coarsen", 4)).unwrap();
//! assert_eq!(
//!     steps(&coarse)[..2],
//!     ["fold thread: 4 x 1 consecutive items", "combine warp: 32 items by pairs through shuffle"]
//! );
//! assert_eq!(
//!     steps(&apply(coarse, Pass::plain("warp_striped")).unwrap())[..3],
//!     [
//!         "fold thread: 4 x 1 items, each in a row of its warp",
//!         "combine warp: 32 items by pairs through shuffle",
//!         "combine warp: 4 items by pairs through registers"
//!     ]
//! );
//! ```
//!
//! Requires an operator that does not commute, and `shuffle` and `coarsen` of 2, 4 or 8 units before it. The kernel
//! over partials stays as it is, because partials are few.
//! Changes the association.

use crate::fold_mut;
use crate::rule::{Rewrite, Rule};
use reduce_ir::program::{Combine, Lowering, Medium, Program, Reads, Scope, Step, Tree};

/// The rule.
pub const RULE: Rule = Rule {
    name: "warp_striped",
    doc: "warps whose operator does not commute read their units side by side, and combine row after row",
    changes_association: true,
    rewrite: Rewrite::Plain(warp_striped),
    ..Rule::BASE
};

/// The most accumulators of a thread that stay in registers.
const MOST: u32 = 8;

fn warp_striped(mut program: Program) -> Result<Program, String> {
    if program.operation.commutative {
        let name = &program.operation.name;
        return Err(format!(
            "`{name}` commutes, so threads already read side by side; leave `warp_striped` out"
        ));
    }
    let kernel = &mut program.kernels[Reads::Inputs as usize];
    let units = kernel.fold().units().unwrap_or(1);
    let Some(warp) = kernel.steps.iter().position(is_warp_tree).filter(|_| (2..=MOST).contains(&units))
    else {
        return Err("rows are combined by shuffles, and each thread keeps 2 to 8 of them; write `shuffle` and `coarsen(2)`, \
                    `coarsen(4)` or `coarsen(8)` before `warp_striped`"
            .to_owned());
    };
    if !units.is_power_of_two() {
        return Err(format!(
            "{units} rows do not combine in pairs; write `coarsen(2)`, `coarsen(4)` or `coarsen(8)`"
        ));
    }
    fold_mut(kernel).into_iter().for_each(|fold| fold.in_rows = true);
    kernel.steps.insert(warp + 1, Step::Combine(tree(units)));
    Ok(program)
}

fn is_warp_tree(step: &Step) -> bool {
    matches!(step, Step::Combine(Combine { scope: Scope::Warp, .. }))
}

/// Returns the tree over the rows of a warp.
fn tree(items: u32) -> Combine {
    let (scope, medium) = (Scope::Warp, Medium::Registers);
    Combine { scope, items, tree: Tree::Pairs, medium, lowering: Lowering::Loop, last_warp: false }
}

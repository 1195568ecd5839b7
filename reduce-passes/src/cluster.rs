//! `cluster(k)`: neighbouring blocks combine their accumulators first.
//!
//! Every `k` neighbouring blocks of the kernel over inputs form a cluster. They combine their accumulators in the
//! shared memory of its first block. A cluster leaves one partial, or the result if all elements fit it, without global
//! memory in between. Grids are multiples of the cluster. Blocks without elements take part and contribute nothing.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |kernel: usize, program: &Program| program.kernels[kernel].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(
//!     steps(0, &apply(naive, Pass::with("cluster", 8)).unwrap())[2],
//!     "combine cluster: 8 items by halving through distributed shared memory"
//! );
//! ```
//!
//! Requires an architecture with clusters, sm_90 or newer. For elements that fit one cluster, the association stays the
//! same if the kernel over partials halves as well.
//! Changes the association.

use crate::rule::{Argument, Rewrite, Rule};
use crate::{joining, tree_of};
use reduce_ir::program::{Combine, Lowering, Medium, Program, Reads, Scope, Step};

/// The rule.
pub const RULE: Rule = Rule {
    name: "cluster",
    doc: "k neighbouring blocks combine through distributed shared memory; needs sm_90",
    changes_association: true,
    rewrite: Rewrite::With(
        Argument { allowed: |k| matches!(k, 2 | 4 | 8 | 16), text: "2, 4, 8 or 16" },
        cluster,
    ),
    is_of_one_group: true,
    ..Rule::BASE
};

fn cluster(mut program: Program, blocks: u32) -> Result<Program, String> {
    let tree = tree_of(&program);
    let meeting = Combine {
        scope: Scope::Cluster,
        items: blocks,
        tree,
        medium: Medium::Distributed,
        lowering: Lowering::Loop,
        last_warp: false,
    };
    let meeting = joining(&program, meeting);
    let steps = &mut program.kernels[Reads::Inputs as usize].steps;
    let exchange = steps.iter().position(|step| matches!(step, Step::Exchange(_))).unwrap_or(steps.len());
    steps.insert(exchange, Step::Combine(meeting));
    Ok(program)
}

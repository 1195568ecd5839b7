//! `beside(k)`: k neighbouring groups share a block, with neighbouring threads.
//!
//! For groups whose first elements lie side by side, such as the columns of a row-major matrix: neighbouring threads then
//! read neighbouring elements. Several threads share a group. Each evaluates the *logical* threads whose number in the
//! last levels of the tree is its own, and they combine through shared memory. So the bits stay the same.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Domain, Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! let rows = Program { domain: Domain::ROWS, ..naive };
//! let program = apply(rows, Pass::with("beside", 32)).unwrap();
//! assert_eq!(program.kernels[0].team.to_string(), "grid of 8 logical threads each beside 32");
//! assert_eq!(program.threads(program.kernels[0].reads), 1024);
//! ```
//!
//! Requires several groups. Never changes the association.

use crate::{Argument, Exclusion, Others, Rewrite, Rule, combines_mut};
use reduce_ir::program::{Lowering, Medium, Program, Reads};

/// The rule.
pub const RULE: Rule = Rule {
    name: "beside",
    doc: "k neighbouring groups share a block, with neighbouring threads",
    excludes: &[Exclusion {
        others: Others::Named(&[
            "serial",
            "in_place",
            "grid_stride",
            "warp_striped",
            "cluster",
            "ticket",
            "flag",
            "atomic",
        ]),
        why: "the threads of a warp have groups of their own",
    }],
    is_last: true,
    rewrite: Rewrite::With(
        Argument { allowed: |k| matches!(k, 4 | 8 | 16 | 32 | 64 | 128), text: "4, 8, 16, 32, 64 or 128" },
        beside,
    ),
    ..Rule::BASE
};

/// The bytes of shared memory that accumulators may take.
const SHARED: usize = 32 << 10;

/// The threads of a block that has a whole group, and of one that has a tile of a longer group: long tiles are few, and need more
/// threads. There are fewer if the association has not enough, or if accumulators do not fit.
const THREADS: u32 = 256;
const THREADS_OF_A_TILE: u32 = 1024;

fn beside(program: Program, groups: u32) -> Result<Program, String> {
    if !program.domain.is_grouped() {
        return Err("there is one group; write `axes` that keep an axis".to_owned());
    }
    let (reached, _) = program.reached(Reads::Inputs);
    let threads = if program.up_to.is_some_and(|n| n <= program.tile(Reads::Inputs)) {
        THREADS
    } else {
        THREADS_OF_A_TILE
    };
    let most = (threads / groups).min(reached / 2).max(1);
    let candidates = (0..=most.ilog2()).rev().map(|level| with_parts(&program, groups, 1 << level));
    let fits = |program: &Program| {
        program.values_beside(Reads::Inputs) as usize * program.operation.acc.size() <= SHARED
    };
    let Some(mut program) = candidates.into_iter().find(fits) else {
        return Err(
            "the accumulators of its groups do not fit shared memory; write a smaller number".to_owned()
        );
    };
    if program.threads(Reads::Inputs) < Program::WARP {
        return Err(format!("{groups} groups of so few elements do not fill a warp; write `team(thread)`"));
    }
    for combine in combines_mut(&mut program.kernels[Reads::Inputs as usize]) {
        (combine.medium, combine.lowering, combine.last_warp) = (Medium::Registers, Lowering::Loop, false);
    }
    Ok(program)
}

/// Returns the program in which so many threads share each group.
fn with_parts(program: &Program, groups: u32, parts: u32) -> Program {
    let mut program = program.clone();
    let team = &mut program.kernels[Reads::Inputs as usize].team;
    (team.logical, team.beside) = (program.block / parts, groups);
    program
}

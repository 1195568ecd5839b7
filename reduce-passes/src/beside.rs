//! `beside(w)`: 32 neighbouring groups share a block of w warps, one in each lane.
//!
//! For groups whose first elements lie side by side, such as the columns of a row-major matrix: the lanes of a warp then
//! read neighbouring elements at once. Each thread evaluates the *logical* threads of its group whose number in the last
//! levels of the tree is that of its warp. The warps combine through shared memory. So the bits stay the same.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Domain, Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! let rows = Program { domain: Domain::ROWS, ..naive };
//! let program = apply(rows, Pass::with("beside", 8)).unwrap();
//! assert_eq!(program.kernels[0].team.to_string(), "grid of 32 logical threads each beside 32");
//! assert_eq!(program.threads(program.kernels[0].reads), 256);
//! ```
//!
//! Requires several groups. Never changes the association.

use crate::{Argument, Exclusion, Others, Rewrite, Rule, combines_mut};
use reduce_ir::program::{Lowering, Medium, Program, Reads};

/// The rule.
pub const RULE: Rule = Rule {
    name: "beside",
    doc: "32 neighbouring groups share a block of w warps, one in each lane",
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
        why: "the lanes of a warp have groups of their own",
    }],
    is_last: true,
    rewrite: Rewrite::With(
        Argument { allowed: |w| matches!(w, 2 | 4 | 8 | 16 | 32), text: "2, 4, 8, 16 or 32" },
        beside,
    ),
    ..Rule::BASE
};

fn beside(mut program: Program, warps: u32) -> Result<Program, String> {
    if !program.domain.is_grouped() {
        return Err("there is one group; write `axes` that keep an axis".to_owned());
    }
    if program.block <= warps {
        return Err(format!(
            "a block of {} threads is too small for {warps} warps; write a smaller number",
            program.block
        ));
    }
    let logical = program.block / warps;
    let kernel = &mut program.kernels[Reads::Inputs as usize];
    (kernel.team.logical, kernel.team.beside) = (logical, Program::WARP);
    for combine in combines_mut(kernel) {
        (combine.medium, combine.lowering, combine.last_warp) = (Medium::Registers, Lowering::Loop, false);
    }
    Ok(program)
}

//! `serial_tail`: one thread combines the last levels of a tree in its registers.
//!
//! The warps of a block leave their accumulators in shared memory, and so do the blocks of a cluster. One thread loads
//! them by a few wide loads and combines them in its registers, four at once. Each level takes the time of one
//! operation. Through shuffles it takes six times that. The tree stays the same.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let sum = operator("sum").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&sum, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let shuffled = apply(naive, Pass::plain("shuffle")).unwrap();
//! assert_eq!(steps(&shuffled)[2], "combine block: 8 items by halving through shuffle");
//! assert_eq!(steps(&apply(shuffled, Pass::plain("serial_tail")).unwrap())[2], "combine block: 8 items by halving in one thread");
//! ```
//!
//! Requires `shuffle` or `cluster` before it, and a fill for absent items that is neutral bit for bit.
//! Never changes the association.

use crate::combines_mut;
use crate::rule::{Rewrite, Rule};
use reduce_ir::program::{Combine, Lowering, Medium, Program, Scope};

/// The rule.
pub const RULE: Rule = Rule {
    name: "serial_tail",
    doc: "one thread combines the accumulators of warps, or of a cluster's blocks, in its registers",
    changes_association: false,
    joining: Some(joining),
    rewrite: Rewrite::Plain(serial_tail),
    ..Rule::BASE
};

fn serial_tail(mut program: Program) -> Result<Program, String> {
    if program.operation.fill.is_none() {
        let name = &program.operation.name;
        return Err(format!(
            "`{name}` has no bit-exact neutral accumulator for absent items; leave `serial_tail` out"
        ));
    }
    if !program.kernels.iter().any(|kernel| kernel.combines().any(takes)) {
        return Err(
            "there are no warp results for one thread to combine; write `shuffle`, with more than 32 threads, \
                    or `cluster` before `serial_tail`"
                .to_owned(),
        );
    }
    let combines = program.kernels.iter_mut().flat_map(combines_mut);
    combines.filter(|combine| takes(**combine)).for_each(|combine| combine.raise(Lowering::SerialTail));
    Ok(program)
}

/// Lowers a combination in the same way, if one thread can have all of its items.
fn joining(_: &Program, combine: &mut Combine) {
    if takes(*combine) {
        combine.raise(Lowering::SerialTail);
    }
}

/// Returns whether one thread can have all items of a combination.
fn takes(combine: Combine) -> bool {
    match combine.medium {
        Medium::Shuffle => combine.scope == Scope::Block,
        Medium::Distributed => true,
        Medium::Registers | Medium::Shared(_) | Medium::Global(_) => false,
    }
}

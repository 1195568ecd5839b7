//! `redux`: trees over warps become one instruction.
//!
//! The instruction `redux.sync` combines 32 integers and gives the result to all threads, where a tree takes five
//! shuffles. It computes sums and bitwise operations of integers, and minima and maxima. For these, floats become
//! integers in the same order. Positions take two instructions ([`reduce_ir::redux`]). The order in which it combines
//! never changes the result.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let shuffled = apply(naive, Pass::plain("shuffle")).unwrap();
//! assert_eq!(steps(&shuffled)[1], "combine warp: 32 items by halving through shuffle");
//! assert_eq!(steps(&apply(shuffled, Pass::plain("redux")).unwrap())[1], "combine warp: 32 items through redux.sync");
//! ```
//!
//! Requires `shuffle` before it, and an operation that the hardware has, on at most 32 bits. Positions require
//! `narrow_index` before it.
//! Never changes the association.

use crate::combines_mut;
use crate::narrow::narrowed;
use crate::rule::{Rewrite, Rule};
use reduce_ir::program::{Combine, Lowering, Medium, Program};
use reduce_ir::redux::Redux;

/// The rule.
pub const RULE: Rule = Rule {
    name: "redux",
    doc: "trees over warps become one instruction, for integers, extremes and positions; needs sm_80",
    changes_association: false,
    joining: Some(joining),
    rewrite: Rewrite::Plain(redux),
    ..Rule::BASE
};

fn redux(mut program: Program) -> Result<Program, String> {
    if Redux::of(&program.operation).is_none() {
        let name = &program.operation.name;
        if narrowed(&program.operation).is_some_and(|narrow| Redux::of(&narrow).is_some()) {
            return Err(
                "the instruction takes positions of 32 bits; write `narrow_index` before `redux`".to_owned()
            );
        }
        return Err(format!(
            "`{name}` is not an order-independent sum of integers, minimum, maximum or position of at most 32 bits; \
             leave `redux` out"
        ));
    }
    if !program.kernels.iter().any(|kernel| kernel.combines().any(|it| it.medium == Medium::Shuffle)) {
        return Err("only trees over warps become one instruction; write `shuffle` before `redux`".to_owned());
    }
    let combines = program.kernels.iter_mut().flat_map(combines_mut);
    combines.filter(|combine| is_of_warps(combine)).for_each(|combine| combine.raise(Lowering::WarpReduce));
    Ok(program)
}

/// Lowers a combination to one instruction, if there is one.
fn joining(program: &Program, combine: &mut Combine) {
    if is_of_warps(combine) && Redux::of(&program.operation).is_some() {
        combine.raise(Lowering::WarpReduce);
    }
}

fn is_of_warps(combine: &Combine) -> bool {
    matches!(combine.medium, Medium::Shuffle | Medium::Distributed)
}

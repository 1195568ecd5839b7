//! `atomic`: the blocks combine their accumulators into one.
//!
//! Each block combines its accumulator into one accumulator in the workspace, by an atomic. One thread then computes
//! the result from it. Blocks come in any order, so a float sum requires `order: any`. An atomic sum of `f32` in global
//! memory flushes subnormals under any compiler flags (PTX ISA, `atom.add.f32`). The error of each is less than 2⁻¹²⁶.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(steps(&apply(naive, Pass::plain("atomic")).unwrap()).last().unwrap(), "combine grid through an atomic");
//! ```
//!
//! Requires an operator that commutes, with a neutral accumulator, on one scalar of 4 or 8 bytes.
//! Changes the association.

use super::serial;
use crate::ordered;
use crate::rule::{Exclusion, Others, Rewrite, Rule};
use reduce_ir::operation::Order;
use reduce_ir::program::{Exchange, Program, Reads, Step};

/// The rule.
pub const RULE: Rule = Rule {
    name: "atomic",
    doc: "each block combines its accumulator into one with an atomic; needs `order: any` if the order changes the bits",
    changes_association: true,
    excludes: &[Exclusion {
        others: Others::Named(&["cluster", "one_block", "ticket", "flag"]),
        why: "`atomic` combines all blocks into one accumulator",
    }],
    rewrite: Rewrite::Plain(atomic),
    is_of_one_group: true,
    ..Rule::BASE
};

/// The alternative that keeps the blocks in order.
const INSTEAD: &str = "leave it out: the next launch takes the blocks in order";

fn atomic(mut program: Program) -> Result<Program, String> {
    if let Some(reason) = ordered(&program, INSTEAD).or_else(|| unfit(&program)) {
        return Err(reason);
    }
    for step in program.kernels[Reads::Inputs as usize]
        .steps
        .iter_mut()
        .filter(|step| matches!(step, Step::Exchange(_)))
    {
        *step = Step::Exchange(Exchange::Atomic);
    }
    serial::alone(&mut program.kernels[Reads::Partials as usize]);
    Ok(program)
}

/// Returns the reason why an atomic cannot update the accumulator, if it cannot.
fn unfit(program: &Program) -> Option<String> {
    let operation = &program.operation;
    let (name, acc) = (&operation.name, &operation.acc);
    if operation.fill.is_none() {
        return Some(format!(
            "`{name}` has no neutral accumulator that its blocks could start from; leave `atomic` out"
        ));
    }
    if !acc.is_scalar() || ![4, 8].contains(&acc.size()) {
        return Some(format!(
            "it takes one scalar of 4 or 8 bytes, and `{name}` accumulates {}; leave `atomic` out",
            acc.text()
        ));
    }
    (!operation.exact && operation.order == Order::Fixed).then(|| {
        format!(
            "blocks come in any order, which changes the bits of `{name}`; write `order: any` if that is fine"
        )
    })
}

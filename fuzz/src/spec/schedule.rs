//! Random schedules, of which a specification takes what is not refused.

use super::RandomSpec;
use crate::choices::Choices;
use reduce_codegen::Error;
use reduce_codegen::passes::PASSES;
use reduce_dsl::parse::{self, SpecError};
use reduce_ir::Spec;
use reduce_ir::pass::Pass;
use reduce_ir::spec::Listed;

/// A specification that has a program.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// As it was written, without the passes that are refused.
    pub text: String,
    /// What it says.
    pub spec: Spec,
    /// How many passes were refused.
    pub refused: usize,
}

impl RandomSpec {
    /// The specification without the passes that its operation refuses, in smaller blocks where it needs them.
    ///
    /// # Errors
    /// The text is refused: by its types, names or laws.
    pub fn scheduled(&self) -> Result<Scheduled, Box<SpecError>> {
        let (mut random, mut refused) = (self.clone(), 0);
        loop {
            let text = random.text();
            let spec = parse::text(&text, None).map_err(Box::new)?.spec;
            match reduce_codegen::compile(&spec) {
                Err(Error::Refused { index, .. }) => {
                    refused += 1;
                    let _ = random.passes.as_mut().map(|passes| passes.remove(index));
                }
                Err(Error::SharedMemory { .. }) if random.block != Some(32) => {
                    random.block = Some(random.block.unwrap_or(Spec::BLOCK) / 2);
                }
                // What is left is a bug, which whoever compiles the specification will see.
                Ok(_) | Err(_) => return Ok(Scheduled { text, spec, refused }),
            }
        }
    }
}

/// Threads per block and passes; neither is there with `auto`.
pub(super) fn random(choices: &mut Choices<'_>) -> (Option<u32>, Option<Vec<Pass>>) {
    if choices.once_in(4) {
        return (None, None);
    }
    let block = choices.below(4) > 0;
    let block = block.then(|| choices.pick(&[32, 64, 128, 256, 512, 1024]));
    let count = choices.below(7);
    (block, Some((0..count).map(|_| pass(choices)).collect()))
}

/// Any pass, with any argument that it may have; most often the first ones that kernels have.
fn pass(choices: &mut Choices<'_>) -> Pass {
    let word = PASSES[choices.below(PASSES.len())];
    // More, written out, would keep the compiler busy for minutes.
    let few = [0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 64];
    let allowed = |it: &u64| word.argument().is_none_or(|rule| (rule.allowed)(*it));
    let arguments: Vec<u64> = few.into_iter().filter(allowed).collect();
    let argument = choices.pick(&arguments);
    word.with(if word.words().is_empty() { argument } else { argument % word.words().len() as u64 })
        .unwrap_or(Pass::plain("shuffle"))
}

/// `, passes: [shuffle, coarsen(4)]`; `auto` need not be written.
pub(super) fn passes(passes: Option<&[Pass]>) -> String {
    passes.map_or_else(String::new, |passes| format!(", passes: {}", Listed(passes)))
}

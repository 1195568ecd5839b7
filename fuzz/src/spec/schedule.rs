//! Random schedules, reduced to the passes that a specification accepts.

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
    /// The fields and the schedule, without the passes that are refused.
    pub random: RandomSpec,
    /// The text, without the passes that are refused.
    pub text: String,
    /// The parsed text.
    pub spec: Spec,
    /// The number of passes that were refused.
    pub refused: usize,
}

impl RandomSpec {
    /// Removes the passes that the operation refuses, and makes the blocks smaller where it needs them smaller.
    ///
    /// # Errors
    /// Returns the parser's error: the types, names or laws are wrong.
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
                // Any other error is a bug, which the caller finds when it compiles the specification.
                Ok(_) | Err(_) => return Ok(Scheduled { random, text, spec, refused }),
            }
        }
    }
}

/// Chooses threads per block and passes. `auto` has neither.
pub(super) fn random(choices: &mut Choices<'_>) -> (Option<u32>, Option<Vec<Pass>>) {
    if choices.once_in(4) {
        return (None, None);
    }
    let block = choices.below(4) > 0;
    let block = block.then(|| choices.pick(&[32, 64, 128, 256, 512, 1024]));
    let count = choices.below(7);
    (block, Some((0..count).map(|_| pass(choices)).collect()))
}

/// Chooses any pass, with an argument that it allows.
fn pass(choices: &mut Choices<'_>) -> Pass {
    let word = PASSES[choices.below(PASSES.len())];
    // Larger arguments, written out, would keep the compiler busy for minutes.
    let few = [0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 64];
    let allowed = |it: &u64| word.argument().is_none_or(|rule| (rule.allowed)(*it));
    let arguments: Vec<u64> = few.into_iter().filter(allowed).collect();
    let argument = choices.pick(&arguments);
    word.with(if word.words().is_empty() { argument } else { argument % word.words().len() as u64 })
        .unwrap_or(Pass::plain("shuffle"))
}

/// Adds the pass that says which threads share a group, after the passes that it needs.
pub(super) fn add_team(choices: &mut Choices<'_>, block: &mut Option<u32>, passes: &mut Vec<Pass>) {
    let team = match choices.below(8) {
        0 | 1 => Pass::of_word("team", choices.pick(&["thread", "warp", "block"])),
        2 | 3 => {
            *block = Some(32);
            Pass::with("subwarp", choices.pick(&[2, 4, 8, 16]))
        }
        _ => Pass::with("beside", choices.pick(&[4, 8, 16, 32, 64, 128])),
    };
    if team.name != "beside" {
        passes.insert(0, Pass::plain("shuffle"));
    }
    passes.push(team);
}

/// Returns `, passes: [shuffle, coarsen(4)]`, or nothing for `auto`, the default.
pub(super) fn passes(passes: Option<&[Pass]>) -> String {
    passes.map_or_else(String::new, |passes| format!(", passes: {}", Listed(passes)))
}

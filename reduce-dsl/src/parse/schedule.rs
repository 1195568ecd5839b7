//! The fields `block` and `passes`: the schedule.

use super::diagnostic::{Errors, spelled};
use super::fields::{Argument, Fields, Word};
use super::names;
use reduce_ir::pass::Pass;
use reduce_ir::spec::Passes;
use reduce_passes::{Rule, named};

/// Reads the number of threads per block, if it is written.
pub(super) fn block(fields: &Fields, errors: &mut Errors) -> Option<Option<u32>> {
    let Some(written) = &fields.block else { return (!fields.has("block")).then_some(None) };
    let block = written.base10_parse::<u32>().ok();
    let block = block.filter(|block| (32..=1024).contains(block) && block.is_power_of_two());
    if block.is_none() {
        errors.add(written.span(), "a block has 32, 64, 128, 256, 512 or 1024 threads");
    }
    block.map(Some)
}

/// Reads the schedule; the default is `auto`.
pub(super) fn passes(fields: &Fields, errors: &mut Errors) -> Option<Passes> {
    let Some(schedule) = &fields.passes else { return (!fields.has("passes")).then_some(Passes::Auto) };
    let Some(words) = &schedule.passes else { return Some(Passes::Auto) };
    let passes: Vec<_> = words.iter().map(|word| pass(word, errors)).collect();
    passes.into_iter().collect::<Option<_>>().map(Passes::List)
}

fn pass(word: &Word, errors: &mut Errors) -> Option<Pass> {
    let name = word.name.to_string();
    if name == "auto" {
        errors
            .add(word.place, "`auto` is not a pass; it chooses the whole list")
            .help("write `passes: auto`");
        return None;
    }
    let Some(row) = named(&name) else {
        names::unknown("pass", &word.name, &names::passes(), errors);
        return None;
    };
    let is_plain = row.argument().is_none() && row.words().is_empty();
    let argument = word.argument.as_ref().filter(|argument| is_plain || !argument.tokens.is_empty());
    let takes = row.takes();
    let (message, place) = match argument {
        None if is_plain => return row.with(0),
        None => {
            let example = row.words().first().unwrap_or(&"4");
            (format!("`{name}` takes {takes}, as in `{name}({example})`"), word.place)
        }
        Some(argument) if is_plain => (format!("`{name}` takes no argument"), argument.place),
        Some(argument) => match with_argument(row, argument) {
            Some(pass) => return Some(pass),
            None => (format!("`{name}` takes {takes}, not {}", spelled(&argument.tokens)), argument.place),
        },
    };
    errors.add(place, message);
    None
}

fn with_argument(row: &Rule, argument: &Argument) -> Option<Pass> {
    if row.words().is_empty() {
        let number = syn::parse2::<syn::LitInt>(argument.tokens.clone()).ok()?;
        return row.with(number.base10_parse().ok()?);
    }
    row.with_word(&syn::parse2::<syn::Ident>(argument.tokens.clone()).ok()?.to_string())
}

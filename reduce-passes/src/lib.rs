//! The passes: pure functions from a program to a program, or to a reason for a refusal.
//!
//! Each pass is one file. It declares its [`Rule`] (name, argument, documentation, exclusions and rewriting) and is
//! listed in [`PASSES`]. `docs/guide/src/add-a-pass.md` shows how to add one. The passes that only the ladder of
//! textbook kernels uses are in [`textbook`].
//!
//! A pass is refused if the program already has it, or has a pass that excludes it. A pass that needs another pass
//! before it, or must be the last, says so. All other passes commute.
#![forbid(unsafe_code)]

pub mod beside;
pub mod cluster;
pub mod coarsen;
pub mod dependent;
pub mod flag;
pub mod lanes;
pub mod logical;
mod narrow;
pub mod narrow_index;
pub mod one_block;
pub mod redux;
mod rule;
pub mod serial_tail;
pub mod shuffle;
mod steps;
pub mod streaming;
pub mod subwarp;
pub mod team;
pub mod ticket;
pub mod trigger;
pub mod unroll;
pub mod vectorize;
pub mod warp_striped;
pub mod textbook {
    //! The passes that only the ladder uses, for kernels as in textbooks.

    mod addressing;
    pub mod atomic;
    pub mod bitmask;
    pub mod grid_stride;
    pub mod in_place;
    pub mod last_warp;
    pub mod sequential;
    pub mod serial;
    pub mod strided_index;
    pub mod swizzle;
}

pub use narrow::narrowed;
pub use rule::{Argument, Exclusion, Others, Rewrite, Rule};
use steps::{combines_mut, fold_mut, joining, ordered, tree_of};

use reduce_ir::pass::Pass;
use reduce_ir::program::Program;

/// The passes, in the order in which a kernel usually grows.
pub const PASSES: [Rule; 29] = [
    textbook::serial::RULE,
    textbook::in_place::RULE,
    textbook::bitmask::RULE,
    textbook::strided_index::RULE,
    textbook::swizzle::RULE,
    textbook::sequential::RULE,
    textbook::last_warp::RULE,
    shuffle::RULE,
    coarsen::RULE,
    textbook::grid_stride::RULE,
    unroll::RULE,
    vectorize::RULE,
    lanes::RULE,
    warp_striped::RULE,
    streaming::RULE,
    narrow_index::RULE,
    redux::RULE,
    serial_tail::RULE,
    textbook::atomic::RULE,
    cluster::RULE,
    team::RULE,
    subwarp::RULE,
    logical::RULE,
    beside::RULE,
    one_block::RULE,
    ticket::RULE,
    flag::RULE,
    dependent::RULE,
    trigger::RULE,
];

/// Returns the pass of that name.
pub fn named(name: &str) -> Option<&'static Rule> {
    static ALL: [Rule; PASSES.len()] = PASSES;
    ALL.iter().find(|rule| rule.name == name)
}

/// Rewrites a program by a pass, and adds the pass to the program's list.
///
/// # Errors
/// The reason why the pass does not apply, and what to write instead.
pub fn rewrite(program: Program, pass: Pass) -> Result<Program, String> {
    let name = pass.name;
    let rule = named(name).ok_or_else(|| format!("there is no pass `{name}`; leave it out"))?;
    if program.passes.iter().any(|done| done.name == name) {
        return Err(format!("`{name}` is in the list already; write it once"));
    }
    // The argument comes first: a pass with a wrong argument excludes nothing.
    if let Some(reason) =
        rule.refuses_argument(pass.argument).or_else(|| excluded(&program.passes, pass, rule))
    {
        return Err(reason);
    }
    let needs_tree = |done: &&Pass| named(done.name).is_some_and(|rule| rule.is_last);
    if let Some(last) = program.passes.iter().find(needs_tree).filter(|_| !rule.is_last) {
        return Err(format!("`{last}` needs the finished tree; write `{name}` before `{}`", last.name));
    }
    if rule.is_of_one_group && program.domain.is_grouped() {
        return Err(format!(
            "its blocks meet in one result, and `axes` keep several; leave `{name}` or `axes` out"
        ));
    }
    let mut rewritten = rule.apply(program, pass.argument)?;
    rewritten.passes.push(pass);
    Ok(rewritten)
}

/// Returns the reason why the pass and a pass of the program exclude each other, if they do.
fn excluded(passes: &[Pass], pass: Pass, rule: &Rule) -> Option<String> {
    let why = |done: &Pass| named(done.name)?.excludes(pass.name).or(rule.excludes(done.name));
    let (done, why) = passes.iter().find_map(|done| Some((done, why(done)?)))?;
    Some(format!("{why}; leave `{done}` or `{pass}` out"))
}

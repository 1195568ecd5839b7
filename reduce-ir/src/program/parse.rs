//! Parses the text of a program, as `{:#}` prints it, for a given operation.
//!
//! The functions of the operation are given and not parsed. Lines about them are optional, but must be the lines that the
//! operation prints. Everything else is parsed: passes, range, and the kernels with their steps.

use super::print::Head;
use super::{
    Addressing, Arrangement, Combine, Exchange, Fold, Hints, Kernel, Lowering, Medium, Program, Reads, Share,
    Size, Step, Team, Tree,
};
use crate::operation::Operation;
use crate::pass::{Argument, Pass};
use crate::statements::parse::cursor::Cursor;
use crate::statements::parse::words::{SCOPES, intern};
use crate::statements::parse::{ParseError, Parsed};
use crate::{Access, Domain};

impl Program {
    /// Parses a program of an operation.
    ///
    /// # Errors
    /// The first line that cannot be parsed, and the text that was expected. The rules of the verifier are not checked.
    pub fn parse(operation: &Operation, text: &str) -> Result<Program, ParseError> {
        let lines = text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
        let lines: Vec<_> = lines.map(|(index, text)| (index + 1, text)).collect();
        let at = lines.iter().position(|(_, text)| text.starts_with("kernel ")).unwrap_or(lines.len());
        let (head, kernels) = lines.split_at(at);
        let (domain, up_to, passes) = read_head(operation, head)?;
        let last = lines.last().map_or(1, |(number, _)| *number);
        let (block, kernels) = read_kernels(operation, kernels, last)?;
        let program = Program { operation: operation.clone(), domain, block, up_to, passes, kernels };
        check_tiles(&program, &lines[at..])
    }
}

/// A line with its number, counted from 1.
type Line<'a> = (usize, &'a str);

/// Reads the domain, the range and the passes.
fn read_head(operation: &Operation, lines: &[Line<'_>]) -> Parsed<(Domain, Option<u64>, Vec<Pass>)> {
    let known = Head(operation, Access::Contiguous).to_string();
    let (mut domain, mut up_to, mut passes) = (Domain::WHOLE, None, Vec::new());
    for &(number, text) in lines {
        if known.lines().any(|line| line == text) {
            continue;
        }
        match text.trim_start().split(' ').next() {
            Some("groups") => domain.kept = read_groups(Cursor::new(number, text)?)?,
            Some("layout") => domain.access = read_access(Cursor::new(number, text)?)?,
            Some("up") => up_to = Some(read_range(Cursor::new(number, text)?)?),
            Some("passes") => passes = read_passes(Cursor::new(number, text)?)?,
            _ => {
                let what =
                    "expected a line of the operation, `layout`, `groups`, `up to`, `passes` or `kernel`"
                        .to_owned();
                return Err(ParseError { line: number, what });
            }
        }
    }
    Ok((domain, up_to, passes))
}

/// Reads `groups rows`, or `groups 2 axes`.
fn read_groups(mut line: Cursor<'_>) -> Parsed<u8> {
    line.expect("groups")?;
    if line.accept("rows") {
        return line.end(Domain::ROWS.kept);
    }
    let kept = line.number()?;
    line.expect("axes")?;
    line.end(kept)
}

/// Reads `layout adjacent`, `layout strided`, or `layout strided over 2 axes beside`.
fn read_access(mut line: Cursor<'_>) -> Parsed<Access> {
    line.expect("layout")?;
    if line.accept("adjacent") {
        return line.end(Access::Adjacent);
    }
    line.expect("strided")?;
    let mut reduced = 1;
    if line.accept("over") {
        reduced = line.number()?;
        line.expect("axes")?;
    }
    let beside = line.beside()?;
    line.end(Access::Strided { reduced, beside })
}

/// Reads `up to 1024 elements`.
fn read_range(mut line: Cursor<'_>) -> Parsed<u64> {
    ["up", "to"].into_iter().try_for_each(|word| line.expect(word))?;
    let most = line.number()?;
    line.expect("elements")?;
    line.end(most)
}

/// Reads `passes [shuffle, coarsen(4)]`.
fn read_passes(mut line: Cursor<'_>) -> Parsed<Vec<Pass>> {
    ["passes", "["].into_iter().try_for_each(|word| line.expect(word))?;
    let mut passes = Vec::new();
    while !line.accept("]") {
        if !passes.is_empty() {
            line.expect(",")?;
        }
        let name = intern(line.word()?);
        let argument = if line.accept("(") { Some(read_argument(&mut line)?) } else { None };
        passes.push(Pass { name, argument });
    }
    line.end(passes)
}

/// Reads `4)`, or `warp)`.
fn read_argument(line: &mut Cursor<'_>) -> Parsed<Argument> {
    let word = line.word()?;
    let argument = word.parse().map_or_else(|_| Argument::Word(intern(word)), Argument::Number);
    line.expect(")").map(|()| argument)
}

/// Reads the threads per block, and both kernels.
fn read_kernels(operation: &Operation, lines: &[Line<'_>], last: usize) -> Parsed<(u32, Vec<Kernel>)> {
    let mut kernels: Vec<(u32, Kernel)> = Vec::new();
    for &(number, text) in lines {
        if text.starts_with("kernel ") {
            kernels.push(read_heading(Cursor::new(number, text)?)?);
        } else if let Some((_, kernel)) = kernels.last_mut() {
            kernel.steps.push(read_step(operation, number, text)?);
        }
    }
    let what = format!("a program has two kernels with equal blocks; found {} kernels", kernels.len());
    let kernels = <[_; 2]>::try_from(kernels).ok().filter(|[(one, _), (other, _)]| one == other);
    let [(block, inputs), (_, partials)] = kernels.ok_or(ParseError { line: last, what })?;
    Ok((block, vec![inputs, partials]))
}

/// Reads `kernel reduce_inputs reads inputs, team grid, block 256, tile 256, dependent, trigger`.
fn read_heading(mut line: Cursor<'_>) -> Parsed<(u32, Kernel)> {
    line.expect("kernel")?;
    let name = intern(line.name()?);
    line.expect("reads")?;
    let reads = line.one_of(&[Reads::Inputs, Reads::Partials])?;
    [",", "team"].into_iter().try_for_each(|word| line.expect(word))?;
    let team = read_team(&mut line)?;
    [",", "block"].into_iter().try_for_each(|word| line.expect(word))?;
    let block = line.number()?;
    [",", "tile"].into_iter().try_for_each(|word| line.expect(word))?;
    line.number::<u64>()?;
    let dependent = flag(&mut line, "dependent");
    let trigger = flag(&mut line, "trigger");
    line.end((block, Kernel { name, reads, team, dependent, trigger, steps: Vec::new() }))
}

/// Reads `warp of 8 logical threads each`, or `grid of at most 4 blocks`.
fn read_team(line: &mut Cursor<'_>) -> Parsed<Team> {
    let sizes = [Size::Thread, Size::Warp, Size::Block, Size::Cluster, Size::Grid { most: None }];
    let mut team = if let Some(lanes) = line.optional()? {
        line.expect("lanes")?;
        Team { size: Size::Lanes(lanes), ..Team::BLOCK }
    } else {
        line.phrase_of(&sizes.map(|size| Team { size, ..Team::BLOCK }))?
    };
    if team.is_grid() && line.accept_all(&["of", "at", "most"]) {
        team.size = Size::Grid { most: Some(line.number()?) };
        several(line, "block")?;
    }
    if line.accept("of") {
        team.logical = line.number()?;
        ["logical", "threads", "each"].into_iter().try_for_each(|word| line.expect(word))?;
    }
    if line.accept("beside") {
        team.beside = line.number()?;
    }
    Ok(team)
}

fn read_step(operation: &Operation, number: usize, text: &str) -> Parsed<Step> {
    let whole = [
        Step::Keep,
        Step::Exchange(Exchange::Atomic),
        Step::Exchange(Exchange::NextLaunch),
        Step::Exchange(Exchange::LastBlock { flags: false }),
        Step::Exchange(Exchange::LastBlock { flags: true }),
    ];
    if let Some(step) = whole.into_iter().find(|step| step.to_string() == text.trim()) {
        return Ok(step);
    }
    let mut line = Cursor::new(number, text)?;
    match line.word()? {
        "fold" => read_fold(line).map(Step::Fold),
        "combine" => read_combine(operation, line).map(Step::Combine),
        word => line.error(format!("unknown step `{word}`; expected `fold`, `combine` or `keep`")),
    }
}

/// Reads `thread: 4 x 1 items`, or `thread: everything, units of 1 item`, and its properties.
fn read_fold(mut line: Cursor<'_>) -> Parsed<Fold> {
    ["thread", ":"].into_iter().try_for_each(|word| line.expect(word))?;
    let mut fold = if line.accept("everything") { read_rest(&mut line)? } else { read_units(&mut line)? };
    let lanes = if line.accept("in") { Some(line.number()?) } else { None };
    lanes.map_or(Ok(()), |_| several(&mut line, "lane"))?;
    fold.lanes = match fold.arrangement {
        Arrangement::Striped => lanes.unwrap_or(fold.width),
        Arrangement::Blocked => 1,
    };
    if line.accept_all(&[",", "each", "in", "a", "row", "of", "its", "warp"]) {
        (fold.arrangement, fold.in_rows, fold.lanes) = (Arrangement::Blocked, true, 1);
    }
    for hint in Hints::ALL {
        *(hint.field)(&mut fold.hints) = flag(&mut line, hint.text);
    }
    line.end(fold)
}

/// Reads `4 x 1 items`.
fn read_units(line: &mut Cursor<'_>) -> Parsed<Fold> {
    let share = Share::Units(line.number()?);
    line.expect("x")?;
    let width = line.number()?;
    let blocked = line.accept("consecutive");
    line.expect("items")?;
    let arrangement = if blocked { Arrangement::Blocked } else { Arrangement::Striped };
    Ok(Fold { share, width, arrangement, ..Fold::NAIVE })
}

/// Reads `, units of 1 item`, or `, consecutive runs`.
fn read_rest(line: &mut Cursor<'_>) -> Parsed<Fold> {
    let rest = Fold { share: Share::Rest, ..Fold::NAIVE };
    line.expect(",")?;
    if line.accept_all(&["consecutive", "runs"]) {
        return Ok(Fold { arrangement: Arrangement::Blocked, ..rest });
    }
    ["units", "of"].into_iter().try_for_each(|word| line.expect(word))?;
    let width = line.number()?;
    several(line, "item")?;
    Ok(Fold { width, ..rest })
}

/// Reads `block: 256 items by halving through shared memory, sequential addressing`.
fn read_combine(operation: &Operation, mut line: Cursor<'_>) -> Parsed<Combine> {
    let scope = line.one_of(&SCOPES)?;
    line.expect(":")?;
    let items = line.number()?;
    several(&mut line, "item")?;
    // If the text names no tree, it is the tree that passes give the operator.
    let default = if operation.commutative { Tree::Halving } else { Tree::Pairs };
    let trees = [Tree::Serial, Tree::Halving, Tree::Pairs, Tree::Any];
    let tree = if line.accept("by") { line.phrase_of(&trees)? } else { default };
    let mut combine =
        Combine { scope, items, tree, medium: Medium::Shuffle, lowering: Lowering::Loop, last_warp: false };
    if line.accept_all(&["in", "one", "thread"]) {
        return line.end(Combine { lowering: Lowering::SerialTail, ..combine });
    }
    line.expect("through")?;
    if line.accept_all(&["redux", ".", "sync"]) {
        let cluster = scope == super::Scope::Cluster;
        combine.medium = if cluster { Medium::Distributed } else { Medium::Shuffle };
        return line.end(Combine { lowering: Lowering::WarpReduce, ..combine });
    }
    combine.medium = line.phrase_of(&media())?;
    combine.last_warp = line.accept_all(&[",", "last", "warp", "by", "itself"]);
    combine.lowering = read_lowering(&mut line);
    line.end(combine)
}

/// Returns every medium.
fn media() -> Vec<Medium> {
    let addressed = Addressing::ALL.into_iter().flat_map(|it| [Medium::Shared(it), Medium::Global(it)]);
    [Medium::Registers, Medium::Shuffle, Medium::Distributed].into_iter().chain(addressed).collect()
}

/// Reads `, unrolled`, `, in one thread`, or nothing.
fn read_lowering(line: &mut Cursor<'_>) -> Lowering {
    if flag(line, "unrolled") {
        Lowering::Unrolled
    } else if line.accept_all(&[",", "in", "one", "thread"]) {
        Lowering::SerialTail
    } else {
        Lowering::Loop
    }
}

/// Skips a comma and that word, if they are next.
fn flag(line: &mut Cursor<'_>, word: &str) -> bool {
    line.accept_all(&[",", word])
}

/// Reads `item` or `items`.
fn several(line: &mut Cursor<'_>, word: &str) -> Parsed<()> {
    if line.accept(word) { Ok(()) } else { line.expect(&format!("{word}s")) }
}

/// Returns the program, if the tiles in the headings follow from its steps.
fn check_tiles(program: &Program, lines: &[Line<'_>]) -> Parsed<Program> {
    let headings = lines.iter().filter(|(_, text)| text.starts_with("kernel "));
    for (&(line, text), kernel) in headings.zip(&program.kernels) {
        let tile = program.tile(kernel.reads);
        if !text.split(", ").any(|part| part == format!("tile {tile}")) {
            return Err(ParseError {
                line,
                what: format!("the tile does not match the steps; write `tile {tile}`"),
            });
        }
    }
    Ok(program.clone())
}

//! Parses the parts of statements that contain no names.

use super::cursor::Cursor;
use super::{Parsed, words};
use crate::statements::{Barrier, FULL, Part, Stmt, Unroll};

/// Reads `part: text`, after `--`.
pub(super) fn note(line: &Cursor<'_>, text: &str) -> Parsed<Stmt> {
    let note = text.trim_start().split_once(": ").and_then(|(part, text)| {
        let part = words::PARTS.into_iter().find(|it: &Part| it.to_string() == part)?;
        Some(Stmt::Note(part, text.to_owned()))
    });
    note.map_or_else(|| line.error("expected a remark, as in `-- part: text`, with a part of a kernel"), Ok)
}

/// Reads `launch`, after `await` or `trigger`.
pub(super) fn launch(mut line: Cursor<'_>, stmt: Stmt) -> Parsed<Stmt> {
    line.expect("launch")?;
    line.end(stmt)
}

pub(super) fn barrier(mut line: Cursor<'_>) -> Parsed<Stmt> {
    let barrier = match line.word()? {
        "warp" => Barrier::Warp(mask(&mut line)?),
        "block" => Barrier::Block,
        "cluster" => Barrier::Cluster,
        other => {
            return line.error(format!("unknown barrier `{other}`; expected `warp`, `block` or `cluster`"));
        }
    };
    line.end(Stmt::Barrier(barrier))
}

/// Reads `, unrolled` or `, unrolled by 4`, or nothing.
pub(super) fn unroll(line: &mut Cursor<'_>) -> Parsed<Unroll> {
    if !line.accept(",") {
        return Ok(Unroll::Unsaid);
    }
    line.expect("unrolled")?;
    if line.accept("by") { line.number().map(Unroll::By) } else { Ok(Unroll::All) }
}

/// Reads `, mask 0x0000ffff`, or nothing for all lanes.
pub(super) fn mask(line: &mut Cursor<'_>) -> Parsed<u32> {
    if !line.accept(",") {
        return Ok(FULL);
    }
    line.expect("mask")?;
    line.number()
}

//! The lines of statements: the printer puts a mark before the text of each statement, and this module reads and removes them.
//!
//! A mark is the address of the statement between two control characters, which no emitted text contains.

use super::Lines;
use reduce_ir::statements::{LoweredKernel, Stmt};
use std::collections::HashMap;

const BEGIN: char = '\u{1}';
const END: char = '\u{2}';

/// Returns the text of a statement with its mark, after the blanks that it begins with.
pub(super) fn marked(marks: bool, stmt: &Stmt, text: String) -> String {
    if !marks {
        return text;
    }
    let blanks = text.len() - text.trim_start().len();
    format!("{}{}{}", &text[..blanks], mark(stmt), &text[blanks..])
}

/// Returns the marks of statements that one text stands for.
pub(super) fn marks<'s>(marks: bool, stmts: impl Iterator<Item = &'s Stmt>) -> String {
    if marks { stmts.map(mark).collect() } else { String::new() }
}

fn mark(stmt: &Stmt) -> String {
    format!("{BEGIN}{}{END}", address(stmt))
}

fn address(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt).addr()
}

/// Removes the marks. Returns the text, and for each kernel the line of each of its statements, counted from 0.
pub(super) fn read(marked: &str, kernels: &[LoweredKernel]) -> (String, Lines) {
    let (mut text, mut lines) = (String::with_capacity(marked.len()), HashMap::new());
    for (number, line) in marked.split_inclusive('\n').enumerate() {
        let mut parts = line.split(BEGIN);
        text += parts.next().unwrap_or_default();
        for part in parts {
            let (address, rest) = part.split_once(END).unwrap_or(("", part));
            let address: usize = address.parse().unwrap_or_default();
            lines.entry(address).or_insert(number);
            text += rest;
        }
    }
    let line = |stmt: &Stmt| lines.get(&address(stmt)).copied();
    let of_kernel = |kernel: &LoweredKernel| kernel.statements().into_iter().map(line).collect();
    (text, kernels.iter().map(of_kernel).collect())
}

//! Parses the declarations and statements of lists, of turns and of faults, in kernels over segments or keys.

use super::cursor::Cursor;
use super::words::intern;
use super::{Parsed, Reader};
use crate::statements::{Expr, List, Local, Stmt, Ty};

impl<'a> Reader<'a> {
    /// Reads `name: MOST`.
    pub(super) fn list(&mut self, mut line: Cursor<'a>) -> Parsed<List> {
        let name = intern(line.name()?);
        line.expect(":")?;
        let most = intern(line.name()?);
        self.names.lists.push(name);
        line.end(List { name, most })
    }

    /// Reads `local, local = expr`, all of type `u32`.
    fn two_numbers(&mut self, line: &mut Cursor<'a>) -> Parsed<([Local; 2], Expr)> {
        let first = Local::new(line.name()?, Ty::U32);
        line.expect(",")?;
        let second = Local::new(line.name()?, Ty::U32);
        line.expect("=")?;
        let value = self.names.expr(line, Some(Ty::U32))?;
        self.names.locals.extend([first.clone(), second.clone()]);
        Ok(([first, second], value))
    }

    /// Reads `clear list`, `append list, expr`, `length local = list`, `turn local, local = expr`,
    /// `ballot local = expr`, `prefix local, local = expr` or `fault expr`.
    pub(super) fn of_segments(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        match line.word()? {
            "clear" => {
                let list = self.names.list(&mut line)?;
                line.end(Stmt::Clear(list))
            }
            "append" => {
                let list = self.names.list(&mut line)?;
                line.expect(",")?;
                let value = self.names.expr(&mut line, Some(Ty::U32))?;
                line.end(Stmt::Append(list, value))
            }
            "length" => {
                let local = line.local()?;
                line.expect("=")?;
                let list = self.names.list(&mut line)?;
                self.names.locals.push(local.clone());
                line.end(Stmt::Length(local, list))
            }
            "turn" => {
                let ([turn, turns], value) = self.two_numbers(&mut line)?;
                line.end(Stmt::Turn { turn, turns, value })
            }
            "prefix" => {
                let ([before, total], value) = self.two_numbers(&mut line)?;
                line.end(Stmt::Prefix { before, total, value })
            }
            "ballot" => {
                let local = line.local()?;
                line.expect("=")?;
                let value = self.names.expr(&mut line, Some(Ty::BOOL))?;
                self.names.locals.push(local.clone());
                line.end(Stmt::Ballot(local, value))
            }
            _ => {
                let segment = self.names.expr(&mut line, Some(Ty::U64))?;
                line.end(Stmt::Fault(segment))
            }
        }
    }
}

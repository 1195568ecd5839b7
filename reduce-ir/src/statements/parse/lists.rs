//! Parses the declarations and statements of lists, of turns and of faults, in kernels over segments or keys.

use super::cursor::Cursor;
use super::words::intern;
use super::{Parsed, Reader};
use crate::statements::{List, Local, Stmt, Ty};

impl<'a> Reader<'a> {
    /// Reads `name: MOST`.
    pub(super) fn list(&mut self, mut line: Cursor<'a>) -> Parsed<List> {
        let name = intern(line.name()?);
        line.expect(":")?;
        let most = intern(line.name()?);
        self.names.lists.push(name);
        line.end(List { name, most })
    }

    /// Reads `clear list`, `append list, expr`, `length local = list`, `turn local, local = expr` or `fault expr`.
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
                let turn = Local::new(line.name()?, Ty::U32);
                line.expect(",")?;
                let turns = Local::new(line.name()?, Ty::U32);
                line.expect("=")?;
                let value = self.names.expr(&mut line, Some(Ty::U32))?;
                self.names.locals.extend([turn.clone(), turns.clone()]);
                line.end(Stmt::Turn { turn, turns, value })
            }
            _ => {
                let segment = self.names.expr(&mut line, Some(Ty::U64))?;
                line.end(Stmt::Fault(segment))
            }
        }
    }
}

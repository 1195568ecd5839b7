//! Parses the declarations and statements of lists and of faults, in kernels over segments.

use super::cursor::Cursor;
use super::words::intern;
use super::{Parsed, Reader};
use crate::statements::{List, Stmt, Ty};

impl<'a> Reader<'a> {
    /// Reads `name: MOST`.
    pub(super) fn list(&mut self, mut line: Cursor<'a>) -> Parsed<List> {
        let name = intern(line.name()?);
        line.expect(":")?;
        let most = intern(line.name()?);
        self.names.lists.push(name);
        line.end(List { name, most })
    }

    /// Reads `clear list`, `append list, expr`, `length local = list` or `fault expr`.
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
            _ => {
                let segment = self.names.expr(&mut line, Some(Ty::U64))?;
                line.end(Stmt::Fault(segment))
            }
        }
    }
}

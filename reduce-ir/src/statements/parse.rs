//! Reads the text of lowered kernels: what `print.rs` prints, one line a statement, two spaces a level.
//!
//! What is not printed is not read: a constant's formula is its value, and its note is empty. Names are
//! leaked, each once, since kernels hold them for as long as the process lives.

pub(crate) mod cursor;
mod expr;
mod phrases;
pub(crate) mod words;

use super::{Buffer, Constant, Expr, Local, Loop, LoweredKernel, Place, Shared, Stmt, Ty};
use crate::program::Reads;
use crate::{Access, Domain};
use cursor::{Cursor, lines};
use expr::Names;
use phrases::{barrier, launch, mask, note, unroll};
use words::intern;

/// Text that is no kernel, or no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What was found there, and what should be.
    pub what: String,
}

pub(crate) type Parsed<T> = Result<T, ParseError>;

impl LoweredKernel {
    /// Reads one kernel.
    ///
    /// # Errors
    /// The first line that cannot be read, and why. Types and the verifier's rules are not checked.
    pub fn parse(text: &str) -> Result<LoweredKernel, ParseError> {
        let mut kernels = LoweredKernel::parse_all(text)?;
        let count = kernels.len();
        let one = kernels.pop().filter(|_| count == 1);
        one.ok_or_else(|| ParseError { line: 1, what: format!("there are {count} kernels, not one") })
    }

    /// Reads kernels that stand one after the other.
    ///
    /// # Errors
    /// As [`LoweredKernel::parse`].
    pub fn parse_all(text: &str) -> Result<Vec<LoweredKernel>, ParseError> {
        let mut reader = Reader { lines: lines(text)?, at: 0, names: Names::default() };
        let mut kernels = Vec::new();
        while reader.line(0).is_some() {
            kernels.push(reader.kernel()?);
        }
        reader.nothing_left(kernels)
    }
}

/// The deepest that bodies and expressions can be nested.
const DEEPEST: usize = 64;

struct Reader<'a> {
    lines: Vec<Cursor<'a>>,
    /// The next line.
    at: usize,
    names: Names,
}

impl<'a> Reader<'a> {
    /// The next line, if it is at that depth.
    fn line(&self, depth: usize) -> Option<Cursor<'a>> {
        self.lines.get(self.at).filter(|line| line.depth == depth).cloned()
    }

    /// The next line, if it is at that depth and starts with that word: the line behind the word.
    fn line_of(&mut self, depth: usize, word: &str) -> Option<Cursor<'a>> {
        let mut line = self.line(depth)?;
        line.accept(word).then(|| {
            self.at += 1;
            line
        })
    }

    /// Gives what was read, if that was everything.
    fn nothing_left<T>(&self, read: T) -> Parsed<T> {
        match self.lines.get(self.at) {
            None => Ok(read),
            Some(line) => line.error(format!("{} spaces of indentation are too many", 2 * line.depth)),
        }
    }

    fn kernel(&mut self) -> Parsed<LoweredKernel> {
        let mut kernel = self.heading()?;
        self.names = Names::default();
        while let Some(line) = self.line_of(1, "const") {
            kernel.constants.push(self.constant(line)?);
        }
        while let Some(line) = self.line_of(1, "shared") {
            kernel.shared.push(self.shared(line)?);
        }
        kernel.body = self.body(1)?;
        Ok(kernel)
    }

    /// `kernel name reads inputs, block 256, cluster 2, streaming, dependent, strided, grouped`.
    fn heading(&mut self) -> Parsed<LoweredKernel> {
        let mut line = self.lines[self.at].clone();
        self.at += 1;
        line.expect("kernel")?;
        let name = intern(line.name()?);
        line.expect("reads")?;
        let reads = line.one_of(&[Reads::Inputs, Reads::Partials])?;
        line.expect(",")?;
        line.expect("block")?;
        let block = line.number()?;
        let (mut cluster, mut streaming, mut dependent, mut domain) = (1, false, false, Domain::WHOLE);
        while line.accept(",") {
            if line.accept("cluster") {
                cluster = line.number()?;
                if cluster == 0 {
                    return line.error("a cluster has at least one block");
                }
            } else if line.accept("grouped") {
                domain.kept = Domain::ROWS.kept;
            } else if line.accept("strided") {
                domain.access = Access::Strided;
            } else if line.accept("dependent") {
                dependent = true;
            } else {
                line.expect("streaming")?;
                streaming = true;
            }
        }
        let (constants, shared, body) = (Vec::new(), Vec::new(), Vec::new());
        line.end(LoweredKernel {
            name,
            reads,
            block,
            cluster,
            streaming,
            dependent,
            domain,
            constants,
            shared,
            body,
        })
    }

    /// `NAME = value`.
    fn constant(&mut self, mut line: Cursor<'a>) -> Parsed<Constant> {
        let name = intern(line.name()?);
        line.expect("=")?;
        let value: u32 = line.number()?;
        self.names.constants.push(name);
        line.end(Constant { name, value, formula: value.to_string(), note: String::new() })
    }

    /// `name: [acc; LENGTH]`, or `sent acc`.
    fn shared(&mut self, mut line: Cursor<'a>) -> Parsed<Shared> {
        let name = intern(line.name()?);
        [":", "["].into_iter().try_for_each(|it| line.expect(it))?;
        let sent = line.accept("sent");
        line.expect("acc")?;
        line.expect(";")?;
        let len = intern(line.name()?);
        line.expect("]")?;
        self.names.shared.push(name);
        line.end(Shared { name, len, sent })
    }

    /// The statements at that depth, up to the first line that is further out. Their names end with them.
    fn body(&mut self, depth: usize) -> Parsed<Vec<Stmt>> {
        let outside = self.names.locals.len();
        let mut stmts = Vec::new();
        while let Some(line) = self.line(depth) {
            if depth > DEEPEST {
                return line.error(format!("bodies can be nested {DEEPEST} deep"));
            }
            if line.peek() == Some("else") {
                break;
            }
            self.at += 1;
            stmts.push(self.stmt(line)?);
        }
        self.names.locals.truncate(outside);
        Ok(stmts)
    }

    fn stmt(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        if let Some(text) = line.note {
            return note(&line, text);
        }
        match line.word()? {
            "let" => self.named(line, Stmt::Let),
            "var" => self.named(line, Stmt::Var),
            "load" if line.accept("unaligned") => self.load(line, Stmt::LoadUnaligned),
            "load" => self.load(line, Stmt::Load),
            "store" => self.store(line, Stmt::Store),
            "post" => self.store(line, Stmt::Post),
            "take" => self.load(line, Stmt::Take),
            "expect" => self.expect(line),
            "send" => self.store(line, Stmt::Send),
            "receive" => {
                let array = self.array(&mut line)?;
                line.end(Stmt::Receive(array))
            }
            "shuffle" => self.shuffle(line),
            "redux" => self.redux(line),
            "barrier" => barrier(line),
            "arrive" => line.end(Stmt::Arrive),
            "wait" => line.end(Stmt::Wait),
            "vote" => self.named(line, Stmt::Vote),
            "exit" => line.end(Stmt::Exit),
            "fence" => {
                let (order, scope) = (line.order()?, line.scope()?);
                line.end(Stmt::Fence(order, scope))
            }
            "await" => launch(line, Stmt::AwaitLaunch),
            "trigger" => launch(line, Stmt::TriggerLaunch),
            "atomic" => self.atomic(line),
            "for" => self.counted(line),
            "if" => self.branch(line),
            name => self.set(line, name),
        }
    }

    /// `local = expr`, behind `let`, `var` or `vote`.
    fn named(&mut self, mut line: Cursor<'a>, stmt: fn(Local, Expr) -> Stmt) -> Parsed<Stmt> {
        let local = line.local()?;
        line.expect("=")?;
        let value = self.names.expr(&mut line, Some(local.ty))?;
        self.names.locals.push(local.clone());
        line.end(stmt(local, value))
    }

    fn set(&mut self, mut line: Cursor<'a>, name: &str) -> Parsed<Stmt> {
        if line.peek() != Some("=") {
            return line.error(format!("`{name}` begins no statement"));
        }
        line.expect("=")?;
        let Some(local) = self.names.local(name) else {
            return line.error(format!("`{name}` is not bound here"));
        };
        let value = self.names.expr(&mut line, Some(local.ty))?;
        line.end(Stmt::Set(local, value))
    }

    /// `local = place`, behind `load`, `load unaligned` or `take`.
    fn load(&mut self, mut line: Cursor<'a>, load: fn(Local, Place) -> Stmt) -> Parsed<Stmt> {
        let local = line.local()?;
        line.expect("=")?;
        let place = self.place(&mut line)?;
        self.names.locals.push(local.clone());
        line.end(load(local, place))
    }

    /// `place = expr`, behind `store`, `post` or `send`.
    fn store(&mut self, mut line: Cursor<'a>, store: fn(Place, Expr) -> Stmt) -> Parsed<Stmt> {
        let place = self.place(&mut line)?;
        line.expect("=")?;
        let value = self.names.expr(&mut line, None)?;
        line.end(store(place, value))
    }

    /// `array, expr`, behind `expect`.
    fn expect(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        let array = self.array(&mut line)?;
        line.expect(",")?;
        let messages = self.names.expr(&mut line, Some(Ty::U32))?;
        line.end(Stmt::Expect(array, messages))
    }

    /// The name of an array in shared memory.
    fn array(&self, line: &mut Cursor<'a>) -> Parsed<&'static str> {
        let buffer = self.names.buffer(line)?;
        let Buffer::Shared(name) = buffer else {
            return line.error(format!("`{buffer}` is no array in shared memory"));
        };
        Ok(name)
    }

    /// `local = expr down expr, mask 0xffffffff`, behind `shuffle`.
    fn shuffle(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        let into = line.local()?;
        line.expect("=")?;
        let value = self.names.expr(&mut line, Some(Ty::Acc))?;
        line.expect("down")?;
        let down = self.names.expr(&mut line, Some(Ty::U32))?;
        let mask = mask(&mut line)?;
        self.names.locals.push(into.clone());
        line.end(Stmt::Shuffle { into, value, down, mask })
    }

    /// `local where expr`, behind `redux`.
    fn redux(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        let name = line.name()?;
        let Some(acc) = self.names.local(name) else {
            return line.error(format!("`{name}` is not bound here"));
        };
        let there = line.accept("where").then(|| self.names.expr(&mut line, Some(Ty::BOOL))).transpose()?;
        line.end(Stmt::Redux(acc, there))
    }

    /// `combine(place, expr) order scope` or `local = op(place, expr) order scope`, behind `atomic`.
    fn atomic(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        if line.accept("combine") {
            let (place, value) = self.operands(&mut line, Ty::Acc)?;
            let (order, scope) = (line.order()?, line.scope()?);
            return line.end(Stmt::AtomicCombine { place, value, order, scope });
        }
        let into = line.local()?;
        line.expect("=")?;
        let op = line.one_of(&words::ATOMICS)?;
        let (place, value) = self.operands(&mut line, Ty::U32)?;
        let (order, scope) = (line.order()?, line.scope()?);
        self.names.locals.push(into.clone());
        line.end(Stmt::Atomic { into, op, place, value, order, scope })
    }

    /// `(place, expr)`.
    fn operands(&self, line: &mut Cursor<'a>, ty: Ty) -> Parsed<(Place, Expr)> {
        line.expect("(")?;
        let place = self.place(line)?;
        line.expect(",")?;
        let value = self.names.expr(line, Some(ty))?;
        line.expect(")")?;
        Ok((place, value))
    }

    /// `buffer[expr]`, and `of rank` for another block of the cluster.
    fn place(&self, line: &mut Cursor<'a>) -> Parsed<Place> {
        let buffer = self.names.buffer(line)?;
        let position = if matches!(buffer, Buffer::Shared(_)) { Ty::U32 } else { Ty::U64 };
        line.expect("[")?;
        let index = self.names.expr(line, Some(position))?;
        line.expect("]")?;
        let rank = if line.accept("of") { Some(self.names.operand(line, Some(Ty::U32))?) } else { None };
        Ok(Place { buffer, index, rank: rank.map(Box::new) })
    }

    /// `local = expr while expr next expr, unrolled` and a body, behind `for`.
    fn counted(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        let depth = line.depth + 1;
        let local = line.local()?;
        line.expect("=")?;
        let from = self.names.expr(&mut line, Some(local.ty))?;
        self.names.locals.push(local.clone());
        line.expect("while")?;
        let test = self.names.expr(&mut line, Some(Ty::BOOL))?;
        line.expect("next")?;
        let next = self.names.expr(&mut line, Some(local.ty))?;
        let unroll = unroll(&mut line)?;
        line.end(())?;
        let body = self.body(depth)?;
        self.names.locals.pop();
        Ok(Stmt::For(Box::new(Loop { local, from, test, next, unroll, body })))
    }

    /// A condition and a body, behind `if`, and the body behind `else` if there is one.
    fn branch(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        let depth = line.depth;
        let test = self.names.expr(&mut line, Some(Ty::BOOL))?;
        line.end(())?;
        let then = self.body(depth + 1)?;
        let otherwise = match self.line_of(depth, "else") {
            None => Vec::new(),
            Some(line) => line.end(()).and_then(|()| self.body(depth + 1))?,
        };
        Ok(Stmt::If(test, then, otherwise))
    }
}

//! Parses the text of lowered kernels, as `print.rs` prints it: one line per statement, two spaces per level.
//!
//! Parts that are not printed are not parsed: the formula of a constant is its value, and its note is empty. Names are
//! leaked, each once, because kernels hold them as long as the process lives.

pub(crate) mod cursor;
mod expr;
mod lists;
mod phrases;
pub(crate) mod words;

use super::{Buffer, Constant, Expr, Local, Loop, LoweredKernel, Place, Shared, Stmt, Ty};
use crate::program::Reads;
use crate::{Access, Domain};
use cursor::{Cursor, lines};
use expr::Names;
use phrases::{barrier, launch, mask, note, unroll};
use words::intern;

/// The error of text that is not a kernel, or not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// The text that was found there, and the text that was expected.
    pub what: String,
}

pub(crate) type Parsed<T> = Result<T, ParseError>;

impl LoweredKernel {
    /// Parses one kernel.
    ///
    /// # Errors
    /// The first line that cannot be parsed, and the reason. Types and the rules of the verifier are not checked.
    pub fn parse(text: &str) -> Result<LoweredKernel, ParseError> {
        let mut kernels = LoweredKernel::parse_all(text)?;
        let count = kernels.len();
        let one = kernels.pop().filter(|_| count == 1);
        one.ok_or_else(|| ParseError { line: 1, what: format!("expected one kernel; found {count}") })
    }

    /// Parses consecutive kernels.
    ///
    /// # Errors
    /// The errors of [`LoweredKernel::parse`].
    pub fn parse_all(text: &str) -> Result<Vec<LoweredKernel>, ParseError> {
        let mut reader = Reader { lines: lines(text)?, at: 0, names: Names::default() };
        let mut kernels = Vec::new();
        while reader.line(0).is_some() {
            kernels.push(reader.kernel()?);
        }
        reader.nothing_left(kernels)
    }
}

/// The greatest nesting depth of bodies and expressions.
const DEEPEST: usize = 64;

struct Reader<'a> {
    lines: Vec<Cursor<'a>>,
    /// The index of the next line.
    at: usize,
    names: Names,
}

impl<'a> Reader<'a> {
    /// Returns the next line, if it is at that depth.
    fn line(&self, depth: usize) -> Option<Cursor<'a>> {
        self.lines.get(self.at).filter(|line| line.depth == depth).cloned()
    }

    /// Returns the rest of the next line after that word, if the line is at that depth and starts with the word.
    fn line_of(&mut self, depth: usize, word: &str) -> Option<Cursor<'a>> {
        let mut line = self.line(depth)?;
        line.accept(word).then(|| {
            self.at += 1;
            line
        })
    }

    /// Returns the value that was read, if no line is left.
    fn nothing_left<T>(&self, read: T) -> Parsed<T> {
        match self.lines.get(self.at) {
            None => Ok(read),
            Some(line) => line.error(format!("the line is indented too far, by {} spaces", 2 * line.depth)),
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
        while let Some(line) = self.line_of(1, "list") {
            kernel.lists.push(self.list(line)?);
        }
        kernel.body = self.body(1)?;
        Ok(kernel)
    }

    /// Reads `kernel name reads inputs, block 256, cluster 2, streaming, dependent, strided, grouped`.
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
        let mut resident = None;
        while line.accept(",") {
            if line.accept("cluster") {
                cluster = line.number()?;
                if cluster == 0 {
                    return line.error("a cluster has at least one block");
                }
            } else if line.accept("resident") {
                resident = Some(line.number()?);
            } else if line.accept("grouped") {
                domain.kept = line.optional()?.unwrap_or(1);
            } else if line.accept("adjacent") {
                domain.access = Access::Adjacent;
            } else if line.accept("strided") {
                domain.access =
                    Access::Strided { reduced: line.optional()?.unwrap_or(1), beside: line.beside()? };
            } else if line.accept("dependent") {
                dependent = true;
            } else {
                line.expect("streaming")?;
                streaming = true;
            }
        }
        let (constants, shared, lists, body) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        line.end(LoweredKernel {
            name,
            reads,
            block,
            cluster,
            streaming,
            dependent,
            resident,
            domain,
            constants,
            shared,
            lists,
            body,
        })
    }

    /// Reads `NAME = value`.
    fn constant(&mut self, mut line: Cursor<'a>) -> Parsed<Constant> {
        let name = intern(line.name()?);
        line.expect("=")?;
        let value: u32 = line.number()?;
        self.names.constants.push(name);
        line.end(Constant { name, value, formula: value.to_string(), note: String::new() })
    }

    /// Reads `name: [acc; LENGTH]`, also with `sent acc`.
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

    /// Reads the statements at that depth, up to the first line at a smaller depth. Names that they bind end with them.
    fn body(&mut self, depth: usize) -> Parsed<Vec<Stmt>> {
        let outside = self.names.locals.len();
        let mut stmts = Vec::new();
        while let Some(line) = self.line(depth) {
            if depth > DEEPEST {
                return line.error(format!("bodies nest at most {DEEPEST} deep"));
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
        let start = line.clone();
        match line.word()? {
            "let" => self.named(line, Stmt::Let),
            "var" => self.named(line, Stmt::Var),
            "move" => self.moved(line),
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
            "clear" | "append" | "length" | "fault" | "turn" | "ballot" | "prefix" => self.of_segments(start),
            "for" => self.counted(line),
            "if" => self.branch(line),
            name => self.set(line, name),
        }
    }

    /// Reads `local = expr`, after `let`, `var` or `vote`.
    fn named(&mut self, mut line: Cursor<'a>, stmt: fn(Local, Expr) -> Stmt) -> Parsed<Stmt> {
        let local = line.local()?;
        line.expect("=")?;
        let value = self.names.expr(&mut line, Some(local.ty))?;
        self.names.locals.push(local.clone());
        line.end(stmt(local, value))
    }

    fn set(&mut self, mut line: Cursor<'a>, name: &str) -> Parsed<Stmt> {
        if line.peek() != Some("=") {
            return line.error(format!("unknown statement `{name}`"));
        }
        line.expect("=")?;
        let Some(local) = self.names.local(name) else {
            return line.error(format!("`{name}` is not bound here"));
        };
        let value = self.names.expr(&mut line, Some(local.ty))?;
        line.end(Stmt::Set(local, value))
    }

    /// Reads `local = place`, after `load`, `load unaligned` or `take`.
    fn load(&mut self, mut line: Cursor<'a>, load: fn(Local, Place) -> Stmt) -> Parsed<Stmt> {
        let local = line.local()?;
        line.expect("=")?;
        let place = self.place(&mut line)?;
        self.names.locals.push(local.clone());
        line.end(load(local, place))
    }

    /// Reads `place = expr`, after `store`, `post` or `send`.
    fn store(&mut self, mut line: Cursor<'a>, store: fn(Place, Expr) -> Stmt) -> Parsed<Stmt> {
        let place = self.place(&mut line)?;
        line.expect("=")?;
        let value = self.names.expr(&mut line, None)?;
        line.end(store(place, value))
    }

    /// Reads `array, expr`, after `expect`.
    fn expect(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        let array = self.array(&mut line)?;
        line.expect(",")?;
        let messages = self.names.expr(&mut line, Some(Ty::U32))?;
        line.end(Stmt::Expect(array, messages))
    }

    /// Reads the name of an array in shared memory.
    fn array(&self, line: &mut Cursor<'a>) -> Parsed<&'static str> {
        let buffer = self.names.buffer(line)?;
        let Buffer::Shared(name) = buffer else {
            return line.error(format!("`{buffer}` is not an array in shared memory"));
        };
        Ok(name)
    }

    /// Reads `input0 by first(group)`.
    fn moved(&self, mut line: Cursor<'_>) -> Parsed<Stmt> {
        let buffer = self.names.buffer(&mut line)?;
        line.expect("by")?;
        let by = self.names.expr(&mut line, Some(Ty::U64))?;
        line.end(Stmt::Move(buffer, by))
    }

    /// Reads `local = expr down expr, mask 0xffffffff`, after `shuffle`.
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

    /// Reads `local where expr`, after `redux`.
    fn redux(&mut self, mut line: Cursor<'a>) -> Parsed<Stmt> {
        let name = line.name()?;
        let Some(acc) = self.names.local(name) else {
            return line.error(format!("`{name}` is not bound here"));
        };
        let predicate =
            line.accept("where").then(|| self.names.expr(&mut line, Some(Ty::BOOL))).transpose()?;
        line.end(Stmt::Redux(acc, predicate))
    }

    /// Reads `combine(place, expr) order scope` or `local = op(place, expr) order scope`, after `atomic`.
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

    /// Reads `(place, expr)`.
    fn operands(&self, line: &mut Cursor<'a>, ty: Ty) -> Parsed<(Place, Expr)> {
        line.expect("(")?;
        let place = self.place(line)?;
        line.expect(",")?;
        let value = self.names.expr(line, Some(ty))?;
        line.expect(")")?;
        Ok((place, value))
    }

    /// Reads `buffer[expr]`, and `of rank` for another block of the cluster.
    fn place(&self, line: &mut Cursor<'a>) -> Parsed<Place> {
        let buffer = self.names.buffer(line)?;
        let position = if matches!(buffer, Buffer::Shared(_) | Buffer::List(_)) { Ty::U32 } else { Ty::U64 };
        line.expect("[")?;
        let index = self.names.expr(line, Some(position))?;
        line.expect("]")?;
        let rank = if line.accept("of") { Some(self.names.operand(line, Some(Ty::U32))?) } else { None };
        Ok(Place { buffer, index, rank: rank.map(Box::new) })
    }

    /// Reads `local = expr while expr next expr, unrolled` and a body, after `for`.
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

    /// Reads a condition and a body, after `if`, and the body after `else`, if present.
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

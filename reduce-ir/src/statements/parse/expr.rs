//! Parses expressions: an operand, or two operands with an operator between them.

use super::Parsed;
use super::cursor::Cursor;
use super::words::numbered;
use crate::ops::{Bin, Cmp, Un};
use crate::statements::print::is_call;
use crate::statements::{Buffer, Expr, Local, Ty};
use crate::{Scalar, Value};

/// The names that a line can use.
#[derive(Default)]
pub(super) struct Names {
    pub(super) constants: Vec<&'static str>,
    pub(super) shared: Vec<&'static str>,
    pub(super) lists: Vec<&'static str>,
    /// The locals, the innermost last.
    pub(super) locals: Vec<Local>,
}

impl Names {
    pub(super) fn local(&self, name: &str) -> Option<Local> {
        self.locals.iter().rev().find(|local| local.name == name).cloned()
    }

    /// Reads an expression. Its literals have the type `wanted`.
    pub(super) fn expr(&self, line: &mut Cursor<'_>, wanted: Option<Ty>) -> Parsed<Expr> {
        let literals = wanted.filter(|&ty| ty != Ty::BOOL);
        let left = self.operand(line, literals)?;
        let sign = line.peek();
        if let Some(op) = named(Bin::ALL.into_iter().filter(|op| !is_call(*op)), sign) {
            let (left, right) = self.right(line, left, literals)?;
            return Ok(Expr::Bin(op, left, right));
        }
        if let Some(op) = named(Cmp::ALL, sign) {
            let (left, right) = self.right(line, left, literals)?;
            return Ok(Expr::Cmp(op, left, right));
        }
        Ok(left)
    }

    /// Reads the right side of an operator, and pairs it with the left one. A literal has the type of the other side.
    fn right(&self, line: &mut Cursor<'_>, left: Expr, wanted: Option<Ty>) -> Parsed<(Box<Expr>, Box<Expr>)> {
        line.skip();
        let right = self.operand(line, left.ty().or(wanted))?;
        Ok(paired(left, right))
    }

    /// Reads an expression without an operator of its own.
    pub(super) fn operand(&self, line: &mut Cursor<'_>, wanted: Option<Ty>) -> Parsed<Expr> {
        if line.accept("(") {
            let inner = line.inside(|line| self.expr(line, wanted))?;
            line.expect(")")?;
            return Ok(inner);
        }
        if line.peek().is_some_and(|token| token.starts_with(|c: char| c.is_ascii_digit())) {
            return literal(line, wanted);
        }
        let word = line.word()?;
        if line.accept("(") {
            let call = line.inside(|line| self.call(line, word, wanted))?;
            line.expect(")")?;
            return Ok(call);
        }
        if line.accept(".") {
            let lane = line.number()?;
            let local = self.local(word);
            return local.map_or_else(|| unbound(line, word), |local| Ok(Expr::Lane(local, lane)));
        }
        self.name(word).map_or_else(|| unbound(line, word), Ok)
    }

    fn name(&self, word: &str) -> Option<Expr> {
        let fixed = match word {
            "thread" => Some(Expr::Thread),
            "block" => Some(Expr::Block),
            "grid" => Some(Expr::Grid),
            "rank" => Some(Expr::Rank),
            "n" => Some(Expr::Items),
            "groups" => Some(Expr::Groups),
            "elements" => Some(Expr::Elements),
            "empty" => Some(Expr::Empty),
            "nothing" => Some(Expr::Nothing),
            "true" => Some(Expr::Const(Value::of(true))),
            "false" => Some(Expr::Const(Value::of(false))),
            _ => numbered(word, "size").map(Expr::Size),
        };
        let constant = || self.constants.iter().find(|it| **it == word).map(|it| Expr::Named(it));
        fixed.or_else(|| self.local(word).map(Expr::Local)).or_else(constant)
    }

    /// Reads `input0, 1: a, 2: b`.
    fn offset(&self, line: &mut Cursor<'_>) -> Parsed<Expr> {
        let word = line.word()?;
        let Some(input) = numbered(word, "input") else { return line.error(format!("`{word}` is no input")) };
        let mut terms = Vec::new();
        while line.accept(",") {
            let axis = line.number()?;
            line.expect(":")?;
            terms.push((axis, self.expr(line, Some(Ty::U64))?));
        }
        Ok(Expr::Offset(input, terms))
    }

    /// Reads the text between the parentheses of a call.
    fn call(&self, line: &mut Cursor<'_>, name: &str, wanted: Option<Ty>) -> Parsed<Expr> {
        let one = |line: &mut Cursor<'_>, wanted| self.expr(line, wanted).map(Box::new);
        match name {
            "map" => self.arguments(line).map(Expr::Map),
            "slot_of" => self.arguments(line).map(Expr::Slot),
            "first" => one(line, Some(Ty::U64)).map(Expr::First),
            "fold" | "finish" => {
                let acc = one(line, None)?;
                let rest = if line.accept(",") { self.arguments(line)? } else { Vec::new() };
                Ok(if name == "fold" { Expr::Fold(acc, rest) } else { Expr::Finish(acc, rest) })
            }
            "offset" => self.offset(line),
            "param" => {
                let param = line.number()?;
                line.expect(",")?;
                Ok(Expr::Param(param, line.one_of(&Scalar::ALL)?))
            }
            "combine" => {
                let left = one(line, None)?;
                line.expect(",")?;
                let right = one(line, None)?;
                Ok(Expr::Combine(left, right))
            }
            "aligned" => {
                let buffer = self.buffer(line)?;
                line.expect(",")?;
                let bytes = line.number()?;
                if line.accept(",") {
                    return Ok(Expr::AlignedAt(buffer, bytes, one(line, Some(Ty::U64))?));
                }
                Ok(Expr::Aligned(buffer, bytes))
            }
            "select" => {
                let test = one(line, Some(Ty::BOOL))?;
                line.expect(",")?;
                let left = one(line, wanted)?;
                line.expect(",")?;
                let right = one(line, left.ty())?;
                Ok(Expr::Select(test, left, right))
            }
            "bits" => bits(line),
            _ => self.operation(line, name, wanted),
        }
    }

    /// Reads the text between the parentheses of an operation on scalars.
    fn operation(&self, line: &mut Cursor<'_>, name: &str, wanted: Option<Ty>) -> Parsed<Expr> {
        if let Some(op) = named(Bin::ALL.into_iter().filter(|op| is_call(*op)), Some(name)) {
            let left = self.expr(line, wanted)?;
            line.expect(",")?;
            let right = self.expr(line, left.ty().or(wanted))?;
            let (left, right) = paired(left, right);
            return Ok(Expr::Bin(op, left, right));
        }
        if let Some(op) = named(Un::ALL, Some(name)) {
            return Ok(Expr::Un(op, Box::new(self.expr(line, wanted)?)));
        }
        match Scalar::from_name(name) {
            Some(ty) => Ok(Expr::Cast(ty, Box::new(self.expr(line, None)?))),
            None => line.error(format!("unknown function `{name}`")),
        }
    }

    fn arguments(&self, line: &mut Cursor<'_>) -> Parsed<Vec<Expr>> {
        let mut args = Vec::new();
        while line.peek() != Some(")") {
            if !args.is_empty() {
                line.expect(",")?;
            }
            args.push(self.expr(line, None)?);
        }
        Ok(args)
    }

    /// Reads the name of a list.
    pub(super) fn list(&self, line: &mut Cursor<'_>) -> Parsed<&'static str> {
        let word = line.word()?;
        let list = self.lists.iter().find(|it| **it == word).copied();
        list.map_or_else(|| line.error(format!("the kernel has no list `{word}`")), Ok)
    }

    pub(super) fn buffer(&self, line: &mut Cursor<'_>) -> Parsed<Buffer> {
        let word = line.word()?;
        let shared = || self.shared.iter().find(|it| **it == word).map(|it| Buffer::Shared(it));
        let keys = || word.strip_prefix("keys_").and_then(Scalar::from_name).map(Buffer::Keys);
        let list = || self.lists.iter().find(|it| **it == word).map(|it| Buffer::List(it));
        let buffer = match word {
            "items" => Some(Buffer::Items),
            "partials" => Some(Buffer::Partials),
            "result" => Some(Buffer::Result),
            "ticket" => Some(Buffer::Ticket),
            "offsets" => Some(Buffer::Offsets(Scalar::U32)),
            "offsets64" => Some(Buffer::Offsets(Scalar::U64)),
            "tiles" => Some(Buffer::Tiles),
            "long_segments" => Some(Buffer::LongSegments),
            "marks" => Some(Buffer::Marks),
            "number" => Some(Buffer::Number),
            _ => numbered(word, "input").map(Buffer::Input).or_else(keys).or_else(shared).or_else(list),
        };
        buffer.map_or_else(|| line.error(format!("the kernel has no buffer `{word}`")), Ok)
    }
}

fn unbound<T>(line: &Cursor<'_>, word: &str) -> Parsed<T> {
    line.error(format!("`{word}` is not bound here"))
}

/// Returns the operation that prints as `text`.
fn named<T: ToString>(all: impl IntoIterator<Item = T>, text: Option<&str>) -> Option<T> {
    all.into_iter().find(|op| Some(op.to_string().as_str()) == text)
}

/// Pairs both sides of an operation. A literal on the left was read before the type of the right side was known.
fn paired(mut left: Expr, right: Expr) -> (Box<Expr>, Box<Expr>) {
    if let Expr::Const(value) = &mut left
        && (value.ty(), right.ty()) == (Scalar::U32, Some(Ty::U64))
    {
        *value = Value::of(value.bits());
    }
    (Box::new(left), Box::new(right))
}

/// Reads digits: as a `u64` if one is wanted or a `u32` cannot hold them, otherwise as a `u32`.
fn literal(line: &mut Cursor<'_>, wanted: Option<Ty>) -> Parsed<Expr> {
    let value: u64 = line.number()?;
    Ok(Expr::Const(match u32::try_from(value) {
        Ok(small) if wanted != Some(Ty::U64) => Value::of(small),
        _ => Value::of(value),
    }))
}

/// Reads `type, bits`: a literal that is not a position.
fn bits(line: &mut Cursor<'_>) -> Parsed<Expr> {
    let ty = line.one_of(&Scalar::ALL)?;
    line.expect(",")?;
    Ok(Expr::Const(Value::from_bits(ty, line.number()?)))
}

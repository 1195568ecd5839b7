//! Positions in 32 bits: what an operation is on accumulators whose positions count from the first element of a tile.
//!
//! A field of the accumulator is a *position* if all that is done with it works as well on other numbers in the same order.
//! It is the index, or `u64::MAX`, which no element has, or one of two such values; and it is compared with such values
//! only. Where each position `p` is written as `p - first`, of 32 bits, and `u64::MAX` as `u32::MAX`, the elements of a
//! tile keep their order, and `u32::MAX` stays behind them: a tile is shorter. So every comparison gives the same, and
//! [`Near::far`] of what is left is, bit for bit, what 64 bits would have given.
//!
//! On a GPU that is one register for two, one shuffle for two, and one instruction for two or three.

use crate::func::{Func, FuncBuilder, Id, Node, Param};
use crate::operation::{Argument, Operation, Record};
use crate::ops::{Bin, Cmp, TypeError};
use crate::{Scalar, Value};

/// The functions of an operation on near accumulators: those whose positions count from some element before, with 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The accumulator, with positions of 32 bits.
    pub acc: Record,
    /// Inputs → near accumulator. An index that it names is one in the tile, of 32 bits.
    pub map: Func,
    /// Two near accumulators → near accumulator.
    pub combine: Func,
    /// Near accumulator, inputs → near accumulator, with an index as that of `map`.
    pub fold: Option<Func>,
    /// What stands for absent elements.
    pub padding: Option<Vec<Value>>,
    /// Near accumulator, position of the element that it counts from → accumulator.
    pub far: Func,
}

/// No element has that position.
const NOWHERE: u64 = u64::MAX;

/// The same in a tile.
const NOWHERE_NEAR: u32 = u32::MAX;

impl Near {
    /// The most elements whose positions fit near accumulators, counted from the first of all.
    pub const MOST: u64 = NOWHERE_NEAR as u64;
    /// The name of the position that near ones count from, in `far`.
    pub const FIRST: &str = "first";

    /// What the operation is on near accumulators, if some of their fields are positions.
    pub fn of(operation: &Operation) -> Option<Near> {
        let search = Search::of(operation);
        let positions = search.positions()?;
        let mut near = search.functions.iter().map(|function| function.near(&positions).ok());
        let (map, combine) = (near.next()??, near.next()??);
        let fold = near.next();
        Some(Near {
            acc: record(&operation.acc, &positions),
            map,
            combine,
            fold: if let Some(fold) = fold { Some(fold?) } else { None },
            padding: operation.padding.as_ref().map(|values| padding(values, &positions)),
            far: far(&operation.acc, &positions).ok()?,
        })
    }
}

/// A function, and what its parameters are given.
struct Function<'a> {
    func: &'a Func,
    given: Vec<Argument>,
}

/// What is looked through: `map`, `op` and, where there is one, `fold`.
struct Search<'a> {
    operation: &'a Operation,
    functions: Vec<Function<'a>>,
}

impl<'a> Search<'a> {
    fn of(operation: &'a Operation) -> Search<'a> {
        let sides = (0..operation.acc.fields.len()).map(Argument::Acc);
        let map = Function { func: &operation.map, given: operation.map_arguments() };
        let combine = Function { func: &operation.combine, given: sides.clone().chain(sides).collect() };
        let fold = operation.fold.as_ref().zip(operation.fold_arguments());
        let fold = fold.map(|(func, given)| Function { func, given });
        Search { operation, functions: [map, combine].into_iter().chain(fold).collect() }
    }

    /// Which fields of the accumulator meet the index, if all that is done with them is what can be done with positions.
    fn positions(&self) -> Option<Vec<bool>> {
        let mut fields = vec![false; self.operation.acc.fields.len()];
        loop {
            let before = fields.clone();
            self.functions.iter().for_each(|function| function.meet(&mut fields));
            if before == fields {
                break;
            }
        }
        let padded = self.operation.padding.iter().flatten().zip(&fields);
        let legal = padded.filter(|(_, is_position)| **is_position).all(|(value, _)| is_nowhere(*value))
            && self.functions.iter().all(|function| function.keeps(&fields));
        (legal && fields.contains(&true)).then_some(fields)
    }
}

impl Function<'_> {
    /// Which parameters and lines meet positions; constants are left to those that they meet.
    fn meeting(&self, fields: &[bool]) -> Vec<bool> {
        let is_position = |given: &Argument| match *given {
            Argument::Index => true,
            Argument::Acc(field) => fields[field],
            Argument::Input(_) | Argument::Step | Argument::Count | Argument::Param(_) => false,
        };
        let mut marks: Vec<_> = self.given.iter().map(is_position).collect();
        marks.resize(marks.len() + self.func.lines().len(), false);
        let results = self.func.results().iter().zip(fields).filter(|(_, is_position)| **is_position);
        results.for_each(|(&id, _)| self.mark(&mut marks, id));
        while self.spread(&mut marks) {}
        marks
    }

    /// Marks what is alike, of which one is marked already; whether that was news.
    fn spread(&self, marks: &mut [bool]) -> bool {
        let before = marks.iter().filter(|mark| **mark).count();
        for at in 0..self.func.lines().len() {
            let alike = self.alike(at);
            if alike.iter().any(|id| marks[id.0 as usize]) {
                alike.into_iter().for_each(|id| self.mark(marks, id));
            }
        }
        before < marks.iter().filter(|mark| **mark).count()
    }

    fn mark(&self, marks: &mut [bool], id: Id) {
        marks[id.0 as usize] |= self.func.constant(id).is_none();
    }

    /// Values of a line that are positions if one of them is: those that it copies, chooses from, or compares.
    fn alike(&self, line: usize) -> Vec<Id> {
        let own = self.func.id_of_line(line);
        match self.func.lines()[line].node {
            Node::Select(_, a, b) | Node::Bin(Bin::Min | Bin::Max, a, b) => vec![own, a, b],
            Node::Cmp(_, a, b) => vec![a, b],
            Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cast(..) | Node::MulAdd(..) => Vec::new(),
        }
    }

    /// Adds the fields that meet positions here.
    fn meet(&self, fields: &mut [bool]) {
        let marks = self.meeting(fields);
        for (given, &mark) in self.given.iter().zip(&marks) {
            if let (Argument::Acc(field), true) = (given, mark) {
                fields[*field] = true;
            }
        }
        let results = self.func.results().iter().zip(fields);
        results.for_each(|(id, field)| *field |= marks[id.0 as usize]);
    }

    /// Is all that is done with positions what can be done with them?
    fn keeps(&self, fields: &[bool]) -> bool {
        let marks = self.meeting(fields);
        let marked = |id: Id| marks[id.0 as usize];
        let legal = |id: Id| marked(id) || self.func.constant(id).is_some_and(is_nowhere);
        let params = self
            .given
            .iter()
            .zip(&marks)
            .all(|(given, &mark)| !mark || matches!(given, Argument::Index | Argument::Acc(_)));
        let lines = (0..self.func.lines().len()).all(|at| {
            let (line, alike) = (&self.func.lines()[at], self.alike(at));
            let touched = line.node.operands().chain([self.func.id_of_line(at)]).any(marked);
            !touched || (!alike.is_empty() && alike.into_iter().all(legal))
        });
        let results = self.func.results().iter().zip(fields);
        params && lines && results.into_iter().all(|(&id, &is_position)| !is_position || legal(id))
    }

    /// The function on near accumulators.
    fn near(&self, fields: &[bool]) -> Result<Func, TypeError> {
        let marks = self.meeting(fields);
        let narrowed = |(param, &mark): (&Param, _)| Param::new(&param.name, narrow(param.ty, mark));
        let mut f = FuncBuilder::new(self.func.params().iter().zip(&marks).map(narrowed).collect());
        let nowhere = f.constant(Value::of(NOWHERE_NEAR));
        let mut ids = f.params();
        for (at, line) in self.func.lines().iter().enumerate() {
            let is_near = self.alike(at).iter().any(|id| marks[id.0 as usize]);
            let operand = |id: Id| {
                let stands = is_near && self.func.constant(id).is_some_and(is_nowhere);
                if stands { nowhere } else { ids[id.0 as usize] }
            };
            let own = marks[self.func.id_of_line(at).0 as usize];
            let id = f.again(line.node.map(operand), narrow(line.ty, own));
            line.name.iter().for_each(|name| f.name(id, name));
            ids.push(id);
        }
        let result = |(&id, &is_position): (&Id, &bool)| {
            let stands = is_position && self.func.constant(id).is_some();
            if stands { nowhere } else { ids[id.0 as usize] }
        };
        let results = self.func.results().iter().zip(fields.iter()).map(result).collect();
        Ok(f.build(results))
    }
}

fn is_nowhere(value: Value) -> bool {
    value == Value::of(NOWHERE)
}

/// The type of a value that may be a position.
fn narrow(ty: Scalar, is_position: bool) -> Scalar {
    if is_position { Scalar::U32 } else { ty }
}

/// The near accumulator. No struct that a user names has a `_`.
fn record(acc: &Record, positions: &[bool]) -> Record {
    let name = acc.name.as_ref().map(|name| format!("Near_{name}"));
    let fields = acc.fields.iter().zip(positions);
    let fields = fields.map(|(field, &is_position)| Param::new(&field.name, narrow(field.ty, is_position)));
    Record { name, generics: None, fields: fields.collect() }
}

fn padding(values: &[Value], positions: &[bool]) -> Vec<Value> {
    let near = |(&value, &is_position)| if is_position { Value::of(NOWHERE_NEAR) } else { value };
    values.iter().zip(positions).map(near).collect()
}

/// `u64::MAX` where the near one stands for it, else `first + near`.
fn far(acc: &Record, positions: &[bool]) -> Result<Func, TypeError> {
    let first = Param::new(Near::FIRST, Scalar::U64);
    let fields = record(acc, positions).params("acc");
    let mut f = FuncBuilder::new(fields.into_iter().chain([first]).collect());
    let mut ids = f.params();
    let Some(first) = ids.pop() else { return Ok(f.build(ids)) };
    let [nowhere, nowhere_near] = [Value::of(NOWHERE), Value::of(NOWHERE_NEAR)].map(|it| f.constant(it));
    let wide = |(near, &is_position): (Id, &bool)| {
        if !is_position {
            return Ok(near);
        }
        let is_nowhere = f.cmp(Cmp::Eq, near, nowhere_near)?;
        let wide = f.cast(Scalar::U64, near)?;
        let far = f.bin(Bin::Add, first, wide)?;
        f.select(is_nowhere, nowhere, far)
    };
    let results = ids.into_iter().zip(positions).map(wide).collect::<Result<_, _>>()?;
    Ok(f.build(results))
}

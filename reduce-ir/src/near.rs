//! Positions in 32 bits: what an operation is on accumulators whose positions count from the first element of a tile.
//!
//! A field of the accumulator is a *position* if all that is done with it works as well on other numbers in the same order.
//! It is the index, or `u64::MAX`, which no element has, or one of two such values; and it is compared with such values
//! only. Where each position `p` is written as `p - first`, of 32 bits, and `u64::MAX` as `u32::MAX`, the elements of a
//! tile keep their order, and `u32::MAX` stays behind them: a tile is shorter. So every comparison gives the same, and
//! [`Near::far`] of what is left is, bit for bit, what 64 bits would have given.
//!
//! On a GPU that is one register for two, one shuffle for two, and one instruction for two or three. Values beside them that are
//! narrower than a register are as wide as one (`near/wide.rs`).

mod wide;

use crate::func::{Func, FuncBuilder, Id, Node, Param};
use crate::operation::{Argument, Operation, Record};
use crate::ops::{Bin, Cmp, TypeError};
use crate::{Scalar, Value};
use std::cell::RefCell;
use std::sync::Arc;

use wide::{Wide, widened};

/// The functions of an operation on near accumulators: those whose positions count from some element before, with 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The accumulator, with positions of 32 bits, and values of at least as many, where that takes no more memory.
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

thread_local! {
    /// The operation that was asked for last, and its answer. A verifier asks for that of a program again at every pass, and to find
    /// it takes longer than all else that it does.
    static LAST: RefCell<Option<(Operation, Option<Arc<Near>>)>> = const { RefCell::new(None) };
}

impl Near {
    /// The most elements whose positions fit near accumulators, counted from the first of all.
    pub const MOST: u64 = NOWHERE_NEAR as u64;
    /// The name of the position that near ones count from, in `far`.
    pub const FIRST: &str = "first";

    /// What the operation is on near accumulators, if some of their fields are positions.
    pub fn of(operation: &Operation) -> Option<Arc<Near>> {
        LAST.with_borrow_mut(|last| match last {
            Some((asked, near)) if asked == operation => near.clone(),
            _ => {
                let near = Near::new(operation).map(Arc::new);
                *last = Some((operation.clone(), near.clone()));
                near
            }
        })
    }

    fn new(operation: &Operation) -> Option<Near> {
        let search = Search::of(operation);
        let fields = search.fields(search.positions()?);
        let mut near = search.functions.iter().map(|function| function.near(&fields).ok());
        let (map, combine) = (near.next()??, near.next()??);
        let fold = near.next();
        Some(Near {
            acc: fields.record(&operation.acc),
            map,
            combine,
            fold: if let Some(fold) = fold { Some(fold?) } else { None },
            padding: operation.padding.as_ref().map(|values| fields.padding(values)),
            far: fields.far(&operation.acc).ok()?,
        })
    }
}

/// Which fields of the accumulator are others in a near one.
struct Fields {
    /// Those that are positions.
    positions: Vec<bool>,
    /// Those that are narrow values, and made wide.
    wide: Vec<bool>,
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

impl Search<'_> {
    /// The narrow fields are wide if that is the same, and takes no more memory.
    fn fields(&self, positions: Vec<bool>) -> Fields {
        let acc = &self.operation.acc;
        let narrow = acc.fields.iter().map(|field| wide::wide(field.ty) != field.ty).collect();
        let wide = Fields { positions: positions.clone(), wide: narrow };
        let as_they_are = Fields { wide: vec![false; positions.len()], positions };
        let legal = self.functions.iter().all(|function| Wide::of(function, &wide.wide).is_legal());
        let fits = wide.record(acc).size() == as_they_are.record(acc).size();
        if legal && fits { wide } else { as_they_are }
    }
}

impl Function<'_> {
    /// Which parameters and lines meet those fields, or the index; constants are left to those that they meet.
    fn meeting(&self, fields: &[bool], index: bool) -> Vec<bool> {
        let meets = |given: &Argument| match *given {
            Argument::Index => index,
            Argument::Acc(field) => fields[field],
            Argument::Input(_) | Argument::Step | Argument::Count | Argument::Param(_) => false,
        };
        let mut marks: Vec<_> = self.given.iter().map(meets).collect();
        marks.resize(marks.len() + self.func.lines().len(), false);
        let results = self.func.results().iter().zip(fields).filter(|(_, meets)| **meets);
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

    /// Values of a line that are alike, so that one is a position if another is: those that it copies, chooses from, or compares.
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
        let marks = self.meeting(fields, true);
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
        let marks = self.meeting(fields, true);
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
    fn near(&self, fields: &Fields) -> Result<Func, TypeError> {
        let (marks, wide) = (self.meeting(&fields.positions, true), Wide::of(self, &fields.wide));
        let ty = |id: Id, ty| {
            let ty = narrow(ty, marks[id.0 as usize]);
            if wide.is_wide(id) { wide::wide(ty) } else { ty }
        };
        let params = self.func.params().iter().zip((0..).map(Id));
        let mut f = FuncBuilder::new(params.map(|(it, id)| Param::new(&it.name, ty(id, it.ty))).collect());
        let nowhere = f.constant(Value::of(NOWHERE_NEAR));
        let mut ids = f.params();
        for (at, line) in self.func.lines().iter().enumerate() {
            if let Some(same) = line.node.operands().find(|&id| wide.is_itself(line.node, id)) {
                ids.push(ids[same.0 as usize]);
                continue;
            }
            let alike = self.alike(at);
            let is_near = alike.iter().any(|id| marks[id.0 as usize]);
            let mut operands = ids.clone();
            for &id in alike.iter().filter(|id| (id.0 as usize) < ids.len()) {
                let operand = &mut operands[id.0 as usize];
                if is_near && self.func.constant(id).is_some_and(is_nowhere) {
                    *operand = nowhere;
                } else if wide.meets(at) {
                    *operand = wide.widen(&mut f, id, *operand)?;
                }
            }
            let own = self.func.id_of_line(at);
            let id = f.again(line.node.map(|id| operands[id.0 as usize]), ty(own, line.ty));
            line.name.iter().for_each(|name| f.name(id, name));
            ids.push(id);
        }
        let mut results = Vec::new();
        for (field, &id) in self.func.results().iter().enumerate() {
            let value = ids[id.0 as usize];
            let stands = fields.positions[field] && self.func.constant(id).is_some();
            let wide =
                |f: &mut FuncBuilder| if fields.wide[field] { wide.widen(f, id, value) } else { Ok(value) };
            results.push(if stands { nowhere } else { wide(&mut f)? });
        }
        Ok(f.build(results))
    }
}

impl Fields {
    fn each(&self) -> impl Iterator<Item = (bool, bool)> {
        self.positions.iter().copied().zip(self.wide.iter().copied())
    }

    /// The near accumulator. No struct that a user names has a `_`.
    fn record(&self, acc: &Record) -> Record {
        let name = acc.name.as_ref().map(|name| format!("Near_{name}"));
        let ty = |ty, (is_position, is_wide)| match is_wide {
            true => wide::wide(ty),
            false => narrow(ty, is_position),
        };
        let fields = acc.fields.iter().zip(self.each());
        let fields = fields.map(|(field, is)| Param::new(&field.name, ty(field.ty, is)));
        Record { name, generics: None, fields: fields.collect() }
    }

    fn padding(&self, values: &[Value]) -> Vec<Value> {
        let near = |(&value, is)| match is {
            (true, _) => Value::of(NOWHERE_NEAR),
            (false, true) => widened(value),
            (false, false) => value,
        };
        values.iter().zip(self.each()).map(near).collect()
    }

    /// `u64::MAX` where the near one stands for it, else `first + near`; values as they were.
    fn far(&self, acc: &Record) -> Result<Func, TypeError> {
        let first = Param::new(Near::FIRST, Scalar::U64);
        let fields = self.record(acc).params("acc");
        let mut f = FuncBuilder::new(fields.into_iter().chain([first]).collect());
        let mut ids = f.params();
        let Some(first) = ids.pop() else { return Ok(f.build(ids)) };
        let [nowhere, nowhere_near] = [Value::of(NOWHERE), Value::of(NOWHERE_NEAR)].map(|it| f.constant(it));
        let far = |(near, (field, &is_position)): (Id, (&Param, &bool))| {
            if !is_position {
                return f.cast(field.ty, near);
            }
            let is_nowhere = f.cmp(Cmp::Eq, near, nowhere_near)?;
            let wide = f.cast(Scalar::U64, near)?;
            let far = f.bin(Bin::Add, first, wide)?;
            f.select(is_nowhere, nowhere, far)
        };
        let results = ids.into_iter().zip(acc.fields.iter().zip(&self.positions)).map(far);
        let results = results.collect::<Result<_, _>>()?;
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

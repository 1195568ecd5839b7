//! Narrow indices: an operation whose positions take 32 bits, for fewer than 2³² elements.
//!
//! A field of the accumulator is a *position* if it is only copied, selected (`if`, `min`, `max`) and compared with
//! other positions. The index is a position, and so is `u64::MAX`, which no element has. Positions become `u32`, and
//! `u64::MAX` becomes `u32::MAX`. This keeps their order, so every comparison has the same result. `finish` first
//! widens them. The bits of the result stay the same.
//!
//! On a GPU, a position then takes one register instead of two, one shuffle instead of two, and one instruction instead
//! of two or three. Narrow integers in the same accumulator become as wide as a register (`narrow/wide.rs`).

mod wide;

use reduce_ir::func::{Func, FuncBuilder, Id, Node, Param};
use reduce_ir::operation::{Argument, Operation, Record, Search as Sought};
use reduce_ir::ops::{Bin, Cmp, TypeError};
use reduce_ir::{Scalar, Value};

use wide::{Wide, widened};

/// The position that no element has.
const NOWHERE: u64 = u64::MAX;

/// The same position in 32 bits.
const NOWHERE_NARROW: u32 = u32::MAX;

/// Returns the operation with positions of 32 bits, if fields of its accumulator are positions.
pub fn narrowed(operation: &Operation) -> Option<Operation> {
    let search = Search::of(operation);
    let fields = search.fields(search.positions()?);
    let mut functions = search.functions.iter().map(|function| function.narrow(&fields).ok());
    let (map, combine) = (functions.next()??, functions.next()??);
    let fold = functions.next();
    let values = |values: &Option<Vec<Value>>| values.as_ref().and_then(|values| fields.values(values));
    Some(Operation {
        position: Scalar::U32,
        acc: fields.record(&operation.acc),
        map,
        combine,
        fold: if let Some(fold) = fold { Some(fold?) } else { None },
        identity: values(&operation.identity),
        fill: values(&operation.fill),
        searches: fields.searches(operation),
        finish: fields.finish(operation).ok()?,
        ..operation.clone()
    })
}

/// The fields of the accumulator whose type changes.
struct Fields {
    /// Whether each field is a position.
    positions: Vec<bool>,
    /// Whether each field is a narrow integer that becomes wide.
    wide: Vec<bool>,
}

/// A function, with the arguments that its parameters receive.
struct Function<'a> {
    func: &'a Func,
    given: Vec<Argument>,
}

/// The functions that are searched: `map`, `op`, and `fold` if there is one.
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

    /// Returns the fields of the accumulator that receive the index, if all functions use them as positions only.
    fn positions(&self) -> Option<Vec<bool>> {
        let mut fields = vec![false; self.operation.acc.fields.len()];
        loop {
            let before = fields.clone();
            self.functions.iter().for_each(|function| function.add_positions(&mut fields));
            if before == fields {
                break;
            }
        }
        let padded = self.operation.fill.iter().flatten().zip(&fields);
        let legal = padded.filter(|(_, is_position)| **is_position).all(|(value, _)| is_nowhere(*value))
            && self.functions.iter().all(|function| function.is_legal(&fields));
        (legal && fields.contains(&true)).then_some(fields)
    }
}

impl Search<'_> {
    /// Returns the fields whose type changes. Narrow integers become wide if no result changes and the accumulator
    /// takes no more memory.
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
    /// Returns the parameters and lines that these fields, or the index, reach. Constants are not marked: they follow
    /// the values next to them.
    fn reached(&self, fields: &[bool], index: bool) -> Vec<bool> {
        let reaches = |given: &Argument| match *given {
            Argument::Index => index,
            Argument::Acc(field) => fields[field],
            Argument::Input(_) | Argument::Group | Argument::Step | Argument::Count | Argument::Param(_) => {
                false
            }
        };
        let mut marks: Vec<_> = self.given.iter().map(reaches).collect();
        marks.resize(marks.len() + self.func.lines().len(), false);
        let results = self.func.results().iter().zip(fields).filter(|(_, reaches)| **reaches);
        results.for_each(|(&id, _)| self.mark(&mut marks, id));
        while self.spread(&mut marks) {}
        marks
    }

    /// Marks values that must have the type of a marked value. Returns whether a mark is new.
    fn spread(&self, marks: &mut [bool]) -> bool {
        let before = marks.iter().filter(|mark| **mark).count();
        for at in 0..self.func.lines().len() {
            let same_type = self.same_type(at);
            if same_type.iter().any(|id| marks[id.0 as usize]) {
                same_type.into_iter().for_each(|id| self.mark(marks, id));
            }
        }
        before < marks.iter().filter(|mark| **mark).count()
    }

    fn mark(&self, marks: &mut [bool], id: Id) {
        marks[id.0 as usize] |= self.func.constant(id).is_none();
    }

    /// Returns the values of a line that must have the same type: those that it copies, selects from, or compares.
    fn same_type(&self, line: usize) -> Vec<Id> {
        let own = self.func.id_of_line(line);
        match self.func.lines()[line].node {
            Node::Select(_, a, b) | Node::Bin(Bin::Min | Bin::Max, a, b) => vec![own, a, b],
            Node::Cmp(_, a, b) => vec![a, b],
            Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cast(..) | Node::MulAdd(..) => Vec::new(),
        }
    }

    /// Adds the fields that positions reach in this function.
    fn add_positions(&self, fields: &mut [bool]) {
        let marks = self.reached(fields, true);
        for (given, &mark) in self.given.iter().zip(&marks) {
            if let (Argument::Acc(field), true) = (given, mark) {
                fields[*field] = true;
            }
        }
        let results = self.func.results().iter().zip(fields);
        results.for_each(|(id, field)| *field |= marks[id.0 as usize]);
    }

    /// Returns whether positions are only copied, selected and compared.
    fn is_legal(&self, fields: &[bool]) -> bool {
        let marks = self.reached(fields, true);
        let marked = |id: Id| marks[id.0 as usize];
        let legal = |id: Id| marked(id) || self.func.constant(id).is_some_and(is_nowhere);
        let params = self
            .given
            .iter()
            .zip(&marks)
            .all(|(given, &mark)| !mark || matches!(given, Argument::Index | Argument::Acc(_)));
        let lines = (0..self.func.lines().len()).all(|at| {
            let (line, same_type) = (&self.func.lines()[at], self.same_type(at));
            let touched = line.node.operands().chain([self.func.id_of_line(at)]).any(marked);
            !touched || (!same_type.is_empty() && same_type.into_iter().all(legal))
        });
        let results = self.func.results().iter().zip(fields);
        params && lines && results.into_iter().all(|(&id, &is_position)| !is_position || legal(id))
    }

    /// Returns the function on narrow accumulators.
    fn narrow(&self, fields: &Fields) -> Result<Func, TypeError> {
        let (marks, wide) = (self.reached(&fields.positions, true), Wide::of(self, &fields.wide));
        let ty = |id: Id, ty| {
            let ty = narrow(ty, marks[id.0 as usize]);
            if wide.is_wide(id) { wide::wide(ty) } else { ty }
        };
        let params = self.func.params().iter().zip((0..).map(Id));
        let mut f = FuncBuilder::new(params.map(|(it, id)| Param::new(&it.name, ty(id, it.ty))).collect());
        let nowhere = f.constant(Value::of(NOWHERE_NARROW));
        let mut ids = f.params();
        for (at, line) in self.func.lines().iter().enumerate() {
            if let Some(same) = line.node.operands().find(|&id| wide.is_redundant(line.node, id)) {
                ids.push(ids[same.0 as usize]);
                continue;
            }
            let same_type = self.same_type(at);
            let is_narrow = same_type.iter().any(|id| marks[id.0 as usize]);
            let mut operands = ids.clone();
            for &id in same_type.iter().filter(|id| (id.0 as usize) < ids.len()) {
                let operand = &mut operands[id.0 as usize];
                if is_narrow && self.func.constant(id).is_some_and(is_nowhere) {
                    *operand = nowhere;
                } else if wide.reaches(at) {
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

    /// Returns the narrow accumulator. The `_` of its name is in no struct of a user.
    fn record(&self, acc: &Record) -> Record {
        let name = acc.name.as_ref().map(|name| format!("Narrow_{name}"));
        let ty = |ty, (is_position, is_wide)| match is_wide {
            true => wide::wide(ty),
            false => narrow(ty, is_position),
        };
        let fields = acc.fields.iter().zip(self.each());
        let fields = fields.map(|(field, is)| Param::new(&field.name, ty(field.ty, is)));
        Record { name, generics: None, fields: fields.collect() }
    }

    /// Returns the values of an accumulator with the new types. `None`: a position does not fit 32 bits.
    fn values(&self, values: &[Value]) -> Option<Vec<Value>> {
        let narrow = |(&value, is)| match is {
            (true, _) if is_nowhere(value) => Some(Value::of(NOWHERE_NARROW)),
            (true, _) => u32::try_from(value.bits()).ok().filter(|&it| it != NOWHERE_NARROW).map(Value::of),
            (false, true) => Some(widened(value)),
            (false, false) => Some(value),
        };
        values.iter().zip(self.each()).map(narrow).collect()
    }

    /// Returns the searches on narrow accumulators, if each of them can compare values of the new type.
    fn searches(&self, operation: &Operation) -> Vec<Sought> {
        let record = self.record(&operation.acc);
        let search = |search: &Sought| {
            let best = of_type(&search.best, record.fields[search.field].ty).ok()?;
            Some(Sought { best, ..search.clone() })
        };
        let searches: Option<_> = operation.searches.iter().map(search).collect();
        searches.unwrap_or_default()
    }

    /// Returns `finish`, applied to the widened accumulator.
    fn finish(&self, operation: &Operation) -> Result<Func, TypeError> {
        let (wide, finish) = (&operation.acc.fields, &operation.finish);
        let record = self.record(&operation.acc);
        let narrow = |(at, param): (usize, &Param)| {
            let ty = record.fields.get(at).map_or(param.ty, |field| field.ty);
            Param::new(&param.name, ty)
        };
        let mut f = FuncBuilder::new(finish.params().iter().enumerate().map(narrow).collect());
        let [nowhere, nowhere_narrow] =
            [Value::of(NOWHERE), Value::of(NOWHERE_NARROW)].map(|it| f.constant(it));
        let mut given = f.params();
        for (id, (field, &is_position)) in given.iter_mut().zip(wide.iter().zip(&self.positions)) {
            let value = f.cast(field.ty, *id)?;
            *id = match is_position {
                true => {
                    let is_nowhere = f.cmp(Cmp::Eq, *id, nowhere_narrow)?;
                    f.select(is_nowhere, nowhere, value)?
                }
                false => value,
            };
        }
        let results = f.call(finish, &given)?;
        Ok(f.build(results))
    }
}

/// Returns the same operations on parameters of another type.
fn of_type(func: &Func, ty: Scalar) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(func.params().iter().map(|param| Param::new(&param.name, ty)).collect());
    let mut ids = f.params();
    for line in func.lines() {
        let of = |Id(id): Id| ids[id as usize];
        ids.push(match line.node {
            Node::Const(value) => f.constant(widened(value)),
            Node::Un(op, a) => f.un(op, of(a))?,
            Node::Bin(op, a, b) => f.bin(op, of(a), of(b))?,
            Node::Cmp(op, a, b) => f.cmp(op, of(a), of(b))?,
            Node::Select(c, a, b) => f.select(of(c), of(a), of(b))?,
            Node::Cast(ty, a) => f.cast(ty, of(a))?,
            Node::MulAdd(a, b, c) => f.mul_add(of(a), of(b), of(c))?,
        });
    }
    Ok(f.build(func.results().iter().map(|&Id(id)| ids[id as usize]).collect()))
}

fn is_nowhere(value: Value) -> bool {
    value == Value::of(NOWHERE)
}

/// Returns the type of a value, narrow if it is a position.
fn narrow(ty: Scalar, is_position: bool) -> Scalar {
    if is_position { Scalar::U32 } else { ty }
}

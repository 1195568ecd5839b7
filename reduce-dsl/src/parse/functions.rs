//! What each closure of a specification is given, sees and gives; the functions that they become.

use super::closure::{Closure, Lambda};
use super::diagnostic::{Errors, Extent};
use super::scope::{Scope, Written};
use super::typing::{self, Hidden, Role, Typed};
use reduce_ir::func::{Func, FuncBuilder, Node, Param};
use reduce_ir::operation::{Operation, Record};
use reduce_ir::ops::{Bin, TypeError, Un};
use reduce_ir::{Scalar, Value};
use syn::Expr;

/// Types the closures of a specification, and keeps them for rustc.
pub(super) struct Functions<'a> {
    scope: &'a Scope,
    /// The structs.
    records: Vec<Record>,
    /// Are there others, which are wrong?
    pub(super) lenient: bool,
    /// For rustc to check.
    pub(super) closures: Vec<Closure>,
}

/// How the accumulator is called in `fold` and `finish`.
pub(super) const ACC: &str = "acc";

const ONLY_ACCUMULATORS: &str = "it combines two accumulators; use it in `map`, `fold` or `finish`";
const NO_ELEMENT: &str = "it is the position of an element; use it in `map` or `fold`";
const NO_CALL: &str = "it is a value that is always the same; use it in `map`, `fold` or `finish`";

/// What a closure is given, in order: names and types; a type that is wrong is `None`.
type Given = Vec<(String, Option<Record>)>;

impl<'a> Functions<'a> {
    pub(super) fn new(scope: &'a Scope, records: Vec<Record>) -> Functions<'a> {
        let lenient = matches!(scope.acc, Written::Wrong);
        Functions { scope, records, lenient, closures: Vec::new() }
    }

    /// Lets the closures that follow know those records, as they are computed with.
    pub(super) fn add(&mut self, records: [Option<&Record>; 2]) {
        self.lenient |= records.contains(&None);
        self.records.extend(records.into_iter().flatten().filter(|it| !it.is_scalar()).cloned());
    }

    /// Inputs, as they are computed with → the accumulator.
    pub(super) fn map(
        &mut self,
        lambda: &Lambda,
        acc: Option<&Record>,
        errors: &mut Errors,
    ) -> Option<Typed> {
        let result = acc.map(|acc| (acc.clone(), "the accumulator"));
        let role = Role { params: self.inputs(lambda, 0), result, ..self.role("map") };
        self.typed(lambda, role, errors)
    }

    /// Inputs, as they are computed with → `bool`.
    pub(super) fn filter(&mut self, lambda: &Lambda, errors: &mut Errors) -> Option<Typed> {
        let result = Some((Record::scalar(Scalar::Bool), "a condition"));
        let role = Role { params: self.inputs(lambda, 0), result, ..self.role("filter") };
        self.typed(lambda, role, errors)
    }

    /// Two accumulators → accumulator.
    pub(super) fn op(&mut self, lambda: &Lambda, acc: Option<&Record>, errors: &mut Errors) -> Option<Typed> {
        let params = ["a", "b"].map(|name| (name.to_owned(), acc.cloned())).to_vec();
        let names = self.scope.names().into_iter();
        let hidden = names.map(|name| Hidden { name, help: ONLY_ACCUMULATORS }).collect();
        let result = acc.map(|acc| (acc.clone(), "the accumulator"));
        let role = Role { params, hidden, result, free: Vec::new(), ..self.role("op") };
        self.typed(lambda, role, errors)
    }

    /// Accumulator, inputs → accumulator; may take the step.
    pub(super) fn fold(
        &mut self,
        lambda: &Lambda,
        acc: Option<&Record>,
        errors: &mut Errors,
    ) -> Option<Typed> {
        let mut params = vec![(ACC.to_owned(), acc.cloned())];
        params.extend(self.inputs(lambda, 1));
        params.push((Operation::STEP.to_owned(), Some(Record::scalar(Scalar::U64))));
        let result = acc.map(|acc| (acc.clone(), "the accumulator"));
        let role = Role { params, optional: 1, result, ..self.role("fold") };
        self.typed(lambda, role, errors)
    }

    /// Accumulator → result; may take the number of elements.
    pub(super) fn finish(
        &mut self,
        lambda: &Lambda,
        acc: Option<&Record>,
        errors: &mut Errors,
    ) -> Option<Typed> {
        let count = (Operation::COUNT.to_owned(), Some(Record::scalar(Scalar::U64)));
        let params = vec![(ACC.to_owned(), acc.cloned()), count];
        let hidden = self.scope.index.iter().map(|name| Hidden { name: name.to_string(), help: NO_ELEMENT });
        let role = Role {
            params,
            optional: 1,
            hidden: hidden.collect(),
            free: self.scope.named_params().collect(),
            defines: Some(self.scope.taken.clone()),
            ..self.role("finish")
        };
        self.typed(lambda, role, errors)
    }

    /// A value, for which there is no element.
    pub(super) fn constant(&mut self, body: &Expr, acc: &Record, errors: &mut Errors) -> Option<Vec<Value>> {
        let names = self.scope.names().into_iter();
        let hidden = names.map(|name| Hidden { name, help: NO_CALL }).collect();
        let result = Some((acc.clone(), "the accumulator"));
        let role = Role { hidden, result, free: Vec::new(), ..self.role("identity") };
        let typed = self.typed(&Lambda::constant(body), role, errors)?;
        typed.func.evaluate(&[]).ok()
    }

    /// The inputs as parameters, of which `before` others come first. Where they are not known, as many as are written.
    fn inputs(&self, lambda: &Lambda, before: usize) -> Given {
        match &self.scope.inputs {
            Some(inputs) => {
                let compute = |input: &Param| (input.name.clone(), Some(Record::scalar(input.ty.compute())));
                inputs.iter().map(compute).collect()
            }
            None => lambda.params.iter().skip(before).map(|_| (String::new(), None)).collect(),
        }
    }

    /// What sees everything, is given nothing and gives anything.
    fn role(&self, name: &'static str) -> Role {
        Role {
            name,
            dialect: self.scope.dialect,
            params: Vec::new(),
            optional: 0,
            free: self.scope.named_params().chain(self.scope.named_index()).collect(),
            has_index: self.scope.index.is_some(),
            lacks_names: self.scope.lacks_names,
            hidden: Vec::new(),
            records: self.records.clone(),
            lenient: self.lenient,
            defines: None,
            result: None,
            number: self.scope.number(),
        }
    }

    fn typed(&mut self, lambda: &Lambda, role: Role, errors: &mut Errors) -> Option<Typed> {
        let typed = typing::closure(lambda, &role, errors)?;
        if ["filter", "map", "finish"].contains(&role.name) {
            note_narrow(&typed.func, lambda, errors);
        }
        let params = self.scope.params.iter().cloned();
        let index = self.scope.index.iter().map(|name| (name.clone(), Scalar::U64));
        let free =
            params.chain(index).filter(|(name, _)| role.free.iter().any(|(_, free)| name == &free.name));
        self.closures.push(Closure {
            tokens: lambda.tokens.clone(),
            params: typed.params.clone(),
            result: typed.result.clone(),
            free: free.collect(),
        });
        Some(typed)
    }
}

/// Notes that arithmetic of 8 and 16 bits wraps.
fn note_narrow(func: &Func, lambda: &Lambda, errors: &mut Errors) {
    let is_narrow = |ty: Scalar| ty.is_integer() && ty.size() < 4;
    let narrow = func.lines().iter().filter(|line| is_narrow(line.ty)).find_map(|line| {
        if let Node::Bin(op @ (Bin::Add | Bin::Sub | Bin::Mul), ..) = line.node {
            Some((op, line.ty))
        } else {
            None
        }
    });
    if let Some((op, ty)) = narrow {
        let wide = if ty.is_signed() { "i32" } else { "u32" };
        let message = format!(
            "`{op}` of {ty} wraps at {} bits, as in Rust in release; convert the operands first, as in `x as {wide}`",
            8 * ty.size()
        );
        errors.note(Extent::of(&lambda.tokens), message);
    }
}

/// A function whose first parameters are values as they are computed with, as one of values as they are `stored`.
pub(super) fn of_stored(func: &Func, stored: &[Param]) -> Result<Func, TypeError> {
    let params = [stored, &func.params()[stored.len()..]].concat();
    let mut f = FuncBuilder::new(params);
    let mut args = f.params();
    for arg in &mut args[..stored.len()] {
        *arg = f.widen(*arg);
    }
    let results = f.call(func, &args)?;
    Ok(f.build(results))
}

/// The function of what `first` gives that `second` is: `second` is given those results, and by name what it uses else.
pub(super) fn behind(first: &Func, second: &Func) -> Result<Func, TypeError> {
    let count = first.results().len();
    let own = second.params().get(count..).unwrap_or_default();
    let new = own.iter().filter(|param| !first.params().contains(param)).cloned();
    let params: Vec<_> = first.params().iter().cloned().chain(new).collect();
    let mut f = FuncBuilder::new(params.clone());
    let all = f.params();
    let mut args = f.call(first, &all[..first.params().len()])?;
    let place = |param: &Param| params.iter().position(|it| it == param).map(|at| all[at]);
    args.extend(own.iter().filter_map(place));
    let results = f.call(second, &args)?;
    Ok(f.build(results))
}

/// The function, every NaN of whose results is the one that results may hold.
pub(super) fn canonical(func: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(func.params().to_vec());
    let results = f.call(func, &f.params())?;
    let one = |id| if f.ty(id).is_float() { f.un(Un::Canonical, id) } else { Ok(id) };
    let results = results.into_iter().map(one).collect::<Result<_, _>>()?;
    Ok(f.build(results))
}

/// The function that gives the accumulator, or an element, itself.
pub(super) fn unchanged(record: &Record, name: &str) -> Func {
    let f = FuncBuilder::new(record.params(name));
    let results = f.params();
    f.build(results)
}

//! The parameters, scope and result of each closure of a specification, and the functions that closures become.

use super::closure::{Closure, Lambda};
use super::diagnostic::{Errors, Extent, spelled};
use super::form::Form;
use super::role::{Hidden, Role};
use super::rows;
use super::scope::Scope;
use super::typing::{self, Outer, Typed};
use super::written::Written;
use reduce_ir::func::{Func, FuncBuilder, Node, Param};
use reduce_ir::operation::{Operation, Record};
use reduce_ir::ops::{Bin, TypeError, Un};
use reduce_ir::{Scalar, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::Expr;

/// Types the closures of a specification, and collects them for rustc.
pub(super) struct Functions<'a> {
    scope: &'a Scope,
    /// The structs.
    records: Vec<Record>,
    /// The Rust types of those that are no plain structs.
    pub(super) forms: Vec<Form>,
    /// Whether further structs exist that could not be read.
    pub(super) lenient: bool,
    /// The closures, for rustc to check.
    pub(super) closures: Vec<Closure>,
}

/// The name of the accumulator in `fold` and `finish`.
pub(super) const ACC: &str = "acc";

const ONLY_ACCUMULATORS: &str = "it combines two accumulators; move this to `map`, `fold` or `finish`";
const NO_ELEMENT: &str = "it is the position of an element; use it in `map` or `fold`";
const NO_CALL: &str = "it is a constant; move this to `map`, `fold` or `finish`";
const NO_NAMES: &str = "it is a constant; write its value, as in `0.0`";

/// The parameters of a closure, in order: names and types. A wrong type is `None`.
type Given = Vec<(String, Option<Record>)>;

impl<'a> Functions<'a> {
    pub(super) fn new(scope: &'a Scope, records: Vec<Record>) -> Functions<'a> {
        let lenient = matches!(scope.acc, Written::Wrong);
        let arrays = scope.written.iter().flatten().filter(|(_, form)| !form.is_flat());
        let forms = arrays.map(|(_, form)| computed(form)).chain(scope.form.iter().cloned()).collect();
        Functions { scope, records, forms, lenient, closures: Vec::new() }
    }

    /// Adds records, in their compute types, to the scope of the closures that follow.
    pub(super) fn add(&mut self, records: [Option<&Record>; 2]) {
        self.lenient |= records.contains(&None);
        self.records.extend(records.into_iter().flatten().filter(|it| !it.is_scalar()).cloned());
    }

    /// Reads `map`: inputs in their compute types → accumulator.
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

    /// Reads `filter`: inputs in their compute types → `bool`.
    pub(super) fn filter(&mut self, lambda: &Lambda, errors: &mut Errors) -> Option<Typed> {
        let result = Some((Record::scalar(Scalar::Bool), "a condition"));
        let role = Role { params: self.inputs(lambda, 0), result, ..self.role("filter") };
        self.typed(lambda, role, errors)
    }

    /// Reads `by`: inputs in their compute types → an integer.
    pub(super) fn key(&mut self, lambda: &Lambda, errors: &mut Errors) -> Option<Typed> {
        let role = Role { params: self.inputs(lambda, 0), ..self.role("by") };
        let typed = self.typed(lambda, role, errors)?;
        if !typed.result.is_scalar() || !typed.result.fields[0].ty.is_integer() {
            let message = format!("a key is an integer, and this is {}", typed.result.text());
            errors.add(Extent::of(&lambda.tokens), message).help("convert it, as in `x as u32`");
            return None;
        }
        Some(typed)
    }

    /// Reads `op`: two accumulators → accumulator.
    pub(super) fn op(&mut self, lambda: &Lambda, acc: Option<&Record>, errors: &mut Errors) -> Option<Typed> {
        let params = ["a", "b"].map(|name| (name.to_owned(), acc.cloned())).to_vec();
        let names = self.scope.names().into_iter();
        let hidden = names.map(|name| Hidden { name, help: ONLY_ACCUMULATORS }).collect();
        let result = acc.map(|acc| (acc.clone(), "the accumulator"));
        let role = Role { params, hidden, result, free: Vec::new(), ..self.role("op") };
        self.typed(lambda, role, errors)
    }

    /// Reads `fold`: accumulator, inputs → accumulator. It may take the step.
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

    /// Reads `finish`: accumulator → result. It may take the number of elements.
    pub(super) fn finish(
        &mut self,
        lambda: &Lambda,
        acc: Option<&Record>,
        errors: &mut Errors,
    ) -> Option<Typed> {
        let count = (Operation::COUNT.to_owned(), Some(Record::scalar(Scalar::U64)));
        let params = vec![(ACC.to_owned(), acc.cloned()), count];
        let positions = self.scope.positions().map(|(name, _)| name.to_string());
        let hidden = positions.map(|name| Hidden { name, help: NO_ELEMENT });
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

    /// Evaluates an expression that cannot refer to an element.
    pub(super) fn constant(
        &mut self,
        field: &'static str,
        body: &Expr,
        (ty, whose): (&Record, &'static str),
        errors: &mut Errors,
    ) -> Option<Vec<Value>> {
        let names = self.scope.names().into_iter();
        let help = if field == "empty" { NO_NAMES } else { NO_CALL };
        let hidden = names.map(|name| Hidden { name, help }).collect();
        let result = Some((ty.clone(), whose));
        let mut role = Role { hidden, result, free: Vec::new(), ..self.role(field) };
        if !ty.is_scalar() && !role.records.contains(ty) {
            role.records.push(ty.clone());
        }
        let typed = self.typed(&Lambda::constant(body), role, errors)?;
        typed.func.evaluate(&[]).ok()
    }

    /// Returns the inputs as parameters. If the inputs are unknown, returns one untyped parameter for each that
    /// is written after the first `before`.
    fn inputs(&self, lambda: &Lambda, before: usize) -> Given {
        match &self.scope.written {
            Some(inputs) => {
                let compute = |(name, form): &(String, Form)| (name.clone(), Some(computed(form).record()));
                inputs.iter().map(compute).collect()
            }
            None => lambda.params.iter().skip(before).map(|_| (String::new(), None)).collect(),
        }
    }

    /// Returns a role without parameters and result, with every name in scope.
    fn role(&self, name: &'static str) -> Role {
        Role {
            name,
            dialect: self.scope.dialect,
            constants: Rc::clone(&self.scope.constants),
            params: Vec::new(),
            optional: 0,
            free: self
                .scope
                .named_params()
                .chain(self.scope.named_index())
                .chain(self.scope.along.free())
                .collect(),
            has_index: self.scope.index.is_some(),
            lacks_names: self.scope.lacks_names,
            hidden: Vec::new(),
            records: self.records.clone(),
            forms: self.forms.clone(),
            helpers: Rc::clone(&self.scope.helpers),
            lenient: self.lenient,
            defines: None,
            result: None,
            number: self.scope.number(),
        }
    }

    /// Gives the elements of arrays the names that they have as inputs of the operation.
    fn with_inputs(&self, func: &Func) -> Result<Func, TypeError> {
        if !self.scope.has_arrays() {
            return Ok(func.clone());
        }
        let arrays = self.scope.written.iter().flatten().filter(|(_, form)| !form.is_flat());
        let names = |(name, form): &(String, Form)| {
            let parts = form.record().fields.into_iter().enumerate();
            parts
                .map(|(at, part)| (format!("{name}.{}", part.name), format!("{name}_{at}")))
                .collect::<Vec<_>>()
        };
        let names: BTreeMap<String, String> = arrays.flat_map(names).collect();
        let named =
            |param: &Param| Param { name: names.get(&param.name).unwrap_or(&param.name).clone(), ..*param };
        let params = func.params().iter().map(named).collect();
        let mut f = FuncBuilder::new(params);
        let results = f.call(func, &f.params())?;
        Ok(f.build(results))
    }

    fn typed(&mut self, lambda: &Lambda, role: Role, errors: &mut Errors) -> Option<Typed> {
        let mut typed = typing::closure(lambda, &role, rows::definition, errors)?;
        if ["filter", "map", "finish"].contains(&role.name) {
            note_narrow(&typed.func, lambda, errors);
        }
        for func in [&mut typed.func, &mut typed.written] {
            *func = self.with_inputs(func).ok()?;
        }
        self.forms.extend(typed.form.clone());
        self.name_constants(&typed.constants, errors)?;
        let params = self.scope.params.iter().cloned();
        let free = params
            .chain(self.scope.positions())
            .filter(|(name, _)| role.free.iter().any(|(_, free)| name == &free.name));
        self.closures.push(Closure {
            tokens: lambda.tokens.clone(),
            params: typed.params.clone(),
            result: typed.result.clone(),
            free: free.collect(),
            forms: self.forms.clone(),
        });
        let own = typed.params.iter().take(role.params.len() - role.optional);
        let own = own.map(|record| record.fields.len()).sum();
        typed.func = self.scope.along.computed(typed.func, own).ok()?;
        Some(typed)
    }
}

impl Functions<'_> {
    /// Adds the constants of a closure to the scope. A constant has one type in all closures.
    fn name_constants(&self, constants: &[Outer], errors: &mut Errors) -> Option<()> {
        for constant in constants {
            let mut known = self.scope.outer.borrow_mut();
            match known.iter().find(|known| known.param.name == constant.param.name) {
                Some(same) if same.param.ty != constant.param.ty => {
                    let (name, own) = (spelled(&constant.tokens), constant.param.ty);
                    let message = format!("{name} is {} in another closure, and {own} here", same.param.ty);
                    errors.add(Extent::of(&constant.tokens), message);
                    return None;
                }
                Some(_) => {}
                None => known.push(constant.clone()),
            }
        }
        Some(())
    }
}

/// Returns the form with every scalar in the type of its computation.
fn computed(form: &Form) -> Form {
    match form {
        Form::Scalar(ty) => Form::Scalar(ty.compute()),
        Form::Array(element, count) => Form::Array(Box::new(computed(element)), *count),
        Form::Tuple(_) | Form::Struct(..) => form.clone(),
    }
}

/// Adds a note that 8-bit and 16-bit arithmetic wraps.
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

/// Converts a function of compute types: its first parameters become the `stored` types.
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

/// Composes two functions. `second` takes the results of `first` and, by name, its other parameters.
pub(super) fn compose(first: &Func, second: &Func) -> Result<Func, TypeError> {
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

/// Makes every NaN in the results canonical.
pub(super) fn canonical(func: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(func.params().to_vec());
    let results = f.call(func, &f.params())?;
    let one = |id| if f.ty(id).is_float() { f.un(Un::Canonical, id) } else { Ok(id) };
    let results = results.into_iter().map(one).collect::<Result<_, _>>()?;
    Ok(f.build(results))
}

/// Returns the identity function on an accumulator or an element.
pub(super) fn unchanged(record: &Record, name: &str) -> Func {
    let f = FuncBuilder::new(record.params(name));
    let results = f.params();
    f.build(results)
}

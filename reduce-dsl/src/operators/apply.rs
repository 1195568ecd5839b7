//! Applies a row to inputs: its text becomes the functions of an [`Operation`].

use super::words::{halves, has_range_of, values};
use super::{Nan, Operator, OperatorError, Request, Ties, additive};
use crate::parse;
use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::operation::{Measures, Nothing, Operation, Order, Record, Search};
use reduce_ir::ops::{Bin, TypeError, Un};
use reduce_ir::{Scalar, Value};
use std::ops::Range;

impl Operator {
    /// Returns the reduction of `inputs` by this operator, after `map` if there is one. `map` takes inputs in
    /// their compute type, [`Scalar::compute`], and returns one scalar.
    ///
    /// # Errors
    /// The operator does not accept the inputs.
    pub fn apply(&self, inputs: &[Param], map: Option<&Func>) -> Result<Operation, OperatorError> {
        self.applied(&Request { map, ..Request::new(inputs) })
    }

    /// Returns the requested reduction.
    ///
    /// # Errors
    /// The operator does not accept the inputs, or does not offer the requested choice.
    pub fn applied(&self, request: &Request<'_>) -> Result<Operation, OperatorError> {
        request.check_names()?;
        let element = self.element(request)?;
        let acc = self.accumulator(element, request.acc)?;
        self.check_choices(request)?;
        self.row(request, element, acc).operation()
    }

    /// Returns `combine` for elements of type `element` and an accumulator whose own scalars have type `acc`.
    pub(crate) fn combine(
        &self,
        element: Scalar,
        acc: Scalar,
        nan: Nan,
        ties: Ties,
    ) -> Result<Func, OperatorError> {
        let record = self.acc.record(element, acc);
        let request = Request { nan, ties: Some(ties), ..Request::new(&[]) };
        self.row(&request, element, acc).combine(&record)
    }

    /// Returns the accumulator that is neutral with all others, if there is one.
    pub(crate) fn neutral(
        &self,
        element: Scalar,
        acc: Scalar,
        nan: Nan,
    ) -> Result<Option<Vec<Value>>, OperatorError> {
        let record = self.acc.record(element, acc);
        let request = Request { nan, ..Request::new(&[]) };
        let row = self.row(&request, element, acc);
        self.fill.or(self.identity).map(|fill| row.value(fill, &record)).transpose()
    }

    fn row<'a>(&'a self, request: &'a Request<'a>, element: Scalar, acc: Scalar) -> Row<'a> {
        let ranged = self.ranged.filter(|_| has_range_of(acc, element)).unwrap_or(self);
        let counting = ranged.counting.filter(|_| request.has_absent(element));
        Row { row: counting.unwrap_or(ranged), request, element, acc }
    }

    fn element(&self, request: &Request<'_>) -> Result<Scalar, OperatorError> {
        let operator = self.name;
        let ty = match request.map {
            Some(_) if self.inputs != 1 => {
                return Err(OperatorError::OwnMap { operator, instead: self.instead() });
            }
            Some(map) => map.result_types()[0],
            None => self.unmapped_element(request.inputs)?,
        };
        let domain = self.domain.text();
        self.takes(ty).then_some(ty).ok_or(OperatorError::Undefined { operator, ty, domain })
    }

    /// Returns the text to write instead of a `map`.
    fn instead(&self) -> &'static str {
        let adds = self.op == additive::SUM.op && self.finish == additive::SUM.finish;
        if adds { "write `op: sum` with this `map`" } else { "leave `map` out" }
    }

    fn unmapped_element(&self, inputs: &[Param]) -> Result<Scalar, OperatorError> {
        let (operator, found) = (self.name, inputs.len());
        if found != self.inputs {
            let expected = if self.inputs == 1 { "1 input" } else { "2 inputs" };
            return Err(OperatorError::Inputs { operator, expected, found });
        }
        let left = inputs[0].ty;
        match inputs.iter().map(|input| input.ty).find(|ty| ty.compute() != left.compute()) {
            Some(right) => Err(OperatorError::Mixed { operator, left, right }),
            None => Ok(left),
        }
    }

    fn accumulator(&self, element: Scalar, asked: Option<Scalar>) -> Result<Scalar, OperatorError> {
        match asked {
            Some(acc) if !self.width.takes(element, acc) => {
                let takes = self.width.text(element);
                Err(OperatorError::Accumulator { operator: self.name, element, acc, takes })
            }
            Some(acc) => Ok(acc),
            None => Ok(self.width.of(element)),
        }
    }

    fn check_choices(&self, request: &Request<'_>) -> Result<(), OperatorError> {
        let operator = self.name;
        if request.ties.is_some() && !self.ties {
            return Err(OperatorError::Ties { operator });
        }
        if request.params.iter().any(|param| param.name == request.index) {
            return Err(OperatorError::Position { name: request.index.to_owned() });
        }
        for &(name, expected, _) in self.params {
            let given = request.params.iter().find(|param| param.name == name);
            if let Some(&Param { ty: found, .. }) = given.filter(|param| param.ty != expected) {
                return Err(OperatorError::Param { operator, name, expected, found });
            }
        }
        Ok(())
    }
}

/// A row with the types and choices that its words stand for.
struct Row<'a> {
    row: &'a Operator,
    request: &'a Request<'a>,
    element: Scalar,
    acc: Scalar,
}

impl Row<'_> {
    fn operation(&self) -> Result<Operation, OperatorError> {
        let (row, request) = (self.row, self.request);
        let acc = row.acc.record(self.element, self.acc);
        let output = row.output.record(self.element, self.acc);
        let combine = self.combine(&acc)?;
        let fold = row.fold.map(|fold| self.lifted(fold, Some(&acc), &acc)).transpose()?;
        let [identity, fill] =
            [row.identity, row.fill].map(|it| it.map(|it| self.value(it, &acc)).transpose());
        let (identity, fill) = (identity?, fill?);
        let rounds = combine.rounds() || fold.as_ref().is_some_and(Func::rounds);
        Ok(Operation {
            name: row.name.to_owned(),
            inputs: request.inputs.to_vec(),
            params: request.params.to_vec(),
            measures: Measures::default(),
            index: request.index.to_owned(),
            key: None,
            position: Scalar::U64,
            map: self.lifted(row.map, None, &acc)?,
            combine,
            fold,
            fill: fill.or_else(|| identity.clone()),
            identity,
            commutative: row.commutative,
            exact: row.commutative && !rounds,
            named: true,
            order: Order::default(),
            searches: row
                .searches
                .iter()
                .map(|search| self.search(search, &acc))
                .collect::<Result<_, _>>()?,
            finish: self.finish(&acc, &output)?,
            empty: None,
            nothing: self.nothing(&output)?,
            asserts: false,
            acc,
            output,
        })
    }

    fn combine(&self, acc: &Record) -> Result<Func, OperatorError> {
        self.function(self.row.op, &[("a", acc.clone()), ("b", acc.clone())], acc)
    }

    fn search(&self, &[name, position, best]: &[&str; 3], acc: &Record) -> Result<Search, OperatorError> {
        let field = |name| {
            let field = acc.fields.iter().position(|field| field.name == name);
            field.ok_or_else(|| self.bug(format_args!("the accumulator has no `{name}`")))
        };
        let (field, position) = (field(name)?, field(position)?);
        let place = if self.request.ties == Some(Ties::Last) { Bin::Max } else { Bin::Min };
        let value = Record::scalar(acc.fields[field].ty);
        let best = self.function(best, &[("a", value.clone()), ("b", value.clone())], &value)?;
        Ok(Search { field, position, place, best })
    }

    /// Returns whether the elements can be NaN and NaN is ignored.
    fn ignores(&self) -> bool {
        self.request.nan == Nan::Ignore && self.element.is_float()
    }

    fn bug(&self, message: impl ToString) -> OperatorError {
        OperatorError::Row { operator: self.row.name, message: message.to_string() }
    }

    /// Runs the reader of row texts with the words, names and structs of this row.
    fn read<R>(
        &self,
        read: impl FnOnce(&parse::rows::Row<'_>) -> Result<R, String>,
    ) -> Result<R, OperatorError> {
        let words = self.words();
        let words: Vec<_> = words.iter().map(|(word, text)| (word.as_str(), text.as_str())).collect();
        let own = self.row.params.iter().filter(|(name, ..)| self.is_given(name));
        let own = own.map(|(name, ty, _)| Param::new(*name, *ty));
        let places = [POSITION, Operation::STEP].map(|name| Param::new(name, Scalar::U64));
        let free: Vec<_> = places.into_iter().chain(own).collect();
        let records = [self.row.acc, self.row.output].map(|shape| shape.record(self.element, self.acc));
        let row = parse::rows::Row { words: &words, free: &free, records: &records };
        read(&row).map_err(|message| self.bug(message))
    }

    fn is_given(&self, name: &str) -> bool {
        self.request.params.iter().any(|param| param.name == name)
    }

    /// Returns the meaning of each word.
    fn words(&self) -> Vec<(String, String)> {
        let (element, acc) = (self.element, self.acc);
        let is_last = self.request.ties == Some(Ties::Last);
        let types = [("T", element), ("W", element.widened()), ("A", acc)]
            .map(|(word, ty)| (word.to_owned(), ty.to_string()));
        let is_split = !element.is_float() && element.size() == 8;
        let absent = self.request.has_absent(element);
        let truths = [("IGNORE", self.ignores()), ("ABSENT", absent), ("LAST", is_last), ("SPLIT", is_split)]
            .map(|(word, it)| (word.to_owned(), it.to_string()));
        let left = self.row.params.iter().filter(|(name, ..)| !self.is_given(name));
        let left = left.map(|(name, _, value)| ((*name).to_owned(), (*value).to_owned()));
        let values = [values("T", element), values("A", acc), halves(element, acc).to_vec()].concat();
        types.into_iter().chain(truths).chain(left).chain(values).collect()
    }

    /// Reads the text of a function. The position and the params that it uses are appended to its parameters.
    fn function(
        &self,
        text: &str,
        params: &[(&str, Record)],
        result: &Record,
    ) -> Result<Func, OperatorError> {
        self.read(|row| row.function(text, params, Some(result)).map(|(func, _)| func))
    }

    /// Evaluates an expression.
    fn value(&self, text: &str, ty: &Record) -> Result<Vec<Value>, OperatorError> {
        self.read(|row| row.value(text, ty))
    }

    /// Reads a function of an optional accumulator and elements, and turns it into a function of the inputs.
    fn lifted(&self, text: &str, acc: Option<&Record>, result: &Record) -> Result<Func, OperatorError> {
        let inputs = self.request.inputs.iter().map(|input| input.ty);
        let elements = if self.request.map.is_some() { vec![self.element] } else { inputs.collect() };
        let count = elements.len();
        let elements = ["x", "y"].into_iter().zip(elements.into_iter().map(Record::scalar));
        let params: Vec<_> = acc.map(|acc| ("acc", acc.clone())).into_iter().chain(elements).collect();
        let written = self.function(text, &params, result)?;
        let accs = acc.map_or(0, |acc| acc.fields.len());
        let lift = self.skipping(written, accs..accs + count, result)?;
        Ok(Lift { lift: &lift, accs, request: self.request }.func()?)
    }

    /// Makes a function skip NaN, if the row skips NaN. If an element at `places` is NaN, the result is the
    /// accumulator in front of the elements, or the identity if there is no accumulator.
    fn skipping(&self, func: Func, places: Range<usize>, acc: &Record) -> Result<Func, OperatorError> {
        let Some(identity) = self.row.identity.filter(|_| self.row.skips_nan && self.ignores()) else {
            return Ok(func);
        };
        let mut f = FuncBuilder::new(func.params().to_vec());
        let params = f.params();
        let skipped = match places.start {
            0 => self.value(identity, acc)?.into_iter().map(|value| f.constant(value)).collect(),
            _ => params[..places.start].to_vec(),
        };
        let mut skip = f.constant(Value::of(false));
        for &element in &params[places] {
            let nan = f.un(Un::IsNan, element)?;
            skip = f.bin(Bin::Or, skip, nan)?;
        }
        if skipped.len() > 1 {
            f.name(skip, "skip");
        }
        let results = f.call(&func, &params)?.into_iter().zip(skipped);
        let results = results.map(|(result, none)| f.select(skip, none, result)).collect::<Result<_, _>>()?;
        Ok(f.build(results))
    }

    /// Reads `finish` and makes every NaN of its result canonical.
    fn finish(&self, acc: &Record, output: &Record) -> Result<Func, OperatorError> {
        let text = self.row.finish;
        let count = text.starts_with("|acc, n|").then(|| (Operation::COUNT, Record::scalar(Scalar::U64)));
        let params: Vec<_> = [("acc", acc.clone())].into_iter().chain(count).collect();
        let finish = self.function(text, &params, output)?;
        let mut f = FuncBuilder::new(finish.params().to_vec());
        let results = f.call(&finish, &f.params())?;
        let canonical = |id| if f.ty(id).is_float() { f.un(Un::Canonical, id) } else { Ok(id) };
        let results = results.into_iter().map(canonical).collect::<Result<_, _>>()?;
        Ok(f.build(results))
    }

    fn nothing(&self, output: &Record) -> Result<Option<Nothing>, OperatorError> {
        let first = Record::scalar(output.fields[0].ty);
        let nothing = self.row.nothing.filter(|_| self.ignores());
        let values = nothing.map(|text| self.value(text, &first)).transpose()?;
        Ok(values.map(|values| Nothing::Scalar(values[0])))
    }
}

/// The word for the position in the texts of rows.
const POSITION: &str = "i";

/// A function of accumulators and elements that becomes one of accumulators and inputs.
struct Lift<'a> {
    lift: &'a Func,
    accs: usize,
    request: &'a Request<'a>,
}

impl Lift<'_> {
    fn func(&self) -> Result<Func, TypeError> {
        let inputs = self.request.inputs.len();
        let extras = self.extras();
        let own = [&self.lift.params()[..self.accs], self.request.inputs, &extras].concat();
        let mut f = FuncBuilder::new(own);
        let all = f.params();
        let (mut args, rest) = (all[..self.accs].to_vec(), &all[self.accs..]);
        let named =
            |param: &Param| extras.iter().position(|extra| extra == param).map(|at| rest[inputs + at]);
        match self.request.map {
            None => args.extend(&rest[..inputs]),
            Some(map) => {
                let mut of_map: Vec<_> = rest[..inputs].iter().map(|&x| f.widen(x)).collect();
                of_map.extend(map.params()[inputs..].iter().filter_map(named));
                args.extend(f.call(map, &of_map)?);
            }
        }
        let others = self.lift.params()[args.len()..].iter().map(|param| self.renamed(param));
        args.extend(others.filter_map(|param| named(&param)));
        let results = f.call(self.lift, &args)?;
        Ok(f.build(results))
    }

    /// Returns the parameters other than accumulators and inputs.
    fn extras(&self) -> Vec<Param> {
        let (inputs, map) = (self.request.inputs.len(), self.request.map);
        let of_map = map.map_or(&[][..], |map| &map.params()[inputs..]);
        let elements = self.accs + if map.is_some() { 1 } else { inputs };
        let others = self.lift.params()[elements..].iter().map(|param| self.renamed(param));
        let mut extras: Vec<Param> = Vec::new();
        for param in of_map.iter().cloned().chain(others) {
            if !extras.contains(&param) {
                extras.push(param);
            }
        }
        extras
    }

    /// Gives the position the name that the request has for it.
    fn renamed(&self, param: &Param) -> Param {
        let name = if param.name == POSITION { self.request.index } else { &param.name };
        Param::new(name, param.ty)
    }
}

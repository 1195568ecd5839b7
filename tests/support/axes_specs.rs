//! Random specifications with `axes`, and their results on the host: of all groups in one call, and of a copy of the elements
//! of each group.
#![allow(dead_code, reason = "no test uses all of it")]

use super::axes_shapes::{Limits, Shape, gathered};
use super::classes::Class;
use super::fuzzed::Pool;
use super::splitmix::Random;
use super::subjects::{NO_RESULT, bits, params};
use fuzz::check;
use fuzz::spec::RandomSpec;
use reduce_ir::axes::{self, Nest};
use reduce_ir::func::Param;
use reduce_ir::{Axes, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Error, Groups, Reducer, View};

/// A specification with `axes` that the parser accepts, on the host.
pub(crate) struct Fuzzed {
    pub(crate) seed: u64,
    pub(crate) spec: Spec,
    pub(crate) groups: Reducer,
    /// The same specification without `axes`.
    pub(crate) alone: Reducer,
    pub(crate) params: Vec<Value>,
    /// The number of passes that were refused.
    pub(crate) refused: usize,
}

/// The number of tries to find a shape within the limits.
const TRIES: usize = 4;

/// The bits of each group, or [`NO_RESULT`]; or the error of the call.
pub(crate) type Results = Result<Vec<String>, String>;

impl Fuzzed {
    /// Parses and checks the specification of a seed. Returns `None` if the parser refuses it.
    pub(crate) fn of_seed(seed: u64) -> Result<Option<Fuzzed>, String> {
        let scheduled = RandomSpec::with_axes(seed).and_then(|random| random.scheduled().ok());
        // One failed assertion fails the whole call.
        let scheduled = scheduled.filter(|it| !it.spec.operation.asserts);
        let Some(scheduled) = scheduled else { return Ok(None) };
        let failed = |what: String| format!("{}\n{what}", scheduled.text);
        check::canonical(&scheduled.spec).map_err(failed)?;
        let alone = scheduled.random.alone().text();
        let alone = reduce_dsl::parse::text(&alone, None).map_err(|error| failed(error.to_string()))?.spec;
        let host = |spec| Reducer::new(spec, &Device::host()).map_err(|error| failed(error.to_string()));
        let (groups, alone) = (host(&scheduled.spec)?, host(&alone)?);
        let params = params(groups.operation());
        let spec = Spec { text: scheduled.text.clone(), ..scheduled.spec.clone() };
        Ok(Some(Fuzzed { seed, spec, groups, alone, params, refused: scheduled.refused }))
    }

    pub(crate) fn axes(&self) -> &Axes {
        self.groups.axes().unwrap()
    }

    /// Returns the class of its elements.
    pub(crate) fn class(&self) -> Class {
        Class::ALL[(self.seed % Class::ALL.len() as u64) as usize]
    }

    /// Returns a random shape of at most that many elements, or `None` if the lengths of the specification are greater. Few shapes
    /// have groups that are too long for the team.
    pub(crate) fn shape(&self, elements: usize, random: &mut Random) -> Option<Shape> {
        let most = self.groups.programs().up_to().filter(|_| random.below(8) > 0);
        let length = most.map_or(usize::MAX, |most| most as usize);
        (0..TRIES).find_map(|_| Shape::new(self.axes(), Limits { elements, length }, random))
    }

    /// Returns the data of each input.
    pub(crate) fn data<'a>(&self, shape: &Shape, pool: &'a Pool) -> Vec<LanesRef<'a>> {
        let inputs = self.groups.operation().inputs.iter().zip(&shape.inputs).enumerate();
        let data = inputs.map(|(at, (param, layout))| {
            let start = Pool::start(at) + layout.start;
            pool.elements(param.ty, self.class()).borrow().slice(start..start + layout.len)
        });
        data.collect()
    }

    /// Returns the loops over inputs of that shape, as the library merges them.
    pub(crate) fn nest(&self, shape: &Shape) -> Result<Nest, String> {
        let inputs = self.groups.operation().inputs.iter().zip(&shape.inputs);
        let shapes = inputs.map(|(param, layout)| {
            let lengths = layout.lengths.iter().map(|&length| length as u64).collect();
            let steps = layout.steps.iter().map(|&step| step as i64).collect();
            (param.name.as_str(), axes::Shape { lengths, steps })
        });
        let nest = self.axes().nest(&shapes.collect::<Vec<_>>()).map_err(|error| error.to_string())?;
        Ok(nest.merged())
    }

    /// Returns the results of all groups by one call of a reducer of the specification, for host memory.
    pub(crate) fn by(&self, reducer: &Reducer, shape: &Shape, data: &[LanesRef<'_>]) -> Results {
        let inputs = shape.inputs.iter().zip(data);
        let views: Vec<View<LanesRef<'_>>> = inputs.map(|(layout, data)| layout.view(*data)).collect();
        results(shape, reducer.reduce_groups(&views, &self.params))
    }

    /// Returns the results of a copy of the elements of each group.
    pub(crate) fn each_alone(&self, shape: &Shape, data: &[LanesRef<'_>]) -> Results {
        let positions: Vec<_> = (0..data.len()).map(|input| shape.positions(input)).collect();
        let copies = |group: usize| {
            let inputs = data.iter().zip(&positions);
            inputs.map(move |(data, (firsts, distances))| gathered(*data, firsts[group], distances))
        };
        let one =
            |group| self.one_alone(&copies(group).collect::<Vec<_>>(), &self.params_alone(shape, group));
        (0..shape.groups()).map(one).collect()
    }

    /// Returns the params of one group: those of the call, and those that positions along axes are computed from.
    fn params_alone(&self, shape: &Shape, group: usize) -> Vec<Value> {
        let given = self.groups.operation().given_params();
        let value = |param: &Param| {
            if let Some(at) = given.iter().position(|it| it == param) {
                return self.params[at];
            }
            Value::of(match param.name.rsplit_once('_') {
                Some((axis, "length")) => shape.along(axis)[0],
                Some((axis, "inner")) => shape.along(axis)[1],
                _ => group as u64,
            })
        };
        self.alone.operation().params.iter().map(value).collect()
    }

    fn one_alone(&self, elements: &[Lanes], params: &[Value]) -> Result<String, String> {
        let elements: Vec<_> = elements.iter().map(Lanes::borrow).collect();
        match self.alone.reduce_with(&elements, params).map(|outcome| outcome.values) {
            Err(error) if !matches!(error, Error::Empty { .. } | Error::NothingLeft { .. }) => {
                Err(error.to_string())
            }
            found => Ok(bits(found)),
        }
    }
}

/// Returns the bits of each group. Another shape of the result is an error.
pub(crate) fn results(shape: &Shape, found: Result<Groups, Error>) -> Results {
    let groups = found.map_err(|error| error.to_string())?;
    if groups.shape != shape.result() {
        return Err(format!("the result has shape {:?}, not {:?}", groups.shape, shape.result()));
    }
    let of = |group| groups.get(group).map_or_else(|| NO_RESULT.to_owned(), |values| bits(Ok(values)));
    Ok((0..groups.len()).map(of).collect())
}

/// Compares results with those that they must be. Describes the first difference.
pub(crate) fn compare(who: &str, found: &Results, wanted: &Results) -> Result<(), String> {
    if found == wanted {
        return Ok(());
    }
    let (Ok(found), Ok(wanted)) = (found, wanted) else {
        return Err(format!("{who}: {}\nalone: {}", shown(found), shown(wanted)));
    };
    let differ = found.iter().zip(wanted).enumerate().filter(|(_, (found, wanted))| found != wanted);
    let count = differ.clone().count();
    let first =
        differ.map(|(group, (found, wanted))| format!("group {group}: {found}\nalone: {wanted}")).next();
    let first = first.unwrap_or_else(|| format!("{} groups, not {}", found.len(), wanted.len()));
    Err(format!("{who}: {count} of {} groups differ; {first}", wanted.len()))
}

fn shown(results: &Results) -> String {
    match results {
        Ok(groups) => format!("{} groups", groups.len()),
        Err(error) => error.clone(),
    }
}

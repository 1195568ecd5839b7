//! `reducegen run` with axes: data files in, one result for each group out.

use crate::args::Request;
use crate::array::coordinates;
use crate::data::Data;
use crate::failure::Failure;
use crate::shape::{Shaped, text};
use reduce_ir::axes::{Shape, ShapeError};
use reduce_ir::operation::Operation;
use reduce_ir::{Axes, Spec, Value};
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Error, Groups, Reducer, View};
use std::time::{Duration, Instant};

/// The maximum number of results in a line of JSON.
const MOST_OF_JSON: u64 = 65_536;

/// The inputs of a run, and the specification for their shapes.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) shaped: Shaped,
    pub(crate) views: Vec<View<LanesRef<'a>>>,
}

impl<'a> Inputs<'a> {
    /// Returns the arrays as views, with the shapes of the files or of `--shape`.
    pub(crate) fn of(
        args: &Request,
        spec: &Spec,
        axes: &Axes,
        data: &'a [Data],
    ) -> Result<Inputs<'a>, Failure> {
        check_args(args)?;
        let shapes = shapes(args, axes, data)?;
        let views = data.iter().zip(&shapes).map(|(file, shape)| view(file, shape));
        let views = views.collect::<Result<_, _>>()?;
        let shaped = Shaped::new(spec, axes, shapes)?;
        check_limit(&shaped.spec.operation, shaped.extent().groups, args.limit)?;
        Ok(Inputs { shaped, views })
    }

    /// Reduces the groups, and returns the time of the computation without transfers, if it is known.
    pub(crate) fn reduce(
        &self,
        reducer: &Reducer,
        params: &[Value],
        device: &Device,
    ) -> Result<(Groups, Option<Duration>), Failure> {
        let start = Instant::now();
        let groups = reducer.reduce_groups(&self.views, params)?;
        let wall = start.elapsed();
        if device.architecture().is_none() {
            return Ok((groups, Some(wall)));
        }
        // The results are there. Timing needs more memory, and may fail.
        let timing = reducer.time_groups(&self.views, params).ok();
        Ok((groups, timing.map(|timing| timing.plan)))
    }
}

/// Refuses the options that choose elements of a file.
fn check_args(args: &Request) -> Result<(), Failure> {
    let given =
        [("--offset", args.offset != [0]), ("--step", args.step != [1]), ("--len", args.len.is_some())];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::request(format!(
            "`{option}` chooses elements of one row, and axes take whole arrays; leave `{option}` out, or save the \
             slice as an array"
        ))),
    }
}

/// Refuses more results than a line of JSON should hold.
pub(crate) fn check_json(json: bool, groups: u64) -> Result<(), Failure> {
    if json && groups > MOST_OF_JSON {
        return Err(Failure::request(format!(
            "`--json` prints at most {MOST_OF_JSON} results, not {groups}; write them to a file, as with `-o out.npy`"
        )));
    }
    Ok(())
}

/// Refuses more results than memory should hold.
pub(crate) fn check_limit(operation: &Operation, groups: u64, limit: u64) -> Result<(), Failure> {
    let bytes = groups.saturating_mul(operation.stored().size() as u64);
    if bytes > limit {
        return Err(Failure::request(format!(
            "{groups} results need {bytes} bytes of memory, and `--limit` allows {limit}; raise it"
        )));
    }
    Ok(())
}

/// Returns the lengths and steps of each input.
fn shapes(args: &Request, axes: &Axes, data: &[Data]) -> Result<Vec<Shape>, Failure> {
    let too_large = || Failure::from(Error::Shape(ShapeError::TooLarge));
    if args.raw.is_none() {
        if args.shape.is_some() {
            return Err(Failure::request("NumPy files tell their shapes; leave `--shape` out"));
        }
        let shapes = data.iter().filter_map(Data::shape);
        return shapes.map(|shape| shape.steps().ok_or_else(too_large)).collect();
    }
    let Some(lengths) = &args.shape else {
        return Err(Failure::request("raw data has no shape; give it, as in `--shape 1024x4096`"));
    };
    let lengths = lengths.of_inputs(axes)?;
    let shape = |(file, lengths): (&Data, &Vec<u64>)| {
        let shape = Shape::row_major(lengths).ok_or_else(too_large)?;
        check_count(file, lengths)?;
        Ok(shape)
    };
    data.iter().zip(&lengths).map(shape).collect()
}

/// Checks that raw data has as many elements as its shape.
fn check_count(file: &Data, lengths: &[u64]) -> Result<(), Failure> {
    let (found, needed) = (file.lanes()?.len() as u64, lengths.iter().product::<u64>());
    if found == needed {
        return Ok(());
    }
    let (path, shape) = (file.path.display(), text(lengths));
    Err(Failure::request(format!("{path} has {found} elements, and the shape {shape} has {needed}")))
}

/// Returns the elements of a file along its axes.
fn view<'a>(file: &'a Data, shape: &Shape) -> Result<View<LanesRef<'a>>, Failure> {
    let lengths = shape.lengths.iter().map(|&length| length as usize).collect();
    let steps = shape.steps.iter().map(|&step| step as isize).collect();
    Ok(View { data: file.lanes()?, offset: 0, lengths, steps })
}

/// Checks that every group has a result.
pub(crate) fn check_present(groups: &Groups) -> Result<(), Failure> {
    let absent = groups.present.as_ref().and_then(|present| present.iter().position(|present| !present));
    let Some(absent) = absent else { return Ok(()) };
    let place: Vec<_> = coordinates(&groups.shape, absent as u64).iter().map(u64::to_string).collect();
    let place = place.join(", ");
    Err(Failure::request(format!(
        "the group [{place}] has no element to reduce, and so no value; say which value it has, as in `empty: 0`"
    )))
}

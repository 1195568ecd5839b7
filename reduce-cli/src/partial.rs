//! `reducegen partial`: a part of data files in, a file of partials out.

use crate::args::{DeviceName, Partial, Request};
use crate::data::Data;
use crate::failure::Failure;
use crate::groups::Inputs;
use crate::source::Source;
use crate::{axis, columns, devices, output, params, run};
use reduce_dsl::parse;
use reduce_ir::axes::{Cut, Pattern};
use reduce_ir::{Axes, Spec, Value};
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Error, Partials, PartialsError, Reducer, Span, Strided, View};
use std::ops::Range;

/// Reduces a part of the files, and writes the partials.
pub(crate) fn partial(args: &Partial) -> Result<(), Failure> {
    let partials = make(&args.request, args.part, args.request.device)?;
    output::write(Some(&args.output), &partials.to_bytes())?;
    let (Range { start, end }, (part, all)) = (partials.range(), args.part);
    let of = partials.total();
    output::note(format!(
        "part {part} of {all}: elements {start} to {end} of {of} -> {}",
        args.output.display()
    ));
    Ok(())
}

/// Reduces a part of the files to partials. Those of groups are made on the host.
pub(crate) fn make(request: &Request, part: (u64, u64), device: DeviceName) -> Result<Partials, Failure> {
    let mut data = run::open(request)?;
    let (source, parsed) = columns::parse(Source::read(&request.spec)?, &mut data, None)?;
    run::fit(&parsed.spec.operation, &data)?;
    let params = params::values(&request.params, &parsed.spec)?;
    let spec = axis::applied(request, parsed.spec.clone(), &data)?;
    let spec = if request.axis.is_empty() { spec } else { with_spelling(&spec)? };
    let reducer =
        |device: &Device| Reducer::new(&spec, device).map_err(|error| source.explain(&parsed, error));
    let partials = match &spec.axes {
        None => {
            let views = run::views(request, &spec.operation, &data)?;
            let elements = views.first().map_or(0, |view| view.len as u64) / part.1;
            let bytes = elements.saturating_mul(spec.operation.element_size() as u64);
            let (device, _) = devices::open_for(device, &spec, [elements, bytes])?;
            whole(&reducer(&device)?, &views, &params, part)?
        }
        Some(axes) => {
            check_cut(axes)?;
            check_host(device)?;
            let reducer = reducer(&Device::host())?;
            let inputs = Inputs::of(request, &spec, axes, &data)?;
            groups(&reducer, axes, &inputs, &params, part)?
        }
    };
    data.iter().try_for_each(Data::check_unchanged)?;
    Ok(partials)
}

/// Returns the specification with the axes that `--axis` gives in its text.
fn with_spelling(spec: &Spec) -> Result<Spec, Failure> {
    let fields = spec.axes.as_ref().map(|axes| axes.fields(&spec.operation.inputs, None));
    let fields = fields.unwrap_or_default().join(", ");
    Ok(parse::spec(&format!("{}, {fields}", spec.text))?)
}

/// Refuses a GPU for partials of groups.
fn check_host(device: DeviceName) -> Result<(), Failure> {
    if !matches!(device, DeviceName::Cuda(_)) {
        return Ok(());
    }
    Err(Failure::request(
        "partials of groups are made on the host, with the bits of a GPU; leave out `--device` and REDUCEGEN_DEVICE",
    ))
}

/// Refuses segments and keys, before their files are asked for.
fn check_cut(axes: &Axes) -> Result<(), Error> {
    Err(match axes.cut {
        Cut::Whole => return Ok(()),
        Cut::Offsets(_) => PartialsError::Segments.into(),
        Cut::Runs(_) => PartialsError::Runs.into(),
        Cut::Keys(_) => PartialsError::Keys.into(),
    })
}

/// Makes the partials of a part of all elements.
fn whole<'a>(
    reducer: &Reducer,
    views: &[Strided<LanesRef<'a>>],
    params: &[Value],
    part: (u64, u64),
) -> Result<Partials, Failure> {
    let total = views.first().map_or(0, |view| view.len as u64);
    let range = range_of(part, total, reducer.chunk_len(total)?);
    let cut = |view: &Strided<LanesRef<'a>>| {
        let distance = (range.start as isize).wrapping_mul(view.step);
        let offset = if range.is_empty() { 0 } else { view.offset.wrapping_add_signed(distance) };
        Strided { data: view.data, offset, step: view.step, len: (range.end - range.start) as usize }
    };
    let views: Vec<_> = views.iter().map(cut).collect();
    Ok(reducer.partials(&views, params, Span { first: range.start, total })?)
}

/// Makes the partials of a part of each group. The first reduced axis is cut.
fn groups<'a>(
    reducer: &Reducer,
    axes: &Axes,
    inputs: &Inputs<'a>,
    params: &[Value],
    part: (u64, u64),
) -> Result<Partials, Failure> {
    let total = inputs.shaped.extent().length;
    let dims = cut_dims(axes, &inputs.views);
    let lengths = |(view, dims): (&View<_>, &Vec<usize>)| dims.first().map(|&dim| view.lengths[dim] as u64);
    let length = inputs.views.iter().zip(&dims).find_map(lengths);
    if length.is_none() && part.1 > 1 {
        return Err(Failure::request(
            "no input has the first reduced axis as a dimension of its own, so there is one part; write `--part 1/1`",
        ));
    }
    let inner = total / length.unwrap_or(1).max(1);
    let chunk = reducer.chunk_len(total)?;
    let range = range_of(part, total, (chunk / gcd(chunk, inner)).saturating_mul(inner.max(1)));
    let turns = (range.start / inner.max(1)) as usize..(range.end / inner.max(1)) as usize;
    let cut = |(view, dims): (&View<LanesRef<'a>>, &Vec<usize>)| {
        let mut view = view.with_data(view.data);
        for &dim in dims {
            let distance = view.steps[dim].wrapping_mul(turns.start as isize);
            view.lengths[dim] = turns.len();
            view.offset = view.offset.wrapping_add_signed(distance);
        }
        if view.lengths.contains(&0) {
            view.offset = 0;
        }
        view
    };
    let views: Vec<_> = inputs.views.iter().zip(&dims).map(cut).collect();
    Ok(reducer.partials_groups(&views, params, Span { first: range.start, total })?)
}

/// Returns the dimensions of each input that are the first reduced axis.
fn cut_dims(axes: &Axes, views: &[View<LanesRef<'_>>]) -> Vec<Vec<usize>> {
    let inputs = || axes.inputs.iter().zip(views.iter().map(|view| view.lengths.len()));
    let leading = |pattern: &Pattern, rank: usize| rank.saturating_sub(pattern.dims.len());
    let has_leading = inputs().any(|(pattern, rank)| leading(pattern, rank) > 0);
    let first = axes.reduced().find(|axis| axis.is_some() || has_leading);
    let dims = |(pattern, rank): (&Pattern, usize)| match first {
        None => Vec::new(),
        // Leading axes come first.
        Some(None) => (0..leading(pattern, rank).min(1)).collect(),
        Some(Some(axis)) => {
            let is_it = |at: &usize| pattern.dims[*at] == [axis];
            let dims = (0..pattern.dims.len()).filter(is_it);
            dims.map(|at| leading(pattern, rank) + at).collect()
        }
    };
    inputs().map(dims).collect()
}

/// Returns the elements of a part: about as many steps as every other part has.
fn range_of((part, all): (u64, u64), total: u64, step: u64) -> Range<u64> {
    let steps = u128::from(total.div_ceil(step));
    let cut = |part: u64| {
        let steps = steps * u128::from(part) / u128::from(all);
        u64::try_from(steps * u128::from(step)).map_or(total, |at| at.min(total))
    };
    cut(part - 1)..cut(part)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

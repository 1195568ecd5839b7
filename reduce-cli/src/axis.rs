//! `--axis 0,-1 --keepdims`: the axes of NumPy's reductions, as the axes of a specification.

use crate::args::Request;
use crate::data::Data;
use crate::failure::Failure;
use crate::shape::Lengths;
use reduce_ir::axes::{Axis, Cut, Kept, Pattern};
use reduce_ir::{Access, Axes, Spec};

/// Returns the specification with the axes that `--axis` reduces; as it is without the option.
pub(crate) fn applied(args: &Request, spec: Spec, data: &[Data]) -> Result<Spec, Failure> {
    if args.axis.is_empty() {
        return Ok(spec);
    }
    if spec.axes.is_some() {
        return Err(Failure::request("the specification names its axes; leave `--axis` out"));
    }
    if spec.domain.access != Access::Contiguous {
        return Err(Failure::request("the inputs of `--axis` have any strides; leave `layout: strided` out"));
    }
    let axes = axes(rank(args, data)?, &args.axis, args.keepdims)?;
    let axes = Axes { inputs: vec![axes.inputs[0].clone(); data.len()], ..axes };
    Ok(Spec { domain: axes.domain(), axes: Some(axes), ..spec })
}

/// Returns the number of dimensions of the inputs.
fn rank(args: &Request, data: &[Data]) -> Result<usize, Failure> {
    match (data.first().and_then(Data::shape), &args.shape) {
        (Some(shape), _) => Ok(shape.lengths.len()),
        (None, Some(Lengths::OfInputs(lengths))) => Ok(lengths.len()),
        (None, Some(Lengths::OfAxes(_))) => Err(Failure::request(
            "`--axis` counts axes, which have no names; write only the lengths, as in `--shape 1024x4096`",
        )),
        (None, None) => Err(Failure::request("raw data has no shape; give it, as in `--shape 1024x4096`")),
    }
}

/// Returns the axes `a0 a1 …` and reduces the given ones.
fn axes(rank: usize, reduced: &[i64], keepdims: bool) -> Result<Axes, Failure> {
    if rank > Axes::MOST {
        let message = format!("the data has {rank} axes, and the limit is {}; reshape it", Axes::MOST);
        return Err(Failure::request(message));
    }
    let reduced = places(rank, reduced)?;
    let axis = |at| Axis { name: Some(format!("a{at}")), length: None };
    let kept = |at| match (reduced.contains(&at), keepdims) {
        (false, _) => Some(Kept::Axis(at)),
        (true, true) => Some(Kept::One),
        (true, false) => None,
    };
    Ok(Axes {
        axes: (0..rank).map(axis).collect(),
        inputs: vec![Pattern { has_leading: false, dims: (0..rank).map(|at| vec![at]).collect() }],
        result: (0..rank).filter_map(kept).collect(),
        is_by_input: false,
        cut: Cut::Whole,
    })
}

/// Returns the axes counted from the first one.
fn places(rank: usize, axes: &[i64]) -> Result<Vec<usize>, Failure> {
    let mut places = Vec::new();
    for &axis in axes {
        let from_first = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        let place = usize::try_from(from_first).ok().filter(|&place| place < rank);
        let place = place.ok_or_else(|| out_of_range(rank, axis))?;
        if places.contains(&place) {
            let message = format!("`--axis` names axis {place} twice; leave one out");
            return Err(Failure::request(message));
        }
        places.push(place);
    }
    Ok(places)
}

fn out_of_range(rank: usize, axis: i64) -> Failure {
    Failure::request(match rank {
        0 => "the data has no axes; leave `--axis` out".to_owned(),
        1 => format!("there is no axis {axis}; the only one is 0"),
        _ => format!("there is no axis {axis}; the axes are 0 to {}, or -{rank} to -1", rank - 1),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::axes;
    use reduce_ir::Scalar;
    use reduce_ir::func::Param;

    #[test]
    fn axes_are_reduced_by_number() {
        for (rank, reduced, keepdims, text) in [
            (1, &[0][..], false, "a0 ->"),
            (1, &[-1], true, "a0 -> 1"),
            (3, &[0, 2], false, "a0 a1 a2 -> a1"),
            (3, &[-1, 0], true, "a0 a1 a2 -> 1 a1 1"),
            (2, &[-2], false, "a0 a1 -> a1"),
        ] {
            let found = axes(rank, reduced, keepdims).unwrap().spelling(&[Param::new("x", Scalar::F32)]);
            assert_eq!(found, text);
        }
    }
}

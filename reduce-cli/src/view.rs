//! The elements of the files that are the inputs: `--offset`, `--step` and `--len`.

use crate::args::Request;
use crate::data::Data;
use crate::failure::Failure;
use reduce_lanes::LanesRef;
use reduce_runtime::Strided;

/// Returns the elements of each file: `--len` of them, or all there are.
pub(crate) fn views<'a>(args: &Request, data: &'a [Data]) -> Result<Vec<Strided<LanesRef<'a>>>, Failure> {
    let offsets = per_file("--offset", &args.offset, data)?;
    let steps = per_file("--step", &args.step, data)?;
    let places = offsets.into_iter().zip(steps);
    data.iter().zip(places).map(|(file, (offset, step))| view(file, offset, step, args.len)).collect()
}

/// Returns one value for each file: the given ones, or the only one for all.
fn per_file<T: Copy>(option: &str, given: &[T], data: &[Data]) -> Result<Vec<T>, Failure> {
    match given {
        [all] => Ok(vec![*all; data.len()]),
        each if each.len() == data.len() => Ok(each.to_vec()),
        each => Err(Failure::request(format!(
            "`{option}` has {} values for {} files; give one for each file, or one for all",
            each.len(),
            data.len()
        ))),
    }
}

fn view(
    file: &Data,
    offset: usize,
    step: isize,
    len: Option<usize>,
) -> Result<Strided<LanesRef<'_>>, Failure> {
    let data = file.lanes()?;
    let (path, there) = (file.path.display(), data.len());
    if offset > there {
        return Err(Failure::request(format!(
            "{path} has {there} elements, and `--offset` is {offset}; give at most {there}"
        )));
    }
    let Some(longest) = Strided::every_lane(data, offset, step) else {
        return repeated(file, data, offset, len);
    };
    match len {
        Some(len) if len > longest.len => Err(Failure::request(format!(
            "{path} has {} elements from offset {offset} with step {step}, and `--len` is {len}; take at most {}",
            longest.len, longest.len
        ))),
        Some(len) => Ok(Strided { len, ..longest }),
        None => Ok(longest),
    }
}

/// Returns one element, repeated `--len` times.
fn repeated<'a>(
    file: &Data,
    data: LanesRef<'a>,
    offset: usize,
    len: Option<usize>,
) -> Result<Strided<LanesRef<'a>>, Failure> {
    let (path, there) = (file.path.display(), data.len());
    match len {
        None => Err(Failure::request(
            "`--step 0` repeats one element; give the number of repetitions with `--len`",
        )),
        Some(len) if len > 0 && offset == there => Err(Failure::request(format!(
            "{path} has {there} elements, so `--offset {offset}` is out of range; give a smaller one"
        ))),
        Some(len) => Ok(Strided { data, offset, step: 0, len }),
    }
}

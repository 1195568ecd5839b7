//! Which elements of the files are the inputs: `--offset` and `--step`.

use crate::cli::args::Run;
use crate::cli::data::Data;
use crate::cli::failure::Failure;
use reduce_dsl::lanes::LanesRef;
use reduce_runtime::Strided;

/// The elements of each file, as many as there are.
pub(crate) fn views<'a>(args: &Run, data: &'a [Data]) -> Result<Vec<Strided<LanesRef<'a>>>, Failure> {
    let offsets = for_each("--offset", &args.offset, data)?;
    let steps = for_each("--step", &args.step, data)?;
    let places = offsets.into_iter().zip(steps);
    data.iter().zip(places).map(|(file, (offset, step))| view(file, offset, step)).collect()
}

/// One value for each file: those that are given, or the only one.
fn for_each(option: &str, given: &[usize], data: &[Data]) -> Result<Vec<usize>, Failure> {
    match given {
        [all] => Ok(vec![*all; data.len()]),
        each if each.len() == data.len() => Ok(each.to_vec()),
        each => Err(Failure::request(format!(
            "`{option}` has {} values and there are {} files; give one for each, or one for all",
            each.len(),
            data.len()
        ))),
    }
}

fn view(file: &Data, offset: usize, step: usize) -> Result<Strided<LanesRef<'_>>, Failure> {
    let data = file.lanes()?;
    let Some(behind) = data.len().checked_sub(offset) else {
        let (path, len) = (file.path.display(), data.len());
        return Err(Failure::request(format!(
            "{path} has {len} elements, and `--offset` skips {offset}; skip at most {len}"
        )));
    };
    Ok(Strided { data, offset, step, len: behind.div_ceil(step) })
}

//! `--segments offsets.npy` and `--by keys.npy`: what cuts the elements into groups of any length.

use crate::args::{Request, Run};
use crate::data::{Data, Reading};
use crate::distinct::{Distinct, GroupKeys, KeyColumn, Numbered};
use crate::failure::Failure;
use crate::groups::Inputs;
use crate::{columns, npy_file, output};
use reduce_ir::axes::{Cut, Keys};
use reduce_ir::operation::Record;
use reduce_ir::{Axes, Scalar, Spec, Value};
use reduce_lanes::LanesRef;
use reduce_runtime::{Groups, Reducer, View};
use std::path::{Path, PathBuf};

/// The file that cuts the elements.
#[derive(Debug)]
pub(crate) enum Cutter {
    /// The offsets of segments.
    Offsets(Data),
    /// A key for each element.
    Keys(Data),
    /// Columns with a key for each element, before the specification is known.
    Columns(Vec<KeyColumn>),
    /// The groups of columns: one for each different key.
    Distinct(Distinct),
}

impl Cutter {
    /// Opens the file of offsets or keys, or reads the columns of keys, if the arguments name any.
    pub(crate) fn open(
        args: &Request,
        segments: Option<&Path>,
        by: &[PathBuf],
    ) -> Result<Option<Cutter>, Failure> {
        let open = |path: &Path| -> Result<Data, Failure> {
            let data = Data::open(path, Reading { raw: None, limit: args.limit })?;
            match data.shape().map_or(1, |shape| shape.lengths.len()) {
                1 => Ok(data),
                dimensions => Err(Failure::request(format!(
                    "{} has {dimensions} dimensions; offsets and keys have one",
                    path.display()
                ))),
            }
        };
        if let Some(path) = segments {
            return offsets(open(path)?).map(|data| Some(Cutter::Offsets(data)));
        }
        match (columns::keys(args, by)?, by) {
            (Some(columns), _) => Ok(Some(Cutter::Columns(columns))),
            (None, []) => Ok(None),
            (None, [path]) => Ok(Some(Cutter::Keys(open(path)?))),
            (None, [..]) => Err(Failure::request(
                "several `--by` name columns of one data file, and at least one of these is none; name one file, or columns alone",
            )),
        }
    }

    /// Numbers the keys of columns, unless the specification defines the groups. Returns the missing parts of the specification.
    pub(crate) fn number(&mut self, spec: &Spec) -> Result<Option<Numbered>, Failure> {
        let Cutter::Columns(columns) = self else { return Ok(None) };
        let columns = std::mem::take(columns);
        let data: Vec<_> = columns.iter().map(|column| &column.data).collect();
        let present = columns::present(&data, None)?;
        let Some(axes) = &spec.axes else {
            let groups = Distinct::of(&columns, present.as_deref())?;
            let count = Some(groups.count);
            *self = Cutter::Distinct(groups);
            return Ok(Some(Numbered { count, present }));
        };
        let data = only_numbers(columns)?;
        match axes.cut {
            Cut::Keys(_) => {
                *self = Cutter::Keys(data);
                Ok(Some(Numbered { count: None, present }))
            }
            Cut::Whole | Cut::Runs(_) | Cut::Offsets(_) if present.is_some() => {
                let path = data.path.display();
                Err(Failure::request(format!(
                    "{path} lacks keys, and a run needs them; leave `groups: runs` out"
                )))
            }
            Cut::Whole | Cut::Runs(_) | Cut::Offsets(_) => {
                *self = Cutter::Keys(data);
                Ok(None)
            }
        }
    }

    fn cut(&self) -> Cut {
        match self {
            Cutter::Offsets(data) => Cut::Offsets(data.ty()),
            Cutter::Keys(data) => Cut::Runs(data.ty()),
            // The specification has its own.
            Cutter::Columns(_) | Cutter::Distinct(_) => Cut::Runs(Scalar::U32),
        }
    }

    /// Returns the offsets, the keys, or the numbers of the groups of a column.
    pub(crate) fn lanes(&self) -> Result<LanesRef<'_>, Failure> {
        match self {
            Cutter::Offsets(data) | Cutter::Keys(data) => Ok(data.lanes()?),
            Cutter::Distinct(Distinct { numbers, .. }) => Ok(numbers.borrow()),
            // Those that a specification did not number yet.
            Cutter::Columns(_) => Ok(LanesRef::U32(&[])),
        }
    }

    /// Checks that the file is as it was.
    pub(crate) fn check_unchanged(&self) -> Result<(), Failure> {
        match self {
            Cutter::Offsets(data) | Cutter::Keys(data) => Ok(data.check_unchanged()?),
            // They lie in memory.
            Cutter::Columns(_) | Cutter::Distinct(_) => Ok(()),
        }
    }

    /// Reduces the groups. Returns their keys as well, by column, if there are keys.
    pub(crate) fn reduce(
        &self,
        reducer: &Reducer,
        inputs: &Inputs<'_>,
        params: &[Value],
    ) -> Result<(Option<Vec<GroupKeys>>, Groups), Failure> {
        let cut = self.lanes()?;
        let is_numbered = reducer.axes().is_some_and(|axes| matches!(axes.cut, Cut::Keys(_)));
        let (keys, groups) = match self {
            Cutter::Distinct(Distinct { keys, .. }) => {
                let numbers = View::new(cut, [cut.len()]);
                (Some(keys.clone()), reducer.reduce_keys(&inputs.views, numbers, params)?)
            }
            Cutter::Keys(_) if is_numbered => {
                let keys = View::new(cut, [cut.len()]);
                (None, reducer.reduce_keys(&inputs.views, keys, params)?)
            }
            Cutter::Offsets(_) => (None, reducer.reduce_segments(&inputs.views, cut, params)?),
            Cutter::Keys(_) | Cutter::Columns(_) => {
                let runs = reducer.reduce_runs(&inputs.views, cut, params)?;
                (Some(vec![GroupKeys::Numbers(runs.keys)]), runs.groups)
            }
        };
        self.check_unchanged()?;
        Ok((keys, groups))
    }
}

/// Returns the only column, for a specification that has its own groups of numbers.
fn only_numbers(mut columns: Vec<KeyColumn>) -> Result<Data, Failure> {
    match (columns.pop(), columns.is_empty()) {
        (Some(KeyColumn { data, names: None }), true) => Ok(data),
        (Some(KeyColumn { data, names: Some(_) }), true) => Err(Failure::request(format!(
            "{} holds text, and `by`, `groups` and `axes` of the specification are for numbers; leave them out",
            data.path.display()
        ))),
        _ => Err(Failure::request(
            "several columns of keys make groups by themselves; leave `by`, `groups` and `axes` out of the specification",
        )),
    }
}

fn offsets(data: Data) -> Result<Data, Failure> {
    if [Scalar::U32, Scalar::U64, Scalar::I32, Scalar::I64].contains(&data.ty()) {
        return Ok(data);
    }
    let (path, ty) = (data.path.display(), data.ty());
    Err(Failure::request(format!("{path} holds {ty}; offsets are u32, u64, i32 or i64")))
}

/// Returns the specification with groups that a file cuts.
pub(crate) fn applied(spec: Spec, cutter: Option<&Cutter>, inputs: usize) -> Result<Spec, Failure> {
    let written = spec.axes.as_ref().map_or(Cut::Whole, |axes| axes.cut);
    let Some(cut) = cutter.map(Cutter::cut) else {
        return match written {
            Cut::Whole => Ok(spec),
            Cut::Offsets(_) => Err(Failure::request(
                "the specification has segments; give their offsets, as in `--segments offsets.npy`",
            )),
            Cut::Keys(Keys { given: None, .. }) => Ok(spec),
            Cut::Runs(_) | Cut::Keys(_) => {
                Err(Failure::request("the specification has keys; give them, as in `--by keys.npy`"))
            }
        };
    };
    if written != Cut::Whole {
        // The call compares the types.
        return Ok(spec);
    }
    let axes = match &spec.axes {
        None => Axes::line(inputs, cut),
        Some(axes) => Axes { cut, ..axes.clone() },
    };
    let reduced = axes.reduced().count();
    if reduced != 1 {
        let message =
            format!("segments and keys cut the one axis that is reduced, and {reduced} are; keep the others");
        return Err(Failure::request(message));
    }
    Ok(Spec { domain: axes.domain(), axes: Some(axes), ..spec })
}

/// Returns whether a GPU reduces segments or keys of a specification: it has one axis, or one kept axis beside segments.
pub(crate) fn has_kernels(spec: &Spec) -> bool {
    let Some(axes) = &spec.axes else { return false };
    let is_line = *axes == Axes::line(spec.operation.inputs.len(), axes.cut);
    is_line || matches!(axes.cut, Cut::Offsets(_)) && axes.axes.len() == 2
}

/// Refuses a specification for which there are no kernels, or no stages.
pub(crate) fn check_kernels(spec: &Spec) -> Result<(), Failure> {
    match spec.axes.as_ref().map(|axes| axes.cut) {
        None | Some(Cut::Whole) => Ok(()),
        Some(Cut::Offsets(_) | Cut::Runs(_) | Cut::Keys(_)) => Err(Failure::request(
            "this command is for kernels that passes make, and passes make none over segments or keys; \
             `reducegen emit` prints those kernels, for one kept axis beside `segments` at most",
        )),
    }
}

/// Writes the keys of groups to the file that the arguments name.
pub(crate) fn write_keys(args: &Run, keys: Option<&[GroupKeys]>) -> Result<(), Failure> {
    let Some(path) = &args.keys_out else { return Ok(()) };
    let Some(keys) = keys else {
        return Err(Failure::request("the keys of numbered groups are 0, 1, 2, …; leave `--keys-out` out"));
    };
    let [GroupKeys::Numbers(keys)] = keys else {
        return Err(Failure::request(
            "a NumPy file holds the keys of one column of numbers; write `--json` instead of `--keys-out`",
        ));
    };
    let record = Record::scalar(keys.ty());
    output::write(Some(path), &npy_file::file(&record, &[keys.len() as u64], std::slice::from_ref(keys))?)
}

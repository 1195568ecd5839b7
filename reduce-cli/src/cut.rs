//! `--segments offsets.npy` and `--by keys.npy`: what cuts the elements into groups of any length.

use crate::args::{Request, Run};
use crate::data::{Data, Reading};
use crate::distinct::{Distinct, Numbered};
use crate::failure::Failure;
use crate::groups::Inputs;
use crate::{columns, npy_file, output};
use reduce_ir::axes::{Cut, Keys};
use reduce_ir::operation::Record;
use reduce_ir::{Axes, Scalar, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Groups, Reducer, View};
use std::path::Path;

/// The file that cuts the elements.
#[derive(Debug)]
pub(crate) enum Cutter {
    /// The offsets of segments.
    Offsets(Data),
    /// A key for each element.
    Keys(Data),
    /// A column with a key for each element, before the specification is known.
    Column(Data),
    /// The groups of a column: one for each different key.
    Distinct(Data, Distinct),
}

impl Cutter {
    /// Opens the file of offsets or keys, if the arguments name one.
    pub(crate) fn open(
        args: &Request,
        [segments, by]: [Option<&Path>; 2],
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
        match (segments, by) {
            (Some(path), _) => offsets(open(path)?).map(|data| Some(Cutter::Offsets(data))),
            (None, Some(path)) => match columns::key(args, path)? {
                Some(column) => Ok(Some(Cutter::Column(column))),
                None => Ok(Some(Cutter::Keys(open(path)?))),
            },
            (None, None) => Ok(None),
        }
    }

    /// Numbers the keys of a column, unless the specification defines the groups. Returns the missing parts of the specification.
    pub(crate) fn number(&mut self, spec: &Spec) -> Result<Option<Numbered>, Failure> {
        let Cutter::Column(data) = self else { return Ok(None) };
        let data = data.take();
        let present = data.present().map(<[bool]>::to_vec);
        match spec.axes.as_ref().map(|axes| axes.cut) {
            None => {
                let groups = Distinct::of(&data)?;
                let count = Some(groups.keys.len());
                *self = Cutter::Distinct(data, groups);
                Ok(Some(Numbered { count, present }))
            }
            Some(Cut::Keys(_)) => {
                *self = Cutter::Keys(data);
                Ok(Some(Numbered { count: None, present }))
            }
            Some(Cut::Whole | Cut::Runs(_) | Cut::Offsets(_)) if present.is_some() => {
                let path = data.path.display();
                Err(Failure::request(format!(
                    "{path} lacks keys, and a run needs them; leave `groups: runs` out"
                )))
            }
            Some(Cut::Whole | Cut::Runs(_) | Cut::Offsets(_)) => {
                *self = Cutter::Keys(data);
                Ok(None)
            }
        }
    }

    fn cut(&self) -> Cut {
        match self {
            Cutter::Offsets(data) => Cut::Offsets(data.ty()),
            Cutter::Keys(data) | Cutter::Column(data) | Cutter::Distinct(data, _) => Cut::Runs(data.ty()),
        }
    }

    /// Returns the offsets, the keys, or the numbers of the groups of a column.
    pub(crate) fn lanes(&self) -> Result<LanesRef<'_>, Failure> {
        if let Cutter::Distinct(_, Distinct { numbers, .. }) = self {
            return Ok(numbers.borrow());
        }
        Ok(self.data().lanes()?)
    }

    /// Checks that the file is as it was.
    pub(crate) fn check_unchanged(&self) -> Result<(), Failure> {
        Ok(self.data().check_unchanged()?)
    }

    fn data(&self) -> &Data {
        match self {
            Cutter::Offsets(data) | Cutter::Keys(data) | Cutter::Column(data) => data,
            Cutter::Distinct(data, _) => data,
        }
    }

    /// Reduces the groups. Returns their keys as well, if there are keys.
    pub(crate) fn reduce(
        &self,
        reducer: &Reducer,
        inputs: &Inputs<'_>,
        params: &[Value],
    ) -> Result<(Option<Lanes>, Groups), Failure> {
        let cut = self.data().lanes()?;
        let is_numbered = reducer.axes().is_some_and(|axes| matches!(axes.cut, Cut::Keys(_)));
        let (keys, groups) = match self {
            Cutter::Distinct(_, Distinct { numbers, keys }) => {
                let numbers = View::new(numbers.borrow(), [numbers.len()]);
                (Some(keys.clone()), reducer.reduce_keys(&inputs.views, numbers, params)?)
            }
            Cutter::Keys(_) if is_numbered => {
                let keys = View::new(cut, [cut.len()]);
                (None, reducer.reduce_keys(&inputs.views, keys, params)?)
            }
            Cutter::Offsets(_) => (None, reducer.reduce_segments(&inputs.views, cut, params)?),
            Cutter::Keys(_) | Cutter::Column(_) => {
                let runs = reducer.reduce_runs(&inputs.views, cut, params)?;
                (Some(runs.keys), runs.groups)
            }
        };
        self.data().check_unchanged()?;
        Ok((keys, groups))
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

/// Writes the keys of runs to the file that the arguments name.
pub(crate) fn write_keys(args: &Run, keys: Option<&Lanes>) -> Result<(), Failure> {
    let Some(path) = &args.keys_out else { return Ok(()) };
    let Some(keys) = keys else {
        return Err(Failure::request("the keys of numbered groups are 0, 1, 2, …; leave `--keys-out` out"));
    };
    let record = Record::scalar(keys.ty());
    output::write(Some(path), &npy_file::file(&record, &[keys.len() as u64], std::slice::from_ref(keys))?)
}

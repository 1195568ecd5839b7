//! Forms of a reduction as text.

use crate::arrays;
use crate::errors::{self, DtypeError};
use crate::source::{Form, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use reducegen::codegen::keys::Keyed;
use reducegen::codegen::runs::Heads;
use reducegen::codegen::segments::Segmented;
use reducegen::codegen::{self, Tuning};
use reducegen::ir::axes::Cut;
use reducegen::ir::program::Program;
use reducegen::ir::{Domain, Scalar, Spec};

/// Returns the types that a caller names: one, or a sequence of them. Names are those of specifications or of NumPy; a type of any library
/// has its name at the end.
pub(crate) fn types(dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<Scalar>>> {
    let Some(dtype) = dtype else { return Ok(None) };
    if let Ok(several) = dtype.extract::<Vec<Bound<'_, PyAny>>>()
        && !dtype.is_instance_of::<pyo3::types::PyString>()
    {
        return several.iter().map(scalar).collect::<PyResult<_>>().map(Some);
    }
    Ok(Some(vec![scalar(dtype)?]))
}

/// Returns the type that an object names.
pub(crate) fn scalar(dtype: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let name = dtype.getattr("__name__").or_else(|_| dtype.getattr("name")).unwrap_or_else(|_| dtype.clone());
    let name = name.str()?.to_string();
    let last = name.rsplit('.').next().unwrap_or_default();
    let found = Scalar::from_name(last).or_else(|| arrays::of_name(last));
    found.ok_or_else(|| {
        DtypeError::new_err(format!(
            "`{dtype}` is no type of elements; write one of {}",
            Scalar::ALL.map(Scalar::name).join(", ")
        ))
    })
}

/// Returns a form of a reduction, for groups of n elements.
pub(crate) fn emit(source: &Source, types: Option<&[Scalar]>, to: &str, n: Option<u64>) -> PyResult<String> {
    let spec = source.spec(types, Form::Written)?;
    if to == "spec" {
        return Ok(spec.text);
    }
    let cut = spec.axes.as_ref().map_or(Cut::Whole, |axes| axes.cut);
    let made = match cut {
        Cut::Whole => {
            codegen::stages_for(&spec, Tuning::DEFAULT, n.unwrap_or(u64::MAX)).map(|mut stages| stages.pop())
        }
        Cut::Offsets(_) | Cut::Runs(_) | Cut::Keys(_) if to == "cuda" => {
            return fixed(&spec, cut, n.unwrap_or(u64::MAX))
                .map_err(|error| errors::of_runtime(&error.into()));
        }
        Cut::Offsets(_) | Cut::Runs(_) | Cut::Keys(_) => Ok(None),
    };
    let stage = made.map_err(|error| source.explained(types.unwrap_or_default(), error.into()))?;
    let Some(stage) = stage else {
        return Err(PyValueError::new_err("segments and keys have the forms `spec` and `cuda`"));
    };
    form(&stage.program, to)
}

fn form(program: &Program, to: &str) -> PyResult<String> {
    let of_codegen = |error: codegen::Error| errors::of_runtime(&error.into());
    match to {
        "cuda" => codegen::cuda(program).map_err(of_codegen),
        "ir" => Ok(format!("{program}\n{}", codegen::lower(program).map_err(of_codegen)?)),
        "association" => Ok(program.association().to_string()),
        _ => Err(PyValueError::new_err(format!(
            "`{to}` is no form; the forms are spec, ir, association and cuda"
        ))),
    }
}

/// Returns the CUDA of programs that passes do not make.
fn fixed(spec: &Spec, cut: Cut, most: u64) -> Result<String, codegen::Error> {
    match cut {
        Cut::Keys(_) => Keyed::of(spec)?.cuda(),
        Cut::Runs(key) => {
            let offsets = if most <= Segmented::MOST_OF_U32 { Scalar::U32 } else { Scalar::U64 };
            let program = Segmented::of(spec, offsets, Tuning::DEFAULT, most)?.counted();
            Ok(format!("{}\n{}", Heads::of(key, offsets)?.cuda()?, program.cuda()?))
        }
        Cut::Offsets(offsets) => {
            let offsets = if offsets.size() == 4 { Scalar::U32 } else { Scalar::U64 };
            let has_columns = spec.axes.as_ref().is_some_and(|axes| axes.axes.len() == 2);
            let domain = if has_columns { Segmented::COLUMNS } else { Domain::ROWS };
            Segmented::of(&Spec { domain, ..spec.clone() }, offsets, Tuning::DEFAULT, most)?.cuda()
        }
        Cut::Whole => codegen::cuda(&codegen::compile(spec)?),
    }
}

/// Describes a reduction for people.
pub(crate) fn explain(source: &Source, types: Option<&[Scalar]>, n: Option<u64>) -> PyResult<String> {
    let spec = source.spec(types, Form::Written)?;
    let operation = &spec.operation;
    let bits =
        if operation.exact { "every order gives the same bits" } else { "the association decides the bits" };
    let mut lines =
        vec![format!("specification: {}", spec.text), format!("result: {}", operation.output.text())];
    lines.push(format!("bits: {bits}"));
    if spec.axes.as_ref().is_some_and(|axes| axes.cut != Cut::Whole) {
        lines.push("segments, runs and numbered groups have kernels of their own; see `emit()`".to_owned());
        return Ok(lines.join("\n"));
    }
    let stages = codegen::stages_for(&spec, Tuning::DEFAULT, n.unwrap_or(u64::MAX));
    let stages = stages.map_err(|error| source.explained(types.unwrap_or_default(), error.into()))?;
    if let Some(last) = stages.last() {
        let passes: Vec<_> = last.program.passes.iter().map(ToString::to_string).collect();
        lines.push(format!("passes: [{}]", passes.join(", ")));
        lines.push(format!("association: {}", last.program.association()));
    }
    Ok(lines.join("\n"))
}

//! Python's exceptions for the errors of the library.

use pyo3::PyErr;
use reducegen::dsl::parse::SpecError;
use reducegen::{Error, codegen};

/// The exceptions, which `reducegen._errors` defines.
mod exceptions {
    #![allow(missing_docs, reason = "the Python module documents them")]
    #![allow(unreachable_pub, reason = "the macro writes `pub`")]
    pyo3::import_exception!(reducegen._errors, AxisError);
    pyo3::import_exception!(reducegen._errors, DeviceError);
    pyo3::import_exception!(reducegen._errors, DtypeError);
    pyo3::import_exception!(reducegen._errors, EmptyError);
    pyo3::import_exception!(reducegen._errors, InputError);
    pyo3::import_exception!(reducegen._errors, InternalError);
    pyo3::import_exception!(reducegen._errors, OutOfMemoryError);
    pyo3::import_exception!(reducegen._errors, PartialsError);
    pyo3::import_exception!(reducegen._errors, SpecificationError);
}

pub(crate) use exceptions::{
    AxisError, DeviceError, DtypeError, EmptyError, InputError, InternalError, OutOfMemoryError,
    PartialsError, SpecificationError,
};

/// Returns the exception of a text that is no specification. Its message shows the text with marks.
pub(crate) fn of_spec(error: &SpecError) -> PyErr {
    if error.is_usage_error() {
        SpecificationError::new_err(error.to_string())
    } else {
        InternalError::new_err(error.to_string())
    }
}

/// Returns the exception of an error of the runtime.
pub(crate) fn of_runtime(error: &Error) -> PyErr {
    use Error::{
        Codegen, Empty, InputCount, InputType, NothingLeft, OutOfMemory, ParamCount, ParamType, Partials,
    };
    use codegen::Error::{Refused, SharedMemory};
    let text = error.to_string();
    if matches!(error, InputCount { .. } | InputType { .. } | ParamCount { .. } | ParamType { .. }) {
        DtypeError::new_err(text)
    } else if matches!(error, Empty { .. } | NothingLeft { .. }) {
        EmptyError::new_err(text)
    } else if matches!(error, OutOfMemory { .. }) {
        OutOfMemoryError::new_err(text)
    } else if matches!(error, Partials(_)) {
        PartialsError::new_err(text)
    } else if matches!(error, Codegen(Refused { .. } | SharedMemory { .. })) {
        SpecificationError::new_err(text)
    } else if is_of_device(error) {
        DeviceError::new_err(text)
    } else if error.is_usage_error() {
        InputError::new_err(text)
    } else {
        InternalError::new_err(text)
    }
}

/// Returns whether the error is about a GPU, its driver or its compiler.
fn is_of_device(error: &Error) -> bool {
    matches!(
        error,
        Error::Capturing
            | Error::PerThreadStream
            | Error::ArchitectureTooOld { .. }
            | Error::ClusterTooLarge { .. }
            | Error::NoSuchDevice { .. }
            | Error::NoSuchName(_)
            | Error::NoDriver
            | Error::DriverUnusable { .. }
            | Error::OldDriver { .. }
            | Error::IncompleteDriver { .. }
            | Error::NoDevice
            | Error::NvrtcNotFound { .. }
            | Error::NvrtcUnusable { .. }
            | Error::Nvrtc(_)
            | Error::CompileTime { .. }
            | Error::MalformedSeconds(_)
            | Error::Driver { .. }
    )
}

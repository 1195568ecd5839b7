//! Results as capsules of DLPack.

use super::{PLAIN, VERSIONED};
use crate::cuda_interface::row_major;
use crate::memory::Memory;
use pyo3::ffi;
use pyo3::prelude::*;
use reducegen::dlpack::{Contents, DataType, DeviceId, Managed, ManagedVersioned, VERSION, Version};
use reducegen::ir::Scalar;
use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;

/// The arrays that a capsule points into, and the memory that it keeps.
struct Kept {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _memory: Arc<Memory>,
}

/// Makes a capsule of elements that lie side by side at an offset in memory, in bytes.
pub(crate) fn export<'py>(
    py: Python<'py>,
    memory: &Arc<Memory>,
    (ty, shape): (Scalar, &[usize]),
    is_versioned: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let steps = row_major(shape, ty.size());
    let mut kept = Box::new(Kept {
        shape: shape.iter().map(|&length| length as i64).collect(),
        strides: steps.iter().map(|&step| step as i64 / ty.size() as i64).collect(),
        _memory: memory.clone(),
    });
    let (kind, ordinal) = super::device(memory.place());
    let contents = Contents {
        data: memory.address() as *mut _,
        device: DeviceId { kind, ordinal },
        axes: shape.len() as i32,
        dtype: DataType::new(ty),
        shape: kept.shape.as_mut_ptr(),
        strides: kept.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let context = Box::into_raw(kept).cast();
    if is_versioned {
        let version = Version { major: VERSION.0, minor: VERSION.1 };
        let managed =
            ManagedVersioned { version, context, deleter: Some(delete_versioned), flags: 0, contents };
        capsule(py, Box::into_raw(Box::new(managed)).cast(), VERSIONED[0], destroy_versioned)
    } else {
        let managed = Managed { contents, context, deleter: Some(delete) };
        capsule(py, Box::into_raw(Box::new(managed)).cast(), PLAIN[0], destroy)
    }
}

fn capsule<'py>(
    py: Python<'py>,
    pointer: *mut std::ffi::c_void,
    name: &'static CStr,
    destructor: unsafe extern "C" fn(*mut ffi::PyObject),
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the name is static, and the destructor frees the pointer unless a consumer has taken it.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(pointer, name.as_ptr(), Some(destructor))) }
}

/// Frees what a consumer has done with. It needs no Python.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: both boxes were leaked by `export`, and the consumer calls this once.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Kept>()));
    }
}

/// As [`delete`].
unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: as in `delete`.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Kept>()));
    }
}

/// Frees the contents of a capsule that nobody has taken.
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: Python destroys a capsule of `export`; a consumer that took its contents has renamed it.
    unsafe {
        let pointer = untaken(capsule, PLAIN[0]);
        if !pointer.is_null() {
            delete(pointer.cast());
        }
    }
}

/// As [`destroy`].
unsafe extern "C" fn destroy_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: as in `destroy`.
    unsafe {
        let pointer = untaken(capsule, VERSIONED[0]);
        if !pointer.is_null() {
            delete_versioned(pointer.cast());
        }
    }
}

/// Returns the pointer of a capsule that still has that name; otherwise null.
unsafe fn untaken(capsule: *mut ffi::PyObject, name: &CStr) -> *mut std::ffi::c_void {
    // SAFETY: the caller gives a capsule.
    unsafe {
        match ffi::PyCapsule_IsValid(capsule, name.as_ptr()) {
            0 => ptr::null_mut(),
            _ => ffi::PyCapsule_GetPointer(capsule, name.as_ptr()),
        }
    }
}

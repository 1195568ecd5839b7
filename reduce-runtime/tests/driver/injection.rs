//! Injected failures in calls of the pretended driver (`inject.c`), and counts of its calls.

use super::function;
use std::ffi::{CStr, CString, c_char, c_void};

/// The calls that fail, and their code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Counted from 1; 0 means no call.
    pub(crate) call: u32,
    pub(crate) code: u32,
    /// Whether all later calls fail as well.
    pub(crate) lasts: bool,
}

impl Fault {
    pub(crate) const NONE: Fault = Fault { call: 0, code: 0, lasts: false };

    /// Activates the fault and restarts the count of calls.
    pub(crate) fn inject(self) {
        let inject: unsafe extern "C" fn(u32, i32, i32) = function("inject");
        // SAFETY: it sets numbers.
        unsafe { inject(self.call, self.code as i32, self.lasts.into()) }
    }
}

/// Sets the function that replaces every kernel. It gets the parameters of a launch.
pub(crate) fn compute(kernel: extern "C" fn(*const *const c_void)) {
    let compute: unsafe extern "C" fn(extern "C" fn(*const *const c_void)) = function("compute");
    // SAFETY: it stores a function, which lives as long as the process.
    unsafe { compute(kernel) }
}

/// Returns the number of calls.
pub(crate) fn entered() -> u32 {
    let entered: unsafe extern "C" fn() -> u32 = function("calls_entered");
    // SAFETY: it reads a number.
    unsafe { entered() }
}

/// Returns the function of a call.
pub(crate) fn name_of(call: u32) -> String {
    let name: unsafe extern "C" fn(u32) -> *const c_char = function("call_name");
    // SAFETY: it returns a static, terminated string.
    unsafe { CStr::from_ptr(name(call)) }.to_str().unwrap().to_owned()
}

/// Returns how many calls of these functions passed.
pub(crate) fn passed(names: &[&str]) -> u32 {
    sum("calls_passed", names)
}

/// Returns how many calls of these functions were made to fail.
pub(crate) fn failed(names: &[&str]) -> u32 {
    sum("calls_failed", names)
}

fn sum(counter: &str, names: &[&str]) -> u32 {
    let count: unsafe extern "C" fn(*const c_char) -> u32 = function(counter);
    let of = |name: &&str| {
        let name = CString::new(*name).unwrap();
        // SAFETY: it reads a terminated string.
        let count = unsafe { count(name.as_ptr()) };
        assert_ne!(count, u32::MAX, "the pretended driver has no {name:?}");
        count
    };
    names.iter().map(of).sum()
}

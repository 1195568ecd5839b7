//! The functions that the page of the playground calls. Texts pass through one buffer: the page writes a request into the room
//! that it asks for, and reads the answer in its place.
#![deny(unsafe_code)]
#![allow(missing_docs, reason = "the functions are for JavaScript")]

use std::sync::{Mutex, MutexGuard, PoisonError};

static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn buffer() -> MutexGuard<'static, Vec<u8>> {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request of that many bytes. Returns its address.
#[allow(unsafe_code, reason = "no other function of the module has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut text = buffer();
    *text = vec![0; bytes];
    text.as_mut_ptr()
}

/// Answers the request. Returns the number of bytes of the answer.
#[allow(unsafe_code, reason = "no other function of the module has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let mut text = buffer();
    let answer = reduce_report::live::request(&String::from_utf8_lossy(&text));
    *text = answer.into_bytes();
    text.len()
}

/// Returns the address of the answer.
#[allow(unsafe_code, reason = "no other function of the module has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn address() -> *const u8 {
    buffer().as_ptr()
}

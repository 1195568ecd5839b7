//! The target `report_request`: a program of its own on stable Rust, a libFuzzer target under `cargo fuzz`.
#![cfg_attr(fuzzing, no_main)]

use fuzz::targets::REPORT_REQUEST;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    assert_eq!((REPORT_REQUEST.test_one_input)(input).err(), None);
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    fuzz::drive::main(&REPORT_REQUEST)
}

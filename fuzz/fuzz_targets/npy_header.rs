//! The target `npy_header`: a program of its own on stable Rust, a libFuzzer target under `cargo fuzz`.
#![cfg_attr(fuzzing, no_main)]

use fuzz::targets::NPY_HEADER;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    assert_eq!((NPY_HEADER.test_one_input)(input).err(), None);
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    fuzz::drive::main(&NPY_HEADER)
}

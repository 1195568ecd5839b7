//! The target `random_passes`: a program of its own on stable Rust, a libFuzzer target under `cargo fuzz`.
#![cfg_attr(fuzzing, no_main)]

use fuzz::targets::RANDOM_PASSES;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    assert_eq!((RANDOM_PASSES.test_one_input)(input).err(), None);
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    fuzz::drive::main(&RANDOM_PASSES)
}

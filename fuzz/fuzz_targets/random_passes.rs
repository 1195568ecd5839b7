//! The target `random_passes`: on stable a program of its own, with `cargo fuzz` one of libFuzzer's.
#![cfg_attr(fuzzing, no_main)]

use fuzz::targets::RANDOM_PASSES;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    assert_eq!((RANDOM_PASSES.judge)(input).err(), None);
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    fuzz::drive::main(&RANDOM_PASSES)
}

//! Compiles emitted CUDA with the real compiler, which needs no GPU.

use reduce_codegen::{Programs, Tuning};
use reduce_ir::Spec;
use reduce_runtime::{Architecture, Nvrtc, Target};

const ARCHITECTURES: [u32; 4] = [75, 80, 90, 100];

/// Warnings about constants that the user wrote: division by zero, a comparison that is always false, overflow.
const USERS: [&str; 3] = ["#39-D", "#186-D", "#222-D"];

/// Compiles one program of a specification for one architecture; `choice` selects both.
///
/// # Errors
/// Returns the compiler's log. A warning is an error here.
pub fn compiles(nvrtc: &Nvrtc, spec: &Spec, choice: usize) -> Result<(), String> {
    let with_spec = |what: String| format!("{}\n{what}", spec.text);
    let programs = Programs::of(spec, Tuning::DEFAULT).map_err(|bug| with_spec(bug.to_string()))?;
    let program = &programs.variants()[choice % programs.variants().len()];
    let number = ARCHITECTURES[choice % ARCHITECTURES.len()].max(program.capability());
    let target = Target::Cubin(Architecture::from_number(number));
    let image = nvrtc.compile_program(program, target).map_err(|error| with_spec(error.to_string()))?;
    let is_ours = |line: &str| line.contains("warning #") && !USERS.iter().any(|known| line.contains(known));
    if image.log.lines().any(is_ours) { Err(with_spec(image.log)) } else { Ok(()) }
}

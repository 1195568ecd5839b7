//! What must hold of every specification that the parser takes.

use reduce_codegen::{compile, cuda};
use reduce_dsl::parse;
use reduce_ir::Spec;

/// Reads the canonical text of a specification again: it is the same one, and becomes the same CUDA.
///
/// # Errors
/// What differs.
pub fn canonical(spec: &Spec) -> Result<(), String> {
    let again = parse::text(&spec.text, None)
        .map_err(|error| format!("the canonical text is refused:\n{error}"))?
        .spec;
    if again != *spec {
        return Err(format!("the canonical text is another specification:\n{}\n{}", spec.text, again.text));
    }
    let (first, second) = (emitted(spec)?, emitted(&again)?);
    if first == second {
        Ok(())
    } else {
        Err(format!("the canonical text becomes other CUDA:\n{}", spec.text))
    }
}

/// The CUDA of a specification, or the reason why a pass is refused.
fn emitted(spec: &Spec) -> Result<String, String> {
    use reduce_codegen::Error;
    match compile(spec).and_then(|program| cuda(&program)) {
        Ok(text) => Ok(text),
        Err(refused @ (Error::Refused { .. } | Error::SharedMemory { .. } | Error::TooLarge { .. })) => {
            Ok(refused.to_string())
        }
        Err(bug) => Err(format!("{}\n{bug}", spec.text)),
    }
}

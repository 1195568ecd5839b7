//! Properties of every specification that the parser accepts.

use reduce_codegen::{compile, cuda};
use reduce_dsl::parse;
use reduce_ir::Spec;

/// Checks that the canonical text of a specification parses to the same specification and gives the same CUDA.
///
/// # Errors
/// Describes the first difference.
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

/// Returns the CUDA of a specification, or the message of a pass that is refused.
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

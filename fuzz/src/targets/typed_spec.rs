//! Choices → a typed specification → CUDA → NVRTC.

use super::Verdict;
use crate::choices::Choices;
use crate::spec::RandomSpec;
use crate::{check, nvrtc};
use reduce_runtime::Nvrtc;

pub(super) fn missing() -> Option<String> {
    Nvrtc::get().err().map(|error| error.to_string())
}

pub(super) fn test_one_input(bytes: &[u8]) -> Verdict {
    let nvrtc = Nvrtc::get().map_err(|error| error.to_string())?;
    let Ok(scheduled) = RandomSpec::new(&mut Choices::of_bytes(bytes)).scheduled() else { return Ok(false) };
    check::canonical(&scheduled.spec)?;
    let choice = bytes.iter().map(|&byte| usize::from(byte)).sum();
    nvrtc::compiles(nvrtc, &scheduled.spec, choice).map(|()| true)
}

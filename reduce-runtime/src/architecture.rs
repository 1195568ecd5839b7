//! The architectures of NVIDIA GPUs: their names, and the compilation target for each.

use crate::Error;
use reduce_codegen::Tuning;
use std::fmt;
use std::str::FromStr;

/// The architecture of a GPU: ten times its compute capability, so 90 for an H100 or H200.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Architecture(u32);

impl Architecture {
    /// Returns the architecture of that compute capability, `(9, 0)` for an H200.
    #[must_use]
    pub fn from_capability(major: u32, minor: u32) -> Architecture {
        Architecture(10 * major + minor)
    }

    /// Returns the architecture with that number, 90 for `sm_90`.
    #[must_use]
    pub const fn from_number(number: u32) -> Architecture {
        Architecture(number)
    }

    /// Returns ten times the compute capability.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns the tuning of `passes: auto` there; [`Tuning::DEFAULT`] for an unknown architecture.
    #[must_use]
    pub fn tuning(self) -> Tuning {
        Tuning::of(self.0)
    }
}

/// As CUDA writes it: `sm_90`.
impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.0)
    }
}

/// Parses `sm_90`, `90` and `9.0`. Whether a compiler knows the architecture is checked at compile time.
impl FromStr for Architecture {
    type Err = Error;

    fn from_str(text: &str) -> Result<Architecture, Error> {
        let digits = text.strip_prefix("sm_").unwrap_or(text);
        let number = match digits.split_once('.') {
            Some((major, minor)) if minor.len() == 1 => decimal(&format!("{major}{minor}")),
            Some(_) => None,
            None => decimal(digits),
        };
        number.map(Architecture).ok_or_else(|| Error::MalformedArchitecture { text: text.to_owned() })
    }
}

fn decimal(digits: &str) -> Option<u32> {
    let plain = (2..=3).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// A compilation target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Machine code for exactly that architecture, a cubin.
    Cubin(Architecture),
    /// PTX, which the driver compiles for that architecture or any newer one.
    Ptx(Architecture),
}

impl Target {
    /// Chooses the target for a device from the architectures that a compiler offers: machine code for exactly that
    /// architecture, or PTX of the newest one where the device is newer than the compiler.
    ///
    /// # Errors
    /// [`Error::UnknownArchitecture`]: the architecture is not offered, and it is not newer than every offered one.
    pub fn for_device(device: Architecture, offered: &[Architecture]) -> Result<Target, Error> {
        match offered.iter().max() {
            _ if offered.contains(&device) => Ok(Target::Cubin(device)),
            Some(&newest) if newest < device => Ok(Target::Ptx(newest)),
            _ => Err(Error::UnknownArchitecture { architecture: device, offered: offered.to_vec() }),
        }
    }

    /// Returns the architecture.
    #[must_use]
    pub fn architecture(self) -> Architecture {
        match self {
            Target::Cubin(architecture) | Target::Ptx(architecture) => architecture,
        }
    }
}

/// Parses `sm_90`, 90 and 9.0 as machine code, and `compute_90` as PTX.
impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Target, Error> {
        match text.strip_prefix("compute_") {
            Some(number) if !number.starts_with("sm_") => number.parse().map(Target::Ptx),
            Some(_) | None => text.parse().map(Target::Cubin),
        }
    }
}

/// As in the option `--gpu-architecture`: `sm_90`, `compute_90`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Cubin(architecture) => architecture.fmt(f),
            Target::Ptx(architecture) => write!(f, "compute_{}", architecture.number()),
        }
    }
}

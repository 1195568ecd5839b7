//! Identifies NVRTC without loading it.
//!
//! Loading NVRTC takes longer than loading cached kernels. So the cache keeps the version and architectures of NVRTC
//! and the file that it was loaded from. This record is valid while the environment names the same places and the file
//! is unchanged. If another NVRTC has replaced it, cached kernels of the old one still run, and later compilations use
//! the new one.

use super::library::VARIABLES;
use super::nvrtc::Nvrtc;
use crate::Error;
use crate::architecture::Architecture;
use crate::cache::{Cache, Entry, Key};
use std::env::{current_dir, var_os};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The identity of an NVRTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// The state of its file: builds of one version differ without saying so.
    pub(super) file: String,
    /// Its version.
    pub(super) version: String,
    /// The architectures that it compiles for, ascending.
    pub(super) architectures: Vec<Architecture>,
}

impl Identity {
    /// Identifies the loaded NVRTC, or the one in the record, or loads one.
    pub(super) fn find(cache: &Cache) -> Result<Identity, Error> {
        match Nvrtc::loaded() {
            Some(nvrtc) => Ok(Identity::of(nvrtc)),
            None => read_record(cache).map_or_else(|| Identity::load(cache), Ok),
        }
    }

    /// Identifies a loaded NVRTC.
    pub(super) fn of(nvrtc: &Nvrtc) -> Identity {
        Identity {
            file: nvrtc.file().and_then(|file| stamp(&file)).unwrap_or_default(),
            version: nvrtc.version().to_owned(),
            architectures: nvrtc.architectures().to_vec(),
        }
    }

    /// Loads NVRTC and writes the record for the next process.
    fn load(cache: &Cache) -> Result<Identity, Error> {
        let identity = Identity::of(Nvrtc::get()?);
        identity.write_record(cache);
        Ok(identity)
    }

    /// Writes the record to the cache.
    pub(super) fn write_record(&self, cache: &Cache) {
        let numbers: Vec<_> = self.architectures.iter().map(|it| it.number().to_string()).collect();
        let text = [&self.file, &self.version, &numbers.join(" ")].map(String::as_str).join("\n");
        cache.put(&record_key(), &Entry { text, image: Vec::new() });
    }
}

/// Reads the record, if its file is unchanged.
fn read_record(cache: &Cache) -> Option<Identity> {
    let text = cache.get(&record_key())?.text;
    let mut lines = text.lines();
    let (file, version, numbers) = (lines.next()?, lines.next()?, lines.next()?);
    let path = Path::new(file.splitn(3, ' ').nth(2)?);
    if stamp(path)? != file {
        return None;
    }
    let numbers = numbers.split(' ').map(|number| number.parse().map(Architecture::from_number));
    let architectures = numbers.collect::<Result<_, _>>().ok()?;
    Some(Identity { file: file.to_owned(), version: version.to_owned(), architectures })
}

/// Returns the key of the record: a digest of everything that decides which file is loaded.
fn record_key() -> Key {
    let folder = current_dir().unwrap_or_default().into_os_string();
    let values = VARIABLES.map(|name| var_os(name).unwrap_or_default());
    let parts = values.iter().chain([&folder]).map(|value| value.as_encoded_bytes());
    Key::of([&b"NVRTC"[..]].into_iter().chain(parts))
}

/// Describes the state of a file: its size, modification time and path.
fn stamp(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok()?;
    let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!(
        "{} {} {}",
        metadata.len(),
        written.as_nanos(),
        path.to_str().filter(|it| !it.contains('\n'))?
    ))
}

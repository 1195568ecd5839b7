//! Which NVRTC there is, without loading it.
//!
//! To load it takes longer than to load kernels that were compiled before. So what it said of itself is kept in the
//! cache, with the file that it was loaded from, and stands as long as the environment names the same places and that
//! file is the same. Where another NVRTC has come in its place meanwhile, kernels that the old one compiled go on
//! running, and the next that are compiled are those of the new one.

use super::library::VARIABLES;
use super::nvrtc::Nvrtc;
use crate::Error;
use crate::architecture::Architecture;
use crate::cache::{Cache, Entry, Key};
use std::env::{current_dir, var_os};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Which NVRTC it is, and what it says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// Its file, as it is now: builds of one version differ, and do not say so.
    pub(super) file: String,
    /// Its version.
    pub(super) version: String,
    /// The architectures that it compiles for, ascending.
    pub(super) architectures: Vec<Architecture>,
}

impl Identity {
    /// Of the NVRTC that is loaded, or that was loaded the last time, or that is loaded for it.
    pub(super) fn find(cache: &Cache) -> Result<Identity, Error> {
        match Nvrtc::loaded() {
            Some(nvrtc) => Ok(Identity::of(nvrtc)),
            None => remembered(cache).map_or_else(|| Identity::load(cache), Ok),
        }
    }

    /// Of an NVRTC that is loaded.
    pub(super) fn of(nvrtc: &Nvrtc) -> Identity {
        Identity {
            file: nvrtc.file().and_then(|file| stamp(&file)).unwrap_or_default(),
            version: nvrtc.version().to_owned(),
            architectures: nvrtc.architectures().to_vec(),
        }
    }

    /// Loads NVRTC, so that the next process need not.
    fn load(cache: &Cache) -> Result<Identity, Error> {
        let identity = Identity::of(Nvrtc::get()?);
        identity.keep(cache);
        Ok(identity)
    }

    /// Keeps it.
    pub(super) fn keep(&self, cache: &Cache) {
        let numbers: Vec<_> = self.architectures.iter().map(|it| it.number().to_string()).collect();
        let text = [&self.file, &self.version, &numbers.join(" ")].map(String::as_str).join("\n");
        cache.put(&place(), &Entry { text, image: Vec::new() });
    }
}

/// What was kept, if its file is the same.
fn remembered(cache: &Cache) -> Option<Identity> {
    let text = cache.get(&place())?.text;
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

/// Where it is kept: by everything that decides which file is loaded.
fn place() -> Key {
    let folder = current_dir().unwrap_or_default().into_os_string();
    let values = VARIABLES.map(|name| var_os(name).unwrap_or_default());
    let parts = values.iter().chain([&folder]).map(|value| value.as_encoded_bytes());
    Key::of([&b"NVRTC"[..]].into_iter().chain(parts))
}

/// A file as it is now: its size, when it was written, and where it is.
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

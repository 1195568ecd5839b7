//! A cache of compiled kernels in files, shared by processes.
//!
//! The cache only saves time. An entry is compiled again and replaced if it is missing, cut off, changed, of another
//! version, or not owned by this user. A folder that cannot be read or written is not an error.
//!
//! Security: code that can write as this user can change the kernels that run on the GPU, just as it can change the
//! program itself. Other users cannot (`folder`). Digests detect accidental damage (`entry`).

mod entry;
mod file;
mod folder;
mod key;

pub(crate) use entry::{Entry, FORMAT};
pub(crate) use file::KernelFile;
pub(crate) use key::Key;

use folder::Folder;
use std::env::var_os;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The environment variable whose value `off` turns the cache off, and the one that names the folder.
const SWITCH: &str = "REDUCEGEN_CACHE";
const FOLDER: &str = "REDUCEGEN_CACHE_DIR";

/// The name of the folder within the user's folder of caches.
const NAME: &str = "reducegen";

/// A folder of compiled kernels, or no folder. Processes may share one.
///
/// The key of an entry is a digest of the text of the kernels, every flag, the architecture, the NVRTC, and the version
/// of this crate. If all entries together exceed 256 MiB, the oldest are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Returns the cache that the environment names.
    ///
    /// Its folder is `REDUCEGEN_CACHE_DIR`, or else `reducegen` in the user's folder of caches (`$XDG_CACHE_HOME` or
    /// `~/.cache`; `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows). The cache is off with
    /// `REDUCEGEN_CACHE=off`, or where there is no such folder.
    #[must_use]
    pub fn from_env() -> Cache {
        Cache { folder: folder_of_environment(&|name| var_os(name).filter(|value| !value.is_empty())) }
    }

    /// Returns a cache in that folder, which is made on the first write.
    pub fn at(folder: impl Into<PathBuf>) -> Cache {
        Cache { folder: Some(folder.into()) }
    }

    /// Returns a cache that keeps nothing.
    #[must_use]
    pub fn off() -> Cache {
        Cache { folder: None }
    }

    /// Returns the folder; `None` if the cache is off.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the entry under a key, if it is complete and belongs to this user.
    pub(crate) fn get(&self, key: &Key) -> Option<Entry> {
        Entry::decode(key, &self.open()?.read(&key.to_string())?)
    }

    /// Writes an entry, if possible.
    pub(crate) fn put(&self, key: &Key, entry: &Entry) {
        if let Some(folder) = &self.folder {
            // On a full disk or in another user's folder, the entry is just not kept.
            let _ = Folder::create(folder).and_then(|it| it.write(&key.to_string(), &entry.encode(key)));
        }
    }

    /// Removes an entry that the driver refuses.
    pub(crate) fn remove(&self, key: &Key) {
        if let Some(folder) = self.open() {
            folder.remove(&key.to_string());
        }
    }

    fn open(&self) -> Option<Folder<'_>> {
        Folder::open(self.folder.as_ref()?).ok()
    }
}

/// Shows the folder and its contents, `/home/ada/.cache/reducegen, 12 entries, 0.4 MiB`, or the reason why nothing is
/// kept.
impl fmt::Display for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(path) = &self.folder else { return f.write_str("off") };
        match Folder::open(path) {
            Ok(folder) => {
                let (count, bytes) = folder.usage();
                let mib = bytes as f64 / f64::from(1 << 20);
                let entries = if count == 1 { "entry" } else { "entries" };
                write!(f, "{}, {count} {entries}, {mib:.1} MiB", path.display())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                write!(f, "{}, empty", path.display())
            }
            Err(error) => write!(f, "{}, not usable: {error}", path.display()),
        }
    }
}

/// Returns the folder of the cache, from environment variables.
fn folder_of_environment(set: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if set(SWITCH).is_some_and(|value| value == "off") {
        return None;
    }
    if let Some(folder) = set(FOLDER) {
        return Some(folder.into());
    }
    let caches = if cfg!(windows) {
        PathBuf::from(set("LOCALAPPDATA")?)
    } else if cfg!(target_os = "macos") {
        Path::new(&set("HOME")?).join("Library/Caches")
    } else {
        // The XDG specification ignores relative paths.
        let named = set("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| Some(Path::new(&set("HOME")?).join(".cache")))?
    };
    Some(caches.join(NAME))
}

#[cfg(test)]
mod tests {
    use super::folder_of_environment;
    use std::ffi::OsString;
    use std::path::PathBuf;

    fn found(variables: &[(&str, &str)]) -> Option<PathBuf> {
        folder_of_environment(&|name| {
            variables.iter().find(|(it, _)| *it == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    #[cfg(all(unix, not(target_os = "macos")))]
    fn the_environment_says_where_it_is() {
        let home = ("HOME", "/home/ada");
        let at = |path: &str| Some(PathBuf::from(path));
        assert_eq!(found(&[home]), at("/home/ada/.cache/reducegen"));
        assert_eq!(found(&[home, ("XDG_CACHE_HOME", "/caches")]), at("/caches/reducegen"));
        assert_eq!(found(&[home, ("XDG_CACHE_HOME", "relative")]), at("/home/ada/.cache/reducegen"));
        assert_eq!(found(&[home, ("REDUCEGEN_CACHE_DIR", "here")]), at("here"));
        assert_eq!(found(&[home, ("REDUCEGEN_CACHE_DIR", "here"), ("REDUCEGEN_CACHE", "off")]), None);
        assert_eq!(found(&[home, ("REDUCEGEN_CACHE", "on")]), at("/home/ada/.cache/reducegen"));
        assert_eq!(found(&[]), None);
    }
}

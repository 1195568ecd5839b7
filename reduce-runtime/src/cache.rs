//! What was compiled, kept in files from process to process.
//!
//! The cache only ever saves time. What is missing, cut off, changed, of another version or not ours is compiled
//! again and replaced; a folder that cannot be used or written is no error. Whoever can write as this user can change
//! what runs on the GPU, as they can change the program itself; other users cannot (`folder`), and accidents are found
//! by digests (`entry`).

mod entry;
mod folder;
mod key;

pub(crate) use entry::{Entry, FORMAT};
pub(crate) use key::Key;

use folder::Folder;
use std::env::var_os;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The environment variable that is `off`, and the one that names the folder.
const SWITCH: &str = "REDUCEGEN_CACHE";
const FOLDER: &str = "REDUCEGEN_CACHE_DIR";

/// The name of the folder in that of all caches of a user.
const NAME: &str = "reducegen";

/// A folder of compiled kernels, or none. Processes may share one.
///
/// Entries are found by a digest of all that matters: the text of the kernels, every flag, the architecture, the
/// NVRTC, and the version of this crate. The oldest are removed where all together exceed 256 MiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The folder that `REDUCEGEN_CACHE_DIR` names, or `reducegen` in the user's folder of caches
    /// (`$XDG_CACHE_HOME` or `~/.cache`; `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows); none with
    /// `REDUCEGEN_CACHE=off`, or where there is no such folder.
    pub fn of_environment() -> Cache {
        Cache { folder: located(&|name| var_os(name).filter(|value| !value.is_empty())) }
    }

    /// That folder, which is made when something is kept.
    pub fn at(folder: impl Into<PathBuf>) -> Cache {
        Cache { folder: Some(folder.into()) }
    }

    /// Nothing is kept.
    pub fn off() -> Cache {
        Cache { folder: None }
    }

    /// The folder, if there is one.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// What is kept under a key, if it is whole and ours.
    pub(crate) fn get(&self, key: &Key) -> Option<Entry> {
        Entry::decode(key, &self.open()?.read(&key.to_string())?)
    }

    /// Keeps an entry, if that is possible.
    pub(crate) fn put(&self, key: &Key, entry: &Entry) {
        if let Some(folder) = &self.folder {
            // A full disk or a folder of others only means that nothing is kept.
            let _ = Folder::create(folder).and_then(|it| it.write(&key.to_string(), &entry.encode(key)));
        }
    }

    /// Forgets an entry that turned out to be of no use.
    pub(crate) fn remove(&self, key: &Key) {
        if let Some(folder) = self.open() {
            folder.remove(&key.to_string());
        }
    }

    fn open(&self) -> Option<Folder<'_>> {
        Folder::open(self.folder.as_ref()?).ok()
    }
}

/// As people want to know it: `/home/ada/.cache/reducegen, 12 entries, 0.4 MiB`, or why nothing is kept.
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

/// Where the cache is, by the environment.
fn located(set: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
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
        // XDG: paths must be absolute, others are ignored.
        let named = set("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| Some(Path::new(&set("HOME")?).join(".cache")))?
    };
    Some(caches.join(NAME))
}

#[cfg(test)]
mod tests {
    use super::located;
    use std::ffi::OsString;
    use std::path::PathBuf;

    fn found(variables: &[(&str, &str)]) -> Option<PathBuf> {
        located(&|name| variables.iter().find(|(it, _)| *it == name).map(|(_, value)| OsString::from(value)))
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

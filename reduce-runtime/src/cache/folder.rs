//! The folder of a cache: files that only this user can write. Each file is written atomically.

use super::Key;
use std::fs::{self, DirBuilder, DirEntry, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The limit on the bytes of all entries together. Beyond it, the oldest entries are removed.
const MOST_BYTES: u64 = 256 << 20;
/// The largest entry that is read, in bytes.
const LARGEST_ENTRY: u64 = 64 << 20;
/// The extension of entries.
const ENTRY: &str = "kernels";
/// The extension of files that are being written. A process that was killed leaves its file behind.
const UNFINISHED: &str = "unfinished";
/// The age at which such a file is removed.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// An existing folder that belongs to this user and that no other user can write.
pub(super) struct Folder<'a> {
    path: &'a Path,
}

impl<'a> Folder<'a> {
    pub(super) fn open(path: &'a Path) -> io::Result<Folder<'a>> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_dir() {
            return Err(io::Error::other("it is not a folder"));
        }
        check_private(&metadata)?;
        Ok(Folder { path })
    }

    /// Opens the folder, and makes it first if it does not exist.
    pub(super) fn create(path: &'a Path) -> io::Result<Folder<'a>> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(path)?;
        Folder::open(path)
    }

    /// Reads an entry, if only this user could have written it.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut options = OpenOptions::new();
        options.read(true);
        // Do not follow a link, and do not block on a pipe.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let file = options.open(self.entry(name)).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > LARGEST_ENTRY || check_private(&metadata).is_err() {
            return None;
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        file.take(LARGEST_ENTRY).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Writes an entry atomically, replacing an existing one: readers see all of the old one or all of the new one.
    /// Does not wait for the disk: if the machine crashes, digests detect incomplete entries.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        // Processes in two containers may have the same number, and forked processes the same random numbers.
        let (process, random) = (std::process::id(), RandomState::new().hash_one(0));
        let unfinished = self.path.join(format!("{name}.{process}.{random:016x}.{UNFINISHED}"));
        let written = self.write_through(&unfinished, name, bytes);
        self.clean(MOST_BYTES);
        written
    }

    /// Writes the entry to a new file and renames it.
    fn write_through(&self, unfinished: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = create(unfinished)?;
        let written = file.write_all(bytes).and_then(|()| fs::rename(unfinished, self.entry(name)));
        if written.is_err() {
            let _ = fs::remove_file(unfinished);
        }
        written
    }

    pub(super) fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.entry(name));
    }

    /// Returns the number of entries and their total bytes.
    pub(super) fn usage(&self) -> (usize, u64) {
        let entries = self.files(ENTRY);
        (entries.len(), entries.iter().map(|(_, metadata)| metadata.len()).sum())
    }

    /// Removes abandoned files, and the oldest entries until the rest fits into `most` bytes. Errors are ignored:
    /// another process may remove the same files first.
    fn clean(&self, most: u64) {
        for (path, metadata) in self.files(UNFINISHED) {
            let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > ABANDONED_AFTER) {
                let _ = fs::remove_file(path);
            }
        }
        let mut entries = self.files(ENTRY);
        let mut bytes: u64 = entries.iter().map(|(_, metadata)| metadata.len()).sum();
        entries.sort_by_key(|(_, metadata)| metadata.modified().ok());
        for (path, metadata) in entries {
            if bytes <= most {
                return;
            }
            bytes -= metadata.len();
            let _ = fs::remove_file(path);
        }
    }

    fn entry(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.{ENTRY}"))
    }

    /// Lists the files that this cache wrote, with that extension. The user names the folder and may keep other files
    /// there.
    fn files(&self, extension: &str) -> Vec<(PathBuf, Metadata)> {
        let files = self.path.read_dir().into_iter().flatten().flatten();
        let is_ours = |file: &DirEntry| file.file_name().to_str().is_some_and(begins_with_key);
        let files = files.filter(is_ours);
        let files = files.filter(|file| file.path().extension().is_some_and(|it| it == extension));
        files.filter_map(|file| Some((file.path(), file.metadata().ok()?))).collect()
    }
}

fn begins_with_key(name: &str) -> bool {
    let key = name.split_once('.').map_or("", |(key, _)| key);
    key.len() == 2 * Key::BYTES && key.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Checks that this user owns the file and that no other user can write it. On systems other than Unix, the folders of
/// a user are private.
#[cfg(unix)]
fn check_private(metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: has no preconditions.
    if metadata.uid() != unsafe { libc::geteuid() } {
        return Err(io::Error::other("it belongs to another user"));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(io::Error::other("other users can write it"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_private(_: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::{ABANDONED_AFTER, Folder};
    use std::fs::{self, File};
    use std::io::ErrorKind;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    fn folder(test: &str) -> PathBuf {
        std::env::temp_dir().join(format!("reducegen-{test}-{}", std::process::id()))
    }

    #[test]
    fn the_oldest_entries_and_what_nobody_finishes_are_removed() -> std::io::Result<()> {
        let path = folder("folder");
        let folder = Folder::create(&path)?;
        let aged = |path: &Path, age: Duration| File::open(path)?.set_modified(SystemTime::now() - age);
        let [old, older, new] = ["1", "2", "e"].map(|digit| digit.repeat(64));
        for (name, hours) in [(&old, 3), (&older, 4), (&new, 1)] {
            folder.write(name, &[0; 100])?;
            aged(&folder.entry(name), Duration::from_secs(3600 * hours))?;
        }
        let [abandoned, recent] = [&old, &new].map(|name| path.join(format!("{name}.1.0.unfinished")));
        let others = ["symphony.unfinished", "popcorn.kernels"].map(|name| path.join(name));
        for file in [&abandoned, &recent, &others[0], &others[1]] {
            fs::write(file, [0; 100])?;
        }
        for file in [&abandoned, &others[0], &others[1]] {
            aged(file, ABANDONED_AFTER + Duration::from_secs(36_000))?;
        }
        folder.clean(200);
        let left = [&older, &old, &new].map(|name| folder.entry(name).exists());
        assert_eq!((left, folder.usage()), ([false, true, true], (2, 200)));
        assert_eq!((abandoned.exists(), recent.exists()), (false, true));
        assert!(others.iter().all(|other| other.exists()), "they are not ours");
        fs::remove_dir_all(path)
    }

    #[test]
    fn what_another_is_writing_is_not_removed() -> std::io::Result<()> {
        let path = folder("writing");
        let (folder, theirs) = (Folder::create(&path)?, path.join("theirs"));
        fs::write(&theirs, "half")?;
        let written = folder.write_through(&theirs, "entry", b"all");
        assert_eq!(written.map_err(|error| error.kind()), Err(ErrorKind::AlreadyExists));
        assert_eq!(fs::read(&theirs)?, b"half");
        fs::remove_dir_all(path)
    }
}

//! Output: to the standard output or to a file, and notes to the standard error.

use crate::failure::Failure;
use std::fmt::Display;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::NamedTempFile;

/// Writes all of `bytes` to the file, or to the standard output.
pub(crate) fn write(file: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    let written = match file {
        Some(path) => write_file(path, bytes),
        None => print(bytes),
    };
    let target = || file.map_or("the standard output".to_owned(), |path| path.display().to_string());
    written.map_err(|error| Failure::Write { target: target(), error })
}

/// Returns whether the output would go to a terminal.
pub(crate) fn is_screen(file: Option<&Path>) -> bool {
    file.is_none() && io::stdout().is_terminal()
}

/// Whether notes are left out.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out all notes from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Returns whether notes are left out.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a line to the standard error, unless the user wants no notes.
pub(crate) fn note(line: impl Display) {
    if !is_quiet() {
        error(line);
    }
}

/// Writes a line to the standard error, in colour if that is a terminal. A closed standard error is no failure.
pub(crate) fn error(line: impl Display) {
    drop(writeln!(anstream::stderr(), "{line}"));
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes a file as a whole, or keeps the existing one. Devices, pipes and open files (`/dev/stdout`) are written
/// directly.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let is_open = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    let Some(permissions) = replaceable(path)?.filter(|_| !is_open) else {
        return fs::write(path, bytes);
    };
    let target = target(path);
    match temporary(&target) {
        Ok(temporary) => replace(temporary, &target, permissions, bytes),
        // A folder that takes no new files may hold a writable one. If the folder is missing, the system reports
        // it.
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound) => {
            fs::write(path, bytes)
        }
        Err(error) => Err(error),
    }
}

/// Returns the permissions of a regular file that may be replaced; the inner value is `None` if there is no file
/// yet.
fn replaceable(path: &Path) -> io::Result<Option<Option<Permissions>>> {
    let metadata = match OpenOptions::new().write(true).open(path) {
        Ok(file) => file.metadata()?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok((!path.is_symlink()).then_some(None));
        }
        Err(error) => return Err(error),
    };
    Ok(metadata.is_file().then(|| Some(metadata.permissions())))
}

/// Returns the target of a symbolic link, which is replaced instead of the link.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Creates a file in the folder of `target`, with the permissions of any new file. It is removed when dropped.
fn temporary(target: &Path) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(".reducegen-").tempfile_in(folder.unwrap_or(Path::new(".")))
}

fn replace(
    mut temporary: NamedTempFile,
    target: &Path,
    permissions: Option<Permissions>,
    bytes: &[u8],
) -> io::Result<()> {
    temporary.write_all(bytes)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.persist(target).map(drop).map_err(|error| error.error)
}

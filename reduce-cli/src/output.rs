//! Where text and bytes go: to the standard output or to a file, and a word beside it to the standard error.

use crate::failure::Failure;
use std::fmt::Display;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
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

/// Would binary output end on a screen?
pub(crate) fn is_screen(file: Option<&Path>) -> bool {
    file.is_none() && io::stdout().is_terminal()
}

/// A line on the standard error. That nobody reads it is no reason to fail.
pub(crate) fn note(line: impl Display) {
    drop(writeln!(io::stderr(), "{line}"));
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes a file whole, or leaves the one that is there. Devices, pipes and open files (`/dev/stdout`) are written as they are.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let is_open = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    let Some(permissions) = replaceable(path)?.filter(|_| !is_open) else {
        return fs::write(path, bytes);
    };
    let target = target(path);
    match temporary(&target) {
        Ok(temporary) => replace(temporary, &target, permissions, bytes),
        // A folder that takes no new files may have one that can be written; of one that is not there, the system says so.
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound) => {
            fs::write(path, bytes)
        }
        Err(error) => Err(error),
    }
}

/// The permissions of a file that may be written, and so replaced; none inside where there is nothing yet.
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

/// What a symbolic link leads to, which is replaced in its stead.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A new file in the folder of `target`, with the permissions of any new file. It is removed when dropped.
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

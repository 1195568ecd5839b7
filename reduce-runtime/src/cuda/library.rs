//! Finds NVRTC at run time: at the path that the user names, in the folders of the loader, in CUDA toolkits, and in
//! Python environments.

use crate::Error;
use libloading::Library;
use std::env::{split_paths, var_os};
use std::error::Error as _;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The environment variable that names the library. If it is set, no other place is tried.
const VARIABLE: &str = "REDUCEGEN_NVRTC";

/// The names that the dynamic loader resolves, newest first.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

/// Loads NVRTC from the first place that has it.
pub(super) fn find() -> Result<(PathBuf, Library), Error> {
    if let Some(named) = var_os(VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from) {
        return open(&named).map(|library| (named, library));
    }
    let searched = candidates();
    let mut unusable = None;
    for path in &searched {
        match open(path) {
            Ok(library) => return Ok((path.clone(), library)),
            // A file that exists but does not load is the error to report.
            Err(error) if is_path(path) => unusable = unusable.or(Some(error)),
            Err(_) => {}
        }
    }
    Err(unusable.unwrap_or(Error::NvrtcNotFound { searched }))
}

/// Returns whether it is the path of a file, not a name that the loader resolves.
fn is_path(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder != Path::new(""))
}

/// Loads the NVRTC at `path`.
pub(super) fn open(path: &Path) -> Result<Library, Error> {
    let unusable =
        |error: libloading::Error| Error::NvrtcUnusable { path: path.to_owned(), reason: reason(&error) };
    if let Some(builtins) = builtins(path) {
        // NVRTC asks the loader for its builtins by name. Outside the loader's folders, that only finds libraries that
        // are loaded already. The builtins stay loaded as long as the process, as NVRTC does.
        std::mem::forget(load(&builtins).map_err(unusable)?);
    }
    load(path).map_err(unusable)
}

/// Returns the file that contains a loaded function.
#[cfg(unix)]
pub(super) fn file_of(function: *const ()) -> Option<PathBuf> {
    use std::ffi::CStr;
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: the fields are numbers and pointers, and zero is a valid value of both.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for; writes the structure.
    if unsafe { libc::dladdr(function.cast(), &mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: it was found, so the name is a terminated string, which lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

#[cfg(not(unix))]
pub(super) fn file_of(_: *const ()) -> Option<PathBuf> {
    None
}

/// The environment variables that decide which NVRTC is found.
pub(super) const VARIABLES: [&str; 7] =
    [VARIABLE, "LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"];

/// Returns the message of the loader, which the error itself does not show.
pub(super) fn reason(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns why an existing library does not load, for the first of these names that the loader finds.
pub(super) fn load_failure(names: [&str; 2]) -> Option<String> {
    let reasons = names.into_iter().filter_map(|name| Some((name, load(Path::new(name)).err()?)));
    // For a missing file, glibc's message starts with the name and ends as below. Otherwise it starts with the path it
    // found.
    let is_missing =
        |name: &str, reason: &str| reason.starts_with(name) && reason.ends_with("No such file or directory");
    reasons
        .map(|(name, error)| (name, reason(&error)))
        .find(|(name, reason)| !is_missing(name, reason))
        .map(|it| it.1)
}

/// Loads a library of NVIDIA's.
pub(super) fn load(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: loading runs the initialisers of NVIDIA's library, or of the file that the user put in its
    // place and thereby trusts; these have no preconditions.
    unsafe { Library::new(path) }
}

/// Lists the paths where NVRTC may be, in search order. No path lies below the working folder: it may belong to
/// anybody, and a loaded library runs code.
fn candidates() -> Vec<PathBuf> {
    let toolkits = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(folder_of);
    let toolkits = toolkits.chain([PathBuf::from("/usr/local/cuda")]);
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(folder_of);
    let environments = environments.chain(python());
    let mut paths: Vec<_> = NAMES.iter().map(PathBuf::from).collect();
    paths.extend(
        toolkits.flat_map(|root| [root.join("lib64"), root.join("lib")]).flat_map(|lib| libraries(&lib)),
    );
    paths.extend(environments.flat_map(|root| in_environment(&root)));
    paths
}

/// Returns the folder that an environment variable names, if it is absolute.
fn folder_of(variable: &str) -> Option<PathBuf> {
    var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// Returns the environment that `python3` on the PATH belongs to.
fn python() -> Option<PathBuf> {
    let path = var_os("PATH")?;
    let mut folders = split_paths(&path).filter(|folder| folder.is_absolute());
    folders.find(|folder| folder.join("python3").exists())?.parent().map(Path::to_owned)
}

/// Lists the libraries of the wheel `nvidia-cuda-nvrtc`, and of conda's package.
fn in_environment(root: &Path) -> Vec<PathBuf> {
    let pythons = children(&root.join("lib")).into_iter().filter(|path| starts_with(path, "python3"));
    let wheels = pythons.flat_map(|python| children(&python.join("site-packages/nvidia")));
    let folders = wheels.map(|wheel| wheel.join("lib")).chain([root.join("lib")]);
    folders.flat_map(|folder| libraries(&folder)).collect()
}

fn libraries(folder: &Path) -> Vec<PathBuf> {
    children(folder).into_iter().filter(|path| starts_with(path, "libnvrtc.so")).collect()
}

/// Returns the library of builtins in the folder of an NVRTC that is given by path.
fn builtins(nvrtc: &Path) -> Option<PathBuf> {
    let folder = nvrtc.parent().filter(|_| is_path(nvrtc))?;
    children(folder).into_iter().find(|path| starts_with(path, "libnvrtc-builtins.so"))
}

fn starts_with(path: &Path, prefix: &str) -> bool {
    path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(prefix))
}

/// Lists the contents of a folder in reverse order, so that newer versions come first; empty if it cannot be read.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten();
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths.reverse();
    paths
}

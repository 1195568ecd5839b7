//! NVRTC: the functions that this crate calls, and compilation with them.

use super::library;
use crate::architecture::{Architecture, Target};
use crate::image::{Image, Resources};
use crate::{Error, NvrtcError};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The oldest version: the first whose PTX has `st.async`, by which the blocks of a cluster combine (PTX ISA 8.1).
const OLDEST: (c_int, c_int) = (12, 1);

/// Limits on the bytes of an image or log, and on the number of architectures. Larger numbers mean a faulty library.
const MOST_BYTES: usize = 1 << 30;
const MOST_ARCHITECTURES: c_int = 1 << 10;

/// `NVRTC_ERROR_INTERNAL_ERROR` of `nvrtc.h`, also returned for numbers beyond these limits.
const INTERNAL_ERROR: c_int = 11;

/// Asks the assembler for the registers and spills of each kernel.
const REPORT: &str = "--ptxas-options=-v";

/// The NVRTC of this process.
static NVRTC: OnceLock<Nvrtc> = OnceLock::new();

/// Held by the thread that searches for NVRTC.
static FINDING: Mutex<()> = Mutex::new(());

/// The compiler of kernels. It needs no GPU and no driver.
#[derive(Clone, Debug)]
pub struct Nvrtc {
    path: PathBuf,
    architectures: Vec<Architecture>,
    version: String,
    api: Api,
}

impl Nvrtc {
    /// Returns the NVRTC of this process, which is searched for and loaded at the first call.
    ///
    /// # Errors
    /// [`Error::NvrtcNotFound`] or [`Error::NvrtcUnusable`]: none was found, or the one that was found cannot be used.
    pub fn get() -> Result<&'static Nvrtc, Error> {
        if let Some(nvrtc) = NVRTC.get() {
            return Ok(nvrtc);
        }
        // One thread at a time: a library that another thread has just loaded would be found by its name, without its
        // folder.
        let _alone = FINDING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(nvrtc) = NVRTC.get() {
            return Ok(nvrtc);
        }
        let (path, library) = library::find()?;
        let nvrtc = Nvrtc::new(path, library)?;
        Ok(NVRTC.get_or_init(|| nvrtc))
    }

    /// Returns the NVRTC of this process, if it is loaded.
    pub(super) fn loaded() -> Option<&'static Nvrtc> {
        NVRTC.get()
    }

    /// Loads the NVRTC at `path`, for programs that ship their own. It stays loaded until the process ends.
    ///
    /// # Errors
    /// [`Error::NvrtcUnusable`]: it cannot be loaded, or lacks a function.
    ///
    /// # Safety
    /// The file is a build of NVRTC: the code that it runs on loading does no harm, and its functions match NVIDIA's
    /// header.
    pub unsafe fn open(path: &Path) -> Result<Nvrtc, Error> {
        let library = library::open(path)?;
        Nvrtc::new(path.to_owned(), library)
    }

    fn new(path: PathBuf, library: Library) -> Result<Nvrtc, Error> {
        let loaded = Api::new(Box::leak(Box::new(library)));
        let unusable = |reason| Error::NvrtcUnusable { path: path.clone(), reason };
        let api = loaded.map_err(|error| unusable(library::reason(&error)))?;
        let architectures = api.architectures().map_err(|code| unusable(api.name_of(code)))?;
        let (major, minor) = api.version().map_err(|code| unusable(api.name_of(code)))?;
        let version = format!("{major}.{minor}");
        if (major, minor) < OLDEST {
            return Err(unusable(format!("its version is {version}")));
        }
        Ok(Nvrtc { path, architectures, version, api })
    }

    /// Returns the place of the library: a path, or a name that the loader resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the architectures that it compiles for, ascending.
    #[must_use]
    pub fn architectures(&self) -> &[Architecture] {
        &self.architectures
    }

    /// Returns the loaded file, if the system reports it.
    pub(super) fn file(&self) -> Option<PathBuf> {
        library::file_of(self.api.compile as *const ())
    }

    /// Returns the version, as in `13.0`.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Compiles CUDA C of `reduce_codegen::cuda` with the flags in its header, without a limit on size or time.
    ///
    /// # Errors
    /// [`Error::UnknownArchitecture`], or [`Error::Nvrtc`] with its log: NVRTC does not know the target, or refuses the
    /// text.
    pub fn compile(&self, source: &str, target: Target) -> Result<Image, Error> {
        self.compile_with(source, target, &[])
    }

    /// As [`Nvrtc::compile`], with more flags.
    pub(super) fn compile_with(&self, source: &str, target: Target, flags: &[&str]) -> Result<Image, Error> {
        let architecture = target.architecture();
        if !self.architectures.contains(&architecture) {
            return Err(Error::UnknownArchitecture { architecture, offered: self.architectures.clone() });
        }
        let program =
            Program::new(&self.api, source).map_err(|code| self.refused(code, source, target, ""))?;
        let compiled = program.compile(target, flags);
        let log = program.text(&self.api.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        let bytes = compiled.and_then(|()| program.image(target));
        let bytes = bytes.map_err(|code| self.refused(code, source, target, &log))?;
        let resources = Resources::parse(&log);
        Ok(Image { target, bytes, log, resources })
    }

    fn refused(&self, code: c_int, source: &str, target: Target, log: &str) -> Error {
        let lines = source.lines().enumerate().map(|(i, line)| format!("{:>4} | {line}\n", i + 1));
        let (name, log) = (self.api.name_of(code), log.trim_end().to_owned());
        Error::Nvrtc(Box::new(NvrtcError { target, name, log, source_text: lines.collect() }))
    }
}

/// The functions that are called, with the signatures of `nvrtc.h`.
#[derive(Clone, Debug)]
struct Api {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    count_architectures: unsafe extern "C" fn(*mut c_int) -> c_int,
    list_architectures: unsafe extern "C" fn(*mut c_int) -> c_int,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Handle) -> c_int,
    describe: unsafe extern "C" fn(c_int) -> *const c_char,
    log: Text,
    cubin: Text,
    ptx: Text,
}

/// A program of NVRTC: an opaque pointer.
type Handle = *mut c_void;

/// The functions that return a text of a program: its number of bytes, and the bytes.
#[derive(Clone, Debug)]
struct Text {
    size: unsafe extern "C" fn(Handle, *mut usize) -> c_int,
    bytes: unsafe extern "C" fn(Handle, *mut c_char) -> c_int,
}

impl Api {
    fn new(library: &'static Library) -> Result<Api, libloading::Error> {
        // SAFETY: each name gets the type that `nvrtc.h` declares for it, the same since CUDA 11.2.
        unsafe {
            let text = |size, bytes| -> Result<Text, libloading::Error> {
                Ok(Text { size: *library.get(size)?, bytes: *library.get(bytes)? })
            };
            Ok(Api {
                version: *library.get("nvrtcVersion")?,
                count_architectures: *library.get("nvrtcGetNumSupportedArchs")?,
                list_architectures: *library.get("nvrtcGetSupportedArchs")?,
                create: *library.get("nvrtcCreateProgram")?,
                compile: *library.get("nvrtcCompileProgram")?,
                destroy: *library.get("nvrtcDestroyProgram")?,
                describe: *library.get("nvrtcGetErrorString")?,
                log: text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?,
                cubin: text("nvrtcGetCUBINSize", "nvrtcGetCUBIN")?,
                ptx: text("nvrtcGetPTXSize", "nvrtcGetPTX")?,
            })
        }
    }

    fn version(&self) -> Result<(c_int, c_int), c_int> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: writes two numbers.
        check(unsafe { (self.version)(&mut major, &mut minor) })?;
        Ok((major, minor))
    }

    fn architectures(&self) -> Result<Vec<Architecture>, c_int> {
        let mut count = 0;
        // SAFETY: writes one number.
        check(unsafe { (self.count_architectures)(&mut count) })?;
        if !(0..=MOST_ARCHITECTURES).contains(&count) {
            return Err(INTERNAL_ERROR);
        }
        let mut numbers = vec![0; count as usize];
        // SAFETY: writes the announced count of numbers, for which there is room.
        check(unsafe { (self.list_architectures)(numbers.as_mut_ptr()) })?;
        numbers.sort_unstable();
        Ok(numbers.into_iter().map(|number| Architecture::from_number(number.unsigned_abs())).collect())
    }

    fn name_of(&self, code: c_int) -> String {
        // SAFETY: any code may be asked for.
        let name = unsafe { (self.describe)(code) };
        if name.is_null() {
            return format!("error {code}");
        }
        // SAFETY: it is a static, terminated string.
        let name = unsafe { CStr::from_ptr(name) };
        name.to_string_lossy().into_owned()
    }
}

/// A program of NVRTC, destroyed when dropped.
struct Program<'a> {
    api: &'a Api,
    handle: Handle,
}

impl<'a> Program<'a> {
    fn new(api: &'a Api, source: &str) -> Result<Program<'a>, c_int> {
        let mut handle = null_mut();
        let source = terminated(source);
        // SAFETY: the strings are terminated and copied by the call; without headers both arrays may be null.
        let created =
            unsafe { (api.create)(&mut handle, source.as_ptr(), c"reduce.cu".as_ptr(), 0, null(), null()) };
        check(created).map(|()| Program { api, handle })
    }

    fn compile(&self, target: Target, more: &[&str]) -> Result<(), c_int> {
        let architecture = format!("--gpu-architecture={target}");
        let flags = reduce_codegen::NVRTC_FLAGS
            .into_iter()
            .chain([REPORT, &architecture])
            .chain(more.iter().copied());
        let flags: Vec<_> = flags.map(terminated).collect();
        let pointers: Vec<_> = flags.iter().map(|flag| flag.as_ptr()).collect();
        // SAFETY: the program is alive, and the array has the announced number of terminated strings.
        check(unsafe { (self.api.compile)(self.handle, pointers.len() as c_int, pointers.as_ptr()) })
    }

    fn image(&self, target: Target) -> Result<Vec<u8>, c_int> {
        let image = match target {
            Target::Cubin(_) => self.bytes(&self.api.cubin),
            Target::Ptx(_) => self.text(&self.api.ptx),
        }?;
        if image.is_empty() { Err(INTERNAL_ERROR) } else { Ok(image) }
    }

    /// Returns a text without its terminating zeros.
    fn text(&self, text: &Text) -> Result<Vec<u8>, c_int> {
        let mut bytes = self.bytes(text)?;
        bytes.retain(|&byte| byte != 0);
        Ok(bytes)
    }

    fn bytes(&self, text: &Text) -> Result<Vec<u8>, c_int> {
        let mut size = 0;
        // SAFETY: the program is alive; writes one number.
        check(unsafe { (text.size)(self.handle, &mut size) })?;
        if size > MOST_BYTES {
            return Err(INTERNAL_ERROR);
        }
        let mut bytes = vec![0; size];
        // SAFETY: the program is alive; writes the announced number of bytes, for which there is room.
        check(unsafe { (text.bytes)(self.handle, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `create`, and destroyed only here.
        unsafe { (self.api.destroy)(&mut self.handle) };
    }
}

fn check(code: c_int) -> Result<(), c_int> {
    if code == 0 { Ok(()) } else { Err(code) }
}

/// Makes a C string, cut at the first zero: a zero in CUDA text ends it for every compiler.
fn terminated(text: &str) -> CString {
    let bytes = text.bytes().take_while(|&byte| byte != 0).collect::<Vec<_>>();
    CString::new(bytes).unwrap_or_default()
}

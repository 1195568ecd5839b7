//! A program as an image that can be launched: from the cache, or by NVRTC, which gets neither too much nor for ever.

use super::deadline;
use super::identity::Identity;
use super::nvrtc::Nvrtc;
use crate::Error;
use crate::architecture::{Architecture, Target};
use crate::cache::{Cache, Entry, FORMAT, Key};
use crate::image::{Image, Resources};
use reduce_ir::program::{Program, Reads};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What compiles programs: a cache, and the NVRTC of this process, which is loaded when something is not there.
/// It needs no GPU.
#[derive(Debug)]
pub struct Compiler {
    cache: Cache,
    identity: OnceLock<Identity>,
    compiled: AtomicU64,
    deadline: Option<Duration>,
}

/// A program as it is printed, and what it is compiled for.
#[derive(Clone)]
pub(super) struct Source {
    text: String,
    block: u32,
    target: Target,
}

impl Compiler {
    /// With that cache.
    pub fn new(cache: Cache) -> Compiler {
        Compiler { cache, identity: OnceLock::new(), compiled: AtomicU64::new(0), deadline: None }
    }

    /// The same, but callers wait so long for NVRTC, and not as long as `REDUCEGEN_COMPILE_SECONDS` says, or 10 s.
    ///
    /// NVRTC cannot be interrupted: after [`Error::CompileTime`] it goes on in a thread of its own, whose result goes to
    /// the cache, and of which there are at most four. Programs that would take more than a gigabyte are refused before
    /// (`reduce_codegen::Error::TooLarge`). With glibc, a process that ends meanwhile skips the functions that were
    /// registered by `atexit` before; destructors of NVRTC that run beside it would crash. Where there is no thread to be
    /// had, NVRTC runs in that of the caller, however long it takes.
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Compiler {
        Compiler { deadline: Some(deadline), ..self }
    }

    /// A new one with that cache, whose callers wait as long.
    pub(super) fn with_cache(&self, cache: Cache) -> Compiler {
        Compiler { deadline: self.deadline, ..Compiler::new(cache) }
    }

    /// Its cache.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Programs that were not in the cache so far.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }

    /// What a device of that architecture runs, of what NVRTC offers.
    ///
    /// # Errors
    /// There is no NVRTC, or none that is as old as the architecture.
    pub fn target(&self, device: Architecture) -> Result<Target, Error> {
        Target::for_device(device, &self.identity()?.architectures)
    }

    /// A program for a target, compiled if it is not in the cache.
    ///
    /// # Errors
    /// The program is too large, there is no NVRTC, it does not know the architecture, it takes too long, or it refuses the
    /// text, which is a bug of this project.
    pub fn image(&self, program: &Program, target: Target) -> Result<Image, Error> {
        let source = Source::of(program, target)?;
        match self.kept(&self.key(&source)?, &source) {
            Some(image) => Ok(image),
            None => self.compile(&source),
        }
    }

    /// What the cache has under the key of a source.
    pub(super) fn kept(&self, key: &Key, source: &Source) -> Option<Image> {
        let Entry { text, image } = self.cache.get(key)?;
        Some(Image { target: source.target, bytes: image, resources: Resources::parse(&text), log: text })
    }

    /// Compiles and keeps it.
    pub(super) fn compile(&self, source: &Source) -> Result<Image, Error> {
        let nvrtc = Nvrtc::get()?;
        self.compiled.fetch_add(1, Ordering::Relaxed);
        // What is loaded now may not be what was remembered.
        let identity = Identity::of(nvrtc);
        if identity != *self.identity()? {
            identity.keep(&self.cache);
        }
        let (key, cache, job) = (source.key(&identity), self.cache.clone(), source.clone());
        let folder = cache.folder().map(|it| it.as_os_str().as_encoded_bytes().to_vec()).unwrap_or_default();
        let work = move || {
            let image = nvrtc.compile_source(&job)?;
            cache.put(&key, &Entry { text: image.log.clone(), image: image.bytes.clone() });
            Ok(image)
        };
        let name = Key::of([key.to_string().as_bytes(), &folder[..]]);
        deadline::within(deadline::or_of_environment(self.deadline)?, name, source.target, work)
    }

    /// What a source is called by the NVRTC that there is.
    pub(super) fn key(&self, source: &Source) -> Result<Key, Error> {
        Ok(source.key(self.identity()?))
    }

    fn identity(&self) -> Result<&Identity, Error> {
        if let Some(identity) = self.identity.get() {
            return Ok(identity);
        }
        let identity = Identity::find(&self.cache)?;
        Ok(self.identity.get_or_init(|| identity))
    }
}

impl Source {
    /// Of a program that is not too large.
    pub(super) fn of(program: &Program, target: Target) -> Result<Source, Error> {
        reduce_codegen::check_size(program)?;
        Ok(Source { text: reduce_codegen::cuda(program)?, block: threads(program), target })
    }

    /// The digest of all that its image follows from.
    fn key(&self, nvrtc: &Identity) -> Key {
        let version = format!("{FORMAT} {}", env!("CARGO_PKG_VERSION"));
        let (target, most) = (self.target.to_string(), self.most_registers().to_string());
        let nvrtc = format!("{} {}", nvrtc.version, nvrtc.file);
        let parts = [&version, reduce_codegen::ASSOCIATION, &nvrtc, &target, &most, &self.text];
        let flags = reduce_codegen::NVRTC_FLAGS.into_iter();
        Key::of(parts.into_iter().chain(flags).map(str::as_bytes))
    }

    /// [`reduce_codegen::most_registers`].
    fn most_registers(&self) -> u32 {
        reduce_codegen::most_registers(self.block)
    }
}

impl Nvrtc {
    /// Prints and compiles a program. Where a kernel takes more registers than a block of the program's size
    /// has, it is compiled again within that limit: slower than without it, so only then.
    ///
    /// # Errors
    /// The program is too large; NVRTC does not know the architecture, takes longer than `REDUCEGEN_COMPILE_SECONDS` says, or
    /// 10 s, or refuses the text, which is a bug of this project.
    pub fn compile_program(&self, program: &Program, target: Target) -> Result<Image, Error> {
        let (source, nvrtc) = (Source::of(program, target)?, self.clone());
        let name = source.key(&Identity::of(self));
        let work = move || nvrtc.compile_source(&source);
        deadline::within(deadline::or_of_environment(None)?, name, target, work)
    }

    fn compile_source(&self, source: &Source) -> Result<Image, Error> {
        let image = self.reported(&source.text, source.target)?;
        let most = source.most_registers();
        if image.resources.iter().all(|kernel| kernel.registers <= most) {
            return Ok(image);
        }
        self.compile_with(&source.text, source.target, &[&format!("--maxrregcount={most}")])
    }

    /// The image with what ptxas says about it. What NVRTC finds in its own cache (CUDA 12.9) comes without a word, so
    /// that nobody would know of a kernel with too many registers for its block; `--no-cache` makes it speak.
    fn reported(&self, source: &str, target: Target) -> Result<Image, Error> {
        let image = self.compile(source, target)?;
        let silent = image.resources.is_empty() && matches!(target, Target::Cubin(_));
        if silent { self.compile_with(source, target, &["--no-cache"]) } else { Ok(image) }
    }
}

/// Threads of the larger of a program's blocks.
fn threads(program: &Program) -> u32 {
    [Reads::Inputs, Reads::Partials]
        .map(|reads| program.threads(reads))
        .into_iter()
        .max()
        .unwrap_or(program.block)
}

//! Turns a program into an image that can be launched: from the cache, or by NVRTC within a limit on program size and a
//! deadline.

use super::deadline;
use super::identity::Identity;
use super::nvrtc::Nvrtc;
use crate::Error;
use crate::architecture::{Architecture, Target};
use crate::cache::{Cache, Entry, FORMAT, Key};
use crate::event::event;
use crate::image::{Image, Resources};
use reduce_codegen::keys::Keyed;
use reduce_codegen::runs::Heads;
use reduce_codegen::segments::Segmented;
use reduce_ir::program::{Program, Reads};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A compiler of programs: a cache, and the NVRTC of this process, which is loaded at the first miss. It needs no GPU.
#[derive(Debug)]
pub struct Compiler {
    cache: Cache,
    identity: OnceLock<Identity>,
    compiled: AtomicU64,
    deadline: Option<Duration>,
}

/// The CUDA text of a program.
#[derive(Clone)]
pub(super) struct KernelText {
    text: String,
    block: u32,
}

/// The CUDA text of a program, and the target for which it is compiled.
#[derive(Clone)]
pub(super) struct KernelSource {
    text: KernelText,
    target: Target,
}

impl Compiler {
    /// Makes a compiler with that cache.
    #[must_use]
    pub fn new(cache: Cache) -> Compiler {
        Compiler { cache, identity: OnceLock::new(), compiled: AtomicU64::new(0), deadline: None }
    }

    /// Returns the compiler with another time that callers wait for NVRTC. The default is `REDUCEGEN_COMPILE_SECONDS`,
    /// or 10 s.
    ///
    /// NVRTC cannot be interrupted. After [`Error::CompileTime`] it continues in its own thread, and the result goes to
    /// the cache. At most four such threads exist. Programs that would take more than a gigabyte are refused
    /// first (`reduce_codegen::Error::TooLarge`). If no thread can be created, NVRTC runs in the caller's thread without a
    /// deadline.
    ///
    /// With glibc, a process that exits during such a compilation skips the functions that were registered by `atexit`
    /// before: destructors of NVRTC that run during a compilation would crash.
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Compiler {
        Compiler { deadline: Some(deadline), ..self }
    }

    /// Returns a new compiler with another cache and the same deadline.
    pub(super) fn with_cache(&self, cache: Cache) -> Compiler {
        Compiler { deadline: self.deadline, ..Compiler::new(cache) }
    }

    /// Returns the cache.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Returns how many programs were not in the cache so far.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }

    /// Chooses the target for a device of that architecture from those that NVRTC offers.
    ///
    /// # Errors
    /// There is no NVRTC, or it does not support an architecture that old.
    pub fn target(&self, device: Architecture) -> Result<Target, Error> {
        Target::for_device(device, &self.identity()?.architectures)
    }

    /// Returns the image of a program for a target. Compiles the program if it is not in the cache.
    ///
    /// # Errors
    /// The program is too large; there is no NVRTC; NVRTC does not know the architecture, takes too long, or refuses
    /// the text, which is a bug of this project.
    pub fn image(&self, program: &Program, target: Target) -> Result<Image, Error> {
        self.image_of(&KernelText::of(program)?.for_target(target))
    }

    pub(super) fn image_of(&self, source: &KernelSource) -> Result<Image, Error> {
        match self.cached(&self.key(source)?, source) {
            Some(image) => Ok(image),
            None => self.compile(source),
        }
    }

    /// Returns the cached image of a source, if there is one.
    pub(super) fn cached(&self, key: &Key, source: &KernelSource) -> Option<Image> {
        let Entry { text, image } = self.cache.get(key)?;
        Some(Image { target: source.target, bytes: image, resources: Resources::parse(&text), log: text })
    }

    /// Compiles a source and caches the image.
    pub(super) fn compile(&self, source: &KernelSource) -> Result<Image, Error> {
        let nvrtc = Nvrtc::get()?;
        self.compiled.fetch_add(1, Ordering::Relaxed);
        // The NVRTC that is loaded now may differ from the remembered one.
        let identity = Identity::of(nvrtc);
        if identity != *self.identity()? {
            identity.write_record(&self.cache);
        }
        let (key, cache, job) = (source.key(&identity), self.cache.clone(), source.clone());
        let folder = cache.folder().map(|it| it.as_os_str().as_encoded_bytes().to_vec()).unwrap_or_default();
        let work = move || {
            let image = nvrtc.compile_source(&job)?;
            cache.put(&key, &Entry { text: image.log.clone(), image: image.bytes.clone() });
            Ok(image)
        };
        let name = Key::of([key.to_string().as_bytes(), &folder[..]]);
        let start = Instant::now();
        let image = deadline::run_within(deadline::or_default(self.deadline)?, name, source.target, work)?;
        event!("NVRTC compiled kernels", target = image.target, milliseconds = start.elapsed().as_millis());
        Ok(image)
    }

    /// Returns the cache key of a source for the current NVRTC.
    pub(super) fn key(&self, source: &KernelSource) -> Result<Key, Error> {
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

impl KernelText {
    /// Prints a program, unless it is too large.
    pub(super) fn of(program: &Program) -> Result<KernelText, Error> {
        reduce_codegen::check_size(program)?;
        Ok(KernelText { text: reduce_codegen::cuda(program)?, block: threads(program) })
    }

    /// Prints a program over segments, unless it is too large.
    pub(super) fn of_segments(program: &Segmented) -> Result<KernelText, Error> {
        Ok(KernelText { text: program.cuda()?, block: Segmented::BLOCK })
    }

    /// Prints a program that finds runs of keys.
    pub(super) fn of_heads(program: &Heads) -> Result<KernelText, Error> {
        Ok(KernelText { text: program.cuda()?, block: Heads::BLOCKS.into_iter().max().unwrap_or(1) })
    }

    /// Prints a program over elements with keys, unless it is too large.
    pub(super) fn of_keys(program: &Keyed) -> Result<KernelText, Error> {
        let block = program.tables.threads.max(program.partials.threads(Reads::Partials));
        Ok(KernelText { text: program.cuda()?, block })
    }

    pub(super) fn for_target(self, target: Target) -> KernelSource {
        KernelSource { text: self, target }
    }

    /// Returns the key of kernels that are compiled ahead. Any NVRTC may have compiled them.
    pub(super) fn ahead_key(&self, target: Target) -> Key {
        self.key("ahead", target)
    }

    /// Digests everything that determines the image.
    fn key(&self, nvrtc: &str, target: Target) -> Key {
        let version = format!("{FORMAT} {}", env!("CARGO_PKG_VERSION"));
        let (target, most) = (target.to_string(), self.most_registers().to_string());
        let parts = [&version, reduce_codegen::ASSOCIATION, nvrtc, &target, &most, &self.text];
        let flags = reduce_codegen::NVRTC_FLAGS.into_iter();
        Key::of(parts.into_iter().chain(flags).map(str::as_bytes))
    }

    /// See [`reduce_codegen::most_registers`].
    fn most_registers(&self) -> u32 {
        reduce_codegen::most_registers(self.block)
    }
}

impl KernelSource {
    fn key(&self, nvrtc: &Identity) -> Key {
        self.text.key(&format!("{} {}", nvrtc.version, nvrtc.file), self.target)
    }
}

impl Nvrtc {
    /// Prints and compiles a program. If a kernel needs more registers than its block size allows, it is compiled again
    /// with that limit. The limit makes kernels slower, so the first compilation has none.
    ///
    /// # Errors
    /// The program is too large; NVRTC does not know the architecture, takes longer than `REDUCEGEN_COMPILE_SECONDS` or
    /// 10 s, or refuses the text, which is a bug of this project.
    pub fn compile_program(&self, program: &Program, target: Target) -> Result<Image, Error> {
        let (source, nvrtc) = (KernelText::of(program)?.for_target(target), self.clone());
        let name = source.key(&Identity::of(self));
        let work = move || nvrtc.compile_source(&source);
        deadline::run_within(deadline::or_default(None)?, name, target, work)
    }

    fn compile_source(&self, source: &KernelSource) -> Result<Image, Error> {
        let KernelSource { text, target } = source;
        let image = self.compile_reported(&text.text, *target)?;
        let most = text.most_registers();
        if image.resources.iter().all(|kernel| kernel.registers <= most) {
            return Ok(image);
        }
        self.compile_with(&text.text, *target, &[&format!("--maxrregcount={most}")])
    }

    /// Compiles with the report of ptxas. NVRTC (CUDA 12.9) returns images from its own cache without that report, so a
    /// kernel with too many registers for its block would go unnoticed; `--no-cache` restores the report.
    fn compile_reported(&self, source: &str, target: Target) -> Result<Image, Error> {
        let image = self.compile(source, target)?;
        let silent = image.resources.is_empty() && matches!(target, Target::Cubin(_));
        if silent { self.compile_with(source, target, &["--no-cache"]) } else { Ok(image) }
    }
}

/// Returns the threads of the larger of a program's blocks.
fn threads(program: &Program) -> u32 {
    [Reads::Inputs, Reads::Partials]
        .map(|reads| program.threads(reads))
        .into_iter()
        .max()
        .unwrap_or(program.block)
}

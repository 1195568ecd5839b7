//! Kernels that were compiled ahead: all kernels of specifications in one file, which a program embeds and installs.

use super::compile::{Compiler, KernelText};
use crate::architecture::{Architecture, Target};
use crate::cache::{Entry, KernelFile, Key};
use crate::image::{Image, Resources};
use crate::{Error, KernelsError};
use rayon::prelude::*;
use reduce_codegen::Programs;
use reduce_codegen::keys::Keyed;
use reduce_codegen::runs::Heads;
use reduce_codegen::segments::Segmented;
use reduce_ir::axes::Cut;
use reduce_ir::program::Program;
use reduce_ir::spec::Passes;
use reduce_ir::{Access, Beside, Domain, Scalar, Spec};
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// All kernels that this process has installed.
static INSTALLED: RwLock<Option<KernelFile>> = RwLock::new(None);

/// Installs kernels that were compiled ahead, for all devices of this process. Programs with the same kernels then need no NVRTC, and
/// load them in a few milliseconds. Kernels of several files add up.
///
/// ```no_run
/// # fn main() -> Result<(), reduce_runtime::Error> {
/// # let kernels: &[u8] = &[];
/// // let kernels = include_bytes!("kernels.bin"); // written by `reducegen compile`
/// // SAFETY: `reducegen compile` wrote the file.
/// unsafe { reduce_runtime::install_kernels(kernels)? };
/// # Ok(())
/// # }
/// ```
///
/// Install them before the first device is opened: a device without NVRTC opens only if there are kernels for it.
///
/// # Safety
/// The bytes are those that [`Compiler::compile_ahead`] or `reducegen compile` made: GPUs run the code in them. Only changes by accident are
/// errors.
///
/// # Errors
/// [`KernelsError`]: the bytes are not a file of kernels, are damaged, or of another version.
pub unsafe fn install_kernels(bytes: &[u8]) -> Result<(), Error> {
    let KernelFile { targets, entries } = KernelFile::decode(bytes)?;
    let mut installed = INSTALLED.write().unwrap_or_else(PoisonError::into_inner);
    let installed = installed.get_or_insert_default();
    installed.entries.extend(entries);
    installed.targets.extend(targets);
    installed.targets.sort_unstable();
    installed.targets.dedup();
    Ok(())
}

/// Returns the installed targets that a device can run, the fastest first: its own machine code, then the newest PTX.
fn usable(installed: &KernelFile, device: Architecture) -> Vec<Target> {
    let runs = |target: &Target| match *target {
        Target::Cubin(architecture) => architecture == device,
        Target::Ptx(architecture) => architecture <= device,
    };
    let mut targets: Vec<_> = installed.targets.iter().copied().filter(runs).collect();
    targets
        .sort_by_key(|target| (matches!(target, Target::Ptx(_)), std::cmp::Reverse(target.architecture())));
    targets
}

/// Returns the installed kernels of a text for a device.
pub(super) fn installed(text: &KernelText, device: Architecture) -> Option<(Key, Image)> {
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
    let installed = installed.as_ref()?;
    usable(installed, device).into_iter().find_map(|target| {
        let key = text.ahead_key(target);
        let Entry { text, image } = installed.entries.get(&key)?;
        let resources = Resources::parse(text);
        Some((key, Image { target, bytes: image.clone(), resources, log: text.clone() }))
    })
}

/// Checks that a device without a usable NVRTC has kernels.
///
/// # Errors
/// There are none: the error of NVRTC, or [`KernelsError::Architecture`] if there are some for other GPUs.
pub(super) fn check_device(device: Architecture, nvrtc: Error) -> Result<(), Error> {
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
    match installed.as_ref() {
        None => Err(nvrtc),
        Some(installed) if usable(installed, device).is_empty() => {
            let targets = installed.targets.clone();
            Err(KernelsError::Architecture { device, targets, nvrtc: Box::new(nvrtc) }.into())
        }
        Some(_) => Ok(()),
    }
}

/// Returns the error of kernels that are not installed, given the reason why NVRTC cannot compile them.
pub(super) fn missing(device: Architecture, nvrtc: Error) -> Error {
    let is_absent = matches!(nvrtc, Error::NvrtcNotFound { .. } | Error::NvrtcUnusable { .. });
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner).is_some();
    if is_absent && installed {
        KernelsError::Missing { device, nvrtc: Box::new(nvrtc) }.into()
    } else {
        nvrtc
    }
}

impl Compiler {
    /// Compiles all kernels of specifications for the targets, and returns the bytes of a file for [`install_kernels`]. It needs no GPU.
    /// Images come from the cache where it has them.
    ///
    /// With `axes`, these are the kernels for inputs in row-major order, or any strides where the order already needs them.
    ///
    /// # Errors
    /// There is no NVRTC; it does not know a target, or takes too long; kernels use instructions that a target lacks; a specification
    /// does not compile.
    pub fn compile_ahead(&self, specs: &[Spec], targets: &[Target]) -> Result<Vec<u8>, Error> {
        let mut texts = BTreeMap::new();
        for &target in targets {
            for spec in specs {
                let of_spec = texts_of(spec, target.architecture())?.into_iter();
                texts.extend(of_spec.map(|text| (text.ahead_key(target), text.for_target(target))));
            }
        }
        let compiled = texts.into_par_iter().map(|(key, source)| {
            let Image { bytes, log, .. } = self.image_of(&source)?;
            Ok((key, Entry { text: log, image: bytes }))
        });
        let entries = compiled.collect::<Result<_, Error>>()?;
        let mut targets = targets.to_vec();
        targets.sort_unstable();
        targets.dedup();
        Ok(KernelFile { targets, entries }.encode())
    }
}

/// Returns the texts of all kernels of a specification on an architecture.
fn texts_of(spec: &Spec, architecture: Architecture) -> Result<Vec<KernelText>, Error> {
    match spec.axes.as_ref().map(|axes| axes.cut) {
        None | Some(Cut::Whole) => {
            let domains = domains(spec).into_iter();
            let texts = domains.map(|domain| of_programs(&Spec { domain, ..spec.clone() }, architecture));
            Ok(texts.collect::<Result<Vec<_>, _>>()?.concat())
        }
        Some(Cut::Offsets(offsets)) => of_segments(spec, offsets, None, architecture),
        Some(Cut::Runs(key)) => of_segments(spec, Scalar::U64, Some(key), architecture),
        Some(Cut::Keys(_)) => of_keys(spec, architecture),
    }
}

/// Returns the domains of row-major inputs. How many groups lie side by side depends on the lengths.
fn domains(spec: &Spec) -> Vec<Domain> {
    let Domain { kept, access } = spec.domain;
    match (&spec.axes, access) {
        (Some(_), Access::Strided { reduced, .. }) => {
            let of = |beside| Domain { kept, access: Access::Strided { reduced, beside } };
            [Beside::No].into_iter().chain(Beside::ALL).map(of).collect()
        }
        (_, Access::Contiguous | Access::Adjacent | Access::Strided { .. }) => vec![spec.domain],
    }
}

/// Returns the texts of the programs for every number of elements.
fn of_programs(spec: &Spec, architecture: Architecture) -> Result<Vec<KernelText>, Error> {
    let programs = Programs::of(spec, architecture.tuning())?;
    let unclustered = (0..programs.variants().len()).filter_map(|at| programs.unclustered(at));
    let all = programs.variants().iter().chain(unclustered);
    all.map(|program: &Program| {
        check_capability(program.capability(), architecture)?;
        KernelText::of(program)
    })
    .collect()
}

/// Returns the texts of segments between offsets of both sizes, for few and many elements; with those that find runs of `keys`.
fn of_segments(
    spec: &Spec,
    offsets: Scalar,
    keys: Option<Scalar>,
    architecture: Architecture,
) -> Result<Vec<KernelText>, Error> {
    let mut texts = Vec::new();
    let axes = if keys.is_some() { &[Domain::ROWS][..] } else { &[Domain::ROWS, Segmented::COLUMNS] };
    // Offsets that are copied from the host have 32 bits if they fit.
    let sizes = if offsets.size() == 4 { &[Scalar::U32][..] } else { &[Scalar::U32, Scalar::U64] };
    for &offsets in sizes {
        if let Some(keys) = keys {
            texts.push(KernelText::of_heads(&Heads::of(keys, offsets)?)?);
        }
        for &domain in axes {
            let spec = Spec { domain, ..spec.clone() };
            for most in [Segmented::NARROW, u64::MAX] {
                let program = Segmented::of(&spec, offsets, architecture.tuning(), most)?;
                check_capability(program.capability(), architecture)?;
                let program = if keys.is_some() { program.counted() } else { program };
                texts.push(KernelText::of_segments(&program)?);
            }
        }
    }
    Ok(texts)
}

fn of_keys(spec: &Spec, architecture: Architecture) -> Result<Vec<KernelText>, Error> {
    let program = Keyed::of(spec)?;
    check_capability(program.capability(), architecture)?;
    let mut texts = vec![KernelText::of_keys(&program)?];
    if spec.passes != Passes::Auto {
        // A list of passes is compiled when the reducer is made.
        let operation = program.operation.clone();
        let rows = Spec { operation, domain: Domain::ROWS, axes: None, ..spec.clone() };
        texts.extend(of_programs(&rows, architecture)?);
    }
    Ok(texts)
}

fn check_capability(needed: u32, found: Architecture) -> Result<(), Error> {
    let needed = Architecture::from_number(needed);
    if found < needed {
        return Err(Error::ArchitectureTooOld { needed, device: found.to_string(), found });
    }
    Ok(())
}

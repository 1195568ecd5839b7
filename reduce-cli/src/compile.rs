//! `reducegen compile`: kernels of specifications, compiled ahead into a file that a program embeds.

use crate::args::Compile;
use crate::failure::Failure;
use crate::output;
use crate::source::Source;
use reduce_ir::Spec;

/// Compiles the specifications for all targets, and writes the file.
pub(crate) fn compile(args: &Compile) -> Result<(), Failure> {
    let specs = args.specs.iter().map(|spec| read(spec)).collect::<Result<Vec<_>, _>>()?;
    let bytes = compiled(args, &specs)?;
    output::write(Some(&args.output), &bytes)?;
    let targets: Vec<_> = args.arch.iter().map(ToString::to_string).collect();
    let kib = bytes.len().div_ceil(1024);
    output::note(format!("{}: {kib} KiB for {}", args.output.display(), targets.join(", ")));
    Ok(())
}

/// Reads a specification, and shows errors of its passes in their places.
fn read(spec: &str) -> Result<Spec, Failure> {
    let source = Source::read(spec)?;
    let parsed = source.parse(None)?;
    reduce_codegen::compile(&parsed.spec).map_err(|error| source.explain(&parsed, error.into()))?;
    Ok(parsed.spec)
}

#[cfg(feature = "cuda")]
fn compiled(args: &Compile, specs: &[Spec]) -> Result<Vec<u8>, Failure> {
    use reduce_runtime::{Cache, Compiler};
    Ok(Compiler::new(Cache::from_env()).compile_ahead(specs, &args.arch)?)
}

#[cfg(not(feature = "cuda"))]
fn compiled(_: &Compile, _: &[Spec]) -> Result<Vec<u8>, Failure> {
    Err(reduce_runtime::Error::BuiltWithoutCuda.into())
}

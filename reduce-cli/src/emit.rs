//! `reducegen emit`: a reduction at any step from the specification to machine code.

use crate::args::{Emit, Form};
use crate::cut;
use crate::failure::Failure;
use crate::fixed::Fixed;
use crate::output;
use crate::shape::Shaped;
use crate::source::Source;
use reduce_codegen::{Stage, Tuning};
use reduce_ir::Spec;
use reduce_ir::program::Program;
use reduce_runtime::{Architecture, Error, Nvrtc, Target};
use similar::TextDiff;

/// Prints the requested form, or writes it to the file.
pub(crate) fn emit(args: &Emit) -> Result<(), Failure> {
    if args.to == Form::Cubin && output::is_screen(args.output.as_deref()) {
        return Err(Failure::request("a cubin is not text; name a file for it, as with `-o kernel.cubin`"));
    }
    let source = Source::read(&args.spec)?;
    let parsed = source.parse(None)?;
    if args.to != Form::Spec {
        if let Some(program) =
            Fixed::of(args, &parsed.spec).map_err(|error| source.explain(&parsed, error))?
        {
            return output::write(args.output.as_deref(), &program.form(args)?);
        }
        cut::check_kernels(&parsed.spec)?;
    }
    let explain = |error: reduce_codegen::Error| source.explain(&parsed, error.into());
    let tuning = args.arch.map_or(Tuning::DEFAULT, Architecture::tuning);
    let (spec, n) = shaped(args, &parsed.spec)?;
    let stages = reduce_codegen::stages_for(&spec, tuning, n).map_err(explain)?;
    let oldest = stages.iter().map(|stage| stage.program.capability()).max().map(Architecture::from_number);
    if let Some(arch) = args.arch
        && let Some(oldest) = oldest
        && arch < oldest
    {
        let message =
            format!("these kernels are for {oldest} and newer, and `--arch` names {arch}; name a newer one");
        return Err(Failure::request(message));
    }
    let bytes = match stages.last() {
        Some(last) if !args.after_each_pass && !args.diff => form(args, &parsed.spec.text, &last.program)?,
        _ => steps(args, &stages)?,
    };
    output::write(args.output.as_deref(), &bytes)
}

/// Returns the specification for the shapes of the inputs, and the number of elements of a group.
fn shaped(args: &Emit, spec: &Spec) -> Result<(Spec, u64), Failure> {
    let Some(lengths) = &args.shape else { return Ok((spec.clone(), args.n.unwrap_or(u64::MAX))) };
    if args.to == Form::Spec {
        return Err(Failure::request("a specification has no shapes; leave `--shape` out"));
    }
    let shaped = Shaped::of_lengths(spec, lengths, args.fortran)?;
    let length = shaped.extent().length;
    Ok((shaped.spec, length))
}

/// Returns the requested form of a program.
fn form(args: &Emit, spec: &str, program: &Program) -> Result<Vec<u8>, Failure> {
    match args.to {
        Form::Spec => Ok(format!("{spec}\n").into_bytes()),
        Form::Ir => Ok(ir(program)?.into_bytes()),
        Form::Association => Ok(program.association().to_string().into_bytes()),
        Form::Cuda => Ok(cuda(program)?.into_bytes()),
        Form::Ptx => {
            // PTX for the oldest architecture runs on every newer one.
            let oldest = || Architecture::from_number(program.capability());
            compiled(program, Target::Ptx(args.arch.unwrap_or_else(oldest)))
        }
        Form::Cubin => {
            let missing =
                || Failure::request("a cubin is for one architecture; name it, as with `--arch sm_90`");
            compiled(program, Target::Cubin(args.arch.ok_or_else(missing)?))
        }
    }
}

/// Returns the steps of the program, then the statements that they lower to.
fn ir(program: &Program) -> Result<String, Error> {
    let statements = reduce_codegen::lower(program)?;
    Ok(format!("{program}\n{statements}"))
}

fn cuda(program: &Program) -> Result<String, Error> {
    Ok(reduce_codegen::cuda(program)?)
}

fn compiled(program: &Program, target: Target) -> Result<Vec<u8>, Failure> {
    Ok(Nvrtc::get()?.compile_program(program, target)?.bytes)
}

/// Returns every step, or the difference between each step and the one before.
fn steps(args: &Emit, stages: &[Stage]) -> Result<Vec<u8>, Failure> {
    if matches!(args.to, Form::Spec | Form::Cubin) {
        return Err(Failure::request(
            "the steps are shown as ir, association, cuda or ptx; choose one with `--to`",
        ));
    }
    let step = |stage: &Stage| {
        let text = form(args, "", &stage.program)?;
        Ok((stage.name(), String::from_utf8_lossy(&text).into_owned()))
    };
    let steps: Vec<_> = stages.iter().map(step).collect::<Result<_, Failure>>()?;
    if args.diff && steps.len() == 1 {
        output::note("no passes: nothing changes");
    }
    let shown: String = if args.diff {
        steps.windows(2).map(|pair| difference(&pair[0], &pair[1])).collect()
    } else {
        steps.iter().map(|(name, text)| format!("// ==== {name} ====\n{text}\n")).collect()
    };
    Ok(shown.into_bytes())
}

fn difference((before, old): &(String, String), (after, new): &(String, String)) -> String {
    let diff = TextDiff::from_lines(old, new);
    match diff.unified_diff().header(before, after).to_string() {
        none if none.is_empty() => format!("--- {before}\n+++ {after}\n(no difference)\n"),
        some => some,
    }
}

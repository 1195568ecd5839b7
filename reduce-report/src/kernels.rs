//! The kernels of a stage: those that passes make, and those over segments or keys, for which there is one program.

use crate::Error;
use crate::counts::Sums;
use crate::data::{Cutting, Data};
use reduce_codegen::keys::Keyed;
use reduce_codegen::segments::Segmented;
use reduce_codegen::{Lines, Programs, Tuning};
use reduce_interpreter::{Cut, Domain, Options, Outcome, Sizes, run, run_keys, run_segments};
use reduce_ir::operation::Operation;
use reduce_ir::program::{Association, Program};
use reduce_ir::statements::Lowered;
use reduce_ir::{Scalar, Spec, axes};

/// The kernels of a stage.
#[derive(Clone, Copy, Debug)]
pub enum Kernels<'a> {
    /// Kernels that passes make.
    Passes(&'a Program),
    /// Kernels over segments, and the programs of a segment alone, which have its associations.
    Segments(&'a Segmented, &'a Programs),
    /// Kernels over elements with keys.
    Keys(&'a Keyed),
}

/// The program of a specification over segments or keys.
#[derive(Clone, Debug)]
pub enum CutProgram {
    /// Over segments, and the programs of a segment alone.
    Segments(Box<Segmented>, Box<Programs>),
    /// Over elements with keys.
    Keys(Box<Keyed>),
}

/// The maximum number of groups of keys in a report.
const MOST_GROUPS: u64 = 1 << 14;

impl CutProgram {
    /// Returns the program of a specification for elements that are cut into groups of any length; none for other elements.
    ///
    /// # Errors
    /// There are no kernels for the specification; the groups are runs, or too many.
    pub fn of(spec: &Spec, data: &Data, tuning: Tuning) -> Result<Option<CutProgram>, Error> {
        match (spec.axes.as_ref().map(|axes| axes.cut), &data.cut) {
            (Some(axes::Cut::Offsets(ty)), Cutting::Segments(_)) => {
                segments(spec, ty, data, tuning).map(Some)
            }
            (Some(axes::Cut::Keys(keys)), _) if keys.groups > MOST_GROUPS => {
                Err(Error::TooManyGroups { groups: keys.groups, most: MOST_GROUPS })
            }
            (Some(axes::Cut::Keys(_)), _) => Ok(Some(CutProgram::Keys(Box::new(Keyed::of(spec)?)))),
            (Some(axes::Cut::Runs(_)), _) => Err(Error::Runs),
            _ => Ok(None),
        }
    }

    /// Returns the kernels.
    pub fn kernels(&self) -> Kernels<'_> {
        match self {
            CutProgram::Segments(program, alone) => Kernels::Segments(program, alone),
            CutProgram::Keys(program) => Kernels::Keys(program),
        }
    }
}

fn segments(spec: &Spec, ty: Scalar, data: &Data, tuning: Tuning) -> Result<CutProgram, Error> {
    let domain = if data.sizes.is_empty() { reduce_ir::Domain::ROWS } else { Segmented::COLUMNS };
    let offsets = if ty.size() == 4 { Scalar::U32 } else { Scalar::U64 };
    let spec = Spec { domain, ..spec.clone() };
    let program = Segmented::of(&spec, offsets, tuning, data.extent.elements())?;
    let alone = Programs::of(&Spec { domain: reduce_ir::Domain::WHOLE, axes: None, ..spec }, tuning)?;
    Ok(CutProgram::Segments(Box::new(program), Box::new(alone)))
}

impl<'a> Kernels<'a> {
    /// Returns the operation.
    pub fn operation(self) -> &'a Operation {
        match self {
            Kernels::Passes(program) => &program.operation,
            Kernels::Segments(program, _) => &program.operation,
            Kernels::Keys(program) => &program.operation,
        }
    }

    /// Returns the oldest compute capability that supports them, written as in `sm_90`.
    pub fn capability(self) -> u32 {
        match self {
            Kernels::Passes(program) => program.capability(),
            Kernels::Segments(program, _) => program.capability(),
            Kernels::Keys(program) => program.capability(),
        }
    }

    /// Returns the name of each kernel and the threads of its blocks.
    ///
    /// # Errors
    /// The kernels cannot be made.
    pub fn threads(self) -> Result<Vec<(&'static str, u32)>, reduce_codegen::Error> {
        Ok(self.lower()?.kernels.iter().map(|kernel| (kernel.name, kernel.block)).collect())
    }

    /// Returns the bytes of shared memory that a launch asks for, besides those that the kernel declares.
    pub fn asked_shared_bytes(self, kernel: &str) -> u32 {
        match self {
            Kernels::Keys(program) if kernel == Keyed::KERNEL => program.asked_shared_bytes(),
            Kernels::Keys(_) | Kernels::Passes(_) | Kernels::Segments(..) => 0,
        }
    }

    /// Returns the association of that many elements: of a group or a segment, or of all elements with keys.
    pub(crate) fn association(self, n: u64) -> Association {
        match self {
            Kernels::Passes(program) => program.association(),
            Kernels::Segments(_, alone) => alone.for_len(n).association(),
            Kernels::Keys(program) => program.association(n),
        }
    }

    /// Returns all associations that elements take, as text.
    pub(crate) fn associations(self, n: u64) -> String {
        let Kernels::Segments(_, alone) = self else { return self.association(n).to_string() };
        let text = |program: &Program| {
            let most =
                program.up_to.map_or_else(|| "any number of".to_owned(), |most| format!("up to {most}"));
            format!("segments of {most} elements:\n{}", program.association())
        };
        alone.variants().iter().map(text).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn cuda_with_lines(self) -> Result<(String, Lines), Error> {
        Ok(match self {
            Kernels::Passes(program) => reduce_codegen::cuda_with_lines(program),
            Kernels::Segments(program, _) => program.cuda_with_lines(),
            Kernels::Keys(program) => program.cuda_with_lines(),
        }?)
    }

    pub(crate) fn lower(self) -> Result<Lowered, reduce_codegen::Error> {
        match self {
            Kernels::Passes(program) => reduce_codegen::lower(program),
            Kernels::Segments(program, _) => program.lower(),
            Kernels::Keys(program) => program.lower(),
        }
    }

    /// Returns the steps of the program as text.
    pub(crate) fn steps(self) -> String {
        match self {
            Kernels::Passes(program) => program.to_string(),
            Kernels::Segments(program, _) => {
                let all = program.short.iter().chain(&program.blocks);
                all.fold(program.to_string(), |text, program| format!("{text}\n{program}"))
            }
            Kernels::Keys(program) => format!("{program}\n{}", program.partials),
        }
    }

    /// Runs the kernels on elements in the interpreter.
    pub(crate) fn run(
        self,
        lowered: &Lowered,
        domain: &mut dyn Domain,
        data: &Data,
        options: Options<'_>,
    ) -> Result<Outcome, Error> {
        match self {
            Kernels::Passes(program) => Ok(run(program, lowered, domain, &data.inputs, data.extent, options)),
            Kernels::Segments(program, _) => segments_of(program, lowered, domain, data, options),
            Kernels::Keys(program) => keys_of(program, lowered, domain, data, options),
        }
    }

    /// Returns the sums of the counts of all launches.
    pub(crate) fn sums(self, outcome: &Outcome) -> Sums {
        match self {
            Kernels::Passes(program) => Sums::of(program, &outcome.counts),
            Kernels::Segments(..) | Kernels::Keys(_) => Sums::of_kernels(&outcome.counts),
        }
    }
}

fn segments_of(
    program: &Segmented,
    lowered: &Lowered,
    domain: &mut dyn Domain,
    data: &Data,
    options: Options<'_>,
) -> Result<Outcome, Error> {
    let (elements, offsets) = (data.elements(), data.cut.offsets());
    let cut = Cut {
        elements,
        offsets,
        number: None,
        grids: program.grids(elements, data.extent.groups),
        tiles: program.tiles(elements, data.extent.groups),
        partials: program.partials(elements),
    };
    let (outcome, fault) = run_segments(&program.operation, lowered, domain, &data.inputs, cut, options);
    fault.map_or(Ok(outcome), |segment| {
        Err(Error::Wrong(format!("the offsets of segment {segment} are refused")))
    })
}

fn keys_of(
    program: &Keyed,
    lowered: &Lowered,
    domain: &mut dyn Domain,
    data: &Data,
    options: Options<'_>,
) -> Result<Outcome, Error> {
    let (elements, groups) = (data.elements(), program.keys.groups);
    let sizes =
        Sizes { elements, groups, chunks: program.chunks(elements), tables: program.tables(elements) };
    let (outcome, fault) = run_keys(&program.operation, lowered, domain, &data.inputs, sizes, options);
    fault.map_or(Ok(outcome), |element| Err(Error::Key { element, groups }))
}

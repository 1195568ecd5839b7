//! The program of a reduction of segments, whose lengths only the device knows.
//!
//! It is made of ordinary programs of the same operation, each for a range of lengths. Three launches run it:
//!
//! 1. `find_tiles` cuts segments and elements into tiles of about the same work, by a binary search for each tile.
//! 2. `reduce_segments` has a block for each tile. A thread, some lanes, a warp or the block reduces a segment that begins in the tile, by
//!    its length, and those parts of even longer ones that begin there.
//! 3. `combine_partials` combines the partials of segments that have several.
//!
//! The grids depend only on the number of elements and the number of segments. The length of a segment decides its association.

use crate::cuda::segments_header::header;
use crate::cuda::{Lines, cuda_kernels, kernels_with_lines};
use crate::error::{Error, check_names};
use crate::lower::across::reads_across;
use crate::lower::segments::lower;
use crate::names::in_kernels;
use crate::programs::compile;
use crate::size::{LARGEST, size_of};
use crate::tuning::Tuning;
use crate::tuning::segments::{Variants, variants};
use crate::tuning::tiers::Variant;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::program::{Program, Reads, Share};
use reduce_ir::spec::Passes;
use reduce_ir::statements::Lowered;
use reduce_ir::{Access, Beside, Domain, Scalar, Spec};
use std::fmt;

/// A program over segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segmented {
    /// The operation that its programs compute. Positions may be narrower than in the specification.
    pub operation: Operation,
    /// The type of the offsets: `u32` or `u64`.
    pub offsets: Scalar,
    /// [`Domain::ROWS`] if the elements lie side by side, or [`Segmented::COLUMNS`].
    pub domain: Domain,
    /// The programs of teams that are smaller than a block, by ascending length.
    pub short: Vec<Program>,
    /// The ranges of longer segments, by ascending length.
    pub tiers: Vec<Tier>,
    /// The programs whose steps a block runs. The tiers differ in their numbers alone.
    pub blocks: Vec<Program>,
    /// Whether a launch may begin while the previous one ends.
    pub dependent: bool,
    /// Whether the number of segments lies on the device. The call then gives an upper bound of it.
    pub counted: bool,
    /// The blocks of short segments that a multiprocessor should hold. `None`: threads have as many registers as they can use.
    pub resident: Option<u32>,
}

/// The most elements of a segment that one warp reduces.
const MOST_WIDE: u32 = 4096;

/// A range of lengths for which a block runs the steps of a program with these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// The most elements of a segment. `None`: there is no limit.
    pub up_to: Option<u64>,
    /// The index of the program among [`Segmented::blocks`].
    pub program: usize,
    /// The threads of the association.
    pub threads: u32,
    /// The load units of each.
    pub units: u32,
    /// The elements of a tile of the association. A segment with more has a partial for each.
    pub tile: u32,
}

impl Segmented {
    /// The names of the kernels, in the order of their launches.
    pub const KERNELS: [&str; 3] = ["find_tiles", "reduce_segments", "combine_partials"];

    /// The threads of a block.
    pub const BLOCK: u32 = 128;

    /// The most elements that offsets of 32 bits cut.
    pub const MOST_OF_U32: u64 = (1 << 32) - (1 << 16);

    /// The most elements for which positions may have 32 bits.
    pub const NARROW: u64 = 1 << 31;

    /// The domain of rows that offsets cut. Each column of a segment is a group: group g is column g % c of segment g / c, where the call
    /// gives the number of columns c. The call also gives the step between columns and the step between rows of each input.
    pub const COLUMNS: Domain =
        Domain { kept: 1, access: Access::Strided { reduced: 1, beside: Beside::No } };

    /// Compiles the program of a specification for at most `most` elements in all. The specification has `passes: auto`. Its domain is
    /// [`Segmented::COLUMNS`], or any other for elements side by side.
    ///
    /// # Errors
    /// The specification has a list of passes; the accumulators of a warp do not fit; a name is not a C identifier.
    pub fn of(spec: &Spec, offsets: Scalar, tuning: Tuning, most: u64) -> Result<Segmented, Error> {
        check_names(&spec.operation)?;
        if spec.passes != Passes::Auto {
            return Err(Error::SegmentsNeedAuto);
        }
        let domain = if spec.domain == Segmented::COLUMNS { Segmented::COLUMNS } else { Domain::ROWS };
        let spec = &Spec { domain, ..spec.clone() };
        let Variants { short, tiers } = variants(spec, tuning, most <= Segmented::NARROW);
        let compile = |variant: &Variant| compile(spec, variant);
        let short = short.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let tiers = tiers.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let program = Segmented::of_programs(offsets, short, tiers)?;
        Ok(Segmented { resident: resident(&program, tuning), ..program })
    }

    /// Returns the same program for segments whose number lies on the device.
    #[must_use]
    pub fn counted(self) -> Segmented {
        Segmented { counted: true, ..self }
    }

    fn of_programs(
        offsets: Scalar,
        short: Vec<Program>,
        mut tiers: Vec<Program>,
    ) -> Result<Segmented, Error> {
        // A program whose partials need several launches has no fixed number of launches for all lengths.
        tiers.retain(|program| {
            is_one_tile(program) || program.kernel(Reads::Partials).fold().share == Share::Rest
        });
        let too_large = || Error::SegmentsTooLarge;
        let last = tiers.last().filter(|program| program.block >= Program::WARP).ok_or_else(too_large)?;
        let dependent = last.passes.contains(&Pass::plain("dependent"));
        let mut blocks: Vec<Program> = Vec::new();
        let mut numbers = Vec::new();
        for program in &tiers {
            let fold = program.kernel(Reads::Inputs).fold();
            let key = |program: &Program| program.kernel(Reads::Inputs).fold().rows();
            let place = blocks.iter().position(|other| key(other) == key(program));
            let at = place.unwrap_or(blocks.len());
            match blocks.get_mut(at) {
                None => blocks.push(program.clone()),
                // The program with the most units has a loop over them.
                Some(other) => *other = program.clone(),
            }
            numbers.push(Tier {
                up_to: program.up_to,
                program: at,
                threads: program.block,
                units: fold.units().unwrap_or(1),
                tile: program.tile(Reads::Inputs) as u32,
            });
        }
        Ok(Segmented {
            operation: last.operation.clone(),
            offsets,
            domain: last.domain,
            short,
            tiers: numbers,
            blocks,
            dependent,
            counted: false,
            resident: None,
        })
    }

    /// Returns whether each column of a segment is a group.
    pub fn has_columns(&self) -> bool {
        self.domain == Segmented::COLUMNS
    }

    /// Returns the oldest compute capability that it supports, written as in `sm_90`.
    pub fn capability(&self) -> u32 {
        let of_programs = self.short.iter().chain(&self.blocks).map(Program::capability).max();
        of_programs.unwrap_or(0)
    }

    /// Returns the most elements of a segment that a team smaller than a block reduces by its own program.
    pub fn longest_short(&self) -> Option<u64> {
        self.short.iter().filter_map(|program| program.up_to).max()
    }

    /// Returns the most elements of a segment that a warp reduces by the programs of blocks: it evaluates the warps of the association one
    /// after the other. Longer ones have work for a whole block.
    pub(crate) fn longest_wide(&self) -> Option<u64> {
        let one_tile = |tier: &&Tier| tier.up_to.is_some_and(|most| most <= tier.tile.min(MOST_WIDE).into());
        let all = self.blocks.iter().all(reads_across);
        self.tiers.iter().filter(one_tile).filter_map(|tier| tier.up_to.filter(|_| all)).max()
    }

    /// Returns the most elements of a segment that a warp or a part of one reduces.
    pub fn longest_of_warp(&self) -> Option<u64> {
        self.longest_wide().or(self.longest_short())
    }

    /// Returns the program whose steps combine the partials of a segment.
    pub(crate) fn of_partials(&self) -> &Program {
        let last = self.tiers.last().map_or(0, |tier| tier.program);
        &self.blocks[last]
    }

    /// Returns the number of elements and segments of a tile of the grid.
    pub fn tile(&self) -> u32 {
        const MOST: u32 = 4096;
        // At most one segment with several partials begins in a tile.
        MOST.min(self.longest_tile().max(1) as u32)
    }

    /// Returns the most elements of a segment without partials.
    pub fn longest_tile(&self) -> u64 {
        let one_tile = |tier: &&Tier| tier.up_to.is_some_and(|most| most <= tier.tile.into());
        self.tiers.iter().filter(one_tile).filter_map(|tier| tier.up_to).max().unwrap_or(0)
    }

    /// Returns the least number of elements of a partial: each segment with partials has at least twice as many.
    pub fn slot(&self) -> u32 {
        let several = |tier: &&Tier| tier.up_to.is_none_or(|most| most > tier.tile.into());
        self.tiers.iter().filter(several).map(|tier| tier.tile).min().unwrap_or(1)
    }

    /// Returns the number of tiles of the grid.
    pub fn tiles(&self, elements: u64, segments: u64) -> u64 {
        elements.saturating_add(segments) / u64::from(self.tile()) + 1
    }

    /// Returns the number of blocks of each launch.
    pub fn grids(&self, elements: u64, segments: u64) -> [u64; 3] {
        let (tiles, threads) = (self.tiles(elements, segments), u64::from(Segmented::BLOCK));
        [(tiles + 1).div_ceil(threads), tiles, tiles.div_ceil(threads)]
    }

    /// Returns the number of partials for which there must be room.
    pub fn partials(&self, elements: u64) -> u64 {
        2 * (elements / u64::from(self.slot()) + 1)
    }

    /// Returns the CUDA C++ of its kernels, if NVRTC compiles them in seconds.
    ///
    /// # Errors
    /// They are too large; the statements break a rule of the verifier: a bug.
    pub fn cuda(&self) -> Result<String, Error> {
        let (operation, lowered) = self.fitting()?;
        Ok(self.head(&operation) + &cuda_kernels(&operation, &lowered.kernels))
    }

    /// Returns the CUDA C++ of its kernels, and the lines of their statements.
    ///
    /// # Errors
    /// The same as for [`Segmented::cuda`].
    pub fn cuda_with_lines(&self) -> Result<(String, Lines), Error> {
        let (operation, lowered) = self.fitting()?;
        Ok(kernels_with_lines(&self.head(&operation), &operation, &lowered.kernels))
    }

    /// Returns the operation and the statements of kernels that are not too large.
    fn fitting(&self) -> Result<(Operation, Lowered), Error> {
        let (operation, lowered) = (in_kernels(&self.operation), self.lower()?);
        let size = size_of(&operation, &lowered.kernels);
        if size.total > LARGEST {
            let fix = format!("compute less in `{}`, or use the device `host`", size.largest.field);
            return Err(Error::TooLarge { size: Box::new(size), limit: LARGEST, fix });
        }
        Ok((operation, lowered))
    }

    fn head(&self, operation: &Operation) -> String {
        header(&Segmented { operation: operation.clone(), ..self.clone() })
    }

    /// Returns the most elements of a segment. `None`: there is no limit.
    pub fn longest(&self) -> Option<u64> {
        self.tiers.last().and_then(|tier| tier.up_to)
    }

    /// Returns the statements of its kernels, verified, in the order of [`Segmented::KERNELS`].
    ///
    /// # Errors
    /// The statements break a rule of the verifier: a bug.
    pub fn lower(&self) -> Result<Lowered, Error> {
        let mut named = self.clone();
        named.operation = in_kernels(&self.operation);
        for program in named.short.iter_mut().chain(&mut named.blocks) {
            program.operation = named.operation.clone();
        }
        lower(&named)
    }
}

/// Returns the blocks of segments that a multiprocessor should hold, for small accumulators. They wait for memory most of the time, so more
/// of them are faster (docs/lab/2026-11-28-segments-in-one-kernel.md). Those of sm_80 and newer ones have 65,536 registers: 40 for a thread
/// of 12 blocks, which is too few for the vectors of warps that do not read side by side.
fn resident(program: &Segmented, tuning: Tuning) -> Option<u32> {
    let is_small = tuning.cluster >= 8 && program.operation.acc.size() <= 8;
    is_small.then_some(if program.blocks.iter().all(reads_across) { 12 } else { 10 })
}

/// Prints the ranges of lengths: who reduces a segment, and by which association.
impl fmt::Display for Segmented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = if self.has_columns() { "columns of segments" } else { "segments" };
        writeln!(f, "{cut} {}, tiles of {} elements and segments", self.offsets, self.tile())?;
        for program in &self.short {
            let most = program.up_to.unwrap_or(u64::MAX);
            writeln!(f, "  up to {most} elements, team {}", program.kernel(Reads::Inputs).team)?;
        }
        for tier in &self.tiers {
            match tier.up_to {
                Some(most) => write!(f, "  up to {most} elements")?,
                None => write!(f, "  any number of elements")?,
            }
            writeln!(
                f,
                ", team block, {} threads of {} units, tile {}",
                tier.threads, tier.units, tier.tile
            )?;
        }
        Ok(())
    }
}

/// Returns whether all elements of a segment fit one tile.
fn is_one_tile(program: &Program) -> bool {
    program.up_to.is_some_and(|most| most <= program.tile(Reads::Inputs))
}

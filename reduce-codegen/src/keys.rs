//! The program of a reduction of elements with keys, which number the groups.
//!
//! Two launches run it. `reduce_keys` has a block for each chunk of elements. It folds each element into the accumulator of its key, in a
//! table. The second kernel combines the accumulators that all tables have for a group: it is the kernel over partials of an ordinary
//! program. Tables that several blocks share are cleared by a launch before.
//!
//! Several tables share a block: element after element, the rows of a chunk are dealt to them. The accumulators of a table grow in the order
//! of the elements, and those of all tables of a block meet by halves. So the association depends on the number of elements, the number of
//! groups and the size of an accumulator, and an element of another group counts as absent.

use crate::cuda::keys_header::header;
use crate::cuda::{Lines, combines_by_atomics, cuda_kernels, kernels_with_lines};
use crate::error::{Error, check_names};
use crate::lower::keys::{CLEAR, KERNEL, lower};
use crate::names::in_kernels;
use crate::programs::compile;
use crate::size::{LARGEST, size_of};
use crate::tuning::segments::longest;
use reduce_ir::axes::{Cut, Keys};
use reduce_ir::operation::Operation;
use reduce_ir::program::{Arrangement, Association, LIMITS, Level, Program, Reads, Share, Tree, Unit};
use reduce_ir::spec::Passes;
use reduce_ir::statements::Lowered;
use reduce_ir::{Domain, Spec};
use std::fmt;

/// A program over elements with keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The operation. Its last input holds the keys, if the call gives them.
    pub operation: Operation,
    /// The keys.
    pub keys: Keys,
    /// The tables of a block.
    pub tables: Tables,
    /// The program whose second kernel combines the partials of a group.
    pub partials: Program,
}

/// The tables of a block: an accumulator for each group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The owner of a table.
    pub of: Owner,
    /// The number of tables.
    pub number: u32,
    /// The threads of the block.
    pub threads: u32,
    /// The consecutive elements that go to one table.
    pub width: u32,
}

/// The owner of a table, and the memory of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A thread, in shared memory.
    Thread,
    /// A warp, in shared memory. Lanes whose elements have one key take turns.
    Warp,
    /// A warp, in the partials.
    Memory,
    /// The block, in shared memory. Its threads combine by atomic instructions, in any order: the operation is exact.
    Block,
    /// Some blocks of the grid, in the partials. As for [`Owner::Block`], their threads combine by atomic instructions.
    Grid,
}

/// The bytes of the tables of a block, so that several blocks fit a multiprocessor.
const SHARED: usize = 32 << 10;

/// The bytes of shared memory that a kernel can declare.
const MOST_SHARED: usize = LIMITS.shared;

/// The bytes of shared memory that a block can ask for on every architecture.
const ASKED_SHARED: usize = 64 << 10;

/// The threads of a block that has one table.
const SHARING: u32 = 512;

/// The most threads with tables of their own, and the fewest.
const THREADS: [u32; 2] = [128, Program::WARP];

/// The bytes of all tables that blocks share, so that they stay in the L2 cache, and the most such tables: threads that meet at one
/// accumulator wait for each other.
const IN_CACHE: usize = 16 << 20;
const MOST_IN_CACHE: u64 = 16;

/// The most warps of a block.
const WARPS: u32 = 4;

/// The most elements that a thread loads at once, and the bytes of a load.
const WIDTH: usize = 8;
const LOAD: usize = 16;

/// The fewest rows of a chunk.
const ROWS: u64 = 8;

impl Keyed {
    /// The name of the kernel that reads the elements.
    pub const KERNEL: &str = KERNEL;

    /// The most elements.
    pub const MOST: u64 = 1 << 48;

    /// The most chunks.
    pub(crate) const CHUNKS: u64 = 4096;

    /// Compiles the program of a specification with numbered groups and `passes: auto`.
    ///
    /// # Errors
    /// The specification has other groups or a list of passes; a name is not a C identifier.
    pub fn of(spec: &Spec) -> Result<Keyed, Error> {
        let Some(Cut::Keys(keys)) = spec.axes.as_ref().map(|axes| axes.cut) else {
            return Err(Error::NoKeys);
        };
        if spec.passes != Passes::Auto {
            return Err(Error::KeysNeedAuto);
        }
        let operation = spec.operation.clone().keyed(keys.given).map_err(|_| Error::NoKeys)?;
        check_names(&operation)?;
        let rows = Spec { operation: operation.clone(), domain: Domain::ROWS, ..spec.clone() };
        let Some(longest) = longest(&rows) else { return Err(Error::KeysTooLarge) };
        let partials = compile(&rows, &longest)?;
        if operation.fill.is_none() {
            return Err(Error::NoKeys);
        }
        Ok(Keyed { tables: Tables::of(&operation, keys.groups), operation, keys, partials })
    }

    /// Returns the oldest compute capability that it supports, written as in `sm_90`.
    pub fn capability(&self) -> u32 {
        self.partials.capability().max(70)
    }

    /// Returns the names of the kernels, in the order of their launches.
    pub fn kernels(&self) -> Vec<&'static str> {
        let clear = (self.tables.of == Owner::Grid).then_some(CLEAR);
        clear.into_iter().chain([KERNEL, self.partials.kernel(Reads::Partials).name]).collect()
    }

    /// Returns the number of chunks of n elements: the blocks of the first launch.
    pub fn chunks(&self, n: u64) -> u64 {
        let cleared = if self.tables.of == Owner::Grid { 0 } else { self.keys.groups };
        let least = (ROWS * self.tables.row()).max(cleared * u64::from(self.tables.number));
        let most = match (self.tables.of, self.table_bytes()) {
            // About as many blocks as run at once on a large GPU, or twice as many: each writes a whole table.
            (Owner::Block, MOST_SHARED..) => 384,
            (Owner::Block, SHARED..) => 512,
            (Owner::Block, _) | (Owner::Grid, _) => 1024,
            (Owner::Thread | Owner::Warp | Owner::Memory, _) => Keyed::CHUNKS,
        };
        (n / least).clamp(1, most)
    }

    /// Returns the number of tables in the partials of n elements.
    pub fn tables(&self, n: u64) -> u64 {
        if self.tables.of == Owner::Grid { self.shared_tables().into() } else { self.chunks(n) }
    }

    /// Returns the number of tables that the blocks of a grid share.
    pub(crate) fn shared_tables(&self) -> u32 {
        let bytes = self.keys.groups.saturating_mul(self.operation.acc.size() as u64);
        (IN_CACHE as u64 / bytes).clamp(1, MOST_IN_CACHE) as u32
    }

    /// Returns the bytes of all tables of a block.
    fn table_bytes(&self) -> usize {
        self.keys.groups as usize * self.tables.number as usize * self.operation.acc.size()
    }

    /// Returns the bytes of shared memory that the launch of the first kernel asks for: 0 if the kernel declares its arrays.
    pub fn asked_shared_bytes(&self) -> u32 {
        let is_large = self.tables.of == Owner::Block && self.table_bytes() > MOST_SHARED;
        if is_large { self.table_bytes() as u32 } else { 0 }
    }

    /// Returns the elements of a chunk.
    pub fn chunk(&self, n: u64) -> u64 {
        let rows = n.div_ceil(self.tables.row()).div_ceil(self.chunks(n));
        rows.max(1) * self.tables.row()
    }

    /// Returns the association of n elements. Elements of other groups are absent.
    pub fn association(&self, n: u64) -> Association {
        let Tables { of, number, width, .. } = self.tables;
        let again = self.partials.association().again;
        if matches!(of, Owner::Block | Owner::Grid) {
            return Association { first: vec![Level::every(self.chunk(n), Tree::Any)], again };
        }
        let fold = Level {
            chunk: self.chunk(n),
            lanes: number.into(),
            arrangement: Arrangement::Striped,
            unit: Unit { width: width.into(), lanes: 1 },
            tree: Tree::Serial,
        };
        let meet = (number > 1).then(|| Level::every(number.into(), Tree::Halving));
        Association { first: [fold].into_iter().chain(meet).collect(), again }
    }

    /// Returns the number of partials of n elements.
    pub fn number_of_partials(&self, n: u64) -> u64 {
        self.tables(n).saturating_mul(self.keys.groups)
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
    /// The same as for [`Keyed::cuda`].
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
        header(&Keyed { operation: operation.clone(), ..self.clone() })
    }

    /// Returns the statements of its kernels, verified, in the order of their launches.
    ///
    /// # Errors
    /// The partials of a group need several launches; the statements break a rule of the verifier: a bug.
    pub fn lower(&self) -> Result<Lowered, Error> {
        if self.partials.kernel(Reads::Partials).fold().share != Share::Rest {
            return Err(Error::KeysTooLarge);
        }
        lower(&Keyed { operation: in_kernels(&self.operation), ..self.clone() })
    }
}

impl Tables {
    /// Chooses the tables for a number of groups.
    fn of(operation: &Operation, groups: u64) -> Tables {
        let bytes = groups.saturating_mul(operation.acc.size() as u64);
        if !operation.commutative {
            // One table keeps the order of all elements of a chunk.
            let of = if bytes <= MOST_SHARED as u64 { Owner::Warp } else { Owner::Memory };
            return Tables { of, number: 1, threads: Program::WARP, width: Program::WARP };
        }
        let fits = |tables: u32, most: usize| bytes.saturating_mul(tables.into()) <= most as u64;
        let [most, least] = THREADS;
        if !fits(most, SHARED) && combines_by_atomics(operation) {
            return Tables {
                of: if fits(1, ASKED_SHARED) { Owner::Block } else { Owner::Grid },
                number: 1,
                threads: SHARING,
                width: SHARING * width(operation),
            };
        }
        let threads = std::iter::successors(Some(most), |threads| Some(threads / 2));
        let mut threads = threads.take_while(|threads| *threads >= least);
        if let Some(threads) =
            threads.find(|threads| fits(*threads, SHARED)).or(fits(least, MOST_SHARED).then_some(least))
        {
            return Tables { of: Owner::Thread, number: threads, threads, width: width(operation) };
        }
        let mut warps =
            std::iter::successors(Some(WARPS), |warps| Some(warps / 2)).take_while(|warps| *warps > 0);
        let number = warps.find(|warps| fits(*warps, SHARED)).or(fits(1, MOST_SHARED).then_some(1));
        let of = if number.is_some() { Owner::Warp } else { Owner::Memory };
        let number = number.unwrap_or(1);
        Tables { of, number, threads: number * Program::WARP, width: Program::WARP }
    }

    /// Returns the elements that all tables of a block take in one turn.
    pub fn row(self) -> u64 {
        u64::from(self.number) * u64::from(self.width)
    }
}

/// Returns the elements of a load of a thread.
pub(crate) fn width(operation: &Operation) -> u32 {
    let widest = operation.inputs.iter().map(|input| input.ty.size()).max().unwrap_or(1);
    (LOAD / widest).clamp(1, WIDTH) as u32
}

/// Prints the tables of a block.
impl fmt::Display for Keyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tables { of, number, threads, width } = self.tables;
        let owner = match of {
            Owner::Thread => "each thread has a table in shared memory",
            Owner::Warp => "each warp has a table in shared memory",
            Owner::Memory => "each warp has a table in memory",
            Owner::Block => "the block has a table in shared memory, for atomic instructions",
            Owner::Grid => "blocks share tables in memory, for atomic instructions",
        };
        writeln!(f, "keys of {} groups, blocks of {threads} threads", self.keys.groups)?;
        writeln!(f, "  {owner}: {number} for a block, {width} elements in turn")
    }
}

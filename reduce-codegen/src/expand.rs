//! The one expansion: steps become statements. It is total, and runs before printing CUDA and before
//! interpreting, at every stage.
//!
//! Where the operation has an identity, absent items are the identity and every thread combines. Where it
//! has none, a combination stands under the condition that its right side is there; the items that are
//! there always come first, so a comparison with their number is enough.

mod block;
mod deliver;
mod fold;
mod tree;

use crate::error::Error;
use reduce_dsl::Scalar;
use reduce_dsl::expanded::{Constant, Expanded, ExpandedKernel, Expr, Local, Part, Shared, Stmt, Ty};
use reduce_dsl::ops::Bin;
use reduce_dsl::program::{Addressing, Combine, Kernel, Medium, Program, Scope, Step};

/// The statements of a verified program, verified.
///
/// # Errors
/// A rule of the verifier does not hold: a bug, in a program that holds its own rules.
pub fn expand(program: &Program) -> Result<Expanded, Error> {
    let [inputs, partials] = &program.kernels;
    let expanded = Expanded { kernels: [kernel(program, inputs), kernel(program, partials)] };
    match expanded.verify(program) {
        Ok(()) => Ok(expanded),
        Err(violation) => Err(Error::Expanded { violation, text: format!("{program}\n{expanded}") }),
    }
}

fn kernel(program: &Program, kernel: &Kernel) -> ExpandedKernel {
    let mut expansion = Expansion::new(program, kernel);
    expansion.prologue();
    kernel.steps.iter().for_each(|step| expansion.step(step));
    ExpandedKernel {
        name: kernel.name,
        reads: kernel.reads,
        block: program.block,
        cluster: 1,
        constants: expansion.constants,
        shared: expansion.shared,
        body: expansion.body,
    }
}

/// The state of an expansion: what has been written, and where the items are now.
struct Expansion<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    constants: Vec<Constant>,
    shared: Vec<Shared>,
    body: Vec<Stmt>,
    /// The accumulators of a thread: one for each lane of the fold, then one.
    lanes: Vec<Local>,
    /// How many threads hold an item; asked for only where the operation has no identity.
    present: Expr,
}

impl<'a> Expansion<'a> {
    fn new(program: &'a Program, kernel: &'a Kernel) -> Expansion<'a> {
        Expansion {
            program,
            kernel,
            constants: Vec::new(),
            shared: Vec::new(),
            body: Vec::new(),
            lanes: Vec::new(),
            present: count().get(),
        }
    }

    /// What every kernel begins with: its constants, and which items are the block's.
    fn prologue(&mut self) {
        let fold = self.kernel.fold();
        self.constant("BLOCK", self.program.block, "threads of a block".to_owned());
        if fold.units > 1 {
            self.constant("UNITS", fold.units, format!("coarsen({}): load units of a thread", fold.units));
        }
        if fold.width > 1 {
            self.constant("WIDTH", fold.width, format!("vectorize({}): elements of a load unit", fold.width));
        }
        let factors: Vec<_> = self.constants.iter().map(|it| it.name).collect();
        self.derived(
            "TILE",
            self.program.tile(self.kernel.reads) as u32,
            factors.join(" * "),
            "items of a block",
        );
        let begin = Expr::Block.cast(Scalar::U64).times(Expr::Named("TILE").cast(Scalar::U64));
        let left = Expr::Items.bin(Bin::Sub, first().get());
        let here = left.bin(Bin::Min, Expr::Named("TILE").cast(Scalar::U64)).cast(Scalar::U32);
        self.body.extend([Stmt::Let(first(), begin), Stmt::Let(count(), here)]);
    }

    fn constant(&mut self, name: &'static str, value: u32, note: String) {
        self.constants.push(Constant { name, value, formula: value.to_string(), note });
    }

    fn derived(&mut self, name: &'static str, value: u32, formula: String, note: &str) {
        self.constants.push(Constant { name, value, formula, note: note.to_owned() });
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Fold(fold) => self.fold(*fold),
            Step::Combine(combine) => self.combine(*combine),
            Step::Grid(medium) => self.deliver(*medium),
        }
    }

    fn combine(&mut self, combine: Combine) {
        let part = if combine.scope == Scope::Thread { Part::Fold } else { Part::Tree };
        self.note(part, &Step::Combine(combine), words(combine));
        match (combine.medium, combine.scope) {
            (Medium::Registers, _) => self.lanes_tree(combine),
            (Medium::Shuffle, Scope::Block) => self.warps_tree(combine),
            (Medium::Shuffle, _) => self.shuffle_tree(combine, self.present.clone()),
            (Medium::Shared(addressing), _) => self.shared_tree(combine, addressing),
        }
    }

    /// A remark that introduces a step, and names the passes that shaped it.
    fn note(&mut self, part: Part, step: &Step, words: Vec<String>) {
        let by = if words.is_empty() { String::new() } else { format!("  [{}]", words.join(", ")) };
        self.body.push(Stmt::Note(part, format!("{step}{by}")));
    }

    /// Does the operation lack an identity?
    fn guarded(&self) -> bool {
        self.program.operation.identity.is_none()
    }

    /// The accumulator of the thread, after its lanes have been combined.
    fn acc(&self) -> &Local {
        &self.lanes[0]
    }
}

/// The words in `passes` that shaped a combination.
fn words(combine: Combine) -> Vec<String> {
    let medium = match combine.medium {
        Medium::Registers => Some(format!("vectorize({})", combine.items)),
        Medium::Shuffle => Some("shuffle".to_owned()),
        Medium::Shared(Addressing::Modulo) => None,
        Medium::Shared(Addressing::Sequential) => Some("sequential".to_owned()),
    };
    let unroll = combine.unrolled && combine.medium != Medium::Registers;
    medium.into_iter().chain(unroll.then(|| "unroll".to_owned())).collect()
}

/// The position of the block's first item.
fn first() -> Local {
    Local::new("first", Ty::U64)
}

/// The number of the block's items.
fn count() -> Local {
    Local::new("count", Ty::U32)
}

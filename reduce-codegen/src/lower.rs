//! Lowers steps to statements. This is the only lowering, and it is total. The CUDA printer and the interpreter use its
//! output, after any list of passes.
//!
//! If the operation has a fill, absent items are the fill, and every thread combines. Without a fill, a combination
//! runs only if its right operand is present. Present items always come before absent ones, so one comparison with
//! their number is enough.

pub(crate) mod across;
mod beside;
mod cluster;
mod deliver;
mod fold;
pub(crate) mod keys;
mod locals;
mod logical;
mod memory;
mod place;
mod rows;
pub(crate) mod runs;
pub(crate) mod segments;
mod stride;
mod ticket;
mod tree;
mod unit;
mod warps;
mod whole;

use crate::error::{Error, check_names};
use crate::names::in_kernels;
use fold::lanes_pass;
use locals::{count, first};
use place::LogicalThread;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{
    Addressing, Arrangement, Combine, Kernel, Lowering, Medium, Program, Scope, Share, Size, Step, Team,
};
use reduce_ir::statements::{Buffer, Constant, Expr, Local, Lowered, LoweredKernel, Part, Shared, Stmt, Ty};

/// Returns the statements of a verified program, verified. Inputs and params get names that no local of a kernel has
/// (`names.rs`).
///
/// # Errors
/// A name is not a C identifier; this can happen only in an operation that was not parsed. Or the statements break a
/// rule of the verifier; if the program keeps its own rules, this is a bug.
pub fn lower(program: &Program) -> Result<Lowered, Error> {
    check_names(&program.operation)?;
    let program = &Program { operation: in_kernels(&program.operation), ..program.clone() };
    let lowered = Lowered { kernels: program.kernels.iter().map(|it| kernel(program, it)).collect() };
    match lowered.verify(program) {
        Ok(()) => Ok(lowered),
        Err(violation) => Err(Error::Lowered { violation, text: format!("{program}\n{lowered}") }),
    }
}

fn kernel(program: &Program, kernel: &Kernel) -> LoweredKernel {
    let mut lowering = Lowerer::new(program, kernel);
    if kernel.cluster() > 1 {
        lowering.prologue();
        lowering.begin_cluster();
        lowering.await_launch();
    } else {
        lowering.await_launch();
        lowering.place();
    }
    let before = std::mem::take(&mut lowering.body);
    if kernel.cluster() == 1 {
        lowering.prologue();
    }
    if kernel.has_flags() {
        lowering.ticket_first();
    }
    match kernel.team {
        Team { beside: 2.., .. } => lowering.groups_beside(),
        Team { size: Size::Thread, logical: 2.., .. } => lowering.logical_threads(),
        Team { size: Size::Lanes(lanes), logical: 2.., .. } => lowering.logical_lanes(lanes),
        Team { size: Size::Warp, logical: 2.., .. } => lowering.logical_warps(),
        Team { .. } => kernel.steps.iter().for_each(|step| lowering.step(step)),
    }
    if !kernel.team.is_grid() {
        lowering.finish();
    }
    let of_group = std::mem::replace(&mut lowering.body, before);
    lowering.guard_by_group(of_group);
    LoweredKernel {
        name: kernel.name,
        reads: kernel.reads,
        block: program.threads(kernel.reads),
        cluster: kernel.cluster(),
        streaming: kernel.fold().hints.streaming,
        dependent: kernel.dependent,
        resident: None,
        domain: program.domain,
        constants: lowering.constants,
        shared: lowering.shared,
        lists: Vec::new(),
        body: lowering.body,
    }
}

/// The state of a lowering: the statements so far, and where the items are now.
struct Lowerer<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    constants: Vec<Constant>,
    shared: Vec<Shared>,
    body: Vec<Stmt>,
    /// The accumulators of a thread: one for each lane of the fold, then one.
    lanes: Vec<Local>,
    /// The number of threads that hold an item. Used only if the operation has no fill.
    present: Expr,
    /// The buffer of the partials that are read, and their number.
    partials: (Buffer, Expr),
    /// The thread of the association that is being lowered.
    current: LogicalThread,
    /// The suffix of locals in the last block, which keeps them apart from the locals of every block. Empty outside it.
    suffix: &'static str,
    /// Whether groups begin at any element, and have few: vectors would rarely be aligned.
    scattered: bool,
}

impl<'a> Lowerer<'a> {
    fn new(program: &'a Program, kernel: &'a Kernel) -> Lowerer<'a> {
        Lowerer {
            program,
            kernel,
            constants: Vec::new(),
            shared: Vec::new(),
            body: Vec::new(),
            lanes: Vec::new(),
            present: count().get(),
            partials: (Buffer::Items, Expr::Items),
            current: LogicalThread::of(program, kernel),
            suffix: "",
            scattered: false,
        }
    }

    /// Makes a dependent kernel wait for the previous launch. Only the start of a cluster comes before.
    fn await_launch(&mut self) {
        if self.kernel.dependent {
            let note = "wait for the previous launch, which may still write the data that this one reads  [dependent]"
                .to_owned();
            self.body.extend([Stmt::Note(Part::Fold, note), Stmt::AwaitLaunch]);
        }
    }

    /// Lets the next launch begin after the fold. The rest of the kernel uses little of the GPU.
    fn trigger_launch(&mut self) {
        if self.kernel.trigger && !self.in_last_block() {
            let note = "let the next launch begin; it waits until this one has ended  [trigger]".to_owned();
            self.body.extend([Stmt::Note(Part::Fold, note), Stmt::TriggerLaunch]);
        }
    }

    /// Declares the constants of the kernel, then the block's first item and number of items.
    fn prologue(&mut self) {
        let fold = self.kernel.fold();
        if self.kernel.team == Team::THREAD {
            return;
        }
        self.constant("BLOCK", self.program.block, "threads of a block".to_owned());
        if fold.share == Share::Rest && !self.kernel.team.is_grid() {
            return self.threads_with_items();
        }
        if let Some(units @ 2..) = fold.units() {
            self.constant("UNITS", units, format!("coarsen({units}): load units of a thread"));
        }
        if fold.width > 1 {
            self.constant("WIDTH", fold.width, format!("vectorize({}): elements of a load unit", fold.width));
        }
        self.tile_constant();
        if fold.units() > Some(1) && fold.width > 1 && fold.arrangement == Arrangement::Striped {
            let row = self.program.block * fold.width;
            self.derived("ROW", row, "BLOCK * WIDTH".to_owned(), "items of a row of units");
        }
        if let cluster @ 2.. = self.kernel.cluster() {
            self.constant("CLUSTER", cluster, format!("cluster({cluster}): blocks of a cluster"));
        }
        if let Size::Grid { most: Some(blocks) } = self.kernel.team.size {
            self.constant("GRID", blocks, format!("grid_stride({blocks}): blocks that STRIDE assumes"));
            let stride = blocks * self.kernel_tile();
            self.derived("STRIDE", stride, "GRID * TILE".to_owned(), "items between the rounds of a thread");
        }
        self.first_and_count();
    }

    fn tile_constant(&mut self) {
        let in_place = self.kernel.in_place().is_some();
        let factors: Vec<_> = in_place.then_some("2").into_iter().chain(self.factors_of_tile()).collect();
        let formula = factors.join(" * ");
        self.derived("TILE", self.kernel_tile(), formula, "items of a block");
    }

    /// Returns the constants whose product is the tile of a group.
    fn factors_of_tile(&self) -> impl Iterator<Item = &'static str> {
        self.constants.iter().map(|it| it.name).filter(|name| *name != "GROUPS")
    }

    fn kernel_tile(&self) -> u32 {
        self.program.tile(self.kernel.reads) as u32
    }

    fn first_and_count(&mut self) {
        if self.kernel.is_one_tile() {
            return self.body.push(Stmt::Let(count(), Expr::Items.cast(Scalar::U32)));
        }
        let begin = self.member().times(Expr::Named("TILE").cast(Scalar::U64));
        self.body.push(Stmt::Let(first(), begin));
        let strided = self.kernel.fold().share == Share::Rest;
        // A grid-stride loop compares positions with n. It needs the number of items only for a tree without fill.
        if !strided || self.guarded() {
            self.body.push(Stmt::Let(count(), self.remaining(Expr::Named("TILE"))));
        }
    }

    /// Returns the number of items from the block's first one on, limited to `most`, as `u32`.
    fn remaining(&self, most: Expr) -> Expr {
        if self.kernel.is_one_tile() {
            return count().get();
        }
        // The last blocks of a cluster may lie after the end of the input.
        let end =
            if self.kernel.cluster() > 1 { Expr::Items.bin(Bin::Max, first().get()) } else { Expr::Items };
        let left = end.bin(Bin::Sub, first().get());
        left.bin(Bin::Min, most.cast(Scalar::U64)).cast(Scalar::U32)
    }

    fn constant(&mut self, name: &'static str, value: u32, note: String) {
        self.derived(name, value, value.to_string(), &note);
    }

    /// Declares a constant with its formula, unless it is declared.
    fn derived(&mut self, name: &'static str, value: u32, formula: String, note: &str) {
        if self.constants.iter().all(|it| it.name != name) {
            self.constants.push(Constant { name, value, formula, note: note.to_owned() });
        }
    }

    /// Declares an array in shared memory, unless it is declared.
    fn shared_array(&mut self, name: &'static str, len: &'static str) -> Buffer {
        if self.shared.iter().all(|it| it.name != name) {
            self.shared.push(Shared { name, len, sent: false });
        }
        Buffer::Shared(name)
    }

    /// Returns a local, with a name of its own for each logical thread and in the last block.
    fn local(&self, name: &str, ty: Ty) -> Local {
        Local::new(format!("{name}{}{}", self.current.suffix, self.suffix), ty)
    }

    /// Returns whether the statements are for the block that finishes last.
    fn in_last_block(&self) -> bool {
        !self.suffix.is_empty()
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Fold(fold) => {
                self.fold(*fold);
                self.trigger_launch();
            }
            Step::Combine(combine) => self.combine(*combine),
            Step::Keep => self.keep(),
            Step::Exchange(exchange) => self.deliver(*exchange),
        }
    }

    fn combine(&mut self, combine: Combine) {
        let step = Step::Combine(combine);
        match (combine.medium, combine.scope) {
            (Medium::Registers, Scope::Warp) => {
                self.note(Part::Tree, &step, vec!["warp_striped".to_owned()]);
                self.lanes_tree(combine);
            }
            (Medium::Registers, Scope::Block) => {
                self.note(Part::Tree, &step, vec!["team(warp)".to_owned()]);
                self.lanes_tree(combine);
            }
            (Medium::Registers, _) => {
                self.note(Part::Fold, &step, vec![lanes_pass(self.kernel.fold())]);
                self.lanes_tree(combine);
            }
            (Medium::Shuffle, scope) => {
                self.note(Part::Tree, &step, words(combine));
                if scope == Scope::Block {
                    self.warps_tree(combine);
                } else {
                    self.shuffle_tree(combine, self.present.clone());
                }
            }
            (Medium::Shared(addressing), _) => self.shared_tree(combine, addressing),
            (Medium::Global(addressing), _) => self.tree_in_place(combine, addressing),
            (Medium::Distributed, _) => self.cluster_tree(combine),
        }
    }

    /// Adds a remark that introduces a step and names the passes that shaped it.
    fn note(&mut self, part: Part, step: &Step, words: Vec<String>) {
        let by = if words.is_empty() { String::new() } else { format!("  [{}]", words.join(", ")) };
        self.body.push(Stmt::Note(self.part(part), format!("{step}{by}")));
    }

    /// Returns the part of a remark. Everything in the last block belongs to the delivery of the accumulators.
    fn part(&self, part: Part) -> Part {
        if self.in_last_block() { Part::Deliver } else { part }
    }

    /// Returns whether combinations need guards, because the operation has no fill for absent items.
    fn guarded(&self) -> bool {
        self.program.operation.fill.is_none()
    }

    /// Returns the accumulator of the thread, once its lanes are combined.
    fn acc(&self) -> &Local {
        &self.lanes[0]
    }
}

/// Returns the passes that shaped a combination, as `passes` spells them.
fn words(combine: Combine) -> Vec<String> {
    let addressed = |addressing: Addressing| addressing.passes().iter().map(|&word| word.to_owned());
    let mut words = match combine.medium {
        Medium::Registers => Vec::new(),
        Medium::Shuffle => vec!["shuffle".to_owned()],
        Medium::Distributed => vec![format!("cluster({})", combine.items)],
        Medium::Shared(addressing) => addressed(addressing).collect(),
        Medium::Global(addressing) => {
            ["in_place".to_owned()].into_iter().chain(addressed(addressing)).collect()
        }
    };
    words.extend(combine.last_warp.then(|| "last_warp".to_owned()));
    let pass = match combine.lowering {
        Lowering::Loop => None,
        Lowering::Unrolled => Some("unroll"),
        Lowering::WarpReduce => Some("redux"),
        Lowering::SerialTail => Some("serial_tail"),
    };
    words.extend(pass.map(str::to_owned));
    words
}

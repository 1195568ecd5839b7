//! Lowers programs over elements with keys.

mod by_thread;
mod by_warp;

use crate::error::Error;
use crate::keys::{Keyed, Owner, width};
use reduce_ir::axes::Others;
use reduce_ir::operation::Argument;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Reads, Scope};
use reduce_ir::statements::{
    Buffer, Constant, Expr, Local, Loop, Lowered, LoweredKernel, MemoryOrder, Part, Place, Shared, Stmt, Ty,
    Unroll,
};
use reduce_ir::{Domain, Scalar, Value};

/// The name of the first kernel.
pub(crate) const KERNEL: &str = "reduce_keys";

/// The name of the kernel that clears the tables that blocks share.
pub(crate) const CLEAR: &str = "clear_tables";

/// The name of the tables in shared memory.
const TABLE: &str = "table";

/// The elements of a thread in one turn of its loop: loads that are in flight together.
const AT_ONCE: u32 = 16;

/// The most rows in one turn.
const STEPS: u32 = 4;

/// Returns the statements of the kernels, verified.
pub(crate) fn lower(program: &Keyed) -> Result<Lowered, Error> {
    let clear = (program.tables.of == Owner::Grid).then(|| kernel(program, CLEAR, Draft::clear));
    let fold = match program.tables.of {
        Owner::Thread | Owner::Block | Owner::Grid => Draft::by_thread,
        Owner::Warp | Owner::Memory => Draft::by_warp,
    };
    let mut kernels: Vec<_> = clear.into_iter().chain([kernel(program, KERNEL, fold)]).collect();
    let steps = program.partials.kernel(Reads::Inputs);
    for kernel in &kernels {
        if let Err(violation) = kernel.verify_keys(&program.operation, steps, [Keyed::MOST, Keyed::CHUNKS]) {
            let text = Lowered { kernels: vec![kernel.clone()] }.to_string();
            return Err(Error::Lowered { violation, text });
        }
    }
    let of_partials = super::lower(&program.partials)?.kernels;
    kernels.extend(of_partials.into_iter().filter(|kernel| kernel.reads == Reads::Partials));
    Ok(Lowered { kernels })
}

fn kernel<'a>(program: &'a Keyed, name: &'static str, body: impl FnOnce(&mut Draft<'a>)) -> LoweredKernel {
    let mut draft = Draft { program, constants: Vec::new(), shared: Vec::new(), body: Vec::new() };
    draft.declare();
    body(&mut draft);
    LoweredKernel {
        name,
        reads: Reads::Inputs,
        block: program.tables.threads,
        cluster: 1,
        streaming: false,
        dependent: false,
        resident: None,
        domain: Domain::WHOLE,
        constants: draft.constants,
        shared: draft.shared,
        lists: Vec::new(),
        body: draft.body,
    }
}

/// A kernel while it is being made.
struct Draft<'a> {
    program: &'a Keyed,
    constants: Vec<Constant>,
    shared: Vec<Shared>,
    body: Vec<Stmt>,
}

/// The first element of a row of the block, `u64`.
fn at() -> Local {
    Local::new("at", Ty::U64)
}

/// The end of the elements of the block, `u64`.
fn end() -> Local {
    Local::new("end", Ty::U64)
}

/// The number of a group, in a loop over all, `u32`.
fn group() -> Local {
    Local::new("which", Ty::U32)
}

fn number(value: u64) -> Expr {
    Expr::Const(Value::of(value))
}

/// Returns a constant as `u64`.
fn wide(name: &'static str) -> Expr {
    Expr::Named(name).cast(Scalar::U64)
}

impl Draft<'_> {
    /// Declares the constants and the tables, and finds the elements of the block.
    fn declare(&mut self) {
        let tables = self.program.tables;
        self.constant("THREADS", tables.threads, tables.threads.to_string(), "threads of a block");
        self.constant(
            "KEYS",
            self.program.keys.groups as u32,
            self.program.keys.groups.to_string(),
            "groups",
        );
        let row = tables.row() as u32;
        match tables.of {
            Owner::Thread | Owner::Block | Owner::Grid => {
                self.constant("WIDTH", self.width(), self.width().to_string(), "elements of a load");
                self.constant("ROW", row, "THREADS * WIDTH".to_owned(), "elements of a row of loads");
            }
            Owner::Warp | Owner::Memory => {
                self.constant("ROW", row, "THREADS".to_owned(), "elements of a row");
                self.constant("WARPS", tables.number, "THREADS / 32".to_owned(), "warps of a block");
            }
        }
        self.constant("STEPS", self.steps(), self.steps().to_string(), "rows at once");
        let (tables_of_block, formula) = match tables.of {
            Owner::Thread => (tables.threads, "KEYS * THREADS"),
            Owner::Block => (1, "KEYS"),
            Owner::Warp => (tables.number, "KEYS * WARPS"),
            Owner::Memory => return,
            Owner::Grid => {
                let tables = self.program.shared_tables();
                return self.constant("TABLES", tables, tables.to_string(), "tables that blocks share");
            }
        };
        let len = self.program.keys.groups as u32 * tables_of_block;
        self.constant("TABLE", len, formula.to_owned(), "accumulators of a block");
        self.shared.push(Shared { name: TABLE, len: "TABLE", sent: false });
    }

    fn constant(&mut self, name: &'static str, value: u32, formula: String, note: &str) {
        self.constants.push(Constant { name, value, formula, note: note.to_owned() });
    }

    fn note(&mut self, part: Part, text: &str) {
        self.body.push(Stmt::Note(part, text.to_owned()));
    }

    /// Returns the elements that a thread loads at once, or 4 rows of one element.
    fn width(&self) -> u32 {
        match self.program.tables.of {
            Owner::Thread => self.program.tables.width,
            Owner::Block | Owner::Grid => width(&self.program.operation),
            Owner::Warp | Owner::Memory => 4,
        }
    }

    /// Returns the rows of one turn of the loop over elements.
    fn steps(&self) -> u32 {
        (AT_ONCE / self.width()).clamp(1, STEPS)
    }

    /// Names the first element of the block, and the end of its elements. Blocks have equal numbers of rows, except for the last ones.
    fn find_elements(&mut self) -> Expr {
        let (rows, mine) = (Local::new("rows", Ty::U64), Local::new("rows_of_block", Ty::U64));
        let (first, grid) = (Local::new("first", Ty::U64), Expr::Grid.cast(Scalar::U64));
        let rounded =
            |items: Expr, each: Expr| items.bin(Bin::Add, each.clone().bin(Bin::Sub, number(1))).over(each);
        let last = first.get().bin(Bin::Add, mine.get().times(wide("ROW"))).bin(Bin::Min, Expr::Items);
        self.body.extend([
            Stmt::Let(rows.clone(), rounded(Expr::Items, wide("ROW"))),
            Stmt::Let(mine.clone(), rounded(rows.get(), grid)),
            Stmt::Let(first.clone(), Expr::Block.cast(Scalar::U64).times(mine.get()).times(wide("ROW"))),
            Stmt::Let(end(), last),
        ]);
        first.get()
    }

    /// Returns the loop over the rows of the block, some in one turn.
    fn each_rows(&self, first: Expr, body: Vec<Stmt>) -> Stmt {
        Stmt::For(Box::new(Loop {
            from: first,
            test: at().get().below(end().get()),
            next: at().get().bin(Bin::Add, wide("STEPS").times(wide("ROW"))),
            unroll: Unroll::Unsaid,
            body,
            local: at(),
        }))
    }

    /// Returns a loop over groups: from one of them on, in steps.
    fn each_group(&self, from: Expr, step: Expr, body: Vec<Stmt>) -> Stmt {
        Stmt::For(Box::new(Loop {
            from,
            test: group().get().below(Expr::Named("KEYS")),
            next: group().get().plus(step),
            unroll: Unroll::Unsaid,
            body,
            local: group(),
        }))
    }

    /// Returns the place of the block's partial for a group.
    fn partial(&self, group: Expr) -> Place {
        let (table, tables) = match self.program.tables.of {
            Owner::Grid => (Expr::Block.bin(Bin::Rem, Expr::Named("TABLES")), Expr::Named("TABLES")),
            Owner::Thread | Owner::Warp | Owner::Memory | Owner::Block => (Expr::Block, Expr::Grid),
        };
        let first = group.cast(Scalar::U64).times(tables.cast(Scalar::U64));
        Buffer::Partials.at(first.bin(Bin::Add, table.cast(Scalar::U64)))
    }

    /// Clears the tables that blocks share.
    fn clear(&mut self) {
        self.note(Part::Fold, "no element has come to a table yet");
        let (at, threads) = (Local::new("at", Ty::U64), wide("THREADS"));
        let mine = Expr::Block
            .cast(Scalar::U64)
            .times(threads.clone())
            .bin(Bin::Add, Expr::Thread.cast(Scalar::U64));
        self.body.push(Stmt::For(Box::new(Loop {
            from: mine,
            test: at.get().below(wide("KEYS").times(wide("TABLES"))),
            next: at.get().bin(Bin::Add, Expr::Grid.cast(Scalar::U64).times(threads)),
            unroll: Unroll::Unsaid,
            body: vec![Stmt::Store(Buffer::Partials.at(at.get()), Expr::Empty)],
            local: at,
        })));
    }

    /// Returns a local with the value of an input.
    fn input(&self, input: usize, suffix: &str, lanes: u32) -> Local {
        let param = &self.program.operation.inputs[input];
        let ty = if lanes == 1 { Ty::Scalar(param.ty) } else { Ty::Vector(param.ty, lanes) };
        Local::new(format!("{}_{suffix}", param.name), ty)
    }

    fn inputs(&self) -> std::ops::Range<usize> {
        0..self.program.operation.inputs.len()
    }

    /// Loads one element of each input.
    fn load(&self, place: Expr, suffix: &str) -> Vec<Stmt> {
        let load = |input| Stmt::Load(self.input(input, suffix, 1), Buffer::Input(input).at(place.clone()));
        self.inputs().map(load).collect()
    }

    /// Returns the value of an argument of a function of an element.
    fn argument(&self, argument: Argument, element: &impl Fn(usize) -> Expr, place: &Expr) -> Option<Expr> {
        match argument {
            Argument::Acc(_) | Argument::Count | Argument::Step | Argument::Group => None,
            Argument::Input(input) => Some(element(input)),
            Argument::Index => Some(place.clone()),
            Argument::Param(param) => Some(Expr::Param(param, self.program.operation.params[param].ty)),
        }
    }

    /// Returns the number of the group of an element.
    fn slot(&self, element: &impl Fn(usize) -> Expr, place: &Expr) -> Expr {
        let given = self.program.operation.key_arguments().into_iter();
        Expr::Slot(given.filter_map(|argument| self.argument(argument, element, place)).collect())
    }

    /// Returns the statements that add an element to the accumulator at a place.
    fn add(&self, at: Place, suffix: &str, element: &impl Fn(usize) -> Expr, place: &Expr) -> Vec<Stmt> {
        if self.program.tables.of == Owner::Block {
            let (value, order, scope) = (self.mapped(element, place), MemoryOrder::Relaxed, Scope::Block);
            return vec![Stmt::AtomicCombine { place: at, value, order, scope }];
        }
        let old = Local::new(format!("old_{suffix}"), Ty::Acc);
        let sum = match self.program.operation.fold_arguments() {
            None => old.get().combine(self.mapped(element, place)),
            Some(arguments) => Expr::Fold(Box::new(old.get()), self.arguments(arguments, element, place)),
        };
        vec![Stmt::Load(old, at.clone()), Stmt::Store(at, sum)]
    }

    /// Returns the accumulator of one element.
    fn mapped(&self, element: &impl Fn(usize) -> Expr, place: &Expr) -> Expr {
        Expr::Map(self.arguments(self.program.operation.map_arguments(), element, place))
    }

    fn arguments(
        &self,
        arguments: Vec<Argument>,
        element: &impl Fn(usize) -> Expr,
        place: &Expr,
    ) -> Vec<Expr> {
        arguments.into_iter().filter_map(|it| self.argument(it, element, place)).collect()
    }

    /// Returns the statements for an element whose key is no group.
    fn other(&self, place: Expr) -> Vec<Stmt> {
        match self.program.keys.others {
            Others::Error => vec![Stmt::Fault(place)],
            Others::Drop => Vec::new(),
        }
    }

    /// Returns the combination of accumulators by halves.
    fn halved(accs: Vec<Expr>) -> Expr {
        let mut accs = accs;
        while accs.len() > 1 {
            let right = accs.split_off(accs.len() / 2);
            accs = accs.into_iter().zip(right).map(|(left, right)| left.combine(right)).collect();
        }
        accs.pop().unwrap_or(Expr::Empty)
    }
}

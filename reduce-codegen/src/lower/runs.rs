//! Lowers the program that finds runs of keys.

use super::place::lane;
use crate::error::Error;
use crate::runs::Heads;
use crate::schedule::naive;
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::{
    Barrier, Buffer, Constant, Expr, List, Local, Loop, Lowered, LoweredKernel, Part, Stmt, Ty, Unroll,
};
use reduce_ir::{Domain, Scalar, Value};

/// The names of the kernels.
pub(crate) const KERNELS: [&str; 3] = ["mark_heads", "count_heads", "write_heads"];

/// The tiles that a thread of `count_heads` sums at a time.
const TILES: u32 = 8;

/// The places of the heads of a tile, in shared memory.
const PLACES: &str = "places";

/// The blocks of the largest grid.
const MOST_BLOCKS: u64 = (1 << 31) - 1;

/// Returns the statements of the kernels, verified.
pub(crate) fn lower(program: &Heads) -> Result<Lowered, Error> {
    let kernels = vec![mark(program), count(program), write(program)];
    let steps = naive(&program.operation, Program::WARP)?;
    for kernel in &kernels {
        let elements = if program.offsets == Scalar::U32 { u32::MAX.into() } else { Heads::MOST };
        let most = [elements, MOST_BLOCKS];
        if let Err(violation) = kernel.verify_runs(&program.operation, steps.kernel(Reads::Inputs), most) {
            return Err(Error::Lowered { violation, text: Lowered { kernels: kernels.clone() }.to_string() });
        }
    }
    Ok(Lowered { kernels })
}

fn kernel(which: usize, body: Vec<Stmt>) -> LoweredKernel {
    let constant = |name, value: u32, note: &str| Constant {
        name,
        value,
        formula: value.to_string(),
        note: note.to_owned(),
    };
    LoweredKernel {
        name: KERNELS[which],
        reads: Reads::Inputs,
        block: Heads::BLOCKS[which],
        cluster: 1,
        streaming: false,
        dependent: false,
        resident: None,
        domain: Domain::WHOLE,
        constants: vec![
            constant("THREADS", Heads::BLOCKS[which], "threads of a block"),
            constant("TILE_SIZE", Heads::TILE, "keys of a tile"),
        ],
        shared: Vec::new(),
        lists: if which == 2 { vec![List { name: PLACES, most: "TILE_SIZE" }] } else { Vec::new() },
        body,
    }
}

fn number(value: u64) -> Expr {
    Expr::Const(Value::of(value))
}

fn wide(name: &'static str) -> Expr {
    Expr::Named(name).cast(Scalar::U64)
}

fn narrow(name: &str) -> Local {
    Local::new(name, Ty::U32)
}

fn long(name: &str) -> Local {
    Local::new(name, Ty::U64)
}

fn note(part: Part, text: &str) -> Stmt {
    Stmt::Note(part, text.to_owned())
}

/// Returns the place of the thread's word of marks.
fn word() -> Expr {
    let first = Expr::Block.cast(Scalar::U64).times(wide("THREADS"));
    first.bin(Bin::Add, Expr::Thread.cast(Scalar::U64))
}

/// Returns a position, or the position of the last key if that is less.
fn inside(position: Expr) -> Expr {
    position.bin(Bin::Min, Expr::Items.bin(Bin::Sub, number(1)))
}

/// Returns the number of the first key of the block's tile.
fn first_of_tile() -> Expr {
    Expr::Block.cast(Scalar::U64).times(wide("TILE_SIZE"))
}

/// Returns the kernel that marks the keys at which a run begins.
fn mark(program: &Heads) -> LoweredKernel {
    let (warp, mine, total) = (narrow("warp"), narrow("mark"), narrow("total"));
    let end = first_of_tile().bin(Bin::Add, wide("TILE_SIZE"));
    let is_inner =
        number(0).below(first_of_tile()).and(Expr::Cmp(Cmp::Le, Box::new(end), Box::new(Expr::Items)));
    let store = Stmt::Store(Buffer::Tiles.at(Expr::Block.cast(Scalar::U64)), total.get().cast(Scalar::U64));
    let body = vec![
        note(Part::Fold, "a lane for each key: whether a run begins there"),
        Stmt::Let(warp, Expr::Thread.over(Program::WARP)),
        Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, Program::WARP)),
        Stmt::Var(mine.clone(), 0.into()),
        Stmt::If(is_inner, vec![rows(program, true)], vec![rows(program, false)]),
        Stmt::Store(Buffer::Marks.at(word()), mine.get()),
        note(Part::Deliver, "the number of runs that begin in the tile"),
        Stmt::Prefix { before: narrow("skipped"), total, value: ones(mine.get()) },
        Stmt::when(Expr::Thread.equals(0), vec![store]),
    ];
    kernel(0, body)
}

/// Returns the loop of a warp over its words of marks: of a tile between others, or of the first one or the last.
fn rows(program: &Heads, is_inner: bool) -> Stmt {
    let [key, before] = ["key_here", "key_before"].map(|name| Local::new(name, key_type(program)));
    let (warp, row, mine, heads, at) =
        (narrow("warp"), narrow("row"), narrow("mark"), narrow("heads"), long("at"));
    let of_warp = warp.get().times(Program::WARP).plus(row.get()).times(Program::WARP).plus(lane().get());
    let (here, previous) = match is_inner {
        true => (at.get(), at.get().bin(Bin::Sub, number(1))),
        false => (inside(at.get()), inside(at.get()).bin(Bin::Max, number(1)).bin(Bin::Sub, number(1))),
    };
    let begins = Expr::from(0).below(Expr::Slot(vec![key.get(), before.get()]));
    let begins = match is_inner {
        true => begins,
        false => at.get().below(Expr::Items).and(at.get().equals(number(0)).bin(Bin::Or, begins)),
    };
    let body = vec![
        Stmt::Let(at.clone(), first_of_tile().bin(Bin::Add, of_warp.cast(Scalar::U64))),
        Stmt::Load(key, Buffer::Input(0).at(here)),
        Stmt::Load(before, Buffer::Input(0).at(previous)),
        Stmt::Ballot(heads.clone(), begins),
        Stmt::when(lane().get().equals(row.get()), vec![Stmt::Set(mine, heads.get())]),
    ];
    Stmt::For(Box::new(Loop {
        from: 0.into(),
        test: row.get().below(Program::WARP),
        next: row.get().plus(1),
        unroll: if is_inner { Unroll::By(16) } else { Unroll::By(1) },
        body,
        local: row,
    }))
}

/// Returns the kernel that sums the numbers of runs before each tile.
fn count(program: &Heads) -> LoweredKernel {
    let (tiles, runs, first, at) = (long("number_of_tiles"), long("runs"), long("first"), long("at"));
    let (before, total) = (narrow("skipped"), narrow("total"));
    let count = |k: u32| narrow(&format!("count_{k}"));
    let place = |k: u32| if k == 0 { at.get() } else { at.get().bin(Bin::Add, number(k.into())) };
    let all = Expr::Items.bin(Bin::Add, wide("TILE_SIZE").bin(Bin::Sub, number(1))).over(wide("TILE_SIZE"));
    let mut body =
        vec![Stmt::Let(at.clone(), first.get().bin(Bin::Add, Expr::Thread.times(TILES).cast(Scalar::U64)))];
    let last = tiles.get().bin(Bin::Sub, number(1));
    for k in 0..TILES {
        let loaded = long(&format!("loaded_{k}"));
        let fits = loaded.get().bin(Bin::Min, number(Heads::TILE.into())).cast(Scalar::U32);
        body.push(Stmt::Load(loaded, Buffer::Tiles.at(place(k).bin(Bin::Min, last.clone()))));
        body.push(Stmt::Let(count(k), place(k).below(tiles.get()).select(fits, 0)));
    }
    let sum = |counts: u32| (0..counts).map(|k| count(k).get()).reduce(Expr::plus).unwrap_or(0.into());
    body.push(Stmt::Prefix { before: before.clone(), total: total.clone(), value: sum(TILES) });
    let so_far = runs.get().bin(Bin::Min, Expr::Items);
    for k in 0..TILES {
        let mine = before.get().plus(sum(k)).cast(Scalar::U64);
        let store = Stmt::Store(Buffer::Tiles.at(place(k)), so_far.clone().bin(Bin::Add, mine));
        body.push(Stmt::when(place(k).below(tiles.get()), vec![store]));
    }
    body.push(Stmt::Set(runs.clone(), so_far.bin(Bin::Add, total.get().cast(Scalar::U64))));
    let strips = Stmt::For(Box::new(Loop {
        from: number(0),
        test: first.get().below(tiles.get()),
        next: first.get().bin(Bin::Add, number((Heads::BLOCKS[1] * TILES).into())),
        unroll: Unroll::Unsaid,
        body,
        local: first,
    }));
    let is_narrow = program.offsets == Scalar::U32;
    let end = if is_narrow { Expr::Items.cast(Scalar::U32) } else { Expr::Items };
    let last = vec![
        Stmt::Store(Buffer::Tiles.at(tiles.get()), runs.get()),
        Stmt::Store(Buffer::Offsets(program.offsets).at(runs.get()), end),
    ];
    let body = vec![
        note(
            Part::Fold,
            "the number of runs before each tile, and their number, which is where the last offset goes",
        ),
        Stmt::Let(tiles, all),
        Stmt::Var(runs, number(0)),
        strips,
        Stmt::when(Expr::Thread.equals(0), last),
    ];
    kernel(1, body)
}

/// Returns the kernel that writes the offset and the key of each run. The places of the runs are gathered in shared memory first, so that
/// neighbouring threads write neighbouring runs.
fn write(program: &Heads) -> LoweredKernel {
    let key = Local::new("key_of_run", key_type(program));
    let (start, marks, bits) = (long("start"), narrow("mark"), narrow("bits"));
    let (before, total, at, place) = (narrow("skipped"), narrow("total"), long("at"), long("place"));
    let (which, listed) = (narrow("which"), narrow("listed"));
    let rank = before.get().plus(ones(marks.get()).bin(Bin::Sub, ones(bits.get())));
    let of_tile = Expr::Thread.times(32).plus(Expr::Un(Un::TrailingZeros, Box::new(bits.get())));
    let list = |index: Expr| Buffer::List(PLACES).at(index.bin(Bin::Min, Heads::TILE - 1));
    let gather = Stmt::For(Box::new(Loop {
        from: marks.get(),
        test: Expr::from(0).below(bits.get()),
        next: bits.get().bin(Bin::And, bits.get().bin(Bin::Sub, 1)),
        unroll: Unroll::Unsaid,
        body: vec![Stmt::Store(list(rank), of_tile)],
        local: bits,
    }));
    let offset = if program.offsets == Scalar::U32 { place.get().cast(Scalar::U32) } else { place.get() };
    let body = vec![
        Stmt::Load(listed.clone(), list(which.get())),
        Stmt::Let(place.clone(), inside(first_of_tile().bin(Bin::Add, listed.get().cast(Scalar::U64)))),
        Stmt::Load(key.clone(), Buffer::Input(0).at(place.get())),
        Stmt::Let(at.clone(), inside(start.get()).bin(Bin::Add, which.get().cast(Scalar::U64))),
        Stmt::Store(Buffer::Offsets(program.offsets).at(at.get()), offset),
        Stmt::Store(Buffer::Keys(program.operation.inputs[0].ty).at(at.get()), key.get()),
    ];
    let each = Stmt::For(Box::new(Loop {
        from: Expr::Thread,
        test: which.get().below(total.get()),
        next: which.get().plus(Expr::Named("THREADS")),
        unroll: Unroll::Unsaid,
        body,
        local: which,
    }));
    let body = vec![
        note(Part::Deliver, "a thread for each word of marks: the places of the runs that begin there"),
        Stmt::Load(marks.clone(), Buffer::Marks.at(word())),
        Stmt::Prefix { before, total, value: ones(marks.get()) },
        gather,
        Stmt::Barrier(Barrier::Block),
        note(Part::Deliver, "a thread for each run: its offset and its key"),
        Stmt::Load(start, Buffer::Tiles.at(Expr::Block.cast(Scalar::U64))),
        each,
    ];
    kernel(2, body)
}

fn key_type(program: &Heads) -> Ty {
    Ty::Scalar(program.operation.inputs[0].ty)
}

fn ones(bits: Expr) -> Expr {
    Expr::Un(Un::CountOnes, Box::new(bits))
}

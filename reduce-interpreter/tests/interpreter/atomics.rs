//! Tickets, fences and scopes: the last block sees the writes of the others, or a report says that it may not.

use super::support::*;
use reduce_interpreter::{Kind, Memory, Options, Provenance, Schedule, launch};
use reduce_ir::ops::Bin;
use reduce_ir::program::Scope;
use reduce_ir::statements::{
    AtomicOp, Buffer, Expr, Local, Loop, LoweredKernel, MemoryOrder, Stmt, Ty, Unroll,
};

const GRID: u64 = 4;

fn ticket(order: MemoryOrder, scope: Scope) -> Stmt {
    ticket_into(old(), order, scope)
}

fn ticket_into(into: Local, order: MemoryOrder, scope: Scope) -> Stmt {
    Stmt::Atomic {
        into,
        op: AtomicOp::Add,
        place: Buffer::Ticket.at(wide_literal(0)),
        value: 1.into(),
        order,
        scope,
    }
}

fn old() -> Local {
    Local::new("old", Ty::U32)
}

fn is_last() -> Expr {
    old().get().equals(Expr::Grid.bin(Bin::Sub, 1))
}

/// Stores the sum of all partials as the result.
fn finale() -> Vec<Stmt> {
    let (total, item, block) = (acc("total"), acc("item"), Local::new("of", Ty::U32));
    let turn = Loop {
        from: 0.into(),
        test: block.get().below(Expr::Grid),
        next: block.get().plus(1),
        unroll: Unroll::Unsaid,
        body: vec![
            Stmt::Load(item.clone(), partial(block.get())),
            Stmt::Set(total.clone(), total.get().combine(item.get())),
        ],
        local: block,
    };
    vec![Stmt::Var(total.clone(), Expr::Empty), Stmt::For(Box::new(turn)), finish(&total)]
}

/// A kernel in which thread 0 of each block writes a partial and takes a ticket; in the last block it sums all
/// partials.
fn last_block(before: &[Stmt], ticket: Stmt, after: &[Stmt]) -> LoweredKernel {
    let mut body = take("mine", Expr::Block);
    body.push(Stmt::Store(partial(Expr::Block), acc("mine").get()));
    body.extend_from_slice(before);
    body.push(ticket);
    body.extend_from_slice(after);
    body.push(when(is_last(), finale()));
    kernel(vec![when(Expr::Thread.equals(0), body)])
}

use MemoryOrder::{AcqRel, Acquire, Relaxed, Release};

#[test]
fn a_ticket_that_releases_and_acquires_is_clean_whoever_is_last() {
    let fence = |order| [Stmt::Fence(order, Scope::Grid)];
    let right = [
        last_block(&[], ticket(AcqRel, Scope::Grid), &[]),
        last_block(&fence(Release), ticket(Relaxed, Scope::Grid), &fence(Acquire)),
        last_block(&fence(AcqRel), ticket(Acquire, Scope::Grid), &[]),
        last_block(&[], ticket(Release, Scope::Grid), &fence(AcqRel)),
    ];
    for kernel in right {
        clean(&kernel, GRID);
        for schedule in Schedule::all(GRID) {
            assert_eq!(run(&kernel, GRID, schedule).leaves, [0, 1, 2, 3], "{schedule:?}");
        }
    }
}

/// Each of these kernels has shipped in some library. Every schedule reports it, and its result is wrong.
#[test]
fn a_ticket_without_one_of_its_halves_races_and_the_result_shows_it() {
    let fence = |order| [Stmt::Fence(order, Scope::Grid)];
    let wrong_ones = [
        last_block(&[], ticket(Relaxed, Scope::Grid), &[]),
        last_block(&fence(Release), ticket(Relaxed, Scope::Grid), &[]),
        last_block(&[], ticket(Relaxed, Scope::Grid), &fence(Acquire)),
        last_block(&[], ticket(Acquire, Scope::Grid), &[]),
        last_block(&[], ticket(Release, Scope::Grid), &[]),
    ];
    for kernel in wrong_ones {
        wrong(&kernel, GRID, Kind::Race);
        for schedule in Schedule::all(GRID) {
            assert_ne!(run(&kernel, GRID, schedule).leaves, [0, 1, 2, 3], "{schedule:?}");
        }
    }
}

#[test]
fn a_scope_that_does_not_reach_the_other_block_is_too_narrow() {
    let release = |scope| [Stmt::Fence(Release, scope)];
    let acquire = [Stmt::Fence(Acquire, Scope::Grid)];
    wrong(&last_block(&[], ticket(AcqRel, Scope::Block), &[]), GRID, Kind::ScopeTooNarrow);
    let narrow = last_block(&release(Scope::Block), ticket(Relaxed, Scope::Grid), &acquire);
    wrong(&narrow, GRID, Kind::ScopeTooNarrow);
    clean(&last_block(&release(Scope::Grid), ticket(Relaxed, Scope::Grid), &acquire), GRID);
    // Within one block, the scope of the block is enough.
    let of_threads = |scope| {
        let mut body = take("mine", Expr::Thread);
        body.push(Stmt::Store(s(Expr::Thread), acc("mine").get()));
        body.push(ticket(AcqRel, scope));
        let all = (0..4).map(|k| Stmt::Load(acc(&format!("of{k}")), s(k)));
        body.push(when(old().get().equals(3), all));
        kernel(vec![when(Expr::Thread.below(4), body)])
    };
    clean(&of_threads(Scope::Block), 1);
    clean(&of_threads(Scope::Warp), 1);
    wrong(&of_threads(Scope::Thread), 1, Kind::ScopeTooNarrow);
}

/// A release of one thread with thread scope does not include releases by other threads of its warp.
#[test]
fn a_scope_of_a_thread_is_that_of_one_thread() {
    let it = |scope| {
        let lane = |k: u32| Expr::Thread.equals(k);
        let relaxed = |name| ticket_into(Local::new(name, Ty::U32), Relaxed, Scope::Grid);
        let release = || Stmt::Fence(Release, scope);
        let mut write = take("mine", Expr::Thread);
        write.extend([Stmt::Store(s(0), acc("mine").get()), release(), relaxed("second")]);
        let read = [relaxed("third"), Stmt::Fence(Acquire, Scope::Grid), Stmt::Load(acc("seen"), s(0))];
        kernel(vec![when(lane(0), [release(), relaxed("first")]), when(lane(1), write), when(lane(0), read)])
    };
    let found = |scope| kinds(&it(scope), 1, Schedule::FORWARD);
    assert_eq!(found(Scope::Thread), [Kind::ScopeTooNarrow]);
    assert_eq!(found(Scope::Warp), []);
}

/// Every warp writes a partial, and one thread releases them all; every warp of the other block reads them.
#[test]
fn what_a_barrier_joined_is_released_too() {
    let lane_0 = || Expr::Thread.bin(Bin::Rem, 32).equals(0);
    let mine = || Expr::Block.times(2).plus(Expr::Thread.over(32));
    let seen = Local::new("seen", Ty::U32);
    let look = Stmt::Atomic {
        into: seen.clone(),
        op: AtomicOp::Add,
        place: Buffer::Ticket.at(wide_literal(0)),
        value: 0.into(),
        order: Acquire,
        scope: Scope::Grid,
    };
    let it = |between: &[Stmt]| {
        let mut write = take("mine", mine());
        write.push(Stmt::Store(partial(mine()), acc("mine").get()));
        let mut body = vec![when(lane_0(), write)];
        body.extend_from_slice(between);
        body.push(when(Expr::Thread.equals(0), [ticket(AcqRel, Scope::Grid)]));
        let across = Expr::from(3).bin(Bin::Sub, mine());
        let read = when(seen.get().equals(2), [Stmt::Load(acc("theirs"), partial(across))]);
        body.push(when(lane_0(), [look.clone(), read]));
        wide(64, body)
    };
    clean(&it(&[BARRIER]), 2);
    // Anything is read only if the other block comes first.
    assert!(kinds(&it(&[]), 2, Schedule::FORWARD).contains(&Kind::Race));
}

/// Released writes stay released through the atomics of other blocks, even if those release nothing.
#[test]
fn a_release_passes_through_a_chain_of_atomics() {
    let chain = |middle: Scope| {
        let block = |number: u32| Expr::Block.equals(number);
        let mut first = take("mine", Expr::Block);
        first.push(Stmt::Store(partial(0.into()), acc("mine").get()));
        first.push(ticket(Release, Scope::Grid));
        let read = when(old().get().equals(2), [Stmt::Load(acc("seen"), partial(0.into()))]);
        let body = vec![
            when(block(0), first),
            when(block(1), [ticket(Relaxed, middle)]),
            when(block(2), [ticket(Acquire, Scope::Grid), read]),
        ];
        kernel(vec![when(Expr::Thread.equals(0), body)])
    };
    clean(&chain(Scope::Grid), 3);
    wrong(&chain(Scope::Block), 3, Kind::ScopeTooNarrow);
}

/// The last block may reset the ticket with a plain store: its atomic follows the ones that it saw.
#[test]
fn the_last_block_resets_the_ticket() {
    let zero = Stmt::Store(Buffer::Ticket.at(wide_literal(0)), 0.into());
    let reset = |test| last_block(&[], ticket(AcqRel, Scope::Grid), &[when(test, [zero.clone()])]);
    clean(&reset(is_last()), GRID);
    wrong(&reset(old().get().equals(0)), GRID, Kind::Race);
    let [before, after] = [Release, Acquire].map(|order| Stmt::Fence(order, Scope::Grid));
    let at_last = when(is_last(), [zero.clone()]);
    clean(&last_block(&[before], ticket(Relaxed, Scope::Grid), &[after, at_last]), GRID);
}

#[test]
fn a_ticket_that_is_no_atomic_races() {
    let (place, held) = (|| Buffer::Ticket.at(wide_literal(0)), Local::new("held", Ty::U32));
    let body = [Stmt::Load(held.clone(), place()), Stmt::Store(place(), held.get().plus(1))];
    wrong(&kernel(vec![when(Expr::Thread.equals(0), body)]), 2, Kind::Race);
}

/// A kernel in which every block adds its element to one partial.
fn adding(after: &[Stmt]) -> LoweredKernel {
    let mut body = take("mine", Expr::Block);
    body.push(Stmt::AtomicCombine {
        place: partial(0.into()),
        value: acc("mine").get(),
        order: Relaxed,
        scope: Scope::Grid,
    });
    body.extend_from_slice(after);
    kernel(vec![when(Expr::Thread.equals(0), body)])
}

#[test]
fn atomic_combinations_give_every_block_once_in_any_order() {
    let operation = sum();
    let mut texts = std::collections::BTreeSet::new();
    for schedule in Schedule::all(GRID) {
        let mut domain = Provenance::new(&operation);
        let inputs = Provenance::inputs(&operation, 256, true);
        let mut memory = Memory::new(&inputs, 1);
        memory.partials[0] = Some(domain.identity());
        let kernel = adding(&[]);
        let found = launch(&operation, &kernel, &mut domain, memory, GRID, 256, Options::under(schedule));
        assert_eq!(found.reports, []);
        assert_eq!(found.counts.total().atomics, GRID);
        let tree = found.memory.partials[0].unwrap();
        let parts: Vec<_> = (0..GRID).map(|block| domain.leaf(block)).collect();
        assert!(domain.is_any_order_of(tree, &parts), "{}", domain.text(tree));
        assert!(!domain.is_any_order_of(tree, &parts[1..]));
        texts.insert(domain.text(tree));
    }
    assert!(texts.len() > 3, "{texts:?}");
}

#[test]
fn combining_into_memory_that_nothing_wrote_is_reported() {
    wrong(&adding(&[]), GRID, Kind::Uninitialised);
}

#[test]
fn a_plain_read_of_what_others_update_may_be_stale() {
    let operation = sum();
    let mut domain = Provenance::new(&operation);
    let inputs = Provenance::inputs(&operation, 256, true);
    let mut memory = Memory::new(&inputs, 1);
    memory.partials[0] = Some(domain.identity());
    let kernel = adding(&[Stmt::Load(acc("so_far"), partial(0.into()))]);
    let found = launch(&operation, &kernel, &mut domain, memory, GRID, 256, Options::FORWARD);
    let kinds: Vec<_> = found.reports.iter().map(|it| it.kind).collect();
    assert!(kinds.contains(&Kind::Stale), "{kinds:?}");
}

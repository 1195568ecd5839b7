//! Counts of accesses whose figures are known.

use super::support::*;
use reduce_dsl::operators::operator;
use reduce_interpreter::{Counts, Event, Global, Memory, Options, Provenance, Shapes, Shared, launch};
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::ops::Bin;
use reduce_ir::statements::{Barrier, Buffer, Expr, FULL, Local, LoweredKernel, Part, Place, Stmt, Ty};
use reduce_ir::{Scalar, Value};

fn count(operation: &Operation, kernel: &LoweredKernel, aligned: bool) -> Counts {
    let inputs = Provenance::inputs(operation, 4096, aligned);
    let memory = Memory::new(&inputs, 64);
    let mut domain = Shapes::new(operation);
    let found = launch(operation, kernel, &mut domain, memory, 1, 4096, Options::FORWARD);
    assert_eq!(found.reports, []);
    found.counts.total()
}

fn loads(index: Expr, aligned: bool) -> Global {
    count(&sum(), &kernel(take("mine", index)), aligned).global_loads
}

#[test]
fn lines_and_sectors_of_global_loads() {
    let row = Global { accesses: 1, requests: 1, sectors: 4, bytes: 128 };
    assert_eq!(loads(Expr::Thread, true), row);
    // One element further: five sectors in two lines.
    assert_eq!(loads(Expr::Thread, false), Global { requests: 2, sectors: 5, ..row });
    assert_eq!(loads(Expr::Thread.times(2), true), Global { requests: 2, sectors: 8, ..row });
    assert_eq!(loads(Expr::Thread.times(32), true), Global { requests: 32, sectors: 32, ..row });
    assert_eq!(loads(Expr::from(5), true), Global { requests: 1, sectors: 1, ..row });
    assert_eq!(loads(Expr::from(31).bin(Bin::Sub, Expr::Thread), true), row);
}

#[test]
fn a_vector_is_one_access() {
    let four = Local::new("four", Ty::Vector(Scalar::F32, 4));
    let load = Stmt::Load(four, Buffer::Input(0).at(Expr::Thread.times(4).cast(Scalar::U64)));
    let found = count(&sum(), &kernel(vec![load]), true).global_loads;
    assert_eq!(found, Global { accesses: 1, requests: 4, sectors: 16, bytes: 512 });
}

fn stores(operation: &Operation, index: Expr) -> Shared {
    let mut it = kernel(vec![Stmt::Store(s(index), Expr::Local(acc("mine")))]);
    it.constants[0].value = 2048;
    it.body.splice(0..0, [Stmt::Let(acc("mine"), Expr::Empty)]);
    count(operation, &it, true).shared_stores
}

#[test]
fn bank_conflicts_of_words() {
    let free = Shared { accesses: 1, wavefronts: 1, conflicts: 0, worst: 1, per_thread: 1 };
    assert_eq!(stores(&sum(), Expr::Thread), free);
    assert_eq!(stores(&sum(), Expr::Thread.times(33)), free);
    for stride in [2, 4, 8, 16, 32] {
        let wanted =
            Shared { accesses: 1, wavefronts: stride, conflicts: stride - 1, worst: stride, per_thread: 1 };
        assert_eq!(stores(&sum(), Expr::Thread.times(stride as u32)), wanted);
    }
}

/// Half a warp accesses words of 8 bytes at a time: 32 of them take two passes, without a conflict.
#[test]
fn bank_conflicts_of_double_words() {
    let double = operator("sum").unwrap().apply(&[Param::new("x", Scalar::F64)], None).unwrap();
    let free = Shared { accesses: 1, wavefronts: 2, conflicts: 0, worst: 1, per_thread: 1 };
    assert_eq!(stores(&double, Expr::Thread), free);
    let pairs = Shared { accesses: 1, wavefronts: 4, conflicts: 2, worst: 2, per_thread: 1 };
    assert_eq!(stores(&double, Expr::Thread.times(2)), pairs);
}

/// A record is accessed field by field: here fields of 4 and 8 bytes in a record of 16.
#[test]
fn records_are_accessed_field_by_field() {
    let argmax = operator("argmax").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
    assert_eq!(argmax.acc.size(), 16);
    let found = stores(&argmax, Expr::Thread);
    // Words 0, 4, 8, …: four in a bank. Double words 1, 3, 5, …: two in a bank for each half.
    assert_eq!(found, Shared { accesses: 2, wavefronts: 4 + 4, conflicts: 3 + 2, worst: 4, per_thread: 2 });
}

/// The halves of a warp read the same banks of different blocks.
#[test]
fn banks_are_those_of_one_block() {
    let index = || Expr::Thread.bin(Bin::Rem, 16).plus(Expr::Thread.over(16).times(32));
    let load = |rank| Stmt::Load(acc("held"), Place { rank, ..s(index()) });
    let write = [0, 32].map(|at| Stmt::Store(s(Expr::Thread.plus(at)), Expr::Empty));
    let meet = Stmt::Barrier(Barrier::Cluster);
    let it = |rank| {
        let body = [write.to_vec(), vec![meet.clone(), load(rank), meet.clone()]].concat();
        LoweredKernel { cluster: 2, ..kernel(body) }
    };
    let loads = |kernel: LoweredKernel| {
        let operation = sum();
        let mut domain = Shapes::new(&operation);
        let found = launch(&operation, &kernel, &mut domain, Memory::new(&[], 0), 2, 0, Options::FORWARD);
        assert_eq!(found.reports, []);
        found.counts.total().shared_loads
    };
    let own = Shared { accesses: 2, wavefronts: 4, conflicts: 2, worst: 2, per_thread: 1 };
    assert_eq!(loads(it(None)), own);
    let both = Shared { accesses: 4, wavefronts: 4, conflicts: 0, worst: 1, per_thread: 1 };
    assert_eq!(loads(it(Some(Box::new(Expr::Thread.over(16))))), both);
}

/// Holds although other lanes of the warp end while these wait.
#[test]
fn threads_arrive_at_a_block_barrier_once() {
    let mut arrivals = 0;
    let mut watch = |event: &Event<'_>| arrivals += u32::from(*event.statement == BARRIER);
    let operation = sum();
    let leave = [8, 16].map(|lane| when(Expr::Thread.equals(lane), [Stmt::Exit]));
    let it = kernel(vec![Stmt::If(Expr::Thread.below(8), vec![BARRIER], leave.to_vec())]);
    let options = Options { trace: Some(&mut watch), ..Options::FORWARD };
    launch(&operation, &it, &mut Shapes::new(&operation), Memory::new(&[], 0), 1, 0, options);
    assert_eq!(arrivals, 1);
}

#[test]
fn everything_else_is_counted_where_it_is_executed() {
    let (mine, other) = (acc("mine"), acc("other"));
    let mut body = vec![Stmt::Note(Part::Fold, String::new())];
    body.extend(take("mine", Expr::Thread));
    body.extend([
        Stmt::Note(Part::Stage, String::new()),
        Stmt::Store(s(Expr::Thread), mine.get()),
        BARRIER,
        Stmt::Note(Part::Tree, String::new()),
        Stmt::Load(other.clone(), s(Expr::Thread)),
        Stmt::Barrier(Barrier::WARP),
        Stmt::Shuffle { into: acc("far"), value: other.get(), down: 1.into(), mask: FULL },
        when(Expr::Thread.below(8), [Stmt::Store(s(Expr::Thread), mine.get().combine(acc("far").get()))]),
        BARRIER,
    ]);
    let operation = sum();
    let inputs = Provenance::inputs(&operation, 64, true);
    let memory = Memory::new(&inputs, 0);
    let mut domain = Shapes::new(&operation);
    let found = launch(&operation, &wide(64, body), &mut domain, memory, 1, 64, Options::FORWARD).counts;
    let (total, tree) = (found.total(), found.part(Part::Tree));
    assert_eq!((total.block_barriers, total.barriers_per_block, total.warp_barriers), (2, 2, 2));
    assert_eq!((total.shuffles, total.divergent_branches), (2, 1));
    assert_eq!((tree.slots, tree.active), (32, 8));
    assert_eq!((total.slots, total.active), (32, 8));
    // One store, one load, and another store in eight threads.
    let per_thread = |it: &Counts| [it.shared_loads.per_thread, it.shared_stores.per_thread];
    assert_eq!((per_thread(&total), per_thread(tree)), ([1, 2], [1, 1]));
    assert_eq!(found.part(Part::Stage).shared_stores.accesses, 2);
    assert_eq!(found.part(Part::Fold).global_loads.bytes, 256);
}

#[test]
fn events_tell_what_is_executed() {
    let mut lines = Vec::new();
    let mut watch = |event: &Event<'_>| {
        lines.push(format!(
            "{:#x} {} {:?}",
            event.lanes,
            event.statement.to_string().lines().next().unwrap(),
            event.elements.first()
        ));
    };
    let operation = sum();
    let inputs = Provenance::inputs(&operation, 64, true);
    let test = Expr::Thread.below(4).and(Expr::Const(Value::of(true)));
    let it = kernel(vec![when(test, [Stmt::Store(s(Expr::Thread.plus(2)), Expr::Empty)])]);
    let options = Options { trace: Some(&mut watch), ..Options::FORWARD };
    let memory = Memory::new(&inputs, 0);
    launch(&operation, &it, &mut Shapes::new(&operation), memory, 1, 64, options);
    assert_eq!(
        lines,
        ["0xffffffff if (thread < 4) & true None", "0xf store s[thread + 2] = empty Some((0, 2))"]
    );
}

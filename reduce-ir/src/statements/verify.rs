//! The verifier of lowered kernels. A violation is a bug of this project.
//!
//! 1. A name is bound before it is used. While it is bound, nothing else has it: no other local, no parameter of the kernel,
//!    no constant, no shared array.
//! 2. Every expression has a type, which is the type that its place requires. Conditions are `bool`. Positions are `u64` in
//!    global and `u32` in shared memory. Arguments are those that the operation declares, with params and the number of elements
//!    where it names them. Arithmetic is on conditions and positions only, and only by operations that C++ computes as we do:
//!    there are no shifts, and no `not` of positions.
//! 3. Only variables are set.
//! 4. Every thread of the block reaches a barrier of a block or cluster, an exit and a vote: their conditions have the same
//!    value for all threads. Operations of a cluster are in kernels that have one. Its barriers, arrivals and waits are under no
//!    condition. A wait follows an arrival, with no barrier or other arrival between them. Blocks read each other's shared memory
//!    only after a wait or barrier of the cluster. The kernel has the cluster of the program.
//! 5. In the same way, every thread of the warp reaches a warp barrier, a redux and a shuffle. Their mask is the whole warp.
//! 6. Vectors are loaded from contiguous inputs only. They have a power of two of elements and at most 16 bytes. They are not
//!    copied. Only vectors are loaded unaligned.
//! 7. The kernel writes only partials, result and shared arrays, and reads only inputs (or items) and shared arrays. It declares
//!    its shared arrays. A tree in place also writes its items. A kernel that takes tickets writes them, and reads partials. If
//!    partials carry flags, they are posted and taken, and nothing else. An atomic combination of blocks is relaxed, at the scope
//!    of the grid, as the functions of CUDA are. Only the kernel that reads the inputs maps elements, and folds them by the
//!    operation's `fold` if it has one.
//! 8. Shared memory is as the program says. Constants are declared by the kernel and have the value of their formula. Steps
//!    belong to strided inputs that the kernel reads, and params to the operation. A kernel over partials gets the number of
//!    elements if the operation counts.
//! 9. Positions fit their types, for all numbers of elements and blocks: no sum or product of 32 bits wraps, and no value that
//!    may need 64 bits is converted to 32. The rule does not prove that differences are not negative: the interpreter reports a
//!    negative difference where it happens.
//! 10. A redux combines accumulators that the hardware supports, with positions of 32 bits if they have positions.
//! 11. A kernel that is dependent in the program waits for the previous launch first: under no condition, and before it touches
//!     memory, except to expect messages and to arrive. Only a kernel that triggers in the program lets the next launch begin.
//! 12. Messages go to an array that nothing else writes. A kernel has at most one such array. Messages are expected before the
//!     arrival, and are sent and received after the wait.
//! 13. Only kernels over segments have lists, report faults, and access offsets and tiles.

mod bounds;
mod constants;
mod expressions;
mod places;
mod segments;

use super::{
    Barrier, Buffer, Expr, FULL, Local, Loop, Lowered, LoweredKernel, MemoryOrder, Place, Shared, Stmt, Ty,
};
use crate::operation::Operation;
use crate::program::{Kernel, Program, Scope};
use crate::redux::Redux;
use std::collections::BTreeMap;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule} of the verifier of lowered kernels does not hold in {kernel}: {what}")]
pub struct Violation {
    /// The number of the rule in the documentation of this module.
    pub rule: u32,
    /// The kernel.
    pub kernel: &'static str,
    /// A description of the violation.
    pub what: String,
}

type Check = Result<(), Violation>;

impl Lowered {
    /// Checks every rule, for the program that was lowered to these kernels.
    ///
    /// # Errors
    /// The first broken rule, and where it is broken.
    pub fn verify(&self, program: &Program) -> Check {
        if self.kernels.len() != program.kernels.len() {
            let what = format!("{} kernels instead of {}", self.kernels.len(), program.kernels.len());
            return Err(Violation { rule: 8, kernel: "", what });
        }
        self.kernels.iter().zip(&program.kernels).try_for_each(|(lowered, kernel)| {
            let operation = &program.operation;
            let bytes = shared_bytes(lowered, operation);
            let mut verifier = Verifier {
                operation,
                redux: Redux::of(operation),
                kernel: lowered,
                steps: kernel,
                over: Over::Groups,
                arrived: false,
                cluster_runs: false,
                moved: BTreeMap::new(),
                scope: BTreeMap::new(),
            };
            verifier.ensure(4, lowered.cluster == kernel.cluster(), || {
                format!("the cluster size {} does not match the steps", lowered.cluster)
            })?;
            let first = lowered.body.iter().find(|stmt| !begins_cluster(stmt));
            let waits = first == Some(&Stmt::AwaitLaunch);
            verifier.ensure(8, lowered.domain == program.domain, || {
                format!("the domain {:?} does not match the program", lowered.domain)
            })?;
            verifier.ensure(11, [lowered.dependent, waits] == [kernel.dependent; 2], || {
                format!("`dependent` is {}, and the first statement waits: {waits}", lowered.dependent)
            })?;
            let sent = lowered.shared.iter().filter(|array| array.sent).count();
            verifier.ensure(12, sent <= 1, || format!("{sent} arrays receive messages; at most one may"))?;
            verifier.ensure(8, bytes == program.shared_bytes(kernel), || {
                format!("{bytes} bytes of shared memory do not match the steps")
            })?;
            for constant in &lowered.constants {
                let value = constants::formula(&constant.formula, lowered);
                verifier.ensure(8, value.is_none_or(|value| value == constant.value.into()), || {
                    format!("{} is {} instead of {}", constant.name, constant.value, constant.formula)
                })?;
            }
            verifier.body(&lowered.body, Uniform::Always)?;
            bounds::check(program, lowered)
                .or_else(|expr| verifier.ensure(9, false, || format!("`{expr}` may not fit its type")))
        })
    }
}

/// The threads for which a value is the same: all of the cluster, of the block, or of a warp, or one thread. The value of a
/// condition is `Cluster` at most; `Always` means that there is no condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Uniform {
    Thread,
    Warp,
    Block,
    Cluster,
    Always,
}

/// The known properties of a bound name.
#[derive(Clone, Copy)]
struct Binding {
    ty: Ty,
    mutable: bool,
    uniform: Uniform,
}

/// How the elements of a kernel form groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// As the domain says.
    Groups,
    /// As offsets say. A kernel that reads partials knows the number of elements of each segment.
    Segments,
    /// As keys say. A kernel reads the partials that it writes.
    Keys,
    /// None: the kernel finds runs of keys.
    Runs,
}

struct Verifier<'a> {
    operation: &'a Operation,
    /// How its accumulators are combined in one instruction, if the hardware can.
    redux: Option<Redux>,
    kernel: &'a LoweredKernel,
    /// The kernel that was lowered to it.
    steps: &'a Kernel,
    over: Over,
    /// Whether threads have arrived, and have not waited yet.
    arrived: bool,
    /// Whether all blocks of the cluster are known to run.
    cluster_runs: bool,
    /// The buffers whose pointers were moved, and the threads for which the pointer is the same.
    moved: BTreeMap<Buffer, Uniform>,
    scope: BTreeMap<String, Binding>,
}

impl Verifier<'_> {
    /// Checks a body under conditions that are the same for the threads `here`. Its names end with it.
    fn body(&mut self, stmts: &[Stmt], here: Uniform) -> Check {
        let outside = self.scope.clone();
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, here))?;
        self.scope = outside;
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, here: Uniform) -> Check {
        match stmt {
            Stmt::Note(..) | Stmt::Fence(..) => Ok(()),
            Stmt::Let(local, value) => self.value(local, value).and_then(|at| self.bind(local, false, at)),
            Stmt::Var(local, value) => {
                self.value(local, value).and_then(|_| self.bind(local, true, Uniform::Thread))
            }
            Stmt::Set(local, value) => self.set(local, value),
            Stmt::Move(buffer, by) => self.move_pointer(*buffer, by, here),
            Stmt::Load(local, place) => self.load(local, place),
            Stmt::LoadUnaligned(local, place) => {
                let vector = matches!(local.ty, Ty::Vector(..));
                self.ensure(6, vector, || format!("`{}` is not a vector", local.name))?;
                self.load(local, place)
            }
            Stmt::Store(place, value) => self.store(place, value),
            Stmt::Post(place, value) => {
                self.require_flags(stmt, place)?;
                self.expect(value, Ty::Acc)?;
                self.place(place).map(|_| ())
            }
            Stmt::Take(local, place) => {
                self.require_flags(stmt, place)?;
                let partial = local.ty == Ty::Acc;
                self.ensure(2, partial, || format!("`{}` is not a partial", local.name))?;
                self.place(place)?;
                self.bind(local, false, Uniform::Thread)
            }
            Stmt::Expect(array, messages) => {
                self.messages(stmt, array, !self.arrived && !self.cluster_runs)?;
                self.expect(messages, Ty::U32).map(|_| ())
            }
            Stmt::Send(place, value) => self.send(stmt, place, value),
            Stmt::Receive(array) => self.messages(stmt, array, self.cluster_runs),
            Stmt::Shuffle { into, value, down, mask } => {
                self.expect(value, Ty::Acc)?;
                self.ensure(2, value.ty() == Some(into.ty), || format!("`{value}` should be {}", into.ty))?;
                self.expect(down, Ty::U32)?;
                self.require_all_threads(5, here >= Uniform::Warp && *mask == FULL, stmt)?;
                self.bind(into, false, Uniform::Thread)
            }
            Stmt::Redux(acc, predicate) => {
                self.set(acc, &acc.get())?;
                let known = self.redux.is_some() && acc.ty == Ty::Acc;
                self.ensure(10, known, || format!("no redux instruction combines `{}`", acc.name))?;
                predicate.iter().try_for_each(|predicate| self.expect(predicate, Ty::BOOL).map(|_| ()))?;
                self.require_all_threads(5, here >= Uniform::Warp, stmt)
            }
            Stmt::Barrier(Barrier::Warp(mask)) => {
                self.require_all_threads(5, here >= Uniform::Warp && *mask == FULL, stmt)
            }
            Stmt::Barrier(Barrier::Cluster) | Stmt::Arrive | Stmt::Wait => {
                self.require_all_threads(4, here == Uniform::Always, stmt)?;
                self.alternate(stmt)
            }
            Stmt::Barrier(Barrier::Block) | Stmt::Exit => {
                self.require_all_threads(4, here >= Uniform::Block, stmt)
            }
            Stmt::AwaitLaunch => {
                self.ensure(11, self.kernel.dependent, || {
                    "the kernel waits for the previous launch without `dependent`".to_owned()
                })?;
                self.require_all_threads(11, here == Uniform::Always, stmt)
            }
            Stmt::TriggerLaunch => self.ensure(11, self.steps.trigger, || {
                "the kernel starts the next launch without `trigger`".to_owned()
            }),
            Stmt::Vote(into, value) => {
                self.ensure(2, into.ty == Ty::BOOL, || {
                    format!("`{}` must be bool to hold a vote", into.name)
                })?;
                self.expect(value, Ty::BOOL)?;
                self.require_all_threads(4, here >= Uniform::Block, stmt)?;
                self.bind(into, false, Uniform::Block)
            }
            Stmt::Clear(list) => self.list(list),
            Stmt::Append(list, value) => {
                self.list(list).and_then(|()| self.expect(value, Ty::U32).map(|_| ()))
            }
            Stmt::Length(local, list) => self.length(local, list),
            Stmt::Fault(segment) => self.fault(segment),
            Stmt::Turn { .. } => self.turn(stmt, here),
            Stmt::Ballot(..) | Stmt::Prefix { .. } => self.counts(stmt, here),
            Stmt::AtomicCombine { place, value, order, scope } => {
                self.atomic_combine(place, (*order, *scope))?;
                self.expect(value, Ty::Acc)?;
                self.place(place).map(|_| ())
            }
            Stmt::Atomic { into, place, value, .. } => self.take_ticket(into, place, value),
            Stmt::For(it) => self.counted_loop(it, here),
            Stmt::If(test, then, otherwise) => {
                let here = here.min(self.expect(test, Ty::BOOL)?);
                self.body(then, here)?;
                self.body(otherwise, here)
            }
        }
    }

    fn atomic_combine(&self, place: &Place, (order, scope): (MemoryOrder, Scope)) -> Check {
        let is_shared = matches!(place.buffer, Buffer::Shared(_));
        let legal = match self.over {
            Over::Keys => is_shared || place.buffer == Buffer::Partials,
            Over::Groups | Over::Segments | Over::Runs => {
                place.buffer == Buffer::Partials && self.steps.is_atomic()
            }
        };
        let wanted = if is_shared { Scope::Block } else { Scope::Grid };
        self.ensure(7, legal, || format!("an atomic on {place} is not allowed"))?;
        self.ensure(7, (order, scope) == (MemoryOrder::Relaxed, wanted), || {
            format!("the atomic must be relaxed at {wanted} scope, not {order} at {scope}")
        })
    }

    fn counted_loop(&mut self, it: &Loop, here: Uniform) -> Check {
        let ty = it.local.ty;
        self.ensure(2, [Ty::U32, Ty::U64].contains(&ty), || {
            format!("a loop counts in u32 or u64, not {ty}")
        })?;
        let uniform = self.expect(&it.from, ty)?;
        self.bind(&it.local, false, uniform)?;
        self.expect(&it.next, ty)?;
        let turns = self.expect(&it.test, Ty::BOOL)?.min(self.uniform(&it.next));
        self.body(&it.body, here.min(turns))?;
        self.scope.remove(&it.local.name);
        Ok(())
    }

    /// Checks that a pointer to items moves once, in all threads. Every address of the buffer then counts from there.
    fn move_pointer(&mut self, buffer: Buffer, by: &Expr, here: Uniform) -> Check {
        let of_items = matches!(buffer, Buffer::Input(_) | Buffer::Items) && self.element(buffer).is_some();
        let legal = of_items && here == Uniform::Always && self.kernel.domain.is_grouped();
        self.ensure(7, legal && !self.moved.contains_key(&buffer), || {
            format!("{buffer} cannot be moved by `{by}` here")
        })?;
        let uniform = self.expect(by, Ty::U64)?;
        self.moved.insert(buffer, uniform);
        Ok(())
    }

    fn take_ticket(&mut self, into: &Local, place: &Place, value: &Expr) -> Check {
        let legal = place.buffer == Buffer::Ticket && self.steps.has_ticket();
        self.ensure(7, legal, || format!("an atomic on {place} is not allowed"))?;
        self.ensure(2, into.ty == Ty::U32, || format!("`{}` must be u32 to hold a ticket", into.name))?;
        self.expect(value, Ty::U32)?;
        self.place(place)?;
        self.bind(into, false, Uniform::Thread)
    }

    /// Checks that arrivals and waits of a cluster alternate. A barrier does both, and must not come between them.
    fn alternate(&mut self, stmt: &Stmt) -> Check {
        let what = stmt.to_string();
        self.require_cluster(what.trim())?;
        let in_turn = self.arrived == (*stmt == Stmt::Wait);
        self.ensure(4, in_turn, || format!("`{}` does not alternate with its counterpart", what.trim()))?;
        self.arrived = *stmt == Stmt::Arrive;
        self.cluster_runs |= !self.arrived;
        Ok(())
    }

    /// Checks that the kernel has a cluster, which `what` needs.
    fn require_cluster(&self, what: &str) -> Check {
        self.ensure(4, self.kernel.cluster > 1, || format!("`{what}` needs a cluster"))
    }

    /// Checks a statement that all of its threads must reach.
    fn require_all_threads(&self, rule: u32, legal: bool, stmt: &Stmt) -> Check {
        self.ensure(rule, legal, || format!("some of the threads do not reach `{}`", stmt.to_string().trim()))
    }

    fn value(&self, local: &Local, value: &Expr) -> Result<Uniform, Violation> {
        let vector = matches!(local.ty, Ty::Vector(..));
        self.ensure(6, !vector, || format!("`{}` is a vector, which only a load can set", local.name))?;
        self.expect(value, local.ty)
    }

    fn bind(&mut self, local: &Local, mutable: bool, uniform: Uniform) -> Check {
        let taken = self.scope.contains_key(&local.name) || self.is_declared(&local.name);
        self.ensure(1, !taken, || format!("`{}` is bound twice", local.name))?;
        self.scope.insert(local.name.clone(), Binding { ty: local.ty, mutable, uniform });
        Ok(())
    }

    /// Returns whether it is the name of a parameter, a constant or a shared array of the kernel.
    fn is_declared(&self, name: &str) -> bool {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let parameter = stem.strip_suffix("_step").unwrap_or(name);
        ["items", "partials", "result", "n", "ticket", "elements"].contains(&name)
            || self.operation.inputs.iter().any(|input| input.name == parameter)
            || self.operation.params.iter().any(|param| param.name == name)
            || self.kernel.constants.iter().any(|it| it.name == name)
            || self.kernel.shared.iter().any(|it| it.name == name)
            || self.kernel.lists.iter().any(|it| it.name == name)
    }

    fn set(&self, local: &Local, value: &Expr) -> Check {
        let variable = self.scope.get(&local.name).is_some_and(|it| it.mutable && it.ty == local.ty);
        self.ensure(3, variable, || format!("`{}` is not a variable", local.name))?;
        self.value(local, value).map(|_| ())
    }

    fn ensure(&self, rule: u32, holds: bool, what: impl FnOnce() -> String) -> Check {
        if holds { Ok(()) } else { Err(Violation { rule, kernel: self.kernel.name, what: what() }) }
    }
}

/// Returns whether a statement may come before the wait for the previous launch.
fn begins_cluster(stmt: &Stmt) -> bool {
    if let Stmt::If(_, then, otherwise) = stmt {
        return then.iter().chain(otherwise).all(begins_cluster);
    }
    matches!(stmt, Stmt::Note(..) | Stmt::Let(..) | Stmt::Arrive | Stmt::Expect(..))
}

/// Returns the bytes of the arrays in shared memory.
fn shared_bytes(kernel: &LoweredKernel, operation: &Operation) -> usize {
    let bytes = |array: &Shared| {
        let (acc, len) = (&operation.acc, kernel.constant(array.len) as usize);
        if array.sent { Program::COUNT_OF_MESSAGES + len * 4 * acc.words() } else { len * acc.size() }
    };
    kernel.shared.iter().map(bytes).sum()
}

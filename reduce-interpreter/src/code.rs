//! Flat code: a kernel with names resolved to registers, constants folded and nested statements turned into jumps.

use super::op::{Elements, Op};
use super::setting::Setting;
use reduce_ir::statements::{Buffer, Chunk, Loop, LoweredKernel, Part, Place, Stmt, Ty};

/// The origin of an operation.
#[derive(Clone, Copy)]
pub(super) struct Source<'k> {
    pub(super) stmt: &'k Stmt,
    pub(super) part: Part,
    /// Whether the statement combines accumulators.
    pub(super) combines: bool,
}

/// A kernel as flat code, for one launch.
pub(super) struct Code<'k> {
    pub(super) kernel: &'k LoweredKernel,
    pub(super) ops: Vec<Op>,
    /// The origin of each operation.
    pub(super) sources: Vec<Source<'k>>,
    /// The number of registers of a thread, for scalars and for accumulators.
    pub(super) scalars: usize,
    pub(super) accs: usize,
    /// Whether blocks can communicate before they end.
    pub(super) concurrent: bool,
}

/// A statement that the verifier would have refused, and the reason.
pub(super) struct Malformed {
    pub(super) statement: String,
    pub(super) detail: String,
}

impl<'k> Code<'k> {
    /// Compiles a kernel for one launch.
    pub(super) fn new(kernel: &'k LoweredKernel, setting: &Setting<'k>) -> Result<Code<'k>, Malformed> {
        let malformed = |detail| Malformed { statement: String::new(), detail };
        setting.admits(kernel).map_err(malformed)?;
        let code = Code {
            kernel,
            ops: Vec::new(),
            sources: Vec::new(),
            scalars: 0,
            accs: 0,
            concurrent: kernel.cluster > 1,
        };
        let mut writer = Writer {
            code,
            setting,
            names: Vec::new(),
            moved: Vec::new(),
            scalars: 0,
            accs: 0,
            part: Part::Fold,
        };
        writer.body(&kernel.body)?;
        Ok(writer.code)
    }

    /// Returns the first line of the statement at a position.
    pub(super) fn text(&self, pc: usize) -> String {
        self.sources.get(pc).map_or_else(|| "end".to_owned(), |source| first_line(source.stmt))
    }
}

/// Returns the first line of a statement as it prints.
fn first_line(stmt: &Stmt) -> String {
    stmt.to_string().lines().next().unwrap_or_default().trim().to_owned()
}

/// The error for a vector that is not loaded.
const NOT_COPIED: &str = "a vector cannot be copied; load it instead";

/// A bound name: its type, and its register or first register.
#[derive(Clone, Copy)]
pub(super) struct Binding<'k> {
    pub(super) name: &'k str,
    pub(super) ty: Ty,
    pub(super) register: usize,
}

/// The compiler state: writes code, statement by statement.
pub(super) struct Writer<'k, 's> {
    code: Code<'k>,
    pub(super) setting: &'s Setting<'k>,
    pub(super) names: Vec<Binding<'k>>,
    /// The buffers whose pointers were moved, and the registers with the distances.
    pub(super) moved: Vec<(Buffer, usize)>,
    scalars: usize,
    accs: usize,
    part: Part,
}

impl<'k> Writer<'k, '_> {
    pub(super) fn kernel(&self) -> &'k LoweredKernel {
        self.code.kernel
    }

    /// Compiles a list of statements. The names and registers that they bind end with the list.
    fn body(&mut self, stmts: &'k [Stmt]) -> Result<(), Malformed> {
        let (names, scalars, accs) = (self.names.len(), self.scalars, self.accs);
        for stmt in stmts {
            let malformed = |detail| Malformed { statement: first_line(stmt), detail };
            match stmt {
                Stmt::Note(part, _) => self.part = *part,
                Stmt::If(_, then, otherwise) => {
                    let branch = self.branch(stmt).map_err(malformed)?;
                    self.body(then)?;
                    self.else_branch(branch, stmt, otherwise)?;
                }
                Stmt::For(it) => {
                    let loop_head = self.loop_head(stmt, it).map_err(malformed)?;
                    self.body(&it.body)?;
                    self.loop_end(loop_head, stmt, it).map_err(malformed)?;
                }
                Stmt::Let(..) | Stmt::Var(..) | Stmt::Set(..) | Stmt::Move(..) => {
                    self.simple(stmt).map_err(malformed)?
                }
                Stmt::Load(..)
                | Stmt::LoadUnaligned(..)
                | Stmt::Store(..)
                | Stmt::Post(..)
                | Stmt::Take(..)
                | Stmt::Expect(..)
                | Stmt::Send(..)
                | Stmt::Receive(_) => {
                    self.simple(stmt).map_err(malformed)?;
                }
                Stmt::Shuffle { .. } | Stmt::Redux(..) | Stmt::Barrier(_) | Stmt::Fence(..) | Stmt::Exit => {
                    self.simple(stmt).map_err(malformed)?;
                }
                Stmt::Atomic { .. } | Stmt::AtomicCombine { .. } => self.simple(stmt).map_err(malformed)?,
                Stmt::Arrive | Stmt::Wait | Stmt::Vote(..) => self.simple(stmt).map_err(malformed)?,
                Stmt::AwaitLaunch | Stmt::TriggerLaunch => self.simple(stmt).map_err(malformed)?,
                Stmt::Ballot(..) | Stmt::Prefix { .. } => self.simple(stmt).map_err(malformed)?,
                Stmt::Clear(_) | Stmt::Append(..) | Stmt::Length(..) | Stmt::Fault(_) | Stmt::Turn { .. } => {
                    self.simple(stmt).map_err(malformed)?
                }
            }
        }
        self.names.truncate(names);
        (self.scalars, self.accs) = (scalars, accs);
        Ok(())
    }

    pub(super) fn push(&mut self, stmt: &'k Stmt, op: Op) -> usize {
        let combines = match &op {
            Op::Acc { value, .. } | Op::StoreAcc { value, .. } => value.combines(),
            Op::Shuffle { value, .. } | Op::Post { value, .. } | Op::Send { value, .. } => value.combines(),
            Op::AtomicCombine { .. } | Op::Redux { .. } => true,
            Op::Scalar { .. } | Op::Branch { .. } | Op::Jump(_) | Op::Elements { .. } => false,
            Op::LoadAcc { .. } | Op::LoadTicket { .. } | Op::StoreTicket { .. } | Op::Barrier(_) => false,
            Op::Fence(..) | Op::Atomic { .. } | Op::Take { .. } | Op::Exit => false,
            Op::Expect { .. } | Op::Receive => false,
            Op::LoadNumber { .. } | Op::StoreNumber { .. } | Op::Clear(_) | Op::Append { .. } => false,
            Op::Length { .. } | Op::Fault(_) | Op::Turn { .. } => false,
            Op::Ballot { .. } | Op::Prefix { .. } => false,
            Op::Arrive | Op::Wait | Op::Vote { .. } | Op::AwaitLaunch | Op::TriggerLaunch => false,
        };
        self.code.ops.push(op);
        self.code.sources.push(Source { stmt, part: self.part, combines });
        self.code.ops.len() - 1
    }

    /// Writes a branch whose target is not known yet.
    fn branch(&mut self, stmt: &'k Stmt) -> Result<usize, String> {
        let Stmt::If(test, ..) = stmt else { return Err("no test".to_owned()) };
        let test = self.scalar(test, Ty::BOOL)?;
        Ok(self.push(stmt, Op::Branch { test, otherwise: 0 }))
    }

    fn else_branch(&mut self, branch: usize, stmt: &'k Stmt, body: &'k [Stmt]) -> Result<(), Malformed> {
        if body.is_empty() {
            self.patch_jump(branch);
            return Ok(());
        }
        let skip = self.push(stmt, Op::Jump(0));
        self.patch_jump(branch);
        self.body(body)?;
        self.patch_jump(skip);
        Ok(())
    }

    /// Sets the target of the jump at `from` to the next operation.
    fn patch_jump(&mut self, from: usize) {
        let next = self.code.ops.len();
        if let Op::Jump(target) | Op::Branch { otherwise: target, .. } = &mut self.code.ops[from] {
            *target = next;
        }
    }

    /// Writes the start of a loop: its counter, and the branch that leaves it.
    fn loop_head(&mut self, stmt: &'k Stmt, it: &'k Loop) -> Result<usize, String> {
        if ![Ty::U32, Ty::U64].contains(&it.local.ty) {
            return Err(format!("a loop counts in u32 or u64, not {}", it.local.ty));
        }
        let value = self.scalar(&it.from, it.local.ty)?;
        let into = self.bind(&it.local.name, it.local.ty)?;
        self.push(stmt, Op::Scalar { into, value });
        let test = self.scalar(&it.test, Ty::BOOL)?;
        Ok(self.push(stmt, Op::Branch { test, otherwise: 0 }))
    }

    fn loop_end(&mut self, loop_head: usize, stmt: &'k Stmt, it: &'k Loop) -> Result<(), String> {
        let value = self.scalar(&it.next, it.local.ty)?;
        let into = self.binding(&it.local)?.register;
        self.push(stmt, Op::Scalar { into, value });
        self.push(stmt, Op::Jump(loop_head));
        self.patch_jump(loop_head);
        // The counter ends with the loop.
        self.names.pop();
        Ok(())
    }

    /// Compiles a statement that contains no other statements.
    fn simple(&mut self, stmt: &'k Stmt) -> Result<(), String> {
        let op = match stmt {
            Stmt::Let(local, value) | Stmt::Var(local, value) => match local.ty {
                Ty::Acc | Ty::Output => {
                    let value = self.acc(value, local.ty)?;
                    Op::Acc { into: self.bind(&local.name, local.ty)?, value }
                }
                Ty::Scalar(_) => {
                    let value = self.scalar(value, local.ty)?;
                    Op::Scalar { into: self.bind(&local.name, local.ty)?, value }
                }
                Ty::Vector(..) => return Err(NOT_COPIED.to_owned()),
            },
            Stmt::Set(local, value) => {
                let into = self.binding(local)?.register;
                match local.ty {
                    Ty::Acc | Ty::Output => Op::Acc { into, value: self.acc(value, local.ty)? },
                    Ty::Scalar(_) => Op::Scalar { into, value: self.scalar(value, local.ty)? },
                    Ty::Vector(..) => return Err(NOT_COPIED.to_owned()),
                }
            }
            Stmt::Move(buffer, by) => {
                let value = self.scalar(by, Ty::U64)?;
                let into = self.bind("", Ty::U64)?;
                self.moved.push((*buffer, into));
                Op::Scalar { into, value }
            }
            Stmt::Load(local, place) => self.load(&local.name, local.ty, place)?,
            Stmt::LoadUnaligned(local, place) => self.load_unaligned(&local.name, local.ty, place)?,
            Stmt::Store(place, value) if place.buffer == Buffer::Ticket => {
                Op::StoreTicket { index: self.ticket(place)?, value: self.scalar(value, Ty::U32)? }
            }
            Stmt::Store(place, value) => self.stored(place, value)?,
            Stmt::Clear(_)
            | Stmt::Append(..)
            | Stmt::Length(..)
            | Stmt::Fault(_)
            | Stmt::Ballot(..)
            | Stmt::Prefix { .. }
            | Stmt::Turn { .. } => self.of_segments(stmt)?,
            Stmt::Post(place, value) => {
                Op::Post { at: self.flagged_place(place)?, value: self.acc(value, Ty::Acc)? }
            }
            Stmt::Take(local, place) => {
                let at = self.flagged_place(place)?;
                Op::Take { into: self.bind(&local.name, Ty::Acc)?, at }
            }
            Stmt::Expect(array, messages) => {
                self.check_message_array(array)?;
                Op::Expect { messages: self.scalar(messages, Ty::U32)? }
            }
            Stmt::Send(place, value) => {
                let Buffer::Shared(array) = place.buffer else {
                    return Err(format!("{place} cannot receive a message; send it to shared memory"));
                };
                self.check_message_array(array)?;
                Op::Send { at: self.place(place)?, value: self.acc(value, Ty::Acc)? }
            }
            Stmt::Receive(array) => {
                self.check_message_array(array)?;
                Op::Receive
            }
            Stmt::Shuffle { into, value, down, mask } => {
                let (value, down) = (self.acc(value, Ty::Acc)?, self.scalar(down, Ty::U32)?);
                Op::Shuffle { into: self.bind(&into.name, Ty::Acc)?, value, down, mask: *mask }
            }
            Stmt::Redux(acc, predicate) => {
                let (register, predicate) = (self.binding(acc)?.register, predicate.as_ref());
                let predicate = predicate.map(|predicate| self.scalar(predicate, Ty::BOOL)).transpose()?;
                Op::Redux { acc: register, predicate }
            }
            Stmt::Exit => Op::Exit,
            Stmt::Arrive => Op::Arrive,
            Stmt::Wait => Op::Wait,
            Stmt::AwaitLaunch => Op::AwaitLaunch,
            Stmt::TriggerLaunch => Op::TriggerLaunch,
            Stmt::Vote(local, value) => {
                let value = self.scalar(value, Ty::BOOL)?;
                let into = self.bind(&local.name, Ty::BOOL)?;
                self.push(stmt, Op::Scalar { into, value });
                Op::Vote { into }
            }
            Stmt::Barrier(barrier) => Op::Barrier(*barrier),
            Stmt::Fence(order, scope) => Op::Fence(*order, *scope),
            Stmt::Atomic { into, op, place, value, order, scope } => {
                let (index, value) = (self.ticket(place)?, self.scalar(value, Ty::U32)?);
                let into = self.bind(&into.name, Ty::U32)?;
                Op::Atomic { into, op: *op, index, value, order: *order, scope: *scope }
            }
            Stmt::AtomicCombine { place, value, order, scope } => {
                let (at, value) = (self.place(place)?, self.acc(value, Ty::Acc)?);
                Op::AtomicCombine { at, value, order: *order, scope: *scope }
            }
            Stmt::Note(..) | Stmt::If(..) | Stmt::For(_) => {
                return Err("bug: the statement contains others".to_owned());
            }
        };
        let ordered = matches!(op, Op::Fence(..) | Op::Atomic { .. } | Op::AtomicCombine { .. });
        self.code.concurrent |= ordered || matches!(op, Op::Post { .. } | Op::Take { .. });
        self.push(stmt, op);
        Ok(())
    }

    fn load(&mut self, name: &'k str, ty: Ty, place: &'k Place) -> Result<Op, String> {
        if let Some((array, index)) = self.number(place)? {
            return Ok(Op::LoadNumber { into: self.bind(name, ty)?, array, index });
        }
        match (place.buffer, ty) {
            (Buffer::Input(input), Ty::Scalar(_) | Ty::Vector(..)) => {
                let count = if let Ty::Vector(_, count) = ty { count } else { 1 };
                let element = self.setting.operation.inputs.get(input).map(|it| it.ty);
                let (Ty::Scalar(wanted) | Ty::Vector(wanted, _)) = ty else {
                    return Err(format!("{ty} cannot be loaded from {}", place.buffer));
                };
                let whole = count.is_power_of_two() && count as usize * wanted.size() <= 16;
                if element != Some(wanted) || !whole {
                    return Err(format!("{ty} cannot be loaded from {}", place.buffer));
                }
                let index = self.scalar(&place.index, Ty::U64)?;
                let index = self.after_move(place.buffer, index);
                let elements = Elements { input, count, unaligned: None };
                Ok(Op::Elements { into: self.bind(name, ty)?, elements, index })
            }
            (Buffer::Ticket, Ty::U32) => {
                let index = self.ticket(place)?;
                Ok(Op::LoadTicket { into: self.bind(name, ty)?, index })
            }
            (Buffer::Items | Buffer::Partials | Buffer::Shared(_), Ty::Acc) if ty == Ty::Acc => {
                let at = self.place(place)?;
                Ok(Op::LoadAcc { into: self.bind(name, ty)?, at })
            }
            (Buffer::Result, Ty::Output) => {
                let at = self.place(place)?;
                Ok(Op::LoadAcc { into: self.bind(name, ty)?, at })
            }
            _ => Err(format!("{ty} cannot be loaded from {}", place.buffer)),
        }
    }

    fn load_unaligned(&mut self, name: &'k str, ty: Ty, place: &'k Place) -> Result<Op, String> {
        let mut op = self.load(name, ty, place)?;
        match (&mut op, ty) {
            (Op::Elements { elements, .. }, Ty::Vector(ty, lanes)) => {
                elements.unaligned = Some(Chunk::of(ty, lanes));
                Ok(op)
            }
            _ => Err(format!("`{name}` is not a vector")),
        }
    }

    /// Assigns a name its register, or registers.
    pub(super) fn bind(&mut self, name: &'k str, ty: Ty) -> Result<usize, String> {
        if !name.is_empty() && self.names.iter().any(|it| it.name == name) {
            return Err(format!("`{name}` is bound twice"));
        }
        let (next, most, count) = match ty {
            Ty::Acc | Ty::Output => (&mut self.accs, &mut self.code.accs, 1),
            Ty::Scalar(_) => (&mut self.scalars, &mut self.code.scalars, 1),
            Ty::Vector(_, count) => (&mut self.scalars, &mut self.code.scalars, count as usize),
        };
        let register = *next;
        *next += count;
        *most = (*most).max(*next);
        self.names.push(Binding { name, ty, register });
        Ok(register)
    }
}

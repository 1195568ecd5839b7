//! A function as an evaluator runs it: which registers its lines read and write.

use crate::{Lanes, SHARED};
use reduce_ir::func::{Func, Id, Node};
use std::collections::BTreeSet;

/// A line that is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) node: Node,
    operands: [Place; 3],
    count: usize,
    /// The register of its result.
    pub(super) out: usize,
    /// Do all lanes of that hold one value?
    pub(super) uniform: bool,
    /// Is there a block of that?
    pub(super) spread: bool,
}

impl Instruction {
    pub(super) fn operands(&self) -> &[Place] {
        &self.operands[..self.count]
    }
}

/// Where lanes lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: At,
    /// Do all of them hold one value? Of that there is a block, which stands for every block; or one lane, where only such values
    /// follow from it.
    pub(super) uniform: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Param(usize),
    Register(usize),
}

/// The instructions of a function, in order, and what they need.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) instructions: Vec<Instruction>,
    /// Each constant, each value that all lanes share, and of others as few as do, so that they stay in the innermost caches.
    pub(super) registers: Vec<Lanes>,
    /// Of each parameter and line.
    places: Vec<Place>,
    /// Registers that no later line reads.
    free: Vec<usize>,
}

impl Code {
    /// Of a function, where all lanes of the parameters that are `uniform` hold one value.
    pub(super) fn of(func: &Func, uniform: &[bool]) -> Code {
        debug_assert_eq!(func.params().len(), uniform.len());
        let mut code = Code::default();
        let param = |(k, &uniform)| Place { at: At::Param(k), uniform };
        code.places.extend(uniform.iter().enumerate().map(param));
        let last = last_uses(func);
        for (i, line) in func.lines().iter().enumerate() {
            if let Node::Const(value) = line.node {
                code.hold(Lanes::splat(value, SHARED));
            } else {
                code.compute(line.node, Lanes::empty(line.ty));
            }
            // Only now, as no operation reads where it writes.
            line.node.operands().filter(|id| last[id.0 as usize] == Some(i)).for_each(|id| code.release(id));
        }
        code.spread(func);
        code
    }

    /// Which values that all lanes share have to be a block: of what only others follow from, one lane is enough.
    fn spread(&mut self, func: &Func) {
        let differ =
            self.instructions.iter().filter(|it| !it.uniform).flat_map(Instruction::operands).copied();
        let results = func.results().iter().map(|&id| self.place(id));
        let read: Vec<_> = differ.chain(results).map(|place| place.at).collect();
        for it in self.instructions.iter_mut().filter(|it| it.uniform) {
            it.spread = read.contains(&At::Register(it.out));
        }
    }

    /// Bytes that a lane takes in the registers, where it differs from others.
    pub(super) fn lane_bytes(&self) -> usize {
        let differ = self.instructions.iter().filter(|it| !it.uniform);
        let registers: BTreeSet<_> = differ.map(|it| it.out).collect();
        registers.into_iter().map(|register| self.registers[register].ty().size()).sum()
    }

    /// Where a parameter or line lies.
    pub(super) fn place(&self, Id(id): Id) -> Place {
        self.places[id as usize]
    }

    fn hold(&mut self, constant: Lanes) {
        let at = At::Register(self.add(constant));
        self.places.push(Place { at, uniform: true });
    }

    fn compute(&mut self, node: Node, register: Lanes) {
        let (mut operands, mut count) = ([Place { at: At::Param(0), uniform: true }; 3], 0);
        for (to, id) in operands.iter_mut().zip(node.operands()) {
            (*to, count) = (self.place(id), count + 1);
        }
        let uniform = operands[..count].iter().all(|operand| operand.uniform);
        let idle = |&free: &usize| self.registers[free].ty() == register.ty();
        let out = match self.free.iter().position(idle).filter(|_| !uniform) {
            Some(free) => self.free.swap_remove(free),
            None => self.add(register),
        };
        self.instructions.push(Instruction { node, operands, count, out, uniform, spread: false });
        self.places.push(Place { at: At::Register(out), uniform });
    }

    fn add(&mut self, register: Lanes) -> usize {
        self.registers.push(register);
        self.registers.len() - 1
    }

    /// No later line reads it.
    fn release(&mut self, id: Id) {
        if let Place { at: At::Register(register), uniform: false } = self.place(id)
            && !self.free.contains(&register)
        {
            self.free.push(register);
        }
    }
}

/// For each parameter and line the line that reads it last; none for results, which are read later.
fn last_uses(func: &Func) -> Vec<Option<usize>> {
    let mut last = vec![None; func.params().len() + func.lines().len()];
    for (i, line) in func.lines().iter().enumerate() {
        line.node.operands().for_each(|id| last[id.0 as usize] = Some(i));
    }
    func.results().iter().for_each(|id| last[id.0 as usize] = None);
    last
}

//! Evaluates a [`Func`] on lanes. The same evaluator serves host backend and interpreter.

use crate::Value;
use crate::func::{Func, Id, Node};
use crate::lanes::{self, LaneError, Lanes, LanesRef};
use crate::library;

/// A function with the registers to evaluate it, kept between calls so that nothing is allocated twice.
#[derive(Clone, Debug)]
pub struct Evaluator {
    func: Func,
    registers: Vec<Lanes>,
}

impl Evaluator {
    /// An evaluator of `func`.
    pub fn new(func: &Func) -> Evaluator {
        let func = library::written_out(func);
        let registers = func.lines().iter().map(|line| Lanes::empty(line.ty)).collect();
        Evaluator { func, registers }
    }

    /// Applies the function to `args`, one vector for each parameter, all of one length (`len`).
    /// The results stay readable through [`Evaluator::result`] until the next call.
    pub fn run(&mut self, args: &[LanesRef<'_>], len: usize) -> Result<(), LaneError> {
        for i in 0..self.registers.len() {
            let (done, rest) = self.registers.split_at_mut(i);
            let Some(out) = rest.first_mut() else { continue };
            line(self.func.lines()[i].node, args, done, out, len)?;
        }
        Ok(())
    }

    /// How many results the function has.
    pub fn results(&self) -> usize {
        self.func.results().len()
    }

    /// The `k`-th result of the last call, which had those arguments.
    pub fn result<'a>(&'a self, k: usize, args: &[LanesRef<'a>]) -> LanesRef<'a> {
        operand(self.func.results()[k], args, &self.registers)
    }

    /// Exchanges `lanes` with the register of the `k`-th result, or copies it where the result is an argument.
    pub fn take_result(&mut self, k: usize, args: &[LanesRef<'_>], lanes: &mut Lanes) {
        let Id(id) = self.func.results()[k];
        let shared = self.func.results().iter().filter(|other| other.0 == id).count() > 1;
        match (id as usize).checked_sub(args.len()) {
            Some(register) if !shared => std::mem::swap(&mut self.registers[register], lanes),
            _ => {
                lanes.clear();
                lanes.extend(operand(Id(id), args, &self.registers));
            }
        }
    }

    /// Applies the function to single values.
    ///
    /// # Errors
    /// `args` have not the types of the parameters.
    pub fn run_once(&mut self, args: &[Value]) -> Result<Vec<Value>, LaneError> {
        let args: Vec<_> = args.iter().map(|&value| Lanes::splat(value, 1)).collect();
        let args: Vec<_> = args.iter().map(Lanes::borrow).collect();
        if !self.func.params().iter().map(|param| param.ty).eq(args.iter().map(|arg| arg.ty())) {
            return lanes::bug("call", &args);
        }
        self.run(&args, 1)?;
        Ok((0..self.func.results().len()).map(|k| self.result(k, &args).get(0)).collect())
    }
}

fn operand<'a>(Id(id): Id, args: &[LanesRef<'a>], registers: &'a [Lanes]) -> LanesRef<'a> {
    let id = id as usize;
    args.get(id).copied().unwrap_or_else(|| registers[id - args.len()].borrow())
}

fn line(
    node: Node,
    args: &[LanesRef<'_>],
    done: &[Lanes],
    out: &mut Lanes,
    len: usize,
) -> Result<(), LaneError> {
    let get = |id| operand(id, args, done);
    match node {
        Node::Const(value) => {
            out.resize(len);
            out.fill(value);
            Ok(())
        }
        Node::Un(op, a) => lanes::un(op, get(a), out),
        Node::Bin(op, a, b) => lanes::bin(op, get(a), get(b), out),
        Node::Cmp(op, a, b) => lanes::cmp(op, get(a), get(b), out),
        Node::Select(c, a, b) => lanes::select(get(c), get(a), get(b), out),
        Node::Cast(_, a) => lanes::cast(get(a), out),
        Node::MulAdd(a, b, c) => lanes::mul_add(get(a), get(b), get(c), out),
    }
}

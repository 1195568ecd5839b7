//! Evaluates a [`Func`] on lanes. The same evaluator serves host backend and interpreter.

mod join;

pub use join::Joiner;

use crate::Value;
use crate::func::{Func, Id, Node};
use crate::lanes::{self, LaneError, Lanes, LanesRef, Loops};
use crate::library;

/// A function with the registers to evaluate it, kept between calls so that nothing is allocated twice.
#[derive(Clone, Debug)]
pub struct Evaluator {
    func: Func,
    registers: Vec<Lanes>,
    /// For each parameter and line: do all its lanes hold one value?
    uniform: Vec<bool>,
    /// And are all of them read, as by what differs from lane to lane?
    read: Vec<bool>,
    /// Of the lines for which that is so, a single lane.
    single: Vec<Lanes>,
    loops: Loops,
}

impl Evaluator {
    /// An evaluator of `func`, for every processor.
    pub fn new(func: &Func) -> Evaluator {
        Evaluator::with(func, Loops::default())
    }

    /// An evaluator of `func` that calls those loops.
    pub fn with(func: &Func, loops: Loops) -> Evaluator {
        let func = library::written_out(func);
        let registers: Vec<_> = func.lines().iter().map(|line| Lanes::empty(line.ty)).collect();
        let uniform = vec![false; func.params().len() + registers.len()];
        let read = vec![true; uniform.len()];
        Evaluator { func, single: registers.clone(), registers, uniform, read, loops }
    }

    /// The same, for calls in which all lanes of each of these parameters (`true`) hold one value: what follows from them alone is
    /// computed once, and only [`Evaluator::run_into`] gives results of that.
    pub fn with_uniform(mut self, params: &[bool]) -> Evaluator {
        debug_assert_eq!(params.len(), self.func.params().len());
        self.uniform = params.to_vec();
        for line in self.func.lines() {
            let known = line.node.operands().all(|id| self.uniform[id.0 as usize]);
            self.uniform.push(known);
        }
        let of_lanes = self.func.lines().iter().zip(&self.uniform[params.len()..]);
        let differing = of_lanes.filter(|(_, uniform)| !**uniform).flat_map(|(line, _)| line.node.operands());
        // Results that are parameters are read where these lie.
        let given = self.func.results().iter().copied().filter(|&id| self.func.line(id).is_none());
        self.read.fill(false);
        differing.chain(given).for_each(|id| self.read[id.0 as usize] = true);
        self
    }

    /// Are all lanes of that parameter read, and not only the first one?
    pub fn reads_lanes(&self, param: usize) -> bool {
        !self.uniform[param] || self.read[param]
    }

    /// Applies the function to `args`, one vector for each parameter, all of one length (`len`).
    /// The results stay readable through [`Evaluator::result`] until the next call.
    ///
    /// # Errors
    /// `args` have not the types of the parameters.
    pub fn run(&mut self, args: &[LanesRef<'_>], len: usize) -> Result<(), LaneError> {
        self.run_on(|k| args[k], len)
    }

    /// [`Evaluator::run`], on the lanes that `arg` gives for the `k`-th parameter.
    ///
    /// # Errors
    /// They have not the types of the parameters.
    pub fn run_on<'a>(&mut self, arg: impl Fn(usize) -> LanesRef<'a>, len: usize) -> Result<(), LaneError> {
        let params = self.func.params().len();
        for (i, line) in self.func.lines().iter().enumerate() {
            let (done, rest) = self.registers.split_at_mut(i);
            let Some(out) = rest.first_mut() else { continue };
            if let Node::Const(value) = line.node {
                out.hold(value, len);
                continue;
            }
            let uniform = self.uniform[params + i];
            let width = if uniform { len.min(1) } else { len };
            let to = if uniform { &mut self.single[i] } else { out };
            let mut operands = [LanesRef::Bool(&[]); 3];
            let mut count = 0;
            for (to, id) in operands.iter_mut().zip(line.node.operands()) {
                *to = operand(id, params, &arg, done, width);
                count += 1;
            }
            (self.loops.apply)(line.node, &operands[..count], to)?;
            if uniform && len > 0 {
                let lanes = if self.read[params + i] { len } else { 1 };
                self.registers[i].hold(self.single[i].get(0), lanes);
            }
        }
        Ok(())
    }

    /// How many results the function has.
    pub fn results(&self) -> usize {
        self.func.results().len()
    }

    /// The `k`-th result of the last call, which had those arguments.
    pub fn result<'a>(&'a self, k: usize, args: &[LanesRef<'a>]) -> LanesRef<'a> {
        self.result_on(k, |k| args[k], args.first().map_or(usize::MAX, |arg| arg.len()))
    }

    /// [`Evaluator::run_on`], and each result into one vector of `out`.
    ///
    /// # Errors
    /// The lanes have not the types of the parameters.
    pub fn run_into<'a>(
        &mut self,
        arg: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
        out: &mut [Lanes],
    ) -> Result<(), LaneError> {
        self.run_on(&arg, len)?;
        out.iter_mut().enumerate().for_each(|(k, out)| self.take(k, &arg, len, out));
        Ok(())
    }

    fn result_on<'r, 'a: 'r>(
        &'r self,
        k: usize,
        arg: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
    ) -> LanesRef<'r> {
        operand(self.func.results()[k], self.func.params().len(), &arg, &self.registers, len)
    }

    /// Exchanges `out` with the register of the `k`-th result, or writes it where the result is an argument, one value for all lanes,
    /// or another result as well.
    fn take<'a>(&mut self, k: usize, arg: impl Fn(usize) -> LanesRef<'a>, len: usize, out: &mut Lanes) {
        if let Some(register) = self.own_register(k) {
            std::mem::swap(&mut self.registers[register], out);
            return;
        }
        if let Some((_, value)) = self.uniform_result(k) {
            out.resize(len);
            out.fill(value);
            return;
        }
        out.clear();
        (self.loops.append)(self.result_on(k, arg, len), out);
    }

    /// The register that holds the `k`-th result and nothing else.
    fn own_register(&self, k: usize) -> Option<usize> {
        let results = self.func.results();
        let shared = results.iter().filter(|&&other| other == results[k]).count() > 1;
        let line = self.func.line(results[k])?;
        let held = matches!(line.node, Node::Const(_)) || self.uniform[results[k].0 as usize];
        let owned = !shared && !held;
        owned.then(|| results[k].0 as usize - self.func.params().len())
    }

    /// The register of the `k`-th result, and its value, if one was computed for all lanes.
    fn uniform_result(&self, k: usize) -> Option<(usize, Value)> {
        let id = self.func.results()[k];
        let line = self.func.line(id)?;
        let register = id.0 as usize - self.func.params().len();
        let computed = self.uniform[id.0 as usize] && !matches!(line.node, Node::Const(_));
        (computed && !self.single[register].is_empty()).then(|| (register, self.single[register].get(0)))
    }

    /// Makes the `k`-th result of the last call readable, if it is one value for all of so many lanes.
    fn spread(&mut self, k: usize, len: usize) {
        if let Some((register, value)) = self.uniform_result(k) {
            self.registers[register].hold(value, len);
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

/// The first `len` lanes of a parameter or register.
fn operand<'r, 'a: 'r>(
    Id(id): Id,
    params: usize,
    arg: &impl Fn(usize) -> LanesRef<'a>,
    registers: &'r [Lanes],
    len: usize,
) -> LanesRef<'r> {
    let id = id as usize;
    let lanes = if id < params { arg(id) } else { registers[id - params].borrow() };
    lanes.slice(0..len.min(lanes.len()))
}

//! Evaluates a [`Func`] on lanes. The same evaluator serves host backend and interpreter.

mod accumulator;
mod code;

pub use accumulator::Accumulator;

use crate::{LaneError, Lanes, LanesRef, Loops, SHARED};
use code::{At, Code, Place};
use reduce_ir::Value;
use reduce_ir::func::Func;

/// A function with the registers to evaluate it, kept between calls so that nothing is allocated twice.
#[derive(Clone, Debug)]
pub struct Evaluator {
    func: Func,
    code: Code,
    results: Vec<Place>,
    loops: Loops,
}

impl Evaluator {
    /// An evaluator of `func`, for every processor.
    pub fn new(func: &Func) -> Evaluator {
        Evaluator::with(func, &vec![false; func.params().len()], Loops::default())
    }

    /// An evaluator of `func` that calls those loops. All lanes of each of the parameters that are `uniform` hold one value: what
    /// follows from them alone is computed once for all lanes, and they are given by a block of [`SHARED`] lanes, or all there are.
    pub fn with(func: &Func, uniform: &[bool], loops: Loops) -> Evaluator {
        let (func, code) = (func.clone(), Code::of(func, uniform));
        let results = func.results().iter().map(|&id| code.place(id)).collect();
        Evaluator { func, code, results, loops }
    }

    /// Bytes that a lane takes in the registers, where it differs from others.
    pub fn lane_bytes(&self) -> usize {
        self.code.lane_bytes()
    }

    /// Applies the function to `len` lanes of what `arg` gives for the `k`-th parameter, and calls `between` behind each operation.
    /// The results stay where they are until the next call.
    ///
    /// # Errors
    /// The lanes have not the types of the parameters.
    fn run<'a>(
        &mut self,
        arg: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
        mut between: impl FnMut(),
    ) -> Result<(), LaneError> {
        for it in &self.code.instructions {
            let width = if it.uniform { len.min(1) } else { len };
            let (before, rest) = self.code.registers.split_at_mut(it.out);
            let Some((out, after)) = rest.split_first_mut() else { continue };
            if out.len() != width {
                out.resize(width);
            }
            let mut operands = [LanesRef::Bool(&[]); 3];
            for (to, from) in operands.iter_mut().zip(it.operands()) {
                *to = match from.at {
                    At::Param(k) => arg(k),
                    At::Register(place) if place < before.len() => before[place].borrow(),
                    At::Register(place) => after[place - before.len() - 1].borrow(),
                };
                shorten(to, width, from.uniform);
            }
            (self.loops.apply)(it.node, &operands[..it.operands().len()], out)?;
            if it.spread {
                out.repeat(SHARED);
            }
            between();
        }
        Ok(())
    }

    /// Applies the function to `len` lanes of what `arg` gives for the `k`-th parameter: each result into one vector of `out`.
    ///
    /// # Errors
    /// The lanes have not the types of the parameters.
    pub fn run_into<'a>(
        &mut self,
        arg: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
        out: &mut [Lanes],
    ) -> Result<(), LaneError> {
        self.run(&arg, len, || ())?;
        out.iter_mut().enumerate().for_each(|(k, out)| self.take(k, &arg, len, out));
        Ok(())
    }

    /// The `k`-th result of the last call, which had those arguments: `len` lanes, or a block of one value.
    fn result<'r, 'a: 'r>(
        &'r self,
        k: usize,
        arg: impl Fn(usize) -> LanesRef<'a>,
        len: usize,
    ) -> LanesRef<'r> {
        let Place { at, uniform } = self.results[k];
        let mut lanes = match at {
            At::Param(k) => arg(k),
            At::Register(register) => self.code.registers[register].borrow(),
        };
        shorten(&mut lanes, len, uniform);
        lanes
    }

    /// Exchanges `out` with the register of the `k`-th result, or writes it where the result is an argument, one value for all lanes,
    /// or another result as well.
    fn take<'a>(&mut self, k: usize, arg: impl Fn(usize) -> LanesRef<'a>, len: usize, out: &mut Lanes) {
        let Place { at, uniform } = self.results[k];
        if let (At::Register(register), false) = (at, uniform)
            && self.results.iter().filter(|result| result.at == at).count() == 1
        {
            std::mem::swap(&mut self.code.registers[register], out);
            return;
        }
        out.clear();
        (self.loops.append)(self.result(k, arg, len), len, out);
    }

    /// Applies the function to single values.
    ///
    /// # Errors
    /// `args` have not the types of the parameters.
    pub fn run_once(&mut self, args: &[Value]) -> Result<Vec<Value>, LaneError> {
        let args: Vec<_> = args.iter().map(|&value| Lanes::splat(value, 1)).collect();
        if !self.func.params().iter().map(|param| param.ty).eq(args.iter().map(Lanes::ty)) {
            let args: Vec<_> = args.iter().map(Lanes::borrow).collect();
            return crate::bug("call", &args);
        }
        let arg = |k: usize| args[k].borrow();
        self.run(arg, 1, || ())?;
        Ok((0..self.results.len()).map(|k| self.result(k, arg, 1).get(0)).collect())
    }
}

/// To the first `len` lanes, or to a block of one value. In place: to move a vector just made takes longer than to make it.
#[inline(always)]
fn shorten(lanes: &mut LanesRef<'_>, len: usize, uniform: bool) {
    let len = if uniform { len.min(SHARED).min(lanes.len()) } else { len };
    if lanes.len() != len {
        *lanes = lanes.slice(0..len);
    }
}

//! The program that finds runs of equal neighbouring keys, on a GPU. Three launches run it:
//!
//! 1. `mark_heads` reads all keys. It writes a bit for each: whether a run begins there. It counts the runs that begin in each tile of keys.
//! 2. `count_heads`, one block, sums the counts of the tiles before each tile.
//! 3. `write_heads` writes the position and the key of the first element of each run.
//!
//! No values are read, and no order shows: the positions are the offsets of [segments](crate::segments).

use crate::cuda::cuda_kernels;
use crate::error::Error;
use crate::lower::runs::{KERNELS, lower};
use reduce_ir::func::{FuncBuilder, Param};
use reduce_ir::operation::{Measures, Operation, Order, Record};
use reduce_ir::ops::{Bin, Cmp, TypeError, Un};
use reduce_ir::statements::Lowered;
use reduce_ir::{Scalar, Value};

/// A program that finds runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heads {
    /// The operation whose `key` says whether a run begins at a key, from this key and the one before.
    pub operation: Operation,
    /// The type of the offsets: `u32` or `u64`.
    pub offsets: Scalar,
}

impl Heads {
    /// The names of the kernels, in the order of their launches.
    pub const KERNELS: [&str; 3] = KERNELS;

    /// The threads of a block of each launch.
    pub const BLOCKS: [u32; 3] = [Heads::BLOCK, 1024, Heads::BLOCK];

    /// The threads of a block that reads keys or marks.
    pub(crate) const BLOCK: u32 = 256;

    /// The keys of a tile: a word of marks for each thread.
    pub const TILE: u32 = 32 * Heads::BLOCK;

    /// The most elements.
    pub(crate) const MOST: u64 = 1 << 43;

    /// Compiles the program for keys of a type. Keys are equal if their bits are, and −0 equals +0.
    ///
    /// # Errors
    /// A bug of this project.
    pub fn of(key: Scalar, offsets: Scalar) -> Result<Heads, Error> {
        let operation = operation(key).map_err(|_| Error::NoKeys)?;
        Ok(Heads { operation, offsets })
    }

    /// Returns the type in which keys are compared and copied: their bits.
    pub fn bits(key: Scalar) -> Scalar {
        match key.size() {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            _ => Scalar::U64,
        }
    }

    /// Returns the number of tiles of n keys.
    pub fn tiles(n: u64) -> u64 {
        n.div_ceil(Heads::TILE.into())
    }

    /// Returns the number of blocks of each launch.
    pub fn grids(n: u64) -> [u64; 3] {
        [Heads::tiles(n), 1, Heads::tiles(n)]
    }

    /// Returns the CUDA C++ of its kernels.
    ///
    /// # Errors
    /// The statements break a rule of the verifier: a bug.
    pub fn cuda(&self) -> Result<String, Error> {
        Ok(self.header() + &cuda_kernels(&self.operation, &self.lower()?.kernels))
    }

    /// Returns the comment at the head of the kernels: everything needed to launch them.
    fn header(&self) -> String {
        let ([mark, count, write], [few, many, _]) = (Heads::KERNELS, Heads::BLOCKS);
        let (key, words, tile) = (self.operation.inputs[0].ty, Heads::BLOCK, Heads::TILE);
        let offsets = self.offsets;
        format!(
            "\
// runs of equal neighbouring keys, which are compared by their bits, of type {key}; emitted by reducegen
//
// launch     {mark}<<<count, {few}>>>(key, tiles, marks, n)
//            {count}<<<1, {many}>>>(offsets, tiles, n)
//            {write}<<<count, {few}>>>(key, offsets, tiles, marks, keys, n)
//                with count = (n - 1) / {tile} + 1
// workspace  count + 1 words of 64 bits in tiles, {words} * count words of 32 bits in marks
// result     tiles[count] is the number of runs; their keys are in keys, and one more {offsets} in offsets: where each begins, then n
"
        )
    }

    /// Returns the statements of its kernels, verified.
    ///
    /// # Errors
    /// The statements break a rule of the verifier: a bug.
    pub fn lower(&self) -> Result<Lowered, Error> {
        lower(self)
    }
}

/// Returns an operation that counts runs.
fn operation(key: Scalar) -> Result<Operation, TypeError> {
    let ty = Heads::bits(key);
    let inputs = vec![Param::new("key", ty), Param::new("before", ty)];
    let mut f = FuncBuilder::new(inputs.clone());
    let [this, before] = [f.params()[0], f.params()[1]];
    let mut same = f.cmp(Cmp::Eq, this, before)?;
    if key.is_float() {
        let magnitude = f.constant(Value::from_bits(ty, (1 << (8 * ty.size() - 1)) - 1));
        let either = f.bin(Bin::Or, this, before)?;
        let (bits, zero) = (f.bin(Bin::And, either, magnitude)?, f.constant(Value::from_bits(ty, 0)));
        let zeros = f.cmp(Cmp::Eq, bits, zero)?;
        same = f.bin(Bin::Or, same, zeros)?;
    }
    let begins = f.un(Un::Not, same)?;
    let begins = f.cast(Scalar::U32, begins)?;
    let key = f.build(vec![begins]);
    let acc = Record::scalar(Scalar::U32);
    let mut sum = FuncBuilder::new([acc.params("a"), acc.params("b")].concat());
    let [a, b] = [sum.params()[0], sum.params()[1]];
    let both = sum.bin(Bin::Add, a, b)?;
    let itself = FuncBuilder::new(acc.params("acc"));
    let unchanged = itself.params();
    Ok(Operation {
        name: "runs".to_owned(),
        inputs,
        params: Vec::new(),
        measures: Measures::default(),
        index: Operation::INDEX.to_owned(),
        position: Scalar::U64,
        map: key.clone(),
        key: Some(key),
        combine: sum.build(vec![both]),
        fold: None,
        identity: Some(vec![Value::of(0u32)]),
        fill: Some(vec![Value::of(0u32)]),
        commutative: true,
        exact: true,
        named: true,
        searches: Vec::new(),
        order: Order::Fixed,
        finish: itself.build(unchanged),
        output: acc.clone(),
        empty: None,
        nothing: None,
        asserts: false,
        acc,
    })
}

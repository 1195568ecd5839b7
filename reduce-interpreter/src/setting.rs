//! The setting of a launch: its size, its memory, and the addresses of its buffers.

use super::domain::Acc;
use reduce_ir::Value;
use reduce_ir::operation::Operation;
use reduce_ir::statements::{Buffer, LoweredKernel, Shared, Ty};
use reduce_lanes::Lanes;

/// An input and its address.
#[derive(Clone, Debug)]
pub struct Input {
    /// The elements, in the representation of the domain. For a strided input, they include the skipped elements.
    pub elements: Lanes,
    /// The distance of the first of them from a multiple of 256 bytes, in elements.
    pub offset: u64,
    /// The index in `elements` of the first element of the reduction. The kernel gets a pointer to it.
    pub first: u64,
    /// The distances along the axes of the domain, kept axes first; negative for a reduction backwards. Kernels of a contiguous
    /// domain do not read them.
    pub steps: Vec<i64>,
}

impl Input {
    /// Creates a contiguous input, at a multiple of 256 bytes or one element after one.
    pub fn new(elements: Lanes, aligned: bool) -> Input {
        Input { elements, offset: u64::from(!aligned), first: 0, steps: vec![1] }
    }
}

/// The global memory of a launch. `None` is a place that nothing has written.
#[derive(Clone, Debug)]
pub struct Memory<'a> {
    /// The inputs.
    pub inputs: &'a [Input],
    /// The partials that the kernel reads.
    pub items: Vec<Option<Acc>>,
    /// The start of `items`, in bytes after a multiple of 256.
    pub items_at: u64,
    /// The partials that the kernel writes.
    pub partials: Vec<Option<Acc>>,
    /// The start of `partials`, in bytes after a multiple of 256.
    pub partials_at: u64,
    /// The accumulators of the results, one for each group.
    pub results: Vec<Option<Acc>>,
    /// The tickets.
    pub ticket: Vec<u32>,
    /// The number of elements of the whole reduction, for a kernel over partials.
    pub elements: u64,
    /// The offsets that cut the elements into segments.
    pub offsets: &'a [u64],
    /// The first segment of each tile.
    pub tiles: Vec<Option<u64>>,
    /// For each tile: 0, or the number of the segment with several partials that begins there, plus 1.
    pub long_segments: Vec<Option<u64>>,
    /// For each 32 keys, whether a run begins at each of them.
    pub marks: Vec<Option<u64>>,
    /// The offsets of runs.
    pub heads: Vec<Option<u64>>,
    /// The bits of the keys of runs.
    pub keys: Vec<Option<u64>>,
    /// The number of segments.
    pub number: Vec<Option<u64>>,
    /// The least segment whose offsets are wrong, or `u64::MAX`.
    pub fault: u64,
}

impl<'a> Memory<'a> {
    /// Creates the memory for inputs: no items, room for `partials` partials, and a ticket of 0.
    pub fn new(inputs: &'a [Input], partials: usize) -> Memory<'a> {
        Memory {
            inputs,
            items: Vec::new(),
            items_at: 0,
            partials: vec![None; partials],
            partials_at: 0,
            results: vec![None],
            ticket: vec![0],
            elements: 0,
            offsets: &[],
            tiles: Vec::new(),
            long_segments: Vec::new(),
            marks: Vec::new(),
            heads: Vec::new(),
            keys: Vec::new(),
            number: Vec::new(),
            fault: u64::MAX,
        }
    }
}

/// The properties of a launch that the expressions of a kernel can read.
pub(super) struct Setting<'a> {
    pub(super) operation: &'a Operation,
    pub(super) inputs: &'a [Input],
    pub(super) grid: u64,
    pub(super) items: u64,
    pub(super) groups: u64,
    /// The lengths of the axes, kept axes first.
    pub(super) sizes: &'a [u64],
    pub(super) elements: u64,
    pub(super) params: &'a [Value],
    pub(super) items_at: u64,
    pub(super) partials_at: u64,
    pub(super) offsets: &'a [u64],
}

/// The maximum shared memory of a block over all devices, in bytes.
const SHARED: u64 = 227 << 10;

/// The maximum number of blocks of a launch on any device.
const BLOCKS: u64 = (1 << 31) - 1;

impl Setting<'_> {
    /// Checks that a device could launch the kernel: threads, clusters and shared memory within the limits, and a
    /// whole number of clusters.
    pub(super) fn admits(&self, kernel: &LoweredKernel) -> Result<(), String> {
        let (block, cluster) = (kernel.block, kernel.cluster);
        if !(1..=1024).contains(&block) || !(1..=16).contains(&cluster) {
            return Err(format!(
                "a block has 1 to 1024 threads and a cluster 1 to 16 blocks, not {block} and {cluster}"
            ));
        }
        if !self.grid.is_multiple_of(cluster.into()) || self.grid > BLOCKS {
            return Err(format!(
                "a grid has whole clusters of {cluster} and at most {BLOCKS} blocks, not {}",
                self.grid
            ));
        }
        let size = self.operation.acc.size() as u64;
        let of = |array: &Shared| u64::from(kernel.constant(array.len)) * size;
        let lists = kernel.lists.iter().map(|it| 4 * (1 + u64::from(kernel.constant(it.most))));
        let bytes = kernel.shared.iter().map(of).sum::<u64>() + lists.sum::<u64>();
        if bytes > SHARED {
            return Err(format!("the kernel uses {bytes} bytes of shared memory; the limit is {SHARED}"));
        }
        Ok(())
    }

    /// Returns the start of a buffer, in bytes after a multiple of 256.
    pub(super) fn base(&self, buffer: Buffer) -> u64 {
        match buffer {
            Buffer::Input(input) => self.inputs.get(input).map_or(0, |it| it.offset * self.element(input)),
            Buffer::Items => self.items_at,
            Buffer::Partials => self.partials_at,
            Buffer::Result | Buffer::Ticket | Buffer::Shared(_) => 0,
            Buffer::Offsets(_) | Buffer::Tiles | Buffer::LongSegments | Buffer::List(_) => 0,
            Buffer::Marks | Buffer::Keys(_) | Buffer::Number => 0,
        }
    }

    /// Returns the address that the kernel gets for a buffer. For an input, it is the address of the first element of
    /// the reduction.
    pub(super) fn pointer(&self, buffer: Buffer) -> u64 {
        let Buffer::Input(input) = buffer else { return self.base(buffer) };
        self.base(buffer) + self.first(input) * self.element(input)
    }

    /// Returns the index of the first element of the reduction in the elements of an input.
    pub(super) fn first(&self, input: usize) -> u64 {
        self.inputs.get(input).map_or(0, |it| it.first)
    }

    /// Returns the size of an item of a buffer in bytes.
    pub(super) fn item(&self, buffer: Buffer) -> u64 {
        if let Buffer::Input(input) = buffer { self.element(input) } else { self.operation.acc.size() as u64 }
    }

    /// Returns the size of an element of an input in bytes.
    pub(super) fn element(&self, input: usize) -> u64 {
        self.operation.inputs.get(input).map_or(1, |it| it.ty.size() as u64)
    }

    /// Returns the bits of a scalar param of the call, and checks its type.
    pub(super) fn param(&self, param: usize, ty: Ty) -> Result<u64, String> {
        let given = self.params.get(param).filter(|it| Ty::Scalar(it.ty()) == ty);
        given.map(|it| it.bits()).ok_or_else(|| format!("param {param} is missing or is not {ty}"))
    }

    /// Returns the distance between neighbours along an axis of an input.
    pub(super) fn step(&self, input: usize, axis: usize) -> Result<i64, String> {
        let input = self.inputs.get(input).ok_or_else(|| format!("there is no input {input}"))?;
        input.steps.get(axis).copied().ok_or_else(|| format!("there is no axis {axis}"))
    }

    /// Returns the length of an axis.
    pub(super) fn size(&self, axis: usize) -> Result<u64, String> {
        self.sizes.get(axis).copied().ok_or_else(|| format!("there is no axis {axis}"))
    }
}

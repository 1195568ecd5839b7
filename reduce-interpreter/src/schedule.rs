//! Schedules: how the interpreter makes the choices that a GPU is free to make.

/// One way to make the choices. A correct kernel has the same result and no report under every schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The order of the warps.
    pub warps: Warps,
    /// The order of the lanes of a divergent warp.
    pub branches: Branches,
    /// This block is held back until every other block has ended or waits, so that it takes a ticket last.
    pub last: Option<u64>,
}

/// The order of the warps of the blocks in flight, and of the start of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warps {
    /// The next warp in order, cyclically.
    Forward,
    /// The previous warp in order, cyclically.
    Backward,
    /// A random warp from this seed, for a random number of statements.
    Random(u64),
}

/// The order of the lanes of a divergent warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branches {
    /// The lanes that are furthest behind: `then` before `else`. Lanes meet again at the end of a branch or loop,
    /// as compilers arrange it.
    Converging,
    /// The lanes that are furthest ahead: `else` before `then`. Lanes that leave a loop run on, and meet others
    /// only at barriers and shuffles. With random warps, random lanes.
    Diverging,
}

impl Schedule {
    /// Blocks, warps and lanes in order: the schedule for counts.
    pub const FORWARD: Schedule =
        Schedule { warps: Warps::Forward, branches: Branches::Converging, last: None };

    /// Returns the schedules for tests of a launch of `grid` blocks: both orders of warps and two random ones, each
    /// with both orders of branches. More schedules hold back one block as the last one: every block of up to
    /// eight, or the first, the middle and the final one.
    pub fn all(grid: u64) -> Vec<Schedule> {
        let orders = [Warps::Forward, Warps::Backward, Warps::Random(1), Warps::Random(2)];
        let both = [Branches::Converging, Branches::Diverging];
        let free = orders.into_iter().flat_map(|warps| both.map(|branches| (warps, branches, None)));
        let late = match grid {
            0 | 1 => Vec::new(),
            2..=8 => (0..grid).collect(),
            _ => vec![0, grid / 2, grid - 1],
        };
        let held =
            late.into_iter().map(|block| (Warps::Random(block), both[block as usize % 2], Some(block)));
        free.chain(held).map(|(warps, branches, last)| Schedule { warps, branches, last }).collect()
    }
}

/// Random numbers by SplitMix64 (Steele, Lea and Flood 2014).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns a number below `bound`, which must not be 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

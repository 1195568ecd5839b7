//! How the choices that a GPU is free to make are made.

/// One way to make the choices. Whatever it is, a correct kernel gives the same result and no report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Which warp goes next.
    pub warps: Warps,
    /// Which lanes of a divergent warp go next.
    pub branches: Branches,
    /// This block is held back until every other block has ended or waits: it takes a ticket last.
    pub last: Option<u64>,
}

/// Which warp, of the blocks in flight, goes next; also which block starts next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warps {
    /// The next one in order, round and round.
    Forward,
    /// The one before, round and round.
    Backward,
    /// Any, by this seed, and for any number of statements.
    Random(u64),
}

/// Which lanes of a divergent warp go next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branches {
    /// Those that are furthest behind: `then` before `else`, and lanes meet again at the end of a branch or
    /// loop, as compilers arrange it.
    Converging,
    /// Those that are furthest ahead: `else` before `then`; lanes that leave a loop run on, and meet others
    /// at barriers and shuffles only. Any lanes, where the warps are random.
    Diverging,
}

impl Schedule {
    /// Blocks, warps and lanes in order: the schedule of counts.
    pub const FORWARD: Schedule =
        Schedule { warps: Warps::Forward, branches: Branches::Converging, last: None };

    /// The schedules that tests run a launch of so many blocks under: both orders of warps and two random
    /// ones, each with both orders of branches; and with every block as the last one, if there are at most
    /// eight, else with the first, the middle and the final one.
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

/// Random numbers: SplitMix64 (Steele, Lea and Flood 2014).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

//! The goals on an H200: the least ratio of a peer's time to ours, by group of reductions, number of elements, and mode. For
//! shapes, by group only.
//!
//! These numbers are written nowhere else.

use super::cases::Group;
use super::table::{Mode, Peer};
use std::ops::RangeInclusive;

/// The least ratio to one peer in each mode, for some groups and sizes.
struct Goal {
    groups: &'static [Group],
    /// Binary logarithms of the number of elements.
    sizes: RangeInclusive<u32>,
    peer: Peer,
    graph: f64,
    stream: f64,
}

const ANY: RangeInclusive<u32> = 0..=63;
const FLAT: &[Group] = &[Group::Flat, Group::Position];

const GOALS: [Goal; 19] = [
    goal(&[Group::Flat], 28..=63, Peer::Cub, 1.01, 1.01),
    goal(&[Group::Flat], 28..=63, Peer::Read, 0.99, 0.99),
    goal(&[Group::Position], 28..=63, Peer::Cub, 1.00, 1.00),
    goal(&[Group::Position], 28..=63, Peer::Read, 0.95, 0.95),
    goal(FLAT, 21..=27, Peer::Cub, 1.00, 1.02),
    goal(FLAT, 18..=20, Peer::Cub, 0.98, 1.20),
    goal(FLAT, 13..=17, Peer::Cub, 1.15, 1.80),
    goal(FLAT, 0..=12, Peer::Cub, 1.00, 1.00),
    goal(&[Group::Narrow], ANY, Peer::Cub, 1.05, 1.05),
    goal(&[Group::Narrow], ANY, Peer::Read, 0.97, 0.97),
    goal(&[Group::Wide], ANY, Peer::Cub, 1.00, 1.00),
    goal(&[Group::Welford], ANY, Peer::Cub, 1.05, 1.05),
    goal(&[Group::LogSumExp], 28..=63, Peer::Cub, 1.15, 1.15),
    goal(&[Group::LogSumExp], 0..=27, Peer::Cub, 1.00, 1.00),
    goal(&[Group::Describe], ANY, Peer::Cub, 3.00, 3.00),
    goal(&[Group::Fixed], ANY, Peer::Cub, 1.40, 1.40),
    goal(&[Group::Closure], ANY, Peer::Cub, 1.00, 1.00),
    goal(&[Group::Named], ANY, Peer::Beside, 0.99, 0.99),
    goal(&[Group::Misaligned], ANY, Peer::Beside, 0.95, 0.95),
];

/// The least ratio of the time of a read to ours, for shapes. Others have no goal.
const OF_READ: [(Group, f64); 9] = [
    (Group::ShortRows, 0.90),
    (Group::MediumRows, 0.93),
    (Group::LongRows, 0.96),
    (Group::PositionRows, 0.95),
    (Group::WelfordRows, 0.90),
    (Group::LogSumExpRows, 0.93),
    (Group::Columns, 0.93),
    (Group::Nhwc, 0.90),
    (Group::Rgb, 0.80),
];
/// The least ratio of the time of every other peer to ours, for all shapes.
const OF_PEERS: f64 = 0.98;

/// For misaligned elements narrower than 4 bytes.
const MISALIGNED_NARROW: f64 = 0.85;
/// The ratio to PyTorch and torch.compile, in every cell.
const TORCH: f64 = 1.00;

const fn goal(
    groups: &'static [Group],
    sizes: RangeInclusive<u32>,
    peer: Peer,
    graph: f64,
    stream: f64,
) -> Goal {
    Goal { groups, sizes, peer, graph, stream }
}

/// Returns the least ratio of the time of `peer` to ours for shapes of `group`, if there is a goal.
pub(crate) fn least_of_shapes(group: Group, peer: Peer) -> Option<f64> {
    match peer {
        Peer::Ours | Peer::Beside => None,
        Peer::Read => OF_READ.iter().find(|(of, _)| *of == group).map(|(_, goal)| *goal),
        Peer::Cub | Peer::Eager | Peer::Compiled => Some(OF_PEERS),
    }
}

/// Returns the least ratio of the time of `peer` to ours for n elements of `group`, if there is a goal.
pub(crate) fn least(group: Group, n: u64, peer: Peer, mode: Mode) -> Option<f64> {
    match (group, peer) {
        (_, Peer::Eager | Peer::Compiled) => return Some(TORCH),
        (Group::MisalignedNarrow, Peer::Beside) => return Some(MISALIGNED_NARROW),
        _ => {}
    }
    let met = |goal: &&Goal| {
        goal.groups.contains(&group) && goal.sizes.contains(&n.max(1).ilog2()) && goal.peer == peer
    };
    GOALS.iter().find(met).map(|goal| if mode == Mode::Graph { goal.graph } else { goal.stream })
}

//! Reports about threads that wait for ever.

use super::block::{Block, Cluster};
use super::machine::Machine;
use super::report::{Kind, ThreadId};
use super::warp::{Group, Warp, each};

/// The launch stopped before its end, and a report says why.
pub(super) struct Stopped;

impl Machine<'_, '_> {
    /// Stops a launch when a warp exceeds the limit of statements: it waits for something that never happens.
    pub(super) fn check_statement_limit(
        &mut self,
        cluster: &Cluster,
        rank: usize,
        warp: usize,
    ) -> Result<(), Stopped> {
        let limit = self.setting.items.saturating_mul(64).saturating_add(1 << 20).min(1 << 30);
        let block = &cluster.blocks[rank];
        let warp = &block.warps[warp];
        let Some(group) = warp.groups.first().filter(|_| warp.executed > limit) else { return Ok(()) };
        let threads = threads(block, warp, group).collect();
        let detail = format!("a warp has not ended after {limit} statements");
        self.add(Kind::Deadlock, group.pc, threads, detail);
        Err(Stopped)
    }

    /// Reports a cluster whose threads wait and cannot continue. They wait at block or cluster barriers that other
    /// threads do not reach, or also at warp barriers and shuffles.
    pub(super) fn stuck(&mut self, cluster: &Cluster) -> Result<(), Stopped> {
        let blocks = cluster.blocks.iter();
        let warps = blocks.flat_map(|block| block.warps.iter().map(move |warp| (block, warp)));
        let all = warps.flat_map(|(block, warp)| warp.groups.iter().map(move |group| (block, warp, group)));
        let waiting: Vec<_> = all.filter(|(.., group)| group.waits).collect();
        let mut places: Vec<_> = waiting.iter().map(|(.., group)| group.pc).collect();
        places.sort_unstable();
        places.dedup();
        let Some((&pc, elsewhere)) = places.split_first() else { return Err(Stopped) };
        let here = waiting.iter().filter(|(.., group)| group.pc == pc);
        let here: Vec<_> = here.flat_map(|(block, warp, group)| threads(block, warp, group)).collect();
        let who = here.first().map_or_else(String::new, ToString::to_string);
        let detail =
            format!("{who} waits there ({} threads in total), and {}", here.len(), self.others(elsewhere));
        let kind = if places.iter().all(|&pc| self.is_wide(pc)) { Kind::Divergence } else { Kind::Deadlock };
        self.add(kind, pc, here, detail);
        Err(Stopped)
    }

    fn others(&self, places: &[usize]) -> String {
        let places: Vec<_> = places.iter().map(|&pc| format!("`{}`", self.code.text(pc))).collect();
        if places.is_empty() {
            "the others have ended".to_owned()
        } else {
            format!("others wait at {}", places.join(" and "))
        }
    }
}

fn threads(block: &Block, warp: &Warp, group: &Group) -> impl Iterator<Item = ThreadId> {
    let (block, first) = (block.number, warp.thread(0));
    each(group.lanes).map(move |lane| ThreadId { block, thread: first + lane as u32 })
}

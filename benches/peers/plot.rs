//! A plot of ratios over sizes.

use super::cases::Group;
use super::chart::{Line, RIGHT, Scale, WIDTH, chart};
use super::goals;
use super::table::{Mode, Peer, Row, Table};

/// Plots CUB's time over ours for every case that has a goal at every size.
pub(crate) fn ratios(table: &Table, mode: Mode) -> String {
    let title = format!("CUB's time / ours, {mode}: above 1 we are faster");
    chart(&title, &table.machine.gpu, &lines(table, mode), |scale| goal(scale, mode))
}

fn lines(table: &Table, mode: Mode) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let shown = |row: &&Row| row.peer == Peer::Cub && row.mode == mode && plotted(&row.case);
    for row in table.rows.iter().filter(shown) {
        let Some(ratio) = row.ratio else { continue };
        let point = ((row.n as f64).log2(), ratio.median);
        match lines.iter_mut().find(|line| line.name == row.case) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name: &row.case, points: vec![point] }),
        }
    }
    lines
}

fn plotted(case: &str) -> bool {
    let groups = [Group::Flat, Group::Position];
    super::cases::CASES.iter().any(|it| it.name == case && groups.contains(&it.group))
}

/// Draws the goal at each size.
fn goal(scale: &Scale, mode: Mode) -> String {
    let (first, last) = (scale.sizes.0 as u32, scale.sizes.1 as u32);
    let at = |size| {
        let least = goals::least(Group::Flat, 1u64 << size, Peer::Cub, mode).unwrap_or(1.0);
        (f64::from(size), least.clamp(scale.ratios.0, scale.ratios.1))
    };
    // The goal changes halfway between two sizes.
    let ends = |(size, least): (f64, f64)| [(size - 0.5, least), (size + 0.5, least)];
    let inside = |(size, least): (f64, f64)| (size.clamp(scale.sizes.0, scale.sizes.1), least);
    let points: Vec<_> = (first..=last).map(at).flat_map(ends).map(inside).collect();
    let end = points.last().map_or(1.0, |point| point.1);
    format!(
        "<polyline class=\"goal\" points=\"{}\"/>\n<text x=\"{}\" y=\"{:.1}\">goal</text>\n",
        scale.path(&points),
        WIDTH - RIGHT + 4.0,
        scale.y(end) + 4.0
    )
}

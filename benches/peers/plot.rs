//! A plot of ratios over sizes as SVG, for light and dark pages.

use super::cases::Group;
use super::goals;
use super::table::{Mode, Peer, Row, Table};
use std::fmt::Write;

/// The sizes of the picture and of the plot in it, in pixels.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 48.0;
/// Colours that can be told apart on white and on black, also with colour vision deficiency (after Okabe and Ito).
pub(super) const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a6fdf", "#7f7f7f"];
pub(super) const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#444}.grid{stroke:#8886;stroke-width:1}\
    .one{stroke:#888;stroke-width:1.5}.goal{stroke:#888;stroke-width:1.5;stroke-dasharray:5 4;fill:none}.line{stroke-width:2;fill:none}\
    .title{font-size:15px;font-weight:600}@media(prefers-color-scheme:dark){text{fill:#ccc}}";

/// A line of the plot.
struct Line<'a> {
    name: &'a str,
    /// The binary logarithm of n, and the ratio.
    points: Vec<(f64, f64)>,
}

/// Maps sizes and ratios to pixels.
struct Scale {
    sizes: (f64, f64),
    ratios: (f64, f64),
}

impl Scale {
    fn of(lines: &[Line<'_>]) -> Scale {
        let points = || lines.iter().flat_map(|line| &line.points);
        let least = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::NEG_INFINITY, f64::max);
        let ratios = (least(|point| point.1).min(0.9), most(|point| point.1).max(1.1));
        Scale {
            sizes: (least(|point| point.0), most(|point| point.0)),
            ratios: ((ratios.0 * 10.0).floor() / 10.0, (ratios.1 * 10.0).ceil() / 10.0),
        }
    }

    fn x(&self, size: f64) -> f64 {
        let (least, most) = self.sizes;
        LEFT + (size - least) / (most - least).max(1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, ratio: f64) -> f64 {
        let (least, most) = self.ratios;
        TOP + (most - ratio) / (most - least) * (HEIGHT - TOP - BOTTOM)
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let point = |&(size, ratio): &(f64, f64)| format!("{:.1},{:.1}", self.x(size), self.y(ratio));
        points.iter().map(point).collect::<Vec<_>>().join(" ")
    }
}

/// Plots CUB's time over ours for every case that has a goal at every size.
pub(crate) fn ratios(table: &Table, mode: Mode) -> String {
    let lines = lines(table, mode);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n<style>{STYLE}</style>\n\
         <text class=\"title\" x=\"{LEFT}\" y=\"24\">CUB's time / ours, {mode}: above 1 we are faster</text>\n"
    );
    if lines.is_empty() {
        let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{TOP}\">no size was measured against CUB</text>");
    } else {
        let scale = Scale::of(&lines);
        svg.push_str(&axes(&scale, &table.machine.gpu));
        svg.push_str(&goal(&scale, mode));
        lines.iter().zip(0..).for_each(|(line, place)| svg.push_str(&drawn(&scale, line, place)));
    }
    svg + "</svg>\n"
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

/// Draws the lines and numbers of the grid.
fn axes(scale: &Scale, gpu: &str) -> String {
    let mut svg = String::new();
    let (end, floor) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let step = step(scale.ratios.1 - scale.ratios.0);
    let first = (scale.ratios.0 / step).ceil() as u32;
    let last = (scale.ratios.1 / step).floor() as u32;
    for tick in first..=last {
        let (ratio, y) = (f64::from(tick) * step, scale.y(f64::from(tick) * step));
        let class = if (ratio - 1.0).abs() < step / 2.0 { "one" } else { "grid" };
        let _ =
            writeln!(svg, "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{ratio:.1}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    for size in (scale.sizes.0 as u32..=scale.sizes.1 as u32).filter(|size| size.is_multiple_of(2)) {
        let x = scale.x(f64::from(size));
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">2<tspan dy=\"-5\" font-size=\"9\">{size}</tspan></text>",
            floor + 20.0
        );
    }
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\">elements; {}</text>", floor + 40.0, escaped(gpu));
    svg
}

/// Returns the distance between lines of the grid, for about eight of them.
fn step(range: f64) -> f64 {
    [0.1, 0.2, 0.5].into_iter().find(|step| range / step < 10.0).unwrap_or(1.0)
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

/// Draws a line with its dots, and its name next to the plot.
fn drawn(scale: &Scale, line: &Line<'_>, place: usize) -> String {
    let colour = COLOURS[place % COLOURS.len()];
    let mut svg =
        format!("<polyline class=\"line\" stroke=\"{colour}\" points=\"{}\"/>\n", scale.path(&line.points));
    for &(size, ratio) in &line.points {
        let (x, y) = (scale.x(size), scale.y(ratio));
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    let (x, y) = (WIDTH - RIGHT + 44.0, TOP + 8.0 + 22.0 * place as f64);
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"4\" rx=\"2\" fill=\"{colour}\"/>",
        y - 6.0
    );
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{y}\">{}</text>", x + 20.0, escaped(line.name));
    svg
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

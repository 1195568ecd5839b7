//! A plot of shapes as SVG: the fraction of a read that each contestant reaches.

use super::chart::{COLOURS, STYLE, escaped};
use super::table::{Mode, Peer, Row, Table};
use std::fmt::Write;

/// The sizes of the picture, in pixels.
const WIDTH: f64 = 800.0;
const LEFT: f64 = 226.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 78.0;
const BOTTOM: f64 = 52.0;
/// The height of a shape.
const ROW: f64 = 20.0;
/// In the order of drawing, so that ours covers the others.
const SERIES: [Peer; 4] = [Peer::Compiled, Peer::Eager, Peer::Cub, Peer::Ours];

/// A shape: the fractions of the contestants, and our goal.
struct Shape<'a> {
    name: &'a str,
    fractions: Vec<(Peer, f64)>,
    goal: Option<f64>,
}

/// Maps a fraction to a pixel.
struct Scale {
    /// The last tick, in tenths.
    tenths: u32,
}

impl Scale {
    fn of(shapes: &[Shape<'_>]) -> Scale {
        let fractions = shapes.iter().flat_map(|shape| &shape.fractions);
        let most = fractions.map(|(_, fraction)| *fraction).fold(1.0, f64::max);
        Scale { tenths: (most * 10.0 - 0.1).ceil() as u32 }
    }

    fn x(&self, fraction: f64) -> f64 {
        LEFT + fraction * 10.0 / f64::from(self.tenths) * (WIDTH - LEFT - RIGHT)
    }
}

/// Plots the fraction of a read for each shape, in a graph.
pub(crate) fn fractions(table: &Table) -> String {
    let shapes = shapes(table);
    let (scale, floor) = (Scale::of(&shapes), TOP + ROW * shapes.len() as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\">\n<style>{STYLE}</style>\n\
         <text class=\"title\" x=\"16\" y=\"24\">Speed of reductions with many results, as a fraction of a read of as many bytes</text>\n",
        floor + BOTTOM
    );
    svg.push_str(&legend());
    svg.push_str(&axis(&scale, floor, &table.machine.gpu));
    shapes.iter().zip(0..).for_each(|(shape, place)| svg.push_str(&drawn(&scale, shape, place)));
    svg + "</svg>\n"
}

fn shapes(table: &Table) -> Vec<Shape<'_>> {
    let is_read = |row: &&Row| row.is_shape() && row.mode == Mode::Graph && row.peer == Peer::Read;
    table.rows.iter().filter(is_read).map(|read| shape(table, read)).collect()
}

/// Returns the shape of a read, whose ratio is our fraction.
fn shape<'a>(table: &Table, read: &'a Row) -> Shape<'a> {
    let ratio = |row: &Row| row.ratio.map_or(1.0, |ratio| ratio.median);
    let of_shape = |row: &&Row| row.case == read.case && row.mode == read.mode;
    let fraction = |row: &Row| (row.peer, ratio(read) / ratio(row));
    let fractions = table.rows.iter().filter(of_shape).map(fraction).collect();
    Shape { name: &read.case, fractions, goal: read.goal }
}

/// Draws the markers of the contestants, and their names.
fn legend() -> String {
    let mut svg = String::new();
    for (peer, place) in SERIES.into_iter().rev().zip(0..) {
        let x = LEFT + 128.0 * f64::from(place);
        let _ = writeln!(svg, "{}<text x=\"{}\" y=\"50\">{peer}</text>", marker(peer, x, 46.0), x + 12.0);
    }
    let x = LEFT - 88.0;
    let goal =
        format!("<path class=\"goal\" d=\"M{x} 38v16\"/><text x=\"{}\" y=\"50\">our goal</text>\n", x + 8.0);
    svg + &goal
}

/// Draws the lines and numbers of the grid.
fn axis(scale: &Scale, floor: f64, gpu: &str) -> String {
    let mut svg = String::new();
    let step = if scale.tenths > 14 { 2 } else { 1 };
    for tick in (0..=scale.tenths).step_by(step) {
        let (class, x) = (if tick == 10 { "one" } else { "grid" }, scale.x(f64::from(tick) / 10.0));
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{floor}\"/>"
        );
        let label = format!("{}.{}", tick / 10, tick % 10);
        for y in [TOP - 6.0, floor + 18.0] {
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>");
        }
    }
    let _ =
        writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\">1.0 is the read; {}</text>", floor + 40.0, escaped(gpu));
    svg
}

/// Draws the name of a shape, its goal and its markers.
fn drawn(scale: &Scale, shape: &Shape<'_>, place: usize) -> String {
    let y = TOP + ROW * (place as f64 + 0.5);
    let (end, label) = (WIDTH - RIGHT, LEFT - 10.0);
    let mut svg = format!("<line class=\"grid\" x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y}\" y2=\"{y}\"/>\n");
    let _ = writeln!(
        svg,
        "<text x=\"{label}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        y + 4.5,
        escaped(shape.name)
    );
    if let Some(goal) = shape.goal {
        let _ = writeln!(svg, "<path class=\"goal\" d=\"M{:.1} {}v{}\"/>", scale.x(goal), y - 8.0, 16.0);
    }
    for peer in SERIES {
        let of_peer = shape.fractions.iter().filter(|(of, _)| *of == peer);
        of_peer.for_each(|(_, fraction)| svg.push_str(&(marker(peer, scale.x(*fraction), y) + "\n")));
    }
    svg
}

/// Draws the marker of a contestant: each has another colour and form. Ours is the smallest, because it covers the others.
fn marker(peer: Peer, x: f64, y: f64) -> String {
    let path = |d: &str, colour: &str| format!("<path d=\"M{x:.1} {y}{d}\" fill=\"{colour}\"/>");
    match peer {
        Peer::Cub => path("m-5-5h10v10h-10z", COLOURS[1]),
        Peer::Eager => path("m0-6.5l6.5 6.5l-6.5 6.5l-6.5-6.5z", COLOURS[2]),
        Peer::Compiled => path("m0-6l6.5 11h-13z", COLOURS[3]),
        Peer::Ours | Peer::Beside | Peer::Read => {
            format!("<circle cx=\"{x:.1}\" cy=\"{y}\" r=\"4\" fill=\"{}\"/>", COLOURS[0])
        }
    }
}

//! Lines of ratios over sizes as SVG, for light and dark pages.

use std::fmt::Write;

/// The sizes of the picture and of the plot in it, in pixels.
pub(crate) const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 56.0;
pub(crate) const RIGHT: f64 = 190.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 48.0;
/// Colours that can be told apart on white and on black, also with colour vision deficiency (after Okabe and Ito).
pub(crate) const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a6fdf", "#7f7f7f"];
pub(crate) const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#444}.grid{stroke:#8886;stroke-width:1}\
    .one{stroke:#888;stroke-width:1.5}.goal{stroke:#888;stroke-width:1.5;stroke-dasharray:5 4;fill:none}.line{stroke-width:2;fill:none}\
    .title{font-size:15px;font-weight:600}@media(prefers-color-scheme:dark){text{fill:#ccc}}";

/// A line of the plot.
pub(crate) struct Line<'a> {
    pub(crate) name: &'a str,
    /// The binary logarithm of n, and the ratio.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Maps sizes and ratios to pixels.
pub(crate) struct Scale {
    pub(crate) sizes: (f64, f64),
    pub(crate) ratios: (f64, f64),
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

    pub(crate) fn y(&self, ratio: f64) -> f64 {
        let (least, most) = self.ratios;
        TOP + (most - ratio) / (most - least) * (HEIGHT - TOP - BOTTOM)
    }

    pub(crate) fn path(&self, points: &[(f64, f64)]) -> String {
        let point = |&(size, ratio): &(f64, f64)| format!("{:.1},{:.1}", self.x(size), self.y(ratio));
        points.iter().map(point).collect::<Vec<_>>().join(" ")
    }
}

/// Returns a picture. `more` draws what lies below the lines; `footer` is the text after "elements; ".
pub(crate) fn chart(
    title: &str,
    footer: &str,
    lines: &[Line<'_>],
    more: impl FnOnce(&Scale) -> String,
) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n<style>{STYLE}</style>\n\
         <text class=\"title\" x=\"{LEFT}\" y=\"24\">{title}</text>\n"
    );
    if lines.is_empty() {
        let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{TOP}\">nothing was measured</text>");
    } else {
        let scale = Scale::of(lines);
        svg.push_str(&axes(&scale, footer));
        svg.push_str(&more(&scale));
        lines.iter().zip(0..).for_each(|(line, place)| svg.push_str(&drawn(&scale, line, place)));
    }
    svg + "</svg>\n"
}

/// Draws the lines and numbers of the grid.
fn axes(scale: &Scale, footer: &str) -> String {
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
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\">elements; {}</text>", floor + 40.0, escaped(footer));
    svg
}

/// Returns the distance between lines of the grid, for about eight of them.
fn step(range: f64) -> f64 {
    [0.1, 0.2, 0.5].into_iter().find(|step| range / step < 10.0).unwrap_or(1.0)
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

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

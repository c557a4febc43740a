//! Plots as SVG: intervals, lines and bars.

use std::fmt::Write;

use engine::Size;

use crate::Estimate;

const WIDTH: f64 = 640.0;
const MARGIN: f64 = 46.0;
const ROW: f64 = 24.0;
/// Space for the labels of intervals, the width reckoned for one of their letters, and the distance
/// between the labels of lines.
const LABELS: f64 = 220.0;
const LETTER: f64 = 7.0;
const LEGEND_ROW: f64 = 16.0;
/// Number of panels side by side; below, the size of each.
const PANELS: usize = 3;
const PANEL: [f64; 2] = [320.0, 190.0];
/// Height reserved for a picture's title.
const HEAD: f64 = 30.0;
const COLORS: [&str; 6] = ["#1f6f8b", "#c0532f", "#5b8c3a", "#7a4f9a", "#b58b00", "#555555"];

/// A value with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// Its label.
    pub label: String,
    /// The value.
    pub estimate: Estimate,
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Their label.
    pub label: String,
    /// The points, with the intervals of their heights.
    pub points: Vec<(f64, Estimate)>,
}

/// One curve in a separate small plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel<'a> {
    /// Its label.
    pub label: &'a str,
    /// Its points. Non-finite values are skipped.
    pub points: Vec<(f64, f64)>,
}

/// Text escaped for SVG and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// One row per value: a dot with its interval on a common scale.
pub fn intervals(title: &str, unit: &str, rows: &[Interval]) -> String {
    // Checkpoints of a run have long names.
    let longest = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or_default();
    let labels = (LETTER * longest as f64 + 20.0).max(LABELS);
    let width = WIDTH - LABELS + labels;
    let (low, high) = range(rows.iter().flat_map(|row| row.estimate.parts()));
    let height = MARGIN * 1.6 + ROW * rows.len() as f64;
    let across = |value: f64| {
        labels + (value.clamp(low, high) - low) / (high - low) * (width - labels - 20.0)
    };
    let mut svg = begin(title, width, height);
    for tick in ticks(low, high) {
        let x = across(tick);
        line(&mut svg, [x, 30.0, x, height - 22.0], "#ddd");
        text(&mut svg, x, height - 8.0, "middle", &number(tick));
    }
    text(&mut svg, 8.0, height - 8.0, "start", unit);
    for (index, row) in rows.iter().enumerate() {
        let y = 46.0 + ROW * index as f64;
        let [from, at, to] = row.estimate.parts().map(across);
        text(&mut svg, labels - 10.0, y + 4.0, "end", &row.label);
        line(&mut svg, [from, y, to, y], COLORS[0]);
        dot(&mut svg, at, y, COLORS[0]);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Lines over a common horizontal axis, each within the band of its intervals.
pub fn lines(title: &str, axis: &str, series: &[Series]) -> String {
    // One label below the other: those of rule sets are long, and there may be dozens.
    let head = LEGEND_ROW * series.len().saturating_sub(1) as f64;
    let height = 300.0 + head;
    let points = || series.iter().flat_map(|series| series.points.iter().copied());
    let (left, right) = range(points().map(|point| point.0));
    let (bottom, top) = range(points().flat_map(|(_, height)| [height.low, height.high]));
    let across = |x: f64| MARGIN + (x - left) / (right - left) * (WIDTH - MARGIN - 20.0);
    let up = |y: f64| height - 34.0 - (y - bottom) / (top - bottom) * (height - head - 84.0);
    let mut svg = begin(title, WIDTH, height);
    for tick in ticks(bottom, top) {
        line(&mut svg, [MARGIN, up(tick), WIDTH - 20.0, up(tick)], "#ddd");
        text(&mut svg, MARGIN - 6.0, up(tick) + 4.0, "end", &number(tick));
    }
    for tick in ticks(left, right) {
        text(&mut svg, across(tick), height - 18.0, "middle", &number(tick));
    }
    text(&mut svg, WIDTH / 2.0, height - 3.0, "middle", axis);
    for (index, series) in series.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let dashes = dashes(index);
        let at = |x: f64, y: f64| format!("{:.1},{:.1}", across(x), up(y));
        let upper = series.points.iter().map(|(x, y)| at(*x, y.high));
        let lower = series.points.iter().rev().map(|(x, y)| at(*x, y.low));
        let band: Vec<String> = upper.chain(lower).collect();
        let path: Vec<String> = series.points.iter().map(|(x, y)| at(*x, y.value)).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(
            svg,
            "<polygon points=\"{}\" fill=\"{color}\" fill-opacity=\"0.15\"/>\n\
             <polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>",
            band.join(" "),
            path.join(" ")
        );
        if series.points.len() <= 40 {
            series.points.iter().for_each(|(x, y)| dot(&mut svg, across(*x), up(y.value), color));
        }
        let (from, to, y) = (MARGIN - 6.0, MARGIN + 18.0, 35.0 + LEGEND_ROW * index as f64);
        let _ = writeln!(
            svg,
            "<line x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\" stroke=\"{color}\" stroke-width=\"3\"{dashes}/>"
        );
        text(&mut svg, to + 4.0, y + 4.0, "start", &series.label);
    }
    svg.push_str("</svg>\n");
    svg
}

/// What tells a line from an earlier one of the same colour.
fn dashes(index: usize) -> String {
    match index / COLORS.len() {
        0 => String::new(),
        round => format!(" stroke-dasharray=\"{}\"", 4 * round),
    }
}

/// A board with a number on each point, darker where it is larger; rows start at the bottom.
pub fn board(title: &str, size: Size, values: &[f64]) -> String {
    let cell = (360.0 / size.longest() as f64).min(60.0);
    let side = cell * size.height() as f64;
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut svg = begin(title, WIDTH, side + 50.0);
    for (point, &value) in size.points().zip(values) {
        let row = size.height() - 1 - point.row();
        let (x, y) = (20.0 + cell * point.column() as f64, 30.0 + cell * row as f64);
        let shade = value / most;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{cell:.1}\" height=\"{cell:.1}\" fill=\"{}\" \
             fill-opacity=\"{shade:.3}\" stroke=\"#ccc\"/>",
            COLORS[0]
        );
        let label = format!("{:.0}", 100.0 * value);
        text(&mut svg, x + cell / 2.0, y + cell / 2.0 + 4.0, "middle", &label);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Panels side by side. All horizontal axes run from 0 to the largest value overall.
pub fn panels(title: &str, axis: &str, panels: &[Panel]) -> String {
    let [width, height] = PANEL;
    let rows = panels.len().div_ceil(PANELS) as f64;
    let mut svg = begin(title, width * PANELS as f64, HEAD + height * rows);
    let most = panels.iter().flat_map(|panel| &panel.points).map(|(x, _)| *x);
    let most = most.filter(|x| x.is_finite()).fold(0.0, f64::max);
    for (index, panel) in panels.iter().enumerate() {
        let (column, row) = ((index % PANELS) as f64, (index / PANELS) as f64);
        let _ = writeln!(
            svg,
            "<g transform=\"translate({} {})\">",
            width * column,
            HEAD + height * row
        );
        panel.draw(&mut svg, most, axis);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

impl Panel<'_> {
    fn draw(&self, svg: &mut String, most: f64, axis: &str) {
        let ([left, top], [right, bottom]) = ([52.0, 28.0], [PANEL[0] - 12.0, PANEL[1] - 24.0]);
        text(svg, left, top - 8.0, "start", self.label);
        for corners in [[left, top, left, bottom], [left, bottom, right, bottom]] {
            line(svg, corners, "#bbb");
        }
        let is_finite = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
        let points: Vec<(f64, f64)> = self.points.iter().copied().filter(is_finite).collect();
        if points.is_empty() || most <= 0.0 {
            return;
        }
        let (low, high) = range(points.iter().map(|point| point.1));
        let place = |&(x, y): &(f64, f64)| {
            let across = left + (right - left) * x / most;
            format!("{across:.1},{:.1}", bottom - (bottom - top) * (y - low) / (high - low))
        };
        let path: Vec<String> = points.iter().map(place).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>",
            path.join(" "),
            COLORS[0]
        );
        text(svg, left - 4.0, top + 9.0, "end", &short(high));
        text(svg, left - 4.0, bottom, "end", &short(low));
        text(svg, right, bottom + 15.0, "end", &format!("{} {axis}", short(most)));
    }
}

fn begin(title: &str, width: f64, height: f64) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n"
    );
    let _ = writeln!(
        svg,
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"18\" font-size=\"14\" font-weight=\"bold\">{}</text>",
        escape(title)
    );
    svg
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    let content = escape(content);
    let _ =
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>");
}

fn line(svg: &mut String, [x1, y1, x2, y2]: [f64; 4], color: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\"/>"
    );
}

fn dot(svg: &mut String, x: f64, y: f64, color: &str) {
    let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{color}\"/>");
}

/// The range of the finite values, never empty.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    match low <= high {
        true if high - low > 1e-9 => (low, high),
        true => (low - 0.5, high + 0.5),
        false => (0.0, 1.0),
    }
}

/// Round numbers within a range: steps of 1, 2 or 5 times a power of ten.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    (first..).map(|n| n as f64 * step).take_while(|&tick| tick <= high + 1e-9).collect()
}

fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number in compact form.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 1e5 => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(-130.0, 250.0), [-100.0, 0.0, 100.0, 200.0]);
    }

    #[test]
    fn strange_numbers_make_a_picture_all_the_same() {
        let estimate = Estimate { low: f64::NEG_INFINITY, value: 0.0, high: f64::INFINITY };
        let svg = intervals("t", "Elo", &[Interval { label: "a<b".into(), estimate }]);
        assert!(svg.contains("a&lt;b") && !svg.contains("inf") && !svg.contains("NaN"), "{svg}");
        assert!(!intervals("t", "Elo", &[]).contains("NaN"));
        assert!(!lines("t", "x", &[]).contains("NaN"));
        assert!(!board("t", Size::try_from(3).expect("a size"), &[0.0; 9]).contains("NaN"));
    }

    /// A number in the first line of a picture that has this text.
    fn attribute(svg: &str, text: &str, name: &str) -> f64 {
        let line = svg.lines().find(|line| line.contains(text)).unwrap();
        let value = line.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next();
        value.unwrap().parse().unwrap()
    }

    #[test]
    fn long_labels_have_room() {
        let estimate = Estimate { low: 0.0, value: 1.0, high: 2.0 };
        let label = |number: usize| format!("cushion,end=area,komi={number},tile_limit=2");
        let series = |number| Series {
            label: label(number),
            points: vec![(0.0, estimate), (1.0, estimate)],
        };
        let svg = lines("t", "x", &[0, 1, 2, 3, 4, 5, 6].map(series));
        for number in 0..7 {
            let place = |name| attribute(&svg, &label(number), name);
            assert_eq!(place("x"), 68.0, "{svg}");
            assert!((place("y") - 39.0 - LEGEND_ROW * number as f64).abs() < 0.1, "{svg}");
        }
        // The seventh line and its label have the first one's colour, and the first ones are whole.
        assert_eq!(svg.matches(COLORS[0]).count(), 2 * svg.matches(COLORS[1]).count(), "{svg}");
        assert_eq!(svg.matches("stroke-dasharray=\"4\"").count(), 2, "{svg}");
        let label = "model:runs/incursion-9/checkpoints/00000000@64";
        let svg = intervals("t", "Elo", &[Interval { label: label.to_owned(), estimate }]);
        // Its end, with some six units for each letter.
        assert!(attribute(&svg, label, "x") > 6.0 * label.len() as f64, "{svg}");
        assert!(attribute(&svg, "<svg", "width") > WIDTH, "{svg}");
    }
}

//! Small line charts as SVG, without a library: polylines and a few words.

use std::fmt::Write;

const COLUMNS: usize = 3;
const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 190.0;
/// Room around the curve of a panel: left, top, right, bottom.
const MARGINS: [f64; 4] = [52.0, 28.0, 12.0, 24.0];
/// Room for the title of the whole.
const HEAD: f64 = 34.0;

/// A page of panels that share the horizontal axis.
pub(crate) struct Chart<'a> {
    pub title: &'a str,
    /// What the horizontal axis counts.
    pub across: &'a str,
    pub panels: Vec<Panel<'a>>,
}

/// One curve.
pub(crate) struct Panel<'a> {
    pub title: &'a str,
    pub points: Vec<(f64, f64)>,
}

impl Chart<'_> {
    pub fn svg(&self) -> String {
        let rows = self.panels.len().div_ceil(COLUMNS);
        let (width, height) = (WIDTH * COLUMNS as f64, HEAD + HEIGHT * rows as f64);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"12\" y=\"22\" font-size=\"15\">{}</text>\n",
            escaped(self.title)
        );
        let most = self.panels.iter().flat_map(|panel| &panel.points).map(|(x, _)| *x);
        let most = most.fold(0.0, f64::max);
        for (index, panel) in self.panels.iter().enumerate() {
            let (column, row) = (index % COLUMNS, index / COLUMNS);
            let (x, y) = (WIDTH * column as f64, HEAD + HEIGHT * row as f64);
            let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
            panel.draw(&mut svg, most, self.across);
            svg.push_str("</g>\n");
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Panel<'_> {
    fn draw(&self, svg: &mut String, most: f64, across: &str) {
        let [left, top, right, bottom] = MARGINS;
        let (width, height) = (WIDTH - left - right, HEIGHT - top - bottom);
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{}\" font-weight=\"bold\">{}</text>\n\
             <rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#bbb\"/>",
            top - 8.0,
            escaped(self.title)
        );
        let points: Vec<(f64, f64)> =
            self.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        if points.is_empty() || most <= 0.0 {
            return;
        }
        let low = points.iter().map(|(_, y)| *y).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(|(_, y)| *y).fold(f64::NEG_INFINITY, f64::max);
        let span = if high > low { high - low } else { 1.0 };
        let place = |&(x, y): &(f64, f64)| {
            (left + width * x / most, top + height * (1.0 - (y - low) / span))
        };
        let mut line = String::new();
        for (x, y) in points.iter().map(place) {
            let _ = write!(line, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#0b6\" stroke-width=\"1.5\"/>",
            line.trim_end()
        );
        for (value, y) in [(high, top + 9.0), (low, top + height)] {
            let x = left - 4.0;
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{}</text>",
                short(value)
            );
        }
        let (x, y) = (left + width, top + height + 15.0);
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{} {across}</text>",
            short(most)
        );
    }
}

/// A number in few characters.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 1e5 => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

//! Charts in SVG: bars that lie, so that long names can be read.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

/// The widths of the picture and of the part with the names, and the height of one bar, in pixels.
const WIDTH: u32 = 1_200;
const NAMES: u32 = 540;
const ROW: u32 = 30;
const TOP: u32 = 44;
const BOTTOM: u32 = 44;

const OURS: RGBColor = RGBColor(31, 119, 180);
const REFERENCE: RGBColor = RGBColor(150, 150, 150);
const MARK: RGBColor = RGBColor(214, 39, 40);

/// One bar.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// What stands at its end.
    pub(crate) label: String,
    /// A mark on it, such as a target.
    pub(crate) mark: Option<f64>,
    /// Whether it is Trunkline's.
    pub(crate) is_ours: bool,
}

/// What goes around the bars.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) title: &'a str,
    /// A line across all bars.
    pub(crate) line: Option<f64>,
    /// Where longer bars are cut off, so that the others can be distinguished. Their labels show their value.
    pub(crate) cut_at: Option<f64>,
}

/// Draws bars from top to bottom.
pub(crate) fn draw(file: &Path, frame: Frame<'_>, bars: &[Bar]) -> Result<()> {
    let height = TOP + BOTTOM + ROW * bars.len() as u32;
    let area = SVGBackend::new(file, (WIDTH, height)).into_drawing_area();
    draw_on(&area, frame, bars).map_err(|error| anyhow!("cannot draw {}: {error}", file.display()))?;
    area.present().map_err(|error| anyhow!("cannot write {}: {error}", file.display()))
}

fn draw_on<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    frame: Frame<'_>,
    bars: &[Bar],
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    area.fill(&WHITE)?;
    let largest = bars.iter().flat_map(|bar| [Some(bar.value), bar.mark]).chain([frame.line]).flatten();
    let largest = largest.filter(|value| value.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    let largest = frame.cut_at.map_or(largest, |cut| largest.min(cut));
    let count = bars.len() as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(frame.title, ("sans-serif", 20))
        .margin_right(90)
        .x_label_area_size(BOTTOM - 8)
        .y_label_area_size(NAMES)
        .build_cartesian_2d(0.0..largest * 1.05, count..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_labels(8)
        .x_max_light_lines(1)
        .x_label_formatter(&|value| {
            if largest < 20.0 { format!("{value:.1}") } else { format!("{value:.0}") }
        })
        .label_style(("sans-serif", 12))
        .draw()?;
    for (row, bar) in bars.iter().enumerate() {
        let (top, color) = (row as f64, if bar.is_ours { OURS } else { REFERENCE });
        let value = if bar.value.is_finite() { bar.value.min(largest) } else { 0.0 };
        chart.draw_series([Rectangle::new([(0.0, top + 0.2), (value, top + 0.8)], color.filled())])?;
        if let Some(mark) = bar.mark.filter(|mark| *mark <= largest) {
            let ends = vec![(mark, top + 0.08), (mark, top + 0.92)];
            chart.draw_series([PathElement::new(ends, MARK.stroke_width(2))])?;
        }
        let (x, y) = chart.backend_coord(&(value, top + 0.5));
        area.draw(&Text::new(bar.label.clone(), (x + 6, y - 7), ("sans-serif", 13).into_font()))?;
        area.draw(&Text::new(bar.name.clone(), (8, y - 7), ("sans-serif", 13).into_font()))?;
    }
    if let Some(line) = frame.line {
        let ends = vec![(line, 0.0), (line, count)];
        chart.draw_series([PathElement::new(ends, BLACK.stroke_width(1))])?;
    }
    Ok(())
}

type DrawingAreaErrorKind<E> = plotters::drawing::DrawingAreaErrorKind<E>;

//! Stacked areas over generations, each generation a column of its own, so that one alone can be seen and none that is
//! missing is made up.

use plotters::element::Polygon;
use plotters::style::{Color, RGBColor};

use super::axis::Axis;
use super::labels::{Sign, draw_legend, note};
use super::panel::Panel;
use super::picture::Picture;

/// More columns than this are drawn as means of neighbouring generations.
const MAX_COLUMNS: usize = 250;

/// One layer of the stack.
pub struct Layer {
    /// Its name in the legend.
    pub name: &'static str,
    /// Its colour.
    pub color: RGBColor,
    /// Its height at each generation, 0 or more; `None` where it is unknown.
    pub values: Vec<Option<f64>>,
}

/// What a stack is about.
pub struct StackedPlot<'a> {
    /// What stands above the reason where there is no data.
    pub heading: &'a str,
    /// The reason then.
    pub reason: &'a str,
    /// Title of the vertical axis, with the unit.
    pub y_title: &'static str,
    /// The generations, rising.
    pub generations: &'a [u32],
    /// The layers from the bottom up, a value for each generation.
    pub layers: &'a [Layer],
    /// The top of the vertical axis; `None` for what the data need.
    pub y_end: Option<f64>,
}

/// One column of the picture: its ends on the horizontal axis and the top of each layer; `None` for unknown layers.
struct Column {
    from: f64,
    to: f64,
    tops: Vec<Option<f64>>,
}

/// Draws the stack, the legend above it; layers without any known value are named there.
pub fn stacked_plot(plot: &StackedPlot) -> Picture {
    let per_column = plot.generations.len().div_ceil(MAX_COLUMNS).max(1);
    let columns = columns(plot, per_column);
    let highest = columns.iter().filter_map(|column| column.tops.iter().flatten().copied().reduce(f64::max));
    let Some(highest) = highest.reduce(f64::max) else {
        return Picture::without_data(plot.heading, plot.reason);
    };

    let (mut entries, mut unknown) = (Vec::new(), Vec::new());
    for layer in plot.layers {
        let known = layer.values.iter().flatten().count();
        if known > 0 {
            entries.push((Sign::Area(layer.color.to_rgba()), layer.name.to_owned()));
        }
        match layer.values.len() - known {
            0 => {}
            _ if known == 0 => unknown.push(format!("{}: not known", layer.name)),
            1 => unknown.push(format!("{}: not known in 1 generation", layer.name)),
            count => unknown.push(format!("{}: not known in {count} generations", layer.name)),
        }
    }
    entries.extend(unknown.into_iter().map(note));
    if per_column > 1 {
        entries.push(note(format_args!("means of {per_column} generations")));
    }
    let (first, last) = (plot.generations[0], plot.generations[plot.generations.len() - 1]);
    let x = Axis::whole_numbers(first.into(), last.into());
    let y = plot.y_end.map_or_else(|| Axis::from_zero(highest, 1e-9), |end| Axis::exact(0.0, end, 1e-9));
    let (y_title, colors) = (plot.y_title, plot.layers.iter().map(|layer| layer.color).collect::<Vec<_>>());
    Picture::new(move |area| {
        let top = draw_legend(area, &entries)?;
        let mut chart = Panel::below(top, x, "Generation", y, y_title).chart(area)?;
        // From the highest layer to the lowest, each down to the axis, so that no background shows between two.
        for (index, color) in colors.iter().enumerate().rev() {
            for run in columns.chunk_by(|a, b| a.to == b.from && a.tops[index].is_some() == b.tops[index].is_some()) {
                chart.draw_series(outline(run, index).map(|corners| Polygon::new(corners, color.filled())))?;
            }
        }
        Ok(())
    })
}

/// The corners of a layer over neighbouring columns, as one area without seams; `None` where the layer is unknown.
fn outline(columns: &[Column], layer: usize) -> Option<Vec<(f64, f64)>> {
    let mut corners = vec![(columns.first()?.from, 0.0)];
    for column in columns {
        let top = column.tops[layer]?;
        corners.extend([(column.from, top), (column.to, top)]);
    }
    corners.push((columns.last()?.to, 0.0));
    Some(corners)
}

/// Neighbouring generations become one column, but never across a missing one.
fn columns(plot: &StackedPlot, per_column: usize) -> Vec<Column> {
    let indices: Vec<usize> = (0..plot.generations.len()).collect();
    let without_gaps = indices.chunk_by(|&a, &b| plot.generations[b] - plot.generations[a] <= 1);
    let groups = without_gaps.flat_map(|run| run.chunks(per_column));
    let mut columns = Vec::new();
    for group in groups {
        let mut height = 0.0;
        let mean_of = |layer: &Layer| {
            let known: Vec<f64> = group.iter().filter_map(|&index| layer.values[index]).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        let tops = plot.layers.iter().map(|layer| {
            let value = mean_of(layer)?;
            height += value;
            Some(height)
        });
        let tops = tops.collect();
        let (first, last) = (plot.generations[group[0]], plot.generations[group[group.len() - 1]]);
        columns.push(Column { from: f64::from(first) - 0.5, to: f64::from(last) + 0.5, tops });
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::super::palette;
    use super::*;

    #[test]
    fn columns_do_not_cross_gaps_and_unknown_layers_have_no_height() {
        let layers = [
            Layer { name: "a", color: palette::BLUE, values: vec![Some(1.0), Some(3.0), Some(5.0)] },
            Layer { name: "b", color: palette::GREEN, values: vec![None, None, None] },
            Layer { name: "c", color: palette::ORANGE, values: vec![Some(1.0), None, Some(2.0)] },
        ];
        let plot =
            StackedPlot { heading: "", reason: "", y_title: "", generations: &[0, 1, 4], layers: &layers, y_end: None };
        let columns = columns(&plot, 2);
        assert_eq!(columns.len(), 2);
        assert_eq!((columns[0].from, columns[0].to), (-0.5, 1.5));
        assert_eq!(columns[0].tops, [Some(2.0), None, Some(3.0)]);
        assert_eq!(columns[1].tops, [Some(5.0), None, Some(7.0)]);
        let svg = stacked_plot(&plot).to_svg().unwrap();
        assert!(svg.contains("(b: not known)") && svg.contains("(c: not known in 1 generation)"), "{svg}");
    }
}

//! Stacked areas over generations, each generation a column of its own, so that one alone can be seen and none that is
//! missing is made up.

use super::axis::Axis;
use super::labels::{Sign, draw_legend};
use super::panel::Panel;
use super::picture::{Color, EM_PX, Picture};

/// More columns than this are drawn as means of neighbouring generations.
const MOST_COLUMNS: usize = 250;

/// One layer of the stack.
pub struct Layer {
    /// Its name in the legend.
    pub name: &'static str,
    /// Its colour.
    pub color: Color,
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
    pub y_title: &'a str,
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

/// Draws the stack, the legend above it; layers that nobody knows anything of are named there.
pub fn stacked_plot(plot: &StackedPlot) -> Picture {
    let per_column = plot.generations.len().div_ceil(MOST_COLUMNS).max(1);
    let columns = columns(plot, per_column);
    let highest = columns.iter().filter_map(|column| column.tops.iter().flatten().copied().reduce(f64::max));
    let Some(highest) = highest.reduce(f64::max) else {
        return Picture::without_data(plot.heading, plot.reason);
    };

    let (mut legend, mut unknown) = (Vec::new(), Vec::new());
    for layer in plot.layers {
        let known = layer.values.iter().flatten().count();
        if known > 0 {
            legend.push((Sign::Area(layer.color), layer.name.to_owned()));
        }
        match layer.values.len() - known {
            0 => {}
            _ if known == 0 => unknown.push(format!("({}: not known)", layer.name)),
            1 => unknown.push(format!("({}: not known in 1 generation)", layer.name)),
            count => unknown.push(format!("({}: not known in {count} generations)", layer.name)),
        }
    }
    legend.extend(unknown.into_iter().map(|remark| (Sign::Nothing, remark)));
    if per_column > 1 {
        legend.push((Sign::Nothing, format!("(means of {per_column} generations)")));
    }

    let mut picture = Picture::default();
    let legend_bottom = draw_legend(&mut picture, &legend);
    let (first, last) = (plot.generations[0], plot.generations[plot.generations.len() - 1]);
    let y = plot.y_end.map_or_else(|| Axis::from_zero(highest, 1e-9), |end| Axis::exact(0.0, end, 1e-9));
    let panel = Panel::below(legend_bottom + 1.2 * EM_PX, Axis::whole_numbers(first.into(), last.into()), y);
    panel.draw_grid(&mut picture);
    // From the highest layer to the lowest, each down to the axis, so that no background shows between two.
    for (index, layer) in plot.layers.iter().enumerate().rev() {
        for column in &columns {
            let Some(top) = column.tops[index] else { continue };
            let corner = (panel.x_px(column.from), panel.y_px(top));
            picture.rectangle(corner, (panel.x_px(column.to), panel.bottom), layer.color);
        }
    }
    panel.draw_y_axis(&mut picture, plot.y_title);
    panel.draw_x_axis(&mut picture, "Generation");
    picture
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
    use super::*;

    #[test]
    fn columns_do_not_cross_gaps_and_unknown_layers_have_no_height() {
        let layers = [
            Layer { name: "a", color: Color::BLUE, values: vec![Some(1.0), Some(3.0), Some(5.0)] },
            Layer { name: "b", color: Color::GREEN, values: vec![None, None, None] },
            Layer { name: "c", color: Color::ORANGE, values: vec![Some(1.0), None, Some(2.0)] },
        ];
        let plot =
            StackedPlot { heading: "", reason: "", y_title: "", generations: &[0, 1, 4], layers: &layers, y_end: None };
        let columns = columns(&plot, 2);
        assert_eq!(columns.len(), 2);
        assert_eq!((columns[0].from, columns[0].to), (-0.5, 1.5));
        assert_eq!(columns[0].tops, [Some(2.0), None, Some(3.0)]);
        assert_eq!(columns[1].tops, [Some(5.0), None, Some(7.0)]);
        let svg = stacked_plot(&plot).to_svg();
        assert!(svg.contains("(b: not known)") && svg.contains("(c: not known in 1 generation)"), "{svg}");
    }
}

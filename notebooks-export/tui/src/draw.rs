//! The dashboard as a whole: which panels have room, and where.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use selfplay_notebooks_export::RunView;

use crate::colours::{Colours, Ink};
use crate::panels::{Panel, Rows};
use crate::text::{fitting, state};

/// From this width on there are two columns of panels.
const TWO_COLUMNS: u16 = 72;
/// Share of the width that the left one has.
const LEFT_SHARE: f64 = 0.58;
/// From this height on a line at the bottom tells the keys.
const WITH_KEYS: u16 = 10;
/// Below this nothing can be read.
const LEAST: (u16, u16) = (10, 1);

/// What the dashboard knows besides the run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct UiState {
    /// The time in seconds since 1970, to tell how long ago something was.
    pub now_unix_seconds: u64,
    /// Whether there are colours.
    pub colours: Colours,
    /// Why the view is not the newest, if it is not.
    pub source_error: Option<String>,
}

/// Draws `view` over the whole frame: on little room the less important panels are left out, and the others are short.
pub fn draw(frame: &mut Frame<'_>, view: &RunView, ui: &UiState) {
    let area = frame.area();
    draw_into(frame.buffer_mut(), area, view, ui);
}

fn draw_into(buffer: &mut Buffer, area: Rect, view: &RunView, ui: &UiState) {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let columns = usize::from(area.width);
        if area.height > 0 {
            buffer.set_stringn(area.x, area.y, "too small", columns, ui.colours.style(Ink::Plain));
        }
        return;
    }
    header(buffer, Rect { height: 1, ..area }, view, ui);
    let mut body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let last = Rect { y: area.bottom() - 1, height: 1, ..area };
    if let Some(error) = ui.source_error.as_ref().filter(|_| area.height >= 2) {
        let text = format!("not updated: {error}");
        buffer.set_stringn(last.x, last.y, text, usize::from(last.width), ui.colours.style(Ink::Warning));
        body.height -= 1;
    } else if area.height >= WITH_KEYS {
        buffer.set_stringn(last.x, last.y, "q leaves", usize::from(last.width), ui.colours.style(Ink::Muted));
        body.height -= 1;
    }
    if !view.run.is_empty() && view.rows.events().is_empty() && view.phase.is_none() && body.height > 0 {
        let text = "Nothing is finished yet.";
        buffer.set_stringn(body.x, body.y, text, usize::from(body.width), ui.colours.style(Ink::Muted));
    }
    if body.width < TWO_COLUMNS {
        use Panel::{Diagnostics, Elo, Losses, Matches, Numbers, Phase, Workers};
        stack(buffer, body, &[Phase, Elo, Numbers, Diagnostics, Losses, Workers, Matches], view, ui);
        return;
    }
    let used = stack(buffer, Rect { height: body.height.min(1), ..body }, &[Panel::Phase], view, ui);
    let body = Rect { y: body.y + used, height: body.height - used, ..body };
    let left = Rect { width: (f64::from(body.width) * LEFT_SHARE) as u16, ..body };
    let right = Rect { x: body.x + left.width + 2, width: body.width - left.width - 2, ..body };
    stack(buffer, left, &[Panel::Elo, Panel::Losses], view, ui);
    stack(buffer, right, &[Panel::Numbers, Panel::Diagnostics, Panel::Workers, Panel::Matches], view, ui);
}

fn header(buffer: &mut Buffer, area: Rect, view: &RunView, ui: &UiState) {
    let RunView { run, game, last_generation, .. } = view;
    let state = state(view.state, ui.now_unix_seconds);
    let newest = view.rows.selfplay.last().map(|row| row.generation);
    let generation = match (newest, last_generation) {
        (None, _) => "no generation yet".into(),
        (Some(newest), Some(last)) => format!("generation {newest} of {last}"),
        (Some(newest), None) => format!("generation {newest}"),
    };
    let word = state.split(' ').next().unwrap_or_default();
    let short = newest.map_or(String::new(), |newest| format!(", gen {newest}"));
    if run.is_empty() {
        let text = "waiting for the run";
        buffer.set_stringn(area.x, area.y, text, usize::from(area.width), ui.colours.style(Ink::Title));
        return;
    }
    let versions = [
        format!("{run} · {game} · {state} · {generation}"),
        format!("{run} · {state} · {generation}"),
        format!("{run} · {word}{short}"),
        format!("{word}{short}"),
        word.to_owned(),
    ];
    let text = fitting(&versions, area.width);
    buffer.set_stringn(area.x, area.y, text, usize::from(area.width), ui.colours.style(Ink::Title));
}

/// Draws those of `panels` that fit one below the other, in this order; returns the rows they take.
fn stack(buffer: &mut Buffer, area: Rect, panels: &[Panel], view: &RunView, ui: &UiState) -> u16 {
    let wishes: Vec<(Panel, Rows)> =
        panels.iter().filter_map(|&panel| Some((panel, panel.rows(view, area.width)?))).collect();
    let mut y = area.y;
    for (panel, height) in fit(&wishes, area.height) {
        panel.render(view, ui.now_unix_seconds, Rect { y, height, ..area }, buffer, ui.colours);
        y += height;
    }
    y - area.y
}

/// Deals `height` rows out: the more important panels are taken as long as they fit, at a good height if that fits. Then
/// the rows that are left go one by one to those that can use them and have the fewest so far.
fn fit(wishes: &[(Panel, Rows)], height: u16) -> Vec<(Panel, u16)> {
    let mut by_importance: Vec<usize> = (0..wishes.len()).collect();
    by_importance.sort_by_key(|&index| wishes[index].0);
    let mut heights = vec![0; wishes.len()];
    let mut left = height;
    for index in by_importance {
        let Rows { least, good, .. } = wishes[index].1;
        if least <= left {
            heights[index] = good.min(left);
            left -= heights[index];
        }
    }
    while left > 0 {
        let can_use = |&index: &usize| (1..wishes[index].1.most).contains(&heights[index]);
        let Some(index) = (0..wishes.len()).filter(can_use).min_by_key(|&index| (heights[index], wishes[index].0))
        else {
            break;
        };
        (heights[index], left) = (heights[index] + 1, left - 1);
    }
    wishes.iter().zip(heights).filter(|(_, height)| *height > 0).map(|((panel, _), height)| (*panel, height)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_important_panels_come_first_and_what_is_left_is_shared() {
        let lines = |good, most| Rows { least: 1, good, most };
        let chart = Rows { least: 5, good: 5, most: 30 };
        let wishes =
            [(Panel::Phase, lines(1, 1)), (Panel::Elo, chart), (Panel::Numbers, lines(4, 6)), (Panel::Losses, chart)];
        assert_eq!(fit(&wishes, 0), []);
        assert_eq!(fit(&wishes, 4), [(Panel::Phase, 1), (Panel::Numbers, 3)]);
        assert_eq!(fit(&wishes, 8), [(Panel::Phase, 1), (Panel::Elo, 5), (Panel::Numbers, 2)]);
        assert_eq!(fit(&wishes, 12), [(Panel::Phase, 1), (Panel::Elo, 6), (Panel::Numbers, 5)]);
        let all = fit(&wishes, 40);
        assert_eq!(all.iter().map(|panel| panel.1).sum::<u16>(), 40);
        assert_eq!(all[2], (Panel::Numbers, 6));
        assert_eq!(fit(&wishes, 200).iter().map(|panel| panel.1).sum::<u16>(), 67);
    }
}

//! The parts of the dashboard: what each shows, and how many rows it needs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use selfplay_notebooks_export::{EloRow, MatchRow, PhaseView, PlayerRole, RunView, WorkerView};

use crate::chart::{Chart, Curve, Level};
use crate::colours::{Colours, Ink};
use crate::numbers::{numbers, ratings};
use crate::text::{duration, fitting, number, percent, width, wrapped};

/// Rows of a chart with its title.
const CHART_ROWS: Rows = Rows { least: 5, good: 5, most: 30 };
/// Columns of a chart below which it is left out.
const CHART_COLUMNS: u16 = 24;

/// A part of the dashboard. From the most to the least important.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Panel {
    Phase,
    Elo,
    Numbers,
    Diagnostics,
    Losses,
    Workers,
    Matches,
}

/// Rows of a panel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rows {
    /// With fewer it is left out.
    pub(crate) least: u16,
    /// It has so many, if there are any, before a less important panel has one.
    pub(crate) good: u16,
    /// More are of no use to it.
    pub(crate) most: u16,
}

impl Panel {
    /// The rows that this panel needs when it is `columns` wide; `None` if it has nothing to show.
    pub(crate) fn rows(self, view: &RunView, columns: u16) -> Option<Rows> {
        let lines = |count: usize, least: u16, good: u16| {
            let most = count as u16 + 1;
            (count > 0).then_some(Rows { least, good: good.min(most), most })
        };
        let chart = |has_points: bool| (has_points && columns >= CHART_COLUMNS).then_some(CHART_ROWS);
        match self {
            Panel::Phase => view.phase.as_ref().map(|_| Rows { least: 1, good: 1, most: 1 }),
            Panel::Numbers => lines(numbers(view).len(), 1, 6),
            Panel::Elo => chart(view.ratings().next().is_some()),
            Panel::Losses => chart(!view.rows.losses.is_empty()),
            Panel::Diagnostics => lines(diagnostic_lines(view, columns).len(), 2, 3),
            Panel::Workers => lines(view.workers.len(), 2, 3),
            Panel::Matches => lines(view.newest_matches().len(), 2, 2),
        }
    }

    /// Draws into `area`, which has at least the rows that it needs, at the time `now` in seconds since 1970.
    pub(crate) fn render(self, view: &RunView, now: u64, area: Rect, buffer: &mut Buffer, colours: Colours) {
        match self {
            Panel::Phase => {
                if let Some(phase) = &view.phase {
                    render_phase(phase, area, buffer, colours);
                }
            }
            Panel::Numbers => {
                // Without room for all, a number is worth more than the title.
                let numbers = numbers(view);
                let is_titled = usize::from(area.height) > numbers.len();
                let body = if is_titled { titled("Now", area, buffer, colours) } else { area };
                for (number, row) in numbers.iter().zip(body.rows()) {
                    number.render(row, buffer, colours);
                }
            }
            Panel::Elo => {
                let chart = elo_chart(view);
                let newest = chart.curves.iter().filter_map(|curve| curve.points.last()).next_back();
                let title = newest.map_or("Elo".into(), |(_, elo)| format!("Elo {elo:.0}, with the 95 % band"));
                chart.render(titled(&title, area, buffer, colours), buffer, colours);
            }
            Panel::Losses => {
                let chart = loss_chart(view);
                let ends = chart.curves.iter().filter_map(|curve| Some((curve.sign, curve.points.last()?.1)));
                let ends: Vec<String> = ends
                    .map(|(sign, y)| format!("{} {}", if sign == "p" { "policy" } else { "value" }, number(y)))
                    .collect();
                let title = format!("Losses: {}", ends.join(", "));
                chart.render(titled(&title, area, buffer, colours), buffer, colours);
            }
            Panel::Diagnostics => {
                let body = titled("Doctor", area, buffer, colours);
                for (line, row) in diagnostic_lines(view, area.width).iter().zip(body.rows()) {
                    buffer.set_stringn(row.x, row.y, line, usize::from(row.width), colours.style(Ink::Warning));
                }
            }
            Panel::Workers => {
                let threads: u64 = view.workers.iter().map(|worker| worker.threads).sum();
                let title = format!("Workers: {}, {threads} threads", view.workers.len());
                let body = titled(&title, area, buffer, colours);
                for (worker, row) in view.workers.iter().zip(body.rows()) {
                    render_worker(worker, now, row, buffer, colours);
                }
            }
            Panel::Matches => {
                let matches = view.newest_matches();
                let generation = matches.first().map_or(0, |played| played.row.generation);
                let verdict = matches.first().and_then(|played| played.row.verdict.clone()).unwrap_or_default();
                let title = format!("Gate of generation {generation}: {verdict}");
                let body = titled(&title, area, buffer, colours);
                // The champion, the last, is the one that matters most.
                for (played, row) in matches.iter().rev().zip(body.rows()) {
                    render_match(&played.row, row, buffer, colours);
                }
            }
        }
    }
}

/// Writes a title line and returns what is below it.
fn titled(title: &str, area: Rect, buffer: &mut Buffer, colours: Colours) -> Rect {
    let columns = usize::from(area.width);
    let (end, _) = buffer.set_stringn(area.x, area.y, title, columns, colours.style(Ink::Title));
    for x in end + 1..area.right() {
        buffer[(x, area.y)].set_symbol("─").set_style(colours.style(Ink::Muted));
    }
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

fn render_phase(phase: &PhaseView, area: Rect, buffer: &mut Buffer, colours: Colours) {
    let PhaseView { name, generation, done, total, units, per_second, seconds_left } = phase;
    let share = phase.share();
    let counted = if *total > 0 { format!("{done}/{total} {units}") } else { format!("{done} {units}") };
    let rate = per_second.map_or(String::new(), |rate| format!(", {}/s", number(rate)));
    let left = seconds_left.map_or(String::new(), |seconds| format!(", {} left", duration(seconds)));
    let short = share.map_or_else(|| counted.clone(), percent);
    let versions = [
        format!("{name} of generation {generation}: {counted}{rate}{left}"),
        format!("{name} {generation}: {counted}{rate}{left}"),
        format!("{name}: {counted}{left}"),
        format!("{name} {short}{left}"),
        format!("{name} {short}"),
    ];
    let text = fitting(&versions, area.width);
    buffer.set_stringn(area.x, area.y, text, usize::from(area.width), colours.style(Ink::Plain));
    // The bar takes what the text leaves.
    let start = area.x + width(text) as u16 + 2;
    let Some(share) = share.filter(|_| start + 10 <= area.right()) else { return };
    let columns = area.right() - start;
    for column in 0..columns {
        let is_done = f64::from(column) < share * f64::from(columns);
        let (symbol, ink) = if is_done { ("█", Ink::Elo) } else { ("░", Ink::Muted) };
        buffer[(start + column, area.y)].set_symbol(symbol).set_style(colours.style(ink));
    }
}

fn render_match(played: &MatchRow, area: Rect, buffer: &mut Buffer, colours: Colours) {
    let score = format!("{:>5}", percent(played.score));
    buffer.set_stringn(area.x, area.y, &score, usize::from(area.width), colours.style(Ink::Plain));
    let rest = Rect { x: area.x + 6.min(area.width), width: area.width.saturating_sub(6), ..area };
    let versions = [format!("of {} games against {}", played.games, played.b), played.b.clone()];
    let text = fitting(&versions, rest.width);
    buffer.set_stringn(rest.x, rest.y, text, usize::from(rest.width), colours.style(Ink::Muted));
}

fn render_worker(worker: &WorkerView, now: u64, area: Rect, buffer: &mut Buffer, colours: Colours) {
    let WorkerView { name, heard_unix_seconds, .. } = worker;
    let (does, ago) = (worker.summary(), duration(now.saturating_sub(*heard_unix_seconds) as f64));
    let short = if worker.refusal.is_some() { format!("{name}  refused") } else { name.clone() };
    let versions = [format!("{name}  {does}, heard {ago} ago"), format!("{name}  {does}"), short];
    let ink = if worker.refusal.is_some() { Ink::Warning } else { Ink::Plain };
    buffer.set_stringn(area.x, area.y, fitting(&versions, area.width), usize::from(area.width), colours.style(ink));
}

fn diagnostic_lines(view: &RunView, columns: u16) -> Vec<String> {
    view.diagnostics.iter().flat_map(|diagnostic| wrapped(&format!("! {diagnostic}"), columns)).collect()
}

fn elo_chart(view: &RunView) -> Chart {
    let ratings = ratings(view);
    let x = |rating: &EloRow| rating.generation.map_or(0.0, f64::from);
    let baselines = view.rows.elo.iter().filter(|row| row.role == PlayerRole::Baseline);
    Chart {
        curves: vec![Curve {
            points: ratings.iter().map(|rating| (x(rating), rating.elo)).collect(),
            ink: Ink::Elo,
            sign: "",
        }],
        band: ratings.iter().map(|rating| (x(rating), rating.elo_low, rating.elo_high)).collect(),
        levels: baselines.map(|row| Level { y: row.elo, name: row.player.clone() }).collect(),
        x_title: "generation",
    }
}

fn loss_chart(view: &RunView) -> Chart {
    let losses = &view.rows.losses;
    let curve = |ink, sign, of: fn(&_) -> f64| Curve {
        points: losses.iter().map(|row| (row.step as f64, of(row))).collect(),
        ink,
        sign,
    };
    Chart {
        curves: vec![
            curve(Ink::PolicyLoss, "p", |row| row.policy_loss),
            curve(Ink::ValueLoss, "v", |row| row.value_loss),
        ],
        band: Vec::new(),
        levels: Vec::new(),
        x_title: "training step",
    }
}

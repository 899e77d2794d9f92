//! The numbers next to the charts: what each is called, what it is now, and how it came there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use selfplay_notebooks_export::SelfPlayNumbers;
use selfplay_notebooks_export::{EloRow, RunView};

use crate::colours::{Colours, Ink};
use crate::text::{number, percent, width};
use crate::trend::{bars, shares};

/// Columns for the name and the value of a number, and for the least bars worth drawing.
const NAME: u16 = 11;
const VALUE: u16 = 14;
const MIN_BARS: u16 = 8;

/// One line of numbers.
pub(crate) struct Number {
    name: &'static str,
    value: String,
    history: History,
}

/// What is drawn after a value.
enum History {
    None,
    Curve(Vec<f64>),
    /// First, second, draws.
    Shares([f64; 3]),
}

/// All numbers that `view` has, the most important first.
pub(crate) fn numbers(view: &RunView) -> Vec<Number> {
    let rows = &view.rows;
    let mut numbers = Vec::new();
    let ratings = ratings(view);
    if let Some(rating) = ratings.last() {
        let error = (rating.elo_high - rating.elo_low) / 2.0;
        let history = ratings.iter().map(|rating| rating.elo).collect();
        push(&mut numbers, "Elo", format!("{:.0} ±{error:.0}", rating.elo), History::Curve(history));
    }
    let generations: Vec<SelfPlayNumbers> = rows.selfplay.iter().map(SelfPlayNumbers::from_row).collect();
    if let Some(newest) = generations.last() {
        let curve = |of: fn(&SelfPlayNumbers) -> f64| History::Curve(generations.iter().map(of).collect());
        if let Some(rate) = newest.positions_per_second {
            let rates = generations.iter().filter_map(|numbers| numbers.positions_per_second).collect();
            push(&mut numbers, "positions/s", number(rate), History::Curve(rates));
        }
        let entropy = format!("{} nats", number(newest.row.policy_entropy_nats));
        push(&mut numbers, "entropy", entropy, curve(|numbers| numbers.row.policy_entropy_nats));
        let length = number(newest.row.mean_game_plies);
        push(&mut numbers, "game length", length, curve(|numbers| numbers.row.mean_game_plies));
        let outcomes = [newest.first_share, newest.second_share, newest.draw_share];
        let [first, second, draw] = outcomes.map(|share| format!("{:.0}", share * 100.0));
        push(&mut numbers, "1st/2nd/=", format!("{first}/{second}/{draw} %"), History::Shares(outcomes));
        if newest.truncated_share > 0.0 {
            let truncated = percent(newest.truncated_share);
            push(&mut numbers, "cut short", truncated, curve(|numbers| numbers.truncated_share));
        }
    }
    if let Some(generations) = view.replay_generations {
        push(&mut numbers, "replay age", format!("{} gen", number(generations)), History::None);
    }
    if let Some(share) = view.cpu_share {
        push(&mut numbers, "CPU use", percent(share), History::None);
    }
    if let Some(row) = rows.losses.last() {
        push(&mut numbers, "steps", row.step.to_string(), History::None);
        push(&mut numbers, "learn rate", format!("{}", row.learning_rate), History::None);
    }
    numbers
}

/// The ratings of the generations, in their order.
pub(crate) fn ratings(view: &RunView) -> Vec<&EloRow> {
    let mut ratings: Vec<&EloRow> = view.ratings().collect();
    ratings.sort_by_key(|rating| rating.generation);
    ratings
}

fn push(numbers: &mut Vec<Number>, name: &'static str, value: String, history: History) {
    numbers.push(Number { name, value, history });
}

impl Number {
    /// Draws into one row.
    pub(crate) fn render(&self, area: Rect, buffer: &mut Buffer, colours: Colours) {
        let columns = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, self.name, columns, colours.style(Ink::Muted));
        let value_x = area.x + (NAME + 1).min(area.width.saturating_sub(width(&self.value) as u16));
        let room = usize::from(area.right() - value_x);
        buffer.set_stringn(value_x, area.y, &self.value, room, colours.style(Ink::Plain));
        let bars_x = area.x + NAME + 1 + VALUE;
        if bars_x + MIN_BARS > area.right() {
            return;
        }
        let room = usize::from(area.right() - bars_x);
        match &self.history {
            History::None => {}
            History::Curve(values) => {
                buffer.set_stringn(bars_x, area.y, bars(values, room), room, colours.style(Ink::Elo));
            }
            History::Shares([first, second, draw]) => {
                let inks = [Ink::First, Ink::Second, Ink::Draw];
                let mut x = bars_x;
                for ((text, count), ink) in
                    shares(&[(*first, '█'), (*second, '░'), (*draw, '=')], room).iter().zip(inks)
                {
                    buffer.set_stringn(x, area.y, text, *count, colours.style(ink));
                    x += *count as u16;
                }
            }
        }
    }
}

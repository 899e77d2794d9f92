//! What a search expects, in words, as a bar, and as a table of its best moves.

use selfplay_env::{Rules, Side, Wdl};
use selfplay_mcts::SearchReport;
use selfplay_players::Decision;

use super::style::Style;

/// Moves in a hint.
const MAX_MOVES: usize = 5;
/// Characters of a value bar.
const BAR_WIDTH: usize = 30;

/// What the search behind `choice` expects for `side`, which made it, to follow the move's name.
pub(super) fn expectation(choice: &Decision, side: &str) -> String {
    let Some(report) = choice.report() else { return String::new() };
    let Wdl { win, draw, loss } = report.wdl;
    format!(
        " and expects for {side}: win {:.0} %, draw {:.0} %, loss {:.0} %",
        percent(win),
        percent(draw),
        percent(loss)
    )
}

/// The results that `report`, of a search for `side`, expects as a bar from the first side's wins on the left to the
/// second's on the right, with a line break; nothing without a search.
pub(super) fn value_bar(rules: &dyn Rules, choice: &Decision, side: Side, style: Style) -> String {
    let Some(report) = choice.report() else { return String::new() };
    let Wdl { win, draw, .. } = if side == Side::First { report.wdl } else { report.wdl.flipped() };
    let cells = |share: f32| (f64::from(share) * BAR_WIDTH as f64).round() as usize;
    let first = cells(win).min(BAR_WIDTH);
    let second = BAR_WIDTH - cells(win + draw).clamp(first, BAR_WIDTH);
    let parts = [
        style.paint("38;5;39", &if style == Style::Plain { "#" } else { "█" }.repeat(first)),
        style.paint("38;5;245", &if style == Style::Plain { "=" } else { "▒" }.repeat(BAR_WIDTH - first - second)),
        style.paint("38;5;208", &if style == Style::Plain { "." } else { "█" }.repeat(second)),
    ];
    let [left, right] = rules.side_names();
    format!("{left} [{}] {right}\n", parts.concat())
}

/// The moves that the search visited most, a line for each; nothing without a search.
pub(super) fn best_moves(rules: &dyn Rules, choice: &Decision) -> String {
    let Some(SearchReport { moves, .. }) = choice.report() else { return String::new() };
    let width = moves.iter().take(MAX_MOVES).map(|found| rules.action_name(found.action).len()).max().unwrap_or(0);
    let visits: u32 = moves.iter().map(|found| found.visits).sum();
    let line = |found: &selfplay_mcts::MoveReport| {
        let name = rules.action_name(found.action);
        let share = percent(found.visits as f32 / visits.max(1) as f32);
        let turns = found.turns.map_or(String::new(), |turns| format!(" in {turns}"));
        let proof = match found.proven {
            Some(1) => format!(", proven won{turns}"),
            Some(0) => ", proven drawn".to_owned(),
            Some(_) => format!(", proven lost{turns}"),
            None => String::new(),
        };
        format!("  {name:<width$}  {:>7} visits, {share:>3.0} %, Q {:+.2}{proof}\n", found.visits, found.q)
    };
    moves.iter().take(MAX_MOVES).map(line).collect()
}

fn percent(probability: f32) -> f64 {
    f64::from(probability) * 100.0
}

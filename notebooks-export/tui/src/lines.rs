//! What happened in a run, a line of text for each event: what one sees without a terminal.

use selfplay_notebooks_export::SelfPlayNumbers;
use selfplay_notebooks_export::{Event, RunState, RunView, Seen};

use crate::text::{number, percent};

/// A line for each event of `view` that `seen` does not hold, and one when the run has stopped or is finished; `seen`
/// holds them afterwards.
pub fn lines(view: &RunView, seen: &mut Seen) -> Vec<String> {
    let events = view.rows.events();
    let fresh = seen.fresh(&events);
    let mut lines: Vec<String> = fresh.iter().map(line_of).collect();
    seen.take(&fresh);
    let ending = match view.state {
        RunState::Running => None,
        RunState::Stopped { since_unix_seconds } => Some(("stopped", since_unix_seconds)),
        RunState::Finished { since_unix_seconds } => Some(("finished", since_unix_seconds)),
    };
    if let Some((word, since)) = ending
        && seen.take_key(format!("{word} {since}"))
    {
        lines.push(format!("{} is {word}", view.run));
    }
    lines
}

fn line_of(event: &Event<'_>) -> String {
    match event {
        Event::SelfPlay(row) => {
            let numbers = SelfPlayNumbers::from_row(row);
            let rate = numbers.positions_per_second.map_or(String::new(), |rate| format!(", {}/s", number(rate)));
            format!(
                "generation {} self-play: {} games, {} positions{rate}, {} plies a game, entropy {} nats, \
                 first {}, second {}, draws {}",
                row.generation,
                row.games,
                row.positions,
                number(row.mean_game_plies),
                number(row.policy_entropy_nats),
                percent(numbers.first_share),
                percent(numbers.second_share),
                percent(numbers.draw_share),
            )
        }
        Event::Learning(row) => format!(
            "generation {} learning: step {}, policy loss {}, value loss {}, rate {}, {} positions in replay",
            row.generation,
            row.step,
            number(row.policy_loss),
            number(row.value_loss),
            row.learning_rate,
            row.replay_positions,
        ),
        Event::Match { row, .. } => {
            let verdict = row.verdict.as_ref().map_or(String::new(), |verdict| format!(", gate: {verdict}"));
            format!(
                "generation {} match: {} against {}: {} of {} games (+{} ={} -{}){verdict}",
                row.generation,
                row.a,
                row.b,
                percent(row.score),
                row.games,
                row.wins,
                row.draws,
                row.losses,
            )
        }
        Event::Rating(row) => {
            format!("rating: {} Elo {:.0} ({:.0} to {:.0})", row.player, row.elo, row.elo_low, row.elo_high)
        }
        Event::Diagnostic(row) => format!("generation {} diagnostic: {}", row.generation, row.text),
    }
}

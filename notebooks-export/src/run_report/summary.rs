//! The short tables of the pages: what a run is, its ratings, its generations.

use super::contents::RunReport;
use crate::plots::number_text;
use crate::{EloRow, PlayerRole, champion_reason};

/// Rows of a table on a page; more are in the CSV file.
const MAX_ROWS: usize = 16;

/// A table of texts for a page.
pub struct ShortTable {
    /// What it shows.
    pub title: &'static str,
    /// The CSV file that holds all of it.
    pub table: &'static str,
    /// Its columns.
    pub columns: Vec<&'static str>,
    /// A text for each column; numbers are written for people.
    pub rows: Vec<Vec<String>>,
    /// How many rows are in the file and not here.
    pub left_out: usize,
}

/// The run in two sentences: which champion, how strong against what, at which cost; and why it is the champion.
pub fn verdict(run: &RunReport) -> String {
    let rows = &run.rows;
    let Some(champion) = champion(run) else {
        return "No generation of this run has been rated.".into();
    };
    let generation = champion.generation.unwrap_or_default();
    let last = last_generation(run).map_or(String::new(), |last| format!(" of {last}"));
    let strongest = rows.elo.iter().filter(|row| row.role == PlayerRole::Baseline);
    let strongest = strongest.max_by(|a, b| a.elo.total_cmp(&b.elo));
    let above = strongest.map_or(String::new(), |baseline| {
        let difference = champion.elo - baseline.elo;
        let place = match difference {
            _ if (champion.elo_low..=champion.elo_high).contains(&baseline.elo) => {
                "as far as can be told as strong as".into()
            }
            _ if difference < 0.0 => format!("{} Elo below", number_text(-difference, 0)),
            _ => format!("{} Elo above", number_text(difference, 0)),
        };
        let games = rows.ladder.iter().find(|row| row.generation == generation && row.baseline == baseline.player);
        let games = games.map_or(String::new(), |row| {
            format!(" (won {}, drawn {}, lost {} against it)", row.wins, row.draws, row.losses)
        });
        format!(", {place} {}{games}", baseline.player)
    });
    let untrained = rows.elo.iter().find(|row| row.generation == Some(0)).filter(|_| generation > 0);
    let gained = untrained.map_or(String::new(), |untrained| {
        format!(", {} above the untrained network", number_text(champion.elo - untrained.elo, 0))
    });
    let cost =
        champion.cumulative_cpu_hours.map_or(String::new(), |hours| format!(", after {} of CPU time", time(hours)));
    format!(
        "The champion is generation {generation}{last}: Elo {} ({}){above}{gained}{cost}. {}",
        number_text(champion.elo, 0),
        interval(champion),
        champion_reason(generation, &rows.elo, &rows.generations)
    )
}

/// A time in a unit that shows it.
fn time(hours: f64) -> String {
    match hours {
        _ if hours < 1.0 / 60.0 => format!("{} s", number_text(3600.0 * hours, 0)),
        _ if hours < 1.0 / 6.0 => format!("{} min", number_text(60.0 * hours, 1)),
        _ if hours < 1.0 => format!("{} min", number_text(60.0 * hours, 0)),
        _ => format!("{} h", number_text(hours, 2)),
    }
}

/// The rating of the run's champion: of the generation that the run names, else of the newest that passed a gate.
fn champion(run: &RunReport) -> Option<&EloRow> {
    let named = run.rows.elo.iter().find(|row| row.generation.is_some() && row.generation == run.meta.champion);
    let passed = run.rows.elo.iter().filter(|row| row.role == PlayerRole::Champion);
    named.or_else(|| passed.max_by_key(|row| row.generation))
}

fn last_generation(run: &RunReport) -> Option<u32> {
    let played = run.rows.selfplay.iter().map(|row| row.generation).max();
    played.max(run.rows.generations.iter().map(|row| row.generation).max())
}

/// What a run is, as pairs of name and text; what is not known says so.
pub fn facts(run: &RunReport) -> Vec<(&'static str, String)> {
    let or_unknown = |text: &str| if text.trim().is_empty() { "not known".to_owned() } else { text.to_owned() };
    let rows = &run.rows;
    let games: u64 = rows.selfplay.iter().map(|row| row.games).fold(0, u64::saturating_add);
    let simulations: u64 = rows.selfplay.iter().map(|row| row.simulations).fold(0, u64::saturating_add);
    let count = |number: u64| if rows.selfplay.is_empty() { "not known".into() } else { number_text(number as f64, 0) };
    let hours = rows.generations.iter().filter_map(|row| row.cumulative_cpu_hours);
    let hours = hours.chain(rows.elo.iter().filter_map(|row| row.cumulative_cpu_hours)).reduce(f64::max);
    let in_hours = |hours: Option<f64>| hours.map_or("not known".into(), time);
    let phases = rows.generations.iter().flat_map(|row| {
        [row.selfplay_wall_seconds, row.learn_wall_seconds, row.gate_wall_seconds].into_iter().flatten()
    });
    let wall = phases.reduce(|a, b| a + b).map(|seconds| seconds / 3600.0);
    vec![
        ("Game", or_unknown(&run.meta.game)),
        (
            "Champion",
            champion(run).map_or("none rated".into(), |row| {
                format!("{}, Elo {} ({})", row.player, number_text(row.elo, 0), interval(row))
            }),
        ),
        ("Last generation", last_generation(run).map_or("none finished".into(), |last| last.to_string())),
        ("Network", or_unknown(&run.meta.network)),
        ("Search", or_unknown(&run.meta.search)),
        ("Self-play games", count(games)),
        ("Simulations", count(simulations)),
        ("CPU time of self-play and learning", in_hours(hours)),
        ("Elapsed time, gates included", in_hours(wall)),
        ("Dates", or_unknown(&run.meta.dates)),
        ("Machine", or_unknown(&run.meta.machine)),
        ("Program", or_unknown(&run.meta.program_version)),
        ("Commit", or_unknown(run.meta.commit.as_deref().unwrap_or_default())),
        ("Seed", run.meta.seed.map_or("not known".into(), |seed| seed.to_string())),
    ]
}

fn interval(row: &EloRow) -> String {
    format!("{} to {}", number_text(row.elo_low, 0), number_text(row.elo_high, 0))
}

/// The tables that a page shows of a run; those without rows are left out.
pub fn short_tables(run: &RunReport) -> Vec<ShortTable> {
    let tables = [ratings(run), generations(run), matches(run)];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn ratings(run: &RunReport) -> ShortTable {
    let (baselines, rated): (Vec<&EloRow>, Vec<&EloRow>) =
        run.rows.elo.iter().partition(|row| row.role == PlayerRole::Baseline);
    let (chosen, left_out) = evenly(&rated);
    let shown = baselines.into_iter().chain(chosen);
    let rows = shown.map(|row| {
        let role = match row.role {
            PlayerRole::Baseline => "baseline",
            PlayerRole::Candidate => "candidate",
            PlayerRole::Champion => "champion",
        };
        vec![
            row.player.clone(),
            number_text(row.elo, 0),
            interval(row),
            number_text(row.games as f64, 0),
            percent(Some(row.score)),
            optional(row.cumulative_cpu_hours, 2),
            role.into(),
        ]
    });
    ShortTable {
        title: "Ratings",
        table: "elo",
        columns: vec!["player", "Elo", "95 % interval", "games", "score (%)", "CPU time (h)", "role"],
        rows: rows.collect(),
        left_out,
    }
}

fn generations(run: &RunReport) -> ShortTable {
    let all: Vec<_> = run.rows.generations.iter().collect();
    let (chosen, left_out) = evenly(&all);
    let rows = chosen.into_iter().map(|row| {
        vec![
            row.generation.to_string(),
            optional(row.cumulative_cpu_hours, 2),
            optional(row.cumulative_games.map(|games| games as f64), 0),
            optional(row.steps.map(|steps| steps as f64), 0),
            optional(row.policy_loss, 3),
            optional(row.value_loss, 3),
            percent(row.ladder_score),
            row.verdict.clone().unwrap_or_else(|| "\u{2013}".into()),
        ]
    });
    ShortTable {
        title: "Generations",
        table: "generations",
        columns: vec![
            "generation",
            "CPU time (h)",
            "games",
            "steps",
            "policy loss",
            "value loss",
            "ladder score (%)",
            "verdict",
        ],
        rows: rows.collect(),
        left_out,
    }
}

fn matches(run: &RunReport) -> ShortTable {
    let left_out = run.rows.matches.len().saturating_sub(MAX_ROWS);
    let rows = run.rows.matches[left_out..].iter().map(|row| {
        vec![
            row.generation.to_string(),
            row.a.clone(),
            row.b.clone(),
            number_text(row.games as f64, 0),
            format!("{} / {} / {}", row.wins, row.draws, row.losses),
            percent(Some(row.score)),
            optional(row.elo, 0),
        ]
    });
    ShortTable {
        title: "Last matches",
        table: "matches",
        columns: vec!["generation", "player", "opponent", "games", "won / drawn / lost", "score (%)", "Elo difference"],
        rows: rows.collect(),
        left_out,
    }
}

/// At most [`MAX_ROWS`] of the rows, evenly spread, first and last among them; and how many are left out.
fn evenly<'a, T>(rows: &[&'a T]) -> (Vec<&'a T>, usize) {
    if rows.len() <= MAX_ROWS {
        return (rows.to_vec(), 0);
    }
    let place = |index: usize| index * (rows.len() - 1) / (MAX_ROWS - 1);
    ((0..MAX_ROWS).map(|index| rows[place(index)]).collect(), rows.len() - MAX_ROWS)
}

fn percent(share: Option<f64>) -> String {
    optional(share.map(|share| 100.0 * share), 1)
}

fn optional(value: Option<f64>, decimals: usize) -> String {
    value.map_or("\u{2013}".into(), |value| number_text(value, decimals))
}

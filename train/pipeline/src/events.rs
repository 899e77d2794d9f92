//! The events of a training run: what observers get, what `train` prints for people, and what `train --events json` writes
//! for programs (`docs/events.md`).

use std::fmt::Write as _;

use selfplay_arena::{GateDecision, MatchSummary};
use selfplay_notebooks_export::{EloRow, PlayerRole};
use selfplay_ratings::Unrated;
use selfplay_ratings::ratings::PRIOR;
use serde::{Deserialize, Serialize};

use crate::phase::Phase;

/// Version of the JSON form of [`Event`]. It grows when an event or a field is removed or changes its meaning; an event or a
/// field that is new leaves it.
pub const EVENTS_VERSION: u32 = 1;

/// An event of a training run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A probe of this machine begins, to plan a config for a game and a time.
    PlanningStarted,
    /// The config is planned, now or by an earlier call.
    Planned {
        /// The file that holds it.
        config: String,
        /// Why it is as it is, for people; empty for a config that was planned earlier.
        reasons: String,
    },
    /// The run folder is open.
    RunOpened {
        /// Id of the game.
        game: String,
        /// The run folder.
        run: String,
        /// The run's last generation.
        generations: u32,
    },
    /// The run had been begun before and resumes.
    Resumed {
        /// The first generation that is not complete.
        generation: u32,
    },
    /// A generation begins or resumes.
    GenerationStarted {
        /// Which.
        generation: u32,
    },
    /// A phase begins.
    PhaseStarted(PhaseStart),
    /// The current phase has done another part of its work. Events from different threads may arrive in another order.
    Progress {
        /// Which phase.
        phase: Phase,
        /// Of which generation.
        generation: u32,
        /// Units done.
        done: u64,
        /// Units to be done; fewer if the phase ends early.
        total: u64,
    },
    /// The baselines have played each other.
    BaselinesFinished {
        /// Their matches.
        matches: Vec<MatchResult>,
        /// Elapsed seconds.
        wall_seconds: f64,
    },
    /// The games of a generation are played.
    SelfPlayFinished {
        /// Which generation.
        generation: u32,
        /// Games.
        games: u64,
        /// Positions to learn from.
        positions: u64,
        /// Games won by the side that moves first.
        first_wins: u64,
        /// Games drawn.
        draws: u64,
        /// Games won by the side that moves second.
        second_wins: u64,
        /// Games stopped at the limit of their length.
        truncated: u64,
        /// Simulations a second in this call, if measured.
        simulations_per_second: Option<f64>,
        /// Share of the leaves found in caches, in 0..=1; empty without caches.
        cache_hit_share: Option<f64>,
        /// Elapsed seconds.
        wall_seconds: f64,
    },
    /// The training steps of a generation are done.
    LearningFinished {
        /// Which generation.
        generation: u32,
        /// Training steps.
        steps: u64,
        /// Policy loss over the last steps, in nats; empty if unknown.
        policy_loss: Option<f64>,
        /// Value loss over the last steps, in nats; empty if unknown.
        value_loss: Option<f64>,
        /// Positions in the replay window.
        replay_positions: u64,
        /// Elapsed seconds.
        wall_seconds: f64,
    },
    /// A checkpoint is on the disk.
    CheckpointWritten {
        /// Generation of the network.
        generation: u32,
        /// The checkpoint's folder.
        checkpoint: String,
    },
    /// A candidate has played the baselines and the champion.
    GateFinished {
        /// The candidate.
        generation: u32,
        /// What happens to it.
        decision: GateDecision,
        /// The verdict with its reasons, for people.
        verdict: String,
        /// Mean score against the baselines, in 0..=1; empty without baselines.
        ladder_score: Option<f64>,
        /// Generation of the champion before the gate; empty for the first candidate.
        champion: Option<u32>,
        /// The candidate's matches: against each baseline, then against the champion.
        matches: Vec<MatchResult>,
        /// Elapsed seconds.
        wall_seconds: f64,
    },
    /// A candidate has become the champion.
    ChampionChanged {
        /// Its generation.
        generation: u32,
        /// Its checkpoint's folder.
        checkpoint: String,
    },
    /// Something may be wrong; the run continues.
    Warning {
        /// A sentence for people.
        message: String,
    },
    /// With `--step`: the run waits for a line on standard input.
    Waiting {
        /// The generation that is complete.
        generation: u32,
    },
    /// No further generation begins: the time is over, or the input of `--step` has ended.
    Stopped {
        /// Seconds that this call has trained.
        seconds: f64,
    },
    /// Tables and plots are written. The last event of a call that ends well.
    Finished(Finished),
    /// A signal ends the program. The last event of such a call.
    Interrupted {
        /// Exit status of the program.
        status: i32,
    },
    /// An error ends the program. The last event of such a call.
    Failed {
        /// What is wrong.
        error: String,
    },
}

/// A phase that begins.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PhaseStart {
    /// Which.
    pub phase: Phase,
    /// Of which generation.
    pub generation: u32,
    /// Units to be done, of the kind [`Phase::units`]; fewer if the phase ends early.
    pub total: u64,
}

/// The result of a match, from the view of player `a`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    /// Name of player A.
    pub a: String,
    /// Name of player B.
    pub b: String,
    /// Games played.
    pub games: u32,
    /// Games that A won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games that A lost.
    pub losses: u32,
    /// A's points per game, in 0..=1.
    pub score: f64,
}

impl From<&MatchSummary> for MatchResult {
    fn from(summary: &MatchSummary) -> Self {
        let MatchSummary { games, wins, draws, losses, score, .. } = *summary;
        MatchResult { a: summary.a.clone(), b: summary.b.clone(), games, wins, draws, losses, score }
    }
}

/// What a run has come to at the end of a call.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Finished {
    /// The champion; empty before the first gate.
    pub champion: Option<ChampionSummary>,
    /// Ratings of the baselines and of the champion.
    pub elo: Vec<EloRow>,
    /// Players without a rating.
    pub unrated: Option<Unrated>,
    /// The tables that were written.
    pub tables: Vec<String>,
    /// The plots that were written.
    pub plots: Vec<String>,
}

/// A run's champion.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChampionSummary {
    /// Its generation.
    pub generation: u32,
    /// Its checkpoint's folder.
    pub checkpoint: String,
    /// Why it is the champion, for people; empty if that is unknown.
    pub reason: Option<String>,
    /// The command that plays against it in the terminal.
    pub play: String,
    /// The command that lets it be played in the browser.
    pub serve: String,
}

impl Finished {
    /// The ratings of `elo` that belong into it: those of baselines and of the champion.
    pub fn rated(elo: &[EloRow], champion: u32) -> Vec<EloRow> {
        let is_shown = |row: &&EloRow| row.role == PlayerRole::Baseline || row.generation == Some(champion);
        elo.iter().filter(is_shown).cloned().collect()
    }

    /// The ratings, files and the command to play, several lines for people; `None` without a champion.
    fn text(&self) -> Option<String> {
        let champion = self.champion.as_ref()?;
        let mut text = format!("\nElo by maximum likelihood over all matches of the run, random = 0, prior: {PRIOR}");
        // Writing to a string cannot fail.
        for EloRow { player, elo, elo_low, elo_high, .. } in &self.elo {
            let _ = write!(text, "\n{player:<24} Elo {elo:>6.0}  ({elo_low:.0} to {elo_high:.0})");
        }
        if let Some(unrated) = &self.unrated {
            let _ = write!(text, "\n{unrated}");
        }
        let _ = write!(text, "\nchampion   {}", champion.checkpoint);
        if let Some(reason) = &champion.reason {
            let _ = write!(text, "\ngate       {reason}");
        }
        let _ = write!(text, "\ntables     {}", self.tables.join("\n           "));
        let _ = write!(text, "\nplots      {}", self.plots.join("\n           "));
        let _ = write!(
            text,
            "\n\nPlay against it in the terminal, or in the browser:\n  {}\n  {}",
            champion.play, champion.serve
        );
        Some(text)
    }
}

impl Event {
    /// What people read of the event, a line or several without the last line's end; `None` for events that only programs get.
    pub fn text(&self) -> Option<String> {
        let result = |generation: u32, phase: Phase, result: String| {
            Some(format!("generation {generation:>3}  {:<9}  {result}", phase.title()))
        };
        match self {
            Event::PlanningStarted => Some("measuring networks on this machine for about 20 seconds".into()),
            Event::Planned { config, reasons } if reasons.is_empty() => {
                Some(format!("using the earlier plan in {config}"))
            }
            Event::Planned { config, reasons } => Some(format!("{reasons}saved as {config}")),
            Event::RunOpened { game, run, .. } => Some(format!("{game} in {run}")),
            Event::Resumed { generation } => Some(format!("resuming at generation {generation}")),
            Event::BaselinesFinished { matches, wall_seconds } => {
                Some(format!("baselines       {} matches, {wall_seconds:.1} s", matches.len()))
            }
            &Event::SelfPlayFinished {
                generation,
                games,
                positions,
                first_wins,
                draws,
                second_wins,
                truncated,
                simulations_per_second,
                cache_hit_share,
                wall_seconds,
            } => {
                let [first, draw, second] =
                    [first_wins, draws, second_wins].map(|n| 100.0 * n as f64 / games.max(1) as f64);
                let rate = simulations_per_second.map_or(String::new(), |rate| format!(", {rate:.0} simulations/s"));
                let known =
                    cache_hit_share.map_or(String::new(), |hits| format!(", {:.0} % from the cache", 100.0 * hits));
                let games = format!("{games} games, {positions} positions");
                let results = format!("first/draw/second {first:.0}/{draw:.0}/{second:.0} %, {truncated} truncated");
                result(generation, Phase::SelfPlay, format!("{games}, {results}, {wall_seconds:.1} s{rate}{known}"))
            }
            Event::LearningFinished { generation, steps, policy_loss, value_loss, replay_positions, wall_seconds } => {
                let losses = match (policy_loss, value_loss) {
                    (Some(policy), Some(value)) => format!("policy loss {policy:.3}, value loss {value:.3}"),
                    _ => "losses unknown".into(),
                };
                let learned =
                    format!("{steps} steps, {losses}, window {replay_positions} positions, {wall_seconds:.1} s");
                result(*generation, Phase::Learn, learned)
            }
            Event::GateFinished { generation, verdict, ladder_score, champion, wall_seconds, .. } => {
                // Later ones stand in the verdict, compared with the best champion's.
                let first = ladder_score.filter(|_| champion.is_none());
                let ladder = first.map_or(String::new(), |score| format!(", ladder {score:.3}"));
                result(*generation, Phase::Gate, format!("{verdict}{ladder}, {wall_seconds:.1} s"))
            }
            Event::Warning { message } => Some(format!("{:<14}  {:<9}  {message}", "", "warning")),
            Event::Waiting { generation } => Some(format!(
                "generation {generation:>3}  waiting    press Enter to continue; end of input (Ctrl-D) stops"
            )),
            Event::Stopped { seconds } => {
                Some(format!("stopped after {:.2} hours; run the same command to resume", seconds / 3600.0))
            }
            Event::Finished(finished) => finished.text(),
            Event::GenerationStarted { .. }
            | Event::PhaseStarted(_)
            | Event::Progress { .. }
            | Event::CheckpointWritten { .. }
            | Event::ChampionChanged { .. }
            | Event::Interrupted { .. }
            | Event::Failed { .. } => None,
        }
    }
}

/// An [`Event`] as a line of JSON, without the line's end: the event's own keys, the `version` of them, and under `text` what
/// people read of it.
pub fn json_line(event: &Event, text: Option<&str>) -> String {
    #[derive(Serialize)]
    struct EventLine<'a> {
        version: u32,
        #[serde(flatten)]
        event: &'a Event,
        text: Option<&'a str>,
    }
    serde_json::to_string(&EventLine { version: EVENTS_VERSION, event, text }).expect("plain data")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const DOCS: &str = include_str!("../../../docs/events.md");

    /// One of each kind.
    fn examples() -> Vec<Event> {
        let (generation, text, wall_seconds) = (3, String::from("text"), 2.0);
        let start = PhaseStart { phase: Phase::SelfPlay, generation, total: 9 };
        let played = MatchResult {
            a: "gen-00003".into(),
            b: "random".into(),
            games: 2,
            wins: 1,
            draws: 1,
            losses: 0,
            score: 0.75,
        };
        let champion = ChampionSummary {
            generation,
            checkpoint: text.clone(),
            reason: None,
            play: text.clone(),
            serve: text.clone(),
        };
        vec![
            Event::PlanningStarted,
            Event::Planned { config: text.clone(), reasons: String::new() },
            Event::RunOpened { game: text.clone(), run: text.clone(), generations: 9 },
            Event::Resumed { generation },
            Event::GenerationStarted { generation },
            Event::PhaseStarted(start),
            Event::Progress { phase: Phase::Learn, generation, done: 1, total: 9 },
            Event::BaselinesFinished { matches: vec![played.clone()], wall_seconds },
            Event::SelfPlayFinished {
                generation,
                games: 4,
                positions: 20,
                first_wins: 2,
                draws: 1,
                second_wins: 1,
                truncated: 0,
                simulations_per_second: Some(1000.0),
                cache_hit_share: None,
                wall_seconds,
            },
            Event::LearningFinished {
                generation,
                steps: 8,
                policy_loss: Some(1.5),
                value_loss: Some(0.5),
                replay_positions: 20,
                wall_seconds,
            },
            Event::CheckpointWritten { generation, checkpoint: text.clone() },
            Event::GateFinished {
                generation,
                decision: GateDecision::Promote,
                verdict: "promoted".into(),
                ladder_score: Some(0.75),
                champion: None,
                matches: vec![played],
                wall_seconds,
            },
            Event::ChampionChanged { generation, checkpoint: text.clone() },
            Event::Warning { message: text.clone() },
            Event::Waiting { generation },
            Event::Stopped { seconds: 3600.0 },
            Event::Finished(Finished { champion: Some(champion), ..Finished::default() }),
            Event::Interrupted { status: 130 },
            Event::Failed { error: text },
        ]
    }

    #[test]
    fn events_come_back_from_their_lines_and_stand_in_the_documentation() {
        let mut documented: Vec<&str> =
            DOCS.split("## Event types").nth(1).unwrap().split("\n## ").next().unwrap().lines().collect();
        documented.retain(|line| line.starts_with("| `"));
        let examples = examples();
        // serde names all kinds where it does not find one.
        let kinds = serde_json::from_str::<Event>(r#"{"event": "unknown"}"#).unwrap_err().to_string();
        assert_eq!(
            (documented.len(), examples.len()),
            (kinds.matches('`').count() / 2 - 1, documented.len()),
            "{kinds}"
        );
        for (event, row) in examples.iter().zip(documented) {
            let line = json_line(event, event.text().as_deref());
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), *event);
            let Value::Object(keys) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
            assert_eq!(keys["version"], EVENTS_VERSION);
            assert!(row.starts_with(&format!("| `{}` |", keys["event"].as_str().unwrap())), "{row}");
            let described =
                |key: &&String| ["version", "event", "text"].contains(&&***key) || row.contains(&format!("`{key}`"));
            assert_eq!(keys.keys().find(|key| !described(key)), None, "{row}");
        }
        for key in ["a", "b", "games", "wins", "draws", "losses", "score"] {
            assert!(DOCS.contains(&format!("`{key}`")), "a match has {key}");
        }
    }
    #[test]
    fn people_read_lines_in_columns() {
        let texts: Vec<String> = examples().iter().filter_map(Event::text).collect();
        assert_eq!(
            texts[..5],
            [
                "measuring networks on this machine for about 20 seconds",
                "using the earlier plan in text",
                "text in text",
                "resuming at generation 3",
                "baselines       1 matches, 2.0 s",
            ]
        );
        assert_eq!(
            texts[5..11],
            [
                "generation   3  self-play  4 games, 20 positions, first/draw/second 50/25/25 %, 0 truncated, 2.0 s, 1000 simulations/s",
                "generation   3  learning   8 steps, policy loss 1.500, value loss 0.500, window 20 positions, 2.0 s",
                "generation   3  gate       promoted, ladder 0.750, 2.0 s",
                "                warning    text",
                "generation   3  waiting    press Enter to continue; end of input (Ctrl-D) stops",
                "stopped after 1.00 hours; run the same command to resume",
            ]
        );
        assert!(
            texts[11].starts_with("\nElo by maximum likelihood")
                && texts[11].ends_with("in the browser:\n  text\n  text")
        );
    }
}

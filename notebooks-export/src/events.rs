//! What happened in a run, one event after another, derived from the rows of its tables.
//!
//! An event borrows its row and has a [key](Event::key), so that a consumer that receives all events again takes each
//! only once.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{EloRow, LossRow, MatchRow, SelfPlayRow, TableRow};

/// The rows of a run as far as it is done; each list may be empty.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct RunRows {
    /// Self-play by generation.
    pub selfplay: Vec<SelfPlayRow>,
    /// Losses by training step.
    pub losses: Vec<LossRow>,
    /// Matches in the order they were played.
    pub matches: Vec<MatchRow>,
    /// Ratings, baselines and generations.
    pub elo: Vec<EloRow>,
    /// What the doctor said, in the order it was said.
    pub diagnostics: Vec<DiagnosticRow>,
}

/// Something that looks wrong with a run, and what to try.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DiagnosticRow {
    /// The generation after which it was first said.
    pub generation: u32,
    /// A short name of what is wrong, the same whenever it is wrong again.
    pub kind: String,
    /// What was seen and what to try, a sentence for people.
    pub text: String,
}

/// What the second player of a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Opponent {
    /// A fixed player of the ladder.
    Baseline,
    /// An earlier generation, the champion of its time.
    Generation,
}

/// One thing that happened. As JSON: the columns of the row, and `event` with the variant's name in snake case.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// A generation has played itself.
    SelfPlay(&'a SelfPlayRow),
    /// Some training steps were made.
    Learning(&'a LossRow),
    /// A match was played.
    Match {
        /// The match.
        #[serde(flatten)]
        row: &'a MatchRow,
        /// What its player `b` is.
        opponent: Opponent,
    },
    /// A player was rated.
    Rating(&'a EloRow),
    /// The doctor said something.
    Diagnostic(&'a DiagnosticRow),
}

impl Event<'_> {
    /// What tells this event from all others of the run: the same for the same row, whatever numbers it holds.
    pub fn key(&self) -> String {
        match self {
            Event::SelfPlay(row) => format!("self_play {}", row.generation),
            Event::Learning(row) => format!("learning {} {}", row.generation, row.step),
            Event::Match { row, .. } => format!("match {} {} {}", row.generation, row.a, row.b),
            Event::Rating(row) => format!("rating {}", row.player),
            Event::Diagnostic(row) => format!("diagnostic {} {}", row.generation, row.kind),
        }
    }

    /// The generation it belongs to; 0 for ratings of baselines.
    pub fn generation(&self) -> u32 {
        match self {
            Event::SelfPlay(row) => row.generation,
            Event::Learning(row) => row.generation,
            Event::Match { row, .. } => row.generation,
            Event::Rating(row) => row.generation.unwrap_or(0),
            Event::Diagnostic(row) => row.generation,
        }
    }

    /// The table and column that hold an infinite number or none at all (NaN), with what they hold.
    pub fn not_finite(&self) -> Option<(&'static str, &'static str, f64)> {
        fn of<R: TableRow>(row: &R) -> Option<(&'static str, &'static str, f64)> {
            row.not_finite().map(|(column, value)| (R::TABLE, column, value))
        }
        match self {
            Event::SelfPlay(row) => of(*row),
            Event::Learning(row) => of(*row),
            Event::Match { row, .. } => of(*row),
            Event::Rating(row) => of(*row),
            Event::Diagnostic(_) => None,
        }
    }

    /// Its place among the events of a generation.
    fn rank(&self) -> u8 {
        match self {
            Event::SelfPlay(_) => 0,
            Event::Learning(_) => 1,
            Event::Match { .. } => 2,
            Event::Rating(_) => 3,
            Event::Diagnostic(_) => 4,
        }
    }
}

impl RunRows {
    /// All events, generation by generation; in each self-play, learning, matches, ratings, diagnostics.
    pub fn events(&self) -> Vec<Event<'_>> {
        // Whoever was put to the gate is a generation, all others are baselines.
        let gated: HashSet<&str> = self.matches.iter().filter(|row| row.verdict.is_some()).map(|row| &*row.a).collect();
        let opponent = |row: &MatchRow| match gated.contains(&*row.b) {
            true => Opponent::Generation,
            false => Opponent::Baseline,
        };
        let mut events: Vec<Event<'_>> = self.selfplay.iter().map(Event::SelfPlay).collect();
        events.extend(self.losses.iter().map(Event::Learning));
        events.extend(self.matches.iter().map(|row| Event::Match { row, opponent: opponent(row) }));
        events.extend(self.elo.iter().map(Event::Rating));
        events.extend(self.diagnostics.iter().map(Event::Diagnostic));
        events.sort_by_key(|event| (event.generation(), event.rank()));
        events
    }
}

/// The events that were taken already.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Seen(HashSet<String>);

impl Seen {
    /// Those of `events` that were not taken, each once, in order.
    pub fn fresh<'a>(&self, events: &[Event<'a>]) -> Vec<Event<'a>> {
        let mut now = HashSet::new();
        let is_fresh = |event: &&Event<'_>| {
            let key = event.key();
            !self.0.contains(&key) && now.insert(key)
        };
        events.iter().filter(is_fresh).copied().collect()
    }

    /// Takes these `events`.
    pub fn take(&mut self, events: &[Event<'_>]) {
        self.0.extend(events.iter().map(Event::key));
    }

    /// Takes what `key` names; tells whether that was the first time.
    pub fn take_key(&mut self, key: String) -> bool {
        self.0.insert(key)
    }
}

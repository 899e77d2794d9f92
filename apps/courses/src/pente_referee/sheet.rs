//! What came of the games before the judge, for people.

use std::time::Duration;

use selfplay_env::{Action, Game, Outcome, Side};
use selfplay_pente::Pente;

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// Five in a row or five pairs.
    Rules,
    /// The board is full; the agent with more time left wins.
    FullBoard,
    /// The loser's time is used up.
    Time,
    /// The loser gave no legal move.
    NoMove(String),
}

/// A game before the judge.
#[derive(Clone, PartialEq, Debug)]
pub struct RefereedGame {
    /// Which agent, 0 or 1, was White.
    pub white: usize,
    /// Which agent won; `None` for a draw.
    pub winner: Option<usize>,
    /// Why it ended.
    pub reason: EndReason,
    /// The moves.
    pub actions: Vec<Action>,
    /// The result by the rules; `None` if it ended otherwise.
    pub outcome: Option<Outcome>,
    /// CPU time of each agent.
    pub cpu_time: [Duration; 2],
}

impl RefereedGame {
    /// The side that `agent` had.
    pub fn side(&self, agent: usize) -> Side {
        if self.white == agent { Side::First } else { Side::Second }
    }

    /// The game in our text, with `*` where it did not end by the rules.
    pub fn text(&self) -> String {
        selfplay_env::game_text::format_game::<Pente<19>>(&self.actions, self.outcome)
    }

    /// One line for people: result and reason.
    pub fn summary(&self, names: &[String; 2]) -> String {
        let Some(winner) = self.winner else {
            return "drawn, the board is full and both have the same time left".into();
        };
        let loser = &names[1 - winner];
        let how = match &self.reason {
            EndReason::Rules => "by the rules".into(),
            EndReason::FullBoard => "the board is full, and it has more time left".into(),
            EndReason::Time => format!("{loser} has used up its time"),
            EndReason::NoMove(reason) => format!("{loser} {reason}"),
        };
        format!("{} wins as {}: {how}", names[winner], Pente::<19>::spec().side_names[self.side(winner).index()])
    }
}

/// All games of a pairing.
#[derive(Clone, PartialEq, Debug)]
pub struct ScoreSheet {
    /// What the agents are called.
    pub names: [String; 2],
    /// The games, in their order.
    pub games: Vec<RefereedGame>,
}

impl ScoreSheet {
    /// Games that `agent` has won, drawn and lost.
    pub fn score(&self, agent: usize) -> [usize; 3] {
        let mut score = [0; 3];
        for game in &self.games {
            score[game.winner.map_or(1, |winner| if winner == agent { 0 } else { 2 })] += 1;
        }
        score
    }

    /// Whether `agent` has lost more than half of the games, which ends a tournament for it.
    pub fn is_out(&self, agent: usize) -> bool {
        2 * self.score(agent)[2] > self.games.len()
    }

    /// Games that `agent` lost by its time, and those that it lost without a legal move.
    pub fn faults(&self, agent: usize) -> [usize; 2] {
        let lost = |is_fault: fn(&EndReason) -> bool| {
            let is_lost = |game: &&RefereedGame| game.winner == Some(1 - agent) && is_fault(&game.reason);
            self.games.iter().filter(is_lost).count()
        };
        [lost(|reason| *reason == EndReason::Time), lost(|reason| matches!(reason, EndReason::NoMove(_)))]
    }

    /// The sheet: a line for each game, then the totals.
    pub fn text(&self) -> String {
        let mut text = format!("A: {}\nB: {}\n", self.names[0], self.names[1]);
        text.push_str("game  White  winner  plies    CPU A s    CPU B s  reason\n");
        let mark = |agent: usize| ["A", "B"][agent];
        for (index, game) in self.games.iter().enumerate() {
            let [a, b] = game.cpu_time.map(|time| time.as_secs_f64());
            let reason = match &game.reason {
                EndReason::Rules => "rules".into(),
                EndReason::FullBoard => "full board".into(),
                EndReason::Time => "time".into(),
                EndReason::NoMove(reason) => reason.replace('\n', " "),
            };
            text.push_str(&format!(
                "{:>4}  {:<5}  {:<6}  {:>5}  {a:>9.3}  {b:>9.3}  {reason}\n",
                index + 1,
                mark(game.white),
                game.winner.map_or("draw", mark),
                game.actions.len()
            ));
        }
        for agent in 0..2 {
            let [won, drawn, lost] = self.score(agent);
            let [time, no_move] = self.faults(agent);
            let cpu: Duration = self.games.iter().map(|game| game.cpu_time[agent]).sum();
            let out = if self.is_out(agent) { "; out" } else { "" };
            text.push_str(&format!(
                "{}: {won} won, {drawn} drawn, {lost} lost ({time} by time, {no_move} without a legal move), \
                 {:.3} s CPU{out}\n",
                mark(agent),
                cpu.as_secs_f64()
            ));
        }
        text
    }
}

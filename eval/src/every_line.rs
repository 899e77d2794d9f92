//! Every game that a player can be led into: all that the other side may decide, and the player's answer each time.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use selfplay_env::{Action, Game, Outcome, Side};

use crate::error::EvalError;
use crate::player::{Player, Seat};

/// Lost games that a report keeps.
const KEPT_LOSSES: usize = 100;

/// What to lead a player into, and how.
#[derive(Clone, Debug)]
pub struct EveryLineConfig {
    /// The player's side; the other one tries everything.
    pub side: Side,
    /// The decisions of both sides that every game begins with.
    pub after: Vec<Action>,
    /// Seed of the player's random choices.
    pub seed: u64,
    /// Positions that the player thinks about together, at least 1.
    pub at_once: usize,
}

/// What came of all the games.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct EveryLineReport {
    /// Games that the player wins.
    pub won: u64,
    /// Drawn games.
    pub drawn: u64,
    /// Games that the player loses.
    pub lost: u64,
    /// How often the player was asked.
    pub asked: u64,
    /// All decisions of the first hundred games lost.
    pub losses: Vec<Vec<Action>>,
}

impl EveryLineReport {
    /// Games in all.
    pub fn games(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// Plays every game that the other side can lead the player into from the position after `config.after`, deciding
    /// once for each different successor. The player is made anew, by `make`, for every share of the work, on rayon's
    /// current pool; each of its decisions is made at a table with `config.seed`. `progress` is told games and losses of
    /// each share when it is whole, from any thread.
    ///
    /// Takes as long as there are games: for small games, or late positions.
    ///
    /// # Errors
    /// What `make` and the player fail with; for an `after` that ends the game, none: there is one game then.
    ///
    /// # Panics
    /// If `config.after` cannot be played.
    pub fn of<G: Game>(
        make: impl Fn() -> Result<Box<dyn Player<G>>, EvalError> + Sync,
        config: &EveryLineConfig,
        progress: impl Fn(&EveryLineReport) + Sync,
    ) -> Result<Self, EvalError> {
        let mut position = G::initial();
        config.after.iter().for_each(|&action| position.play(action));
        let mut beginning = Walk::new(config);
        beginning.follow(Line { position, history: config.after.clone() });
        // Where the player has the first decision, its answer leads to more than one line to share out.
        if let [_] = beginning.open[..] {
            beginning.answer(make()?.as_mut())?;
        }
        progress(&beginning.report);
        let walked = |line| {
            let mut walk = Walk::new(config);
            walk.open.push(line);
            let mut player = make()?;
            while !walk.open.is_empty() {
                walk.answer(player.as_mut())?;
            }
            progress(&walk.report);
            Ok(walk.report)
        };
        let shares: Vec<_> = beginning.open.into_par_iter().map(walked).collect::<Result<_, EvalError>>()?;
        Ok(shares.into_iter().fold(beginning.report, EveryLineReport::and))
    }

    fn and(mut self, other: EveryLineReport) -> Self {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
        self.asked += other.asked;
        self.losses.extend(other.losses);
        self.losses.truncate(KEPT_LOSSES);
        self
    }
}

/// A game so far.
struct Line<G> {
    position: G,
    history: Vec<Action>,
}

/// Games on their way.
struct Walk<'a, G> {
    config: &'a EveryLineConfig,
    /// Games in which the player is to decide.
    open: Vec<Line<G>>,
    /// What came of those that are over.
    report: EveryLineReport,
}

impl<'a, G: Game> Walk<'a, G> {
    fn new(config: &'a EveryLineConfig) -> Self {
        Walk { config, open: Vec::new(), report: EveryLineReport::default() }
    }

    /// Asks the player in the games opened last, and opens all that the other side can make of its answers.
    fn answer(&mut self, player: &mut dyn Player<G>) -> Result<(), EvalError> {
        // The last ones: so few games are open at a time.
        let asked = self.open.split_off(self.open.len().saturating_sub(self.config.at_once.max(1)));
        let seats: Vec<Seat<G>> = asked
            .iter()
            .enumerate()
            .map(|(table, Line { position, history })| Seat { table, position, history, time_left: None })
            .collect();
        seats.iter().for_each(|seat| player.new_game(seat.table, self.config.seed));
        let choices = player.choose_all(&seats);
        self.report.asked += asked.len() as u64;
        for (line, choice) in asked.into_iter().zip(choices) {
            self.follow(line.after(choice?.action));
        }
        Ok(())
    }

    /// Opens every game that the other side makes of `line` until the player is to decide, and counts those that end
    /// before.
    fn follow(&mut self, line: Line<G>) {
        match line.position.outcome() {
            Some(outcome) => self.count(outcome, line.history),
            None if line.position.side_to_move() == self.config.side => self.open.push(line),
            None => {
                let mut actions = Vec::new();
                line.position.distinct_actions(&mut actions);
                actions.into_iter().for_each(|action| self.follow(line.after(action)));
            }
        }
    }

    fn count(&mut self, outcome: Outcome, history: Vec<Action>) {
        match outcome.value_for(self.config.side) {
            1 => self.report.won += 1,
            0 => self.report.drawn += 1,
            _ => {
                self.report.lost += 1;
                if self.report.losses.len() < KEPT_LOSSES {
                    self.report.losses.push(history);
                }
            }
        }
    }
}

impl<G: Game> Line<G> {
    fn after(&self, action: Action) -> Self {
        let mut position = self.position.clone();
        position.play(action);
        Line { position, history: [&self.history[..], &[action]].concat() }
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::games::tictactoe::TicTacToe;

    use super::*;
    use crate::alphabeta::{AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer};
    use crate::random_player::RandomPlayer;

    fn config(side: Side, after: &[&str]) -> EveryLineConfig {
        let after = after.iter().map(|name| TicTacToe::parse_action(name).unwrap()).collect();
        EveryLineConfig { side, after, seed: 1, at_once: 5 }
    }

    fn perfect() -> Result<Box<dyn Player<TicTacToe>>, EvalError> {
        let config = AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::exact(AlphaBetaLimits::depth(9)) };
        Ok(Box::new(AlphaBetaPlayer::new("perfect".into(), config)?))
    }

    fn random() -> Result<Box<dyn Player<TicTacToe>>, EvalError> {
        Ok(Box::new(RandomPlayer::new()))
    }

    #[test]
    fn a_perfect_player_is_never_beaten_on_either_side() {
        for side in Side::BOTH {
            let report = EveryLineReport::of(perfect, &config(side, &[]), |_| ()).unwrap();
            assert_eq!(report.lost, 0, "{side:?}");
            assert!(report.won > 0 && report.drawn > 0 && report.asked > 100, "{report:?}");
        }
    }

    #[test]
    fn a_player_that_errs_is_beaten_in_games_that_can_be_replayed() {
        let told = std::sync::atomic::AtomicU64::new(0);
        let tell = |share: &EveryLineReport| {
            told.fetch_add(share.games(), std::sync::atomic::Ordering::Relaxed);
        };
        let report = EveryLineReport::of(random, &config(Side::Second, &[]), tell).unwrap();
        assert_eq!(told.into_inner(), report.games());
        assert!(report.lost > 100 && report.losses.len() == KEPT_LOSSES, "{report:?}");
        for loss in &report.losses {
            let mut position = TicTacToe::initial();
            loss.iter().for_each(|&action| position.try_play(action).unwrap());
            assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
        }
        let again = EveryLineConfig { at_once: 64, ..config(Side::Second, &[]) };
        let again = EveryLineReport::of(random, &again, |_| ()).unwrap();
        assert_eq!((again.won, again.drawn, again.lost), (report.won, report.drawn, report.lost));
    }

    #[test]
    fn every_game_is_there_once() {
        // Three cells are left, First decides, and wins at once with one of them.
        let after = ["a1", "b1", "c1", "a2", "c2", "b2"];
        let report = EveryLineReport::of(random, &config(Side::Second, &after), |_| ()).unwrap();
        assert_eq!((report.games(), report.asked), (3, 2), "{report:?}");
        let over = ["a1", "b1", "a2", "b2", "a3"];
        let report = EveryLineReport::of(random, &config(Side::Second, &over), |_| ()).unwrap();
        assert_eq!((report.lost, report.games(), report.asked), (1, 1, 0));
    }
}

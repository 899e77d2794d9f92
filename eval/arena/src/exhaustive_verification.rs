//! Every game that a player can be led into: all that the other side may decide, and the player's answer each time.

use crate::error::ArenaError;
use selfplay_players::EvalError;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{PoisonError, RwLock};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use selfplay_env::{Action, Outcome, Position, Rules, Side};

use selfplay_players::player::{Player, choose_afresh};

/// Lost games that a report keeps.
const KEPT_LOSSES: usize = 100;

/// What to lead a player into, and how.
#[derive(Clone, Debug)]
pub struct VerificationConfig {
    /// The player's side; the other one tries everything.
    pub side: Side,
    /// The moves of both sides that every game begins with.
    pub after: Vec<Action>,
    /// Seed of the player's random choices.
    pub seed: u64,
    /// Positions that the player thinks about together, at least 1.
    pub at_once: usize,
}

/// What came of all the games.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct VerificationReport {
    /// Games that the player wins.
    pub won: u64,
    /// Drawn games.
    pub drawn: u64,
    /// Games that the player loses.
    pub lost: u64,
    /// Positions in which the player was asked.
    pub asked: u64,
    /// All moves of the first hundred games lost, in the order of the moves' numbers.
    pub losses: BTreeSet<Vec<Action>>,
}

impl VerificationReport {
    /// Games in all.
    pub fn games(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// Plays every game by `rules` that the other side can lead the player into from the position after `config.after`, deciding
    /// once for each different successor. The player is made anew, by `make`, for every share of the work, on rayon's
    /// current pool; each of its moves is made at a table with `config.seed`. `progress` is called with games and losses of
    /// each share when it is whole, from any thread.
    ///
    /// A position that games reach in several ways is asked about once, where the rules and the encoding do not look at
    /// the way to it (games whose repetitions count do). So the answer has to be a function of position and seed. Two
    /// positions are taken for one if their [keys](selfplay_env::Game::evaluation_key) of 64 bits agree.
    ///
    /// Takes as long as there are games, and 24 bytes or so for each position: for small games, or late positions.
    ///
    /// # Errors
    /// What `make` and the player fail with; for an `after` that ends the game, none: there is one game then.
    ///
    /// # Panics
    /// If `config.after` cannot be played.
    pub fn run(
        rules: &dyn Rules,
        make: impl Fn() -> Result<Box<dyn Player>, EvalError> + Sync,
        config: &VerificationConfig,
        progress: impl Fn(&VerificationReport) + Sync,
    ) -> Result<Self, ArenaError> {
        let answers = Answers::default();
        let mut beginning = Walk::new(config, &answers);
        beginning.follow(Variation { position: rules.after(&config.after), history: config.after.clone() });
        // Where the player has the first move, its answer leads to more than one line to share out.
        if let [_] = beginning.open[..] {
            beginning.answer(make()?.as_mut())?;
        }
        progress(&beginning.report);
        let walked = |line| {
            let mut walk = Walk::new(config, &answers);
            walk.open.push(line);
            let mut player = make()?;
            while !walk.open.is_empty() {
                walk.answer(player.as_mut())?;
            }
            progress(&walk.report);
            Ok(walk.report)
        };
        let shares: Vec<_> = beginning.open.into_par_iter().map(walked).collect::<Result<_, ArenaError>>()?;
        let whole = shares.into_iter().fold(beginning.report, VerificationReport::and);
        Ok(VerificationReport { asked: answers.len(), ..whole })
    }

    fn and(mut self, other: VerificationReport) -> Self {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
        other.losses.into_iter().for_each(|loss| self.keep(loss));
        self
    }

    fn keep(&mut self, loss: Vec<Action>) {
        self.losses.insert(loss);
        if self.losses.len() > KEPT_LOSSES {
            self.losses.pop_last();
        }
    }
}

/// What the player has answered so far, by the key of the position. Threads that meet the same position at the same time
/// both ask, and get the same answer.
#[derive(Default)]
struct Answers(RwLock<HashMap<u64, Action>>);

impl Answers {
    fn get(&self, key: u64) -> Option<Action> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
    }

    fn insert(&self, key: u64, answer: Action) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, answer);
    }

    fn len(&self) -> u64 {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len() as u64
    }
}

/// A game so far.
struct Variation {
    position: Box<dyn Position>,
    history: Vec<Action>,
}

impl Variation {
    fn after(&self, action: Action) -> Self {
        let mut position = self.position.clone();
        position.play(action);
        Variation { position, history: [&self.history[..], &[action]].concat() }
    }

    /// The same for lines that have the same games before them. Where repetitions count, every line is its own.
    fn key(&self) -> u64 {
        if self.position.rules().max_plies().is_some() {
            return self.position.evaluation_key();
        }
        let mut hasher = DefaultHasher::new();
        self.history.hash(&mut hasher);
        hasher.finish()
    }
}

/// Games on their way.
struct Walk<'a> {
    config: &'a VerificationConfig,
    answers: &'a Answers,
    /// Games in which the player is to decide.
    open: Vec<Variation>,
    /// What came of those that are over.
    report: VerificationReport,
}

impl<'a> Walk<'a> {
    fn new(config: &'a VerificationConfig, answers: &'a Answers) -> Self {
        Walk { config, answers, open: Vec::new(), report: VerificationReport::default() }
    }

    /// Asks the player in the games opened last, where it has not answered before, and opens all that the other side can
    /// make of its answers.
    fn answer(&mut self, player: &mut dyn Player) -> Result<(), ArenaError> {
        // Taking the last ones keeps few games open at a time.
        let mut asked: Vec<(u64, Variation)> = Vec::new();
        let (mut keys, mut twins) = (HashSet::new(), Vec::new());
        while asked.len() < self.config.at_once.max(1)
            && let Some(line) = self.open.pop()
        {
            let key = line.key();
            if let Some(answer) = self.answers.get(key) {
                self.follow(line.after(answer));
            } else if keys.insert(key) {
                asked.push((key, line));
            } else {
                twins.push(line);
            }
        }
        let games = asked.iter().map(|(_, line)| (&*line.position, &line.history[..]));
        let choices = choose_afresh(player, games, self.config.seed);
        for ((key, line), choice) in asked.into_iter().zip(choices) {
            let answer = choice?.action;
            self.answers.insert(key, answer);
            self.follow(line.after(answer));
        }
        // Their answers are known the next time.
        self.open.append(&mut twins);
        Ok(())
    }

    /// Opens every game that the other side makes of `line` until the player is to decide, and counts those that end
    /// before.
    fn follow(&mut self, line: Variation) {
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
                self.report.keep(history);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::{Game, rules};
    use selfplay_tictactoe::TicTacToe;

    use super::*;
    use selfplay_players::alphabeta::{AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer};
    use selfplay_players::random_player::RandomPlayer;

    fn config(side: Side, after: &[&str]) -> VerificationConfig {
        let after = after.iter().map(|name| TicTacToe::parse_action(name).unwrap()).collect();
        VerificationConfig { side, after, seed: 1, at_once: 5 }
    }

    fn perfect() -> Result<Box<dyn Player>, EvalError> {
        let config = AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::exact(AlphaBetaLimits::depth(9)) };
        Ok(Box::new(AlphaBetaPlayer::<TicTacToe>::new("perfect".into(), config)?))
    }

    fn random() -> Result<Box<dyn Player>, EvalError> {
        Ok(Box::new(RandomPlayer::new()))
    }

    #[test]
    fn a_perfect_player_is_never_beaten_on_either_side() {
        for side in Side::BOTH {
            let report = VerificationReport::run(rules::<TicTacToe>(), perfect, &config(side, &[]), |_| ()).unwrap();
            assert_eq!(report.lost, 0, "{side:?}");
            assert!(report.won > 0 && report.drawn > 0 && report.asked > 100, "{report:?}");
        }
    }

    #[test]
    fn a_player_that_errs_is_beaten_in_games_that_can_be_replayed() {
        let told = std::sync::atomic::AtomicU64::new(0);
        let tell = |share: &VerificationReport| {
            told.fetch_add(share.games(), std::sync::atomic::Ordering::Relaxed);
        };
        let report = VerificationReport::run(rules::<TicTacToe>(), random, &config(Side::Second, &[]), tell).unwrap();
        assert_eq!(told.into_inner(), report.games());
        assert!(report.lost > 100 && report.losses.len() == KEPT_LOSSES, "{report:?}");
        for loss in &report.losses {
            let mut position = rules::<TicTacToe>().initial();
            loss.iter().for_each(|&action| position.try_play(action).unwrap());
            assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
        }
        let again = VerificationConfig { at_once: 64, ..config(Side::Second, &[]) };
        assert_eq!(VerificationReport::run(rules::<TicTacToe>(), random, &again, |_| ()).unwrap(), report);
    }

    /// Counts the games below `line` as they are defined; puts the positions in which the player decides into `met`.
    fn count(line: &Variation, met: &mut HashSet<u64>, games: &mut [u64; 3]) {
        if let Some(outcome) = line.position.outcome() {
            games[(1 - outcome.value_for(Side::Second)) as usize] += 1;
            return;
        }
        let mut actions = Vec::new();
        if line.position.side_to_move() == Side::First {
            line.position.distinct_actions(&mut actions);
        } else {
            met.insert(line.position.position_hash());
            let choice = choose_afresh(&mut RandomPlayer::new(), [(&*line.position, &line.history[..])].into_iter(), 1);
            actions.extend(choice.into_iter().map(|choice| choice.unwrap().action));
        }
        actions.into_iter().for_each(|action| count(&line.after(action), met, games));
    }

    #[test]
    fn a_position_that_games_share_is_asked_about_once_and_every_game_counted() {
        let report = VerificationReport::run(rules::<TicTacToe>(), random, &config(Side::Second, &[]), |_| ()).unwrap();
        let (mut met, mut games) = (HashSet::new(), [0; 3]);
        count(&Variation { position: rules::<TicTacToe>().initial(), history: Vec::new() }, &mut met, &mut games);
        assert_eq!([report.won, report.drawn, report.lost], games);
        assert_eq!(report.asked, met.len() as u64);
        assert!(report.asked < report.games() / 2, "{report:?}");
    }

    #[test]
    fn every_game_is_there_once() {
        // Three cells are left, First decides, and wins at once with one of them.
        let after = ["a1", "b1", "c1", "a2", "c2", "b2"];
        let report =
            VerificationReport::run(rules::<TicTacToe>(), random, &config(Side::Second, &after), |_| ()).unwrap();
        assert_eq!((report.games(), report.asked), (3, 2), "{report:?}");
        let over = ["a1", "b1", "a2", "b2", "a3"];
        let report =
            VerificationReport::run(rules::<TicTacToe>(), random, &config(Side::Second, &over), |_| ()).unwrap();
        assert_eq!((report.lost, report.games(), report.asked), (1, 1, 0));
    }
}

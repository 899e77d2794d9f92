//! The minimax agent of the Pente course: no pruning, and a depth by the time that is left.
//!
//! The course says: "a simple minimax agent with no alpha-beta pruning […] adaptive depth choice on every move to avoid
//! running out of time (e.g., use depth 3 when >50s remains, depth 1 when < 3s, otherwise depth 2)". What it leaves open
//! is decided as a teaching assistant would: moves are points next to stones, values are runs of stones and captures.

use selfplay_env::rng::RngExt;
use selfplay_env::{Action, Game, Outcome, Rules};
use selfplay_pente::Pente;

use super::pente_points::points_near_stones;
use super::pente_runs::Runs;
use super::sizes::for_pente;
use selfplay_players::player_settings;
use selfplay_players::{
    Decision, EvalError, MoveRequest, NetworkSource, Playable, Player, PlayerBuilder, TableSeeds, TimeControl, TimeSpan,
};

const NAME: &str = "pente-minimax";
const MAX_DEPTH: u32 = 4;
/// Depth where a match has no clock, and at most.
const DEFAULT_DEPTH: u32 = 3;
/// Above this many milliseconds for the rest of the game the depth is 3,
const MUCH_TIME_MS: u64 = 50_000;
/// below this many it is 1, in between 2.
const LITTLE_TIME_MS: u64 = 3_000;
/// The most positions that are looked at for each millisecond left: a tenth of what an ordinary core manages, so that a
/// move never takes more than a small part of the time.
const POSITIONS_PER_MS: u64 = 500;

/// Greater than every value of a running position. A win `n` plies away is worth `WIN − n`.
const WIN: i32 = 10_000_000;

player_settings! {
    #[derive(Copy, Eq)]
    /// How the agent looks ahead.
    pub struct PenteMinimaxConfig, kind "pente-minimax" {
        /// Plies looked ahead; without it the course's rule: 3 with more than 50 s for the rest of the game (or no clock
        /// for the game), 1 with less than 3 s, otherwise 2. Less where that might overstep the match's clock.
        pub depth("depth"): Option<u32> = None, in 1..=MAX_DEPTH;
    }
}

impl PlayerBuilder for PenteMinimaxConfig {
    fn is_complete(&self) -> bool {
        true
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        pente_minimax(game, name, *self)
    }
}

impl PenteMinimaxConfig {
    /// The depth with `points` to choose from.
    fn depth(&self, time_left: Option<TimeControl>, points: usize) -> u32 {
        let wanted = match (self.depth, time_left) {
            (Some(depth), _) => depth,
            (None, Some(TimeControl { ms, span: TimeSpan::Game, .. })) if ms < LITTLE_TIME_MS => 1,
            (None, Some(TimeControl { ms, span: TimeSpan::Game, .. })) if ms <= MUCH_TIME_MS => 2,
            _ => DEFAULT_DEPTH,
        };
        let Some(time_left) = time_left else { return wanted };
        let affordable = time_left.ms.saturating_mul(POSITIONS_PER_MS);
        let fits = |depth: &u32| (points as u64).saturating_pow(*depth) <= affordable;
        (1..=wanted).rev().find(fits).unwrap_or(1)
    }
}

/// A player that plays the best point next to a stone by plain minimax; equally good ones by the table's seed.
///
/// # Errors
/// [`EvalError::WrongGame`] unless the game of `rules` is Pente of any size; what [`PenteMinimaxConfig::validate`] finds.
pub fn pente_minimax(
    rules: &dyn Rules,
    name: String,
    config: PenteMinimaxConfig,
) -> Result<Box<dyn Player>, EvalError> {
    config.validate()?;
    let sizes = [
        PenteMinimax::<19>::boxed(&name, config),
        PenteMinimax::<13>::boxed(&name, config),
        PenteMinimax::<9>::boxed(&name, config),
    ];
    for_pente(rules, NAME, sizes)
}

struct PenteMinimax<const N: usize> {
    name: String,
    config: PenteMinimaxConfig,
    runs: Runs<N>,
    /// The points of each depth, to be used again.
    points: Vec<Vec<Action>>,
    seeds: TableSeeds,
}

impl<const N: usize> PenteMinimax<N> {
    fn boxed(name: &str, config: PenteMinimaxConfig) -> Box<dyn Player> {
        let points = vec![Vec::new(); MAX_DEPTH as usize + 1];
        Box::new(PenteMinimax::<N> {
            name: name.into(),
            config,
            runs: Runs::new(),
            points,
            seeds: TableSeeds::default(),
        })
    }

    /// The value of each of `points` for the side to move.
    fn values(&mut self, position: &Pente<N>, points: &[Action], depth: u32) -> Vec<i32> {
        self.runs.set(position);
        points.iter().map(|&point| self.value_after(position, point, depth, 1)).collect()
    }

    /// The value of `point` for the side that plays it, `ply` plies below the root, looking `depth` plies ahead, `point`
    /// included.
    fn value_after(&mut self, position: &Pente<N>, point: Action, depth: u32, ply: u32) -> i32 {
        let mut child = *position;
        child.play(point);
        match child.outcome() {
            // Only the mover can win.
            Some(Outcome::Win(_)) => WIN - ply as i32,
            Some(Outcome::Draw) => 0,
            None if depth == 1 => self.runs.value_after(position, point, &child, position.side_to_move()),
            None => {
                self.runs.play(position, point, &child);
                let value = -self.best_value(&child, depth - 1, ply + 1);
                self.runs.take_back(position, point, &child);
                value
            }
        }
    }

    /// The value of a running position for its side to move.
    fn best_value(&mut self, position: &Pente<N>, depth: u32, ply: u32) -> i32 {
        let mut points = std::mem::take(&mut self.points[depth as usize]);
        points_near_stones(position, &mut points);
        let values = points.iter().map(|&point| self.value_after(position, point, depth, ply));
        let best = values.max().expect("a running game has a legal point");
        self.points[depth as usize] = points;
        best
    }
}

impl<const N: usize> Player for PenteMinimax<N> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        let request = &request.typed::<Pente<N>>(&self.name)?;
        let mut points = Vec::new();
        points_near_stones(request.position, &mut points);
        let depth = self.config.depth(request.time_left, points.len());
        // A single point needs no thought.
        if points.len() > 1 {
            let values = self.values(request.position, &points, depth);
            let best = values.iter().copied().max();
            let mut value = values.into_iter();
            points.retain(|_| value.next() == best);
        }
        let action = points[self.seeds.rng(request).random_range(0..points.len())];
        Ok(Decision::new(action))
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::Side;
    use selfplay_env::random_play::play_random;
    use selfplay_env::rng::rng_for;

    use super::*;
    use selfplay_players::ClockKind;

    /// The first player's minimax value of a position, with every leaf counted anew.
    fn first_players_value(position: &Pente<9>, depth: u32, ply: u32, runs: &mut Runs<9>) -> i32 {
        match position.outcome() {
            Some(outcome) => return i32::from(outcome.value_for(Side::First)) * (WIN - ply as i32),
            None if depth == 0 => {
                runs.set(position);
                return runs.value(position, Side::First);
            }
            None => {}
        }
        let mut points = Vec::new();
        points_near_stones(position, &mut points);
        let values = points.into_iter().map(|point| {
            let mut child = *position;
            child.play(point);
            first_players_value(&child, depth - 1, ply + 1, runs)
        });
        let best = if position.side_to_move() == Side::First { values.max() } else { values.min() };
        best.expect("a running game has a legal point")
    }

    #[test]
    fn values_are_those_of_minimax_from_one_view() {
        let config = PenteMinimaxConfig::default();
        let (points, seeds) = (vec![Vec::new(); MAX_DEPTH as usize + 1], TableSeeds::default());
        let mut player = PenteMinimax::<9> { name: NAME.into(), config, runs: Runs::new(), points, seeds };
        let mut compared = 0;
        for (actions, depth) in [(2, 2), (4, 3), (9, 2), (30, 2), (61, 3), (71, 3)] {
            for seed in 0..4 {
                let mut position = Pente::<9>::initial();
                play_random(&mut position, actions, &mut rng_for(&[seed]));
                if position.outcome().is_some() {
                    continue;
                }
                let mut points = Vec::new();
                points_near_stones(&position, &mut points);
                // Deep searches only where there are few points.
                let depth = if points.len() > 25 { depth.min(2) } else { depth };
                let best = player.values(&position, &points, depth).into_iter().max();
                let expected = first_players_value(&position, depth, 0, &mut Runs::new());
                assert_eq!(best, Some(if position.side_to_move() == Side::First { expected } else { -expected }));
                compared += 1;
            }
        }
        assert!(compared > 12, "{compared}");
    }

    #[test]
    fn the_depth_is_the_courses_and_never_more_than_there_is_time_for() {
        let depth = |ms, span, points| {
            let time_left = TimeControl { ms, span, clock: ClockKind::Cpu };
            PenteMinimaxConfig::default().depth(Some(time_left), points)
        };
        let by_game = |ms| depth(ms, TimeSpan::Game, 60);
        assert_eq!([100_000, 50_001, 50_000, 3_000, 2_999, 0].map(by_game), [3, 3, 2, 2, 1, 1]);
        assert_eq!(depth(2_000, TimeSpan::Turn, 60), 3);
        assert_eq!(depth(20, TimeSpan::Turn, 60), 2);
        assert_eq!(depth(5, TimeSpan::Turn, 60), 1);
        let fixed = PenteMinimaxConfig { depth: Some(2) };
        assert_eq!((fixed.depth(None, 300), PenteMinimaxConfig::default().depth(None, 300)), (2, 3));
    }
}

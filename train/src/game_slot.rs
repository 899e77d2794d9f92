//! One game of self-play in flight: how it begins, when an action is chosen, when it is over.

use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Action, Outcome, Symmetric, Tactics};
use selfplay_mcts::{Batch, CacheStats, CachedEvaluator, Evaluator, Exploration, Leaf, Search, SearchReport};

use crate::record::{EndReason, GameEnd, GameRecord, PlyRecord, Resignation, SearchTarget};
use crate::selfplay_config::{ResignConfig, SelfPlayConfig};
use crate::starts::draw_start;

/// Keeps the streams of self-play apart from the run's other random choices.
const SELF_PLAY_STREAM: u64 = 0x5E1F;

/// What a game of self-play is a function of, beside its number and the network.
#[derive(Clone, Copy, Debug)]
pub struct GameContext<'a> {
    /// How games are generated.
    pub config: &'a SelfPlayConfig,
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation being played, from 1.
    pub generation: u32,
    /// The games of the generation before, in a fixed order: where games may restart.
    pub earlier: &'a [&'a GameRecord],
}

/// A game in flight, and those after it in the same place of the batch.
pub(crate) struct GameSlot<G: Tactics> {
    search: Search<G>,
    /// The leaf that the search waits for, if it does.
    leaf: Batch<G>,
    state: SlotState,
    /// What the cache was asked since the last call of `take_cache_stats`.
    cache: CacheStats,
    rng: GameRng,
    record: GameRecord,
    effort: Effort,
    /// Simulations that the action gets.
    simulations: u32,
    /// Full searches in a row in which each side found its position hopeless.
    hopeless_searches: [u32; 2],
    is_played_on: bool,
}

/// Where a game stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotState {
    /// It can be advanced.
    Running,
    /// Its search waits for the evaluation of its leaf.
    WaitsForLeaf,
    /// It is over; its record is whole.
    GameOver,
}

/// How an action is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// With all simulations and with exploration; learned from.
    Full,
    /// With few simulations, as well as it can be.
    Fast,
}

impl<G: Tactics + Symmetric> GameSlot<G> {
    /// A slot in which game `game_number` begins.
    pub(crate) fn new(game_number: u32, context: GameContext<'_>) -> Self {
        let mut slot = GameSlot {
            search: Search::new(context.config.search.clone()),
            leaf: Batch::new(),
            state: SlotState::Running,
            cache: CacheStats::default(),
            rng: rng_for(&[]),
            record: GameRecord::new(game_number),
            effort: Effort::Full,
            simulations: 0,
            hopeless_searches: [0, 0],
            is_played_on: false,
        };
        slot.start_game(game_number, context);
        slot
    }

    /// Begins game `game_number`.
    pub(crate) fn start_game(&mut self, game_number: u32, context: GameContext<'_>) {
        let GameContext { config, run_seed, generation, earlier } = context;
        self.state = SlotState::Running;
        self.rng = rng_for(&[run_seed, SELF_PLAY_STREAM, u64::from(generation), u64::from(game_number)]);
        self.record = GameRecord::new(game_number);
        self.hopeless_searches = [0, 0];
        let start = draw_start::<G>(&config.starts, earlier, config.max_plies, &mut self.rng);
        let mut position = G::initial();
        for action in start {
            let action = position.canonical_action(action);
            self.record.plies.push(PlyRecord { action: action.0, target: None });
            position.play(action);
        }
        self.is_played_on = config.resign.threshold > -1.0 && self.rng.random::<f64>() < config.resign.playthrough_prob;
        self.search.set_position(&position);
        self.start_move(context);
    }

    /// The record of the game if it is over. The slot keeps an empty one.
    pub(crate) fn take_finished(&mut self) -> Option<GameRecord> {
        let number = self.record.game_number;
        (self.state == SlotState::GameOver).then(|| std::mem::replace(&mut self.record, GameRecord::new(number)))
    }

    /// How often the cache was asked, and knew the answer, since the last call.
    pub(crate) fn take_cache_stats(&mut self) -> CacheStats {
        std::mem::take(&mut self.cache)
    }

    /// The leaf that it waits for.
    pub(crate) fn leaf_mut(&mut self) -> &mut Leaf<G> {
        &mut self.leaf.leaves_mut()[0]
    }

    /// Takes the evaluation that it waits for.
    pub(crate) fn apply(&mut self, leaf: &Leaf<G>) {
        self.search.apply(std::slice::from_ref(leaf));
        self.state = SlotState::Running;
    }

    /// Plays until the search needs an evaluation that `evaluator` does not remember, or the game is over.
    pub(crate) fn advance<E: Evaluator<G>>(&mut self, context: GameContext<'_>, evaluator: &CachedEvaluator<G, E>) {
        while self.state == SlotState::Running {
            if self.search.simulations() >= self.simulations || self.search.is_decided() {
                match self.decide(context.config) {
                    Some(end) => {
                        self.record.end = end;
                        self.state = SlotState::GameOver;
                    }
                    None => self.start_move(context),
                }
                continue;
            }
            self.leaf.clear();
            let cache = &mut self.cache;
            let is_unknown = self.search.gather_unknown(&mut self.leaf, |leaf| {
                let is_known = evaluator.look_up(leaf);
                cache.lookups += u64::from(evaluator.has_memory());
                cache.hits += u64::from(is_known);
                is_known
            });
            if is_unknown {
                self.state = SlotState::WaitsForLeaf;
            }
        }
    }

    fn start_move(&mut self, context: GameContext<'_>) {
        let GameContext { config, generation, .. } = context;
        let is_full = config.playout_cap_full_prob >= 1.0 || self.rng.random::<f64>() < config.playout_cap_full_prob;
        if is_full {
            self.effort = Effort::Full;
            self.simulations = config.simulations_in(generation);
            self.search.start_move(Exploration::On { simulations: self.simulations, rng: &mut self.rng });
        } else {
            self.effort = Effort::Fast;
            self.simulations = config.playout_cap_fast_visits;
            self.search.start_move(Exploration::Off);
        }
    }

    /// Makes the action that the search recommends; the end of the game if that is over now.
    fn decide(&mut self, config: &SelfPlayConfig) -> Option<GameEnd> {
        let report = self.search.report();
        let side = self.search.position().side_to_move();
        let temperature = config.temperature.at(self.record.plies.len());
        let action: Action = report.sample(temperature, &mut self.rng);
        let target = (self.effort == Effort::Full).then(|| SearchTarget::new(&report, side));
        let resigned = self.resigns(&report, &config.resign);
        self.record.simulations += u64::from(self.search.simulations());
        self.record.plies.push(PlyRecord { action: action.0, target });
        self.search.advance(action);

        if let Some(outcome) = self.search.position().outcome() {
            return Some(GameEnd::by_rules(outcome));
        }
        if config.stop_proven
            && let Some(outcome) = self.search.proven().or_else(|| self.search.foreseen())
        {
            return Some(GameEnd::new(outcome, EndReason::Proven));
        }
        if let Some(outcome) = resigned.filter(|_| !self.is_played_on) {
            return Some(GameEnd::new(outcome, EndReason::Resigned));
        }
        (self.record.plies.len() >= config.max_plies as usize).then_some(GameEnd::CAPPED)
    }

    /// The outcome that the side to move concedes, if it resigns after this search; noted when it happens first.
    fn resigns(&mut self, report: &SearchReport, config: &ResignConfig) -> Option<Outcome> {
        if config.threshold <= -1.0 || self.effort == Effort::Fast {
            return None;
        }
        let side = self.search.position().side_to_move();
        let searches = &mut self.hopeless_searches[side.index()];
        *searches = if f64::from(report.wdl.value()) < config.threshold { *searches + 1 } else { 0 };
        if *searches < config.consecutive_searches || self.record.resignation.is_some() {
            return None;
        }
        let conceded = Outcome::Win(side.opponent());
        let after = self.record.plies.len() as u32;
        self.record.resignation = Some(Resignation { after, concedes: conceded.into() });
        Some(conceded)
    }
}

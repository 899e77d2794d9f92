//! A config for a game and a time: what this machine does in some seconds decides how large the network may be.

use std::fmt::Write;
use std::time::{Duration, Instant};

use selfplay_arena::GateConfig;
use selfplay_env::{PolicyShape, Rules};
use selfplay_network::training::LearnerConfig;
use selfplay_network::{NetworkConfig, NetworkWeights, Precision};
use selfplay_registry::GameRef;
use selfplay_train::{ReplayBuffer, ReplayConfig, SelfPlayConfig, StartConfig, sample_batch, summarise};

use crate::blunders::share_with_blunders;
use crate::error::RunError;
use crate::machine::Machine;
use crate::self_play::play_for_measurement;

/// The networks to choose from, smallest first: blocks and channels.
const NETWORKS: [(usize, usize); 4] = [(2, 32), (4, 48), (6, 64), (8, 96)];
/// The probe truncates its first games after this many plies and doubles the cap until its time is over. A slow network
/// therefore does not have to play complete games.
const FIRST_CUT: u32 = 4;
/// Cap on the plies of complete games, and limit of the doubling.
const LAST_CUT: u32 = 200;
/// Self-play and learning of each network are probed for about this long, each.
const PROBE: Duration = Duration::from_millis(2500);
/// Positions to learn from for each weight of the network, at least. With about so many, four blocks of 48 channels beat two of
/// 32 that had three times the positions (measured in one game: docs/research/recipe.md).
const POSITIONS_PER_WEIGHT: f64 = 0.7;
/// Share of the time that the gate's matches may take, if all are played to the last pair with games of full length.
const MAX_GATE_SHARE: f64 = 0.15;
/// Generations that a run is to have: the most, unless the gate would take more than its share; the fewest even then.
const GENERATIONS: std::ops::RangeInclusive<f64> = 10.0..=60.0;
const GAMES_PER_GENERATION: std::ops::RangeInclusive<f64> = 32.0..=4000.0;
/// Game pairs against the champion.
const GATE_PAIRS: usize = 20;
/// Share of the games that begin with random actions, and of a game's length, the most such actions: matches and
/// people lead to positions that good play would not. Longer starts than a fifth of a game, in half of the games instead of a
/// quarter, cost nothing in play that shows (measured in three games: docs/research/recipe.md).
const RANDOM_STARTS: f64 = 0.5;
const RANDOM_LENGTH: f64 = 0.4;
/// Share of the samples that show a blunder punished, in games where at least `MIN_WITH_BLUNDERS` of the positions
/// allow a blunder. Networks then learn immediate wins, which they need where tactics do not find them (measured:
/// docs/research/recipe.md).
const BLUNDER_SHARE: f64 = 0.1;
const MIN_WITH_BLUNDERS: f64 = 0.25;
/// The learning rate at first, four times the default: better in short trainings of two games, no worse in a third (measured:
/// docs/research/recipe.md).
const LEARNING_RATE: f64 = 0.004;
/// What is left of it when the time is over.
const FINAL_RATE: f64 = 0.05;
const SEED: u64 = 1;

/// A config as a file, and why it is so.
pub struct Plan {
    /// The file's text.
    pub toml: String,
    /// One line a choice.
    pub reasons: String,
}

/// What a network does on this machine.
#[derive(Clone, Copy)]
struct Speed {
    simulations_per_second: f64,
    samples_per_second: f64,
    games: ProbedGames,
    weights: usize,
}

/// What the games of a network that knows nothing are like.
#[derive(Clone, Copy)]
struct ProbedGames {
    mean_plies: f64,
    /// Share of the positions in which an action lets the opponent win with its next one, 0..=1.
    share_with_blunders: f64,
}

impl ProbedGames {
    /// `learner.punish_blunder_share` for such games.
    fn punish_blunder_share(self) -> f64 {
        if self.share_with_blunders >= MIN_WITH_BLUNDERS { BLUNDER_SHARE } else { 0.0 }
    }
}

impl Speed {
    /// Seconds for each position that is learned from.
    fn seconds_per_position(&self, simulations: f64, replay_ratio: f64) -> f64 {
        simulations / self.simulations_per_second + replay_ratio / self.samples_per_second
    }
}

/// Plans a run of `game`, which was asked for as `asked`, that takes `hours` on `machine`, which is probed for about twenty seconds.
///
/// # Errors
/// If the probe fails.
pub fn plan_for(game: GameRef, asked: &str, hours: f64, machine: Machine) -> Result<Plan, RunError> {
    plan(game, asked, hours, |network, known| measure(game, machine, network, known))
}

/// Plans `hours` of the game of `rules`, asked for as `asked`, on a machine on which `measure` tells what a network does, given what its
/// games are like where that is known.
fn plan(
    rules: &dyn Rules,
    asked: &str,
    hours: f64,
    mut measure: impl FnMut(&NetworkConfig, Option<ProbedGames>) -> Result<Speed, RunError>,
) -> Result<Plan, RunError> {
    let (seconds, action_count) = (hours * 3600.0, rules.shape().action_count);
    let simulations = simulations_for(action_count);
    let replay_ratio = ReplayConfig::default().replay_ratio;
    let mut reasons = format!("{simulations} simulations a move: the game has {action_count} actions\n");
    let mut chosen: Option<(NetworkConfig, Speed)> = None;
    for (blocks, channels) in NETWORKS {
        let network = network_config(rules, blocks, channels);
        let speed = measure(&network, chosen.as_ref().map(|(_, speed)| speed.games))?;
        let cost = speed.seconds_per_position(f64::from(simulations), replay_ratio);
        let positions = (1.0 - MAX_GATE_SHARE) * seconds / cost;
        let wanted = POSITIONS_PER_WEIGHT * speed.weights as f64;
        // Writing to a string cannot fail.
        let _ = writeln!(
            reasons,
            "{blocks} blocks of {channels} channels: {:.0} simulations/s, {:.0} samples/s learned; {positions:.0} \
             positions in {hours} h, {wanted:.0} wanted for {} weights",
            speed.simulations_per_second, speed.samples_per_second, speed.weights
        );
        if chosen.is_some() && positions < wanted {
            break;
        }
        chosen = Some((network, speed));
    }
    let (network, speed) = chosen.expect("there is a first network");
    let length = speed.games.mean_plies;
    let game_seconds = length * speed.seconds_per_position(f64::from(simulations), replay_ratio);
    // Both sides of the champion's games search, and one of the ladder's.
    let gate = GateConfig::default();
    let searched_games = 2 * GATE_PAIRS + gate.eval_opponents.len() * gate.eval_pairs;
    let gate_seconds = searched_games as f64 * length * f64::from(simulations) / speed.simulations_per_second;
    let clamp = |number: f64, range: std::ops::RangeInclusive<f64>| number.clamp(*range.start(), *range.end());
    let generations = clamp(MAX_GATE_SHARE * seconds / gate_seconds, GENERATIONS);
    let games = clamp((seconds / generations - gate_seconds) / game_seconds, GAMES_PER_GENERATION).round();
    let generation_seconds = games * game_seconds + gate_seconds;
    let generations = (seconds / generation_seconds).max(1.0);
    let gate_share = 100.0 * gate_seconds / generation_seconds;
    let window = (4.0 * games * length).clamp(5000.0, 200_000.0).round();
    let _ = writeln!(
        reasons,
        "chosen: {} blocks of {} channels; about {generations:.0} generations of {games:.0} games, and at most {gate_share:.0} % \
         of the time for the gate; a window that holds everything up to {window:.0} positions",
        network.blocks, network.channels
    );
    let punish_blunder_share = speed.games.punish_blunder_share();
    let _ = writeln!(
        reasons,
        "blunder share {punish_blunder_share}: in {:.0} % of the positions a move lets the opponent win with its next one",
        100.0 * speed.games.share_with_blunders
    );
    let steps = generations * games * length * replay_ratio / LearnerConfig::default().batch_size as f64;
    let random_opening_plies = (RANDOM_LENGTH * length).round().max(1.0);
    let steps = steps.round().max(1.0);
    let sizes = Sizes { simulations, games, window, steps, random_opening_plies, punish_blunder_share };
    Ok(Plan { toml: config_text([rules.id(), asked], &network, sizes, hours), reasons })
}

/// Plays and trains briefly with an untrained network. It plays complete games unless `known` already describes them.
fn measure(
    game: GameRef,
    machine: Machine,
    config: &NetworkConfig,
    known: Option<ProbedGames>,
) -> Result<Speed, RunError> {
    let shape = game.shape();
    let weights = NetworkWeights::fresh(shape, config.clone(), SEED)?;
    let evaluator = machine.backend.evaluator(game, &weights, machine.device, Precision::fastest())?;
    let threads = machine.threads;
    let mut selfplay = SelfPlayConfig {
        games_per_generation: 8 * threads as u32,
        concurrent_games: 8,
        num_simulations: 16,
        max_plies: LAST_CUT,
        ..SelfPlayConfig::default()
    };
    if known.is_some() {
        selfplay.max_plies = FIRST_CUT;
        // From one position, short games would be alike, and the cache would know them.
        selfplay.starts =
            StartConfig { random_opening_prob: 1.0, random_opening_plies: FIRST_CUT / 2, ..StartConfig::default() };
    }
    let (mut replay, mut records) = (ReplayBuffer::new(), Vec::new());
    let mut played_seconds = 0.0;
    for run_seed in SEED.. {
        let (seconds, played) = play_for_measurement(game, &*evaluator, &selfplay, run_seed, threads)?;
        records.extend(played.records);
        played_seconds += seconds;
        if played_seconds >= PROBE.as_secs_f64() {
            break;
        }
        selfplay.max_plies = (2 * selfplay.max_plies).min(LAST_CUT);
    }
    let summary = summarise(game, &records);
    let games = known.unwrap_or_else(|| ProbedGames {
        mean_plies: summary.mean_game_plies.max(1.0),
        share_with_blunders: share_with_blunders(game, &records),
    });
    replay.extend(records, &ReplayConfig::default());

    let learner_config =
        LearnerConfig { punish_blunder_share: games.punish_blunder_share(), ..LearnerConfig::default() };
    let mut learner = machine.backend.learner(&weights, learner_config.clone(), machine.device)?;
    let (start, mut steps) = (Instant::now(), 0);
    while start.elapsed() < PROBE {
        let batch = sample_batch(game, &replay, &learner_config, config.auxiliary, &selfplay.search, steps)?;
        learner.step(&batch)?;
        steps += 1;
    }
    let samples = steps as f64 * learner_config.batch_size as f64;
    Ok(Speed {
        simulations_per_second: summary.simulations as f64 / played_seconds,
        samples_per_second: samples / start.elapsed().as_secs_f64(),
        games,
        weights: config.parameter_count(&shape),
    })
}

/// Gumbel search makes more of few simulations the more there is to choose from, and fewer make more games (measured:
/// docs/research/recipe.md).
fn simulations_for(action_count: usize) -> u32 {
    if action_count <= 20 { 64 } else { 48 }
}

fn network_config(rules: &dyn Rules, blocks: usize, channels: usize) -> NetworkConfig {
    // A dense policy has a weight for each cell, channel and action: few channels keep it small.
    let policy_channels = match rules.shape().policy {
        PolicyShape::Planes(_) => channels.min(32),
        PolicyShape::Dense => 8,
    };
    NetworkConfig { blocks, channels, policy_channels, ..NetworkConfig::default() }
}

/// Numbers of a planned run, whole ones but for their type.
struct Sizes {
    simulations: u32,
    games: f64,
    window: f64,
    steps: f64,
    random_opening_plies: f64,
    punish_blunder_share: f64,
}

fn config_text([game, asked]: [&str; 2], network: &NetworkConfig, sizes: Sizes, hours: f64) -> String {
    let NetworkConfig { blocks, channels, policy_channels, .. } = network;
    let Sizes { simulations, games, window, steps, random_opening_plies, punish_blunder_share } = sizes;
    let blunders = if punish_blunder_share > 0.0 {
        format!(
            "# So that the network by itself knows wins with the next move (docs/research/recipe.md).\npunish_blunder_share = {punish_blunder_share}\n"
        )
    } else {
        String::new()
    };
    format!(
        "# {game} for {hours} h, as planned by `selfplay train {asked} --hours {hours}` for the machine it ran on.\n\
         game = \"{game}\"\nseed = {SEED}\n# More than the time allows: --hours ends the run.\ngenerations = 100000\n\n\
         [network]\nblocks = {blocks}\nchannels = {channels}\npolicy_channels = {policy_channels}\n\n\
         [selfplay]\ngames_per_generation = {games}\nnum_simulations = {simulations}\n\n\
         [selfplay.starts]\nrandom_opening_prob = {RANDOM_STARTS}\nrandom_opening_plies = {random_opening_plies}\n\n\
         # Better than PUCT in short trainings wherever there is much to choose from (docs/research/recipe.md).\n\
         [selfplay.search]\nroot = {{ gumbel = {{}} }}\n\n\
         [replay]\nwindow_start_positions = {window}\n\n\
         [learner]\nsolver_value_targets = true\n\
         {blunders}\
         # High at first: short trainings gain by it (docs/research/recipe.md).\nlearning_rate = {LEARNING_RATE}\n\
         # The steps that fit into the time, about: the last are small.\n\
         schedule = {{ kind = \"cosine\", total_steps = {steps}, min_lr_ratio = {FINAL_RATE} }}\n\n\
         [gate]\nnum_simulations = {simulations}\npairs = {GATE_PAIRS}\n",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use selfplay_network::training::Schedule;
    use selfplay_registry::Games;
    use selfplay_shipped::shipped_games;
    use selfplay_tictactoe::TIC_TAC_TOE;

    /// A machine on which networks are the slower the more weights they have.
    fn planned(game: GameRef, hours: f64, weights_a_second: f64) -> (RunConfig, String) {
        let speed = |network: &NetworkConfig, known: Option<ProbedGames>| {
            let weights = network.parameter_count(&game.shape());
            let simulations_per_second = weights_a_second / weights as f64;
            let samples_per_second = simulations_per_second / 4.0;
            assert_eq!(known.is_some(), network.blocks > NETWORKS[0].0, "games are measured once");
            let games = ProbedGames { mean_plies: 30.0, share_with_blunders: 0.5 };
            Ok(Speed { simulations_per_second, samples_per_second, games, weights })
        };
        let Plan { toml, reasons } = plan(game, game.id(), hours, speed).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("planned.toml");
        std::fs::write(&path, toml).unwrap();
        (RunConfig::load(&path, &[], &Games::new(&shipped_games())).unwrap_or_else(|error| panic!("{error}")), reasons)
    }

    #[test]
    fn every_game_has_a_plan_that_is_a_config() {
        for game in shipped_games() {
            assert_eq!(planned(game, 1.0, 2e9).0.game, game.id());
        }
    }

    #[test]
    fn more_time_and_faster_machines_have_larger_networks() {
        let channels = |hours, speed| planned(TIC_TAC_TOE, hours, speed).0.network.channels;
        assert_eq!(channels(0.01, 1e9), NETWORKS[0].1, "the smallest, however short the time");
        assert!(channels(0.1, 1e9) < channels(10.0, 1e9));
        assert!(channels(0.1, 1e9) < channels(0.1, 1e11));
        assert_eq!(channels(1000.0, 1e10), NETWORKS[3].1);
    }

    #[test]
    fn blunders_are_learned_where_games_have_them() {
        let share_for =
            |share_with_blunders| ProbedGames { mean_plies: 30.0, share_with_blunders }.punish_blunder_share();
        assert_eq!([0.0, 0.2, 0.3].map(share_for), [0.0, 0.0, BLUNDER_SHARE]);
        assert_eq!(planned(TIC_TAC_TOE, 1.0, 1e9).0.learner.punish_blunder_share, BLUNDER_SHARE);
    }

    #[test]
    fn plans_learn_fast_at_first_and_little_at_last() {
        let learner = planned(TIC_TAC_TOE, 1.0, 1e9).0.learner;
        let rate = |step: u64| learner.learning_rate * learner.schedule.factor(step, 0, 0);
        let Schedule::Cosine { total_steps, .. } = learner.schedule else { panic!("{:?}", learner.schedule) };
        assert!(rate(0) > 2.0 * LearnerConfig::default().learning_rate);
        assert!(rate(total_steps) < LearnerConfig::default().learning_rate);
    }

    #[test]
    fn the_gate_has_its_share_and_no_more() {
        for hours in [1.0, 10.0] {
            let (config, reasons) = planned(TIC_TAC_TOE, hours, 1e9);
            let share: f64 =
                reasons.split(" % of the time").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
            assert!((1.0..=100.0 * MAX_GATE_SHARE).contains(&share), "{reasons}");
            assert!(config.selfplay.games_per_generation > 32, "{reasons}");
        }
        assert!(planned(TIC_TAC_TOE, 0.001, 1e9).1.contains("about 1 generations of 32 games"));
    }
}

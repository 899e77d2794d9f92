//! The rows of a made-up run: smooth curves, so that what is drawn from them can be judged.

use selfplay_notebooks_export::{DiagnosticRow, EloRow, LossRow, MatchRow, PlayerRole, RunRows, SelfPlayRow};

/// Baselines with their ratings, the anchor first.
const BASELINES: [(&str, f64); 3] = [("random", 0.0), ("alphabeta:depth=1", 420.0), ("alphabeta:depth=3", 790.0)];
/// Training steps in a generation, and rows of losses.
const STEPS: u64 = 40;
const LOSS_ROWS: u64 = 2;
const GAMES: u64 = 200;

/// A run whose gate has judged generations 0 to `generations`; every third candidate is rejected.
pub fn run(generations: u32) -> RunRows {
    let mut rows = RunRows::default();
    for (index, &(a, strong)) in BASELINES.iter().enumerate() {
        rows.elo.push(rating(a, None, strong, PlayerRole::Baseline));
        for &(b, weak) in &BASELINES[..index] {
            rows.matches.push(played(0, a, b, strong - weak, None));
        }
    }
    let mut champion = 0;
    for generation in 0..=generations {
        if generation > 0 {
            rows.selfplay.push(selfplay(generation));
            rows.losses.extend((1..=LOSS_ROWS).map(|part| losses(generation, part)));
        }
        let is_promoted = generation % 3 != 2;
        let (name, verdict) = (name(generation), if is_promoted { "promote" } else { "reject" });
        for (baseline, elo) in BASELINES {
            rows.matches.push(played(generation, &name, baseline, strength(generation) - elo, Some(verdict)));
        }
        if generation > 0 {
            let gain = strength(generation) - strength(champion);
            rows.matches.push(played(generation, &name, &self::name(champion), gain, Some(verdict)));
        }
        let role = if is_promoted { PlayerRole::Champion } else { PlayerRole::Candidate };
        rows.elo.push(rating(&name, Some(generation), strength(generation), role));
        champion = if is_promoted { generation } else { champion };
    }
    if generations > 0 {
        rows.diagnostics.push(DiagnosticRow {
            generation: generations,
            kind: "one_opening".into(),
            text: "61 % of the games begin with the same four plies; try more exploration \
                   (selfplay.temperature.initial, selfplay.starts.random_opening_prob)"
                .into(),
        });
    }
    rows
}

fn name(generation: u32) -> String {
    format!("gen-{generation:05}")
}

fn strength(generation: u32) -> f64 {
    let generation = f64::from(generation);
    900.0 * (1.0 - (-generation / 25.0).exp()) + 25.0 * (generation * 1.7).sin() * (generation / 5.0).min(1.0)
}

fn selfplay(generation: u32) -> SelfPlayRow {
    let age = f64::from(generation);
    let second_wins = (60.0 + 20.0 * (age / 9.0).sin()) as u64;
    SelfPlayRow {
        generation,
        games: GAMES,
        positions: 4800 + 40 * u64::from(generation % 50),
        simulations: 480_000,
        wall_seconds: 9.5 + (age / 3.0).sin(),
        cpu_seconds: 18.0,
        mean_game_plies: 24.0 + 6.0 * (1.0 - (-age / 40.0).exp()),
        first_wins: GAMES - second_wins - 20,
        second_wins,
        draws: 19,
        truncated: 1,
        policy_entropy_nats: 0.4 + 1.2 * (-age / 60.0).exp(),
        root_value_mean_abs: 0.4,
        plies: 5600,
        proven: 12,
        resigned: 30,
        resignations_checked: 4,
        resignations_wrong: 0,
        commonest_opening_share: 0.2,
        policy_surprise_nats: 0.1 + 0.3 * (-age / 30.0).exp(),
        proven_position_share: 0.25,
    }
}

fn losses(generation: u32, part: u64) -> LossRow {
    let step = u64::from(generation - 1) * STEPS + part * STEPS / LOSS_ROWS;
    let age = step as f64 / STEPS as f64;
    let is_last = part == LOSS_ROWS;
    let (policy_loss, value_loss) = (0.7 + 1.4 * (-age / 20.0).exp(), 0.45 + 0.6 * (-age / 15.0).exp());
    LossRow {
        generation,
        step,
        policy_loss,
        value_loss,
        opponent_policy_loss: Some(policy_loss + 0.2),
        total_loss: policy_loss + value_loss + 0.15 * (policy_loss + 0.2),
        gradient_norm: 0.5,
        learning_rate: if age < 100.0 { 0.01 } else { 0.001 },
        replay_positions: 4800 * u64::from(generation.min(20)),
        validation_policy_loss: is_last.then_some(policy_loss + 0.02),
        validation_value_loss: is_last.then_some(value_loss + 0.03),
        ..LossRow::default()
    }
}

fn played(generation: u32, a: &str, b: &str, elo: f64, verdict: Option<&str>) -> MatchRow {
    let score = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
    let (games, wins) = (100, (score * 100.0).round() as u64);
    MatchRow {
        generation,
        a: a.into(),
        b: b.into(),
        games,
        wins,
        draws: 0,
        losses: games - wins,
        score: wins as f64 / games as f64,
        elo: (wins > 0 && wins < games).then_some(elo),
        elo_low: (wins > 0 && wins < games).then_some(elo - 60.0),
        elo_high: (wins > 0 && wins < games).then_some(elo + 60.0),
        normalized_elo: elo / 300.0,
        los: if elo > 0.0 { 0.99 } else { 0.01 },
        pairs_0: 50 - wins / 2,
        pairs_half: 0,
        pairs_1: wins % 2,
        pairs_1_half: 0,
        pairs_2: wins / 2,
        first_player_share: 0.55,
        forfeits_a: 0,
        forfeits_b: 0,
        sprt_llr: None,
        sprt_lower: None,
        sprt_upper: None,
        verdict: verdict.map(str::to_owned),
        duplicates: 0.02,
        cpu_seconds: 3.0,
    }
}

fn rating(player: &str, generation: Option<u32>, elo: f64, role: PlayerRole) -> EloRow {
    let spent = generation.map(u64::from);
    EloRow {
        player: player.into(),
        generation,
        elo,
        elo_low: elo - 45.0,
        elo_high: elo + 55.0,
        games: 400,
        score: 0.5,
        cumulative_cpu_hours: generation.map(|number| f64::from(number) * 0.006),
        cumulative_games: spent.map(|number| number * GAMES),
        cumulative_simulations: spent.map(|number| number * 480_000),
        role,
    }
}

//! Made-up runs with plausible numbers, for tests and for looking at reports.

use selfplay_notebooks_export::plots::Board;
use selfplay_notebooks_export::{
    CalibrationRow, CrossTableRow, EloRow, GenerationRow, LadderRow, LossRow, MatchRow, MistakeRow, OpeningPolicyRow,
    PlayerRole, ReportRows, RunMeta, RunReport, SamplePosition, SelfPlayRow, ThroughputRow, ValueErrorRow,
};

/// Numbers in 0..1 that look random and are the same every time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About a normal distribution with this deviation around 0.
    fn around(&mut self, deviation: f64) -> f64 {
        (self.next() + self.next() + self.next() - 1.5) * 2.0 * deviation
    }
}

/// A run of so many generations on a board of this size, all tables filled.
pub fn run(name: &str, generations: u32, board: Board) -> RunReport {
    let mut noise = Noise(u64::from(generations) + name.len() as u64);
    let mut rows = ReportRows::default();
    let baselines = [("random", 0.0), ("greedy", 210.0), ("alphabeta:depth=2", 640.0), ("alphabeta:depth=4", 930.0)];
    rows.elo.extend(baselines.map(|(player, elo)| elo_row(player.to_owned(), elo, PlayerRole::Baseline)));
    for generation in 0..generations {
        add_generation(&mut rows, generation, f64::from(generation) / f64::from(generations.max(8)), &mut noise);
        add_judgement(&mut rows, generation, f64::from(generation) / f64::from(generations.max(8)), board, &mut noise);
    }
    add_tournament(&mut rows, &mut noise);
    RunReport {
        name: name.to_owned(),
        meta: RunMeta {
            game: "pentago-swap".into(),
            network: "6 blocks of 64 channels, 523000 parameters".into(),
            search: "160 simulations a move in self-play (puct), 64 in the gate".into(),
            dates: "2026-01-02 to 2026-01-04".into(),
            champion: None,
            config_text: format!(
                "game = \"pentago-swap\"\ngenerations = {generations}\nseed = 7\n\n[selfplay]\ngames = 200\n"
            ),
            machine: "2 cores, Example CPU at 2.6 GHz, 8 GiB".into(),
            seed: Some(7),
            commit: Some("0123456789abcdef".into()),
            program_version: "0.1.0".into(),
            board: Some(board),
            warnings: Vec::new(),
            diagnostics: vec!["Draws are rare: the draw head learns little.".into()],
        },
        rows,
        samples: vec![SamplePosition {
            title: "Generation 12, game 3, after 7 plies: largest difference between search and network".into(),
            board: "  a b c\n1 x . .\n".into(),
            lines: vec!["White to move. The search looked at a1 60 %, b2 40 %.".into()],
        }],
    }
}

fn elo_row(player: String, elo: f64, role: PlayerRole) -> EloRow {
    EloRow { player, elo, elo_low: elo - 24.0, elo_high: elo + 26.0, games: 400, score: 0.5, role, ..EloRow::default() }
}

/// Costs, losses, ratings and verdicts of one generation, `progress` of the way through the run.
fn add_generation(rows: &mut ReportRows, generation: u32, progress: f64, noise: &mut Noise) {
    let done = u64::from(generation);
    let strength = 1.0 - (-4.0 * progress).exp();
    let elo = 1150.0 * strength - 60.0 + noise.around(20.0);
    let is_promoted = generation == 0 || noise.next() < 0.35 * (1.2 - progress);
    let hours = 0.21 * f64::from(generation);
    let verdict = if is_promoted {
        "promote"
    } else if noise.next() < 0.6 {
        "undecided"
    } else {
        "reject"
    };
    let ladder_score = 0.05 + 0.85 * strength + noise.around(0.02);
    rows.elo.push(EloRow {
        generation: Some(generation),
        cumulative_cpu_hours: Some(hours),
        cumulative_games: Some(2_000 * done),
        cumulative_simulations: Some(3_200_000 * done),
        ..elo_row(
            format!("generation-{generation}"),
            elo,
            if is_promoted { PlayerRole::Champion } else { PlayerRole::Candidate },
        )
    });
    let decay = (-5.0 * progress).exp();
    for record in 0..20 {
        let last = record == 19;
        rows.losses.push(LossRow {
            generation,
            step: 400 * done + 20 * (record + 1),
            policy_loss: 1.6 + 1.6 * decay + noise.around(0.04),
            value_loss: 0.55 + 0.4 * decay + noise.around(0.02),
            opponent_policy_loss: Some(1.9 + 1.5 * decay + noise.around(0.05)),
            moves_left_loss: Some(0.2 + 0.3 * decay + noise.around(0.01)),
            total_loss: 2.4 + 2.2 * decay + noise.around(0.05),
            gradient_norm: 0.6 + 0.3 * decay + noise.next() * 0.1,
            learning_rate: if progress < 0.5 { 0.002 } else { 0.0005 },
            replay_positions: 50_000,
            validation_policy_loss: last.then(|| 1.65 + 1.6 * decay + noise.around(0.02)),
            validation_value_loss: last.then(|| 0.6 + 0.4 * decay + noise.around(0.02)),
            train_eval_policy_loss: last.then_some(1.6 + 1.6 * decay),
            train_eval_value_loss: last.then_some(0.55 + 0.4 * decay),
            value_baseline_loss: Some(0.95),
            ..LossRow::default()
        });
    }
    let (first, draws) = (1_040 + (noise.around(60.0)) as i64, 60 + (120.0 * progress) as i64);
    let truncated = if progress < 0.1 { 40 } else { 0 };
    rows.selfplay.push(SelfPlayRow {
        generation,
        games: 2_000,
        positions: 51_000,
        simulations: 3_200_000,
        wall_seconds: 310.0 + noise.around(10.0),
        cpu_seconds: 610.0 + noise.around(20.0),
        mean_game_plies: 22.0 + 6.0 * strength + noise.around(0.4),
        first_wins: first as u64,
        second_wins: (2_000 - first - draws - truncated) as u64,
        draws: draws as u64,
        truncated: truncated as u64,
        policy_entropy_nats: 1.1 + 2.0 * decay + noise.around(0.03),
        root_value_mean_abs: 0.3 + 0.2 * strength,
        plies: 56_000,
        proven: 120,
        resigned: 300,
        resignations_checked: 30,
        resignations_wrong: 1,
        commonest_opening_share: 0.02 + 0.1 * strength,
        policy_surprise_nats: 0.35 + 0.5 * decay + noise.around(0.02),
        proven_position_share: 0.08,
    });
    rows.generations.push(GenerationRow {
        generation,
        selfplay_wall_seconds: Some(310.0),
        selfplay_cpu_seconds: Some(610.0),
        learn_wall_seconds: Some(75.0),
        learn_cpu_seconds: Some(146.0),
        gate_wall_seconds: Some(60.0),
        gate_cpu_seconds: Some(118.0),
        cumulative_cpu_hours: Some(hours),
        cumulative_games: Some(2_000 * done),
        cumulative_simulations: Some(3_200_000 * done),
        cumulative_positions: Some(51_000 * done),
        steps: Some(400 * (done + 1)),
        policy_loss: Some(1.6 + 1.6 * decay),
        value_loss: Some(0.55 + 0.4 * decay),
        total_loss: Some(2.4 + 2.2 * decay),
        ladder_score: Some(ladder_score.clamp(0.0, 1.0)),
        verdict: Some(verdict.into()),
        champion: is_promoted,
    });
    rows.ladder.push(LadderRow {
        generation,
        baseline: "alphabeta:depth=2".into(),
        games: 40,
        wins: (40.0 * ladder_score.clamp(0.0, 1.0)) as u64,
        draws: 0,
        losses: 40 - (40.0 * ladder_score.clamp(0.0, 1.0)) as u64,
        score: ladder_score.clamp(0.0, 1.0),
    });
    rows.matches.push(match_row(generation, verdict, ladder_score.clamp(0.0, 1.0)));
    rows.throughput.push(ThroughputRow {
        generation,
        network_seconds: Some(360.0 + noise.around(15.0)),
        tree_seconds: Some(130.0 + noise.around(8.0)),
        rules_seconds: Some(70.0 + noise.around(5.0)),
        idle_seconds: Some(40.0 + 20.0 * noise.next()),
    });
}

fn match_row(generation: u32, verdict: &str, score: f64) -> MatchRow {
    MatchRow {
        generation,
        a: format!("generation-{generation}"),
        b: "alphabeta:depth=2".into(),
        games: 40,
        wins: (40.0 * score) as u64,
        draws: 0,
        losses: 40 - (40.0 * score) as u64,
        score,
        elo: Some(400.0 * (score - 0.5)),
        elo_low: Some(400.0 * (score - 0.5) - 80.0),
        elo_high: Some(400.0 * (score - 0.5) + 80.0),
        normalized_elo: 300.0 * (score - 0.5),
        los: score,
        pairs_0: 2,
        pairs_half: 3,
        pairs_1: 8,
        pairs_1_half: 3,
        pairs_2: 4,
        first_player_share: 0.52,
        forfeits_a: 0,
        forfeits_b: 0,
        sprt_llr: None,
        sprt_lower: None,
        sprt_upper: None,
        verdict: Some(verdict.into()),
        duplicates: 0.0,
        cpu_seconds: 118.0,
    }
}

/// What one generation thinks of positions.
fn add_judgement(rows: &mut ReportRows, generation: u32, progress: f64, board: Board, noise: &mut Noise) {
    for bin in 0..10 {
        let low = f64::from(bin) / 10.0;
        let (predicted, slope) = (low + 0.05 + noise.around(0.01), 0.4 + 0.55 * progress);
        rows.calibration.push(CalibrationRow {
            generation,
            predicted_low: low,
            predicted_high: low + 0.1,
            positions: (1_000.0 + 8_000.0 * (low - 0.45).powi(2) * progress + 400.0 * noise.next()) as u64,
            mean_predicted: predicted,
            mean_scored: (0.5 + slope * (predicted - 0.5) + noise.around(0.02)).clamp(0.0, 1.0),
        });
    }
    for ply in 0..36 {
        let error = 0.5 - (0.1 + 0.25 * progress) * f64::from(ply) / 36.0 + noise.around(0.01);
        rows.value_error.push(ValueErrorRow {
            generation,
            ply,
            positions: 2_000 / u64::from(1 + ply / 12),
            mean_absolute_error: error,
            mean_squared_error: error * error,
        });
    }
    let cells: Vec<(u32, u32, f64)> = (0..board.rows)
        .flat_map(|row| (0..board.columns).map(move |column| (column, row)))
        .map(|(column, row)| {
            let from_middle = |at: u32, cells: u32| (f64::from(at) - f64::from(cells - 1) / 2.0) / f64::from(cells);
            let distance = from_middle(column, board.columns).hypot(from_middle(row, board.rows));
            (column, row, (-12.0 * progress * distance).exp() * (0.6 + 0.8 * noise.next()))
        })
        .collect();
    let sum: f64 = cells.iter().map(|(.., weight)| weight).sum();
    rows.opening_policy.extend(cells.into_iter().map(|(column, row, weight)| OpeningPolicyRow {
        generation,
        column,
        row,
        probability: weight / sum,
    }));
    for simulations in [0, 100] {
        let share = (0.4 - 0.3 * progress) / f64::from(1 + simulations).powf(0.2);
        rows.mistakes.push(MistakeRow {
            generation,
            simulations,
            positions: 1_000,
            critical: 612,
            mistakes: (1_000.0 * share) as u64,
            share,
            share_low: share - 0.02,
            share_high: share + 0.02,
            cumulative_cpu_hours: Some(f64::from(generation) * 0.031),
        });
    }
}

fn add_tournament(rows: &mut ReportRows, noise: &mut Noise) {
    let players = ["champion", "generation-5", "alphabeta:depth=4", "alphabeta:depth=2", "greedy", "random"];
    for (a, name) in players.iter().enumerate() {
        for (b, opponent) in players.iter().enumerate().skip(a + 1).filter(|(b, _)| (a, *b) != (1, 4)) {
            let score = (0.5 + 0.13 * (b - a) as f64 + noise.around(0.05)).clamp(0.0, 1.0);
            rows.cross_table.push(CrossTableRow {
                a: (*name).into(),
                b: (*opponent).into(),
                games: 100,
                score,
                elo: None,
            });
        }
    }
}

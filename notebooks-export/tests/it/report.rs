//! The whole way from rows to files: what stands in the tables, and that the pictures are real.

use std::fs;
use std::path::{Path, PathBuf};

use selfplay_notebooks_export::plots::{EloAxis, HEIGHT_PX, WIDTH_PX, elo_plot, loss_plot};
use selfplay_notebooks_export::{
    AblationRow, EloRow, ExportError, LossRow, MatchRow, PlayerRole, ReportRows, SelfPlayRow, TableRow, read_csv,
    write_ablation, write_csv, write_report,
};

const FILES: [&str; 10] = [
    "elo.csv",
    "losses.csv",
    "selfplay.csv",
    "matches.csv",
    "elo_cpu_hours.svg",
    "elo_cpu_hours.png",
    "elo_games.svg",
    "elo_games.png",
    "losses.svg",
    "losses.png",
];

fn baseline(player: &str, elo: f64) -> EloRow {
    EloRow {
        player: player.into(),
        elo,
        elo_low: elo - 20.0,
        elo_high: elo + 20.0,
        games: 400,
        score: 0.5,
        ..EloRow::default()
    }
}

fn generation(generation: u32) -> EloRow {
    let elo = 900.0 * (1.0 - (-f64::from(generation) / 4.0).exp()) - 150.0;
    EloRow {
        player: format!("generation-{generation}"),
        generation: Some(generation),
        cumulative_cpu_hours: Some(0.21 * f64::from(generation)),
        cumulative_games: Some(2_000 * u64::from(generation)),
        cumulative_simulations: Some(1_000_000 * u64::from(generation)),
        role: if generation.is_multiple_of(3) { PlayerRole::Champion } else { PlayerRole::Candidate },
        ..baseline("", elo)
    }
}

fn loss(step: u64) -> LossRow {
    let decay = (-(step as f64) / 300.0).exp();
    LossRow {
        generation: (step / 100) as u32,
        step,
        policy_loss: 1.8 + decay,
        value_loss: 0.6 + 0.4 * decay,
        total_loss: 2.4 + 1.4 * decay,
        gradient_norm: 0.7,
        learning_rate: 0.002,
        replay_positions: 50_000,
        validation_policy_loss: step.is_multiple_of(100).then_some(2.0 + decay),
        validation_value_loss: step.is_multiple_of(100).then_some(0.7 + 0.4 * decay),
        ..LossRow::default()
    }
}

fn selfplay(generation: u32) -> SelfPlayRow {
    SelfPlayRow {
        generation,
        games: 2_000,
        positions: 50_000,
        simulations: 3_200_000,
        wall_seconds: 400.5,
        cpu_seconds: 790.25,
        mean_game_plies: 25.0,
        first_wins: 1_000,
        second_wins: 800,
        draws: 190,
        truncated: 10,
        policy_entropy_nats: 1.25,
        root_value_mean_abs: 0.375,
        plies: 60_000,
        proven: 40,
        resigned: 30,
        resignations_checked: 3,
        resignations_wrong: 1,
        commonest_opening_share: 0.125,
        policy_surprise_nats: 0.5,
        proven_position_share: 0.25,
    }
}

fn won_match() -> MatchRow {
    MatchRow {
        generation: 3,
        a: "generation-3".into(),
        b: "alpha-beta, \"depth 4\"".into(),
        games: 10,
        wins: 10,
        draws: 0,
        losses: 0,
        score: 1.0,
        elo: None,
        elo_low: Some(120.5),
        elo_high: None,
        normalized_elo: 350.0,
        los: 0.999,
        pairs_0: 0,
        pairs_half: 0,
        pairs_1: 0,
        pairs_1_half: 0,
        pairs_2: 5,
        first_player_share: 0.5,
        forfeits_a: 0,
        forfeits_b: 1,
        sprt_llr: Some(3.0),
        sprt_lower: None,
        sprt_upper: None,
        verdict: Some("promote".into()),
        duplicates: 0.0,
        cpu_seconds: 12.5,
    }
}

fn report_of(generations: u32) -> ReportRows {
    let mut elo = vec![
        baseline("random", 0.0),
        baseline("greedy", 180.0),
        baseline("alpha-beta-depth-4", 420.0),
        baseline("alpha-beta-100ms", 455.0),
    ];
    elo.extend((0..generations).map(generation));
    ReportRows {
        selfplay: (0..generations).map(selfplay).collect(),
        losses: (0..u64::from(generations) * 10).map(|record| loss(record * 10)).collect(),
        matches: vec![won_match()],
        elo,
        ..ReportRows::default()
    }
}

/// Decodes the file and returns its pixels, `[HEIGHT_PX, WIDTH_PX, 3]`.
fn decode(path: &Path) -> Vec<u8> {
    let mut reader = png::Decoder::new(fs::File::open(path).unwrap()).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (WIDTH_PX, HEIGHT_PX, png::ColorType::Rgb));
    pixels
}

fn share_of_ink(pixels: &[u8]) -> f64 {
    let inked = pixels.chunks(3).filter(|pixel| pixel.iter().any(|&channel| channel < 255)).count();
    inked as f64 / (pixels.len() / 3) as f64
}

fn names(paths: &[PathBuf]) -> Vec<&str> {
    paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect()
}

#[test]
fn a_report_has_all_tables_and_both_formats_of_each_plot() {
    let folder = tempfile::tempdir().unwrap();
    let rows = report_of(8);
    let paths = write_report(&folder.path().join("new/report"), &rows).unwrap();
    assert_eq!(names(&paths), FILES);
    assert_eq!(fs::read_dir(paths[0].parent().unwrap()).unwrap().count(), FILES.len());
    assert_eq!(read_csv::<EloRow>(&paths[0]).unwrap(), rows.elo);
    assert_eq!(read_csv::<LossRow>(&paths[1]).unwrap(), rows.losses);
    assert_eq!(read_csv::<SelfPlayRow>(&paths[2]).unwrap(), rows.selfplay);
    assert_eq!(read_csv::<MatchRow>(&paths[3]).unwrap(), rows.matches);
    for path in paths.iter().filter(|path| path.extension().unwrap() == "png") {
        let ink = share_of_ink(&decode(path));
        assert!((0.02..0.5).contains(&ink), "{}: {ink}", path.display());
    }
    let svg = fs::read_to_string(&paths[4]).unwrap();
    assert!(svg.starts_with("<svg width=\"1600\" height=\"1000\"") && svg.trim_end().ends_with("</svg>"));
    for text in ["hours, all threads", "Elo", "95 % interval", "champion", "alpha-beta-depth-4 (420)", "random (0)"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn a_table_is_plain_csv_with_stable_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.csv");
    write_csv(&path, &[won_match()]).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "generation,a,b,games,wins,draws,losses,score,elo,elo_low,elo_high,normalized_elo,los,pairs_0,pairs_half,\
         pairs_1,pairs_1_half,pairs_2,first_player_share,forfeits_a,forfeits_b,sprt_llr,sprt_lower,sprt_upper,verdict,\
         duplicates,cpu_seconds\n\
         3,generation-3,\"alpha-beta, \"\"depth 4\"\"\",10,10,0,0,1.0,,120.5,,350.0,0.999,0,0,0,0,5,0.5,0,1,3.0,,,promote,\
         0.0,12.5\n"
    );
    write_csv(&path, &[generation(0)]).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "player,generation,elo,elo_low,elo_high,games,score,cumulative_cpu_hours,cumulative_games,\
         cumulative_simulations,role\ngeneration-0,0,-150.0,-170.0,-130.0,400,0.5,0.0,0,0,champion\n"
    );
}

#[test]
fn without_rows_the_tables_have_headers_and_the_pictures_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write_report(folder.path(), &ReportRows::default()).unwrap();
    assert_eq!(names(&paths), FILES);
    assert_eq!(fs::read_to_string(&paths[1]).unwrap(), LossRow::COLUMNS.join(",") + "\n");
    assert!(read_csv::<EloRow>(&paths[0]).unwrap().is_empty());
    assert!(fs::read_to_string(&paths[4]).unwrap().contains("No generation has been rated yet."));
    assert!(fs::read_to_string(&paths[8]).unwrap().contains("No training step has been recorded yet."));
    for path in paths.iter().filter(|path| path.extension().unwrap() == "png") {
        assert!(share_of_ink(&decode(path)) > 0.001, "{}", path.display());
    }
}

#[test]
fn unknown_costs_are_left_out_and_counted_not_drawn_at_zero() {
    let mut rows = report_of(8).elo;
    rows.last_mut().unwrap().cumulative_cpu_hours = None;
    let svg = elo_plot(&rows, EloAxis::CpuHours).to_svg().unwrap();
    assert!(svg.contains("left out, cost unknown: 1"));
    assert!(!elo_plot(&rows, EloAxis::Games).to_svg().unwrap().contains("left out"));
    rows.iter_mut().for_each(|row| row.cumulative_cpu_hours = None);
    let svg = elo_plot(&rows, EloAxis::CpuHours).to_svg().unwrap();
    assert!(svg.contains("The cost of the rated generations (8) is unknown."));
}

#[test]
fn one_generation_and_one_loss_are_points_inside_the_data() {
    let rows = [baseline("random", 0.0), generation(1)];
    let svg = elo_plot(&rows, EloAxis::Games).to_svg().unwrap();
    // The legend's disc and the point; the point in the middle, since the axis ends at twice its cost.
    let circles: Vec<&str> = svg.lines().filter(|line| line.starts_with("<circle")).collect();
    assert_eq!(circles.len(), 2, "{circles:?}");
    let loss_svg = loss_plot(&[loss(50)]).to_svg().unwrap();
    assert_eq!(loss_svg.lines().filter(|line| line.starts_with("<circle")).count(), 2);
    assert!(elo_plot(&rows[1..], EloAxis::CpuHours).to_png().is_ok());
}

fn variant(name: &str, elo: Option<f64>) -> AblationRow {
    AblationRow {
        variant: name.into(),
        elo,
        elo_low: elo.map(|elo| elo - 30.0),
        elo_high: elo.map(|elo| elo + 40.0),
        rated_games: 400,
        score: Some(0.5),
        runs: 1,
        cpu_hours: Some(0.5),
        generations: Some(40),
        games: Some(8_000),
        positions: Some(100_000),
        simulations: Some(9_000_000),
        positions_per_cpu_second: Some(55.5),
        policy_loss: Some(1.5),
        value_loss: None,
        notes: elo.is_none().then(|| "12 % of the games were cut, and \"count\" as draws".into()),
    }
}

#[test]
fn an_ablation_has_its_table_and_its_plot() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = vec![variant("base", Some(0.0)), variant("learner.batch_size=512", Some(-45.0))];
    rows.extend([variant("seed=7", None), AblationRow { runs: 0, ..variant("random", Some(-900.0)) }]);
    let paths = write_ablation(folder.path(), "pentago-swap, 0.5 CPU-hours each", &rows).unwrap();
    assert_eq!(names(&paths), ["ablation.csv", "ablation.svg", "ablation.png"]);
    assert_eq!(read_csv::<AblationRow>(&paths[0]).unwrap(), rows);
    let svg = fs::read_to_string(&paths[1]).unwrap();
    for text in ["0.5 CPU-hours each", "learner.batch_size=512", "Elo above base", "1 not shown"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains("random"), "baselines are in the table alone");
    assert!((0.005..0.5).contains(&share_of_ink(&decode(&paths[2]))));

    let many: Vec<AblationRow> = (0..40).map(|n| variant(&"x".repeat(4 * n + 1), Some(10.0 * n as f64))).collect();
    let paths = write_ablation(folder.path(), "many", &many).unwrap();
    assert!(fs::read_to_string(&paths[1]).unwrap().contains("16 not shown"));
    let paths = write_ablation(folder.path(), "none", &[]).unwrap();
    assert!(fs::read_to_string(&paths[1]).unwrap().contains("Nothing has been rated yet."));
}

#[test]
fn a_number_that_is_not_finite_is_refused_by_row_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = report_of(3);
    rows.losses[4].gradient_norm = f64::NAN;
    let error = write_report(folder.path(), &rows).unwrap_err();
    assert!(
        matches!(error, ExportError::NotFinite { table: "losses", row: 5, column: "gradient_norm", .. }),
        "{error}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

    let mut rows = report_of(3).elo;
    rows[6].cumulative_cpu_hours = Some(f64::INFINITY);
    let error = write_csv(&folder.path().join("elo.csv"), &rows).unwrap_err();
    assert_eq!(error.to_string(), "table `elo`, row 7, column `cumulative_cpu_hours`: inf is not a finite number");
}

#[test]
fn a_file_with_other_columns_is_refused_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("losses.csv");
    write_csv(&path, &[selfplay(0)]).unwrap();
    let error = read_csv::<LossRow>(&path).unwrap_err();
    assert!(matches!(error, ExportError::Read { table: "losses", .. }), "{error}");
    assert!(error.to_string().contains("losses.csv"), "{error}");
}

#[test]
fn a_table_from_before_a_column_that_may_be_empty_is_read_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("losses.csv");
    let row = LossRow { train_eval_value_loss: Some(1.5), value_baseline_loss: Some(0.75), ..loss(100) };
    write_csv(&path, std::slice::from_ref(&row)).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let shorter: String = text.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n").collect();
    fs::write(&path, shorter).unwrap();
    assert_eq!(read_csv::<LossRow>(&path).unwrap(), [LossRow { value_baseline_loss: None, ..row }]);
}

#[test]
fn extreme_numbers_do_not_panic() {
    let mut rows = vec![generation(1), generation(2), baseline("far", -1e308)];
    rows[1].elo_high = 1e308;
    rows[1].cumulative_cpu_hours = Some(f64::MAX);
    rows[0].cumulative_games = Some(u64::MAX);
    for axis in [EloAxis::CpuHours, EloAxis::Games] {
        assert!(elo_plot(&rows, axis).to_png().is_ok());
    }
    let losses = [LossRow { policy_loss: 1e300, ..loss(u64::MAX) }, LossRow { value_loss: -1e-300, ..loss(0) }];
    assert!(loss_plot(&losses).to_png().is_ok());
}

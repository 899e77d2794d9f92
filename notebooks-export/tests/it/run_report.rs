//! Whole reports: which files there are, that pages hold together, and what is said of data that are missing.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use selfplay_notebooks_export::plots::Board;
use selfplay_notebooks_export::tables_page;
use selfplay_notebooks_export::{
    EloRow, PictureFiles, Report, ReportRows, RunMeta, RunReport, SelfPlayRow, TableRow, champion_reason, read_csv,
    read_csv_lenient, write_csv, write_run_report,
};
use serde_json::Value;

use crate::sample;

const BOARD: Board = Board { columns: 6, rows: 6 };
const HOSTILE: &str = "</title><script>alert(1)</script> \"q\" 'a' `b` | *c* & \\ \n ü";

fn one(run: RunReport) -> Report {
    Report { runs: vec![run], ..Report::default() }
}

fn read_page(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// The values of an attribute in a page.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let opening = format!(" {name}=\"");
    html.split(&opening).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// Checks that a page needs nothing from outside and that each of its links leads somewhere.
fn assert_page_is_whole(folder: &Path) {
    let html = read_page(folder, "report.html");
    assert!(!html.contains("http:") && !html.contains("https:") && !html.contains("url("), "a request to outside");
    assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("NaN"));
    assert_eq!(html.matches("<figure").count(), html.matches("</figure>").count());
    let ids: Vec<&str> = attributes(&html, "id");
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id stands for two elements");
    for link in attributes(&html, "href") {
        match link.strip_prefix('#') {
            Some(id) => assert!(unique.contains(id), "{link}"),
            None => assert!(link == "data:," || folder.join(link).is_file(), "{link}"),
        }
    }
    for figure in html.split("<figure").skip(1) {
        let figure = figure.split("</figure>").next().unwrap();
        assert_eq!(
            figure.contains(".csv\">"),
            figure.contains("<svg"),
            "a figure without its table, or a table without rows"
        );
    }
    let markdown = read_page(folder, "report.md");
    for link in markdown.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(folder.join(link).is_file(), "{link}");
    }
}

/// Checks what nbformat 4.5 asks of a notebook; returns the text of all code cells.
fn assert_notebook_is_valid(folder: &Path) -> String {
    let notebook: Value = serde_json::from_str(&read_page(folder, "report.ipynb")).unwrap();
    assert_eq!((notebook["nbformat"].as_u64(), notebook["nbformat_minor"].as_u64()), (Some(4), Some(5)));
    let (mut ids, mut code) = (HashSet::new(), String::new());
    for cell in notebook["cells"].as_array().unwrap() {
        assert!(ids.insert(cell["id"].as_str().unwrap().to_owned()));
        assert!(cell["metadata"].is_object());
        let source = cell["source"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
        match cell["cell_type"].as_str().unwrap() {
            "code" => {
                assert!(cell["outputs"].as_array().unwrap().is_empty() && cell["execution_count"].is_null());
                code.extend(source);
            }
            kind => {
                assert_eq!(kind, "markdown");
                for link in source.collect::<String>().split("](").skip(1) {
                    assert!(folder.join(link.split(')').next().unwrap()).is_file(), "{link}");
                }
            }
        }
    }
    code
}

fn bytes_without_pngs(paths: &[PathBuf]) -> u64 {
    let small = paths.iter().filter(|path| path.extension().unwrap() != "png");
    small.map(|path| fs::metadata(path).unwrap().len()).sum()
}

#[test]
fn a_report_of_one_run_has_all_tables_all_pictures_and_three_pages() {
    let folder = tempfile::tempdir().unwrap();
    let run = sample::run("twelve", 12, BOARD);
    let paths = write_run_report(folder.path(), &one(run.clone())).unwrap();
    assert!(paths.iter().all(|path| path.is_file()));
    let count = |extension: &str| paths.iter().filter(|path| path.extension().unwrap() == extension).count();
    assert_eq!((count("csv"), count("svg"), count("png")), (12, 15, 15));
    assert_page_is_whole(folder.path());
    assert!(assert_notebook_is_valid(folder.path()).contains("(\"tables\", \"twelve\")"));
    let html = read_page(folder.path(), "report.html");
    for text in
        ["pentago-swap", "0123456789abcdef", "2 cores, Example CPU", "Draws are rare", "seed = 7", "alphabeta:depth=4"]
    {
        assert!(html.contains(text), "{text}");
    }
    assert_eq!(html.matches("<svg").count(), 15);
    let elo: Vec<EloRow> = read_csv(&folder.path().join("tables/elo.csv")).unwrap();
    assert_eq!(elo.len(), run.rows.elo.len());
    assert!((elo[7].elo - run.rows.elo[7].elo).abs() < 1e-2 && elo[7] == run.rows.elo[7].rounded());
    let (back, warnings) = ReportRows::read_lenient(&folder.path().join("tables"));
    assert_eq!((back, warnings), (run.rows.rounded(), Vec::new()));
}

#[test]
fn a_report_without_pixels_has_no_file_and_no_link_of_that_kind() {
    let folder = tempfile::tempdir().unwrap();
    let report = Report { pictures: PictureFiles::Svg, ..one(sample::run("twelve", 12, BOARD)) };
    let paths = write_run_report(folder.path(), &report).unwrap();
    let count = |extension: &str| paths.iter().filter(|path| path.extension().unwrap() == extension).count();
    assert_eq!((count("csv"), count("svg"), count("png")), (12, 15, 0));
    assert_page_is_whole(folder.path());
    let html = read_page(folder.path(), "report.html");
    assert!(html.contains(".svg\">SVG</a>") && !html.contains(".png"));
}

#[test]
fn several_runs_are_compared_and_texts_of_users_stay_texts() {
    let folder = tempfile::tempdir().unwrap();
    let mut hostile = sample::run(HOSTILE, 2, BOARD);
    hostile.meta = RunMeta {
        game: HOSTILE.into(),
        config_text: format!("```\n{HOSTILE}"),
        machine: HOSTILE.into(),
        commit: Some(HOSTILE.into()),
        warnings: vec![HOSTILE.into()],
        diagnostics: vec![HOSTILE.into()],
        ..hostile.meta
    };
    for row in &mut hostile.rows.elo {
        row.player.insert_str(0, HOSTILE);
    }
    for row in &mut hostile.rows.cross_table {
        row.a.insert_str(0, HOSTILE);
    }
    let runs = vec![sample::run("base", 5, BOARD), hostile, sample::run("base", 1, BOARD)];
    write_run_report(folder.path(), &Report { runs, ..Report::default() }).unwrap();
    assert_page_is_whole(folder.path());
    for place in ["base/tables/elo.csv", "base-2/tables/elo.csv", "base-2/plots/losses.png", "plots/compare_elo.svg"] {
        assert!(folder.path().join(place).is_file(), "{place}");
    }
    let code = assert_notebook_is_valid(folder.path());
    assert!(code.contains("(\"base-2/tables\", \"base\")"));
    assert!(code.contains(&serde_json::to_string(HOSTILE).unwrap()));
    let markdown = read_page(folder.path(), "report.md");
    let outside_code: String = markdown.split("````").step_by(2).collect::<String>().replace("\\<", "");
    assert!(!outside_code.contains("<script") && markdown.contains("````toml\n```\n</title>"));
}

#[test]
fn what_is_missing_is_said_and_has_no_picture() {
    let folder = tempfile::tempdir().unwrap();
    let empty = RunReport { name: "nothing".into(), ..RunReport::default() };
    let paths = write_run_report(folder.path(), &one(empty)).unwrap();
    assert_eq!(paths.len(), 4, "pages alone: no table has rows");
    assert_page_is_whole(folder.path());
    let html = read_page(folder.path(), "report.html");
    assert!(!html.contains("<svg"));
    for text in
        ["No generation has been rated yet.", "The config is not known.", "There is no tournament in this report."]
    {
        assert!(html.contains(text) && read_page(folder.path(), "report.md").contains(text), "{text}");
    }

    let mut run = sample::run("sparse", 12, BOARD);
    run.rows.throughput.iter_mut().for_each(|row| (row.rules_seconds, row.idle_seconds) = (None, None));
    run.rows.elo.iter_mut().for_each(|row| row.cumulative_simulations = None);
    run.rows.calibration.clear();
    let paths = write_run_report(folder.path(), &one(run)).unwrap();
    assert_page_is_whole(folder.path());
    let html = read_page(folder.path(), "report.html");
    for text in ["(rules: not known)", "(idle: not known)", "The cost of the rated generations (12) is unknown."] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!paths.iter().any(|path| path.ends_with("calibration.svg") || path.ends_with("elo_simulations.png")));

    let none = tempfile::tempdir().unwrap();
    write_run_report(none.path(), &Report::default()).unwrap();
    assert!(read_page(none.path(), "report.html").contains("This report has no run."));
    assert_notebook_is_valid(none.path());
}

#[test]
fn long_runs_on_large_boards_stay_small() {
    let folder = tempfile::tempdir().unwrap();
    let paths =
        write_run_report(folder.path(), &one(sample::run("long", 150, Board { columns: 19, rows: 19 }))).unwrap();
    let bytes = bytes_without_pngs(&paths);
    assert!(bytes < 3 << 20, "{bytes} bytes");
    let largest =
        paths.iter().filter(|path| path.extension().unwrap() == "svg").map(|path| fs::metadata(path).unwrap().len());
    assert!(largest.max().unwrap() < 150_000);
}

#[test]
fn a_number_that_is_not_finite_stops_the_report_before_its_first_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = sample::run("bad", 3, BOARD);
    run.rows.value_error[4].mean_squared_error = f64::NAN;
    let error = write_run_report(folder.path(), &one(run)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "table `value_error`, row 5, column `mean_squared_error`: NaN is not a finite number"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_damaged_table_is_read_up_to_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let rows = sample::run("whole", 6, BOARD).rows;
    let path = folder.path().join("selfplay.csv");
    write_csv(&path, &rows.selfplay).unwrap();
    let whole = fs::read(&path).unwrap();
    assert_eq!(read_csv_lenient::<SelfPlayRow>(&path).warning, None);

    let salvaged = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let salvaged = read_csv_lenient::<SelfPlayRow>(&path);
        assert_eq!(salvaged.rows, rows.selfplay[..salvaged.rows.len()]);
        (salvaged.rows.len(), salvaged.warning.unwrap_or_default())
    };
    // Without its end, a last line may lack digits of its last number, so it is not believed.
    let (count, warning) = salvaged(&whole[..whole.len() - 1]);
    assert_eq!(count, 5);
    assert!(warning.contains("selfplay.csv: line 7 is torn off") && warning.contains("5 whole rows"), "{warning}");
    let third = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(3).unwrap().0;
    let damages: [(&str, Vec<u8>); 3] = [
        // Half a line is lost, a text is not one, a number is none.
        ("line: 4", [&whole[..third - 30], &whole[third..]].concat()),
        ("line 4", [&whole[..third - 3], b"\xff\xfe", &whole[third..]].concat()),
        ("line: 4", [&whole[..third - 3], b"lots", &whole[third..]].concat()),
    ];
    for (place, bytes) in damages {
        let (count, warning) = salvaged(&bytes);
        assert_eq!(count, 2, "{warning}");
        assert!(warning.contains("selfplay.csv: damaged") && warning.contains(place), "{place}: {warning}");
    }
    assert_eq!(salvaged(b"").0, 0);
    let (count, warning) = salvaged(b"generation,step\n1,2\n");
    assert!(count == 0 && warning.contains("missing field"), "{warning}");
    fs::remove_file(&path).unwrap();
    assert!(read_csv_lenient::<SelfPlayRow>(&path).warning.unwrap().contains("selfplay.csv: is missing"));

    let text = String::from_utf8(whole).unwrap();
    let length = rows.selfplay[3].mean_game_plies.to_string();
    let (count, warning) = salvaged(text.replace(&length, "inf").as_bytes());
    assert_eq!(count, 3);
    assert!(warning.contains("line 5, column `mean_game_plies`: inf is not a finite number"), "{warning}");
}

#[test]
fn a_folder_of_tables_is_read_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let rows = sample::run("left", 4, BOARD).rows;
    rows.write_tables(folder.path(), |_, has_rows| has_rows).unwrap();
    for name in ["elo.csv", "ladder.csv"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    let value_error = fs::read(folder.path().join("value_error.csv")).unwrap();
    fs::write(folder.path().join("value_error.csv"), &value_error[..value_error.len() / 2]).unwrap();
    let (read, warnings) = ReportRows::read_lenient(folder.path());
    assert!(read.elo.is_empty() && read.ladder.is_empty() && !read.value_error.is_empty());
    assert_eq!(read.losses, rows.losses);
    // Every run has ratings; a ladder depends on its settings.
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0].contains("elo.csv: is missing") && warnings[1].contains("value_error.csv: line "),
        "{warnings:?}"
    );

    let report = RunReport {
        name: "left".into(),
        meta: RunMeta { warnings, ..RunMeta::default() },
        rows: read,
        ..RunReport::default()
    };
    let pages = tempfile::tempdir().unwrap();
    write_run_report(pages.path(), &one(report)).unwrap();
    assert_page_is_whole(pages.path());
    for page in ["report.html", "report.md"] {
        assert!(read_page(pages.path(), page).contains("is missing"), "{page}");
    }
}

#[test]
fn the_page_on_tables_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tables.md");
    let page = tables_page();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), page, "UPDATE_EXPECT=1 cargo test rewrites docs/tables.md");
}

#[test]
fn every_written_column_is_on_the_page_in_its_place() {
    // The other way round and from the files: what the page lists is what stands in the headers.
    let folder = tempfile::tempdir().unwrap();
    let paths = ReportRows::default().write_tables(folder.path(), |_, _| true).unwrap();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tables.md")).unwrap();
    assert_eq!(page.matches("\n## `").count(), paths.len());
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let section = page.split(&format!("\n## `{name}`\n")).nth(1).unwrap().split("\n## ").next().unwrap();
        let listed: Vec<&str> =
            section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        assert_eq!(fs::read_to_string(&path).unwrap().trim_end(), listed.join(","), "{name}");
    }
}

#[test]
fn extreme_numbers_do_not_stop_a_report() {
    let mut run = sample::run("extreme", 3, BOARD);
    let rows = &mut run.rows;
    rows.elo[5].elo_high = f64::MAX;
    rows.elo[6].cumulative_simulations = Some(u64::MAX);
    rows.generations[1].cumulative_cpu_hours = Some(f64::MAX);
    rows.generations[2].ladder_score = Some(-7.0);
    rows.generations[2].verdict = Some("maybe".into());
    rows.selfplay[1].generation = u32::MAX;
    rows.selfplay.iter_mut().for_each(|row| row.policy_entropy_nats = f64::MAX);
    rows.selfplay[0].first_wins = u64::MAX;
    rows.losses[3].total_loss = f64::MIN_POSITIVE;
    rows.calibration[0].positions = u64::MAX;
    rows.calibration[1].mean_scored = 1e300;
    rows.value_error[1].ply = u32::MAX;
    rows.opening_policy[3].column = u32::MAX;
    rows.opening_policy[4].probability = f64::MAX;
    rows.throughput[1].idle_seconds = Some(-1.0);
    rows.cross_table[0].score = 40.0;
    rows.cross_table[1].games = u64::MAX;
    let folder = tempfile::tempdir().unwrap();
    for board in [None, Some(Board { columns: 1, rows: u32::MAX })] {
        run.meta.board = board;
        write_run_report(folder.path(), &one(run.clone())).unwrap();
        assert_page_is_whole(folder.path());
    }
}

/// One sentence names the champion's gate, its ladder score, and a generation that is rated higher.
#[test]
fn the_champion_is_explained() {
    let rated = |generation: u32, elo: f64| EloRow {
        player: format!("gen-{generation:05}"),
        generation: Some(generation),
        elo,
        elo_low: elo - 40.0,
        elo_high: elo + 40.0,
        ..sample::run("a", 2, BOARD).rows.elo[0].clone()
    };
    let rows = sample::run("a", 4, BOARD).rows;
    let score = rows.generations[2].ladder_score.unwrap();
    let start = format!("Generation 2 was the last to pass the gate, with a ladder score of {score:.3}; ");
    for (others, ending) in [
        (vec![rated(2, 500.0), rated(3, 499.0)], "no generation is rated higher."),
        (
            vec![rated(2, 500.0), rated(3, 525.0)],
            "generation 3 is rated 25 Elo higher, within the champion's 95 % interval (460 to 540).",
        ),
        (
            vec![rated(1, 541.0), rated(2, 500.0)],
            "generation 1 is rated 41 Elo higher, above the champion's 95 % interval (460 to 540).",
        ),
        (vec![rated(3, 500.0)], "it has no rating."),
    ] {
        assert_eq!(champion_reason(2, &others, &rows.generations), format!("{start}{ending}"));
    }
    let unknown = champion_reason(9, &[], &rows.generations);
    assert_eq!(unknown, "Generation 9 was the last to pass the gate; it has no rating.");
}

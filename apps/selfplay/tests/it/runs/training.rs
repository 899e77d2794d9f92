//! Training runs: results, going on after a kill, and what a run rejects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::runs::fixture::{CONFIG, RunFixture, files};

/// Everything that draws lots or looks at earlier games.
const FEATURES: [&str; 16] = [
    "--set",
    "selfplay.playout_cap_full_prob=0.5",
    "--set",
    "selfplay.stop_proven=true",
    "--set",
    "selfplay.evaluation_symmetry=random",
    "--set",
    "selfplay.starts={ random_opening_prob = 0.2, go_exploit_prob = 0.4 }",
    "--set",
    "selfplay.resign.threshold=-0.6",
    "--set",
    "selfplay.search.root={ gumbel = { max_num_considered_actions = 4 } }",
    "--set",
    "replay.policy_surprise_weight=0.5",
    "--set",
    "replay.validation_every=5",
];

/// Games and networks of a run: what must be the same bit for bit.
fn products(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut products = files(&run.join("games"));
    products.extend(files(&run.join("networks")));
    products
}

#[test]
fn a_run_leaves_champion_tables_and_plots() {
    let work = RunFixture::new();
    let output = work.trains("a", &[]);
    let run = work.path("checkpoints/a");
    for name in [
        "champion.toml",
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
    ] {
        assert!(fs::metadata(run.join(name)).is_ok_and(|file| file.len() > 0), "{name} is missing");
    }
    assert!(output.contains("selfplay play tictactoe"), "{output}");
    let rows = fs::read_to_string(run.join("elo.csv")).unwrap().lines().count();
    assert_eq!(rows, 1 + 2 + 3, "a header, two baselines, three generations");
    // The champion plays: a run folder stands for it. A checkpoint plays as well, with its run's config beside it too.
    let analyse = |game: &str, checkpoint: &str| {
        Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .current_dir(work.folder())
            .args(["analyse", "--json", game, &format!("search:checkpoint=checkpoints/{checkpoint},simulations=8")])
            .output()
            .unwrap()
    };
    fs::copy(run.join("config.toml"), run.join("networks/gen-00002/config.toml")).unwrap();
    for checkpoint in ["a", "a/networks/gen-00001", "a/networks/gen-00002"] {
        let output = analyse("tictactoe", checkpoint);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    // A checkpoint of another game is rejected with a sentence that names both.
    let output = analyse("connect4", "a");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("tictactoe") && error.contains("connect4"), "{error}");
}

/// Verdicts and ratings of a run without the times they took.
fn verdicts(run: &Path) -> Vec<serde_json::Value> {
    let phases = files(&run.join("phases"));
    let gates = phases.iter().filter(|(path, _)| path.to_string_lossy().contains("gate"));
    let without_time = |(_, bytes): (&PathBuf, &Vec<u8>)| {
        let mut report: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        report.as_object_mut().unwrap().retain(|key, _| key != "time" && key != "checksum");
        report
    };
    gates.map(without_time).collect()
}

#[test]
fn neither_kills_nor_threads_change_the_run() {
    let work = RunFixture::new();
    let with_features = |threads| [&["--threads", threads][..], &FEATURES].concat();
    work.trains("whole", &with_features("1"));
    let run = work.path("checkpoints/killed");
    // Killed as soon as each of these is there, then run to the end with another number of threads.
    let moments = [
        "config.toml",
        "games/gen-00001.shard",
        "phases/gen-00001.selfplay.json",
        "networks/gen-00001",
        "phases/gen-00001.learn.json",
        "phases/gen-00001.gate.json",
        "games/gen-00002.shard",
        "networks/gen-00002",
    ];
    let mut kills = 0;
    for moment in moments {
        let mut child: Child =
            work.command("killed", &with_features("2")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !run.join(moment).exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        kills += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(kills >= 4, "only {kills} kills met a running process");
    // What a kill in the middle of a write leaves.
    for half in ["networks/gen-00000/manifest.toml.1.tmp", "phases/gen-00001.learn.json.1.tmp"] {
        fs::write(run.join(half), "format_ver").unwrap();
    }
    work.trains("killed", &with_features("2"));
    let whole = work.path("checkpoints/whole");
    let (expected, found) = (products(&whole), products(&run));
    assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>());
    for (path, bytes) in &expected {
        assert!(found[path] == *bytes, "{} differs", path.display());
    }
    assert_eq!(verdicts(&whole), verdicts(&run));
    // Started again, a complete run changes nothing.
    work.trains("killed", &FEATURES);
    assert_eq!(products(&run), expected);
}

#[test]
fn lost_phase_files_are_made_again() {
    let work = RunFixture::new();
    work.trains("a", &[]);
    let run = work.path("checkpoints/a");
    let (before, verdicts_before) = (products(&run), verdicts(&run));
    for phase in ["gen-00001.learn", "gen-00002.learn", "gen-00001.gate", "gen-00002.selfplay", "gen-00000.baselines"] {
        fs::remove_file(run.join(format!("phases/{phase}.json"))).unwrap();
        work.trains("a", &[]);
        assert_eq!(products(&run), before, "after the loss of {phase}");
        assert_eq!(verdicts(&run), verdicts_before, "after the loss of {phase}");
    }
}

#[test]
fn means_in_phase_files_may_be_rounded_but_games_must_be_whole() {
    let work = RunFixture::new();
    work.trains("a", &[]);
    let report = work.path("checkpoints/a/phases/gen-00001.selfplay.json");
    let text = fs::read_to_string(&report).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["summary"]["policy_entropy_nats"] = 1.0.into();
    fs::write(&report, json.to_string()).unwrap();
    work.trains("a", &["--set", "generations=3"]);
    // A shard cut short after its phase was complete is not played on with.
    let shard = work.path("checkpoints/a/games/gen-00001.shard");
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, &bytes[..bytes.len() - 1]).unwrap();
    let error = work.refuses("a", &["--set", "generations=4"]);
    assert!(error.contains("gen-00001.shard"), "{error}");
}

#[test]
fn a_stepped_training_waits_between_generations_and_ends_where_nobody_answers() {
    let work = RunFixture::new();
    let mut child = work.command("a", &["--step"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut until_it_waits = || lines.by_ref().take_while(|line| !line.contains("  waiting  ")).collect::<Vec<_>>();
    assert!(until_it_waits().iter().any(|line| line.starts_with("generation   0  gate")));
    child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    assert!(until_it_waits().iter().any(|line| line.starts_with("generation   1  gate")));
    let table = fs::read_to_string(work.path("checkpoints/a/generations.csv")).unwrap();
    assert!(table.lines().last().unwrap().starts_with("1,"), "tables are whole while it waits: {table}");
    drop(child.stdin.take());
    assert!(until_it_waits().iter().any(|line| line.starts_with("stopped after")));
    assert!(child.wait().unwrap().success());
    work.trains("a", &[]);
    work.trains("b", &[]);
    let checkpoints = work.path("checkpoints");
    assert_eq!(products(&checkpoints.join("a")), products(&checkpoints.join("b")));
}

#[test]
fn a_run_is_not_shortened_below_what_it_has_done() {
    let work = RunFixture::new();
    work.trains("a", &[]);
    let error = work.refuses("a", &["--set", "generations=1"]);
    assert!(error.contains("more than 1 generations"), "{error}");
}

#[test]
fn more_generations_continue_a_complete_run() {
    let work = RunFixture::new();
    work.trains("long", &["--set", "generations=3"]);
    work.trains("short", &["--set", "generations=1"]);
    work.trains("short", &["--set", "generations=3"]);
    assert_eq!(products(&work.path("checkpoints/long")), products(&work.path("checkpoints/short")));
}

#[test]
fn a_run_refuses_another_config_and_leaves_the_folder_alone() {
    let work = RunFixture::new();
    work.trains("a", &["--set", "generations=1"]);
    let before = files(&work.path("checkpoints/a"));
    let error = work.refuses("a", &["--set", "seed=12"]);
    assert!(error.contains("seed was 11, now 12"), "{error}");
    assert_eq!(files(&work.path("checkpoints/a")), before);
}

#[test]
fn broken_configs_are_refused_before_anything_is_made() {
    let work = RunFixture::new();
    for (text, reason) in [
        (CONFIG.replace("[learner]", "[learner]\nlearning_speed = 1"), "learning_speed"),
        (CONFIG.replace("num_simulations = 12", "num_simulations = -3"), "-3"),
        (CONFIG.replace("tictactoe", "chess"), "the games are"),
        (CONFIG.replace("alphabeta:depth=1", "alphabeta:depth=x"), "depth"),
        (CONFIG.replace("channels = 8", "channels = 0"), "channels"),
        (CONFIG.replace("generations = 2", ""), "generations"),
        ("not toml at all".into(), "tiny.toml"),
    ] {
        fs::write(work.path("tiny.toml"), text).unwrap();
        let error = work.refuses("a", &[]);
        assert!(error.contains(reason) && error.contains("tiny.toml"), "expected {reason}: {error}");
        assert!(!work.path("checkpoints").exists());
    }
}

#[test]
fn weights_go_on_in_a_larger_network_on_a_larger_board() {
    let work = RunFixture::new();
    let small = ["game=pente-9", "generations=1", "network.global_pooling=true", "selfplay.games_per_generation=4"];
    let large = ["game=pente-13", "network.channels=12", "network.blocks=2", "init_from=checkpoints/small"];
    let quick = ["selfplay.num_simulations=2", "selfplay.max_plies=8", "gate.pairs=1", "gate.eval_pairs=1"];
    let sets = |several: &[&'static str]| several.iter().flat_map(|set| ["--set", set]).collect::<Vec<_>>();
    work.trains("small", &sets(&[&small[..], &quick[..]].concat()));
    work.trains("large", &sets(&[&small[..], &quick[..], &large[..]].concat()));
    let manifest = fs::read_to_string(work.path("checkpoints/large/networks/gen-00001/manifest.toml")).unwrap();
    assert!(manifest.contains("pente-13"), "{manifest}");

    let error = work.refuses("other", &["--set", "init_from=checkpoints/small"]);
    assert!(error.contains("`pente-9` mean something else"), "{error}");
}

#[test]
fn weights_to_start_from_are_missed_before_anything_is_played() {
    let work = RunFixture::new();
    let output = work.train("a", &["--set", "init_from=nowhere"]);
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(!output.status.success() && error.contains("nowhere"), "{error}");
    assert!(!out.contains("baselines"), "{out}");
    // Nothing was made under that config, so the run may still have another.
    work.trains("a", &["--set", "generations=1"]);
}

#[test]
fn folders_that_cannot_be_used_are_refused() {
    let work = RunFixture::new();
    fs::create_dir_all(work.path("checkpoints/mine")).unwrap();
    fs::write(work.path("checkpoints/mine/thesis.txt"), "precious").unwrap();
    let error = work.refuses("mine", &[]);
    assert!(error.contains("not a run folder"), "{error}");
    assert_eq!(files(&work.path("checkpoints/mine")).len(), 1);
    fs::write(work.path("checkpoints/file"), "").unwrap();
    work.refuses("file", &[]);
    let error = work.refuses("a/b", &[]);
    assert!(error.contains("plain folder name"), "{error}");
    // A folder that nobody can write to, not even root.
    let output = work.train("a", &["--checkpoints", "/proc/selfplay"]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("/proc/selfplay"));
}

#[test]
fn shipped_configs_parse() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let work = RunFixture::new();
    let mut seen = 0;
    for game in fs::read_dir(&configs).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let configs = fs::read_dir(&game).unwrap().map(|entry| entry.unwrap().path());
        // By name: finer.toml goes on from the run of cpu.toml.
        for config in configs.collect::<BTreeSet<_>>() {
            // Nobody has made the table.
            let needs_table = fs::read_to_string(&config).unwrap().contains("targets = { tablebase");
            let targets = ["--set", "learner.targets=games"].into_iter().filter(|_| needs_table);
            // Stops for lack of time before the first generation, after everything was read and checked.
            let output = Command::new(env!("CARGO_BIN_EXE_selfplay"))
                .current_dir(work.folder())
                .args(["train", config.to_str().unwrap(), "--hours", "1e-9"])
                .args([
                    "--set",
                    "gate.eval_opponents=['random']",
                    "--set",
                    "gate.eval_pairs=1",
                    "--set",
                    "gate.num_simulations=1",
                ])
                .args(["--set", "network.blocks=1", "--set", "network.channels=4"])
                .args(targets)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}: {}", config.display(), String::from_utf8_lossy(&output.stderr));
            seen += 1;
        }
    }
    assert!(seen >= 19, "only {seen} configs");
}

#[test]
fn an_ablation_rates_its_variants_and_goes_on_where_it_stopped() {
    let work = RunFixture::new();
    let ablate = |extra: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
        let arguments = ["ablate", "tiny.toml", "--hours", "0.0001", "--pairs", "3", "--limit", "simulations=4"];
        command.current_dir(work.folder()).args(arguments).args(extra).output().unwrap()
    };
    let factors = [
        "--factor",
        "selfplay.num_simulations=4",
        "--factor",
        "few: selfplay.num_simulations=4 & learner.batch_size=8",
    ];
    let output = ablate(&factors);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = work.path("ablations/tictactoe-tiny");
    let table = fs::read_to_string(folder.join("ablation.csv")).unwrap();
    let names: Vec<&str> = table.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(names[..4], ["variant", "base", "selfplay.num_simulations=4", "few"]);
    let text = fs::read_to_string(folder.join("ablation.md")).unwrap();
    assert!(text.ends_with("- `few`: `selfplay.num_simulations=4 & learner.batch_size=8`\n"), "{text}");
    assert!(text.contains("| notes |") && table.lines().next().unwrap().ends_with(",notes"), "{text}");
    assert!(names.contains(&"random") && names.contains(&"alphabeta:depth=1"), "{names:?}");
    for name in ["ablation.md", "ablation.svg", "ablation.png"] {
        assert!(fs::metadata(folder.join(name)).is_ok_and(|file| file.len() > 0), "{name} is missing");
    }
    let before = files(&folder);
    let output = ablate(&factors);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(files(&folder), before, "everything was there");
    for (extra, reason) in [
        (["--factor", "selfplay.simulation=4"], "unknown field `simulation`"),
        (["--factor", "selfplay.num_simulations"], "KEY=V1,V2"),
        (["--factor", "game=connect4"], "one game"),
        (["--factor", "random: seed=2"], "no player of the ladder"),
        (["--factor", "seed=2"], "--seeds"),
        (["--factor", "generations=3"], "--hours"),
        (["--factor", "gate.pairs=3"], "have no gate"),
        (
            ["--factor", "learner.schedule={ kind = \"plateau\", patience = 2, factor = 0.5, threshold = 0.0 }"],
            "no gate to see a plateau",
        ),
        (["--opening-plies", "1000"], "opening_plies"),
    ] {
        let output = ablate(&extra);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(reason), "{error}");
    }
    assert_eq!(files(&folder), before, "nothing was trained for what cannot be");
    assert!(ablate(&["--name", "a, b"]).status.success(), "a comma in a path is none of a specification");

    // A run of this variant that has had more time than the others would get.
    assert!(folder.join("runs/base-seed11").is_dir(), "runs are named by variant and seed");
    work.trains("base-seed11", &["--checkpoints", "ablations/longer/runs"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    command.current_dir(work.folder()).args(["ablate", "tiny.toml", "--hours", "1e-9", "--name", "longer"]);
    let error = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(error.contains("already trained longer"), "{error}");
}

#[test]
fn what_a_run_does_not_keep_is_removed_and_changes_nothing() {
    let work = RunFixture::new();
    let train = |run: &str, generations: u32, newest: u32| {
        let sets = [
            format!("generations={generations}"),
            format!("retention.keep_last={newest}"),
            "retention.keep_networks_every=3".into(),
            "replay.window_start_positions=50".into(),
            "replay.capacity_positions=150".into(),
            "replay.validation_every=0".into(),
        ];
        let output = work.train(run, &sets.iter().flat_map(|set| ["--set", set]).collect::<Vec<_>>());
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let trains = |run: &str, generations: u32, newest: u32| {
        let (is_well, error) = train(run, generations, newest);
        assert!(is_well, "{error}");
    };
    let run = |name: &str| work.path("checkpoints").join(name);
    let selfplay = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_selfplay")).current_dir(work.folder()).args(arguments).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // In one go that keeps all, and in two that keep little.
    trains("whole", 8, 100);
    trains("short", 5, 1);
    trains("short", 8, 1);
    let (whole, mut short) = (products(&run("whole")), products(&run("short")));
    let cleaned = PathBuf::from("cleaned.json");
    assert!(short.remove(&cleaned).is_some() && !whole.contains_key(&cleaned));
    assert!(short.iter().all(|(path, bytes)| whole.get(path) == Some(bytes)), "what stays is the same");
    let gone: Vec<&PathBuf> = whole.keys().filter(|path| !short.contains_key(*path)).collect();
    assert!(gone.iter().any(|path| path.ends_with("gen-00001.shard")), "{gone:?}");
    let kept =
        |path: &PathBuf| ["gen-00000", "gen-00003", "gen-00006", "gen-00008"].iter().any(|kept| path.starts_with(kept));
    assert!(!gone.iter().any(|path| kept(path)), "{gone:?}");
    assert_eq!(verdicts(&run("whole")), verdicts(&run("short")));
    for name in ["whole", "short"] {
        let run = run(name);
        assert!(selfplay(&["doctor", "--check", run.to_str().unwrap()]).contains("match their checksums"));
        selfplay(&["doctor", run.to_str().unwrap()]);
    }
    // What would be removed is told before, and is gone afterwards, from a run that goes on all the same.
    let whole_run = run("whole");
    let clean = ["clean", whole_run.to_str().unwrap(), "--keep-last", "1", "--keep-networks-every", "3"];
    let told = selfplay(&[&clean[..], &["--dry-run"]].concat());
    assert_eq!(products(&whole_run), whole, "nothing is removed to see what would be");
    let removed = selfplay(&clean);
    assert!(
        told.contains("gen-00001.shard") && told.ends_with(&removed.replace("removed", "would be removed")),
        "{told}{removed}"
    );
    assert!(!products(&whole_run).contains_key(Path::new("gen-00001.shard")));
    trains("whole", 9, 1);
    trains("short", 9, 1);
    assert_eq!(products(&whole_run), products(&run("short")));
    // The report of a network that stays, while the one before it is gone, is made again.
    fs::remove_file(run("short").join("phases/gen-00006.learn.json")).unwrap();
    trains("short", 9, 1);
    assert_eq!(products(&whole_run), products(&run("short")));
    // A shard that was not removed so is missed, and so is the report of one that was.
    let lost = fs::read_dir(whole_run.join("games")).unwrap().map(|entry| entry.unwrap().path());
    let lost = lost.filter(|path| path.extension().is_some_and(|extension| extension == "shard")).max().unwrap();
    fs::remove_file(lost).unwrap();
    let (is_well, error) = train("whole", 10, 1);
    assert!(!is_well && error.contains(".shard"), "{error}");
    fs::remove_file(run("short").join("phases/gen-00001.selfplay.json")).unwrap();
    let (is_well, error) = train("short", 10, 1);
    assert!(!is_well && error.contains("gen-00001.selfplay.json: missing file"), "{error}");
}

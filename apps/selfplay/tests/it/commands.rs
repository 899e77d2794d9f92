//! The built program as a user meets it: what it prints, and what it says when something is wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn selfplay(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay")).args(args).output().expect("the program starts")
}

/// Standard output of a call that must succeed.
fn succeeds(args: &[&str]) -> String {
    let output = selfplay(args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?} failed: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a call that must fail, in a way that is meant for people.
fn fails(args: &[&str]) -> String {
    let output = selfplay(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{args:?} succeeded");
    assert!(!error.contains("panicked"), "{args:?}: {error}");
    error
}

#[test]
fn config_keys_are_listed_explained_and_found_by_names_like_theirs() {
    let all = succeeds(&["config"]);
    for line in ["generations ", "learner.batch_size ", "[selfplay.search]", "selfplay.search.root.gumbel.c_visit "] {
        assert!(all.contains(&format!("\n{line}")), "{line} is missing: {all}");
    }
    let section = succeeds(&["config", "learner"]);
    assert!(section.contains("learner.momentum") && !section.contains("gate.pairs"), "{section}");
    let key = succeeds(&["config", "learner.batch_size"]);
    assert!(key.starts_with("learner.batch_size = 256\nexpects 1 to 65,536\n\nPositions per training step"), "{key}");
    let choice = succeeds(&["config", "learner.schedule.kind"]);
    assert!(choice.contains("{ kind = \"cosine\", total_steps = …, min_lr_ratio = … }"), "{choice}");
    for asked in ["batch_size", "learner.bach_size", "replay.batch_size"] {
        assert!(fails(&["config", asked]).contains("(did you mean `learner.batch_size`"), "{asked}");
    }
    let schema: serde_json::Value = serde_json::from_str(&succeeds(&["config", "--schema"])).unwrap();
    let batch_size = &schema["properties"]["learner"]["properties"]["batch_size"];
    assert_eq!((&batch_size["default"], &batch_size["maximum"]), (&256.into(), &65_536.into()));
}

/// The names of the commands that `help` lists.
fn listed(help: &str) -> Vec<&str> {
    let lines = help.lines().take_while(|line| !["Arguments:", "Options:"].contains(line));
    let entries = lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with(char::is_alphabetic));
    entries.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

#[test]
fn the_help_of_every_command_says_what_it_does() {
    let mut ahead = vec![Vec::new()];
    let mut seen = 0;
    while let Some(command) = ahead.pop() {
        let help = succeeds(&[command.as_slice(), &["--help"]].concat());
        assert!(!help.contains("Arguments of") && !help.starts_with("Usage"), "{command:?}: {help}");
        let inner: Vec<String> = listed(&help).into_iter().map(str::to_owned).collect();
        ahead.extend(inner.into_iter().map(|name| [command.as_slice(), &[&*name.leak()]].concat()));
        seen += 1;
    }
    assert!(seen > 30, "{seen} commands");
    let help = succeeds(&["--help"]);
    let added: Vec<&str> = help.lines().skip_while(|line| *line != "Added commands:").skip(1).collect();
    assert!(added[0].starts_with("  book ") && added[1].starts_with("  referee "), "{help}");
}

#[test]
fn games_are_listed_for_people_and_programs() {
    assert!(succeeds(&["games"]).contains("pentago-swap"));
    let json: serde_json::Value = serde_json::from_str(&succeeds(&["games", "--json"])).unwrap();
    let ids: Vec<&str> = json.as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap()).collect();
    for id in ["pentago-swap", "pylos", "pente", "pente-13", "pente-9", "sum15-4", "sum15-6", "tictactoe", "connect4"] {
        assert!(ids.contains(&id), "{id} is missing");
    }
}

#[test]
fn perft_prints_one_line() {
    assert_eq!(succeeds(&["perft", "pentago-swap", "2"]), "nodes 45360 first 0 second 0 draw 0\n");
    assert_eq!(succeeds(&["perft", "connect4", "3", "4", "4"]), "nodes 343 first 0 second 0 draw 0\n");
}

#[test]
fn moves_may_look_like_options() {
    // White's square a1 b1 a2 b2 asks for removals; `-b1` and `-` are moves, and so is everything after the first.
    let line = ["a1", "d4", "b1", "d3", "a2", "d2", "b2", "-b1", "-"];
    let board = succeeds(&[&["show", "pylos"], &line[..]].concat());
    assert!(board.contains("Black to move"), "{board}");
    let counted = succeeds(&[&["perft", "pylos", "1"], &line[..]].concat());
    assert!(counted.starts_with("nodes "), "{counted}");
    let analysed = succeeds(&[&["analyse", "--json", "pylos", "alphabeta:depth=1"], &line[..]].concat());
    assert!(serde_json::from_str::<serde_json::Value>(&analysed).is_ok(), "{analysed}");
    let error = fails(&["show", "pylos", "a1", "-h1"]);
    assert!(error.contains("action 2") && error.contains("-h1"), "{error}");
}

#[test]
fn recorded_games_are_replayed_and_a_wrong_one_is_named() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/pylos/tests/data/games/pylos.txt");
    assert_eq!(succeeds(&["replay", "pylos", path.to_str().unwrap()]), "600 agree, 0 disagree\n");
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.txt");
    std::fs::write(&wrong, "a1 b2 = *\na1 a1 = *\na1 = 1\n").unwrap();
    let output = selfplay(&["replay", "tictactoe", wrong.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(":2: action 2: a1 is not legal here: the cell is taken"), "{text}");
    assert!(text.contains(":3: the recorded result is 1, but after ply 1 the rules give *"), "{text}");
    assert!(text.ends_with("1 agree, 2 disagree\n"), "{text}");
}

#[test]
fn random_games_replay_and_depend_on_the_seed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.txt");
    for game in ["pylos", "pente-9", "sum15-6", "connect4"] {
        let games = succeeds(&["random-games", game, "20", "--seed", "5"]);
        assert_eq!(games, succeeds(&["random-games", game, "20", "--seed", "5"]));
        assert_ne!(games, succeeds(&["random-games", game, "20", "--seed", "6"]));
        std::fs::write(&file, games).unwrap();
        assert_eq!(succeeds(&["replay", game, file.to_str().unwrap()]), "20 agree, 0 disagree\n");
    }
}

#[test]
fn a_match_is_reported_as_json() {
    // Any single opening move leaves a draw, so perfect play loses nothing.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.jsonl");
    let options = ["--games", "20", "--opening-plies", "1", "--json", "--games-file", file.to_str().unwrap()];
    let args = [&["match", "tictactoe", "alphabeta:depth=9", "random"], &options[..]].concat();
    let json: serde_json::Value = serde_json::from_str(&succeeds(&args)).unwrap();
    for key in ["a", "b", "games", "wins", "draws", "losses", "score", "elo", "elo_low", "elo_high", "duplicates"] {
        assert!(!json[key].is_null(), "{key} is missing in {json}");
    }
    assert_eq!((json["games"].as_u64(), json["losses"].as_u64()), (Some(20), Some(0)));
}

#[test]
fn players_of_files_are_rated_and_their_games_written_for_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [games, pgn, csv] = ["games.jsonl", "games.pgn", "ratings.csv"].map(path);
    succeeds(&["match", "tictactoe", "alphabeta:depth=2", "random", "--games", "20", "--games-file", &games]);
    let text = succeeds(&["elo", &games, "--pgn", &pgn, "--csv", &csv]);
    assert!(text.contains("20 games of tictactoe; random is at 0") && text.contains("Likelihood in %"), "{text}");
    assert_eq!(std::fs::read_to_string(&pgn).unwrap().matches("[White \"random\"]").count(), 10);
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 3);
    let args = ["elo", &games, "--anchor", "alphabeta:depth=2=1000", "--json"];
    let json: serde_json::Value = serde_json::from_str(&succeeds(&args)).unwrap();
    let best = &json["players"][0];
    assert_eq!((best["elo"].as_f64(), best["games"].as_u64()), (Some(1000.0), Some(20)), "{json}");

    // Generations of two runs are different players; both met `random`.
    let header = "a,b,games,draws,pairs_0,pairs_half,pairs_1,pairs_1_half,pairs_2,first_player_share,duplicates";
    let tables = ["one", "two"].map(|run| {
        std::fs::create_dir(folder.path().join(run)).unwrap();
        std::fs::write(folder.path().join(run).join("config.toml"), "game = \"tictactoe\"\n").unwrap();
        let table = path(&format!("{run}/matches.csv"));
        std::fs::write(&table, format!("{header}\ngen-00001,random,20,0,1,0,4,0,5,0.5,0\n")).unwrap();
        table
    });
    let json: serde_json::Value =
        serde_json::from_str(&succeeds(&["elo", &tables[0], &tables[1], &games, "--json"])).unwrap();
    let names: Vec<&str> = json["players"].as_array().unwrap().iter().map(|p| p["player"].as_str().unwrap()).collect();
    assert!(names.len() == 4 && names.iter().any(|name| name.ends_with("two/gen-00001")), "{names:?}");
    std::fs::write(folder.path().join("two/config.toml"), "game = \"pylos\"\n").unwrap();
    let error = fails(&["elo", &games, &tables[1]]);
    assert!(error.contains("rate them separately"), "{error}");

    // One digit: a result that the moves do not have.
    let text = std::fs::read_to_string(&games).unwrap().replacen("\"result\":\"1\"", "\"result\":\"2\"", 1);
    std::fs::write(&games, text).unwrap();
    let error = fails(&["elo", &games]);
    assert!(
        error.contains("games.jsonl, line ")
            && error.contains("the recorded result is 2, but its termination implies 1"),
        "{error}"
    );
}

#[test]
fn an_analysis_is_given_as_json() {
    let args = ["analyse", "--json", "tictactoe", "search:checkpoint=uniform,simulations=300", "a1", "b1", "a2", "b2"];
    let json: serde_json::Value = serde_json::from_str(&succeeds(&args)).unwrap();
    assert_eq!(json["move"], "a3", "{json}");
    assert_eq!(json["wdl"]["win"], 1.0);
    for key in ["move", "visits", "q", "prior"] {
        assert!(!json["moves"][0][key].is_null(), "{key} is missing in {json}");
    }
}

#[test]
fn accuracy_is_measured_against_the_solver_and_positions_are_solved_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("solved.jsonl");
    let evaluated = |player: &str| {
        let file = file.to_str().unwrap();
        let args = ["accuracy", "tictactoe", player, "--after", "1..4", "--positions", "80", "--solved-file", file];
        let json = succeeds(&[&args[..], &["--json"]].concat());
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["rows"][0].clone()
    };
    let perfect = evaluated("alphabeta:depth=9,search=exact");
    assert_eq!((&perfect["any"]["preserved"], &perfect["any"]["positions"]), (&80.into(), &80.into()));
    let solved = std::fs::read(&file).unwrap();
    let random = evaluated("random");
    assert_eq!(std::fs::read(&file).unwrap(), solved);
    let losses = random["losses"].as_array().unwrap();
    assert_eq!(losses.len() as u64, 80 - random["any"]["preserved"].as_u64().unwrap());
    assert!(!losses.is_empty() && losses[0]["preserving"].as_str().is_some_and(|moves| !moves.is_empty()));
    let error = fails(&["accuracy", "tictactoe", "random", "--after", "4..1"]);
    assert!(error.contains("4..1") && error.contains("such as 12..30"), "{error}");
    let file = file.to_str().unwrap();
    let error = fails(&["accuracy", "tictactoe", "random", "--after", "1,2", "--solved-file", file]);
    assert!(error.contains("--solved-file with 2 stages"), "{error}");
}

#[test]
fn critical_positions_stand_in_a_table_by_stage_and_player_beside_all_positions() {
    let folder = tempfile::tempdir().unwrap();
    let values = folder.path().join("values.csv");
    let text = "actions,value,turns,preserving\na1 b1 a2 b2,1,1,a3\na1 b1 a2 b3,1,1,a3\na1,0,8,b2\n";
    std::fs::write(&values, text).unwrap();
    let values = values.to_str().unwrap();
    let args = ["accuracy", "tictactoe", "greedy", "alphabeta:depth=9", "--critical", "--values", values];
    let table = succeeds(&[&args[..], &["--after", "1,4"]].concat());
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| after")).collect();
    assert!(
        matches!(rows[..], [one, .., last] if one.starts_with("| after 1 | `greedy` |")
        && last == "| after 4 | `alphabeta:depth=9` | 100.0 % (34.2 to 100.0) | 2 | 100.0 % (34.2 to 100.0) | 2 |"),
        "{table}"
    );
    assert!(rows.len() == 4 && table.contains("Values: ") && table.contains("values.csv"), "{table}");
    let error = fails(&[&args[..], &["--after", "2"]].concat());
    assert!(error.contains("tictactoe: no position after 2"), "{error}");
    let by_pieces = succeeds(&[&args[..], &["--pieces", "4", "--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&by_pieces).unwrap();
    assert_eq!((&json["rows"][1]["stage"], &json["rows"][1]["critical"]["positions"]), (&"4 pieces".into(), &2.into()));
}

#[test]
fn a_player_is_led_into_every_game() {
    let verified = |player: &str, actions: &[&str]| {
        let args = [&["verify", "tictactoe", player, "--side", "second", "--json"], actions].concat();
        serde_json::from_str::<serde_json::Value>(&succeeds(&args)).unwrap()
    };
    let perfect = verified("alphabeta:depth=9,search=exact", &[]);
    assert_eq!((&perfect["lost"], &perfect["losses"]), (&0.into(), &serde_json::json!([])), "{perfect}");
    assert!(perfect["won"].as_u64() > Some(0) && perfect["drawn"].as_u64() > Some(0), "{perfect}");
    let random = verified("random", &["b2", "b1"]);
    assert!(random["losses"][0].as_str().is_some_and(|game| game.starts_with("b2 b1 ")), "{random}");
    let text = succeeds(&["verify", "tictactoe", "random", "--side", "second"]);
    assert!(text.lines().filter(|line| line.starts_with("lost: ")).count() == 10, "{text}");
    let error = fails(&["verify", "tictactoe", "random", "--side", "second", "a1", "b1", "a2", "b2", "a3"]);
    assert!(error.contains("game is over"), "{error}");
}

/// A change of encodings or networks must not leave the released agents behind: even without search they win nearly every
/// game against random moves, which a network whose planes have lost their meaning does not.
#[test]
fn released_agents_still_play_what_they_learned() {
    let released = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checkpoints/released");
    let folder = tempfile::tempdir().unwrap();
    let agents: Vec<PathBuf> = released.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!agents.is_empty());
    for agent in agents {
        let game = agent.file_name().unwrap().to_str().unwrap();
        let player = format!("policy:checkpoint={},precision=f32", agent.display());
        let games = folder.path().join(format!("{game}.jsonl"));
        let args = ["match", game, &player, "random", "--games", "100", "--games-file", games.to_str().unwrap()];
        let result: serde_json::Value = serde_json::from_str(&succeeds(&[&args[..], &["--json"]].concat())).unwrap();
        assert!(result["score"].as_f64().unwrap() >= 0.9, "{result}");
    }
}

#[test]
fn programs_talk_gtp_with_a_player() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["gtp", "connect4", "alphabeta:depth=3"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // X threatens four in the first column.
    let commands = "play b 1\nplay w 2\nplay b 1\nplay w 2\nplay b 1\n7 genmove w\nquit\n";
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), commands.as_bytes()).unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(output.contains("=7 1\n"), "{output}");
}

#[test]
fn the_pente_judge_tells_a_score() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("games");
    let place = place.to_str().unwrap();
    let sheet = succeeds(&["referee", "pente", "pente-random", "pente-random", "--games", "2", "--folder", place]);
    assert!(sheet.contains("pente-random"), "{sheet}");
    let error = fails(&["referee", "pente", "pente-random", "no-such-program", "--folder", place]);
    assert!(error.contains("no-such-program"), "{error}");
    let error = fails(&["referee", "pente", "pente-random", "pente-random", "--budget", "0", "--folder", place]);
    assert!(error.contains("--budget 0"), "{error}");
}

#[test]
fn wrong_arguments_get_a_reason() {
    for (args, reason) in [
        (&["show", "chess"][..], "the games are"),
        (&["show", "connect4", "9"], "action 1"),
        (&["analyse", "tictactoe", "random", "a1", "b1", "a2", "b2", "a3"], "game is over"),
        (&["match", "connect4", "random", "nobody"], "alphabeta"),
        (&["match", "connect4", "random", "alphabeta:deep=3"], "depth"),
        (&["match", "connect4", "random", "random", "--games", "3"], "even number"),
        (&["match", "connect4", "random", "search:checkpoint=/nowhere,simulations=8"], "/nowhere"),
        (&["replay", "connect4", "/nowhere"], "/nowhere"),
        (&["report", "/nowhere"], "no run"),
        (&["elo", "/nowhere.jsonl"], "/nowhere.jsonl"),
        (&["train", "/nowhere.toml"], "/nowhere.toml"),
        (&["play", "connect4", "random", "--device", "abacus"], "flex"),
    ] {
        let error = fails(args);
        assert!(error.contains(reason), "{args:?}: {error}");
    }
}

#[test]
fn a_person_plays_in_the_terminal() {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["play", "tictactoe", "alphabeta:depth=2", "--side", "second"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"nonsense\nmoves\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("nonsense"));
}

#[test]
fn a_crate_for_a_new_game_is_written_once_and_under_a_name_that_it_can_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crate");
    let told = succeeds(&["new", "four-in-line", "--path", path.to_str().unwrap()]);
    assert!(told.contains("train configs/quickstart.toml"), "{told}");
    let file = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    assert!(file("Cargo.toml").contains("name = \"four-in-line\""));
    // Cargo warns about a profile of a package that is not there, and leaves the right package unoptimised.
    let workspace = include_str!("../../../../Cargo.toml");
    let manifest = file("Cargo.toml");
    let tuned: Vec<&str> =
        manifest.lines().filter(|line| line.contains("opt-level") && line.starts_with("selfplay")).collect();
    assert!(tuned.len() > 8, "{manifest}");
    for line in tuned {
        let package = line.split(' ').next().unwrap();
        assert!(
            workspace.contains(&format!("\n{package} = {{ version = ")),
            "the workspace has no package `{package}`"
        );
    }
    assert!(file("src/lib.rs").contains("GameSpec::new(\"four-in-line\""));
    assert!(file("src/main.rs").contains("use four_in_line::FourInLine;"));
    assert!(file("configs/quickstart.toml").contains("game = \"four-in-line\""));
    for name in
        ["Cargo.toml", "src/lib.rs", "src/main.rs", "tests/conformance.rs", "configs/quickstart.toml", "README.md"]
    {
        assert!(!file(name).to_lowercase().contains("squava"), "{name} keeps the template's name");
    }
    assert!(fails(&["new", "other", "--path", path.to_str().unwrap()]).contains("is not empty"));
    for name in ["Four", "4x4", "match", "a--b", "-a", "ä", "", "tensor-encoding", "option", "game"] {
        let error = fails(&["new", "--path", "nowhere", "--", name]);
        assert!(error.contains("invalid game name"), "{name}: {error}");
    }
}

#[test]
#[cfg(unix)]
fn standard_output_by_its_path_is_written_to_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let games = folder.path().join("games.jsonl");
    let program = env!("CARGO_BIN_EXE_selfplay");
    succeeds(&["match", "tictactoe", "random", "greedy", "--games", "10", "--games-file", games.to_str().unwrap()]);
    let script = format!(
        "(echo before; {program} elo {} --min-pairs 1 --csv /dev/stdout; echo after) > {}",
        games.display(),
        out.display()
    );
    assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.starts_with("before\n") && text.ends_with("after\n") && text.contains("greedy,"), "{text}");
}

#[test]
#[cfg(unix)]
fn a_pipe_for_games_is_rejected_and_not_read_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let error =
        fails(&["match", "tictactoe", "random", "greedy", "--games", "2", "--games-file", pipe.to_str().unwrap()]);
    assert!(error.contains("pipe") && error.contains("not a regular file"), "{error}");
}

#[test]
fn check_accepts_the_shipped_games() {
    let told = succeeds(&["check", "tictactoe", "--games", "20"]);
    assert!(told.starts_with("tictactoe passes all conformance checks in 20 random games\n  X won "), "{told}");
    assert!(!told.contains("note"), "{told}");
    let told = succeeds(&["check", "tictactoe", "--games", "3", "--plies", "1"]);
    assert!(told.contains("3 games were not over at ply 1\n  note: O never moved"), "{told}");
    assert!(fails(&["check", "chess"]).contains("unknown game `chess`"));
}

/// Whether the process runs; one that has ended and is not fetched yet does not.
#[cfg(target_os = "linux")]
fn runs(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_program_takes_the_programs_that_play_with_it() {
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // Silent, with a child, and with another one that has left the group.
    let script = format!(
        "setsid sh -c 'echo $$ >{0}/away.part; mv {0}/away.part {0}/away; exec sleep 1000' & sleep 1000 & echo $! >{0}/child; \
         echo $$ >{0}/own.part; mv {0}/own.part {0}/own; exec sleep 1000",
        folder.path().display()
    );
    std::fs::write(path("player.sh"), script).unwrap();
    for signal in ["KILL", "INT", "TERM"] {
        let mut playing = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(["match", "tictactoe", "random"])
            .arg(format!("program:sh {}", path("player.sh").display()))
            .current_dir(&folder)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let names = ["own", "away", "child"];
        let end = Instant::now() + Duration::from_secs(60);
        while !names.iter().all(|name| path(name).exists()) {
            assert!(Instant::now() < end, "the player was not started");
            std::thread::sleep(Duration::from_millis(20));
        }
        let processes = names.map(|name| std::fs::read_to_string(path(name)).unwrap());
        assert!(processes.iter().all(|process| runs(process)), "{processes:?}");
        let killed = Command::new("kill").args([&format!("-{signal}"), &playing.id().to_string()]).status().unwrap();
        assert!(killed.success());
        playing.wait().unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while processes.iter().any(|process| runs(process)) {
            assert!(Instant::now() < end, "after SIG{signal} {processes:?} still run");
            std::thread::sleep(Duration::from_millis(20));
        }
        names.iter().for_each(|name| std::fs::remove_file(path(name)).unwrap());
    }
}

#[test]
#[cfg(unix)]
fn signals_end_with_words_and_the_usual_status() {
    let folder = tempfile::tempdir().unwrap();
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let playing = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(["match", "connect4", "uct:time=10s", "uct:time=10s", "--games-file", "games.jsonl"])
            .current_dir(&folder)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The file is begun once the signals are heard.
        while !folder.path().join("games.jsonl").exists() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let killed = Command::new("kill").args([&format!("-{signal}"), &playing.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let output = playing.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains("stopped: finished games are saved; run the same command to resume"), "{said}");
        std::fs::remove_file(folder.path().join("games.jsonl")).unwrap();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_the_program_also_where_nobody_can_be_told() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut playing = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["match", "connect4", "uct:time=10s", "uct:time=10s", "--games-file", "games.jsonl"])
        .current_dir(&folder)
        .stderr(full())
        .stdout(full())
        .spawn()
        .unwrap();
    while !folder.path().join("games.jsonl").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-TERM", &playing.id().to_string()]).status().unwrap().success());
    assert_eq!(playing.wait().unwrap().code(), Some(143));
    let refused = Command::new(env!("CARGO_BIN_EXE_selfplay")).args(["show", "nogame"]).stderr(full()).status();
    assert_eq!(refused.unwrap().code(), Some(1));
}

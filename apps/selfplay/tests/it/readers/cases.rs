//! The readers, each with examples that it takes.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use selfplay_arena::arena::{Clock, Measure};
use selfplay_arena::{
    GamesFile, GamesHeader, MatchConfig, MatchSetting, PositionQuota, Results, SolvedFile, SolvedPositionsConfig,
    Stage, games_from_text, games_to_text, play_match,
};
use selfplay_bundle::{AgentHead, AgentKind, WholeAgent};
use selfplay_courses::dialogue::{NumberCardsConfig, PylosConfig, play_number_cards, play_pylos};
use selfplay_courses::pentago::wire::{MoveLine, ServerLine};
use selfplay_courses::program::{input_text, read_input, read_output};
use selfplay_courses::{Book, COURSES, HomeworkConfig, play_homework};
use selfplay_env::rng::rng_for;
use selfplay_env::{Game, Rules, Side};
use selfplay_frontends::{Style, TerminalEnd, TerminalSetting, play_terminal, serve_gtp};
use selfplay_pipeline::RunConfig;
use selfplay_players::{NoCheckpoints, PlayerKinds, RandomPlayer, build_player};
use selfplay_registry::Games;
use selfplay_shipped::shipped_games;
use selfplay_tictactoe::TIC_TAC_TOE;
use selfplay_train::GameRecord;
use selfplay_wasm::Offline;

/// Whether these bytes are taken for good.
pub type Read = dyn Fn(&[u8]) -> bool;

/// Something that reads what others wrote.
pub struct Reader {
    pub name: &'static str,
    /// What it takes for good.
    pub examples: Vec<Vec<u8>>,
    /// So many times fewer changes are tried as it is slow.
    pub slowness: u64,
    pub read: Box<Read>,
}

/// All readers; those of files write what they are given into `folder`.
pub fn readers(folder: &Path) -> Vec<Reader> {
    vec![
        actions(),
        specs(),
        configs(),
        games_text(),
        games_file(folder),
        matches_table(folder),
        solved_file(folder),
        records(),
        book(),
        pente_input(),
        pente_output(),
        homework(folder),
        pentago_lines(),
        gtp(),
        terminal(),
        pylos_dialogue(),
        cards_dialogue(),
        page(),
        carried_agent(),
    ]
}

fn reader(
    name: &'static str,
    examples: impl IntoIterator<Item = impl Into<Vec<u8>>>,
    read: impl Fn(&[u8]) -> bool + 'static,
) -> Reader {
    Reader { name, examples: examples.into_iter().map(Into::into).collect(), slowness: 1, read: Box::new(read) }
}

/// A reader of text; bytes that are none are made text first, as the readers' callers do.
fn text_reader(
    name: &'static str,
    examples: impl IntoIterator<Item = impl Into<Vec<u8>>>,
    read: impl Fn(&str) -> bool + 'static,
) -> Reader {
    reader(name, examples, move |bytes| read(&String::from_utf8_lossy(bytes)))
}

/// A random game of these rules in notation, and its moves.
fn random_game(rules: &'static dyn Rules, plies: usize) -> Vec<selfplay_env::Action> {
    rules.initial().play_random(plies, &mut rng_for(&[7]))
}

fn actions() -> Reader {
    // The game's place in the list stands before the line.
    let shipped = shipped_games();
    let examples = shipped.iter().enumerate().map(|(place, game)| {
        let line = game.format_line(&random_game(*game, 12));
        format!("{place} {line}")
    });
    text_reader("moves of a game", examples, |text| {
        let mut words = text.split_whitespace();
        let place = words.next().and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
        let game = shipped_games()[place % shipped_games().len()];
        let words: Vec<&str> = words.collect();
        game.play_line(&words).is_ok() || game.replay_line(&words.join(" ")).is_ok()
    })
}

fn specs() -> Reader {
    let examples = [
        "random",
        "alphabeta:depth=3,time=2s,memory=64,threads=2,lines=3,search=exact",
        "uct:simulations=20,c=1.4,memory=16",
        "search:checkpoint=uniform,simulations=8,leaves=4,temperature=0.5,mcts_solver=on,tactics=shallow,verify=off",
        "policy:checkpoint=uniform,temperature=0.5",
        "pentago-report",
        "pente-minimax:depth=2",
        "program:cat 'a b' --x",
    ];
    let kinds = PlayerKinds::built_in().with(selfplay::Protocols::player_kinds(&COURSES));
    text_reader("player specs", examples, move |text| {
        // What was read can be written and read again.
        kinds.parse(text).is_ok_and(|spec| kinds.resolve(&spec).expect("its own text") == spec)
    })
}

fn configs() -> Reader {
    let games = Games::new(&shipped_games());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let examples = ["sum15-4/quickstart.toml", "pylos/agent.toml", "pentago-swap/finer.toml"];
    let examples = examples.map(|name| fs::read(path.join(name)).unwrap());
    text_reader("configs", examples, move |text| {
        RunConfig::parse(text, &games)
            .is_ok_and(|config| RunConfig::parse(&config.to_toml(), &games).expect("its own text") == config)
    })
}

/// Two short games between players that need no files.
fn played(rules: selfplay_registry::GameRef) -> Vec<selfplay_arena::GameResult> {
    let player = |spec: &str| build_player(rules, &PlayerKinds::built_in().parse(spec).unwrap(), &NoCheckpoints);
    let config = MatchConfig { pairs: 1, opening_plies: 2, ..MatchConfig::default() };
    let report =
        play_match(rules, || player("random"), || player("greedy"), &config, &MatchSetting::default(), |_| ()).unwrap();
    report.games
}

fn games_text() -> Reader {
    let example = games_to_text(TIC_TAC_TOE, &played(TIC_TAC_TOE));
    text_reader("games as workers send them", [example], |text| games_from_text(TIC_TAC_TOE, text).is_ok())
}

fn games_file(folder: &Path) -> Reader {
    let path = folder.join("games.jsonl");
    let header = GamesHeader::new("tictactoe", vec!["random".into(), "greedy".into()], serde_json::json!({"pairs": 1}));
    let mut file = GamesFile::create(&path, TIC_TAC_TOE, &header).unwrap();
    file.append(0, [0, 1], &played(TIC_TAC_TOE)).unwrap();
    drop(file);
    let example = fs::read(&path).unwrap();
    let read = move |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Results::default().add_games(&path).is_ok()
    };
    Reader { slowness: 2, ..reader("games files", [example], read) }
}

fn matches_table(folder: &Path) -> Reader {
    let path = folder.join("matches.csv");
    let example = "a,b,games,draws,pairs_0,pairs_half,pairs_1,pairs_1_half,pairs_2,first_player_share,duplicates\n\
                   gen-1,random,20,0,0,0,4,0,6,0.5,0.1\n";
    let read = move |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Results::default().add_matches(&path, Some("tictactoe"), &|name| name.to_owned()).is_ok()
    };
    Reader { slowness: 2, ..reader("matches.csv", [example], read) }
}

fn solved_file(folder: &Path) -> Reader {
    let path = folder.join("solved.jsonl");
    let config = || SolvedPositionsConfig { stage: Stage::After(3..=5), seed: 1, nodes: 100_000, memory_mib: 16 };
    SolvedFile::open(&path, TIC_TAC_TOE, config()).unwrap().first(PositionQuota::any(6), |_| ()).unwrap();
    let example = fs::read(&path).unwrap();
    let read = move |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        SolvedFile::open(&path, TIC_TAC_TOE, config()).is_ok()
    };
    Reader { slowness: 4, ..reader("solved files", [example], read) }
}

fn records() -> Reader {
    let example = GameRecord::new(3);
    reader("records of games", [postcard::to_stdvec(&example).unwrap()], |bytes| {
        postcard::from_bytes::<GameRecord>(bytes).is_ok_and(|record| record.agrees_with(TIC_TAC_TOE))
    })
}

fn book() -> Reader {
    let rules: &'static dyn Rules = selfplay_pentago_swap::PENTAGO_SWAP;
    let mut book = Book::new(rules);
    let line = random_game(rules, 5);
    for len in [0, 2, 4] {
        book.insert(line[..len].to_vec(), line[len]).unwrap();
    }
    text_reader("opening books", [book.to_text()], move |text| Book::parse(rules, text, "book").is_ok())
}

type Pente = selfplay_pente::Pente<19>;

fn pente_position(plies: usize) -> Pente {
    let mut position = Pente::initial();
    random_game(selfplay_pente::PENTE, plies).into_iter().for_each(|action| position.play(action));
    position
}

fn pente_input() -> Reader {
    let examples = [0, 1, 9, 30].map(|actions| input_text(&pente_position(actions), Duration::from_millis(98_760)));
    text_reader("input.txt", examples, |text| read_input::<19>(text).is_ok())
}

fn pente_output() -> Reader {
    let position = pente_position(9);
    text_reader("output.txt", ["1A", "2B\n"], move |text| read_output(&position, text).is_ok())
}

/// A clock that stands still.
struct Still;

impl Clock for Still {
    fn read(&self, _: Measure) -> Duration {
        Duration::ZERO
    }
}

/// The three files of the course's program, one behind the other.
fn homework(folder: &Path) -> Reader {
    let input = input_text(&pente_position(4), Duration::from_secs(50));
    let notes =
        format!("selfplay-game 1\n{}\n", selfplay_pente::PENTE.format_line(&random_game(selfplay_pente::PENTE, 4)));
    let example = [input.as_str(), &notes, "12.5 0.01\n"].join("\u{1}");
    let folder = folder.join("homework");
    fs::create_dir(&folder).unwrap();
    let read = move |bytes: &[u8]| {
        let mut parts = bytes.split(|&byte| byte == 1);
        for name in ["input.txt", "playdata.txt", "calibration.txt"] {
            fs::write(folder.join(name), parts.next().unwrap_or_default()).unwrap();
        }
        let config = HomeworkConfig { folder: folder.clone(), ..HomeworkConfig::default() };
        play_homework(&config, &Still, || Ok(Box::new(RandomPlayer::new()))).is_ok()
    };
    Reader { slowness: 8, ..reader("input.txt, playdata.txt and calibration.txt", [example], read) }
}

fn pentago_lines() -> Reader {
    let examples =
        ["0 5 TL BR 0", "START Player-0 some one", "PLAY Player-1", "GAMEOVER five in a row WINNER 1", "GAMEOVER DRAW"];
    text_reader("lines of the Pentago server", examples, |text| {
        let made = MoveLine::read(text);
        made.is_some_and(|made| made.action().is_some() && made.side().is_some()) || ServerLine::read(text).is_some()
    })
}

/// Whether all was answered; these commands report what is wrong and never fail.
fn gtp() -> Reader {
    let examples = [
        "protocol_version\nlist_commands\nboardsize 3\nclear_board\nplay b b2\ngenmove w\nundo\nshowboard\nquit\n",
        "time_settings 10 5 1\ntime_left b 3 0\nknown_command play\nname\nversion\ngogui-rules_legal_moves\ngenmove b\n",
    ];
    text_reader("GTP", examples, |text| {
        let mut said = Vec::new();
        serve_gtp(TIC_TAC_TOE, &mut RandomPlayer::new(), 1, &mut Cursor::new(text), &mut said).unwrap();
        !String::from_utf8(said).unwrap().lines().any(|line| line.starts_with('?'))
    })
}

fn terminal() -> Reader {
    text_reader("the terminal", ["a1\nundo\nmoves\nhint\nhelp\nquit\n"], |text| {
        let setting = TerminalSetting { human: Side::First, seed: 1, style: Style::Plain };
        // It writes no files here.
        let text = text.replace("save", "").replace("load", "");
        let (mut player, mut input) = (RandomPlayer::new(), Cursor::new(text));
        let end = play_terminal(TIC_TAC_TOE, &mut player, setting, &mut input, &mut std::io::sink()).unwrap();
        end == TerminalEnd::Quit
    })
}

fn pylos_dialogue() -> Reader {
    text_reader("the dialogue of Pylos", ["me\na1\nd4\nb2\nquit\n", "you\na2\nquit\n"], |text| {
        let mut said = Vec::new();
        play_pylos(&mut RandomPlayer::new(), &PylosConfig::default(), &mut Cursor::new(text), &mut said).unwrap();
        text.contains("quit")
    })
}

fn cards_dialogue() -> Reader {
    text_reader("the dialogue of the number cards", ["me\n4\n3 a1\nquit\n", "you\n6\nquit\n"], |text| {
        let mut said = Vec::new();
        let [mut four, mut six] = [(); 2].map(|()| || Ok(Box::new(RandomPlayer::new()) as _));
        play_number_cards(&NumberCardsConfig::default(), &mut four, &mut six, &mut Cursor::new(text), &mut said)
            .unwrap();
        text.contains("quit")
    })
}

fn whole_agent() -> Vec<u8> {
    let kind = AgentKind::Player { spec: "uct:simulations=5".into() };
    let head = AgentHead { name: "tester".into(), game: "tictactoe".into(), kind, rules: None };
    postcard::to_stdvec(&WholeAgent { head, weights: Vec::new() }).unwrap()
}

/// Requests to the page's server, its bodies in JSON.
fn page() -> Reader {
    let offline = Offline::open(&shipped_games(), &whole_agent()).unwrap();
    let asked = |question: &str| offline.ask(question.as_bytes());
    let record = TIC_TAC_TOE.format_line(&random_game(TIC_TAC_TOE, 3));
    let seats = r#""seats": [null, {"agent": "agent", "strength": {"simulations": 5}}], "clock": {"seconds": 300, "increment": 2}"#;
    let table = format!(r#"{{"game": "tictactoe", "record": "{record}", {seats}}}"#);
    let answer = String::from_utf8(asked(&format!("POST /api/tables\n{table}"))).unwrap();
    assert!(answer.starts_with("200") || answer.starts_with("201"), "{answer}");
    let examples = vec!["GET /api/games\n".to_owned(), format!("POST /api/tables\n{table}")];
    let read = move |bytes: &[u8]| matches!(offline.ask(bytes).first(), Some(b'2'));
    Reader { slowness: 2, ..reader("requests to the page", examples, read) }
}

fn carried_agent() -> Reader {
    reader("an agent in a page", [whole_agent()], |bytes| Offline::open(&shipped_games(), bytes).is_ok())
}

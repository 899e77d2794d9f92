//! Player specifications: what is written reads back, and what is wrong is named.

use selfplay_env::fixtures::TicTacToe;
use selfplay_mcts::Limits;
use selfplay_players::spec::SearchSpec;
use selfplay_players::{AlphaBetaConfig, EvalError, PlayerKinds, PlayerSpec};

use crate::player;

fn read(spec: &str) -> Result<PlayerSpec, EvalError> {
    PlayerKinds::built_in().parse(spec)
}

#[test]
fn what_is_written_reads_back() {
    for spec in [
        "random",
        "alphabeta:depth=3",
        "alphabeta:nodes=5000",
        "alphabeta",
        "alphabeta:depth=8,nodes=5000,time=250ms,cpu=1500ms,memory=8,threads=2,search=exact",
        "greedy",
        "uct",
        "uct:simulations=200,time=1000ms,c=1,memory=32",
        "program:gnugo --mode gtp, --level 3",
        "search:checkpoint=my\\, runs/s4,simulations=9",
        "program:time=2000ms,./homework a=b,c",
        "search:checkpoint=uniform",
        "search:checkpoint=uniform,simulations=64",
        "search:checkpoint=uniform,time=2000ms,verify=on,variety=on",
        "search:checkpoint=uniform,simulations=64,mcts_solver=off,tactics=off",
        "search:checkpoint=uniform,tactics=shallow",
        "search:checkpoint=runs/a=b/gen 7.bin,simulations=64,time=500ms,cpu=1500ms,leaves=3,temperature=0.25,policy_softmax_temperature=1.5,c_puct=1.25,symmetry=average",
        "policy:checkpoint=C:\\nets\\x",
        "policy:checkpoint=uniform,temperature=1",
    ] {
        assert_eq!(read(spec).unwrap().to_string(), spec);
    }
}

#[test]
fn defaults_and_units() {
    let read = |spec: &str| read(spec).unwrap();
    assert_eq!(read("alphabeta"), PlayerSpec::new(AlphaBetaConfig::default()));
    assert_eq!(read("alphabeta:search=full,memory=64"), read("alphabeta"));
    assert_eq!(read("alphabeta:time=2s").to_string(), "alphabeta:time=2000ms");
    let comma = PlayerSpec::for_agent("a, b\\c".as_ref());
    assert_eq!(comma, "search:checkpoint=a\\, b\\c");
    assert_eq!(read(&comma).checkpoint(), Some("a, b\\c"));
    let read = read("search:cpu=3s,checkpoint=uniform");
    let search: &SearchSpec = read.settings().unwrap();
    assert_eq!(search.limits(), Limits { cpu_time_ms: Some(3000), ..Limits::default() });
    assert_eq!(
        (search.leaves, search.temperature, search.policy_softmax_temperature, search.c_puct),
        (None, 0.0, 1.0, 2.5)
    );
}

#[test]
fn errors_name_what_is_wrong_and_what_is_possible() {
    for (spec, message) in [
        (
            "",
            "player ``: there is no kind ``; the kinds are random, greedy, alphabeta, uct, table, program, search, policy, released",
        ),
        (
            "mcts:x=1",
            "player `mcts:x=1`: there is no kind `mcts`; the kinds are random, greedy, alphabeta, uct, table, program, search, policy, released",
        ),
        ("random:seed=1", "player `random:seed=1`: there is no key `seed`; the keys are none"),
        (
            "alphabeta:3",
            "player `alphabeta:3`: `3` is not of the form key=value; the keys are depth, nodes, time, cpu, memory, threads, search, lines",
        ),
        (
            "alphabeta:ply=3",
            "player `alphabeta:ply=3`: there is no key `ply`; the keys are depth, nodes, time, cpu, memory, threads, search, lines",
        ),
        ("alphabeta:depth=2,depth=3", "player `alphabeta:depth=2,depth=3`: the key `depth` stands twice"),
        ("alphabeta:depth=0", "player `alphabeta:depth=0`: `depth` is `0`: expected 1 to 200"),
        (
            "alphabeta:time=500",
            "player `alphabeta:time=500`: `time` is `500`: expected a time such as `500ms` or `2s`, above 0 \
             and at most an hour",
        ),
        ("program:time=2s", "player `program:time=2s`: the program's command, after all options, is missing"),
        ("uct:c=-1", "player `uct:c=-1`: `c` is `-1`: expected a finite number of at least 0"),
        (
            "search:simulations=9",
            "player `search:simulations=9`: `checkpoint` (a path, `released` or `uniform`) is missing",
        ),
        (
            "policy:checkpoint=",
            "player `policy:checkpoint=`: `checkpoint` is ``: expected a path, `released` or `uniform`",
        ),
        (
            "policy:checkpoint=x,temperature=NaN",
            "player `policy:checkpoint=x,temperature=NaN`: `temperature` is `NaN`: expected a finite number of at \
             least 0",
        ),
    ] {
        assert_eq!(read(spec).unwrap_err().to_string(), message);
    }
}

#[test]
fn players_are_called_what_they_are() {
    for spec in [
        "random",
        "greedy",
        "uct:simulations=9",
        "alphabeta:depth=1",
        "search:checkpoint=uniform,simulations=4",
        "policy:checkpoint=uniform",
    ] {
        assert_eq!(player::<TicTacToe>(spec).unwrap().name(), spec);
    }
    let error = player::<TicTacToe>("policy:checkpoint=gone").err().unwrap();
    assert_eq!(error.to_string(), "checkpoint `gone`: this program opens no checkpoints");
}

#[test]
fn every_kind_and_key_is_documented() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/players.md")).unwrap();
    for kind in PlayerKinds::built_in().iter() {
        assert!(page.contains(&format!("`{}", kind.name())), "{}", kind.name());
        for key in kind.keys() {
            assert!(page.contains(&format!("{}=", key.name)), "{}: {}", kind.name(), key.name);
            assert!(!key.help.is_empty() && !key.expected.is_empty(), "{key:?}");
        }
    }
    let keys = PlayerKinds::built_in().iter().find(|kind| kind.name() == "alphabeta").unwrap().keys();
    let memory = keys.iter().find(|key| key.name == "memory").unwrap();
    assert_eq!((memory.expected.as_str(), memory.default.as_deref()), ("1 to 1,048,576", Some("64")));
    assert_eq!(keys[0].help, "Plies looked ahead.");
}

//! The courses' player specifications: what is written reads back, and what is wrong is named.

use selfplay_courses::PLAYER_KINDS;
use selfplay_players::{EvalError, PlayerKinds, PlayerSpec};

fn read(spec: &str) -> Result<PlayerSpec, EvalError> {
    PlayerKinds::built_in().with(PLAYER_KINDS).parse(spec)
}

#[test]
fn what_is_written_reads_back() {
    for spec in [
        "pentago-report",
        "pentago-report:depth=2,evaluation=average,book=books/a.txt",
        "pentago-report:search=mcts,memory=64",
        "pente-random",
        "pente-minimax:depth=2",
        "pente-file:time=2000ms,./homework a=b,c",
    ] {
        assert_eq!(read(spec).unwrap().to_string(), spec);
    }
    assert_eq!(read("pentago-report:depth=3,evaluation=board").unwrap(), read("pentago-report").unwrap());
}

#[test]
fn errors_name_what_is_wrong_and_what_is_possible() {
    for (spec, message) in [
        (
            "mcts:x=1",
            "player `mcts:x=1`: there is no kind `mcts`; the kinds are random, greedy, alphabeta, uct, table, program, \
             search, policy, released, pentago-report, pente-random, pente-minimax, pente-file",
        ),
        (
            "pentago-report:search=mcts,depth=2",
            "player `pentago-report:search=mcts,depth=2`: `depth` is set: expected it only with `search=alphabeta`",
        ),
        (
            "pentago-report:memory=5",
            "player `pentago-report:memory=5`: `memory` is set: expected it only with `search=mcts`",
        ),
        ("pente-file:time=2s", "player `pente-file:time=2s`: the program's command, after all options, is missing"),
    ] {
        assert_eq!(read(spec).unwrap_err().to_string(), message);
    }
}

//! Golden trees: whole searches with a faked network, compared with files in `tests/golden`.
//!
//! `UPDATE_EXPECT=1` rewrites the files; the difference is then reviewed like code.

use std::path::Path;

use selfplay_env::fixtures::{Stones, TicTacToe};
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Game, Outcome, Tactics};
use serde_json::{Value, json};

use super::evaluators::HashEvaluator;
use crate::tree::ROOT;
use crate::{Exploration, Limits, Search, SearchConfig, SearchReport, TacticsDepth, run};

#[test]
fn tictactoe_one_leaf_at_a_time() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(40), 1);
    expect("tictactoe", &search, &report);
}

#[test]
fn tictactoe_with_noise_and_four_leaves_in_flight() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    search.start_move(Exploration::On { simulations: 40, rng: &mut rng_for(&[1]) });
    let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(40), 4);
    expect("tictactoe-noise-batch", &search, &report);
}

#[test]
fn tictactoe_with_one_reply_that_does_not_lose() {
    let mut position = TicTacToe::initial();
    [0, 1, 3].into_iter().for_each(|action| position.play(Action(action)));
    let mut search = Search::<TicTacToe>::new(SearchConfig { tactics: TacticsDepth::Off, ..SearchConfig::default() });
    search.set_position(&position);
    let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(40), 1);
    expect("tictactoe-one-reply", &search, &report);
}

#[test]
fn stones_on_a_kept_tree() {
    let mut search = Search::<Stones>::new(SearchConfig::default());
    run(&mut search, &mut HashEvaluator, &Limits::simulations(30), 1);
    search.advance(Action(1));
    search.start_move(Exploration::On { simulations: 20, rng: &mut rng_for(&[2]) });
    let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(20), 2);
    expect("stones-kept-tree", &search, &report);
}

/// Compares `search` and `report` with the golden file `name`, or rewrites it.
fn expect<G: Tactics>(name: &str, search: &Search<G>, report: &SearchReport) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.json"));
    let mut nodes = Vec::new();
    describe_nodes(search, ROOT, "", &mut nodes);
    let found = format!("{{\n\"report\": {},\n\"nodes\": [\n{}\n]\n}}\n", describe_report(report), nodes.join(",\n"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{name} differs; UPDATE_EXPECT=1 rewrites it. Found:\n{found}");
}

/// One line for each node that has been reached, parents first. `path` lists the actions from the root, `moves` holds
/// action and prior, `value` is the first player's.
fn describe_nodes<G: Tactics>(search: &Search<G>, node: usize, path: &str, lines: &mut Vec<String>) {
    let tree = search.tree();
    let here = tree.node(node);
    let moves: Vec<Value> =
        tree.ordered_edges(node).iter().map(|edge| json!([edge.action.0, rounded(edge.prior)])).collect();
    let line = json!({
        "path": path,
        "side": format!("{:?}", here.side),
        "visits": here.visits,
        "value": here.value_for(selfplay_env::Side::First).map(rounded),
        "proven": here.proven.map(describe_outcome),
        "moves": moves,
    });
    lines.push(line.to_string());
    for ordinal in 0..tree.children(node).len() {
        let action = tree.actions(node)[ordinal].0;
        describe_nodes(search, tree.child_index(node, ordinal), format!("{path} {action}").trim_start(), lines);
    }
}

fn describe_report(report: &SearchReport) -> Value {
    let moves: Vec<Value> =
        report.moves.iter().map(|m| json!([m.action.0, m.visits, rounded(m.q), rounded(m.prior), m.proven])).collect();
    json!({
        "simulations": report.simulations,
        "wdl": [rounded(report.wdl.win), rounded(report.wdl.draw), rounded(report.wdl.loss)],
        "proven": report.proven.map(describe_outcome),
        "moves": moves,
        "principal_variation": report.principal_variation.iter().map(|action| action.0).collect::<Vec<_>>(),
        "best": report.best().0,
    })
}

fn describe_outcome(outcome: Outcome) -> String {
    format!("{outcome:?}")
}

/// To five decimals, because logarithms may differ in the last bit from machine to machine.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1e5).round() / 1e5 + 0.0
}

//! What each request answers when all is well, and when it asks for what the rules forbid.

use std::time::Duration;

use selfplay_shipped::shipped_games;
use serde_json::{Value, json};

use crate::serve::client::{assert_refused, get, new_table, post, request, send, server};

#[tokio::test]
async fn all_games_are_listed_with_their_boards_and_agents() {
    let (status, answer) = get(&server(), "/api/games").await;
    assert!(status.is_success());
    let ids: Vec<&str> = shipped_games().iter().map(|game| game.id()).collect();
    let games = answer["games"].as_array().unwrap();
    assert_eq!(games.iter().map(|game| game["id"].as_str().unwrap()).collect::<Vec<_>>(), ids);
    for game in games {
        assert!(!game["board"]["places"].as_array().unwrap().is_empty());
        let names: Vec<&str> =
            game["agents"].as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap()).collect();
        assert!(names.ends_with(&["alphabeta", "uct", "random"]), "{names:?}");
    }
    let (_, agents) = get(&server(), "/api/games/tictactoe/agents").await;
    assert_eq!(agents[0]["name"], "search", "given agents come first");
    assert_eq!(agents[0]["strengths"], json!(["simulations", "seconds"]));
}

#[tokio::test]
async fn a_variation_is_shown_and_changes_nothing() {
    let server = server();
    let table = new_table(&server, json!({"game": "pylos", "record": "a1 b1 d4 c4"})).await;
    let look = format!("{table}/look");
    let (_, shown) = post(&server, &look, json!({"ply": 2, "variation": ["b2", "c2"]})).await;
    let variation = (&shown["ply"], &shown["variation"], &shown["variation_movers"]);
    assert_eq!(variation, (&json!(2), &json!(["b2", "c2"]), &json!([0, 1])));
    assert_eq!((&shown["last"]["move"], &shown["record"]), (&json!("c2"), &json!("a1 b1 d4 c4 = *")));
    let (_, now) = get(&server, &table).await;
    assert_eq!((&now["moves"].as_array().unwrap().len(), &now["values"][3]), (&4, &Value::Null));
    assert_refused(&post(&server, &look, json!({"ply": 9})).await, 404, "the game has no move 9");
    assert_refused(&post(&server, &look, json!({"ply": 4, "variation": ["a1"]})).await, 422, "a1 is not legal here");
}

#[tokio::test]
async fn an_analysis_lists_three_moves_of_a_position_in_a_variation() {
    let server = server();
    let table = new_table(&server, json!({"game": "tictactoe", "record": "a1 b2 c3"})).await;
    // Six moves before the end, all there is to search is searched long before the time is up.
    let asked = json!({"ply": 2, "variation": ["c1"], "agent": "alphabeta", "strength": {"seconds": 20}});
    let (_, analysis) = post(&server, &format!("{table}/analysis"), asked).await;
    assert_eq!(
        (&analysis["ply"], &analysis["side_to_move"], &analysis["simulations"]),
        (&json!(3), &json!(1), &json!(0))
    );
    let moves = analysis["moves"].as_array().unwrap();
    assert!(analysis["depth"].as_u64().unwrap() > 0 && moves.len() == 3, "{analysis}");
    for looked_at in moves {
        assert_eq!(looked_at["line"][0], looked_at["move"]);
        assert!(looked_at["proven"].is_i64() && looked_at["score"].is_null(), "{looked_at}");
    }
    let (_, now) = get(&server, &table).await;
    assert_eq!((&now["moves"].as_array().unwrap().len(), &now["values"][3]), (&3, &Value::Null));
}

#[tokio::test]
async fn a_game_can_be_lost_on_time() {
    let server = server();
    let asked = json!({"game": "tictactoe", "clock": {"seconds": 1, "increment": 0.5}});
    let table = new_table(&server, asked).await;
    let moves = format!("{table}/moves");
    let (_, state) = post(&server, &moves, json!({"move": "b2", "ply": 0})).await;
    assert_eq!((&state["clock"]["running"], &state["clock"]["left"][0]), (&json!(1), &json!(1.5)));
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let (_, state) = get(&server, &table).await;
    assert_eq!(state["outcome"], json!({"winner": 0, "by": "time"}));
    assert_eq!(state["record"], "b2 = 1");
    assert_refused(&post(&server, &moves, json!({"move": "a1", "ply": 1})).await, 409, "the game is over");
    let (_, state) = post(&server, &format!("{table}/undo"), json!({"ply": 1})).await;
    assert_eq!((&state["outcome"], &state["clock"]["running"]), (&Value::Null, &json!(1)));
    let unfit = json!({"game": "tictactoe", "clock": {"seconds": 0.1}});
    assert_refused(&post(&server, "/api/tables", unfit).await, 400, "the clock has 0.1 seconds");
}

#[tokio::test]
async fn every_game_tells_its_rules() {
    let server = server();
    for game in shipped_games() {
        let (_, rules) = get(&server, &format!("/api/games/{}/rules", game.id())).await;
        let html = rules["html"].as_str().unwrap();
        assert!(html.contains("Notation") && !html.contains("<h2"), "{}: {html}", game.id());
    }
}

#[tokio::test]
async fn a_game_is_played_undone_and_resigned() {
    let server = server();
    let table = new_table(&server, json!({"game": "tictactoe"})).await;
    let moves = format!("{table}/moves");
    let (_, state) = post(&server, &moves, json!({"move": "b2", "ply": 0})).await;
    assert_eq!((&state["ply"], &state["side_to_move"], &state["record"]), (&json!(1), &json!(1), &json!("b2 = *")));
    assert_eq!(state["view"]["pieces"][4], json!({"side": 0}));
    assert_eq!(state["last"]["places"], json!([4]));
    assert_refused(&post(&server, &moves, json!({"move": "a1", "ply": 0})).await, 409, "`ply` is 0");
    assert_refused(&post(&server, &moves, json!({"move": "b2", "ply": 1})).await, 422, "the cell is taken");
    assert_refused(&post(&server, &moves, json!({"move": "z9", "ply": 1})).await, 400, "`z9` is not an action");
    post(&server, &moves, json!({"move": "a1", "ply": 1})).await;
    let (_, early) = get(&server, &format!("{table}?ply=1")).await;
    assert_eq!((&early["ply"], early["moves"].as_array().unwrap().len()), (&json!(1), 2));
    assert_refused(&get(&server, &format!("{table}?ply=3")).await, 404, "no move 3");
    let (_, state) = post(&server, &format!("{table}/undo"), json!({"ply": 1})).await;
    assert_eq!(state["record"], "b2 = *");
    let (_, state) = post(&server, &format!("{table}/resign"), json!({"side": 1})).await;
    assert_eq!(state["outcome"], json!({"winner": 0, "by": "resignation"}));
    assert_eq!(state["record"], "b2 = 1");
    assert_refused(&post(&server, &moves, json!({"move": "a1", "ply": 1})).await, 409, "the game is over");
}

#[tokio::test]
async fn every_legal_move_comes_with_its_clicks() {
    let server = server();
    let table = new_table(&server, json!({"game": "pentago-swap"})).await;
    let (_, state) = get(&server, &table).await;
    let legal = state["legal"].as_array().unwrap();
    assert_eq!(legal.len(), 216);
    assert!(legal.contains(&json!({"move": "c4:AD", "clicks": ["p20", "q0", "q3"]})));
    let (_, state) = post(&server, &format!("{table}/moves"), json!({"move": "c4:BC", "ply": 0})).await;
    // The stone went down in C and lies in B after the swap.
    assert_eq!(state["last"]["places"], json!([5]));
    assert_eq!(state["view"]["pieces"][5], json!({"side": 0}));
}

#[tokio::test]
async fn recorded_games_are_loaded_and_checked() {
    let server = server();
    let load = |record: &str| json!({"game": "tictactoe", "record": record});
    let table = new_table(&server, load("b2 a1 b1 c1 b3 = 1")).await;
    let (_, state) = get(&server, &table).await;
    assert_eq!(state["outcome"], json!({"winner": 0, "by": "rules"}));
    assert_eq!(state["view"]["decisive"], json!([1, 4, 7]));
    let refused = async |record: &str| post(&server, "/api/tables", load(record)).await;
    assert_refused(&refused("b2 b2").await, 422, "action 2: b2 is not legal here");
    assert_refused(&refused("b2 a1 b1 c1 b3 = 2").await, 422, "by the rules it is `= 1`");
    assert_refused(&refused("b2 x = *").await, 400, "action 2: `x` is not an action");
}

#[tokio::test]
async fn agents_decide_for_their_side_only() {
    let server = server();
    let seats = json!([null, {"agent": "search", "strength": {"simulations": 50}}]);
    let table = new_table(&server, json!({"game": "tictactoe", "seats": seats})).await;
    let agent = format!("{table}/agent");
    assert_refused(&post(&server, &agent, json!({"ply": 0})).await, 409, "X is a person");
    post(&server, &format!("{table}/moves"), json!({"move": "b2", "ply": 0})).await;
    let (status, answer) = post(&server, &agent, json!({"ply": 1})).await;
    assert!(status.is_success(), "{answer}");
    assert_eq!(answer["table"]["ply"], 2);
    assert_eq!(answer["analysis"]["simulations"], 50);
    assert!(answer["table"]["values"][1].is_object(), "the agent's value is kept");
    assert_refused(&post(&server, &agent, json!({"ply": 1})).await, 409, "`ply` is 1");
}

#[tokio::test]
async fn agents_that_are_asked_play_every_game_to_its_end() {
    let server = server();
    for game in shipped_games().into_iter().map(|game| game.id()) {
        let seats = json!([{"agent": "random"}, {"agent": "random"}]);
        let table = new_table(&server, json!({"game": game, "seats": seats})).await;
        let mut ply = 0;
        let state = loop {
            let (status, answer) = post(&server, &format!("{table}/agent"), json!({"ply": ply})).await;
            assert!(status.is_success(), "{game}: {answer}");
            ply += 1;
            if answer["table"]["outcome"].is_object() {
                break answer["table"].clone();
            }
        };
        assert_eq!(state["legal"], json!([]), "{game}");
        let last = state["values"].as_array().unwrap().last().unwrap();
        let greatest = ["first", "draw", "second"].map(|result| last[result].as_f64().unwrap());
        assert!(greatest.contains(&1.0), "{game}: {last}");
        // What was played can be loaded again.
        new_table(&server, json!({"game": game, "record": state["record"]})).await;
    }
}

#[tokio::test]
async fn positions_are_analysed() {
    let server = server();
    // X wins at once with b3.
    let table = new_table(&server, json!({"game": "tictactoe", "record": "b2 a1 b1 c1"})).await;
    let ask = json!({"ply": 4, "agent": "search", "strength": {"simulations": 200}});
    let (status, analysis) = post(&server, &format!("{table}/analysis"), ask).await;
    assert!(status.is_success(), "{analysis}");
    assert_eq!(analysis["proven"], json!({"winner": 0}));
    let won: Vec<&Value> = analysis["moves"].as_array().unwrap().iter().filter(|found| found["proven"] == 1).collect();
    assert_eq!(won[0]["move"], "b3");
    assert_eq!(won[0]["clicks"], json!(["p7"]));
    assert_eq!(analysis["value"], json!({"first": 1.0, "draw": 0.0, "second": 0.0}));
    let (_, state) = get(&server, &table).await;
    assert_eq!(state["values"][4], analysis["value"]);
    let refused = async |body: Value| post(&server, &format!("{table}/analysis"), body).await;
    assert_refused(&refused(json!({"ply": 0, "agent": "random"})).await, 400, "does not analyse");
    assert_refused(&refused(json!({"ply": 9})).await, 404, "no move 9");
    assert_refused(&refused(json!({"ply": 0, "agent": "lost"})).await, 500, "there is none of this name");
}

#[tokio::test]
async fn tables_do_not_touch_each_other() {
    let server = server();
    let [one, other] =
        [new_table(&server, json!({"game": "pylos"})).await, new_table(&server, json!({"game": "pylos"})).await];
    let play = async |table: &str, action: &str| {
        post(&server, &format!("{table}/moves"), json!({"move": action, "ply": 0})).await.1
    };
    assert_eq!(play(&one, "a1").await["record"], "a1 = *");
    assert_eq!(play(&other, "d4").await["record"], "d4 = *");
    assert_eq!(get(&server, &one).await.1["record"], "a1 = *");
    assert!(send(&server, request("DELETE", &one, None)).await.0.is_success());
    assert_refused(&get(&server, &one).await, 404, "no such table");
    assert_eq!(get(&server, &other).await.1["record"], "d4 = *");
}

//! Games for other programs: what is written is read back by a small reader of its own, whatever is in the names.

use std::fs;

use selfplay_arena::{Results, pgn};
use serde_json::json;

/// A game as read back.
#[derive(Debug, Default)]
struct Read {
    tags: Vec<(String, String)>,
    /// Words outside of comments.
    words: Vec<String>,
    comments: Vec<String>,
}

impl Read {
    fn tag(&self, name: &str) -> &str {
        &self.tags.iter().find(|(tag, _)| tag == name).unwrap().1
    }
}

/// Reads tags, comments and words by the standard's grammar, and panics at what is not in it.
fn read(text: &str) -> Vec<Read> {
    let mut games: Vec<Read> = Vec::new();
    let mut comment: Option<String> = None;
    let mut is_in_tags = false;
    for line in text.lines() {
        assert!(!line.starts_with('%'), "the standard hides this line: {line}");
        if comment.is_none() && line.starts_with('[') {
            if !std::mem::replace(&mut is_in_tags, true) {
                games.push(Read::default());
            }
            let (name, value) = line[1..].split_once(" \"").unwrap();
            let value = value.strip_suffix("\"]").unwrap();
            let mut unescaped = String::new();
            let mut letters = value.chars();
            while let Some(letter) = letters.next() {
                assert!(letter != '"' && !letter.is_control(), "{line}");
                unescaped.push(if letter == '\\' { letters.next().unwrap() } else { letter });
            }
            games.last_mut().unwrap().tags.push((name.into(), unescaped));
            continue;
        }
        is_in_tags = false;
        assert!(line.chars().count() < 80, "{line}");
        let game = games.last_mut().unwrap();
        for letter in format!("{line} ").chars() {
            match (&mut comment, letter) {
                (Some(_), '}') => game.comments.extend(comment.take()),
                (Some(text), _) => text.push(letter),
                (None, '{') => comment = Some(String::new()),
                (None, ' ') => game.words.push(String::new()),
                (None, _) => {
                    if game.words.is_empty() {
                        game.words.push(String::new());
                    }
                    game.words.last_mut().unwrap().push(letter);
                }
            }
        }
    }
    assert!(comment.is_none());
    games.iter_mut().for_each(|game| game.words.retain(|word| !word.is_empty()));
    games
}

/// Writes a file of games called `a "strange" file.jsonl`, and reads back what the notation makes of it.
fn written(game: &str, players: [&str; 2], lines: &[serde_json::Value]) -> Vec<Read> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a \"strange\" file.jsonl");
    let header = json!({"format": 2, "game": game, "players": players, "plan": {}});
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, format!("{header}\n{lines}")).unwrap();
    let mut results = Results::default();
    results.add_games(&path).unwrap();
    read(&pgn(results.games()))
}

fn line(number: usize, result: &str, end: serde_json::Value, actions: &str) -> serde_json::Value {
    let side = ["first", "second"][number % 2];
    json!({"match": 0, "game": number, "players": [0, 1], "a_side": side, "opening": 2,
           "moves": actions, "result": result, "end": end, "final": ""})
}

#[test]
fn tags_say_who_moved_first_and_who_won() {
    let names = ["say \"hi\" \\ to\nme", "{b} % [x]"];
    let games = written(
        "pente-13",
        names,
        &[
            line(0, "1", json!("rules"), "7G 7H 8G"),
            line(1, "1", json!("more-time-left"), "7G 7H 8G"),
            line(2, "0", json!("rules"), "7G 7H"),
            line(3, "2", json!({"time-forfeit": {"used_ms": 212, "allowed_ms": 200}}), "7G 7H 8G 9G"),
            line(4, "*", json!("capped"), "7G 7H 8G"),
            line(5, "2", json!({"illegal-move": {"reason": "a } b { 100 %\n%c [White \"x\"]"}}), ""),
            line(6, "1", json!({"player-failed": {"reason": "x".repeat(300)}}), "7G 7H"),
        ],
    );
    assert_eq!(games.len(), 7);
    let plain = names[0].replace('\n', " ");
    for (number, game) in games.iter().enumerate() {
        let order = if number % 2 == 0 { [&*plain, names[1]] } else { [names[1], &*plain] };
        assert_eq!([game.tag("White"), game.tag("Black")], order);
        assert_eq!((game.tag("Event"), game.tag("Variant")), ("a \"strange\" file", "pente-13"));
        let date = game.tag("Date");
        assert!(game.tag("Site") == "?" && date.len() == 10 && date.starts_with("20"), "{date}");
        assert_eq!(game.tag("Round"), format!("1.{}", number / 2 + 1));
        assert_eq!(game.words.last().unwrap(), game.tag("Result"), "the text ends with the result");
        let names: Vec<&str> = game.tags.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..7], ["Event", "Site", "Date", "Round", "White", "Black", "Result"]);
        let position = game.tags.iter().find(|(name, _)| name == "FEN").map(|(_, text)| text.as_str());
        assert_eq!(position, (number != 5).then_some("7G 7H"), "what nobody chose stands apart");
    }
    assert_eq!(games[0].words, ["1.", "8G", "1-0"]);
    let tags = |name| games.iter().map(|game| game.tag(name)).collect::<Vec<_>>();
    assert_eq!(tags("Result"), ["1-0", "1-0", "1/2-1/2", "0-1", "*", "0-1", "1-0"]);
    assert_eq!(
        tags("Termination"),
        ["normal", "adjudication", "normal", "time forfeit", "unterminated", "rules infraction", "abandoned"]
    );
    assert_eq!(games[3].comments[0], "212 ms used where 200 ms were allowed");
    assert_eq!(games[5].comments[0], "a ) b ( 100 percent percentc (White \"x\")");
    assert_eq!(games[6].comments[0].replace(' ', ""), "x".repeat(300));
}

#[test]
fn moves_are_numbered_and_lines_are_short() {
    let actions: Vec<String> = (0..150).map(|index| format!("{}G", index % 19 + 1)).collect();
    let expected: Vec<String> =
        actions[2..].iter().enumerate().flat_map(|(index, name)| [format!("{}.", index + 1), name.clone()]).collect();
    let game = &written("pente", ["a", "b"], &[line(0, "1", json!("rules"), &actions.join(" "))])[0];
    assert_eq!(game.words[..game.words.len() - 1], expected);
    // What PGN does not take for a move stands in a comment.
    for (game, actions) in [("pylos", "a1 a1^b2 -c3 -"), ("sum15-4", "0,1,5 3,3,13 1,1,2"), ("connect4", "4 4 3")] {
        let read = &written(game, ["a", "b"], &[line(0, "2", json!("rules"), actions)])[0];
        assert_eq!(read.words, ["0-1"], "{game}");
        let numbered: Vec<String> =
            actions.split(' ').skip(2).enumerate().map(|(index, name)| format!("{}. {name}", index + 1)).collect();
        assert_eq!(read.comments[0], numbered.join(" "), "{game}");
        let opening: Vec<&str> = actions.split(' ').take(2).collect();
        assert_eq!(read.tag("FEN"), opening.join(" "), "{game}");
    }
}

#[test]
fn games_of_players_against_themselves_are_left_out() {
    assert!(written("pylos", ["a", "a"], &[line(0, "1", json!("rules"), "a1")]).is_empty());
}

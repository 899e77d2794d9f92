//! Games for programs that rate players: Portable Game Notation, whose tags BayesElo, Ordo and others read.
//!
//! The format is that of Edwards, "Portable Game Notation Specification and Implementation Guide" (1994): tags of section
//! 8.1, `Termination` of 9.8.1, text in lines of less than 80 characters (8.2.1). `White` is who moves first. The text
//! numbers moves, not moves of both sides: a side may decide several times in a row. Where moves are not words in
//! PGN's sense (7) all of them stand in a comment, so that any reader gets past them. What a game began with without anybody's
//! choice is no part of the text: the position that it led to is the one in `FEN` (9.7.1), written as those moves, since
//! the games here have no other notation for positions. `Date` is the day on which the file was last written.

use std::fmt::Write;

use selfplay_env::{Outcome, Side};

use crate::arena::Termination;
use crate::results::RecordedGames;
use crate::wrapped::wrapped;

/// Characters in a line of text.
const WIDTH: usize = 79;

/// All games of `files`, but for those of players against themselves.
pub fn pgn(files: &[RecordedGames]) -> String {
    let mut text = String::new();
    for file in files {
        let event = file.path.file_stem().unwrap_or_default().to_string_lossy();
        for game in file.games.iter().filter(|game| !file.is_own(game.line.players)) {
            let line = &game.line;
            let [white, black] = game.by_order().map(|player| file.header.players[player].as_str());
            let result = match game.outcome {
                Some(Outcome::Win(Side::First)) => "1-0",
                Some(Outcome::Win(Side::Second)) => "0-1",
                Some(Outcome::Draw) => "1/2-1/2",
                None => "*",
            };
            let round = format!("{}.{}", line.match_number + 1, line.game / 2 + 1);
            let (termination, reason) = ending(&line.end);
            for (tag, value) in [
                ("Event", &*event),
                ("Site", "?"),
                ("Date", &file.date()),
                ("Round", &round),
                ("White", white),
                ("Black", black),
                ("Result", result),
                ("Termination", termination),
                ("Variant", &file.header.game),
            ] {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "[{tag} \"{}\"]", escaped(value));
            }
            let (opening, played) = split(&line.moves, line.opening);
            if !opening.is_empty() {
                let _ = writeln!(text, "[SetUp \"1\"]\n[FEN \"{}\"]", escaped(&opening));
            }
            text.push('\n');
            let body = move_text(&played, reason.as_deref());
            text += &wrapped(body.split_whitespace().chain([result]), WIDTH);
            text.push('\n');
        }
    }
    text
}

/// The value of the tag `Termination`, and more about it in words.
fn ending(termination: &Termination) -> (&'static str, Option<String>) {
    match termination {
        Termination::Rules => ("normal", None),
        Termination::MoreTimeLeft => ("adjudication", Some("drawn by the rules, won by more time left".into())),
        Termination::Capped => ("unterminated", None),
        Termination::TimeForfeit { used_ms, allowed_ms } => {
            ("time forfeit", Some(format!("{used_ms} ms used where {allowed_ms} ms were allowed")))
        }
        Termination::IllegalMove { reason } => ("rules infraction", Some(reason.clone())),
        Termination::PlayerFailed { reason } => ("abandoned", Some(reason.clone())),
    }
}

/// A tag's value: quotes and backslashes are escaped (7), and what cannot be printed is a space.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            _ => text.push(if letter.is_control() { ' ' } else { letter }),
        }
    }
    text
}

/// A comment. Braces end it and do not nest (5). A percent sign at the start of a line hides that line (6), and readers
/// that only look for tags, such as Ordo, find them anywhere: no brace, bracket or percent sign appears in it.
fn comment(words: &str) -> String {
    format!("{{{}}}", words.replace(['{', '['], "(").replace(['}', ']'], ")").replace('%', "percent"))
}

/// The first `opening` moves, which are random, and those that were played.
fn split(moves: &str, opening: usize) -> (String, Vec<&str>) {
    let mut names = moves.split_whitespace();
    let first: Vec<&str> = names.by_ref().take(opening).collect();
    (first.join(" "), names.collect())
}

/// All between the tags and the result.
fn move_text(names: &[&str], reason: Option<&str>) -> String {
    let mut numbered = String::new();
    for (index, name) in names.iter().enumerate() {
        let _ = write!(numbered, " {}. {name}", index + 1);
    }
    if !names.iter().all(|name| is_symbol(name)) {
        numbered = comment(numbered.trim_start());
    }
    let parts = [Some(numbered), reason.map(comment)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Whether PGN has it for a move: a symbol (7) that is no number.
fn is_symbol(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_+#=:-".contains(letter))
        && name.contains(|letter: char| letter.is_ascii_alphabetic())
}

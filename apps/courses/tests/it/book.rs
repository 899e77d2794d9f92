//! Books: what is written reads back, what is wrong is named, what is built is played.

use selfplay_courses::players::{PentagoReportConfig, pentago_report};
use selfplay_courses::{Book, BookConfig, BookPlay, build_book};
use selfplay_env::{Game, Symmetric, Symmetry, rules};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_players::MoveRequest;
use selfplay_tictactoe::TicTacToe;

use crate::script::after;
use crate::{alpha_beta, report};

#[test]
fn a_book_knows_all_images_of_its_positions() {
    let text = "book 1 pentago-swap\n\n# The first reply.\n: b2:AB\nb2:AB c3:CD : e5:AC\n";
    let book = Book::parse(rules::<PentagoSwap>(), text, "opening.book").unwrap();
    assert_eq!(book.to_text(), text.replace("\n\n# The first reply.", ""));
    let (position, _) = after::<PentagoSwap>("b2:AB c3:CD");
    let best = |position: &PentagoSwap| book.best(position).map(PentagoSwap::action_name);
    assert_eq!(best(&position).as_deref(), Some("e5:AC"));
    for symmetry in Symmetry::ALL {
        let image = position.transform(symmetry);
        let expected = PentagoSwap::transform_action(PentagoSwap::parse_action("e5:AC").unwrap(), symmetry);
        assert_eq!(book.best(&image), Some(image.canonical_action(expected)));
    }
    assert_eq!(best(&after("a1:AB").0), None);
}

#[test]
fn a_wrong_book_is_refused_with_file_line_and_reason() {
    let error = |text: &str| Book::parse(rules::<TicTacToe>(), text, "b.txt").unwrap_err().to_string();
    let with = |line: &str| error(&format!("book 1 tictactoe\n: b2\n{line}\n"));
    for (error, expected) in [
        (error(""), "b.txt, line 1: found ``, expected the header `book 1 tictactoe`"),
        (error("book 1 connect4\n"), "b.txt, line 1: found `book 1 connect4`"),
        (with("a1 b1"), "b.txt, line 3: no best move"),
        (with("a1 : b1 b2"), "b.txt, line 3: unexpected `b2` after the best move"),
        (with("a1 a1 : b2"), "b.txt, line 3: a1 is not legal here"),
        (with("a1 : a1"), "b.txt, line 3: the best move a1 is not legal here"),
        (with("z9 : a1"), "b.txt, line 3: `z9` is not an action of tictactoe"),
        (with("# x\na1 : b2\nc3 : b2"), "b.txt, line 5: duplicate position (up to symmetry) of `a1`"),
    ] {
        assert!(error.starts_with(expected), "{error}");
    }
    let missing = std::path::Path::new("/no/such/folder/b.txt");
    assert!(Book::read(rules::<TicTacToe>(), missing).unwrap_err().to_string().starts_with("/no/such/folder/b.txt: "));
    assert!(Book::new(rules::<TicTacToe>()).write(missing).is_err());
}

#[test]
fn a_book_that_is_built_is_what_its_player_plays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.book");
    let config = BookConfig { plies: 5, games: 6, play: BookPlay::Own, seed: 1 };
    let mut player = report(alpha_beta(1)).unwrap();
    let mut sizes = Vec::new();
    let book = build_book(rules::<PentagoSwap>(), player.as_mut(), &config, |games, book| {
        sizes.push((games, book.entries().len()))
    })
    .unwrap();
    assert_eq!(sizes.len(), 6);
    assert!(book.entries().len() > 6, "{}", book.to_text());
    book.write(&path).unwrap();
    assert_eq!(Book::read(rules::<PentagoSwap>(), &path).unwrap().to_text(), book.to_text());
    // Another player with this book plays its moves wherever it stands in it.
    let with_book = PentagoReportConfig { book: Some(path), ..alpha_beta(2) };
    let mut reader = pentago_report(rules::<PentagoSwap>(), "reader".into(), &with_book).unwrap();
    for entry in book.entries() {
        assert_eq!(
            reader
                .choose(&MoveRequest { table: 0, position: &*entry.position, history: &[], time_left: None })
                .unwrap()
                .action,
            entry.best
        );
    }
    let random = BookConfig { play: BookPlay::Random, ..config };
    let all = build_book(rules::<PentagoSwap>(), player.as_mut(), &random, |_, _| ()).unwrap();
    assert!(all.entries().iter().any(|entry| entry.actions.len() == 4));
    let error = build_book(rules::<PentagoSwap>(), player.as_mut(), &BookConfig { games: 0, ..config }, |_, _| ());
    assert!(error.unwrap_err().to_string().starts_with("`games` is 0"));
}

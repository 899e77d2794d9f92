//! The dialogues of the courses, with scripted people.

use selfplay_courses::dialogue::{DialogueEnd, NumberCardsConfig, PylosConfig, play_number_cards, play_pylos};
use selfplay_env::{Outcome, Side, game_text::replay_line};
use selfplay_players::{Player, RandomPlayer};
use selfplay_pylos::Pylos;

use crate::support::{Failing, FirstLegal};

fn cards(input: &str) -> (DialogueEnd, String) {
    let mut output = Vec::new();
    let mut four = || Ok(Box::new(FirstLegal) as Box<dyn Player>);
    let mut six = || Err("it was not trained".into());
    let config = NumberCardsConfig::default();
    let end = play_number_cards(&config, &mut four, &mut six, &mut input.as_bytes(), &mut output).unwrap();
    (end, String::from_utf8(output).unwrap())
}

#[test]
fn the_questions_are_asked_until_they_are_answered() {
    let (end, shown) = cards("\nme first\nai\nfive\n6\n4\nquit\n");
    assert_eq!(end, DialogueEnd::Quit);
    assert_eq!(shown.matches("Who makes the first move, AI or Human? ").count(), 3);
    assert!(shown.contains("`me first` is neither: type AI or Human."), "{shown}");
    assert_eq!(shown.matches("Which board size, 4 or 6? ").count(), 3);
    assert!(shown.contains("`five` is no board size: type 4 or 6."), "{shown}");
    assert!(shown.contains("There is no AI for 6x6: it was not trained."), "{shown}");
    assert!(shown.contains("AI plays (0, 0, 2)\nMarked: none.\n"), "{shown}");
    assert_eq!(cards("ai\n").0, DialogueEnd::EndOfInput);
}

#[test]
fn marked_cards_are_shown_before_they_are_removed() {
    // The person's 13 next to the AI's 2 stays; 5 beside both is too much for all three.
    let (_, shown) = cards("human\n4\n(0, 1, 13)\n(0, 1, 8)\n0 9 8\nnonsense\n(1,1,5)\n");
    assert!(
        shown.contains("AI plays (0, 0, 2)\nMarked: none.\n\n     0    1    2    3\n0   A2  H13    .    ."),
        "{shown}"
    );
    assert!(shown.contains("(0, 1, 8) cannot be played: the cell is taken. Try again."), "{shown}");
    assert!(
        shown.contains("(0, 9, 8) is no move: rows and columns are 0 to 3, cards 2, 3, 5, 8 and 13. Try again."),
        "{shown}"
    );
    assert!(shown.contains("`nonsense` is no move: type three numbers, such as (0, 3, 13). Try again."), "{shown}");
    let marked = "Marked: AI's 2 at (0, 0), Human's 13 at (0, 1), Human's 5 at (1, 1).\n\n\
                  \u{20}    0    1    2    3\n0  A2* H13*    .    .\n1    .  H5*    .    .\n";
    assert!(shown.contains(marked), "{shown}");
    let after = "Removed.\n\n     0    1    2    3\n0    X    X    .    .\n1    .    X    .    .\n";
    assert!(shown.contains(after), "{shown}");
    assert!(
        shown.contains("Human score  0, cards in hand: [2, 3, 8]\nAI    score  0, cards in hand: [3, 5, 8, 13]"),
        "{shown}"
    );
}

#[test]
fn whole_games_end_with_scores_and_a_winner() {
    let (mut decided, mut equal) = (0, 0);
    for seed in 0..60u64 {
        // Types every move there is, in an order that the seed turns; what is not legal is rejected.
        let mut lines = vec![if seed % 2 == 0 { "Human" } else { "AI" }.to_owned(), "4x4".into()];
        let mut moves: Vec<String> = Vec::new();
        for card in [13, 2, 8, 3, 5] {
            moves.extend(
                (0..16).map(|cell| (cell * 7 + seed) % 16).map(|cell| format!("{} {} {card}", cell / 4, cell % 4)),
            );
        }
        moves.rotate_left(seed as usize * 11 % 80);
        (0..3).for_each(|_| lines.extend(moves.iter().cloned()));
        let input = lines.join("\n");
        let mut output = Vec::new();
        let mut four = || Ok(Box::new(RandomPlayer::new()) as Box<dyn Player>);
        let mut six = || Err("".into());
        let config = NumberCardsConfig { seed, ..NumberCardsConfig::default() };
        let end = play_number_cards(&config, &mut four, &mut six, &mut input.as_bytes(), &mut output).unwrap();
        let shown = String::from_utf8(output).unwrap();
        let DialogueEnd::Finished { outcome, human } = end else { panic!("{shown}") };
        assert_eq!(human, if seed % 2 == 0 { Side::First } else { Side::Second });
        let last = match outcome {
            Outcome::Win(side) if side == human => "The winner is Human.\n",
            Outcome::Win(_) => "The winner is AI.\n",
            Outcome::Draw => "There is no winner: the game is a draw.\n",
        };
        assert!(shown.ends_with(last), "{shown}");
        assert_eq!(
            shown.matches("cards in hand: []").count(),
            3,
            "the last but one move empties a hand, the last both"
        );
        equal += usize::from(shown.contains("The scores are equal, so the highest card on the board decides"));
        decided += 1;
    }
    assert!(decided == 60 && equal > 0, "{equal}");
}

fn pylos(player: &mut dyn Player, input: &str) -> (DialogueEnd, String) {
    let mut output = Vec::new();
    let end = play_pylos(player, &PylosConfig::default(), &mut input.as_bytes(), &mut output).unwrap();
    (end, String::from_utf8(output).unwrap())
}

#[test]
fn pylos_is_played_in_its_notation() {
    // The player fills a1, b1, c1 … in order.
    let (end, shown) = pylos(&mut FirstLegal, "human\nd4\nz9\nD3\na1\nc4\nc3\n-c3 -c4\nquit\n");
    assert_eq!(end, DialogueEnd::Quit);
    assert!(shown.contains("You are White."), "{shown}");
    assert!(shown.contains("  a b c d     e f g     h i     j\n"), "{shown}");
    assert!(shown.contains("Black (AI) plays a1"), "{shown}");
    assert!(shown.contains("`z9` is not an action of pylos: expected"), "{shown}");
    assert!(shown.contains("the cell is taken. Try again."), "{shown}");
    // The square c3 d3 c4 d4 is complete: the removals are asked for.
    assert!(shown.contains("Take back one or two spheres, such as -a1 or -a1-e1: "), "{shown}");
    assert!(shown.contains("reserve: White 13, Black 12"), "{shown}");
    replay_line::<Pylos>(shown.rsplit("to move: ").next().unwrap().trim_end()).unwrap();
}

#[test]
fn pylos_ends_and_says_who_won() {
    // Somebody who types every whole turn that could be legal.
    let cells = "abcd".chars().flat_map(|c| (1..5).map(move |r| format!("{c}{r}")));
    let upper = ["e1", "e2", "e3", "f1", "f2", "f3", "g1", "g2", "g3", "h1", "h2", "i1", "i2", "j1"].map(String::from);
    let places: Vec<String> = upper.into_iter().rev().chain(cells).collect();
    let removals: Vec<String> = places.iter().map(|cell| format!("-{cell}")).collect();
    let raises = places.iter().flat_map(|from| places.iter().map(move |to| format!("{from}^{to}")));
    let round: Vec<String> = places.iter().flat_map(|place| [vec![place.clone()], removals.clone()].concat()).collect();
    let lines: Vec<String> = round.iter().cloned().chain(raises).collect();
    let input = format!("ai\n{}\n", vec![lines.join("\n"); 40].join("\n"));
    let (end, shown) = pylos(&mut RandomPlayer::new(), &input);
    let DialogueEnd::Finished { outcome, human: Side::Second } = end else { panic!("{end:?}") };
    let verdict = match outcome {
        Outcome::Win(Side::First) => "The winner is AI.",
        Outcome::Win(Side::Second) => "The winner is Human.",
        Outcome::Draw => "a draw.",
    };
    let lines: Vec<&str> = shown.lines().rev().take(2).collect();
    assert!(lines[1].contains(verdict), "{lines:?}");
    replay_line::<Pylos>(lines[0]).unwrap();
}

#[test]
fn a_failing_player_ends_a_dialogue_with_its_reason() {
    let mut output = Vec::new();
    let result = play_pylos(&mut Failing, &PylosConfig::default(), &mut &b"ai\n"[..], &mut output);
    assert!(result.unwrap_err().to_string().contains("out of order"));
    let mut four = || Ok(Box::new(Failing) as Box<dyn Player>);
    let mut six = || Ok(Box::new(Failing) as Box<dyn Player>);
    let config = NumberCardsConfig::default();
    let result = play_number_cards(&config, &mut four, &mut six, &mut &b"ai\n6\n"[..], &mut output);
    assert!(result.unwrap_err().to_string().contains("out of order"));
}

//! Stored games of every game in the registry: sound ones replay in every manner, damaged ones are refused with the place.

use std::path::Path;

use selfplay_env::game_text::play_line;
use selfplay_env::random_play::play_random;
use selfplay_env::registry::GAME_IDS;
use selfplay_env::replay_check::{Manner, ReplayFault, check_game};
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Game, GameVisitor, Outcome, PlayError, Side, WholeGame, with_game};
use selfplay_pylos::Pylos;

/// Random games of each game.
const GAMES: u64 = 6;
/// Where random games are cut off.
const MOST_DECISIONS: usize = 200;

fn random_game<G: WholeGame>(seed: u64) -> (Vec<Action>, Option<Outcome>) {
    let mut position = G::initial();
    let decisions = play_random(&mut position, MOST_DECISIONS, &mut rng_for(&[seed]));
    (decisions, position.outcome())
}

/// What is wrong with the game, and the number of the decision where it is.
fn refusal<G: WholeGame>(decisions: &[Action], outcome: Option<Outcome>) -> (usize, ReplayFault) {
    let error = check_game::<G>(decisions, outcome).expect_err("the game is damaged");
    assert_eq!((error.game, error.manner), (G::ID, Manner::AsRecorded), "{error}");
    (error.number, error.fault)
}

struct RandomGames;

impl GameVisitor for RandomGames {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        for seed in 0..GAMES {
            let (decisions, outcome) = random_game::<G>(seed);
            check_game::<G>(&decisions, outcome).unwrap_or_else(|error| panic!("{error}"));
            let started = &decisions[..decisions.len() / 2];
            check_game::<G>(started, None).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn random_games_replay_in_every_manner() {
    for id in GAME_IDS {
        with_game(id, RandomGames).unwrap();
    }
}

struct RecordedGames;

impl GameVisitor for RecordedGames {
    type Output = usize;

    fn visit<G: WholeGame>(self) -> usize {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/games/{}.txt", G::ID));
        // The yardstick games have no recorded ones.
        let Ok(text) = std::fs::read_to_string(path) else { return 0 };
        for line in text.lines() {
            let (decisions, _) = line.split_once('=').unwrap();
            let decisions: Vec<&str> = decisions.split_whitespace().collect();
            let (position, actions) = play_line::<G>(&decisions).unwrap();
            check_game::<G>(&actions, position.outcome()).unwrap_or_else(|error| panic!("{error}"));
        }
        text.lines().count()
    }
}

#[test]
fn games_of_other_programs_replay_in_every_manner() {
    let games: usize = GAME_IDS.iter().map(|id| with_game(id, RecordedGames).unwrap()).sum();
    assert_eq!(games, 3 * 400 + 600 + 3 * 200, "a game file is missing");
}

#[test]
fn a_draw_by_repetition_replays_in_every_manner() {
    // Both complete a square at b2 and take the sphere back, until the board has stood three times.
    let line = "a1 b3 a2 c2 b1 c3 b2 -b2 - b2 -b2 - b2 -b2 - b2 -b2 -";
    let (position, decisions) = play_line::<Pylos>(&line.split(' ').collect::<Vec<_>>()).unwrap();
    assert_eq!(position.outcome(), Some(Outcome::Draw));
    check_game::<Pylos>(&decisions, position.outcome()).unwrap_or_else(|error| panic!("{error}"));
}

struct DamagedGames;

impl GameVisitor for DamagedGames {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        for seed in 0..GAMES {
            let (decisions, by_the_rules) = random_game::<G>(seed);
            let count = decisions.len();
            for recorded in
                [None, Some(Outcome::Draw), Some(Outcome::Win(Side::First)), Some(Outcome::Win(Side::Second))]
            {
                if recorded != by_the_rules {
                    let fault = ReplayFault::End { recorded, by_the_rules };
                    assert_eq!(refusal::<G>(&decisions, recorded), (count, fault));
                }
            }
            if let Some(recorded) = by_the_rules {
                let fault = ReplayFault::End { recorded: by_the_rules, by_the_rules: None };
                assert_eq!(refusal::<G>(&decisions[..count - 1], Some(recorded)), (count - 1, fault));
                let mut longer = decisions.clone();
                longer.push(decisions[0]);
                let (number, fault) = refusal::<G>(&longer, by_the_rules);
                assert!(matches!(fault, ReplayFault::Illegal(PlayError::GameOver { .. })), "{fault}");
                assert_eq!(number, count + 1);
            }
            // From the middle on, so that every game has something illegal: Connect Four fills no column at once.
            let place = count - 1;
            let mut position = G::initial();
            decisions[..place].iter().for_each(|&action| position.play(action));
            let mut damaged = decisions.clone();
            let illegal = (0..G::ACTION_COUNT).map(Action::from_index).find(|&action| !position.is_legal(action));
            if let Some(illegal) = illegal {
                damaged[place] = illegal;
                let (number, fault) = refusal::<G>(&damaged, by_the_rules);
                assert!(matches!(fault, ReplayFault::Illegal(PlayError::Illegal { .. })), "{fault}");
                assert_eq!(number, place + 1);
            }
            damaged[place] = Action::from_index(G::ACTION_COUNT);
            let fault = ReplayFault::NoSuchAction { index: G::ACTION_COUNT, last: G::ACTION_COUNT - 1 };
            assert_eq!(refusal::<G>(&damaged, by_the_rules), (place + 1, fault));
        }
    }
}

#[test]
fn damaged_games_are_refused_where_they_are_damaged() {
    for id in GAME_IDS {
        with_game(id, DamagedGames).unwrap();
    }
}

//! Every fault of [`faulty`](super::faulty) is found by what is meant to find it.

mod advice {
    use crate::faulty::*;
    use selfplay_registry::Action;
    use selfplay_registry::Game;
    use selfplay_registry::rng::rng_for;
    use selfplay_registry::tactics_conformance::check_advice;

    /// What is found in a position where X, to move, wins in the top right corner.
    fn found<const FAULT: u8>() -> String {
        let mut position = Faulty::<FAULT>::initial();
        for cell in [0, 3, 1, 4] {
            position.play(Action(cell));
        }
        check_advice(&position, &mut rng_for(&[1])).unwrap_err().to_string()
    }

    #[test]
    fn every_lie_is_found() {
        assert!(found::<NO_WIN>().contains("c1 is one"), "{}", found::<NO_WIN>());
        assert!(found::<WRONG_WIN>().contains("c3 does not win"), "{}", found::<WRONG_WIN>());
        assert!(found::<DRAWN>().contains("Draw is settled"), "{}", found::<DRAWN>());
        assert!(found::<TOO_FEW_HINTS>().contains("4 hints for 5"), "{}", found::<TOO_FEW_HINTS>());
        assert!(found::<BEYOND_THE_LIMIT>().contains("beyond its limit"), "{}", found::<BEYOND_THE_LIMIT>());
        assert!(found::<WRONG_FORESIGHT>().contains("is foreseen"), "{}", found::<WRONG_FORESIGHT>());
        assert!(found::<WIN_IS_LEFT_OUT>().contains("c1 is left out"), "{}", found::<WIN_IS_LEFT_OUT>());
        assert!(found::<LEFT_IS_BETTER>().contains("the heuristic is another"), "{}", found::<LEFT_IS_BETTER>());
    }
}

mod exchange {
    use crate::faulty::*;
    use selfplay_registry::Game;
    use selfplay_registry::exchange_conformance::check_exchange;
    use selfplay_registry::rng::RngExt;
    use selfplay_registry::rng::rng_for;

    /// The first thing found on random games.
    fn found<const FAULT: u8>() -> String {
        let mut legal = Vec::new();
        for game in 0..100 {
            let mut rng = rng_for(&[game]);
            let mut position = Faulty::<FAULT>::initial();
            loop {
                position.legal_actions(&mut legal);
                if let Err(failure) = check_exchange(&position, &legal, &mut rng) {
                    return failure.to_string();
                }
                if legal.is_empty() {
                    break;
                }
                position.play(legal[rng.random_range(0..legal.len())]);
            }
        }
        "nothing".into()
    }

    #[test]
    fn every_lie_is_found() {
        let faults = [
            (found::<EXCHANGE_FLIPS>(), "twice: the position is another"),
            (found::<EXCHANGE_DOES_NOTHING>(), "First is to move instead of Second"),
            (found::<SECOND_STARTS_NO_TURN>(), "exchanged: only one of the two starts a turn"),
            (found::<SECOND_DOES_NOT_WIN>(), "the outcome is Some(Win(First)) instead of Some(Draw)"),
            (found::<SECOND_LISTS_BACKWARDS>(), "other actions are legal"),
            (found::<NO_CENTRE_FOR_SECOND>(), "other actions are legal"),
            (found::<SECOND_MAY_PLAY_ON_MARKS>(), "is legal for one side only"),
            (found::<SECOND_HAS_FEWER_DISTINCT>(), "other actions are distinct"),
            (found::<SECOND_IS_CANONICAL_IN_THE_CENTRE>(), "is canonical for one side only"),
            (found::<SECOND_LOSES_THE_CENTRE>(), "on b2: the position is another"),
            (found::<SECOND_HASHES_NO_CENTRE>(), "twice: the position hash is another"),
            (found::<FIRST_IS_SHOWN_FIRST>(), "the encoding is another"),
            (found::<HEURISTIC_FOR_FIRST>(), "the heuristic is another"),
            (found::<SECOND_SEES_NO_WIN>(), "the immediate win is another"),
            (found::<SECOND_IS_FEARLESS>(), "threatened is another"),
            (found::<SECOND_SETTLES_NOTHING>(), "what is settled is another"),
            (found::<SECOND_HINTS_HIGHER>(), "a hint is another"),
        ];
        for (failure, expected) in faults {
            assert!(failure.contains(expected), "{failure}, expected: {expected}");
        }
        assert_eq!(found::<{ u8::MAX }>(), "nothing", "without a fault");
    }
}

mod conformance {
    use crate::faulty::*;
    use selfplay_registry::conformance::check_conformance;

    fn found<const FAULT: u8>() -> String {
        check_conformance::<Faulty<FAULT>>(20, 9, 1).map_or_else(|violation| violation.failure, |_| "nothing".into())
    }

    #[test]
    fn every_part_is_checked() {
        let faults = [
            (found::<CANONICAL_IS_THE_NEXT>(), "canonical_action of"),
            (found::<CORNER_WAITS>(), "is not legal there"),
            (found::<NO_CENTRE_FOR_SECOND>(), "with the sides exchanged other actions are legal"),
            (found::<BEYOND_THE_LIMIT>(), "beyond its limit"),
            (found::<LATE_RESULTS_ARE_DRAWS>(), "Draw is foreseen"),
            (found::<NOTHING_IS_FORCED>(), "None is forced"),
            (found::<LOSS_IS_FORCED>(), "is forced, but no 3 plies lead there"),
            (found::<SOLVER_SAYS_DRAWN>(), "the game's solver says Draw"),
            (found::<TWO_NAMESAKES>(), "two places have the same name"),
            (found::<LAST_PLACE_IS_NOT_DRAWN>(), "8 places are drawn of 9"),
            (found::<FIRST_IS_DRAWN_FOR_BOTH>(), "other pieces are drawn"),
            (found::<CORNER_IS_OFF_THE_BOARD>(), "off the board"),
            (found::<CORNER_IS_THE_CENTRE>(), "the clicks of another action"),
            (found::<CORNER_IS_TWO_CLICKS>(), "begin with those of"),
            (found::<BOARD_HAS_NO_END>(), "does not end with a line break"),
        ];
        for (failure, expected) in faults {
            assert!(failure.contains(expected), "{failure}, expected: {expected}");
        }
        for truth in [found::<{ u8::MAX }>(), found::<LATE_RESULTS_ARE_FORESEEN>()] {
            assert_eq!(truth, "nothing", "without a fault");
        }
    }
}

mod replay {
    use crate::faulty::*;
    use selfplay_registry::replay_check::check_game;
    use selfplay_registry::{Action, Outcome};

    /// What is found in the game of these cells.
    fn found<const FAULT: u8>(cells: &[u16], outcome: Option<Outcome>) -> String {
        let actions: Vec<Action> = cells.iter().map(|&cell| Action(cell)).collect();
        match check_game::<Faulty<FAULT>>(&actions, outcome) {
            Ok(()) => "nothing".into(),
            Err(error) => error.to_string(),
        }
    }

    /// X takes the upper row, O two cells below.
    const FIRST_WINS: [u16; 5] = [0, 3, 1, 5, 2];
    const WON: Option<Outcome> = Some(Outcome::Win(selfplay_registry::Side::First));

    #[test]
    fn a_rule_that_fails_for_one_colour_is_found_in_a_game_of_the_other() {
        let centre_first = [4, 0, 1];
        let faults = [
            (
                found::<NO_CENTRE_FOR_SECOND>(&centre_first, None),
                "faulty, action 1 (b2), replayed with the sides exchanged: b2 is not legal here: the cell is taken",
            ),
            (
                found::<NO_CENTRE_FOR_SECOND>(&FIRST_WINS, WON),
                "faulty, action 1 (a1), replayed with the sides exchanged: before it, b2 is legal in only one",
            ),
            (
                found::<SECOND_DOES_NOT_WIN>(&FIRST_WINS, WON),
                "action 5 (c1), replayed with the sides exchanged: the outcome is Some(Draw) instead of Some(Win(Second))",
            ),
            (
                found::<SECOND_LOSES_THE_CENTRE>(&centre_first, None),
                "action 1 (b2), replayed with the sides exchanged: the position is another",
            ),
            (
                found::<SECOND_HASHES_NO_CENTRE>(&centre_first, None),
                "action 1 (b2), replayed with the sides exchanged: the position hash is another",
            ),
            (
                found::<SECOND_STARTS_NO_TURN>(&FIRST_WINS, WON),
                "before the first action, replayed with the sides exchanged: only one of the two starts a turn",
            ),
            (
                found::<FIRST_IS_SHOWN_FIRST>(&FIRST_WINS, WON),
                "action 1 (a1), replayed with the sides exchanged: the enc",
            ),
            (found::<EXCHANGE_DOES_NOTHING>(&FIRST_WINS, WON), "First is to move instead of Second"),
            (
                found::<EXCHANGE_FLIPS>(&FIRST_WINS, WON),
                "action 2 (a2), replayed with the sides exchanged: the position",
            ),
        ];
        for (error, expected) in faults {
            assert!(error.contains(expected), "{error}\nexpected: {expected}");
        }
    }

    #[test]
    fn a_rule_that_fails_in_one_corner_is_found_wherever_the_game_is_played() {
        let faults = [
            (
                found::<CORNER_SLIPS>(&[2, 4], None),
                "action 1 (c1), replayed mirrored left to right: the position is another",
            ),
            (
                found::<CORNER_WAITS>(&[2, 4], None),
                "action 1 (c1), replayed mirrored left to right: a1 is not legal here",
            ),
            (
                found::<CORNER_WAITS>(&[1, 4], None),
                "action 1 (b1), replayed mirrored left to right: before it, a1 is legal",
            ),
            (found::<CANONICAL_IS_THE_NEXT>(&[0], None), "action 1 (a1), replayed left as it is: the position"),
        ];
        for (error, expected) in faults {
            assert!(error.contains(expected), "{error}\nexpected: {expected}");
        }
    }

    #[test]
    fn without_a_lie_nothing_is_found() {
        assert_eq!(found::<{ u8::MAX }>(&FIRST_WINS, WON), "nothing");
        assert_eq!(found::<{ u8::MAX }>(&[], None), "nothing");
    }
}

//! The corners of the rules, each on a small board of its own.

use super::Pylos;
use super::tables::{ACTIONS, APEX, ActionKind, CELLS, PATTERNS, PATTERNS_THROUGH};
use selfplay_registry::game_text::play_line;
use selfplay_registry::random_play::play_random;
use selfplay_registry::rng::rng_for;
use selfplay_registry::{Action, Game, ImmediateWin, Outcome, Side, Symmetric, Symmetry, Tactics, TensorEncoding};

/// The cells named in `names`, separated by spaces.
fn cells(names: &str) -> u32 {
    names.split_whitespace().fold(0, |mask, name| mask | 1 << Pylos::parse_action(name).unwrap().0)
}

fn position(white: &str, black: &str, side: Side) -> Pylos {
    Pylos::at_turn_start([cells(white), cells(black)], side)
}

fn play(position: &mut Pylos, actions: &str) {
    for action in actions.split_whitespace() {
        position.try_play(Pylos::parse_action(action).unwrap()).unwrap();
    }
}

fn legal(position: &Pylos) -> String {
    let mut actions = Vec::new();
    position.legal_actions(&mut actions);
    actions.into_iter().map(Pylos::action_name).collect::<Vec<_>>().join(" ")
}

fn reason(position: &Pylos, action: &str) -> String {
    let mut copy = position.clone();
    copy.try_play(Pylos::parse_action(action).unwrap()).unwrap_err().to_string()
}

/// Half of level 0, without a square or line; the other colour has [`OTHER_HALF`].
const HALF: &str = "a1 c1 b2 d2 a3 c3 b4 d4";
const OTHER_HALF: &str = "b1 d1 a2 c2 b3 d3 a4 c4";

/// A full pyramid but for `i2` and the apex: White has 13 spheres on it, Black 15.
fn almost_full(side: Side) -> Pylos {
    let (white, black) = (format!("{HALF} e1 g1 f2 e3 g3"), format!("{OTHER_HALF} f1 e2 g2 f3 h1 i1 h2"));
    position(&white, &black, side)
}

#[test]
fn the_geometry_is_the_pyramids() {
    assert_eq!(ACTIONS.iter().filter(|d| matches!(d, ActionKind::Raise { .. })).count(), 217);
    assert_eq!(PATTERNS[0], cells("a1 b1 a2 b2"), "what e1 rests on");
    for shape in ["a1 b1 a2 b2", "f2 g2 f3 g3", "h1 i1 h2 i2", "a2 b2 c2 d2", "c1 c2 c3 c4", "e3 f3 g3", "f1 f2 f3"] {
        assert!(PATTERNS.contains(&cells(shape)), "{shape}");
    }
    let through: usize = PATTERNS_THROUGH.iter().flatten().filter(|&&pattern| pattern != u32::MAX).count();
    assert_eq!(through, 14 * 4 + 8 * 4 + 6 * 3);
}

#[test]
fn a_raise_goes_up_to_a_filled_square_that_does_not_hold_the_sphere() {
    let start = position("a1 b2 d4", "b1 a2", Side::First);
    assert!(legal(&start).ends_with("e1 d4^e1"), "{}", legal(&start));
    assert!(Pylos::parse_action("a1^e1").is_err(), "no position allows it");
    assert!(Pylos::parse_action("e1^d4").is_err() && Pylos::parse_action("a1^b1").is_err());
    assert!(reason(&start, "d4^f1").contains("four supports"));
    assert!(reason(&start, "b1^f2").contains("no sphere there"));
    let mut position = start;
    play(&mut position, "d4^e1 d4");
    assert_eq!((position.reserve(Side::First), position.reserve(Side::Second)), (12, 12));
    assert!(reason(&position, "a1^f3").contains("rests on it"));
}

#[test]
fn a_raise_needs_no_reserve() {
    let mut position =
        position("a1 b1 d1 b2 c2 a3 c3 d3 b4 d4 e1 f2 e3 g3 a4", "c1 a2 d2 b3 c4 f1 g1 e2 f3", Side::First);
    assert_eq!(position.reserve(Side::First), 0);
    assert!(position.outcome().is_none());
    assert_eq!(legal(&position), "e1^h2 e3^h1 g3^h1 g3^h2");
    assert!(reason(&position, "g2").contains("reserve"));
    play(&mut position, "g3^h1");
    assert_eq!(position.side_to_move(), Side::Second);
}

#[test]
fn squares_and_lines_give_spheres_back_on_their_levels_only() {
    let completes = |white: &str, black: &str, action: &str| {
        let mut position = position(white, black, Side::First);
        play(&mut position, action);
        !position.starts_turn()
    };
    assert!(completes("a1 b1 a2", "", "b2"), "square on level 0");
    assert!(completes("a1 b1 c1", "", "d1"), "row of four on level 0");
    assert!(completes("b1 b2 b4", "", "b3"), "column of four on level 0");
    assert!(!completes("a1 b1", "", "c1"), "three on level 0");
    assert!(!completes("a1 b2 c3", "", "d4"), "diagonal on level 0");
    assert!(!completes("a1 b1 a2", "c3", "d4"), "the new sphere is not a member");
    assert!(!completes("a1 b1 c1 d1", "", "d4"), "a row that stood before");
    assert!(!completes("a1 b1", "a2", "b2"), "square of two colours");
    let completes_above = |white: &str, black: &str, action: &str| {
        completes(&format!("{HALF} {white}"), &format!("{OTHER_HALF} {black}"), action)
    };
    assert!(completes_above("e1 f1", "", "g1"), "row of three on level 1");
    assert!(completes_above("g1 g3", "", "g2"), "column of three on level 1");
    assert!(completes_above("f1 f2 e1", "", "e2"), "square on level 1");
    assert!(!completes_above("e1 f2", "", "g3"), "diagonal on level 1");
    let level_1 = "e1 g1 f2 g2 e3 g3";
    assert!(!completes_above("f1 e2 f3 h1", level_1, "i1"), "two on level 2");
    assert!(completes_above("f1 e2 f3 h1 i1 h2", level_1, "i2"), "square on level 2");
}

#[test]
fn one_or_two_spheres_are_removed_by_the_same_side() {
    let mut position = position("a1 b1 a2", "d4 d3", Side::First);
    play(&mut position, "b2");
    assert_eq!(position.side_to_move(), Side::First);
    assert_eq!(legal(&position), "-a1 -b1 -a2 -b2");
    assert!(reason(&position, "-d4").contains("no sphere there"));
    assert!(reason(&position, "-").contains("at least one"));
    assert!(reason(&position, "c1").contains("removals"));
    play(&mut position, "-b2");
    assert_eq!(position.side_to_move(), Side::First);
    assert_eq!(legal(&position), "-a1 -b1 -a2 -");
    let mut stopped = position.clone();
    play(&mut stopped, "-");
    assert_eq!((stopped.side_to_move(), stopped.reserve(Side::First)), (Side::Second, 12));
    play(&mut position, "-a1");
    assert_eq!((position.side_to_move(), position.reserve(Side::First)), (Side::Second, 13));
    assert!(reason(&position, "-").contains("place or a raise"));
}

#[test]
fn the_second_sphere_may_be_one_that_the_first_freed() {
    // e1 rests on Black's a1, b1 and White's a2, b2; removing it frees them.
    let mut position = position("a2 b2 e1 b3", "a1 b1 d4", Side::First);
    play(&mut position, "a3");
    assert_eq!(legal(&position), "-a3 -b3 -e1");
    play(&mut position, "-e1");
    assert_eq!(legal(&position), "-a2 -b2 -a3 -b3 -");
}

#[test]
fn removals_trigger_no_removals_and_the_second_is_always_asked() {
    // Black's f1 and e2 cover the rest of White's square, so c3 is White's only free sphere.
    let mut position = position("b2 c2 b3", "b1 c1 a2 a3 f1 e2", Side::First);
    play(&mut position, "c3");
    assert_eq!(legal(&position), "-c3");
    play(&mut position, "-c3");
    assert_eq!(legal(&position), "-");
    play(&mut position, "-");
    assert_eq!(position.side_to_move(), Side::Second);
}

#[test]
fn the_apex_wins_at_once() {
    let mut position = almost_full(Side::Second);
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)), "Black has neither a sphere nor a raise");
    position = almost_full(Side::First);
    play(&mut position, "i2");
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)), "Black is blocked in play, too");
    position = Pylos::at_turn_start([position.spheres(Side::First), position.spheres(Side::Second)], Side::First);
    assert_eq!(legal(&position), "j1");
    play(&mut position, "j1");
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!((position.reserve(Side::First), legal(&position)), (0, String::new()));
    assert!(reason(&position, "j1").contains("over"));
}

#[test]
fn the_third_occurrence_of_a_turn_start_is_a_draw() {
    // The course's own example of a cycle: both complete a square at b2 and take the sphere back.
    let mut line = "a1 b3 a2 c2 b1 c3".split(' ').collect::<Vec<_>>();
    let cycle = ["b2", "-b2", "-", "b2", "-b2", "-"];
    let repetition_plane = |position: &Pylos| {
        let mut planes = vec![0.0; Pylos::encoding().encoded_len()];
        position.encode(&mut planes);
        planes[34 * 16]
    };
    line.extend(cycle);
    let (second_time, _) = play_line::<Pylos>(&line).unwrap();
    assert_eq!(second_time.outcome(), None);
    assert_eq!(repetition_plane(&second_time), 0.5);
    line.extend(cycle);
    let (before_the_end, _) = play_line::<Pylos>(&line[..line.len() - 1]).unwrap();
    assert_eq!(before_the_end.outcome(), None);
    assert_eq!(repetition_plane(&before_the_end), 0.0);
    let (third_time, _) = play_line::<Pylos>(&line).unwrap();
    assert_eq!(third_time.outcome(), Some(Outcome::Draw));
    assert_eq!(second_time, third_time, "repetition is no part of equality");
    assert_eq!(second_time.position_hash(), third_time.position_hash());
    // The history turns with the board: the image of the second time is drawn by the image of the cycle.
    for symmetry in Symmetry::ALL {
        let mut image = second_time.transform(symmetry);
        for action in cycle {
            assert_eq!(image.outcome(), None);
            let action = Pylos::parse_action(action).unwrap();
            image.try_play(Pylos::transform_action(action, symmetry)).unwrap();
        }
        assert_eq!(image.outcome(), Some(Outcome::Draw), "{symmetry:?}");
    }
}

#[test]
fn the_heuristic_changes_sign_with_the_colours() {
    for game in 0..40 {
        let mut start = Pylos::initial();
        play_random(&mut start, 10 + game as usize, &mut rng_for(&[11, game]));
        let (white, black) = (start.spheres(Side::First), start.spheres(Side::Second));
        for side in Side::BOTH {
            let exchanged = Pylos::at_turn_start([black, white], side).heuristic();
            assert_eq!(Pylos::at_turn_start([white, black], side).heuristic(), -exchanged);
        }
    }
    // 13 spheres in reserve against 14, two free against one; a line of two colours threatens nothing.
    assert_eq!(position("a1 b1", "c1", Side::First).heuristic(), -100 + 20);
    // 12 against 12, three free each, a square and no line one short, no raise.
    assert_eq!(position("a1 b1 a2", "d4 c3 b4", Side::First).heuristic(), 45);
    // 11 and two removals due against 12, nothing one short, four free against three, and three of Black's can climb to
    // e1.
    let mut due = position("a1 b1 a2", "d4 c3 b4", Side::First);
    play(&mut due, "b2");
    assert_eq!(due.heuristic(), 100 + 20 - 3 * 30);
    // White's e1 covers four of its own: one free and above the bottom against five free.
    let climbed = position("a1 b1 a2 b2 e1", "d4 c3 b4 d1 c2", Side::First);
    assert_eq!(climbed.heuristic(), 25 + 20 - 5 * 20);
}

#[test]
fn the_apex_wins_at_once_for_who_has_a_sphere_left() {
    let white = "a1 b1 c1 d1 a2 b2 c2 e1 f1 g1 e2 h1 i1";
    let black = "d2 a3 b3 c3 d3 a4 b4 c4 d4 f2 g2 e3 f3 g3 h2";
    let all: Vec<Action> = (0..Pylos::spec().action_count).map(Action::from_index).collect();
    let open = position(white, black, Side::First);
    assert_eq!(open.immediate_win(), ImmediateWin::Unknown, "Black's reserve is empty, so it may run out of moves");
    let ready = position(&format!("{white} i2"), black, Side::First);
    let apex = Action(u16::from(APEX));
    assert_eq!(ready.immediate_win(), ImmediateWin::By(apex));
    let mut hints = Vec::new();
    ready.hints(&all, &mut hints);
    assert_eq!(all[(0..all.len()).max_by_key(|&index| hints[index]).unwrap()], apex);
    assert_eq!(position("a1", "b1", Side::First).immediate_win(), ImmediateWin::None);
}

#[test]
fn hints_prefer_completing_to_stopping_to_quiet_spheres() {
    let start = position("a1 b1 a2", "d4 c4 d3", Side::First);
    let actions = ["b2", "c3", "b3"].map(|text| Pylos::parse_action(text).unwrap());
    let mut hints = Vec::new();
    start.hints(&actions, &mut hints);
    assert!(hints[0] > hints[1] && hints[1] > hints[2] && hints[2] >= 0, "{hints:?}");
}

#[test]
fn the_board_shows_levels_reserves_and_what_is_to_decide() {
    let mut position = position("a1 b1 a2 e3", "a3 b3 a4 b4", Side::First);
    play(&mut position, "b2");
    let expected = "  a b c d     e f g     h i     j
1 w w . .   1 . _ _   1 _ _   1 _
2 w w . .   2 . _ _   2 _ _
3 b b . .   3 w _ _
4 b b . .
w White, b Black, . can be filled, _ not yet
reserve: White 10, Black 11
White removes one or two spheres
";
    assert_eq!(position.board(), expected);
}

#[test]
fn actions_beyond_the_last_are_refused_without_a_panic() {
    let position = Pylos::initial();
    let beyond = Action::from_index(Pylos::spec().action_count);
    assert!(!position.is_legal(beyond));
    assert_eq!(position.illegal_reason(beyond), "the game has no such action");
    assert_eq!(usize::from(APEX) + 1, CELLS);
}

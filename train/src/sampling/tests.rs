//! Batches say what the records say, under every symmetry, also of games with several actions for one successor.

use super::*;
use crate::record::{EndReason, GameEnd, GameRecord, PlyRecord, SearchTarget};
use crate::replay::ReplayConfig;
use crate::row::{SampleView, encode_row};
use selfplay_env::fixtures::{ConnectFour, InARow, Put, PutWithEitherHand, Stones, TicTacToe};
use selfplay_env::random_play::play_random;
use selfplay_env::{Action, CompleteGame, Game, Outcome, Side, Symmetry, Tactics, TensorEncoding, Typed, Wdl};
use selfplay_mcts::TacticsDepth;
use selfplay_network::training::MOVES_LEFT_UNIT;

/// Several actions for each successor, and a list of non-losing actions.
type TwoHanded = InARow<PutWithEitherHand, 4, 4, 3>;
/// Four symmetries.
type Rectangle = InARow<Put, 4, 5, 4>;
/// Few wins, so most random games fill the board.
type Square = InARow<Put, 4, 4, 4>;

/// What a function of a game's type returns for every fixture, with the name of each.
macro_rules! of_every_game {
    ($say:ident) => {
        [
            ("TicTacToe", $say::<TicTacToe>()),
            ("ConnectFour", $say::<ConnectFour>()),
            ("TwoHanded", $say::<TwoHanded>()),
            ("Rectangle", $say::<Rectangle>()),
            ("Stones", $say::<Stones>()),
        ]
    };
}

const NO_HEADS: AuxiliaryConfig = AuxiliaryConfig { opponent_policy: false, moves_left: false, final_state: false };
const ALL_HEADS: AuxiliaryConfig = AuxiliaryConfig { opponent_policy: true, moves_left: true, final_state: true };

fn config(batch_size: usize) -> LearnerConfig {
    // Value targets are the results themselves.
    LearnerConfig { batch_size, q_ratio: 0.0, ..LearnerConfig::default() }
}

/// An action with this policy target, and nothing known of its value.
fn ply(action: u16, policy: Vec<(u16, u16)>) -> PlyRecord {
    let target = SearchTarget { policy, win: 0.5, loss: 0.5, proven: None, surprise: 0.0 };
    PlyRecord { action, target: Some(target) }
}

fn game(plies: Vec<PlyRecord>, end: GameEnd) -> GameRecord {
    GameRecord { plies, end, ..GameRecord::new(0) }
}

fn first_won() -> GameEnd {
    GameEnd::by_rules(Outcome::Win(Side::First))
}

/// X takes the top left corner, O the centre, X the cell right of the corner.
fn buffer() -> ReplayBuffer {
    let plies = [0, 4, 1].map(|action| ply(action, vec![(action, 3), (8, 1)]));
    let mut buffer = ReplayBuffer::new();
    buffer.extend([game(plies.to_vec(), first_won())], &ReplayConfig::default());
    buffer
}

#[test]
fn rows_are_consistent_under_every_symmetry() {
    let batch =
        sample_batch(&Typed::<TicTacToe>::IT, &buffer(), &config(64), NO_HEADS, &SearchConfig::default(), 5).unwrap();
    for row in 0..batch.rows {
        let planes = &batch.planes[row * 27..][..27];
        let candidates = &batch.candidates[row * 9..][..9];
        let policy = &batch.policy[row * 9..][..9];
        let wdl = &batch.wdl[row * 3..][..3];
        let own: f32 = planes[..9].iter().sum();
        let opponent: f32 = planes[9..18].iter().sum();
        let first_to_move = own == opponent;
        assert_eq!(wdl, if first_to_move { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] });
        assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        for cell in 0..9 {
            let occupied = planes[cell] + planes[9 + cell];
            assert_eq!(candidates[cell], 1.0 - occupied);
            assert!(policy[cell] == 0.0 || candidates[cell] == 1.0, "policy on an illegal cell");
        }
        // Move 3 is played beside X's corner: the target keeps that neighbourhood under every symmetry.
        if own == 1.0 && opponent == 1.0 {
            let corner = (0..9).find(|&c| planes[c] == 1.0).unwrap();
            let target = (0..9).find(|&c| policy[c] == 0.75).unwrap();
            let distance = (corner / 3usize).abs_diff(target / 3) + (corner % 3).abs_diff(target % 3);
            assert_eq!(distance, 1);
        }
    }
    assert_eq!(TicTacToe::encoding().encoded_len(), 27);
    assert!(TicTacToe::initial().outcome().is_none());
}

#[test]
fn a_batch_is_a_function_of_its_seed() {
    let buffer = buffer();
    let one =
        sample_batch(&Typed::<TicTacToe>::IT, &buffer, &config(16), ALL_HEADS, &SearchConfig::default(), 5).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let two = pool.install(|| {
        sample_batch(&Typed::<TicTacToe>::IT, &buffer, &config(16), ALL_HEADS, &SearchConfig::default(), 5).unwrap()
    });
    assert_eq!((one.planes, one.policy), (two.planes, two.policy));
    let other =
        sample_batch(&Typed::<TicTacToe>::IT, &buffer, &config(16), ALL_HEADS, &SearchConfig::default(), 6).unwrap();
    assert_ne!(two.candidates, other.candidates);
}

/// Each recorded action's weight stands, in every image, on the action with the image's successor.
fn check_targets<G: CompleteGame>() {
    let mut rng = rng_for(&[4]);
    let mut position = G::initial();
    let mut plies: Vec<PlyRecord> = Vec::new();
    let mut distinct = Vec::new();
    for _ in 0..12 {
        position.distinct_actions(&mut distinct);
        if distinct.is_empty() {
            return;
        }
        let policy = distinct.iter().zip(1..).map(|(action, n)| (action.0, n)).collect();
        let action = distinct[rng.random_range(0..distinct.len())];
        plies.push(ply(action.0, policy));
        let game = game(plies.clone(), first_won());
        for &symmetry in G::symmetries() {
            check_image(&game, &position, symmetry);
        }
        position.play(action);
    }
}

fn check_image<G: CompleteGame>(game: &GameRecord, position: &G, symmetry: Symmetry) {
    let mut planes = vec![0.0; G::encoding().encoded_len()];
    let (mut candidates, mut policy, mut wdl) =
        (vec![0.0; G::spec().action_count], vec![0.0; G::spec().action_count], [0.0; 3]);
    let row = Row {
        planes: &mut planes,
        candidates: &mut candidates,
        policy: &mut policy,
        wdl: &mut wdl,
        opponent_policy: &mut [],
        finished: &mut [],
        moves_left: &mut [],
        final_state: &mut [],
    };
    let sample = SampledPosition { game, ply: game.plies.len() - 1 };
    encode_row::<G>(&sample, SampleView::through(symmetry), &config(1), &SearchConfig::default(), row);
    let after = |position: &G, action: Action| {
        let mut child = position.clone();
        child.play(action);
        child
    };
    let image = position.transform(symmetry);
    let mut distinct = Vec::new();
    image.distinct_actions(&mut distinct);
    let visits = &sample.target().policy;
    let total: u32 = visits.iter().map(|&(_, n)| u32::from(n)).sum();
    let mut targets = 0;
    for (index, &share) in policy.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        targets += 1;
        assert!(
            distinct.contains(&Action::from_index(index)),
            "{}: a target that is not a distinct action",
            G::spec().id
        );
        assert_eq!(candidates[index], 1.0, "{}: a target without a share of the policy", G::spec().id);
        let there = after(&image, Action::from_index(index));
        let came_from = visits.iter().find(|(action, _)| after(position, Action(*action)).transform(symmetry) == there);
        let (_, n) = came_from.unwrap_or_else(|| panic!("{}: a target that nothing leads to", G::spec().id));
        assert!((share - f32::from(*n) / total as f32).abs() < 1e-6, "{}: a target of another weight", G::spec().id);
    }
    assert_eq!(targets, visits.len(), "{}: targets were lost", G::spec().id);
    let expected = Wdl::certain(game.end.value_outcome(), position.side_to_move());
    assert_eq!(wdl, [expected.win, expected.draw, expected.loss]);
}

#[test]
fn targets_follow_the_rules_of_every_game_under_every_symmetry() {
    of_every_game!(check_targets);
}

/// The auxiliary targets of one row.
struct Foreseen {
    opponent_policy: Vec<f32>,
    finished: Vec<f32>,
    moves_left: Vec<f32>,
    final_state: Vec<f32>,
}

fn foreseen<G: CompleteGame>(game: &GameRecord, ply: usize, symmetry: Symmetry, heads: AuxiliaryConfig) -> Foreseen {
    let mut batch = empty_batch(&GameShape::for_game::<G>(), 1, heads);
    let row = rows_of(&mut batch).remove(0);
    encode_row::<G>(
        &SampledPosition { game, ply },
        SampleView::through(symmetry),
        &config(1),
        &SearchConfig::default(),
        row,
    );
    let AuxiliaryBatch { opponent_policy, finished, moves_left, final_state } = batch.auxiliary;
    Foreseen { opponent_policy, finished, moves_left, final_state }
}

/// In how many positions of random games a search with tactics looks at fewer moves than one without.
fn positions_with_fewer_moves<G: CompleteGame>() -> usize {
    let mut rng = rng_for(&[7]);
    let mut fewer = 0;
    for _ in 0..20 {
        let mut position = G::initial();
        let mut plies = Vec::new();
        let mut distinct = Vec::new();
        while plies.len() < 40 {
            position.distinct_actions(&mut distinct);
            if distinct.is_empty() {
                break;
            }
            let played = distinct[rng.random_range(0..distinct.len())];
            let symmetry = G::symmetries()[rng.random_range(0..G::symmetries().len())];
            let looked_at = [TacticsDepth::Shallow, TacticsDepth::Off].map(|tactics| {
                let search = SearchConfig { tactics, ..SearchConfig::default() };
                let mut moves = Vec::new();
                search.list_actions(&position, &mut moves);
                let last = ply(moves[0].0, vec![(moves[0].0, 1)]);
                let game = game(plies.iter().cloned().chain([last]).collect(), first_won());
                let sample = SampledPosition { game: &game, ply: plies.len() };
                let mut batch = empty_batch(&GameShape::for_game::<G>(), 1, NO_HEADS);
                let row = rows_of(&mut batch).remove(0);
                encode_row::<G>(&sample, SampleView::through(symmetry), &config(1), &search, row);
                let image = position.transform(symmetry);
                let mut expected = vec![0.0; G::spec().action_count];
                for &action in &moves {
                    expected[image.canonical_action(G::transform_action(action, symmetry)).index()] = 1.0;
                }
                assert_eq!(batch.candidates, expected, "{}, tactics {tactics:?}", G::spec().id);
                moves.len()
            });
            fewer += usize::from(looked_at[0] < looked_at[1]);
            plies.push(ply(played.0, vec![(played.0, 1)]));
            position.play(played);
        }
    }
    fewer
}

#[test]
fn the_moves_that_the_search_looks_at_share_the_policy() {
    for (game, fewer) in of_every_game!(positions_with_fewer_moves) {
        assert_eq!(fewer > 0, game == "TwoHanded", "{game}: {fewer}");
    }
}

#[test]
fn a_target_that_this_search_would_not_look_at_is_learned_all_the_same() {
    let mut position = TwoHanded::initial();
    let mut rng = rng_for(&[8]);
    let (mut distinct, mut tenable) = (Vec::new(), Vec::new());
    let mut plies = Vec::new();
    let careless = loop {
        position.distinct_actions(&mut distinct);
        position.non_losing_actions(&mut tenable);
        if let Some(&careless) = distinct.iter().find(|action| !tenable.contains(action)) {
            break careless;
        }
        let action = distinct[rng.random_range(0..distinct.len())];
        plies.push(ply(action.0, vec![(action.0, 1)]));
        position.play(action);
    };
    plies.push(ply(careless.0, vec![(careless.0, 1)]));
    let game = game(plies, first_won());
    let sample = SampledPosition { game: &game, ply: game.plies.len() - 1 };
    let mut batch = empty_batch(&GameShape::for_game::<TwoHanded>(), 1, NO_HEADS);
    let row = rows_of(&mut batch).remove(0);
    encode_row::<TwoHanded>(&sample, SampleView::PLAIN, &config(1), &SearchConfig::default(), row);
    assert_eq!((batch.policy[careless.index()], batch.candidates[careless.index()]), (1.0, 1.0));
    assert_eq!(batch.candidates.iter().sum::<f32>() as usize, tenable.len() + 1);
}

fn check_tactics<G: CompleteGame>() {
    let mut rng = rng_for(&[6]);
    let mut positions = vec![G::initial()];
    let mut plies = Vec::new();
    let mut distinct = Vec::new();
    // Some games of random moves are long; their last position is then not the end.
    while plies.len() < 500 {
        let position = positions.last().unwrap();
        position.distinct_actions(&mut distinct);
        if distinct.is_empty() {
            break;
        }
        let action = distinct[rng.random_range(0..distinct.len())];
        plies.push(ply(action.0, vec![(action.0, 1)]));
        let mut next = position.clone();
        next.play(action);
        positions.push(next);
    }
    let last = positions.last().unwrap();
    let mut game = game(plies, last.outcome().map_or(GameEnd::CAPPED, GameEnd::by_rules));
    for (ply, position) in positions[..positions.len() - 1].iter().enumerate() {
        let side = position.side_to_move();
        for &symmetry in G::symmetries() {
            let found = foreseen::<G>(&game, ply, symmetry, ALL_HEADS);
            let answer = (ply..game.plies.len()).find(|&later| positions[later].side_to_move() != side);
            match answer {
                None => {
                    assert!(
                        found.opponent_policy.iter().all(|&x| x == 0.0),
                        "{}: an answer after the end",
                        G::spec().id
                    )
                }
                Some(later) => {
                    assert_eq!(found.opponent_policy.iter().sum::<f32>(), 1.0);
                    let action = Action::from_index(found.opponent_policy.iter().position(|&x| x == 1.0).unwrap());
                    let mut there = positions[later].transform(symmetry);
                    there.try_play(action).unwrap();
                    assert_eq!(there, positions[later + 1].transform(symmetry), "{}: another answer", G::spec().id);
                }
            }
            let is_over = last.outcome().is_some();
            assert_eq!(found.finished, [f32::from(is_over)]);
            let mut expected = vec![0.0; G::final_state_len()];
            if is_over {
                let left = (game.plies.len() - ply) as f32;
                assert_eq!(found.moves_left, [left / MOVES_LEFT_UNIT]);
                last.transform(symmetry).final_state(side, &mut expected);
            }
            assert_eq!(found.final_state, expected, "{}: another end", G::spec().id);
        }
    }
    // The same game broken off: the answers stand, the end is unknown.
    game.plies.pop();
    game.end = GameEnd::CAPPED;
    let found = foreseen::<G>(&game, 0, Symmetry::IDENTITY, ALL_HEADS);
    assert_eq!(found.opponent_policy.iter().sum::<f32>(), 1.0);
    assert!(found.finished.iter().chain(&found.moves_left).chain(&found.final_state).all(|&x| x == 0.0));
    // Nothing is laid out that no head asks for.
    let found = foreseen::<G>(&game, 0, Symmetry::IDENTITY, NO_HEADS);
    assert!(found.opponent_policy.is_empty() && found.finished.is_empty());
    assert!(found.moves_left.is_empty() && found.final_state.is_empty());
    let one_head = AuxiliaryConfig { moves_left: true, ..NO_HEADS };
    let found = foreseen::<G>(&game, 0, Symmetry::IDENTITY, one_head);
    assert_eq!((found.opponent_policy.len(), found.moves_left.len(), found.final_state.len()), (0, 1, 0));
}

#[test]
fn the_rest_of_the_game_is_foreseen_under_every_symmetry() {
    of_every_game!(check_tactics);
}

#[test]
fn one_side_may_make_several_actions_in_a_row() {
    // Two actions a turn: each side's answer is the first action of the other side's next turn.
    let actions = [1, 0, 0, 1, 1];
    let plies = actions.map(|action| ply(action, vec![(action, 1)])).to_vec();
    let game = game(plies, GameEnd::CAPPED);
    let answer = |ply| foreseen::<Stones>(&game, ply, Symmetry::IDENTITY, ALL_HEADS).opponent_policy;
    for (ply, answered_by) in [(0, 2), (1, 2), (2, 4), (3, 4)] {
        assert_eq!(answer(ply)[usize::from(actions[answered_by])], 1.0, "ply {ply}");
    }
    assert!(answer(4).iter().all(|&share| share == 0.0));
}

#[test]
fn the_value_target_mixes_result_and_search_and_prefers_proofs() {
    let lost = GameEnd::new(Outcome::Win(Side::Second), EndReason::Resigned);
    let target = |win, proven, q_ratio, solver_value_targets| {
        let target = SearchTarget { policy: vec![(4, 1)], win, loss: 0.25, proven, surprise: 0.0 };
        let game = game(vec![PlyRecord { action: 4, target: Some(target) }], lost);
        let config = LearnerConfig { q_ratio, solver_value_targets, ..config(1) };
        let mut batch = empty_batch(&GameShape::for_game::<TicTacToe>(), 1, NO_HEADS);
        let row = rows_of(&mut batch).remove(0);
        encode_row::<TicTacToe>(
            &SampledPosition { game: &game, ply: 0 },
            SampleView::PLAIN,
            &config,
            &SearchConfig::default(),
            row,
        );
        batch.wdl
    };
    assert_eq!(target(0.5, None, 0.0, true), [0.0, 0.0, 1.0]);
    assert_eq!(target(0.5, None, 1.0, true), [0.5, 0.25, 0.25]);
    assert_eq!(target(0.5, None, 0.5, false), [0.25, 0.125, 0.625]);
    assert_eq!(target(0.5, Some(1), 0.0, false), [0.0, 0.0, 1.0]);
    assert_eq!(target(0.5, Some(1), 0.5, true), [1.0, 0.0, 0.0]);
    assert_eq!(target(0.5, Some(0), 0.5, true), [0.0, 1.0, 0.0]);
    assert_eq!(target(0.5, Some(-1), 0.0, true), [0.0, 0.0, 1.0]);
}

/// The row of a sample of one position, after the blunder that `blunder` picks if there is one.
fn row_with<G: CompleteGame>(sample: &SampledPosition<'_>, blunder: Option<u64>) -> TrainingBatch {
    let mut batch = empty_batch(&GameShape::for_game::<G>(), 1, NO_HEADS);
    let row = rows_of(&mut batch).remove(0);
    encode_row::<G>(sample, SampleView { blunder, ..SampleView::PLAIN }, &config(1), &SearchConfig::default(), row);
    batch
}

/// Positions of a random game in whose place stands one after a blunder, of those asked for.
fn check_blunders<G: CompleteGame>() -> usize {
    let mut rng = rng_for(&[6]);
    let mut found = 0;
    for _ in 0..20 {
        let mut start = G::initial();
        let played = play_random(&mut start, 40, &mut rng);
        let position = G::after(&played[..played.len() - 1]);
        let plies = played.iter().map(|action| ply(action.0, vec![(action.0, 1)])).collect();
        let game = game(plies, GameEnd::CAPPED);
        let sample = SampledPosition { game: &game, ply: played.len() - 1 };
        let (plain, random) = (row_with::<G>(&sample, None), rng.random());
        let blundered = row_with::<G>(&sample, Some(random));
        if blundered.planes == plain.planes {
            assert_eq!(blundered, plain);
            continue;
        }
        found += 1;
        let mut distinct = Vec::new();
        position.distinct_actions(&mut distinct);
        // The row is that of a successor, and its policy is that of all actions that win there at once.
        let is_blunder = |&action: &Action| {
            let mut next = position.clone();
            next.play(action);
            let mut planes = vec![0.0; G::encoding().encoded_len()];
            next.encode(&mut planes);
            let (mut answers, mut wins) = (Vec::new(), vec![false; G::spec().action_count]);
            next.distinct_actions(&mut answers);
            for answer in answers {
                let mut end = next.clone();
                end.play(answer);
                wins[answer.index()] = end.outcome() == Some(Outcome::Win(next.side_to_move()));
            }
            planes == blundered.planes && blundered.policy.iter().zip(wins).all(|(&share, wins)| (share > 0.0) == wins)
        };
        assert!(distinct.iter().any(is_blunder), "{}", G::spec().id);
        assert_eq!(blundered.wdl, [1.0, 0.0, 0.0]);
        assert!((blundered.policy.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
    found
}

#[test]
fn blunders_stand_among_the_samples_with_what_punishes_them() {
    let found = of_every_game!(check_blunders);
    for game in ["TicTacToe", "ConnectFour", "TwoHanded", "Rectangle"] {
        assert!(found.iter().any(|&(name, count)| name == game && count > 0), "{game}: {found:?}");
    }
}

#[test]
fn a_move_that_ends_the_game_is_no_blunder() {
    let mut rng = rng_for(&[7]);
    let games = std::iter::repeat_with(|| play_random(&mut Square::initial(), 16, &mut rng));
    // On a full board the game could not even say where a stone would win.
    for played in games.filter(|played| played.len() == 16).take(50) {
        let plies = played.iter().map(|action| ply(action.0, vec![(action.0, 1)])).collect();
        let game = game(plies, GameEnd::CAPPED);
        let sample = SampledPosition { game: &game, ply: 15 };
        assert_eq!(row_with::<Square>(&sample, Some(1)), row_with::<Square>(&sample, None));
    }
}

//! One row of a training batch: the position as the network sees it, and every target.

use selfplay_env::{Action, CompleteGame, ImmediateWin, Outcome, Symmetry, Wdl};
use selfplay_mcts::SearchConfig;

use crate::record::SearchTarget;
use crate::replay::SampledPosition;
use selfplay_network::training::{LearnerConfig, MOVES_LEFT_UNIT, Targets};

/// Where a row goes, all zero at first; the parts that no auxiliary head asks for are empty.
pub struct Row<'a> {
    /// `[planes, height, width]`
    pub planes: &'a mut [f32],
    /// `[actions]`
    pub candidates: &'a mut [f32],
    /// `[actions]`
    pub policy: &'a mut [f32],
    /// `[3]`
    pub wdl: &'a mut [f32],
    /// `[actions]`
    pub opponent_policy: &'a mut [f32],
    /// `[1]`
    pub finished: &'a mut [f32],
    /// `[1]`
    pub moves_left: &'a mut [f32],
    /// `[final_state_len]`
    pub final_state: &'a mut [f32],
}

/// Which row a sample makes.
#[derive(Clone, Copy, Debug)]
pub struct SampleView {
    /// Through which the position is seen.
    pub symmetry: Symmetry,
    /// If the row is to be of a position after a blunder in the sampled one ([`LearnerConfig::punish_blunder_share`]), a random
    /// number that picks the blunder.
    pub blunder: Option<u64>,
}

impl SampleView {
    /// The position as it was played.
    pub const PLAIN: SampleView = SampleView::through(Symmetry::IDENTITY);

    /// The sampled position, seen through `symmetry`.
    pub const fn through(symmetry: Symmetry) -> Self {
        SampleView { symmetry, blunder: None }
    }
}

/// Writes the sampled position as `view` has it, with its targets. The moves that `search` considers share the policy,
/// because the priors of others are never requested.
pub(crate) fn encode_row<G: CompleteGame>(
    sample: &SampledPosition<'_>,
    SampleView { symmetry, blunder }: SampleView,
    config: &LearnerConfig,
    search: &SearchConfig,
    row: Row<'_>,
) {
    let before: Vec<Action> = sample.game.plies[..sample.ply].iter().map(|ply| Action(ply.action)).collect();
    let position = G::after(&before);
    if let Some((punished, wins)) = blunder.and_then(|random| punished_blunder(&position, random)) {
        return write_won(&punished.transform(symmetry), &wins, symmetry, row);
    }
    let image = position.transform(symmetry);
    image.encode(row.planes);
    let mut candidates = Vec::new();
    search.list_actions(&image, &mut candidates);
    for action in candidates {
        row.candidates[action.index()] = 1.0;
    }
    let found = sample.target();
    for (action, share) in found.policy_shares() {
        let index = image_of(action, &image, symmetry).index();
        row.policy[index] += share;
        // Games of another search may hold targets that this one would not look at.
        row.candidates[index] = 1.0;
    }
    let result = Wdl::certain(sample.game.end.value_outcome(), position.side_to_move());
    let target = value_target(found, result, config);
    row.wdl.copy_from_slice(&[target.win, target.draw, target.loss]);
    write_auxiliary(sample, position, symmetry, row);
}

/// The action that does in `image`, a position seen through `symmetry`, what `action` does in the position.
fn image_of<G: CompleteGame>(action: Action, image: &G, symmetry: Symmetry) -> Action {
    // The image of a canonical action need not be the canonical one of the image.
    image.canonical_action(G::transform_action(action, symmetry))
}

/// A position after one of the actions in `position` that let the opponent win with its next one, picked by `random`, and
/// the opponent's actions that win; `None` if there is no such action.
fn punished_blunder<G: CompleteGame>(position: &G, random: u64) -> Option<(G, Vec<Action>)> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    let after = |position: &G, action: Action| {
        let mut next = position.clone();
        next.play(action);
        next
    };
    let wins_at_once = |position: &G| {
        let side = position.side_to_move();
        let mut actions = Vec::new();
        position.distinct_actions(&mut actions);
        actions.retain(|&action| after(position, action).outcome() == Some(Outcome::Win(side)));
        actions
    };
    // From a random place on, around: each blunder may come up, and few positions are looked at where there are many.
    let start = (random % actions.len().max(1) as u64) as usize;
    actions.rotate_left(start);
    let mut blundered = actions.into_iter().map(|action| after(position, action));
    blundered.find_map(|next| {
        // `immediate_win` must not be called once the game is over.
        if next.outcome().is_some() || next.side_to_move() == position.side_to_move() {
            return None;
        }
        if next.immediate_win() == ImmediateWin::None {
            return None;
        }
        let wins = wins_at_once(&next);
        (!wins.is_empty()).then_some((next, wins))
    })
}

/// Writes `image`, a position seen through `symmetry` in which the side to move wins with each of `wins`.
fn write_won<G: CompleteGame>(image: &G, wins: &[Action], symmetry: Symmetry, row: Row<'_>) {
    image.encode(row.planes);
    let mut candidates = Vec::new();
    image.distinct_actions(&mut candidates);
    for action in candidates {
        row.candidates[action.index()] = 1.0;
    }
    for &win in wins {
        row.policy[image_of(win, image, symmetry).index()] += 1.0 / wins.len() as f32;
    }
    row.wdl.copy_from_slice(&[1.0, 0.0, 0.0]);
}

/// What the value head should say: the certain value, or the game's `result` mixed with the search's estimate; all for the side
/// to move.
fn value_target(found: &SearchTarget, result: Wdl, config: &LearnerConfig) -> Wdl {
    if (config.solver_value_targets || config.targets != Targets::Games)
        && let Some(value) = found.proven
    {
        return Wdl { win: f32::from(value == 1), draw: f32::from(value == 0), loss: f32::from(value == -1) };
    }
    let share = config.q_ratio as f32;
    if share == 0.0 {
        return result;
    }
    let root = found.wdl();
    let mix = |result: f32, root: f32| (1.0 - share) * result + share * root;
    Wdl { win: mix(result.win, root.win), draw: mix(result.draw, root.draw), loss: mix(result.loss, root.loss) }
}

/// Writes the targets of the auxiliary heads, playing on from `position`, the sampled one as it was played.
fn write_auxiliary<G: CompleteGame>(sample: &SampledPosition<'_>, mut position: G, symmetry: Symmetry, row: Row<'_>) {
    let side = position.side_to_move();
    let rest = &sample.game.plies[sample.ply..];
    let mut asks_opponent_policy = !row.opponent_policy.is_empty();
    let asks_end = !row.finished.is_empty();
    for ply in rest {
        if !(asks_opponent_policy || asks_end) {
            return;
        }
        let action = Action(ply.action);
        if asks_opponent_policy && position.side_to_move() != side {
            let image = position.transform(symmetry);
            row.opponent_policy[image_of(action, &image, symmetry).index()] = 1.0;
            asks_opponent_policy = false;
        }
        position.play(action);
    }
    // A game that was broken off has no known end.
    if !asks_end || position.outcome().is_none() {
        return;
    }
    row.finished[0] = 1.0;
    if let [moves_left] = row.moves_left {
        *moves_left = rest.len() as f32 / MOVES_LEFT_UNIT;
    }
    if !row.final_state.is_empty() {
        position.transform(symmetry).final_state(side, row.final_state);
    }
}

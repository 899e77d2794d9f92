//! Auxiliary heads learn, are weighed, reported and stored, and leave the rest alone.

use super::*;

#[test]
fn auxiliary_heads_learn_and_their_losses_are_reported() {
    let mut learner = learner(&network_with_heads(ALL_HEADS), config(OptimizerKind::AdamW));
    let shown = batch(16, 1);
    let first = learner.step(&shown).unwrap();
    // Near-uniform answers over nine actions and three classes; moves left predicted as none.
    assert!((first.opponent_policy_loss - 9f64.ln()).abs() < 0.2, "{first:?}");
    assert!((first.final_state_loss - 3f64.ln()).abs() < 0.2, "{first:?}");
    assert!(first.moves_left_loss > 0.03 && first.moves_left_loss < 0.375, "{first:?}");
    let weighed = 0.15 * first.opponent_policy_loss + 0.5 * first.moves_left_loss + first.final_state_loss;
    assert!((first.total_loss - first.policy_loss - first.value_loss - weighed).abs() < 1e-12, "{first:?}");
    let last = (0..150).map(|_| learner.step(&shown).unwrap()).last().unwrap();
    assert!(last.opponent_policy_loss < 0.5 * first.opponent_policy_loss, "{first:?} {last:?}");
    assert!(last.moves_left_loss < 0.2 * first.moves_left_loss, "{first:?} {last:?}");
    assert!(last.final_state_loss < 0.7 * first.final_state_loss, "{first:?} {last:?}");

    let mut plain = super::learner(&network(true), config(OptimizerKind::AdamW));
    let report = plain.step(&shown).unwrap();
    assert_eq!((report.opponent_policy_loss, report.moves_left_loss, report.final_state_loss), (0.0, 0.0, 0.0));
    assert_eq!((report.policy_loss, report.value_loss), (first.policy_loss, first.value_loss));
}

#[test]
fn heads_without_weight_change_nothing_else() {
    let weightless = LearnerConfig {
        opponent_policy_weight: 0.0,
        moves_left_weight: 0.0,
        final_state_weight: 0.0,
        ..config(OptimizerKind::AdamW)
    };
    let mut with_heads = learner(&network_with_heads(ALL_HEADS), weightless);
    let mut plain = learner(&network(true), config(OptimizerKind::AdamW));
    train(&mut with_heads, 0..4);
    train(&mut plain, 0..4);
    let plain = bits(&plain.training_weights());
    assert_eq!(bits(&with_heads.training_weights())[..plain.len()], plain);
}

#[test]
fn positions_without_a_target_teach_nothing() {
    let heads = |final_state| AuxiliaryConfig { final_state, ..ALL_HEADS };
    let mut learner = learner(&network_with_heads(heads(false)), config(OptimizerKind::AdamW));
    let mut shown = batch(16, 1);
    shown.auxiliary.opponent_policy.fill(0.0);
    shown.auxiliary.finished.fill(0.0);
    let report = learner.step(&shown).unwrap();
    assert_eq!((report.opponent_policy_loss, report.moves_left_loss), (0.0, 0.0));
    let (start, after) = (network_with_heads(heads(false)), learner.training_weights());
    for (before, after) in start.tensors().iter().zip(after.tensors()) {
        let is_auxiliary = before.name.starts_with("auxiliary.");
        // Matrices decay even where nothing is learned.
        let decays = before.shape.len() >= 2;
        assert_eq!(before == after, is_auxiliary && !decays, "{}", before.name);
    }
}

#[test]
fn a_head_without_targets_in_the_batch_is_named() {
    let mut learner = learner(&network_with_heads(ALL_HEADS), config(OptimizerKind::AdamW));
    let mut shown = batch(16, 1);
    shown.auxiliary.final_state.clear();
    let error = learner.step(&shown).unwrap_err();
    assert!(
        matches!(error, LearnerError::Batch(BatchError::Size { part: "final_state", found: 0, expected: 432 })),
        "{error}"
    );
    let mut broken = batch(16, 1);
    broken.auxiliary.moves_left[3] = f32::NAN;
    let error = learner.step(&broken).unwrap_err();
    assert!(matches!(error, LearnerError::NotFinite { step: 0, term: LossTerm::MovesLeft, .. }), "{error}");
}

#[test]
fn auxiliary_heads_come_back_from_a_checkpoint() {
    let config = || config(OptimizerKind::AdamW);
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("two-steps");
    let mut learner = learner(&network_with_heads(ALL_HEADS), config());
    train(&mut learner, 0..2);
    learner.save(&folder, &Provenance::default()).unwrap();
    let (mut restored, manifest) =
        NetworkLearner::restore(&folder, GameShape::for_game::<TicTacToe>(), config(), on_cpu).unwrap();
    assert_eq!(manifest.network.auxiliary, ALL_HEADS);
    assert_eq!(train(&mut restored, 2..4), train(&mut learner, 2..4));
    assert_eq!(bits(&restored.training_weights()), bits(&learner.training_weights()));
    assert_eq!(bits(&restored.play_weights()), bits(&learner.play_weights()));
}

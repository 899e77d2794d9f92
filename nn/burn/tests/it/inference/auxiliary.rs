//! Auxiliary heads have the shapes of their targets, and inference does not look at them.

use selfplay_burn::FinalStateOutput;
use selfplay_network::NetworkError;

use super::*;

/// The same seed gives the same network beside its auxiliary heads, and inference does not look at those.
#[test]
fn auxiliary_heads_change_no_answer() {
    for rules in shipped_games() {
        let device = open(DeviceKind::Flex).unwrap();
        let make = |auxiliary| {
            let config = NetworkConfig { auxiliary, ..small_configs()[0].clone() };
            PolicyValueNetwork::new(rules.shape(), config, 1, &device).unwrap()
        };
        let plain = make(AuxiliaryConfig::default());
        let with_heads = make(AuxiliaryConfig { opponent_policy: true, moves_left: true, final_state: true });
        let (plain_weights, all_weights) = (plain.weights(), with_heads.weights());
        let (names, more) = (plain_weights.tensors(), all_weights.tensors());
        assert_eq!(names, &more[..names.len()]);
        assert!(more.len() > names.len() && more[names.len()..].iter().all(|t| t.name.starts_with("auxiliary.")));
        for precision in Precision::ALL {
            let answers = [&plain_weights, &all_weights]
                .map(|weights| evaluated(&mut FusedEvaluator::from_weights(rules, weights, precision), rules, 5));
            assert_eq!(answers[0], answers[1], "{}: {precision}", rules.id());
        }
        let burn = |network| evaluated(&mut BurnEvaluator::new(network, &device), rules, 5);
        assert_eq!(burn(&plain), burn(&with_heads), "{}", rules.id());
    }
}

#[test]
fn auxiliary_heads_have_the_shapes_of_their_targets() {
    for rules in shipped_games() {
        let network = network(rules, &small_configs()[1], DeviceKind::Flex);
        let shape = rules.shape();
        let planes = Tensor::ones([2, shape.planes, shape.height, shape.width], &network.device());
        let (output, auxiliary) = network.judge(&network.features(planes.clone()));
        let plain = network.forward(planes);
        assert_eq!(output.policy_logits.into_data(), plain.policy_logits.into_data());
        assert_eq!(output.wdl_logits.into_data(), plain.wdl_logits.into_data());
        assert_eq!(auxiliary.opponent_policy_logits.unwrap().dims(), [2, shape.action_count]);
        assert_eq!(auxiliary.moves_left.unwrap().dims(), [2, 1]);
        match (auxiliary.final_state.unwrap(), shape.final_state) {
            (FinalStateOutput::Cells(logits), FinalState::Cells) => {
                assert_eq!(logits.dims(), [2, 3, shape.cells()]);
            }
            (FinalStateOutput::Margin(margin), FinalState::Margin) => assert_eq!(margin.dims(), [2, 1]),
            (output, kind) => panic!("{}: {output:?} for {kind:?}", rules.id()),
        }
    }
}

#[test]
fn a_head_without_a_target_is_refused() {
    let shape = GameShape { final_state: FinalState::None, ..TIC_TAC_TOE.shape() };
    let auxiliary = AuxiliaryConfig { final_state: true, ..AuxiliaryConfig::default() };
    let config = NetworkConfig { auxiliary, ..NetworkConfig::default() };
    let error = PolicyValueNetwork::new(shape, config, 1, &open(DeviceKind::Flex).unwrap()).unwrap_err();
    assert!(matches!(error, NetworkError::NoFinalState { game: "tictactoe" }), "{error}");
}

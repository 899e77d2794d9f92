//! Auxiliary heads have the shapes of their targets, and inference does not look at them.

use selfplay_network::{FinalStateOutput, NetworkError};

use super::*;

#[derive(Clone, Copy)]
struct AuxiliaryHeadsChangeNothing;

impl GameVisitor for AuxiliaryHeadsChangeNothing {
    type Output = ();

    /// The same seed gives the same network beside its auxiliary heads, and inference does not look at those.
    fn visit<G: WholeGame>(self) {
        let device = DeviceKind::Flex.open().unwrap();
        let make = |auxiliary| {
            let config = NetworkConfig { auxiliary, ..small_configs()[0].clone() };
            PolicyValueNetwork::new(GameShape::of::<G>(), config, 1, &device).unwrap()
        };
        let plain = make(AuxiliaryConfig::default());
        let with_heads = make(AuxiliaryConfig { next_action: true, moves_left: true, final_state: true });
        let (names, more) = (plain.named_tensors(), with_heads.named_tensors());
        assert_eq!(names[..], more[..names.len()]);
        assert!(more.len() > names.len() && more[names.len()..].iter().all(|t| t.name.starts_with("auxiliary.")));
        for precision in Precision::ALL {
            let answers = [&plain, &with_heads].map(|network| {
                let fused = FusedNetwork::with_precision::<G>(network, precision);
                evaluated::<G>(&mut FusedEvaluator::new(Arc::new(fused)), 5)
            });
            assert_eq!(answers[0], answers[1], "{}: {precision}", G::ID);
        }
        let burn = |network| evaluated::<G>(&mut BurnEvaluator::new(network, &device), 5);
        assert_eq!(burn(&plain), burn(&with_heads), "{}", G::ID);
    }
}

#[test]
fn auxiliary_heads_change_no_answer() {
    for_every_game(AuxiliaryHeadsChangeNothing);
}

#[derive(Clone, Copy)]
struct AuxiliaryShapes;

impl GameVisitor for AuxiliaryShapes {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        let network = network::<G>(&small_configs()[1], DeviceKind::Flex);
        let planes = Tensor::ones([2, G::PLANES, G::HEIGHT, G::WIDTH], &network.device());
        let (output, auxiliary) = network.judge(&network.features(planes.clone()));
        let plain = network.forward(planes);
        assert_eq!(output.policy_logits.into_data(), plain.policy_logits.into_data());
        assert_eq!(output.wdl_logits.into_data(), plain.wdl_logits.into_data());
        assert_eq!(auxiliary.next_action_logits.unwrap().dims(), [2, G::ACTION_COUNT]);
        assert_eq!(auxiliary.moves_left.unwrap().dims(), [2, 1]);
        match (auxiliary.final_state.unwrap(), G::FINAL_STATE) {
            (FinalStateOutput::Cells(logits), FinalState::Cells) => {
                assert_eq!(logits.dims(), [2, 3, G::HEIGHT * G::WIDTH]);
            }
            (FinalStateOutput::Margin(margin), FinalState::Margin) => assert_eq!(margin.dims(), [2, 1]),
            (output, kind) => panic!("{}: {output:?} for {kind:?}", G::ID),
        }
    }
}

#[test]
fn auxiliary_heads_have_the_shapes_of_their_targets() {
    for_every_game(AuxiliaryShapes);
}

#[test]
fn a_head_without_a_target_is_refused() {
    let shape = GameShape { final_state: FinalState::None, ..GameShape::of::<selfplay_tictactoe::TicTacToe>() };
    let auxiliary = AuxiliaryConfig { final_state: true, ..AuxiliaryConfig::default() };
    let config = NetworkConfig { auxiliary, ..NetworkConfig::default() };
    let error = PolicyValueNetwork::new(shape, config, 1, &DeviceKind::Flex.open().unwrap()).unwrap_err();
    assert!(matches!(error, NetworkError::NoFinalState { game: "tictactoe" }), "{error}");
}

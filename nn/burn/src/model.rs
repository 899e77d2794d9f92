//! The policy/value network: a residual tower with a policy head and a win-draw-loss head (Silver et al. 2017, 2018).
//!
//! Its forward pass defines the meaning of the [`Plan`], and every other implementation of the plan is tested against
//! it. Its weights are loaded from [`NetworkWeights`] and exported back to them
//! ([`named_weights`](crate::named_weights)).

use std::sync::Arc;

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use selfplay_env::GameShape;
use selfplay_network::plan::{LayerId, Plan, Role};
use selfplay_network::{NetworkConfig, NetworkWeights};

use crate::auxiliary::{AuxiliaryHeads, AuxiliaryOutput};
use crate::layers::{
    ConvNorm, PolicyHead, PolicyOutput, PoolingBias, ResidualBlock, ValueHead, mean_and_max, planned_linear,
};

/// What the network says about a batch of positions.
#[derive(Clone, Debug)]
pub struct NetworkOutput {
    /// `[batch, actions]`, before any mask or softmax.
    pub policy_logits: Tensor<2>,
    /// `[batch, 3]`: win, draw, loss for the side to move, before the softmax.
    pub wdl_logits: Tensor<2>,
}

/// What the heads read of a batch of positions: the rectified results of their first layers.
#[derive(Clone, Debug)]
pub struct HeadFeatures {
    /// `[batch, policy_channels, height, width]`
    pub policy: Tensor<4>,
    /// `[batch, value_channels, height, width]`
    pub value: Tensor<4>,
}

/// A residual network for one game.
///
/// `clone` shares batch norm's running statistics with the original, as all Burn modules do; [`Module::valid`] gives
/// an independent copy for inference, [`Module::train`] one for a training step.
#[derive(Module, Debug)]
pub struct PolicyValueNetwork {
    /// 3×3 convolution from planes to channels, rectified.
    pub stem: ConvNorm,
    /// The tower.
    pub blocks: Vec<ResidualBlock>,
    /// Policy head.
    pub policy: PolicyHead,
    /// Value head.
    pub value: ValueHead,
    /// Heads that only the loss reads.
    pub auxiliary: AuxiliaryHeads,
    #[module(skip)]
    plan: Arc<Plan>,
    #[module(skip)]
    config: NetworkConfig,
    #[module(skip)]
    shape: GameShape,
}

impl PolicyValueNetwork {
    /// A network of the make of `weights` on `device`, before their numbers are put into it.
    pub(crate) fn planned(weights: &NetworkWeights, device: &Device) -> Self {
        let plan = weights.plan();
        let conv_norm = |place| ConvNorm::planned(plan.at(place), device);
        let blocks = (0..weights.config().blocks)
            .map(|block| ResidualBlock {
                first: conv_norm(LayerId::First(block)),
                pooling: plan.at(LayerId::First(block)).pooled_bias.as_ref().map(|bias| PoolingBias {
                    features: ConvNorm::planned(&plan.tower[bias.features], device),
                    bias: planned_linear(&bias.weights, device),
                }),
                second: conv_norm(LayerId::Second(block)),
            })
            .collect();
        PolicyValueNetwork {
            stem: conv_norm(LayerId::Stem),
            blocks,
            policy: PolicyHead {
                reduce: conv_norm(LayerId::Policy),
                output: PolicyOutput::planned(&plan.policy_output, device),
            },
            value: ValueHead {
                reduce: conv_norm(LayerId::Value),
                reads: plan.value_hidden.reads,
                hidden: planned_linear(&plan.value_hidden, device),
                output: planned_linear(&plan.value_output, device),
            },
            auxiliary: AuxiliaryHeads::planned(plan, device),
            plan: Arc::clone(plan),
            config: weights.config().clone(),
            shape: *weights.shape(),
        }
    }

    /// Judges `planes`, `[batch, planes, height, width]`, without the auxiliary heads.
    pub fn forward(&self, planes: Tensor<4>) -> NetworkOutput {
        let features = self.features(planes);
        let hidden = self.value.hidden_layer(features.value);
        NetworkOutput {
            policy_logits: self.policy.output.forward(features.policy),
            wdl_logits: self.value.output.forward(hidden),
        }
    }

    /// The first part of the forward pass: from `planes`, `[batch, planes, height, width]`, to what the heads read.
    pub fn features(&self, planes: Tensor<4>) -> HeadFeatures {
        let mut newest = [const { None::<Tensor<4>> }; Role::COUNT];
        newest[Role::Planes as usize] = Some(planes);
        for layer in &self.plan.tower {
            let results = |role: Role| newest[role as usize].clone().expect("what a layer reads was computed before");
            let (ConvNorm { conv, norm }, pooled_bias) = self.modules(layer.place);
            let mut x = conv.forward(results(self.plan.role(layer.input)));
            if let Some(linear) = pooled_bias {
                let bias = linear.forward(mean_and_max(results(Role::Pooled)));
                let [batch, channels] = bias.dims();
                x = x + bias.reshape([batch, channels, 1, 1]);
            }
            x = norm.forward(x);
            if layer.skip.is_some() {
                x = x + results(layer.role());
            }
            newest[layer.role() as usize] = Some(relu(x));
        }
        let mut take = |role: Role| newest[role as usize].take().expect("the plan ends with both heads");
        HeadFeatures { policy: take(Role::Policy), value: take(Role::Value) }
    }

    /// The modules with the parameters of a layer of the plan: convolution and norm, and the layer of its pooled bias.
    ///
    /// # Panics
    /// If the plan has no such place.
    pub fn modules(&self, place: LayerId) -> (&ConvNorm, Option<&Linear>) {
        match place {
            LayerId::Stem => (&self.stem, None),
            LayerId::First(block) => {
                let ResidualBlock { first, pooling, .. } = &self.blocks[block];
                (first, pooling.as_ref().map(|pooling| &pooling.bias))
            }
            LayerId::PooledFeatures(block) => {
                let pooling = self.blocks[block].pooling.as_ref();
                (&pooling.expect("a block with pooled features pools them").features, None)
            }
            LayerId::Second(block) => (&self.blocks[block].second, None),
            LayerId::Policy => (&self.policy.reduce, None),
            LayerId::Value => (&self.value.reduce, None),
        }
    }

    /// The rest of the forward pass for training: all heads.
    pub fn judge(&self, features: &HeadFeatures) -> (NetworkOutput, AuxiliaryOutput) {
        let HeadFeatures { policy, value } = features;
        let hidden = self.value.hidden_layer(value.clone());
        let auxiliary = self.auxiliary.forward(policy, value, &hidden);
        let output = NetworkOutput {
            policy_logits: self.policy.output.forward(policy.clone()),
            wdl_logits: self.value.output.forward(hidden),
        };
        (output, auxiliary)
    }

    /// The network's layers.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Size and make.
    pub fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// The game's tensor sizes.
    pub fn shape(&self) -> &GameShape {
        &self.shape
    }

    /// Where the weights are.
    pub fn device(&self) -> Device {
        self.stem.conv.weight.val().device()
    }
}

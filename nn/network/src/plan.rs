//! What a network is made of: every layer of the tower, with what it reads and what is added to it, and the sizes of
//! all weights. Inference on the CPU, the network on Burn, the learner's own passes and the ONNX export walk this one list;
//! counts of weights and operations, and growth, read it too.

use std::fmt;

use selfplay_env::{FinalState, GameShape, PolicyShape};

use crate::config::{NetworkConfig, WDL_OUTPUTS};

/// Side of the windows of stem and tower.
const KERNEL: usize = 3;

/// The layers of a network of one make for one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The layers with a norm, in the order in which they are computed: stem, blocks, and last the first layer of the
    /// policy head and that of the value head.
    pub tower: Vec<TowerLayer>,
    /// From the policy head's features to logits.
    pub policy_output: Weights,
    /// From the value head's features to its hidden layer.
    pub value_hidden: Weights,
    /// From there to win, draw and loss.
    pub value_output: Weights,
    /// From the policy head's features to the opponent's next action; like the two below only where that head is on.
    pub opponent_policy: Option<Weights>,
    /// From the value head's hidden layer to the moves left.
    pub moves_left: Option<Weights>,
    /// To what the end of the game will look like.
    pub final_state: Option<Weights>,
}

/// A convolution without bias, what is added to it, its norm, what is added behind that, and a rectifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TowerLayer {
    /// Where its parameters are.
    pub place: LayerId,
    /// The convolution, whose name is also that of the norm.
    pub weights: Weights,
    /// Number of the layer in [`Plan::tower`] whose results it reads; none if it reads the encoded positions.
    pub input: Option<usize>,
    /// What is added to each channel of the convolution, before the norm.
    pub pooled_bias: Option<PooledBias>,
    /// Number of the layer whose results are added behind the norm: one of its own role.
    pub skip: Option<usize>,
}

/// A bias for each board, made by a linear layer from the mean and the maximum over the board of some features (Wu
/// 2019, appendix A.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PooledBias {
    /// Number of the layer with the features.
    pub features: usize,
    /// The linear layer.
    pub weights: Weights,
}

/// Where the parameters of a layer of the tower are; blocks are counted from 0. As text it is their name in checkpoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayerId {
    /// The layer that reads planes.
    Stem,
    /// The first layer of a block.
    First(usize),
    /// The layer of a block whose results are pooled.
    PooledFeatures(usize),
    /// The last layer of a block.
    Second(usize),
    /// The first layer of the policy head.
    Policy,
    /// The first layer of the value head.
    Value,
}

/// What results are for. They stay until the next layer of the same role is computed, so one buffer for each role will
/// do: no layer reads older ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The encoded positions, which no layer computes.
    Planes,
    /// The trunk features that the skip connections carry.
    Trunk,
    /// What the last layer of a block reads.
    Inner,
    /// What is pooled to a bias.
    Pooled,
    /// What the rest of the policy head reads.
    Policy,
    /// What the rest of the value head reads.
    Value,
}

/// The matrix or kernel of a layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Name in checkpoints, up to that of the tensor.
    pub name: String,
    /// What it reads of each input channel.
    pub reads: Reads,
    /// Channels, or numbers, that it reads.
    pub inputs: usize,
    /// Channels, or numbers, that it computes.
    pub outputs: usize,
}

/// What a layer reads of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// The square of this side around the cell that is computed.
    Window(usize),
    /// Each of the board's so many cells at once, flattened `[channel, cell]`.
    Board(usize),
    /// Mean over the board of every channel, then the maximum of every channel.
    MeanAndMax,
    /// The one number there is.
    Number,
}

impl Plan {
    /// The layers for a game and a config that [validates](NetworkConfig::validate).
    pub fn new(shape: &GameShape, config: &NetworkConfig) -> Self {
        let cells = shape.cells();
        let weights = |name: &str, reads, inputs, outputs| Weights { name: name.to_owned(), reads, inputs, outputs };
        let policy_output = |name: &str| match shape.policy {
            PolicyShape::Planes(planes) => {
                weights(&format!("{name}.Planes"), Reads::Window(1), config.policy_channels, planes)
            }
            PolicyShape::Dense => {
                weights(&format!("{name}.Dense"), Reads::Board(cells), config.policy_channels, shape.action_count)
            }
        };
        let from_hidden = |name, outputs| weights(name, Reads::Number, config.value_hidden, outputs);
        let final_state = match shape.final_state {
            FinalState::None => None,
            FinalState::Cells => {
                let name = "auxiliary.final_state.Cells";
                Some(weights(name, Reads::Window(1), config.value_channels, FinalState::CELL_CLASSES))
            }
            FinalState::Margin => Some(from_hidden("auxiliary.final_state.Margin", 1)),
        };
        let value_reads = if config.global_pooling { Reads::MeanAndMax } else { Reads::Board(cells) };
        Plan {
            tower: tower(shape.planes, config),
            policy_output: policy_output("policy.output"),
            value_hidden: weights("value.hidden", value_reads, config.value_channels, config.value_hidden),
            value_output: from_hidden("value.output", WDL_OUTPUTS),
            opponent_policy: config.auxiliary.opponent_policy.then(|| policy_output("auxiliary.opponent_policy")),
            moves_left: config.auxiliary.moves_left.then(|| from_hidden("auxiliary.moves_left", 1)),
            final_state: final_state.filter(|_| config.auxiliary.final_state),
        }
    }

    /// The layer of the tower whose parameters are there.
    ///
    /// # Panics
    /// If there is none.
    pub fn at(&self, place: LayerId) -> &TowerLayer {
        self.tower.iter().find(|layer| layer.place == place).expect("the place is one of the plan's")
    }

    /// What the results of a layer, or the encoded positions, are for.
    pub fn role(&self, layer: Option<usize>) -> Role {
        layer.map_or(Role::Planes, |layer| self.tower[layer].role())
    }

    /// The weights that answers in use depend on: of the tower's convolutions, then of the layers with a bias.
    fn inferred(&self) -> (impl Iterator<Item = &Weights>, impl Iterator<Item = &Weights>) {
        let pooled_biases = self.tower.iter().filter_map(|layer| Some(&layer.pooled_bias.as_ref()?.weights));
        let heads = [&self.policy_output, &self.value_hidden, &self.value_output];
        (self.tower.iter().map(|layer| &layer.weights), pooled_biases.chain(heads))
    }

    /// The weights of the auxiliary heads.
    pub(crate) fn auxiliary(&self) -> impl Iterator<Item = &Weights> {
        [&self.opponent_policy, &self.moves_left, &self.final_state].into_iter().flatten()
    }

    /// All weights.
    pub fn weights(&self) -> impl Iterator<Item = &Weights> {
        let (convolutions, others) = self.inferred();
        convolutions.chain(others).chain(self.auxiliary())
    }
}

/// The layers with a norm.
fn tower(planes: usize, config: &NetworkConfig) -> Vec<TowerLayer> {
    let channels = config.channels;
    let layer = |place: LayerId, kernel, inputs, outputs, input| TowerLayer {
        place,
        weights: Weights { name: place.to_string(), reads: Reads::Window(kernel), inputs, outputs },
        input,
        pooled_bias: None,
        skip: None,
    };
    let mut tower = vec![layer(LayerId::Stem, KERNEL, planes, channels, None)];
    for block in 0..config.blocks {
        let trunk = Some(tower.len() - 1);
        let mut first = layer(LayerId::First(block), KERNEL, channels, channels, trunk);
        // Every second block, the second block first.
        if config.global_pooling && block % 2 == 1 {
            let features = (channels / 4).max(1);
            let name = format!("blocks.{block}.pooling.bias");
            let weights = Weights { name, reads: Reads::MeanAndMax, inputs: features, outputs: channels };
            first.pooled_bias = Some(PooledBias { features: tower.len(), weights });
            tower.push(layer(LayerId::PooledFeatures(block), KERNEL, channels, features, trunk));
        }
        tower.push(first);
        let inner = Some(tower.len() - 1);
        tower.push(TowerLayer { skip: trunk, ..layer(LayerId::Second(block), KERNEL, channels, channels, inner) });
    }
    let trunk = Some(tower.len() - 1);
    tower.push(layer(LayerId::Policy, 1, channels, config.policy_channels, trunk));
    tower.push(layer(LayerId::Value, 1, channels, config.value_channels, trunk));
    tower
}

impl TowerLayer {
    /// What its results are for.
    pub fn role(&self) -> Role {
        match self.place {
            LayerId::Stem | LayerId::Second(_) => Role::Trunk,
            LayerId::First(_) => Role::Inner,
            LayerId::PooledFeatures(_) => Role::Pooled,
            LayerId::Policy => Role::Policy,
            LayerId::Value => Role::Value,
        }
    }
}

impl Role {
    /// Every role, `role as usize` at its place.
    pub const ALL: [Role; 6] = [Role::Planes, Role::Trunk, Role::Inner, Role::Pooled, Role::Policy, Role::Value];
    /// Their number.
    pub const COUNT: usize = Role::ALL.len();

    /// Whether a head reads these results, and nothing else of the tower.
    pub fn is_of_head(self) -> bool {
        matches!(self, Role::Policy | Role::Value)
    }

    /// Whether a window larger than a cell reads these results, beyond the edge of the board too.
    pub fn needs_border(self) -> bool {
        matches!(self, Role::Planes | Role::Trunk | Role::Inner)
    }
}

impl Weights {
    /// Side of the window that is read, 1 where there is no other.
    pub fn kernel(&self) -> usize {
        if let Reads::Window(side) = self.reads { side } else { 1 }
    }

    /// Rows of the matrix: numbers that each output is computed from.
    pub fn fan_in(&self) -> usize {
        self.inputs
            * match self.reads {
                Reads::Window(side) => side * side,
                Reads::Board(cells) => cells,
                Reads::MeanAndMax => 2,
                Reads::Number => 1,
            }
    }
}

impl fmt::Display for LayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayerId::Stem => f.write_str("stem"),
            LayerId::First(block) => write!(f, "blocks.{block}.first"),
            LayerId::PooledFeatures(block) => write!(f, "blocks.{block}.pooling.features"),
            LayerId::Second(block) => write!(f, "blocks.{block}.second"),
            LayerId::Policy => f.write_str("policy.reduce"),
            LayerId::Value => f.write_str("value.reduce"),
        }
    }
}

impl NetworkConfig {
    /// Number of trained weights, those of auxiliary heads included; batch norm's running statistics are not counted.
    pub fn parameter_count(&self, shape: &GameShape) -> usize {
        let plan = Plan::new(shape, self);
        let (convolutions, others) = plan.inferred();
        // A norm has a scale and a shift for each output, any other layer a bias.
        convolutions.map(|weights| weights.outputs * (weights.fan_in() + 2)).sum::<usize>()
            + others.chain(plan.auxiliary()).map(|weights| weights.outputs * (weights.fan_in() + 1)).sum::<usize>()
    }

    /// Floating-point operations of one forward pass of one position: two for each multiplication with a weight of a
    /// convolution or linear layer; norms, activations and pooling are not counted, nor auxiliary heads, which only
    /// training computes.
    pub fn flops_per_position(&self, shape: &GameShape) -> u64 {
        let plan = Plan::new(shape, self);
        let (convolutions, others) = plan.inferred();
        let multiplications = |weights: &Weights| {
            let times = if matches!(weights.reads, Reads::Window(_)) { shape.cells() } else { 1 };
            (times * weights.outputs * weights.fan_in()) as u64
        };
        2 * convolutions.chain(others).map(multiplications).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AuxiliaryConfig;

    const SHAPE: GameShape = GameShape {
        game: "test",
        encoding_version: 1,
        planes: 1,
        height: 1,
        width: 1,
        policy: PolicyShape::Planes(1),
        action_count: 1,
        final_state: FinalState::None,
    };

    #[test]
    fn operations_are_counted_as_by_hand() {
        let one = NetworkConfig {
            channels: 2,
            blocks: 2,
            policy_channels: 1,
            value_channels: 1,
            value_hidden: 1,
            global_pooling: false,
            auxiliary: AuxiliaryConfig::default(),
        };
        // Stem 18, four tower convolutions of 36, heads 2 + 1 and 2 + 1 + 3.
        assert_eq!(one.flops_per_position(&SHAPE), 2 * (18 + 4 * 36 + 9));
        // The second block's extra features 18 and bias 4, one more input of the value head's hidden layer.
        let pooled = NetworkConfig { global_pooling: true, ..one };
        assert_eq!(pooled.flops_per_position(&SHAPE), 2 * (18 + 4 * 36 + 9 + 18 + 4 + 1));
    }

    #[test]
    fn one_buffer_for_each_role_will_do() {
        let plan = Plan::new(&SHAPE, &NetworkConfig { blocks: 5, global_pooling: true, ..NetworkConfig::default() });
        let mut newest = [None; Role::COUNT];
        let mut widths = [None; Role::COUNT];
        for (number, layer) in plan.tower.iter().enumerate() {
            let role = layer.role();
            let features = layer.pooled_bias.as_ref().map(|bias| bias.features);
            for read in [layer.input, layer.skip, features].into_iter().flatten() {
                assert_eq!(newest[plan.tower[read].role() as usize], Some(read), "{}", layer.place);
            }
            assert!(layer.skip.is_none_or(|skip| plan.tower[skip].role() == role), "{}", layer.place);
            assert!(plan.role(layer.input) != role, "{} reads elsewhere than it writes", layer.place);
            assert!(layer.weights.reads == Reads::Window(1) || plan.role(layer.input).needs_border());
            assert_eq!(*widths[role as usize].get_or_insert(layer.weights.outputs), layer.weights.outputs);
            newest[role as usize] = Some(number);
        }
        assert_eq!(newest[Role::Value as usize], Some(plan.tower.len() - 1));
        assert_eq!(newest[Role::Policy as usize], Some(plan.tower.len() - 2));
    }
}

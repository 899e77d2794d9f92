//! A larger network that begins where a trained smaller one stands: more blocks, more channels, another size of the
//! board.
//!
//! New channels are copies of old ones, and what reads both weighs each less (Chen, Goodfellow and Shlens 2016,
//! "Net2Net", section 2.2). New blocks come last in the tower and add nothing yet (the same paper's section 2.3, with
//! the block's last norm scaled by zero as in Goyal et al. 2017, section 5.1). So the grown network answers as the
//! trained one did, up to rounding, in use as in training. On another size of the board it uses the same weights.

use std::collections::BTreeMap;
use std::path::Path;

use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{GameShape, PolicyShape, Rules};

use crate::checkpoint::{load_manifest, load_weights};
use crate::config::NetworkConfig;
use crate::error::NetworkError;
use crate::manifest::Manifest;
use crate::plan::{Plan, Reads};
use crate::tensor_file::NamedTensor;
use crate::weights::NetworkWeights;

/// Stream of the seed that shares of copied channels come from: "growth" in ASCII.
const GROWTH_STREAM: u64 = 0x6772_6F77_7468;

/// The playing network of the checkpoint `folder`, grown to `config` for the game of `rules`. The checkpoint may belong
/// to that game or to the same game on another board, which `games` looks up by its id. Also returns the checkpoint's
/// manifest.
///
/// Training state other than the weights starts afresh: give the network to a new learner.
///
/// # Errors
/// Those of [`load_weights`] and [`grow`]; [`NetworkError::WrongGame`] if `games` does not know the checkpoint's game;
/// [`NetworkError::CannotGrow`] if that game's planes have another meaning.
pub fn grow_checkpoint<'r>(
    folder: &Path,
    rules: &dyn Rules,
    games: impl FnOnce(&str) -> Option<&'r dyn Rules>,
    config: NetworkConfig,
    seed: u64,
) -> Result<(NetworkWeights, Manifest), NetworkError> {
    let found = load_manifest(folder)?.game.id;
    let Some(trained_for) = games(&found) else {
        return Err(NetworkError::WrongGame { folder: folder.to_owned(), found, expected: rules.id() });
    };
    let (trained, manifest) = load_weights(folder, trained_for.shape())?;
    if trained_for.plane_names() != rules.plane_names() {
        let reason = format!("the planes of `{found}` mean something else than those of `{}`", rules.id());
        return Err(NetworkError::CannotGrow { reason });
    }
    Ok((grow(&trained, rules.shape(), config, seed)?, manifest))
}

/// A network of the make `config` for `shape` that answers as `trained` does. What has no counterpart in `trained`
/// starts with fresh weights, a function of `seed`: the inside of new blocks, and auxiliary heads that `trained` lacks.
///
/// # Errors
/// As for a new network, [`NetworkError::InvalidKey`] and [`NetworkError::NoFinalState`]. Also
/// [`NetworkError::CannotGrow`] if `config` is smaller in some respect or differs in `global_pooling`, if the game has
/// other planes or another policy, or if the boards differ in size and some weight depends on that.
pub fn grow(
    trained: &NetworkWeights,
    shape: GameShape,
    config: NetworkConfig,
    seed: u64,
) -> Result<NetworkWeights, NetworkError> {
    check_config(trained.config(), &config)?;
    check_shape(trained, &shape)?;
    let fresh = NetworkWeights::fresh(shape, config, seed)?;
    let old: BTreeMap<&str, &NamedTensor> =
        trained.tensors().iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
    let layers = layers(trained.plan(), fresh.plan());
    let ends_block = |tensor: &NamedTensor| {
        let mut ends = fresh.plan().tower.iter().filter(|layer| layer.skip.is_some());
        ends.any(|layer| tensor.name == format!("{}.norm.gamma", layer.place))
    };
    let mut rng = rng_for(&[seed, GROWTH_STREAM]);
    let mut tensors = fresh.tensors().to_vec();
    for tensor in &mut tensors {
        let layer = layers.iter().find(|layer| tensor.name.starts_with(&layer.path));
        match (layer, old.get(tensor.name.as_str())) {
            (Some(layer), Some(old)) => tensor.values = layer.widened(old, &mut rng),
            // The last norm of a new block.
            (None, _) if ends_block(tensor) => tensor.values.fill(0.0),
            _ => {}
        }
    }
    NetworkWeights::from_tensors(shape, fresh.config().clone(), tensors)
}

fn check_config(trained: &NetworkConfig, config: &NetworkConfig) -> Result<(), NetworkError> {
    let sizes = [
        ("channels", trained.channels, config.channels),
        ("blocks", trained.blocks, config.blocks),
        ("policy_channels", trained.policy_channels, config.policy_channels),
        ("value_channels", trained.value_channels, config.value_channels),
        ("value_hidden", trained.value_hidden, config.value_hidden),
    ];
    for (key, trained, wanted) in sizes {
        if wanted < trained {
            let reason = format!("its `{key}` is {trained}, and {wanted} would be less");
            return Err(NetworkError::CannotGrow { reason });
        }
    }
    if trained.global_pooling != config.global_pooling {
        let reason =
            format!("its `global_pooling` is {}, which decides what its value head reads", trained.global_pooling);
        return Err(NetworkError::CannotGrow { reason });
    }
    Ok(())
}

fn check_shape(trained: &NetworkWeights, shape: &GameShape) -> Result<(), NetworkError> {
    let from = trained.shape();
    let refuse = |why: &str| {
        let reason = format!("it is for `{}` with {from}, `{}` has {shape}: {why}", from.game, shape.game);
        Err(NetworkError::CannotGrow { reason })
    };
    if from.planes != shape.planes {
        return refuse("the planes differ");
    }
    if from.policy != shape.policy {
        return refuse("the policies differ");
    }
    if (from.height, from.width) == (shape.height, shape.width) {
        return if from.action_count == shape.action_count { Ok(()) } else { refuse("the actions differ") };
    }
    if shape.policy == PolicyShape::Dense {
        return refuse("the weights of a dense policy depend on the size of the board");
    }
    if !trained.config().global_pooling {
        return refuse("without `global_pooling` the value head's weights depend on the size of the board");
    }
    Ok(())
}

/// A layer that the trained network has too: where its inputs and outputs come from.
struct GrownLayer {
    /// Names of its tensors begin with this.
    path: String,
    inputs: Sources,
    outputs: Sources,
}

/// For each channel (or number) of the grown network, the channel of the trained one that it is or copies.
#[derive(Clone)]
struct Sources {
    of: Vec<usize>,
    /// How many channels the trained network has.
    trained: usize,
}

impl Sources {
    /// From `trained` channels to `grown`; copies are spread evenly.
    fn new(trained: usize, grown: usize) -> Self {
        Sources { of: (0..grown).map(|channel| channel % trained).collect(), trained }
    }

    /// The same channels on each of `cells` cells, `[channel, cell]`.
    fn on_cells(&self, cells: usize) -> Self {
        let of = self.of.iter().flat_map(|&channel| (0..cells).map(move |cell| channel * cells + cell)).collect();
        Sources { of, trained: self.trained * cells }
    }

    /// The means of the channels, then their maxima.
    fn mean_and_max(&self) -> Self {
        let maxima = self.of.iter().map(|&channel| self.trained + channel);
        Sources { of: self.of.iter().copied().chain(maxima).collect(), trained: 2 * self.trained }
    }
}

/// Every layer that both networks have. A block's inside is as wide as the trunk, and widened in the same way.
fn layers(trained: &Plan, grown: &Plan) -> Vec<GrownLayer> {
    let both = grown.weights().filter_map(|new| Some((trained.weights().find(|old| old.name == new.name)?, new)));
    both.map(|(old, new)| {
        let channels = Sources::new(old.inputs, new.inputs);
        GrownLayer {
            path: format!("{}.", new.name),
            inputs: match new.reads {
                Reads::Window(_) | Reads::Number => channels,
                Reads::Board(cells) => channels.on_cells(cells),
                Reads::MeanAndMax => channels.mean_and_max(),
            },
            outputs: Sources::new(old.outputs, new.outputs),
        }
    })
    .collect()
}

impl GrownLayer {
    /// The numbers of one of the layer's tensors in the grown network.
    fn widened(&self, old: &NamedTensor, rng: &mut GameRng) -> Vec<f32> {
        match old.shape[..] {
            // A kernel, `[outputs, inputs, height, width]`.
            [_, inputs, height, width] => {
                let taps = height * width;
                let place = |output: usize, input: usize, tap: usize| (output * inputs + input) * taps + tap;
                let widened =
                    self.shares_of_weights(taps, rng, |output, input, tap| old.values[place(output, input, tap)]);
                // From `[outputs, taps, inputs]`.
                let grown = self.inputs.of.len();
                let rows = widened.chunks_exact(taps * grown);
                rows.flat_map(|row| (0..grown * taps).map(move |i| row[i % taps * grown + i / taps])).collect()
            }
            // A matrix, `[inputs, outputs]`.
            [_, outputs] => {
                let widened = self.shares_of_weights(1, rng, |output, input, _| old.values[input * outputs + output]);
                // From `[outputs, inputs]`.
                let (rows, grown) = (self.outputs.of.len(), self.inputs.of.len());
                (0..grown * rows).map(|i| widened[i % rows * grown + i / rows]).collect()
            }
            // A number for each output.
            _ => self.outputs.of.iter().map(|&output| old.values[output]).collect(),
        }
    }

    /// The layer's weights, `[outputs, taps, inputs]`: what reads several copies of a channel splits its weight among
    /// them. The shares are drawn weight by weight, since equal ones would let the copies learn the same forever.
    fn shares_of_weights(
        &self,
        taps: usize,
        rng: &mut GameRng,
        weight: impl Fn(usize, usize, usize) -> f32,
    ) -> Vec<f32> {
        let is_widened = self.inputs.of.len() > self.inputs.trained;
        let mut widened = Vec::with_capacity(self.outputs.of.len() * taps * self.inputs.of.len());
        let mut totals = vec![0.0; self.inputs.trained];
        for &output in &self.outputs.of {
            for tap in 0..taps {
                let start = widened.len();
                let draw = |_: &usize| if is_widened { rng.random_range(0.5..1.5) } else { 1.0 };
                widened.extend(self.inputs.of.iter().map(draw));
                let shares: &mut [f32] = &mut widened[start..];
                totals.fill(0.0);
                for (&share, &input) in shares.iter().zip(&self.inputs.of) {
                    totals[input] += share;
                }
                for (share, &input) in shares.iter_mut().zip(&self.inputs.of) {
                    *share *= weight(output, input, tap) / totals[input];
                }
            }
        }
        widened
    }
}

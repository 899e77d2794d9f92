//! How a network learns: the loss of its answers to a batch, the gradient of that, the optimizer, the running average of the
//! weights that plays, and all of it to disk and back.
//!
//! [`NetworkLearner`] takes the steps. Losses and gradients come from a [`GradientComputer`]: [`CpuGradients`] computes them with
//! the kernels of this project; `selfplay-burn` has one on Burn, for GPUs, by which this one is tested.
//!
//! ```
//! use selfplay_env::fixtures::TicTacToe;
//! use selfplay_env::GameShape;
//! use selfplay_learner::{CpuGradients, NetworkLearner};
//! use selfplay_network::training::{LearnerConfig, TrainingBatch};
//! use selfplay_network::{Learner, NetworkConfig, NetworkWeights};
//!
//! // One position, an empty board (own cells, those of the opponent, ones), whose centre is to be played and wins.
//! let batch = TrainingBatch {
//!     rows: 1,
//!     planes: [[0.0; 9], [0.0; 9], [1.0; 9]].concat(),
//!     candidates: vec![1.0; 9],
//!     policy: (0..9).map(|cell| f32::from(cell == 4)).collect(),
//!     wdl: vec![1.0, 0.0, 0.0],
//!     ..TrainingBatch::default()
//! };
//! let config = NetworkConfig { channels: 8, blocks: 1, ..NetworkConfig::default() };
//! let weights = NetworkWeights::fresh(GameShape::for_game::<TicTacToe>(), config, 1)?;
//! let mut learner = NetworkLearner::new(&weights, LearnerConfig::default(), Box::new(CpuGradients::new(&weights)))?;
//! let first = learner.step(&batch)?;
//! let later = (0..40).map(|_| learner.step(&batch)).last().expect("forty steps")?;
//! assert!(later.total_loss < first.total_loss);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod weight_layout;

mod loss;
mod optimizer;

mod gradient;

mod cpu;

mod learner;

mod backend;

pub use backend::TrainingBackend;
pub use cpu::CpuGradients;
pub use gradient::{BatchGradient, GradientComputer};
pub use learner::NetworkLearner;
pub use loss::{Loss, MOVES_LEFT_LINEAR};
pub use weight_layout::WeightLayout;

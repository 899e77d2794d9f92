//! Inference on a CPU: the network's layers as products over boards in NHWC order, batch norm folded into the weights,
//! bias, skip connection and rectifier done as the sums are stored, the policy computed only where it is asked.
//!
//! The tower is walked layer by layer as the network's [`Plan`](crate::Plan) says. [`FusedNetwork`] is made once
//! for each set of weights, and shared; each thread has its own [`FusedEvaluator`] with memory for its
//! sums. Nothing here starts threads.

mod precision;

pub(crate) mod folded;

mod byte_layer;

mod body;

mod heads;

mod network;

mod evaluator;

mod samples;

pub use evaluator::FusedEvaluator;
pub use network::FusedNetwork;
pub use precision::Precision;

//! Inference on a CPU: the network's layers as products over boards in NHWC order, batch norm folded into the weights,
//! bias, skip connection and rectifier done as the sums are stored, the policy computed only where it is asked.
//!
//! The Burn network stays the one definition: [`FusedNetwork`] is made from it, once for each set of weights, and
//! shared; each thread has its own [`FusedEvaluator`] with memory for its sums. Nothing here starts threads.

mod precision;

pub(crate) mod folded;

mod layer;

mod heads;

mod float_body;

mod byte_body;

mod network;

mod evaluator;

mod samples;

pub use evaluator::FusedEvaluator;
pub use network::FusedNetwork;
pub use precision::Precision;

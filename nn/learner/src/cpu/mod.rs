//! Losses and gradients on a CPU, as the network's [`Plan`](selfplay_network::Plan) says, with the kernels of this project.
//!
//! The batch is cut into a fixed number of parts, which threads share out. Between two layers all parts meet, since a
//! norm needs sums over the whole batch; these are added in the order of the parts, so that the number of threads
//! changes no bit.

mod linear;
mod summary;

mod conv_norm;
mod pooled_bias;

mod heads;
mod layers;

mod head_loss;

mod part;

mod passes;

mod gradients;

pub use gradients::CpuGradients;

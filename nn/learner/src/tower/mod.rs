//! Forward and backward pass of all layers with a norm, that is the network's tower and the first layer of each head,
//! on a CPU in training mode, without Burn, as the network's [`Plan`](selfplay_network::Plan) says: more than nineteen twentieths of a step's arithmetic.
//!
//! The Burn network stays the one definition and does the rest of the step, the end of the heads, loss and optimizer:
//! [`Tower`] reads its parameters before the forward pass, hands over what the heads go on with, and puts the gradients
//! of its parameters beside those that Burn computed.
//!
//! The batch is cut into a fixed number of parts, which threads share out. Between two layers all parts meet, since a
//! norm needs sums over the whole batch; these are added in the order of the parts, so that the number of threads
//! changes no bit.

mod conv_norm;
mod pooled_bias;

mod layers;

mod part;

mod passes;

mod exchange;

#[cfg(test)]
mod tests;

pub(crate) use exchange::Tower;

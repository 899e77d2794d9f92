//! What other programs say to us, and whatever else may come instead.

mod broken;
mod gtp;
mod malformed;
mod support;

//! What other programs say to us, and whatever else may come instead.

mod broken;
#[path = "../games/mod.rs"]
mod games;
mod gtp;
mod malformed;
mod support;

//! What other programs say to us, and whatever else may come instead.

mod configs;
mod dialogue;
mod gtp;
mod homework;
mod malformed;
mod pentago;
mod pente_judge;
mod support;

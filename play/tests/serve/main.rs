//! The server's API, asked directly: no connection, no browser, no network.

mod client;
#[path = "../games/mod.rs"]
mod games;

mod api;
mod bounds;
mod malformed;
mod pages;
mod run;
mod sockets;

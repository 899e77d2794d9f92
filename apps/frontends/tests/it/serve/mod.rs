//! The server's API, asked directly: no connection, no browser, no network.

mod client;

mod api;
mod bounds;
mod malformed;
mod pages;
mod run;
mod sockets;

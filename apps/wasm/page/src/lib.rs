//! The program of pages that are a file of their own, for the games that ship:
//! `cargo build --profile dist --package selfplay-page --target wasm32-wasip1`.

selfplay_wasm::page!(&selfplay_shipped::shipped_games());

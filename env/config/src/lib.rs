//! Configuration keys, each declared once: type, default, range and meaning.
//!
//! [`config_section!`] declares a table of keys, [`config_choice!`] a choice among named variants. Both generate what serde
//! reads and writes, `validate`, and [`ConfigValue`], from which schemas and documentation are made.
//! [`suggestion`] finds the known word that an unknown one probably stands for.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod suggestion;

mod config_key;

mod config_section;

pub use config_key::{
    ANY, ConfigValue, Interval, InvalidKey, Key, Shape, above, check, check_choice, inline_table, interval,
};

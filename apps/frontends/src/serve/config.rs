//! Where the server listens and what it may be made to do.

use std::net::{IpAddr, Ipv4Addr};

use selfplay_config::{ConfigValue, InvalidKey, interval};
use serde::{Deserialize, Serialize};

/// Address and bounds of the server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeConfig {
    /// The address to listen at. Default 127.0.0.1, which only programs on this machine reach.
    pub host: IpAddr,
    /// The port to listen at; 0 takes any free one. Default 8787.
    pub port: u16,
    /// Names, without port, under which browsers may ask for this server. Loopback addresses and `localhost` are always
    /// allowed; any name is if this is empty and `host` is no loopback address. Default empty.
    pub host_names: Vec<String>,
    /// Connections open at the same time, 1 to 10,000. Default 128.
    pub max_connections: usize,
    /// Sessions kept at the same time, 1 to 10,000; a new one takes the place of that unused for longest. Default 64.
    pub max_tables: usize,
    /// Sessions that keep the memory of their players' searches between moves, 1 to 1000. Default 8.
    pub max_players: usize,
    /// Players that think at the same time, 1 to 256. Default 2.
    pub max_thinkers: usize,
    /// Requests that wait until a player may think, 0 to 1000; further ones are rejected. Default 16.
    pub max_waiting: usize,
    /// How long a request waits for that, in milliseconds, 1 to 600,000. Default 30,000.
    pub waiting_ms: u64,
    /// Most simulations of a move that can be asked for, 1 to 1,000,000. Default 20,000.
    pub max_simulations: u32,
    /// The longest that a player thinks about a move, in milliseconds, 1 to 600,000. Default 30,000.
    pub max_thinking_ms: u64,
    /// How long a request may take besides waiting and thinking, in milliseconds, 1 to 600,000. Default 10,000.
    pub request_ms: u64,
    /// Maximum size of a request body (bytes), 1024 to 1,048,576. Default 65,536.
    pub max_body_bytes: usize,
    /// Decides what players draw by lot. Default 0.
    pub seed: u64,
}

impl Default for ServeConfig {
    fn default() -> Self {
        ServeConfig {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8787,
            host_names: Vec::new(),
            max_connections: 128,
            max_tables: 64,
            max_players: 8,
            max_thinkers: 2,
            max_waiting: 16,
            waiting_ms: 30_000,
            max_simulations: 20_000,
            max_thinking_ms: 30_000,
            request_ms: 10_000,
            max_body_bytes: 65_536,
            seed: 0,
        }
    }
}

impl ServeConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// The first key that is out of its range.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        let check = |key, value: u64, range: std::ops::RangeInclusive<i32>| {
            value.check(interval(range)).map_err(|invalid| invalid.within(key))
        };
        check("max_connections", self.max_connections as u64, 1..=10_000)?;
        check("max_tables", self.max_tables as u64, 1..=10_000)?;
        check("max_players", self.max_players as u64, 1..=1000)?;
        check("max_thinkers", self.max_thinkers as u64, 1..=256)?;
        check("max_waiting", self.max_waiting as u64, 0..=1000)?;
        check("waiting_ms", self.waiting_ms, 1..=600_000)?;
        check("max_simulations", u64::from(self.max_simulations), 1..=1_000_000)?;
        check("max_thinking_ms", self.max_thinking_ms, 1..=600_000)?;
        check("request_ms", self.request_ms, 1..=600_000)?;
        check("max_body_bytes", self.max_body_bytes as u64, 1024..=1_048_576)
    }
}

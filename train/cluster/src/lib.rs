//! A run over many machines: its games are tasks on a NATS server with JetStream, played by workers anywhere, believed by
//! nobody before they are replayed, and the run ends with the same weights as on one machine.
//!
//! What makes that simple is that a lane of games is a function of the run's config, a network, and two numbers. So a task
//! that is lost is published again, one that comes twice is compared and dropped, and neither the server's memory nor its
//! promises are needed: the ledger of the machine that learns ([`GameLedger`](selfplay_train::GameLedger)) says which lanes
//! are stored, and what is missing is asked for again. [`Cluster`] is the [`Workforce`](selfplay_pipeline::Workforce) of the
//! machine that learns; [`worker`] is everybody else.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod wire;

pub mod error;

pub mod link;

mod names;

mod packing;

mod probe;

mod networks;

mod quarantine;

mod assembly;

mod judge;

mod outbox;

mod playing;

pub mod worker;

pub mod roster;

mod desk;

mod line;

mod ingest;

mod tending;

pub mod cluster;

pub use cluster::{Cluster, ClusterOptions};
pub use error::ClusterError;
pub use link::LinkOptions;
pub use worker::{Worker, WorkerNews, WorkerOptions, WorkerStatus};

//! A run over many machines: its games are tasks on a NATS server with JetStream. Workers play them, the learner replays and
//! checks every result, and the run ends with the same weights as on one machine.
//!
//! A range of games is a function of the run's config, a network and two numbers. So a lost task is published again, and a
//! repeated result is compared and dropped. Neither needs the server's memory or its guarantees: the ledger of the machine
//! that learns ([`GameLedger`](selfplay_train::GameLedger)) lists the stored ranges, and missing ones are requested again.
//! [`Cluster`] is the [`Executor`](selfplay_pipeline::Executor) of the machine that learns. A [`Worker`] runs on every
//! other machine.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod wire;

pub mod error;

pub mod connection;

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

pub mod worker_registry;

mod coordinator;

mod jetstream_client;

mod ingest;

mod reconcile;

pub mod cluster;

pub use cluster::{Cluster, ClusterOptions};
pub use connection::ConnectionOptions;
pub use error::ClusterError;
pub use worker::{Worker, WorkerNews, WorkerOptions, WorkerStatus};

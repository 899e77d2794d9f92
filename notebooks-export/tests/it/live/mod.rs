//! What a run writes and reports while it runs: events, `metrics.jsonl`, TensorBoard files, the newest numbers.

mod sample;

mod events;
mod metrics;
mod tensorboard;

//! What is written and told while a run goes on: events, `metrics.jsonl`, TensorBoard files, the newest numbers.

mod sample;

mod events;
mod metrics;
mod tensorboard;

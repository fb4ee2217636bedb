//! Webhooks from the request to the execution.

mod bench;

mod guarding;
mod matching;
mod receiving;
mod replays;
mod saving;
mod secrets;

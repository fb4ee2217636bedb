//! Webhooks from the request to the execution.

mod harness;

mod faults;
mod guarding;
mod holding;
mod matching;
mod receiving;
mod replays;
mod saving;
mod secrets;

//! Requests signed by ourselves and by others, and everything that can be wrong with them.

mod dedupe;
mod fixture;
mod handshakes;
mod known_answers;
mod lists;
mod properties;
mod samples;
mod secrets;
mod settings;
mod stored;
mod tampers;
mod times;
mod urls;

//! Bad input is refused with a 4xx that points at the fault, and nothing of it is stored.

mod bodies;
mod bytes;
mod rate;
mod refusal;
mod repeats;
mod workflows;

//! Executions that wait, and everything that definitions can say besides work in a line: each node type end to end.

pub(crate) mod harness;

mod callbacks;
mod children;
mod edges;
mod encryption;
mod failures;
mod flow;
mod heads;
mod large;
mod maps;
mod parking;
mod reruns;
mod signals;
mod slots;
mod timers;
mod unwinding;
mod user_tasks;
mod versions;
mod waits;

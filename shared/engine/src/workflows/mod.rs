//! Workflows: registered, looked at, paused.

mod pause;
mod read;
mod register;

pub use register::Registration;

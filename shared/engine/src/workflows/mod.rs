//! Workflows: register, read, pause.

mod pause;
mod read;
mod register;

pub use register::Registration;

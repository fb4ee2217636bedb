//! Workflows: what a definition says, and how an execution of it moves on.
//!
//! `definition` holds the types, `parse` reads and checks text, `expression` evaluates CEL, `execution` holds the
//! state of one run, `snapshot` its stored form, and `advance` is the one function that moves it. Nothing here
//! enqueues or stores anything: the effects that `advance` returns are carried out by the shell.

pub mod definition;
pub mod execution;
pub mod expression;
pub mod parse;
pub mod snapshot;

pub mod advance;

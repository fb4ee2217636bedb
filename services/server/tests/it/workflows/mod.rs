//! Workflows end to end: the examples of the documentation, the example that has everything in it, people, callbacks,
//! children, and executions of very many nodes.

mod callbacks;
mod children;
mod cli;
mod document;
mod examples;
mod large;
mod people;
mod whole;

//! Workflows end to end: the examples of the documentation, the example that has everything in it, people, callbacks
//! and children.

mod callbacks;
mod children;
mod cli;
mod document;
mod examples;
mod people;
mod whole;

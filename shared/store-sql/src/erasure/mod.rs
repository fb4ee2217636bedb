//! Erasing a tenant: begun and ended in one commit each, and carried out a bounded step at a time.

mod begin;
mod history;
mod open;
mod step;
mod tables;
mod verbs;

use step::Step;

#[cfg(test)]
mod tests;

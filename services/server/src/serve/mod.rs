//! `serve`: puts the parts together, starts them in order, and stops them in the reverse order.

#[cfg(test)]
mod authority;
mod banner;
mod bootstrap;
mod callers;
pub(crate) mod check;
mod dispatch;
pub(crate) mod doors;
mod engine;
mod figures;
mod lifecycle;
mod listeners;
mod moving;
mod outside;
mod parts;
pub(crate) mod reload;
mod sockets;
mod time_skip;

pub(crate) use engine::{offline_engine, secret_keys, store_options};
pub(crate) use lifecycle::{Kind, run};
pub(crate) use moving::reach;
pub(crate) use parts::answers_rest;

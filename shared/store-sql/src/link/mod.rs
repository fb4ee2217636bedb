//! Connections: opening, lending, and what is known of each.
//!
//! A connection is lent to one user at a time. While something is under way its state is unknown, and so it stays where
//! no answer came: then it is closed and never lent again. A connection that comes back outside of a transaction is lent
//! again as it is. Nothing here relies on the driver's own count of transactions, which is wrong after a `COMMIT` that
//! failed.

mod after;
mod connection;
mod lender;
mod lent;
mod opener;
mod room;
mod session;
mod uninterrupted;

pub(crate) use after::{is_out_of_time, is_outcome_unknown};
pub(crate) use connection::{Answer, Work};
pub(crate) use lender::Lender;
pub(crate) use lent::Lent;
pub(crate) use opener::{OnLost, Opener, Source};
pub(crate) use room::disk_room;
pub(crate) use uninterrupted::uninterrupted;

#[cfg(test)]
mod tests;

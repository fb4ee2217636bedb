//! The payload of every job: about 110 bytes of JSON, the same for all peers.

use serde::{Deserialize, Serialize};

/// How many jobs one call of a bulk enqueue takes where the peer does not recommend another number.
pub const BULK: usize = 1_000;

/// The payload.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payload {
    /// Which job it is.
    pub number: usize,
    /// Ballast.
    pub customer: String,
    /// Ballast.
    pub address: String,
    /// Ballast.
    pub amount: f64,
    /// Ballast.
    pub ok: bool,
}

/// The payload of one job.
pub fn payload(number: usize) -> Payload {
    Payload {
        number,
        customer: "customer-0001".to_owned(),
        address: "12 Long Street, 10115 Berlin".to_owned(),
        amount: 129.5,
        ok: true,
    }
}

//! Offers: jobs that a relay leased for whoever accepts them.
//!
//! An offer is a lease whose holder has a reserved name, written by the claim itself: nothing has to be written beside the
//! claim to make it one, and its slot counts because it is a lease. Accepting replaces the token by one that follows from it
//! and from the worker's name. A worker that repeats its call shows the same; another one is recognized as such; and what
//! was offered cannot be settled by the offer's token any more.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::id::LeaseToken;
use crate::job::JobStatus;
use crate::names::WorkerId;

/// What names of holders of offers begin with. No worker may have such a name.
pub const HOLDER_PREFIX: &str = "trunkline-relay/";

/// Under which name the relay of a shard holds its offers.
pub fn holder_of(shard: u32) -> WorkerId {
    WorkerId::trusted(format!("{HOLDER_PREFIX}{shard}"))
}

/// Whether a holder of this name holds offers.
pub fn is_holder(name: &str) -> bool {
    name.starts_with(HOLDER_PREFIX)
}

/// The shard of a holder of offers.
pub fn shard_of_holder(name: &str) -> Option<u32> {
    name.strip_prefix(HOLDER_PREFIX)?.parse().ok()
}

/// The token of the lease that a worker has after it accepted an offer.
pub fn accepted_token(offer: LeaseToken, worker: &str) -> LeaseToken {
    LeaseToken(derived("accepted", offer, worker))
}

/// The id of the event that publishes an offer: the same however often it is published. It says nothing about the token.
pub fn event_id(offer: LeaseToken) -> Uuid {
    derived("event", offer, "")
}

fn derived(purpose: &str, token: LeaseToken, name: &str) -> Uuid {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update([0]);
    hash.update(token.0.as_bytes());
    hash.update(name.as_bytes());
    let digest = hash.finalize();
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

words! {
    /// What a worker that accepts an offer is answered.
    AcceptOutcome {
        /// The worker has the lease; this call or an earlier one of the same worker started it.
        Ok "ok",
        /// Another worker has it, or an earlier item of the same call: this is a duplicate.
        Taken "taken",
        /// The attempt was settled.
        AlreadyDone "already_done",
        /// The job was cancelled.
        Cancelled "cancelled",
        /// The offer is gone: it went back to its lane, and perhaps stands anew under another token.
        LeaseLost "lease_lost",
    }
}

/// The lease that a job has or had last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundLease<'a> {
    /// The state of the job.
    pub status: JobStatus,
    /// The token of its last lease; kept after the attempt was settled, not after it was given back.
    pub token: Option<LeaseToken>,
    /// Who holds or held it.
    pub holder: Option<&'a str>,
}

/// What a worker is answered whose call did not start the lease.
pub fn accept_outcome(offer: LeaseToken, worker: &str, found: Option<FoundLease<'_>>) -> AcceptOutcome {
    let Some(FoundLease { status, token: Some(token), holder }) = found else {
        return AcceptOutcome::LeaseLost;
    };
    let is_accepted = holder.is_some_and(|holder| token == accepted_token(offer, holder));
    match status {
        _ if token != offer && !is_accepted => AcceptOutcome::LeaseLost,
        JobStatus::Cancelled => AcceptOutcome::Cancelled,
        JobStatus::Processing if is_accepted && holder == Some(worker) => AcceptOutcome::Ok,
        JobStatus::Processing if is_accepted => AcceptOutcome::Taken,
        // It stands, but could not be taken: it went back and came again between two statements.
        JobStatus::Processing => AcceptOutcome::LeaseLost,
        _ => AcceptOutcome::AlreadyDone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(number: u128) -> LeaseToken {
        LeaseToken(Uuid::from_u128(number))
    }

    #[test]
    fn holders_have_reserved_names_with_their_shard() {
        let holder = holder_of(7);
        assert!(is_holder(holder.as_str()));
        assert_eq!(shard_of_holder(holder.as_str()), Some(7));
        assert!(!is_holder("relay/7"));
        assert_eq!(shard_of_holder("w1"), None);
    }

    #[test]
    fn tokens_and_events_follow_from_the_offer_and_differ() {
        let offer = token(1);
        assert_eq!(accepted_token(offer, "w1"), accepted_token(offer, "w1"));
        let all = [
            accepted_token(offer, "w1").0,
            accepted_token(offer, "w2").0,
            accepted_token(token(2), "w1").0,
            event_id(offer),
            event_id(token(2)),
            offer.0,
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{index}");
        }
    }

    /// One row a case: state, token, holder, what worker `w1` is answered that shows offer 1.
    #[test]
    fn table_of_outcomes() {
        let offer = token(1);
        let (own, other) = (accepted_token(offer, "w1"), accepted_token(offer, "w2"));
        let table = [
            (JobStatus::Processing, Some(own), Some("w1"), AcceptOutcome::Ok),
            (JobStatus::Processing, Some(other), Some("w2"), AcceptOutcome::Taken),
            (JobStatus::Processing, Some(token(2)), Some("trunkline-relay/1"), AcceptOutcome::LeaseLost),
            (
                JobStatus::Processing,
                Some(accepted_token(token(2), "w1")),
                Some("w1"),
                AcceptOutcome::LeaseLost,
            ),
            (JobStatus::Queued, None, None, AcceptOutcome::LeaseLost),
            (JobStatus::RetryWait, Some(other), Some("w2"), AcceptOutcome::AlreadyDone),
            (JobStatus::Completed, Some(own), Some("w1"), AcceptOutcome::AlreadyDone),
            (JobStatus::Completed, Some(offer), Some("trunkline-relay/1"), AcceptOutcome::AlreadyDone),
            (JobStatus::DeadLetter, Some(other), Some("w2"), AcceptOutcome::AlreadyDone),
            (JobStatus::Cancelled, Some(offer), Some("trunkline-relay/1"), AcceptOutcome::Cancelled),
            (JobStatus::Cancelled, Some(other), Some("w2"), AcceptOutcome::Cancelled),
            (JobStatus::Completed, Some(token(9)), Some("w1"), AcceptOutcome::LeaseLost),
        ];
        for (status, token, holder, expected) in table {
            let found = FoundLease { status, token, holder };
            assert_eq!(accept_outcome(offer, "w1", Some(found)), expected, "{found:?}");
        }
        assert_eq!(accept_outcome(offer, "w1", None), AcceptOutcome::LeaseLost);
    }
}

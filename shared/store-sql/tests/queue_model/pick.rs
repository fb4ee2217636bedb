//! Which job, lease or dead letter a step is about: a number, and among which it counts.

use domain::failure::DeadLetterStatus;
use domain::id::JobId;
use domain::job::JobStatus;
use proptest::prelude::*;
use store::jobs::LeaseRef;
use testkit::oracle::{MemJob, MemLetter, MemLetterKey, MemQueue};

/// How many of the leases that ended count as recent.
const RECENT: usize = 4;

/// A job.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JobPick {
    /// Of those that have not ended.
    Unfinished(u8),
    /// Of those that wait for their time.
    Waiting(u8),
    /// Of all.
    Any(u8),
}

/// A lease and its token.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LeasePick {
    /// Of those that hold, as far as anybody knows.
    Held(u8),
    /// Of all that were ever handed out and do not hold any more: a replay.
    Old(u8),
    /// Of the last few of these, which may not be forgotten yet.
    Recent(u8),
    /// A job with the token of another one's lease.
    Crossed(u8, u8),
}

/// A dead letter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LetterPick {
    /// Of those that are open.
    Open(u8),
    /// Of all.
    Any(u8),
}

impl JobPick {
    /// Any pick.
    pub(crate) fn any() -> BoxedStrategy<Self> {
        prop_oneof![
            3 => any::<u8>().prop_map(Self::Unfinished),
            2 => any::<u8>().prop_map(Self::Waiting),
            1 => any::<u8>().prop_map(Self::Any),
        ]
        .boxed()
    }

    /// The job that is meant, if there is one.
    pub(crate) fn of(self, oracle: &MemQueue) -> Option<JobId> {
        let ids = |filter: fn(&MemJob) -> bool| -> Vec<JobId> {
            oracle.jobs().filter(|job| filter(job)).map(|job| job.asked.id).collect()
        };
        match self {
            Self::Unfinished(number) => nth(&ids(|job| !job.status.is_terminal()), number),
            Self::Waiting(number) => {
                nth(&ids(|job| matches!(job.status, JobStatus::Scheduled | JobStatus::RetryWait)), number)
            }
            Self::Any(number) => nth(&ids(|_| true), number),
        }
    }
}

impl LeasePick {
    /// Any pick.
    pub(crate) fn any() -> BoxedStrategy<Self> {
        prop_oneof![
            8 => any::<u8>().prop_map(Self::Held),
            2 => any::<u8>().prop_map(Self::Old),
            3 => any::<u8>().prop_map(Self::Recent),
            1 => any::<(u8, u8)>().prop_map(|(job, token)| Self::Crossed(job, token)),
        ]
        .boxed()
    }

    /// The lease that is meant, if there is one, out of all that were ever handed out.
    pub(crate) fn of(self, oracle: &MemQueue, leases: &[LeaseRef]) -> Option<LeaseRef> {
        let (held, old): (Vec<LeaseRef>, Vec<LeaseRef>) =
            leases.iter().partition(|lease| oracle.leased_job(**lease).is_some());
        match self {
            Self::Held(number) => nth(&held, number),
            Self::Old(number) => nth(&old, number),
            Self::Recent(number) => nth(&old[old.len().saturating_sub(RECENT)..], number),
            Self::Crossed(job, token) => {
                let (job, other): (LeaseRef, LeaseRef) = (nth(leases, job)?, nth(leases, token)?);
                (job.id != other.id).then_some(LeaseRef { id: job.id, token: other.token })
            }
        }
    }
}

impl LetterPick {
    /// Any pick.
    pub(crate) fn any() -> BoxedStrategy<Self> {
        prop_oneof![3 => any::<u8>().prop_map(Self::Open), 1 => any::<u8>().prop_map(Self::Any)].boxed()
    }

    /// The letter that is meant, if there is one.
    pub(crate) fn of(self, oracle: &MemQueue) -> Option<MemLetterKey> {
        let letters = oracle.letters().iter();
        match self {
            Self::Open(number) => {
                let open = letters.filter(|letter| letter.status == DeadLetterStatus::Open);
                nth(&open.map(MemLetter::key).collect::<Vec<_>>(), number)
            }
            Self::Any(number) => nth(&letters.map(MemLetter::key).collect::<Vec<_>>(), number),
        }
    }
}

fn nth<T: Copy>(among: &[T], number: u8) -> Option<T> {
    if among.is_empty() { None } else { among.get(usize::from(number) % among.len()).copied() }
}

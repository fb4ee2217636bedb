//! Jobs that were offered and that the worker has not confirmed. They go back when their time is up and with the stream.

use domain::id::JobId;
use engine::PollReceipt;
use store::jobs::LeaseRef;
use tokio::time::{Duration, Instant};

/// Offers, the oldest first.
#[derive(Default)]
pub(super) struct Offers(Vec<Group>);

/// What was offered together.
struct Group {
    receipt: PollReceipt,
    until: Instant,
}

impl Offers {
    /// Keeps an offer for so long.
    pub(super) fn add(&mut self, receipt: PollReceipt, within: Duration) {
        self.0.push(Group { receipt, until: Instant::now() + within });
    }

    /// The worker has this job.
    pub(super) fn received(&mut self, id: JobId) -> Option<LeaseRef> {
        let (place, lease) = self
            .0
            .iter_mut()
            .enumerate()
            .find_map(|(place, group)| Some((place, group.receipt.received(id)?)))?;
        if self.0[place].receipt.unconfirmed().next().is_none() {
            self.0.remove(place);
        }
        Some(lease)
    }

    /// When the first of them goes back.
    pub(super) fn until(&self) -> Option<Instant> {
        self.0.iter().map(|group| group.until).min()
    }

    /// Gives back those whose time is up.
    pub(super) fn give_back_late(&mut self, now: Instant) -> Vec<JobId> {
        let mut late = Vec::new();
        self.0.retain(|group| {
            let is_late = group.until <= now;
            if is_late {
                late.extend(group.receipt.unconfirmed());
            }
            // Dropped, a receipt gives back what is left of it.
            !is_late
        });
        late
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

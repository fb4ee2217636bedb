//! A store, the oracle beside it, and what a case has to remember.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::id::{DeadLetterId, JobId, LeaseToken};
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, WorkflowRef};
use domain::time::Timestamp;
use store::Store as _;
use store::jobs::LeaseRef;
use store_sql::SqlStore;
use testkit::oracle::{MemLetterKey, MemQueue};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::harness::{Harness, runtime};

/// The queue that all of this is about.
pub(crate) const QUEUE: QueueName = QueueName::Node;

/// More of anything than there ever is.
pub(crate) const ALL: u32 = 1_000;

/// When every case begins.
const T0: Timestamp = Timestamp(1_700_000_000_000);

/// What a case works on.
pub(crate) struct System {
    /// The store.
    pub(crate) store: Arc<SqlStore>,
    /// The model.
    pub(crate) oracle: MemQueue,
    /// The present instant.
    pub(crate) now: Timestamp,
    /// Every lease that was ever handed out, oldest first.
    pub(crate) leases: Vec<LeaseRef>,
    /// The ids that the store gave to dead letters.
    pub(crate) letters: BTreeMap<MemLetterKey, DeadLetterId>,
    /// Jobs that the last step was about.
    pub(crate) touched: BTreeSet<JobId>,
    runtime: Runtime,
    made: u64,
}

impl System {
    /// A store on an empty database.
    pub(crate) fn new<B: Harness>() -> Self {
        let runtime = runtime();
        let store = runtime.block_on(B::open());
        Self {
            store,
            oracle: MemQueue::new(QUEUE),
            now: T0,
            leases: Vec::new(),
            letters: BTreeMap::new(),
            touched: BTreeSet::new(),
            runtime,
            made: 0,
        }
    }

    /// Waits for a call of the store and takes its answer: no call may fail.
    pub(crate) fn wait<T>(&self, call: impl Future<Output = store::StoreResult<T>>) -> T {
        match self.runtime.block_on(call) {
            Ok(answer) => answer,
            Err(error) => panic!("the store failed: {error:?}"),
        }
    }

    /// An id that sorts after all before it, the same in every run of the case.
    pub(crate) fn uuid(&mut self) -> Uuid {
        self.made += 1;
        Uuid::from_u128((0x7_u128 << 76) | (0x8_u128 << 60) | u128::from(self.made))
    }

    /// A new lease token.
    pub(crate) fn token(&mut self) -> LeaseToken {
        LeaseToken(self.uuid())
    }
}

impl Drop for System {
    fn drop(&mut self) {
        // Also when a case failed: the next one must not wait for what this one left open.
        self.runtime.block_on(self.store.close());
    }
}

/// A tenant by number.
pub(crate) fn tenant(number: u8) -> TenantName {
    TenantName::trusted(format!("t{number}"))
}

/// A workflow by number. The last is a tenant's own of a name that a shared one has, too.
pub(crate) fn workflow(number: u8) -> WorkflowRef {
    let of = |owner, name: &str| WorkflowRef { owner, name: WorkflowName::trusted(name) };
    match number {
        0 => of(None, "w0"),
        1 => of(None, "w1"),
        _ => of(Some(tenant(0)), "w0"),
    }
}

/// A job type by number.
pub(crate) fn job_type(number: u8) -> JobType {
    JobType::trusted(format!("type{number}"))
}

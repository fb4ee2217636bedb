//! Steps of executions that wait for a slot, and whose evaluation may take long.
//!
//! A tenant has as many of them under way as its share of the workbench has places, in tasks of their own; the others wait
//! in a line, of which only ids are kept. Tenants take turns: a task asks for one of the places that all have together
//! for each step anew.

use std::collections::{HashMap, HashSet, VecDeque};

use domain::id::ExecutionId;
use domain::names::TenantName;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::policy::WorkbenchPolicy;

/// How many executions of one tenant wait in the line, and how many of all.
const LINE_MAX: usize = 1_000;
const LINES_MAX: usize = 10_000;

/// The lines, and the places that all tenants have together.
pub(crate) struct Apart {
    lines: Mutex<HashMap<TenantName, Line>>,
    pub(super) places: Semaphore,
    per_tenant: usize,
}

/// The executions of one tenant.
#[derive(Default)]
struct Line {
    waiting: VecDeque<ExecutionId>,
    /// Those that wait, and those under way.
    known: HashSet<ExecutionId>,
    /// How many tasks work on it.
    tasks: usize,
}

/// What became of an execution that was to join its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joined {
    /// A new task is to work on the line.
    Begin,
    /// It has its turn later, or had joined before.
    Waits,
    /// There are too many.
    Full,
}

impl Default for Apart {
    fn default() -> Self {
        Self::new(WorkbenchPolicy::default())
    }
}

impl Apart {
    pub(crate) fn new(policy: WorkbenchPolicy) -> Self {
        let (all, per_tenant) = (policy.threads.max(1), policy.threads_per_tenant.max(1));
        Self { lines: Mutex::default(), places: Semaphore::new(all), per_tenant }
    }

    pub(super) fn join(&self, tenant: &TenantName, id: ExecutionId) -> Joined {
        let mut lines = self.lines.lock();
        let all: usize = lines.values().map(|line| line.known.len()).sum();
        let of_tenant = lines.get(tenant).map_or(0, |line| line.known.len());
        if lines.get(tenant).is_some_and(|line| line.known.contains(&id)) {
            return Joined::Waits;
        }
        if all >= LINES_MAX || of_tenant >= LINE_MAX {
            return Joined::Full;
        }
        let line = lines.entry(tenant.clone()).or_default();
        line.known.insert(id);
        line.waiting.push_back(id);
        if line.tasks >= self.per_tenant {
            return Joined::Waits;
        }
        line.tasks += 1;
        Joined::Begin
    }

    /// The next execution of a line; `None` ends the task that asks. `done` is the one that it had before.
    pub(super) fn next(&self, tenant: &TenantName, done: Option<ExecutionId>) -> Option<ExecutionId> {
        let mut lines = self.lines.lock();
        let line = lines.get_mut(tenant)?;
        if let Some(done) = done {
            line.known.remove(&done);
        }
        let next = line.waiting.pop_front();
        if next.is_none() {
            line.tasks -= 1;
            if line.tasks == 0 {
                lines.remove(tenant);
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::DurationMs;

    fn apart() -> Apart {
        Apart::new(WorkbenchPolicy { threads: 4, threads_per_tenant: 2, deadline: DurationMs(50) })
    }

    fn execution(number: u128) -> ExecutionId {
        ExecutionId::from_uuid(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn a_tenant_has_its_share_and_a_line() {
        let (apart, a, b) = (apart(), TenantName::trusted("a"), TenantName::trusted("b"));
        let joined: Vec<Joined> = (1..=3).map(|number| apart.join(&a, execution(number))).collect();
        assert_eq!(joined, [Joined::Begin, Joined::Begin, Joined::Waits]);
        assert_eq!(apart.join(&b, execution(9)), Joined::Begin, "another tenant has a share of its own");
        assert_eq!(apart.join(&a, execution(3)), Joined::Waits, "it is there already");
        let first = apart.next(&a, None);
        assert_eq!((first, apart.next(&a, None)), (Some(execution(1)), Some(execution(2))));
        assert_eq!(apart.next(&a, first), Some(execution(3)));
        assert_eq!((apart.next(&a, Some(execution(3))), apart.next(&a, Some(execution(2)))), (None, None));
        assert_eq!(apart.join(&a, execution(1)), Joined::Begin, "it can come again");
    }

    #[test]
    fn lines_are_bounded() {
        let (apart, a) = (apart(), TenantName::trusted("a"));
        for number in 0..LINE_MAX as u128 {
            assert_ne!(apart.join(&a, execution(number)), Joined::Full);
        }
        assert_eq!(apart.join(&a, execution(LINE_MAX as u128)), Joined::Full);
        assert_eq!(apart.join(&TenantName::trusted("b"), execution(0)), Joined::Begin);
    }
}

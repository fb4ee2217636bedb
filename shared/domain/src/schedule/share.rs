//! What each tenant has of one check of schedules, so that what one of them brings keeps nobody else's from firing.
//!
//! A tenant's workflows and inputs may take so much work in a check. What is beyond that stays due, and has its turn in a later
//! check, as of the instant at which it was due first: it is late, and not missed. Of what is read at once, what takes long comes
//! last. Work is counted and never timed, so that the same schedules have their turn on any machine.

use std::collections::{HashMap, HashSet};

use crate::id::ScheduleId;
use crate::names::TenantName;
use crate::time::{DurationMs, Timestamp};

/// How many bytes of input count as one schedule more that is left.
const BYTES_PER_LEFT: u64 = 8 * 1024;

/// Of how many schedules is known since when they are put off.
const PUT_OFF_MAX: usize = 100_000;
/// After which time a schedule that was put off, and never had its turn, is forgotten: it was deleted or paused.
const PUT_OFF_FOR_MAX: DurationMs = DurationMs::from_secs(24 * 3_600);
/// How often the forgotten make room, at most: that goes through all.
const SWEPT_EVERY: DurationMs = DurationMs::from_secs(60);

/// Bounds of what one check does for each tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckBounds {
    /// How many schedules are read and have their turn at once.
    pub window: u32,
    /// How many looks the workflows and inputs of a tenant may take, in the unit of
    /// [`InputSchema::looks`](crate::workflow::expression::InputSchema::looks). Who has any left may take more once, so that
    /// the largest input has its turn too.
    pub looks_per_tenant: u64,
    /// How many schedules of a tenant may stay due in a check before the check goes on without the tenant. A large input counts as
    /// several.
    pub left_per_tenant: u64,
    /// How many of all tenants together. They are read again with each window of schedules.
    pub left_max: u64,
}

impl Default for CheckBounds {
    /// 2,000 at once; about a second of work; 1,000 that stay due of a tenant and 5,000 of all.
    fn default() -> Self {
        Self { window: 2_000, looks_per_tenant: 10_000_000, left_per_tenant: 1_000, left_max: 5_000 }
    }
}

/// A schedule that had its turn in a check and is due all the same.
#[derive(Debug)]
struct Left {
    tenant: TenantName,
    bytes: u64,
}

impl Left {
    const fn weight(&self) -> u64 {
        1 + self.bytes / BYTES_PER_LEFT
    }
}

/// What the tenants took of one check, and what is left for a later one.
#[derive(Debug)]
pub struct CheckShares {
    bounds: CheckBounds,
    looks: HashMap<TenantName, u64>,
    put_off: HashMap<TenantName, usize>,
    /// What takes long has its turn at the end of its window.
    deferred: HashSet<ScheduleId>,
    is_at_end: bool,
    /// They are the longest overdue, and keep nobody from theirs: each window is so much larger.
    left: HashMap<ScheduleId, Left>,
    over: Vec<TenantName>,
}

impl CheckShares {
    /// Nobody has taken anything.
    pub fn new(bounds: CheckBounds) -> Self {
        Self {
            bounds,
            looks: HashMap::new(),
            put_off: HashMap::new(),
            deferred: HashSet::new(),
            is_at_end: false,
            left: HashMap::new(),
            over: Vec::new(),
        }
    }

    /// Whether workflows may be looked up for a tenant.
    pub fn has_looks(&self, tenant: &TenantName) -> bool {
        self.looks.get(tenant).copied().unwrap_or(0) < self.bounds.looks_per_tenant
    }

    /// Whether work that takes long may be done for a tenant.
    pub fn may_check(&self, tenant: &TenantName) -> bool {
        self.is_at_end && self.has_looks(tenant)
    }

    /// Counts work that was done for a tenant.
    pub fn spend(&mut self, tenant: &TenantName, looks: u64) {
        let spent = self.looks.entry(tenant.clone()).or_default();
        *spent = spent.saturating_add(looks);
    }

    /// A schedule needs work that may not be done now. Answers whether it is put off to a later check, because its tenant has used
    /// its share; else it has another turn at the end of its window.
    pub fn put_off_one(&mut self, id: ScheduleId, tenant: &TenantName) -> bool {
        if self.is_at_end {
            *self.put_off.entry(tenant.clone()).or_default() += 1;
        } else {
            self.deferred.insert(id);
        }
        self.is_at_end
    }

    /// Begins a window: what takes long has to wait for its end.
    pub fn begin_window(&mut self) {
        self.is_at_end = false;
    }

    /// Comes to the end of a window; answers what has another turn now.
    pub fn end_window(&mut self) -> HashSet<ScheduleId> {
        self.is_at_end = true;
        std::mem::take(&mut self.deferred)
    }

    /// How many schedules of each tenant were put off.
    pub const fn put_off(&self) -> &HashMap<TenantName, usize> {
        &self.put_off
    }

    /// A schedule has its turn. Unless it is settled, it stays due, and has no other in this check.
    pub fn leave(&mut self, id: ScheduleId, tenant: &TenantName, bytes: u64) {
        self.left.insert(id, Left { tenant: tenant.clone(), bytes });
    }

    /// A schedule was moved on.
    pub fn settle(&mut self, id: ScheduleId) {
        self.left.remove(&id);
    }

    /// Whether a schedule had its turn.
    pub fn is_left(&self, id: ScheduleId) -> bool {
        self.left.contains_key(&id)
    }

    /// How many schedules are left, and how many bytes of input they have.
    pub fn left(&self) -> (usize, u64) {
        (self.left.len(), self.left.values().map(|left| left.bytes).sum())
    }

    /// Keeps those that are due still: what others moved on meanwhile is left to nobody.
    pub fn keep_due(&mut self, due: impl Iterator<Item = ScheduleId>) {
        if !self.left.is_empty() {
            let due: HashSet<ScheduleId> = due.collect();
            self.left.retain(|id, _| due.contains(id));
        }
    }

    /// Ends the turn of tenants of which too much is left, so that the check can go on with the others. Answers whether
    /// there were any. Of tenants that have too much only together, those with the most end theirs.
    pub fn end_turns(&mut self) -> bool {
        let mut weights: HashMap<&TenantName, u64> = HashMap::new();
        for left in self.left.values() {
            *weights.entry(&left.tenant).or_default() += left.weight();
        }
        let mut weight: u64 = weights.values().sum();
        let mut most: Vec<(u64, TenantName)> =
            weights.into_iter().map(|(tenant, weight)| (weight, tenant.clone())).collect();
        most.sort_unstable_by(|one, other| other.cmp(one));
        let mut ended = HashSet::new();
        for (own, tenant) in most {
            if own > self.bounds.left_per_tenant || weight > self.bounds.left_max {
                weight -= own;
                ended.insert(tenant);
            }
        }
        self.left.retain(|_, left| !ended.contains(&left.tenant));
        let is_any = !ended.is_empty();
        self.over.extend(ended);
        is_any
    }

    /// The tenants whose turn has ended.
    pub fn over(&self) -> &[TenantName] {
        &self.over
    }
}

/// Puts what is due into an order in which tenants take turns. What a tenant has stays in its order.
pub fn in_turn<T>(due: Vec<T>, tenant: impl Fn(&T) -> &TenantName) -> Vec<T> {
    let mut rounds: HashMap<TenantName, usize> = HashMap::new();
    let mut placed = Vec::with_capacity(due.len());
    for one in due {
        let tenant = tenant(&one);
        let round = rounds.get(tenant).map_or(0, |last| last + 1);
        rounds.insert(tenant.clone(), round);
        placed.push((round, one));
    }
    placed.sort_by_key(|(round, _)| *round);
    placed.into_iter().map(|(_, one)| one).collect()
}

/// Since when schedules wait for their tenant's next share. Their slots are decided as of then, because it was no fault of
/// theirs that they were not on time.
#[derive(Debug, Default)]
pub struct PutOffSchedules {
    waits: HashMap<ScheduleId, Waits>,
    swept_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy)]
struct Waits {
    /// Where the schedule stood. With another cursor it has been edited, or had its turn elsewhere.
    cursor: Timestamp,
    since: Timestamp,
}

impl PutOffSchedules {
    /// A schedule is put off, unless it is already. One beyond the bound is not remembered: it is as late as it is.
    pub fn put_off(&mut self, id: ScheduleId, cursor: Timestamp, now: Timestamp) {
        if self.since(id, cursor).is_some() {
            return;
        }
        let is_swept = self.swept_at.is_some_and(|swept_at| now.since(swept_at) < SWEPT_EVERY);
        if self.waits.len() >= PUT_OFF_MAX && !is_swept {
            self.waits.retain(|_, waits| now.since(waits.since) < PUT_OFF_FOR_MAX);
            self.swept_at = Some(now);
        }
        if self.waits.len() < PUT_OFF_MAX {
            self.waits.insert(id, Waits { cursor, since: now });
        }
    }

    /// Since when a schedule with this cursor is put off.
    pub fn since(&self, id: ScheduleId, cursor: Timestamp) -> Option<Timestamp> {
        self.waits.get(&id).filter(|waits| waits.cursor == cursor).map(|waits| waits.since)
    }

    /// A schedule has had its turn.
    pub fn settle(&mut self, id: ScheduleId) {
        self.waits.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const BOUNDS: CheckBounds =
        CheckBounds { window: 10, looks_per_tenant: 100, left_per_tenant: 3, left_max: 5 };
    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    fn id(number: u128) -> ScheduleId {
        ScheduleId::from_uuid(Uuid::from_u128(number))
    }

    fn tenant(name: &str) -> TenantName {
        TenantName::trusted(name)
    }

    /// So many schedules of each tenant are left, none of them with a large input.
    fn shares(left: &[(&str, u128)]) -> CheckShares {
        let mut shares = CheckShares::new(BOUNDS);
        for (place, (name, count)) in left.iter().enumerate() {
            for number in 0..*count {
                shares.leave(id(place as u128 * 100 + number), &tenant(name), 2);
            }
        }
        shares
    }

    #[test]
    fn tenants_take_turns() {
        let due = vec![("a", 1), ("a", 2), ("a", 3), ("b", 4), ("a", 5), ("c", 6), ("b", 7)];
        let due: Vec<_> = due.into_iter().map(|(name, number)| (tenant(name), number)).collect();
        let numbers: Vec<i32> = in_turn(due, |(tenant, _)| tenant).into_iter().map(|one| one.1).collect();
        assert_eq!(numbers, [1, 4, 6, 2, 7, 3, 5]);
    }

    #[test]
    fn a_tenant_has_its_share_and_the_others_have_theirs() {
        let mut shares = CheckShares::new(BOUNDS);
        let (greedy, other) = (tenant("greedy"), tenant("other"));
        shares.spend(&greedy, 99);
        assert!(shares.has_looks(&greedy));
        shares.spend(&greedy, 1_000);
        assert!(!shares.has_looks(&greedy), "the last may be large");
        assert!(shares.has_looks(&other));
        shares.spend(&greedy, u64::MAX);
        assert!(!shares.has_looks(&greedy), "it does not begin again");
    }

    #[test]
    fn what_takes_long_waits_for_the_end_of_its_window() {
        let mut shares = CheckShares::new(BOUNDS);
        let one = tenant("a");
        shares.begin_window();
        assert!(shares.has_looks(&one) && !shares.may_check(&one));
        assert!(!shares.put_off_one(id(1), &one), "it has another turn");
        assert_eq!(shares.end_window(), HashSet::from([id(1)]));
        assert!(shares.may_check(&one) && shares.put_off().is_empty());
        shares.spend(&one, 100);
        assert!(!shares.may_check(&one));
        assert!(shares.put_off_one(id(1), &one), "it waits for another check");
        assert_eq!(shares.put_off().get(&one), Some(&1));
        shares.begin_window();
        assert!(shares.end_window().is_empty());
    }

    #[test]
    fn a_tenant_of_which_too_much_is_left_ends_its_turn() {
        let mut shares = shares(&[("greedy", 4), ("other", 3)]);
        assert!(shares.end_turns());
        assert_eq!(shares.over(), [tenant("greedy")]);
        assert_eq!(shares.left(), (3, 6), "those of the other are left still");
        assert!(!shares.end_turns(), "nobody else has too much");
    }

    #[test]
    fn of_tenants_with_too_much_together_those_with_the_most_end_their_turns() {
        let mut shares = shares(&[("a", 1), ("b", 3), ("c", 2), ("d", 1)]);
        assert!(shares.end_turns());
        assert_eq!(shares.over(), [tenant("b")]);
        assert_eq!(shares.left().0, 4);
    }

    #[test]
    fn large_inputs_count_as_several() {
        let mut shares = CheckShares::new(BOUNDS);
        shares.leave(id(1), &tenant("a"), 3 * BYTES_PER_LEFT);
        shares.leave(id(2), &tenant("b"), 2 * BYTES_PER_LEFT - 1);
        assert!(shares.end_turns());
        assert_eq!((shares.over(), shares.left().0), ([tenant("a")].as_slice(), 1));
    }

    #[test]
    fn what_others_moved_on_or_was_settled_is_not_left() {
        let mut shares = shares(&[("a", 3)]);
        shares.keep_due([id(0), id(1), id(7)].into_iter());
        assert!(shares.is_left(id(0)) && !shares.is_left(id(2)) && !shares.is_left(id(7)));
        shares.settle(id(0));
        assert_eq!(shares.left(), (1, 2));
    }

    #[test]
    fn what_is_put_off_is_so_since_it_was_due_first() {
        let (mut put_off, cursor) = (PutOffSchedules::default(), NOW.minus(DurationMs::from_secs(60)));
        put_off.put_off(id(1), cursor, NOW);
        let later = NOW.plus(DurationMs::from_secs(300));
        put_off.put_off(id(1), cursor, later);
        assert_eq!(put_off.since(id(1), cursor), Some(NOW));
        assert_eq!(put_off.since(id(1), NOW), None, "it was edited");
        assert_eq!(put_off.since(id(2), cursor), None);
        put_off.put_off(id(1), NOW, later);
        assert_eq!(put_off.since(id(1), NOW), Some(later));
        put_off.settle(id(1));
        assert_eq!(put_off.since(id(1), NOW), None);
    }

    #[test]
    fn what_is_put_off_is_bounded_and_the_forgotten_make_room() {
        let mut put_off = PutOffSchedules::default();
        for number in 0..PUT_OFF_MAX as u128 {
            put_off.put_off(id(number), NOW, NOW);
        }
        put_off.put_off(id(u128::MAX), NOW, NOW.plus(DurationMs(1)));
        assert_eq!(put_off.since(id(u128::MAX), NOW), None);
        let next_day = NOW.plus(PUT_OFF_FOR_MAX);
        put_off.put_off(id(u128::MAX), NOW, next_day);
        assert_eq!(put_off.since(id(u128::MAX), NOW), Some(next_day));
    }
}

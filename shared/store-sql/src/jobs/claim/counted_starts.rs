//! Counting starts in the statement of a claim that goes by what this node remembers.
//!
//! What a rate leaves is known before: nobody else has counted anything while the epoch is the expected one. Not known is when
//! the statement comes to take the jobs, nor how many there are. So the claim says between which instants they may start, makes
//! room as if each started when that costs the most, and leaves adding their number to the statement, which takes nothing where
//! the clock says something else.

use std::collections::HashMap;

use domain::claim::{Lanes, RateTable};
use domain::queue::LaneId;
use domain::rate::{CountTemplate, Rate, RateSubject, StartCount};
use domain::time::{DurationMs, Timestamp};
use store::jobs::ClaimRequest;

use super::grants::Grants;
use super::starts::{columns, stored_expiry};
use crate::bind::{self, Cell, Parameters};
use crate::dialect::Dialect;
use crate::memory_starts::StartMemory;
use crate::store::SqlStore;

/// Usual claims begin to take jobs within this time; rates that do not bear it are counted under the lock.
pub(super) const SPAN_MIN: DurationMs = DurationMs(5);
/// A claim that takes longer counts under the lock, however long its rates would bear.
const SPAN_MAX: DurationMs = DurationMs(250);

/// From when on the jobs of a claim start, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StartInstant {
    at: Timestamp,
    /// Whether they start then exactly.
    is_exact: bool,
}

impl StartInstant {
    /// Of a claim that is about to be sent; `None` where the clock of the database is not known.
    pub(super) fn of(store: &SqlStore, request: &ClaimRequest, memory: &StartMemory) -> Option<Self> {
        match store.lease_now(request.now) {
            Some(now) => Some(Self { at: Timestamp(now), is_exact: true }),
            None => memory.earliest_now().map(|at| Self { at, is_exact: false }),
        }
    }

    /// The instant from which on they start.
    pub(super) fn at(self) -> Timestamp {
        self.at
    }

    /// How long a rate has to bear not to know when they do.
    pub(super) fn tolerance_min(self) -> DurationMs {
        if self.is_exact { DurationMs(0) } else { SPAN_MIN }
    }
}

/// A count that the statement raises.
#[derive(Debug)]
struct Counted {
    subject: RateSubject,
    rate: Rate,
    count: StartCount,
    template: CountTemplate,
}

/// The counts that a claim raises, and by which lanes.
#[derive(Debug)]
pub(super) struct CountedStarts {
    from: Timestamp,
    until: Timestamp,
    counts: Vec<Counted>,
    /// Places in `counts` with the lanes whose jobs count there.
    lanes: Vec<(usize, LaneId)>,
}

impl CountedStarts {
    /// The counts of these grants. Without any, none of their jobs counts; `None` where one of them is not known.
    pub(super) fn of(
        grants: &Grants,
        known: &Lanes,
        table: &RateTable,
        (memory, start): (&StartMemory, StartInstant),
    ) -> Option<Self> {
        let mut places: HashMap<RateSubject, usize> = HashMap::new();
        let mut rates: Vec<Rate> = Vec::new();
        let mut lanes: Vec<(usize, LaneId)> = Vec::with_capacity(grants.rows.len());
        for row in &grants.rows {
            for (subject, rate) in table.subjects(known.get(row.lane)?) {
                let place = *places.entry(subject).or_insert(rates.len());
                if place == rates.len() {
                    rates.push(rate);
                }
                lanes.push((place, row.lane));
            }
        }
        let borne = rates.iter().map(Rate::tolerance).min().unwrap_or(SPAN_MAX).min(SPAN_MAX);
        let until = if start.is_exact { start.at } else { start.at.plus(borne) };
        let mut counts: Vec<Option<Counted>> = rates.iter().map(|_| None).collect();
        for (subject, place) in places {
            let rate = rates[place];
            let count = memory.rooms.remembered(&subject)?.clone().advanced(&rate, start.at);
            let count = count.opened(&rate, until);
            let template = count.template()?;
            counts[place] = Some(Counted { subject, rate, count, template });
        }
        Some(Self { from: start.at, until, counts: counts.into_iter().collect::<Option<_>>()?, lanes })
    }

    /// Whether nothing counts.
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Whether jobs may start at this instant.
    pub(super) fn covers(&self, at: Timestamp) -> bool {
        (self.from..=self.until).contains(&at)
    }

    /// Adds the parameters of the statement that raises the counts.
    pub(super) fn add_to(&self, to: &mut impl Parameters) {
        to.add(self.from.0);
        to.add(self.until.0);
        let counts = self.counts.iter().enumerate().map(|(nth, counted)| {
            let Counted { subject, rate, count, template } = counted;
            let (scope, owner, name) = columns(subject);
            // How many start is not known yet: the row has to stay for as long as the most would fill a bucket.
            let mut most = count.clone();
            if let Rate::Bucket { burst, .. } = rate {
                most.add(*burst);
            }
            [
                Cell::Int(nth as i32),
                Cell::Text(scope),
                Cell::Text(owner),
                Cell::Text(name),
                Cell::Text(&template.head),
                Cell::Long(template.base),
                Cell::Long(template.step),
                Cell::Text(&template.tail),
                Cell::Long(stored_expiry(&most, rate)),
            ]
        });
        bind::add_rows(to, Dialect::Postgres, counts);
        let lanes = self.lanes.iter().map(|&(nth, lane)| [Cell::Int(nth as i32), Cell::Int(lane.0)]);
        bind::add_rows(to, Dialect::Postgres, lanes);
    }

    /// Remembers what the statement counted, which took one job for each of these lanes. Answers which rates have no room
    /// then, and until when.
    pub(super) fn record(
        self,
        taken: &[LaneId],
        memory: &mut StartMemory,
    ) -> HashMap<RateSubject, Timestamp> {
        let mut of_lanes: HashMap<LaneId, u32> = HashMap::new();
        for &lane in taken {
            *of_lanes.entry(lane).or_insert(0) += 1;
        }
        let mut starts: Vec<u32> = vec![0; self.counts.len()];
        for (place, lane) in self.lanes {
            starts[place] += of_lanes.get(&lane).copied().unwrap_or(0);
        }
        let mut holds = HashMap::new();
        let mut counted = Vec::with_capacity(self.counts.len());
        for (Counted { subject, rate, mut count, .. }, starts) in self.counts.into_iter().zip(starts) {
            if starts == 0 {
                continue;
            }
            count.add(starts);
            if count.room(&rate) == 0 {
                holds.insert(subject.clone(), count.free_at(&rate, 0));
            }
            counted.push((subject, count));
        }
        memory.remember(counted.into_iter());
        holds
    }
}

//! What a plan grants, as the statements that lease jobs read it.

use domain::claim::Grant;
use domain::queue::LaneId;

use crate::bind;
use crate::bind::{Cell, Parameters};
use crate::dialect::Dialect;
use crate::memory_counts::Counts;

/// The grants of a plan, as parameters of a statement.
pub(super) struct Grants {
    pub(super) rows: Vec<GrantRow>,
    /// How many jobs each may give.
    pub(super) takes: Vec<u32>,
    /// How many of those that were never claimed.
    pub(super) firsts: Vec<u32>,
    /// Whether rates or limits of job types keep something back.
    pub(super) is_counted: bool,
}

/// Which jobs of a lane are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All.
    All,
    /// Those that were never claimed.
    First,
    /// Those that were claimed before.
    Resumed,
}

/// One lane of a grant, or a part of it.
pub(super) struct GrantRow {
    pub(super) nth: i32,
    pub(super) part: Part,
    pub(super) lane: LaneId,
    pub(super) take: i32,
    /// Jobs of the lane are looked for after this position.
    pub(super) floor: i64,
}

impl Grants {
    /// The lanes of these grants with their floors.
    pub(super) fn of(grants: &[Grant], counts: &Counts) -> Self {
        let mut rows = Vec::with_capacity(grants.len());
        for (nth, grant) in grants.iter().enumerate() {
            for (place, &lane) in grant.lanes.iter().enumerate() {
                let cap = grant.caps.get(place).map_or(grant.take, |&cap| cap.min(grant.take));
                let row = |part, take: u32, floor| GrantRow {
                    nth: nth as i32,
                    part,
                    lane,
                    take: i32::try_from(take).unwrap_or(i32::MAX),
                    floor,
                };
                match grant.firsts {
                    None if cap > 0 => rows.push(row(Part::All, cap, counts.floor(lane))),
                    None => {}
                    Some(firsts) => {
                        if firsts > 0 {
                            rows.push(row(Part::First, firsts.min(cap), counts.floor(lane)));
                        }
                        rows.push(row(Part::Resumed, cap, 0));
                    }
                }
            }
        }
        Self {
            rows,
            takes: grants.iter().map(|grant| grant.take).collect(),
            firsts: grants.iter().map(|grant| grant.firsts.unwrap_or(grant.take)).collect(),
            is_counted: grants.iter().any(|grant| {
                // Where each lane may give all that is asked for, it is as if there were no caps.
                grant.firsts.is_some() || grant.caps.iter().any(|&cap| cap < grant.take)
            }),
        }
    }

    /// Adds them as the rows of a statement that knows of parts.
    pub(super) fn add_parts_to(&self, to: &mut impl Parameters) {
        let cells = self.rows.iter().map(|row| {
            let nth = row.nth * 4 + row.part as i32;
            [Cell::Int(nth), Cell::Int(row.lane.0), Cell::Int(row.take), Cell::Long(row.floor)]
        });
        bind::add_rows(to, Dialect::Postgres, cells);
    }

    /// Whether a grant has several lanes, whose jobs are merged by position.
    pub(super) fn is_merged(&self) -> bool {
        self.rows.len() > self.takes.len()
    }

    /// Adds them as the rows of a statement.
    pub(super) fn add_to(&self, to: &mut impl Parameters, dialect: Dialect) {
        let cells = self.rows.iter().map(|row| {
            [Cell::Int(row.nth), Cell::Int(row.lane.0), Cell::Int(row.take), Cell::Long(row.floor)]
        });
        bind::add_rows(to, dialect, cells);
    }
}

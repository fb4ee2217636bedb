//! The log of a job's life, phase by phase: what is written from its insert until it is pruned, by kind of record and table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use crate::wal::{Records, Wal, Written};

/// A part of a job's life. All but the last two are its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Enqueue,
    Claim,
    Settle,
    Prune,
    Renew,
    Vacuum,
}

/// What a job costs.
pub(crate) const LIFE: [Phase; 4] = [Phase::Enqueue, Phase::Claim, Phase::Settle, Phase::Prune];

impl Phase {
    /// Its name in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Enqueue => "enqueue",
            Self::Claim => "claim",
            Self::Settle => "settle",
            Self::Prune => "prune",
            Self::Renew => "heartbeat",
            Self::Vacuum => "vacuum",
        }
    }
}

/// The records of each phase.
pub(crate) type Life = BTreeMap<Phase, Records>;

/// Reads the log phase by phase.
pub(crate) struct Course {
    pub(crate) wal: Wal,
    pub(crate) life: Life,
    from: String,
}

impl Course {
    /// Begins on a database, whose tables are vacuumed when that is asked for.
    pub(crate) async fn begin(url: &str, tables: &[&str]) -> Result<Self> {
        let wal = Wal::open(url, tables).await?;
        let from = wal.mark().await?;
        Ok(Self { wal, life: Life::new(), from })
    }

    /// What was written since the last call belongs to this phase.
    pub(crate) async fn end(&mut self, phase: Phase) -> Result<()> {
        let until = self.wal.mark().await?;
        self.wal.add(self.life.entry(phase).or_default(), (&self.from, &until)).await?;
        // Reading may have cleaned pages up, which is nobody's work.
        self.from = self.wal.mark().await?;
        Ok(())
    }
}

/// The sum of a value over all records of these phases.
pub(crate) fn sum(life: &Life, phases: &[Phase], value: impl Fn(&str, &Written) -> i64) -> f64 {
    let of = phases.iter().filter_map(|phase| life.get(phase)).flatten();
    of.map(|((kind, _), written)| value(kind, written)).sum::<i64>() as f64
}

/// The bytes of these phases.
pub(crate) fn bytes(life: &Life, phases: &[Phase]) -> f64 {
    sum(life, phases, |_, written| written.bytes)
}

/// How many versions of rows the life leaves behind that a vacuum removes.
pub(crate) fn deaths(life: &Life) -> f64 {
    sum(life, &LIFE, |kind, written| if is_death(kind) { written.records } else { 0 })
}

/// How many entries of indexes it writes.
pub(crate) fn entries(life: &Life) -> f64 {
    sum(life, &LIFE, |kind, written| if is_entry(kind) { written.records } else { 0 })
}

/// Whether a record leaves a version of a row behind that a vacuum removes.
pub(crate) fn is_death(kind: &str) -> bool {
    matches!(kind, "Heap UPDATE" | "Heap HOT_UPDATE" | "Heap DELETE")
}

/// Whether a record is an entry in an index.
fn is_entry(kind: &str) -> bool {
    matches!(kind, "Btree INSERT_LEAF" | "Btree INSERT_POST" | "Btree SPLIT_L" | "Btree SPLIT_R")
}

/// Records of at least a byte for each job, the largest first.
fn largest(life: &Life, jobs: f64) -> Vec<(Phase, &(String, String), Written)> {
    let all = life
        .iter()
        .flat_map(|(&phase, records)| records.iter().map(move |(of, &written)| (phase, of, written)));
    let mut rows: Vec<_> = all.filter(|(_, _, written)| written.bytes as f64 >= jobs).collect();
    rows.sort_by_key(|(phase, _, written)| (*phase, std::cmp::Reverse(written.bytes)));
    rows
}

/// Its records as a table in Markdown.
pub(crate) fn table(name: &str, life: &Life, jobs: f64) -> String {
    let mut text = format!(
        "### {name}\n\n| phase | record | table or index | records/job | bytes/job | images, bytes/job |\n\
         |---|---|---|---|---|---|"
    );
    for (phase, (kind, relation), written) in largest(life, jobs) {
        let [records, bytes, images] =
            [written.records, written.bytes, written.image_bytes].map(|value| value as f64 / jobs);
        let phase = phase.name();
        let _ = write!(text, "\n| {phase} | {kind} | {relation} | {records:.2} | {bytes:.1} | {images:.1} |");
    }
    text
}

/// Its records as bars of a chart.
pub(crate) fn bars<'a>(name: &'a str, life: &'a Life, jobs: f64) -> impl Iterator<Item = (String, f64)> + 'a {
    let bar = move |(phase, (kind, relation), written): (Phase, &(String, String), Written)| {
        (format!("{name}: {} {relation} {kind}", phase.name()), written.bytes as f64 / jobs)
    };
    largest(life, jobs).into_iter().map(bar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_summed_by_phase_and_listed_by_size() {
        let written = |records, bytes| Written { records, bytes, image_bytes: 0 };
        let of = |kind: &str, relation: &str| (kind.to_owned(), relation.to_owned());
        let mut life = Life::new();
        let claim = life.entry(Phase::Claim).or_default();
        claim.insert(of("Heap UPDATE", "job"), written(10, 2_000));
        claim.insert(of("Btree INSERT_LEAF", "job_leased"), written(10, 3_000));
        claim.insert(of("Heap LOCK", "job"), written(1, 5));
        life.entry(Phase::Renew).or_default().insert(of("Heap UPDATE", "job"), written(10, 9_000));
        assert!((bytes(&life, &LIFE) - 5_005.0).abs() < f64::EPSILON);
        assert!((deaths(&life) - 10.0).abs() < f64::EPSILON, "a lock and a heartbeat are none of its price");
        assert!((entries(&life) - 10.0).abs() < f64::EPSILON);
        let text = table("x", &life, 10.0);
        let rows: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(
            rows,
            [
                "| claim | Btree INSERT_LEAF | job_leased | 1.00 | 300.0 | 0.0 |",
                "| claim | Heap UPDATE | job | 1.00 | 200.0 | 0.0 |",
                "| heartbeat | Heap UPDATE | job | 1.00 | 900.0 | 0.0 |",
            ]
        );
    }
}

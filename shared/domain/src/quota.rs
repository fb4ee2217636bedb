//! What a tenant may keep: how much of what, and whether more of it fits.

words! {
    /// What is counted of a tenant.
    #[derive(PartialOrd, Ord)]
    QuotaKind {
        /// Jobs that have not ended.
        OpenJobs "openJobs",
        /// Executions that have not ended.
        OpenExecutions "openExecutions",
        /// Bytes of the data of open jobs and of the inputs of open executions.
        PayloadBytes "payloadBytes",
        /// Jobs and executions that have ended and are kept.
        HistoryRows "historyRows",
        /// Bytes of deliveries of webhooks that are kept.
        DeliveryBytes "deliveryBytes",
        /// Answers kept for repeats. The quota is that of each API key.
        IdempotencyKeys "idempotencyKeys",
        /// Versions of workflows of its own, which are never removed.
        WorkflowVersions "workflowVersions",
        /// Schedules.
        Schedules "schedules",
        /// Endpoints of webhooks.
        Webhooks "webhooks",
        /// API keys that are bound to it, revoked ones too.
        ApiKeys "apiKeys",
        /// Bytes of versions of workflows with the places of their nodes, of inputs of schedules, and of configurations of webhooks.
        DefinitionBytes "definitionBytes",
        /// Bytes of log lines of jobs that are kept.
        LogBytes "logBytes",
        /// Bytes of what waits to start: gathered events, and starts under a rate.
        WaitingStartBytes "waitingStartBytes",
    }
}

/// What a start that waits counts beside what it starts: its row and the entries of indexes.
pub const WAITING_START_ROW_BYTES: u64 = 1_024;

/// As far as rows that have a quota are counted, one by one.
const ROWS_MAX: u64 = 1_000_000;
/// The largest quota of anything else.
const QUOTA_MAX: u64 = 1 << 60;

impl QuotaKind {
    const fn place(self) -> usize {
        match self {
            Self::OpenJobs => 0,
            Self::OpenExecutions => 1,
            Self::PayloadBytes => 2,
            Self::HistoryRows => 3,
            Self::DeliveryBytes => 4,
            Self::IdempotencyKeys => 5,
            Self::WorkflowVersions => 6,
            Self::Schedules => 7,
            Self::Webhooks => 8,
            Self::ApiKeys => 9,
            Self::DefinitionBytes => 10,
            Self::LogBytes => 11,
            Self::WaitingStartBytes => 12,
        }
    }

    /// The largest quota: rows that people make are counted no further.
    pub const fn largest(self) -> u64 {
        match self {
            Self::WorkflowVersions | Self::Schedules | Self::Webhooks | Self::ApiKeys => ROWS_MAX,
            _ => QUOTA_MAX,
        }
    }

    /// What makes room again, beside a larger quota, as a sentence.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::OpenJobs | Self::OpenExecutions | Self::PayloadBytes => "Work that ends makes room.",
            Self::HistoryRows | Self::DeliveryBytes | Self::LogBytes => "A shorter retention makes room.",
            Self::WaitingStartBytes => "Starts that no longer wait make room.",
            Self::IdempotencyKeys => "Stored responses that expire make room.",
            Self::WorkflowVersions => "Versions of workflows are kept forever.",
            Self::Schedules => "Schedules that are deleted make room.",
            Self::Webhooks => "Webhooks that are deleted make room.",
            Self::ApiKeys => "Revoked keys count as well.",
            Self::DefinitionBytes => "Schedules and webhooks that are deleted make room.",
        }
    }
}

/// How much of each kind; `None` is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quotas([Option<u64>; QuotaKind::ALL.len()]);

impl Quotas {
    /// How much of a kind.
    pub const fn of(&self, kind: QuotaKind) -> Option<u64> {
        self.0[kind.place()]
    }

    /// What a tenant may have where nobody says: as much as there is room for of what ends and is removed by itself, a number of
    /// what only people remove, and a part of the disk for what may wait for a month.
    pub const fn usual() -> Self {
        Self([None; QuotaKind::ALL.len()])
            .with(QuotaKind::IdempotencyKeys, Some(10_000_000))
            .with(QuotaKind::WorkflowVersions, Some(100_000))
            .with(QuotaKind::Schedules, Some(100_000))
            .with(QuotaKind::Webhooks, Some(10_000))
            .with(QuotaKind::ApiKeys, Some(10_000))
            .with(QuotaKind::DefinitionBytes, Some(1 << 30))
            .with(QuotaKind::WaitingStartBytes, Some(1 << 30))
    }

    /// The same quotas with another one of a kind, up to the largest.
    #[must_use]
    pub const fn with(mut self, kind: QuotaKind, quota: Option<u64>) -> Self {
        self.0[kind.place()] = match quota {
            Some(quota) if quota > kind.largest() => Some(kind.largest()),
            quota => quota,
        };
        self
    }
}

/// Whether `more` fits beside what is used. Nothing more always does: a tenant beyond a quota that was lowered keeps what it
/// has.
pub const fn fits(limit: u64, used: u64, more: u64) -> bool {
    more == 0 || used.saturating_add(more) <= limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_their_own_place_and_name() {
        let mut quotas = Quotas::default();
        assert!(QuotaKind::ALL.iter().all(|kind| quotas.of(*kind).is_none()));
        for (number, kind) in QuotaKind::ALL.into_iter().enumerate() {
            quotas = quotas.with(kind, Some(number as u64));
            assert_eq!(QuotaKind::parse(kind.as_str()), Some(kind));
        }
        for (number, kind) in QuotaKind::ALL.into_iter().enumerate() {
            assert_eq!(quotas.of(kind), Some(number as u64), "{kind:?}");
        }
        assert_eq!(QuotaKind::parse("openjobs"), None);
    }

    #[test]
    fn a_quota_is_no_larger_than_what_is_counted() {
        for kind in QuotaKind::ALL {
            let quotas = Quotas::default().with(kind, Some(u64::MAX));
            assert_eq!(quotas.of(kind), Some(kind.largest()), "{kind:?}");
        }
    }

    #[test]
    fn the_last_one_fits_and_the_next_does_not() {
        assert!(fits(10, 9, 1) && !fits(10, 10, 1) && !fits(10, 0, 11));
        assert!(fits(10, 20, 0), "what is there stays");
        assert!(!fits(10, u64::MAX, 1));
    }
}

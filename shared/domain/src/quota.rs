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
    }
}

impl QuotaKind {
    const fn place(self) -> usize {
        match self {
            Self::OpenJobs => 0,
            Self::OpenExecutions => 1,
            Self::PayloadBytes => 2,
            Self::HistoryRows => 3,
            Self::DeliveryBytes => 4,
            Self::IdempotencyKeys => 5,
        }
    }
}

/// How much of each kind; `None` is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quotas([Option<u64>; 6]);

impl Quotas {
    /// How much of a kind.
    pub const fn of(&self, kind: QuotaKind) -> Option<u64> {
        self.0[kind.place()]
    }

    /// The same quotas with another one of a kind.
    #[must_use]
    pub const fn with(mut self, kind: QuotaKind, quota: Option<u64>) -> Self {
        self.0[kind.place()] = quota;
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
    fn the_last_one_fits_and_the_next_does_not() {
        assert!(fits(10, 9, 1) && !fits(10, 10, 1) && !fits(10, 0, 11));
        assert!(fits(10, 20, 0), "what is there stays");
        assert!(!fits(10, u64::MAX, 1));
    }
}

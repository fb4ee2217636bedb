//! Say what a tenant uses of what it may. What has ended may be millions of rows: they are counted beside the call, which
//! answers what is known by then.

use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use domain::access::Permission;
use domain::names::TenantName;
use domain::quota::QuotaKind;
use domain::time::Timestamp;
use tokio::sync::watch;

use super::histories::{Counting, HistoryFigure, Known, Look};
use super::require_tenant;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::stats::TenantWork;

/// How long a call waits for a count.
const WAITS: Duration = Duration::from_millis(100);

/// One figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageLine {
    /// Of what.
    pub kind: QuotaKind,
    /// How much there is.
    pub used: u64,
    /// Whether that is all, and not what was counted so far.
    pub is_exact: bool,
    /// How much there may be; `None` is unlimited. Of idempotency keys it is for each API key.
    pub quota: Option<u64>,
}

/// What a tenant uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageView {
    /// Whose.
    pub tenant: TenantName,
    /// When it was counted: of several counts the first.
    pub as_of: Timestamp,
    /// All figures.
    pub lines: Vec<UsageLine>,
    /// What its jobs took lately.
    pub work: TenantWork,
}

impl Engine {
    /// Counts what a tenant has, one figure after the other.
    pub async fn tenant_usage(&self, caller: &Caller, tenant: &TenantName) -> Result<UsageView, EngineError> {
        caller.require(Permission::Read)?;
        require_tenant(caller, tenant)?;
        let quotas = self.quotas_of(tenant).await?;
        let mut as_of = self.now();
        let mut lines = Vec::with_capacity(QuotaKind::ALL.len());
        for kind in QuotaKind::ALL {
            let (used, is_exact) = match kind {
                QuotaKind::HistoryRows => {
                    let history = self.history_of(tenant).await;
                    as_of = as_of.min(history.as_of);
                    (history.rows, history.is_exact)
                }
                QuotaKind::LogBytes => self.log_bytes_of(tenant).await?,
                _ => (self.store().shown_usage(tenant, kind).await?, true),
            };
            lines.push(UsageLine { kind, used, is_exact, quota: quotas.of(kind) });
        }
        let work = self.tenant_work(tenant).await?;
        Ok(UsageView { tenant: tenant.clone(), as_of, lines, work })
    }

    /// How many bytes of log lines a tenant has, or at least, where adding them up takes longer than the call waits; and which of
    /// both it is.
    async fn log_bytes_of(&self, tenant: &TenantName) -> Result<(u64, bool), EngineError> {
        let so_far = AtomicU64::new(0);
        let summed = tokio::time::timeout(WAITS, self.store().sum_log_bytes(tenant, &so_far)).await;
        match summed {
            Ok(used) => Ok((used?, true)),
            Err(_) => Ok((so_far.into_inner(), false)),
        }
    }

    /// How much a tenant has of what has ended.
    async fn history_of(&self, tenant: &TenantName) -> HistoryFigure {
        let histories = &self.memory().histories;
        let (known, mut counting) = match histories.look(tenant, self.now(), Instant::now()) {
            Look::Fresh(figure) => return figure,
            Look::Begun(known, counting, ending) => {
                self.count_history(tenant.clone(), counting.clone(), ending);
                (known, counting)
            }
            Look::UnderWay(known, counting) => (known, counting),
        };
        // What took long the last time will not be there in time, and there is an answer already.
        if !known.is_some_and(Known::is_slow) {
            let _ = tokio::time::timeout(WAITS, counting.ended.changed()).await;
        }
        histories.figure(tenant, &counting, Instant::now())
    }

    /// Counts beside the call, also where its caller is gone: whoever asks next finds the figure.
    fn count_history(&self, tenant: TenantName, counting: Counting, ending: watch::Sender<()>) {
        let engine = self.clone();
        tokio::spawn(async move {
            let histories = &engine.memory().histories;
            let Ok(_turn) = histories.turns.acquire().await else { return };
            let begun = Instant::now();
            match engine.store().count_history(&tenant, &counting.so_far).await {
                Ok(rows) => {
                    let now = Instant::now();
                    let took = now.saturating_duration_since(begun);
                    histories.keep(&tenant, Known { rows, as_of: counting.as_of, ended_at: now, took });
                }
                Err(error) => tracing::warn!(
                    tenant.name = %tenant,
                    error = &error as &dyn std::error::Error,
                    "what a tenant has of jobs and executions that have ended could not be counted"
                ),
            }
            drop(ending);
        });
    }
}

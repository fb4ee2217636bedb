//! Examine the deployment: facts are gathered from the database, the processes and this process; `domain` decides what they
//! mean. One list of checks, whoever asks.

use std::sync::Arc;

use domain::access::{Permission, TenantScope};
use domain::dispatch::DispatchMode;
use domain::doctor::{
    CertificateFacts, Check, DispatchFacts, DoctorFacts, KeyFacts, SealingFacts, ServerFacts, check_all,
};
use domain::time::{DurationMs, Timestamp};

use crate::caller::Caller;
use crate::dispatch::DispatchReport;
use crate::engine::Engine;
use crate::error::EngineError;

/// Processes that were silent for this long are not examined.
const SEEN_WITHIN: DurationMs = DurationMs::from_secs(60);
/// For how long a failure to publish is shown.
const FAILED_WITHIN: DurationMs = DurationMs::from_secs(300);
/// How many API keys are read at once, and how many pages of them at most.
const KEYS_PAGE: u32 = 500;
const KEYS_PAGES_MAX: usize = 20;

impl Engine {
    /// How to read the certificates that this process serves with. Later calls change nothing.
    pub fn show_certificates(
        &self,
        certificates: impl Fn() -> Vec<CertificateFacts> + Send + Sync + 'static,
    ) {
        let _ = self.memory().doctor.certificates.set(Arc::new(certificates));
    }

    /// Examines the deployment.
    pub async fn doctor(&self, caller: &Caller) -> Result<Vec<Check>, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_unscoped()?;
        let now = self.now();
        let policy = self.policy().doctor;
        let servers = self.store().list_servers(now.minus(SEEN_WITHIN)).await?;
        let offset = |one: store::operations::ServerRecord| ServerFacts {
            node: one.id.to_string(),
            offset_ms: one.clock_offset_ms,
        };
        let read = self.memory().doctor.certificates.get().cloned();
        let certificates = match read {
            // Files are read.
            Some(read) => tokio::task::spawn_blocking(move || read()).await.ok(),
            None => None,
        };
        let facts = DoctorFacts {
            now,
            database: self.store().diagnose(&policy, now).await?,
            servers: servers.into_iter().map(offset).collect(),
            certificates,
            keys: self.keys_with_an_end(now).await?,
            sealing: self.sealing_facts().await?,
            dispatch: dispatch_facts(&self.dispatch(caller).await?, now),
        };
        Ok(check_all(&facts, &policy))
    }

    /// API keys in force that end some day.
    async fn keys_with_an_end(&self, now: Timestamp) -> Result<Vec<KeyFacts>, EngineError> {
        let (mut found, mut after) = (Vec::new(), None);
        for _ in 0..KEYS_PAGES_MAX {
            let page = self.store().list_keys(&TenantScope::All, after, KEYS_PAGE).await?;
            after = page.last().map(|key| key.id);
            let is_last = page.len() < KEYS_PAGE as usize;
            found.extend(page.into_iter().filter(|key| key.revoked_at.is_none_or(|at| at > now)).filter_map(
                |key| Some(KeyFacts { key: key.id.to_string(), name: key.name, expires_at: key.expires_at? }),
            ));
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    async fn sealing_facts(&self) -> Result<SealingFacts, EngineError> {
        let keys = self.sealing_keys().await?;
        let used = self.store().sealing_keys_in_use().await?;
        Ok(SealingFacts {
            is_in_settings: self.secret_keys().is_some(),
            missing: used.into_iter().filter(|key| !keys.has(key)).collect(),
        })
    }
}

fn dispatch_facts(report: &DispatchReport, now: Timestamp) -> DispatchFacts {
    let view = &report.view;
    let is_owned = |owner: Option<uuid::Uuid>| view.nodes.iter().any(|node| Some(node.id) == owner);
    let without = view.shards.iter().filter(|shard| !is_owned(shard.owner)).count();
    let away = view.nodes.iter().filter_map(|node| Some((node.name.clone(), node.broker_away_since?)));
    let failing = view.nodes.iter().filter_map(|node| {
        let fault = node.figures.last_error.as_ref().filter(|fault| fault.at > now.minus(FAILED_WITHIN))?;
        Some((node.name.clone(), fault.reason.clone(), fault.at))
    });
    let held = view.nodes.iter().flat_map(|node| node.figures.held.iter().cloned());
    DispatchFacts {
        is_kafka: view.mode != DispatchMode::Polling,
        // Without any node nobody relays, which is as it should be.
        shards_without_relay: if view.nodes.is_empty() { (0, 0) } else { (without, view.shards.len()) },
        away: away.collect(),
        standing: view.standing(),
        lag: view.lag(),
        waiting: report.outbox.jobs,
        held: held.collect(),
        failing: failing.collect(),
    }
}

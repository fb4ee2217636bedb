//! Dispatch: this node among the others, all of one mode, and its relay.

use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use domain::dispatch::{DispatchMode, TopicLayout, TopicNames};
use engine::{BrokerState, DispatchPolicy, Engine};
use secrecy::ExposeSecret as _;
use settings::{DatabaseKind, KafkaTopics, Role, Settings};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How often a node says that it is there.
const RENEW_EVERY: Duration = Duration::from_secs(3);

/// What the engine needs of the settings.
pub(super) fn policy(settings: &Settings) -> Option<DispatchPolicy> {
    let dispatch = &settings.dispatch;
    (dispatch.mode == DispatchMode::KafkaOutbox).then(|| DispatchPolicy {
        topics: TopicNames {
            prefix: settings.kafka.topic_prefix.clone(),
            layout: match settings.kafka.topics {
                KafkaTopics::PerType => TopicLayout::PerType,
                KafkaTopics::Single => TopicLayout::Single,
            },
        },
        window: dispatch.window.into(),
        offer_timeout: dispatch.offer_timeout,
    })
}

/// What runs for it.
pub(super) struct Dispatch {
    engine: Engine,
    is_joined: bool,
    stop: CancellationToken,
    renewal: Option<JoinHandle<()>>,
    relay: Option<Relay>,
}

/// Joins the nodes that are there, before anything is started. Fails where they have another mode, or this binary cannot
/// have the one that is set.
pub(super) async fn join(engine: &Engine, settings: &Settings) -> Result<()> {
    if settings.dispatch.mode == DispatchMode::KafkaOutbox && !cfg!(feature = "kafka") {
        bail!(
            "dispatch.mode = \"kafka_outbox\" needs a binary that is built with the feature \"kafka\"; this one is not"
        );
    }
    if !is_shared(settings) {
        return Ok(());
    }
    match engine.join_dispatch(&name(), BrokerState::default()).await {
        Ok(None) => Ok(()),
        Ok(Some(refused)) => Err(anyhow!(refused)),
        Err(error) => Err(error).context("cannot join the other nodes"),
    }
}

/// Starts what keeps the node among the others: the relay, or a renewal alone.
pub(super) fn start(engine: &Engine, settings: &Settings) -> Result<Dispatch> {
    let (stop, is_joined) = (CancellationToken::new(), is_shared(settings));
    let relay = match policy(settings).filter(|_| settings.has_role(Role::Scheduler)) {
        Some(policy) => Some(start_relay(engine, settings, policy)?),
        None => None,
    };
    let renews = is_joined && relay.is_none();
    let renewal = renews.then(|| tokio::spawn(renew(engine.clone(), stop.clone())));
    Ok(Dispatch { engine: engine.clone(), is_joined, stop, renewal, relay })
}

#[cfg(feature = "kafka")]
use relay::RunningRelay as Relay;

#[cfg(feature = "kafka")]
fn start_relay(engine: &Engine, settings: &Settings, policy: DispatchPolicy) -> Result<Relay> {
    let kafka = &settings.kafka;
    let options = relay::KafkaOptions {
        brokers: kafka.brokers.clone(),
        properties: kafka.property_pairs().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        creates_topics: kafka.create_topics,
        partitions: kafka.partitions.into(),
        replicas: (kafka.replication_factor > 0).then(|| kafka.replication_factor.into()),
    };
    if options.creates_topics && options.needs_topics() {
        bail!(
            "with OAUTHBEARER topics are not created: set kafka.create_topics = false, and create them yourself"
        );
    }
    let publisher = relay::KafkaPublisher::new(options).context("cannot use kafka.properties")?;
    let mut options = relay::RelayOptions::new(name(), policy.topics, policy.window, policy.offer_timeout);
    options.envelope = match kafka.envelope {
        settings::KafkaEnvelope::Json => relay::Envelope::Json,
        settings::KafkaEnvelope::Protobuf => relay::Envelope::Protobuf,
    };
    Ok(relay::start(engine.clone(), std::sync::Arc::new(publisher), options))
}

/// There is none without the feature.
#[cfg(not(feature = "kafka"))]
enum Relay {}

#[cfg(not(feature = "kafka"))]
impl Relay {
    #[expect(clippy::unused_async, reason = "it stands for one that is waited for")]
    async fn stop(self) {
        match self {}
    }
}

#[cfg(not(feature = "kafka"))]
fn start_relay(_: &Engine, _: &Settings, _: DispatchPolicy) -> Result<Relay> {
    bail!("this binary is built without the feature \"kafka\"")
}

impl Dispatch {
    /// Ends the relay, and leaves the other nodes. To be called before workers of this process are drained: no offers are
    /// made from then on.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        if let Some(relay) = self.relay {
            relay.stop().await;
        }
        if let Some(renewal) = self.renewal {
            drop(renewal.await);
        }
        if self.is_joined
            && let Err(error) = self.engine.leave_dispatch().await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "the node could not be deregistered");
        }
    }
}

async fn renew(engine: Engine, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(RENEW_EVERY) => {}
        }
        match engine.join_dispatch(&name(), BrokerState::default()).await {
            Ok(None) => {}
            Ok(Some(refused)) => tracing::error!(%refused, "this node should be stopped"),
            Err(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "the node could not be renewed");
            }
        }
    }
}

/// Whether other nodes can be there: a file of SQLite has one owner.
fn is_shared(settings: &Settings) -> bool {
    DatabaseKind::of(settings.database.url.expose_secret()) == Some(DatabaseKind::Postgres)
}

/// Host and process, as people know them.
fn name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim();
    format!("{}, process {}", if host.is_empty() { "unnamed host" } else { host }, std::process::id())
}

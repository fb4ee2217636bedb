//! The parts that a process runs, by its roles: pools, upkeep, the REST interface.

use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::middleware::from_fn;
use domain::names::{JobType, WorkerId};
use engine::{Engine, JOB_TYPE_DELIVERY, JOB_TYPE_SCHEDULE_CHECK};
use scheduler::UpkeepOptions;
use secrecy::ExposeSecret;
use settings::{ConsoleSettings, DatabaseKind, RateLimit, Role, Settings, SmtpEncryption};
use store::{Clock, StoreError};
use store_sql::SqlStore;
use web_console::{ConsoleOptions, SimulationLimits, WorkerPrice};
use worker::egress::{AllowEntry, EgressOptions, ProxyAddress, TenantRule};
use worker::handlers::{DeliveryHandler, ScheduleCheckHandler};
use worker::{Handlers, MailEncryption, MailOptions, NotificationSender, PoolOptions, Pools};

use crate::serve::engine::{Shared, build};
use crate::serve::outside::authorities;

/// Connections of the lease heartbeat, apart from all others so that nothing can keep it waiting.
const HEARTBEAT_CONNECTIONS: u32 = 1;

/// Starts the pools of this process's roles, after the process is registered in the database.
pub(super) async fn start_pools(
    engine: &Engine,
    store: &Arc<SqlStore>,
    clock: &Arc<dyn Clock>,
    shared: Shared,
    settings: &Settings,
) -> Result<Pools> {
    let nonce = engine.entropy().uuid(engine.now());
    let options: Vec<PoolOptions> = settings
        .roles
        .iter()
        .filter_map(|role| role.queue())
        .map(|queue| {
            let of = settings.queues.get(queue);
            PoolOptions {
                queue,
                workers: of.workers as usize,
                lease: of.lease,
                poll_every: of.poll_every,
                worker_id: WorkerId::of_pool(queue, nonce),
            }
        })
        .collect();
    let handlers = handlers(engine, settings, Arc::clone(clock))?;
    if !options.is_empty() {
        let pools = options.iter().map(|pool| pool.worker_id.clone()).collect();
        engine.begin_node(nonce, pools).await.context("cannot register this process in the database")?;
    }
    let (store, clock) = (Arc::clone(store), Arc::clone(clock));
    let heartbeat_engine = move || heartbeat_engine(Arc::clone(&store), Arc::clone(&clock), shared.clone());
    worker::start(engine.clone(), options, handlers, heartbeat_engine)
        .context("cannot start the worker pools")
}

async fn heartbeat_engine(
    store: Arc<SqlStore>,
    clock: Arc<dyn Clock>,
    shared: Shared,
) -> Result<Engine, StoreError> {
    let companion = store.connect_companion(HEARTBEAT_CONNECTIONS).await?;
    Ok(build(companion, clock, shared))
}

/// What carries notifications about alerts, by the rules of HTTP nodes, and to the mail server.
pub(super) fn notification_sender(settings: &Settings) -> Result<NotificationSender> {
    let sender = NotificationSender::new(egress_options(settings)?);
    let sender = sender.context("cannot build the client for notifications")?;
    let smtp = &settings.smtp;
    if !smtp.is_on() {
        return Ok(sender);
    }
    let password = smtp.password.clone().filter(|_| !smtp.username.is_empty());
    let options = MailOptions {
        host: smtp.host.clone(),
        port: smtp.port,
        encryption: match smtp.encryption {
            SmtpEncryption::Starttls => MailEncryption::Starttls,
            SmtpEncryption::Tls => MailEncryption::Tls,
            SmtpEncryption::None => MailEncryption::None,
        },
        credentials: password.map(|password| (smtp.username.clone(), password)),
        from: smtp.from.clone(),
        authorities: authorities(&smtp.tls_ca, "smtp.tls_ca")?,
    };
    sender.with_mail(options).context("cannot use the settings smtp.*")
}

/// What HTTP nodes may call.
pub(super) fn egress_options(settings: &Settings) -> Result<EgressOptions> {
    let egress = &settings.egress;
    let allow = egress.allow.iter().map(|entry| AllowEntry::parse(entry)).collect::<Result<Vec<_>, _>>()?;
    let rest = |entry: &String| entry == "*";
    let deny = egress.deny.iter().filter(|entry| !rest(entry)).map(|entry| AllowEntry::parse(entry));
    // What cannot be read is not repeated: it may hold a password.
    let proxy = match &egress.proxy {
        Some(url) => Some(ProxyAddress::parse(url.expose_secret()).context("cannot use egress.proxy")?),
        None => None,
    };
    Ok(EgressOptions {
        allow,
        deny: deny.collect::<Result<_, _>>()?,
        denies_rest: egress.deny.iter().any(rest),
        proxy,
        tenants: egress.tenants.iter().map(|rule| TenantRule::parse(rule)).collect::<Result<_, _>>()?,
        response_bytes_max: egress.response_bytes_max.as_usize(),
        timeout: egress.timeout.to_std(),
        redirects_max: egress.redirects_max,
    })
}

fn handlers(engine: &Engine, settings: &Settings, clock: Arc<dyn Clock>) -> Result<Handlers> {
    let mut handlers = Handlers::built_in(egress_options(settings)?, clock, Arc::new(engine.clone()))?;
    let check = ScheduleCheckHandler::new(engine.clone());
    handlers.register(JobType::trusted(JOB_TYPE_SCHEDULE_CHECK), Arc::new(check));
    let delivery = DeliveryHandler::new(engine.clone());
    handlers.register(JobType::trusted(JOB_TYPE_DELIVERY), Arc::new(delivery));
    Ok(handlers)
}

/// Whether this process answers REST.
pub(crate) fn answers_rest(settings: &Settings) -> bool {
    settings.has_role(Role::Api) || settings.has_role(Role::Webhooks)
}

/// Everything behind the HTTP port: REST and ingress by the process's roles, and the console beside REST.
///
/// Where `http.public_url` has a path, both kinds of proxies work: those that take it off and those that leave it on.
pub(super) fn http_router(engine: &Engine, settings: &Settings, rest: Router) -> Router {
    let mut router = rest;
    let base_path = base_path(&settings.http.public_url).to_owned();
    if settings.has_role(Role::Api) {
        let entropy = engine.clone();
        let database = match DatabaseKind::of(settings.database.url.expose_secret()) {
            Some(DatabaseKind::Postgres) => "postgres",
            Some(DatabaseKind::Sqlite) | None => "sqlite",
        };
        router = router.merge(web_console::router(ConsoleOptions {
            base_path: base_path.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            database: database.to_owned(),
            sign_in_label: settings.oidc.signs_in().then(|| settings.oidc.label.clone()),
            simulation: simulation_limits(engine, settings),
            price: worker_price(&settings.console),
            random: Arc::new(move || entropy.entropy().secret()),
        }));
    }
    if !base_path.is_empty() {
        router = Router::new().nest(&base_path, router.clone()).fallback_service(router);
    }
    router.layer(from_fn(api::require_host))
}

fn worker_price(console: &ConsoleSettings) -> Option<WorkerPrice> {
    let price = WorkerPrice { worker_hour: console.worker_hour_price, currency: console.currency.clone() };
    (price.worker_hour > 0.0).then_some(price)
}

/// Dry runs in the browser have the limits of those on the server.
fn simulation_limits(engine: &Engine, settings: &Settings) -> SimulationLimits {
    let policy = engine.policy();
    let (definition, evaluation) = (&policy.definition_limits, &policy.evaluation);
    SimulationLimits {
        input_bytes: policy.payload_bytes_max,
        depth: settings.http.json_depth_max as usize,
        definition_bytes: definition.size_bytes_max,
        nodes: definition.nodes_max,
        expression_bytes: definition.expression_bytes_max,
        expression_steps: evaluation.steps_max,
        expression_memory: evaluation.bytes_max,
        step_steps: evaluation.execution_steps_max,
        step_bytes: evaluation.effect_bytes_max,
    }
}

/// The path of the address under which the world reaches the server, without a slash at the end; empty for none.
fn base_path(public_url: &str) -> &str {
    let authority = public_url.split_once("://").map_or("", |(_, rest)| rest);
    authority.find('/').map_or("", |at| authority[at..].trim_end_matches('/'))
}

/// Whether this process answers gRPC.
pub(super) fn answers_grpc(settings: &Settings) -> bool {
    settings.has_role(Role::Api) && settings.grpc.enabled
}

/// The rate of API keys.
pub(super) fn rate_limit(settings: &Settings) -> Option<api::RateLimit> {
    settings.http.rate_limit.map(|limit: RateLimit| api::RateLimit {
        requests: limit.requests.get(),
        per: limit.per,
        burst: limit.requests.get(),
    })
}

/// The REST interface's bounds.
pub(super) fn api_options(settings: &Settings) -> Result<api::ApiOptions> {
    let http = &settings.http;
    let proxies = http.trusted_proxies.iter().map(String::as_str);
    let trusted_proxies = api::TrustedProxies::parse(proxies).context("cannot use http.trusted_proxies")?;
    Ok(api::ApiOptions {
        trusted_proxies,
        is_open: http.open,
        session_cookie: api::SessionCookie {
            path: format!("{}/", base_path(&http.public_url)),
            is_secure: http.public_url.starts_with("https://"),
        },
        sign_in: settings.oidc.signs_in().then(|| api::SignInOptions { public_url: http.public_url.clone() }),
        environment: api::EnvironmentOptions {
            name: settings.console.environment.clone(),
            color: settings.console.color.clone(),
            is_read_only: settings.console.read_only,
        },
        max_body_bytes: http.max_body.as_usize(),
        max_single_body_bytes: http.max_single_body.as_usize(),
        bodies_bytes_max: http.bodies_size.as_usize(),
        body_rate_min_bytes: http.body_rate_min.as_usize(),
        request_timeout: http.request_timeout,
        json_depth_max: http.json_depth_max as usize,
        serves_rest: settings.has_role(Role::Api),
        serves_hooks: settings.has_role(Role::Webhooks),
        ..api::ApiOptions::default()
    })
}

// From settings to the options of upkeep.

/// What upkeep needs of the settings.
pub(super) fn options(settings: &Settings) -> UpkeepOptions {
    UpkeepOptions {
        reap_every: settings.upkeep.reap_every,
        promote_every: settings.upkeep.promote_every,
        prune_every: settings.upkeep.prune_every,
        alerts_every: settings.alerts.evaluate_every,
        ..UpkeepOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::base_path;

    #[test]
    fn the_base_path_is_that_of_the_public_address() {
        let table = [
            ("", ""),
            ("https://ops.example", ""),
            ("https://ops.example/trunkline", "/trunkline"),
            ("http://ops.example:8080/a/b/", "/a/b"),
        ];
        for (url, expected) in table {
            assert_eq!(base_path(url), expected, "{url}");
        }
    }
}

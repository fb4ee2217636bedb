//! Settings of what webhooks and tenants may keep.

use super::key::{Key, QUOTA_COUNT, QUOTA_SIZE, RATE, key};

/// The settings.
pub(super) const KEYS: &[Key] = &[
    key(
        "webhooks.max_body",
        "Maximum body size of webhooks without their own limit.",
        "a number of bytes from 1KiB to 25MiB, such as 512KiB",
    ),
    key(
        "webhooks.rejected_kept",
        "Maximum number of rejected deliveries kept for each webhook.",
        "a whole number from 0 to 1000000",
    ),
    key(
        "webhooks.held_max",
        "Maximum size of verified deliveries held for each webhook while it is paused or over its rate limit; each counts\n\
         its body plus 1KiB. Senders beyond it get 429. 0 disables holding.",
        "a number of bytes up to 1GiB, such as 64MiB",
    ),
    key(
        "webhooks.stored_per_webhook",
        "Maximum size of stored deliveries of one webhook; each counts its body plus 4 KiB. Requests beyond it get 429.",
        QUOTA_SIZE,
    ),
    key(
        "webhooks.stored_per_tenant",
        "Maximum size of stored deliveries of a tenant whose quota delivery_bytes is not set: no tenant can use up what all\n\
         may store.",
        QUOTA_SIZE,
    ),
    key("webhooks.stored", "Maximum size of stored deliveries of all webhooks together.", QUOTA_SIZE),
    key(
        "webhooks.rate_limit_per_address",
        "Rate limit of webhook requests per client address; IPv6 counts by /64.",
        RATE,
    ),
    key("webhooks.rate_limit_per_tenant", "Rate limit of all webhooks of a tenant together.", RATE),
    key(
        "quotas.open_jobs",
        "Maximum number of unfinished jobs of each tenant; PUT /v1/tenants/{tenant}/quotas overrides it. Requests beyond\n\
         a quota get 429; work created by running executions is never rejected.",
        QUOTA_COUNT,
    ),
    key("quotas.open_executions", "Maximum number of unfinished executions of each tenant.", QUOTA_COUNT),
    key(
        "quotas.payload_bytes",
        "Maximum size of payloads of unfinished jobs and inputs of unfinished executions of each tenant.",
        QUOTA_SIZE,
    ),
    key(
        "quotas.history_rows",
        "Maximum number of finished jobs and executions of each tenant; beyond it new ones are rejected.",
        QUOTA_COUNT,
    ),
    key(
        "quotas.delivery_bytes",
        "Maximum size of stored deliveries of each tenant; if unlimited, webhooks.stored_per_tenant applies.",
        QUOTA_SIZE,
    ),
    key(
        "quotas.idempotency_keys",
        "Maximum number of stored idempotency keys of each API key. Stored keys still get their response.",
        QUOTA_COUNT,
    ),
    key(
        "quotas.workflow_versions",
        "Maximum number of workflow versions of each tenant, at most 1000000. Versions are kept forever; shared workflows\n\
         do not count.",
        QUOTA_COUNT,
    ),
    key("quotas.schedules", "Maximum number of schedules of each tenant, at most 1000000.", QUOTA_COUNT),
    key("quotas.webhooks", "Maximum number of webhooks of each tenant, at most 1000000.", QUOTA_COUNT),
    key(
        "quotas.api_keys",
        "Maximum number of API keys of each tenant, at most 1000000. Revoked keys count.",
        QUOTA_COUNT,
    ),
    key(
        "quotas.definition_bytes",
        "Maximum size of workflow versions, schedule inputs and webhook configurations of each tenant.",
        QUOTA_SIZE,
    ),
    key(
        "quotas.log_bytes",
        "Maximum size of stored log lines of jobs of each tenant; each counts 128 bytes more. Lines sent with reports\n\
         beyond it are dropped.",
        QUOTA_SIZE,
    ),
    key(
        "quotas.waiting_start_bytes",
        "Maximum size of waiting starts of triggers (debounce, batch, throttle) of each tenant: inputs and gathered events,\n\
         and 1 KiB for each start.",
        QUOTA_SIZE,
    ),
];

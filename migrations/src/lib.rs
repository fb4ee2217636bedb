//! One ordered list of migrations for SQLite and PostgreSQL.
//!
//! Migrations run before new code, only forward, and never change once released. This crate holds no queries.

mod dialect;
mod m0001_initial;
mod m0002_schedules;
mod m0003_waiting;
mod m0004_webhooks;
mod m0005_claim;
mod m0006_workers;
mod m0007_steps;
mod m0008_look;
mod m0009_lanes;
mod m0010_reap_at;
mod m0011_nodes;
mod m0012_lists;
mod m0013_held;
mod m0014_evaluations;
mod m0015_quotas;
mod m0017_keys;
mod m0018_claims;
mod m0019_secrets;
mod m0020_events;
mod m0021_unique;
mod m0022_search;
mod m0023_batches;
mod m0025_alerts;
mod m0026_audit;
mod m0027_vault;
mod m0028_intake;
mod m0030_idle_lanes;
mod m0031_job_logs;
mod m0032_workflow_sources;
mod m0040_rates;
mod m0043_dispatch;
mod m0046_group_decisions;
mod m0047_worker_drains;
mod m0048_views;
mod m0049_stats;
mod m0050_starts;
mod m0051_intervals;
mod m0052_store_state;
mod m0053_put_off_starts;
mod m0054_rate_keys;
mod m0055_attributes;
mod m0057_retention;
mod m0058_erasure;
mod m0061_row;
mod m0062_payload_keys;
mod m0063_build_pins;
mod m0064_lists;
mod m0065_definition_attributes;
mod m0067_relay_figures;
mod m0068_claims_counted;
mod m0072_list_indexes;
mod m0073_dead_letter_counts;
mod m0076_held_types;
mod m0077_needs;
mod m0080_ignored_versions;
mod m0081_worker_slots;
mod m0082_stat_ends;
mod m0083_audit_subjects;
mod m0084_key_places;

pub use migrator::Migrator;

mod migrator;
mod sql_migration;

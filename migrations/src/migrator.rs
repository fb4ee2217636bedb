//! The list.

use sea_orm_migration::prelude::*;

/// All migrations, in order.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(crate::m0001_initial::MIGRATION),
            Box::new(crate::m0002_schedules::MIGRATION),
            Box::new(crate::m0003_waiting::MIGRATION),
            Box::new(crate::m0004_webhooks::MIGRATION),
            Box::new(crate::m0005_claim::MIGRATION),
            Box::new(crate::m0006_workers::MIGRATION),
            Box::new(crate::m0007_steps::MIGRATION),
            Box::new(crate::m0008_look::MIGRATION),
            Box::new(crate::m0009_lanes::MIGRATION),
            Box::new(crate::m0010_reap_at::MIGRATION),
            Box::new(crate::m0011_nodes::MIGRATION),
            Box::new(crate::m0012_lists::MIGRATION),
            Box::new(crate::m0013_held::MIGRATION),
            Box::new(crate::m0014_evaluations::MIGRATION),
            Box::new(crate::m0015_quotas::MIGRATION),
            Box::new(crate::m0017_keys::MIGRATION),
            Box::new(crate::m0018_claims::MIGRATION),
            Box::new(crate::m0019_secrets::MIGRATION),
            Box::new(crate::m0020_events::MIGRATION),
            Box::new(crate::m0021_unique::MIGRATION),
            Box::new(crate::m0022_search::MIGRATION),
            Box::new(crate::m0023_batches::MIGRATION),
            Box::new(crate::m0025_alerts::MIGRATION),
            Box::new(crate::m0026_audit::MIGRATION),
            Box::new(crate::m0027_vault::MIGRATION),
            Box::new(crate::m0028_intake::MIGRATION),
            Box::new(crate::m0030_idle_lanes::MIGRATION),
            Box::new(crate::m0031_job_logs::MIGRATION),
            Box::new(crate::m0032_workflow_sources::MIGRATION),
            Box::new(crate::m0040_rates::MIGRATION),
            Box::new(crate::m0043_dispatch::MIGRATION),
            Box::new(crate::m0046_group_decisions::MIGRATION),
            Box::new(crate::m0047_worker_drains::MIGRATION),
            Box::new(crate::m0048_views::MIGRATION),
            Box::new(crate::m0049_stats::MIGRATION),
            Box::new(crate::m0050_starts::MIGRATION),
            Box::new(crate::m0051_intervals::MIGRATION),
            Box::new(crate::m0052_store_state::MIGRATION),
            Box::new(crate::m0053_put_off_starts::MIGRATION),
            Box::new(crate::m0054_rate_keys::MIGRATION),
            Box::new(crate::m0055_attributes::MIGRATION),
            Box::new(crate::m0057_retention::MIGRATION),
            Box::new(crate::m0058_erasure::MIGRATION),
            Box::new(crate::m0061_row::MIGRATION),
            Box::new(crate::m0062_payload_keys::MIGRATION),
            Box::new(crate::m0063_build_pins::MIGRATION),
            Box::new(crate::m0064_lists::MIGRATION),
            Box::new(crate::m0065_definition_attributes::MIGRATION),
            Box::new(crate::m0067_relay_figures::MIGRATION),
            Box::new(crate::m0068_claims_counted::MIGRATION),
            Box::new(crate::m0072_list_indexes::MIGRATION),
            Box::new(crate::m0073_dead_letter_counts::MIGRATION),
            Box::new(crate::m0076_held_types::MIGRATION),
            Box::new(crate::m0077_needs::MIGRATION),
            Box::new(crate::m0080_ignored_versions::MIGRATION),
            Box::new(crate::m0081_worker_slots::MIGRATION),
            Box::new(crate::m0082_stat_ends::MIGRATION),
            Box::new(crate::m0083_audit_subjects::MIGRATION),
            Box::new(crate::m0084_key_places::MIGRATION),
            Box::new(crate::m0085_tenant_bounds::MIGRATION),
            Box::new(crate::m0086_fewer_entries::MIGRATION),
        ]
    }
}

//! The list.

use sea_orm_migration::prelude::*;

/// All migrations, in order.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(crate::m0001_initial::Migration),
            Box::new(crate::m0002_schedules::Migration),
            Box::new(crate::m0003_waiting::Migration),
            Box::new(crate::m0004_webhooks::Migration),
            Box::new(crate::m0005_claim::Migration),
            Box::new(crate::m0006_workers::Migration),
            Box::new(crate::m0007_steps::Migration),
            Box::new(crate::m0008_look::Migration),
            Box::new(crate::m0009_lanes::Migration),
            Box::new(crate::m0010_reap_at::Migration),
            Box::new(crate::m0011_nodes::Migration),
            Box::new(crate::m0012_lists::Migration),
            Box::new(crate::m0013_held::Migration),
            Box::new(crate::m0014_evaluations::Migration),
            Box::new(crate::m0015_quotas::Migration),
            Box::new(crate::m0017_keys::Migration),
            Box::new(crate::m0018_claims::Migration),
            Box::new(crate::m0019_secrets::Migration),
        ]
    }
}

//! Alerts: what operators set, alerts as they stand, notifications, and what rules are measured by.

mod measure;
mod notifications;
mod rows;
mod specs;
mod table;
mod verbs;

pub(crate) use measure::disk_used;

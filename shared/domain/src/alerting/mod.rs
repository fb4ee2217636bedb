//! Alerts: rules over what is measured, when they fire and resolve, and who is notified how often.
//!
//! Decisions only. What is measured, stored and sent comes from elsewhere.

mod alert;
mod backoff;
mod metric;
mod route;
mod rule;
mod signature;
mod silence;

pub use alert::{Alert, AlertStatus, Change, Labels, Sample, step};
pub use backoff::SendBackoff;
pub use metric::{AlertMetric, Unit};
pub use route::{AlertRoute, RouteKind, mail_text, slack_text};
pub use rule::{AlertRule, AlertScope, Severity, Threshold, default_rules, is_name};
pub use signature::{new_secret, signed_headers, signing_key};
pub use silence::{Silence, silenced_by};

#[cfg(test)]
mod tests;

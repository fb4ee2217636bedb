//! Routes: where notifications go.

use super::rule::{is_name, name_expected};
use crate::error::Fault;
use crate::time::DurationMs;

/// What a route is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// A line in the log of the process.
    Log,
    /// A webhook that is signed by Standard Webhooks.
    Webhook,
    /// A webhook in the form that Slack takes.
    Slack,
}

impl RouteKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Log, Self::Webhook, Self::Slack];

    /// The public and stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Webhook => "webhook",
            Self::Slack => "slack",
        }
    }

    /// The kind with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRoute {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: RouteKind,
    /// The address of a webhook.
    pub url: Option<String>,
    /// Whether ends of alerts are sent, too.
    pub send_resolved: bool,
    /// How often a firing alert is sent again.
    pub repeat_every: Option<DurationMs>,
}

impl AlertRoute {
    /// What is wrong with it.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !is_name(&self.name) {
            faults.push(Fault::new("/name", name_expected()));
        }
        let needs_url = matches!(self.kind, RouteKind::Webhook | RouteKind::Slack);
        let is_http = |url: &String| {
            (url.starts_with("https://") || url.starts_with("http://"))
                && url.len() <= 2_000
                && !url.chars().any(|c| c.is_control() || c == ' ')
        };
        match &self.url {
            Some(url) if needs_url && is_http(url) => {}
            None if !needs_url => {}
            Some(_) if !needs_url => faults.push(Fault::new("/url", "a route of this type has no url")),
            _ => faults.push(Fault::new("/url", "expected an address that begins with https:// or http://")),
        }
        if self.repeat_every.is_some_and(|every| every < DurationMs::from_secs(60)) {
            faults.push(Fault::new("/repeatEvery", "expected a duration from 1m"));
        }
        faults
    }
}

/// What Slack shows of a notification.
pub fn slack_text(kind: &str, severity: &str, summary: &str) -> String {
    let what = match kind {
        "alert.firing" => "FIRING",
        "alert.resolved" => "RESOLVED",
        _ => "TEST",
    };
    // Slack reads these three as markup.
    let summary = summary.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("[{what}, {severity}] {summary}")
}

//! What `webhook create` and `webhook update` send: the options that were given, over what is there.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::commands::choices::priorities;
use crate::commands::find;
use crate::output::note;

/// The fields of an endpoint that an update keeps as they are shown.
const KEPT: [&str; 11] = [
    "name",
    "provider",
    "scheme",
    "publicUrl",
    "dedupe",
    "rateLimit",
    "maxBody",
    "respondWith",
    "paused",
    "triggers",
    "version",
];

/// Options that describe an endpoint.
#[derive(Debug, Args)]
pub(super) struct WebhookArgs {
    /// Workflow to start
    #[arg(long)]
    workflow: Option<String>,
    /// Workflow version (default: the latest)
    #[arg(long, requires = "workflow")]
    workflow_version: Option<u32>,
    /// Event type to match, such as push or issue.*; repeatable
    #[arg(long = "event", value_name = "TYPE", requires = "workflow")]
    events: Vec<String>,
    /// CEL condition to match, such as "body.ref == 'refs/heads/main'"
    #[arg(long, value_name = "CEL", requires = "workflow")]
    filter: Option<String>,
    /// Execution input, with ${…} expressions over the delivery: JSON, @FILE, or - (default: the body)
    #[arg(long, requires = "workflow")]
    input: Option<String>,
    /// Priority
    #[arg(long, requires = "workflow", value_parser = priorities())]
    priority: Option<String>,
    /// A complete trigger as JSON or @FILE, instead of --workflow; repeatable
    #[arg(long = "trigger", value_name = "JSON", conflicts_with = "workflow")]
    triggers: Vec<String>,
    #[command(flatten)]
    secret: SecretArgs,
    /// Read Meta's verify token from this file
    #[arg(long, value_name = "FILE")]
    verify_token_file: Option<PathBuf>,
    /// Signature scheme for the provider hmac: JSON or @FILE
    #[arg(long, value_name = "JSON")]
    scheme: Option<String>,
    /// Public URL of the webhook, for providers that sign the URL
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Deduplication key: auto, body, none, header:NAME or field:/POINTER
    #[arg(long, value_name = "HOW")]
    dedupe: Option<String>,
    /// Deduplication window, such as 24h
    #[arg(long, value_name = "DURATION")]
    dedupe_window: Option<String>,
    /// Rate limit, such as 100/1s
    #[arg(long, value_name = "COUNT/SPAN")]
    rate_limit: Option<String>,
    /// Burst size of the rate limit
    #[arg(long, value_name = "COUNT", requires = "rate_limit")]
    burst: Option<u32>,
    /// Maximum body size, such as 1MiB
    #[arg(long, value_name = "BYTES")]
    max_body: Option<String>,
    /// Status code of responses to accepted deliveries: 200, 202 or 204
    #[arg(long, value_name = "STATUS")]
    respond_with: Option<u16>,
}

impl WebhookArgs {
    /// What is sent: these options over `fields`.
    pub(super) fn body(self, mut fields: Map<String, Value>) -> Result<Value> {
        if let Some(triggers) = self.given_triggers()? {
            fields.insert("triggers".into(), triggers);
        }
        if let Some(text) = &self.scheme {
            fields.insert("scheme".into(), find::json(text)?);
        }
        if let Some(dedupe) = self.given_dedupe(fields.get("dedupe")) {
            fields.insert("dedupe".into(), dedupe);
        }
        if let Some(text) = &self.rate_limit {
            fields.insert("rateLimit".into(), rate_limit(text, self.burst)?);
        }
        for (name, value) in [("publicUrl", &self.public_url), ("maxBody", &self.max_body)] {
            if let Some(value) = value {
                fields.insert(name.into(), number_or_text(value));
            }
        }
        if let Some(status) = self.respond_with {
            fields.insert("respondWith".into(), json!(status));
        }
        if let Some(path) = &self.verify_token_file {
            fields.insert("verifyToken".into(), json!(from_file(path)?));
        }
        if let Some(secret) = self.secret.read()? {
            fields.insert("secrets".into(), json!([secret]));
        }
        Ok(Value::Object(fields))
    }

    fn given_triggers(&self) -> Result<Option<Value>> {
        let Some(workflow) = &self.workflow else {
            let whole: Vec<Value> =
                self.triggers.iter().map(|text| find::json(text)).collect::<Result<_>>()?;
            return Ok((!whole.is_empty()).then_some(Value::Array(whole)));
        };
        let mut trigger = Map::new();
        trigger.insert("workflow".into(), json!(workflow));
        if let Some(version) = self.workflow_version {
            trigger.insert("version".into(), json!(version));
        }
        if !self.events.is_empty() {
            trigger.insert("events".into(), json!(self.events));
        }
        if let Some(text) = &self.input {
            trigger.insert("input".into(), find::json(text)?);
        }
        for (name, value) in [("filter", &self.filter), ("priority", &self.priority)] {
            if let Some(value) = value {
                trigger.insert(name.into(), json!(value));
            }
        }
        Ok(Some(json!([trigger])))
    }

    fn given_dedupe(&self, present: Option<&Value>) -> Option<Value> {
        let mut dedupe = present.and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, value) in [("on", &self.dedupe), ("window", &self.dedupe_window)] {
            if let Some(value) = value {
                dedupe.insert(name.into(), json!(value));
            }
        }
        (self.dedupe.is_some() || self.dedupe_window.is_some()).then_some(Value::Object(dedupe))
    }
}

/// What an update keeps of an endpoint as it is shown.
pub(super) fn kept(shown: &Value) -> Map<String, Value> {
    let kept = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), shown.get(*name)?.clone())));
    kept.collect()
}

fn number_or_text(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| json!(text), |number| json!(number))
}

fn rate_limit(text: &str, burst: Option<u32>) -> Result<Value> {
    let Some((count, span)) = text.split_once('/') else {
        bail!("--rate-limit: expected a count and a period, such as 100/1s");
    };
    let requests: u32 =
        count.trim().parse().context("--rate-limit: expected a count and a period, such as 100/1s")?;
    let mut limit =
        Map::from_iter([("requests".to_owned(), json!(requests)), ("per".to_owned(), json!(span.trim()))]);
    if let Some(burst) = burst {
        limit.insert("burst".into(), json!(burst));
    }
    Ok(Value::Object(limit))
}

// Where secrets come from: a file or standard input. The arguments of a command are seen by every process of the
// machine and kept in the shell's history.

/// Where a secret comes from.
#[derive(Debug, Args)]
pub(super) struct SecretArgs {
    /// Read the secret from standard input
    #[arg(long, conflicts_with_all = ["secret_file", "secret"])]
    secret_stdin: bool,
    /// Read the secret from this file
    #[arg(long, value_name = "FILE", conflicts_with = "secret")]
    secret_file: Option<PathBuf>,
    /// Secret; visible to other processes and in shell history, so prefer the other two options
    #[arg(long, value_name = "SECRET")]
    secret: Option<String>,
}

impl SecretArgs {
    /// The secret, if one is given.
    pub(super) fn read(self) -> Result<Option<String>> {
        if let Some(secret) = self.secret {
            note!(
                "warning: --secret shows the secret to other processes and to the shell's history; use --secret-stdin or --secret-file, and rotate this one"
            );
            return Ok(Some(secret));
        }
        if let Some(path) = self.secret_file {
            return from_file(&path).map(Some);
        }
        if !self.secret_stdin {
            return Ok(None);
        }
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read the secret from standard input")?;
        one_line(&text).map(Some)
    }
}

/// The secret that a file holds.
pub(super) fn from_file(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    one_line(&text).with_context(|| path.display().to_string())
}

/// Editors and `echo` end a line that the secret does not have.
fn one_line(text: &str) -> Result<String> {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    ensure!(!line.is_empty() && !line.contains('\n'), "expected a secret on one line");
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{one_line, *};

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        webhook: WebhookArgs,
    }

    fn body(arguments: &[&str], fields: Value) -> Value {
        let Value::Object(fields) = fields else { panic!("an object") };
        let line = [&["test"], arguments].concat();
        Line::parse_from(line).webhook.body(fields).expect("sound options")
    }

    #[test]
    fn options_go_over_what_is_there() {
        let arguments =
            ["--workflow", "build", "--event", "push", "--event", "issue.*", "--filter", "body.x == 1"];
        assert_eq!(
            body(&arguments, json!({"name": "a"})),
            json!({"name": "a", "triggers": [
                {"workflow": "build", "events": ["push", "issue.*"], "filter": "body.x == 1"}
            ]})
        );
        let present = json!({"dedupe": {"on": "auto", "window": "1h"}, "triggers": [{"workflow": "w"}]});
        assert_eq!(
            body(&["--dedupe", "header:X-Id", "--rate-limit", "5/1s", "--max-body", "9"], present),
            json!({
                "dedupe": {"on": "header:X-Id", "window": "1h"}, "triggers": [{"workflow": "w"}],
                "rateLimit": {"requests": 5, "per": "1s"}, "maxBody": 9
            })
        );
        assert!(rate_limit("5", None).is_err() && rate_limit("x/1s", None).is_err());
    }

    #[test]
    fn what_is_only_shown_is_not_sent() {
        let shown = json!({"id": "whk_1", "name": "a", "warnings": [], "secrets": [], "version": 3});
        assert_eq!(Value::Object(kept(&shown)), json!({"name": "a", "version": 3}));
    }

    #[test]
    fn only_the_end_of_the_line_is_cut() {
        assert_eq!(one_line("abc\n").expect("a line"), "abc");
        assert_eq!(one_line("abc\r\n").expect("a line"), "abc");
        assert_eq!(one_line(" a b ").expect("a line"), " a b ");
        assert!(one_line("").is_err() && one_line("\n").is_err() && one_line("a\nb\n").is_err());
    }
}

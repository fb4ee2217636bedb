//! What a node, an item or a compensation does, with its expressions evaluated; and how a job or a child is begun.

use serde_json::{Map, Value};

use crate::failure::JobError;
use crate::names::{CallerKey, JobType, NodeId, WorkflowName};
use crate::queue::Tier;
use crate::secret::HeaderPart;
use crate::time::DurationMs;
use crate::workflow::advance::transition::{Transition, child_execution_id, node_job_id};
use crate::workflow::definition::{JobKeys, Node, NodeKind, RetrySpec, Task};
use crate::workflow::execution::{
    ChildStart, Effect, JOB_TYPE_HTTP, JOB_TYPE_HTTP_SECRETS, NodeJob, NodeStatus, Wait,
};
use crate::workflow::expression::{EvaluationError, OUTPUT_BYTES_MAX, Scope, Template, bytes_of};
use crate::workflow::parse::is_http;
use crate::workflow::unique::to_key;

/// The code of a node whose expression could not be evaluated.
pub(super) const CODE_EXPRESSION: &str = "expression";

/// What is to be done.
pub(super) enum Work {
    /// Nothing more: it was done in place.
    Done(Value),
    /// A job.
    Job {
        /// The handler.
        job_type: JobType,
        /// What it gets.
        data: Value,
        /// Under which keys it runs.
        keys: Keys,
    },
    /// A child.
    Child {
        /// Its workflow.
        workflow: WorkflowName,
        /// Its version.
        version: Option<u32>,
        /// Its input.
        input: Value,
    },
}

/// The keys of a job.
#[derive(Default)]
pub(super) struct Keys {
    concurrency: Option<CallerKey>,
    rate: Option<CallerKey>,
}

impl Keys {
    /// Evaluates the keys of a node.
    fn of(keys: &JobKeys, scope: &Scope<'_>) -> Result<Self, JobError> {
        let key = |field: &str, template: &Option<Template>| {
            let Some(template) = template else { return Ok(None) };
            match template.render(scope).map_err(|error| to_job_error(&error))? {
                Value::Null => Ok(None),
                value => to_key(value).map(Some).map_err(|why| {
                    JobError::coded(CODE_EXPRESSION, format!("the {field} cannot be evaluated: {why}"))
                }),
            }
        };
        Ok(Self { concurrency: key("concurrencyKey", &keys.concurrency)?, rate: key("rateKey", &keys.rate)? })
    }
}

/// The terms on which a job or a child runs.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    tier: Tier,
    retry: Option<RetrySpec>,
    timeout: Option<DurationMs>,
    expires_in: Option<DurationMs>,
}

impl Terms {
    pub(super) fn of_node(node: &Node, fallback: Tier) -> Self {
        let tier = node.priority.unwrap_or(fallback);
        Self { tier, retry: node.retry, timeout: node.timeout, expires_in: node.expires_in }
    }

    /// An item or a compensation has the tier of its node.
    pub(super) fn of_task(task: &Task, node: &Node, fallback: Tier) -> Self {
        let tier = node.priority.unwrap_or(fallback);
        Self { tier, retry: task.retry, timeout: task.timeout, expires_in: None }
    }

    /// The same, where the start may not come later than this.
    pub(super) fn expiring(self, expires_in: Option<DurationMs>) -> Self {
        Self { expires_in, ..self }
    }
}

/// Evaluates what a `SERVICE_TASK`, `HTTP`, `TRANSFORM` or `WORKFLOW` does. Other types do nothing of this kind.
pub(super) fn prepare(kind: &NodeKind, keys: &JobKeys, scope: &Scope<'_>) -> Result<Work, JobError> {
    let render = |what: &'static str, template: &Template| {
        template.render(scope).map_err(|error| to_render_error(what, &error))
    };
    let render_input = |input: &Option<Template>| {
        input.as_ref().map_or(Ok(Value::Object(Map::new())), |input| render("input", input))
    };
    match kind {
        NodeKind::Transform { output } => render("output", output).map(Work::Done),
        NodeKind::ServiceTask { job_type, input } => {
            let (job_type, data) = (job_type.clone(), render_input(input)?);
            Ok(Work::Job { job_type, data, keys: Keys::of(keys, scope)? })
        }
        NodeKind::Http { request, sealed, expect } => {
            let sealed = sealed
                .iter()
                .map(|header| Ok((header.name.clone(), header.render(scope)?)))
                .collect::<Result<Vec<_>, EvaluationError>>()
                .map_err(|error| to_render_error("input", &error))?;
            let job_type = if sealed.is_empty() { JOB_TYPE_HTTP } else { JOB_TYPE_HTTP_SECRETS };
            let data = to_request(render("input", request)?, expect, sealed)
                .map_err(|fault| JobError::coded(CODE_EXPRESSION, fault.to_string()))?;
            let keys = Keys::of(keys, scope)?;
            Ok(Work::Job { job_type: JobType::trusted(job_type), data, keys })
        }
        NodeKind::Workflow { workflow, version, input } => {
            Ok(Work::Child { workflow: workflow.clone(), version: *version, input: render_input(input)? })
        }
        other => {
            let message = format!("a {} cannot be done here", other.type_name());
            Err(JobError::coded("unsupported", message))
        }
    }
}

impl Transition<'_> {
    /// Has a job enqueued for what stands under this key.
    pub(super) fn enqueue(
        &mut self,
        key: &NodeId,
        terms: Terms,
        (job_type, data, keys): (JobType, Value, Keys),
    ) {
        let Some(state) = self.state.nodes.get_mut(key) else {
            return;
        };
        let id = node_job_id(self.context.id, key, state.round);
        self.begun_bytes += bytes_of(&data);
        state.status = NodeStatus::Running;
        state.job_id = Some(id);
        self.effects.push(Effect::EnqueueNode(NodeJob {
            id,
            node: key.clone(),
            job_type,
            tier: terms.tier,
            data,
            retries_max: terms.retry.and_then(|retry| retry.retries_max),
            backoff: terms.retry.and_then(|retry| retry.backoff),
            timeout: terms.timeout,
            expires_in: terms.expires_in,
            concurrency_key: keys.concurrency,
            rate_key: keys.rate,
        }));
    }

    /// Starts a child for what stands under this key, or goes on with the one that failed.
    pub(super) fn start_child(
        &mut self,
        key: &NodeId,
        terms: Terms,
        (workflow, version): (WorkflowName, Option<u32>),
        input: Value,
    ) {
        let Some(state) = self.state.nodes.get_mut(key) else {
            return;
        };
        let failed = state.child_id;
        let id = failed.unwrap_or_else(|| child_execution_id(self.context.id, key, state.round));
        state.status = NodeStatus::Waiting;
        state.wait = Some(Wait::Child { execution_id: id });
        state.child_id = Some(id);
        state.due_at = terms.timeout.map(|timeout| self.now.plus(timeout));
        state.attempts = state.attempts.saturating_add(1);
        if failed.is_some() {
            self.effects.push(Effect::RetryChild { node: key.clone(), child_id: id });
            return;
        }
        self.begun_bytes += bytes_of(&input);
        let (node, expires_in) = (key.clone(), terms.expires_in);
        let child = ChildStart { id, node, workflow, version, input, tier: terms.tier, expires_in };
        self.effects.push(Effect::StartChild(child));
    }
}

pub(super) fn to_job_error(error: &EvaluationError) -> JobError {
    JobError::coded(CODE_EXPRESSION, error.to_string())
}

/// Why an `input` or an `output` could not be made. That it is too large has a code of its own.
pub(super) fn to_render_error(what: &'static str, error: &EvaluationError) -> JobError {
    match error {
        EvaluationError::TooLarge { max: OUTPUT_BYTES_MAX } => JobError::coded(
            &format!("{what}_too_large"),
            format!("the {what} is larger than {OUTPUT_BYTES_MAX} bytes of JSON"),
        ),
        other => to_job_error(other),
    }
}

// The evaluated request of an `HTTP` node, checked: expressions can make anything of it.

/// Why a request cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RequestFault {
    #[error("the request's url is not a URL that starts with http:// or https://")]
    Url,
    #[error("the request's header `{0}` is not a text without line breaks")]
    Header(String),
    #[error("the request is not an object")]
    Shape,
}

/// `{method, url, headers, body?, expect, secretHeaders?}`. Headers become texts: numbers and bools are written out, null
/// drops one. Those with secrets in them are lists of parts: what an expression made of an input is never taken for a secret,
/// whatever it looks like.
pub(super) fn to_request(
    request: Value,
    expect: &[u16],
    sealed: Vec<(String, Vec<HeaderPart>)>,
) -> Result<Value, RequestFault> {
    let Value::Object(mut request) = request else {
        return Err(RequestFault::Shape);
    };
    if !request.get("url").and_then(Value::as_str).is_some_and(is_http) {
        return Err(RequestFault::Url);
    }
    let mut headers = Map::new();
    if let Some(Value::Object(given)) = request.remove("headers") {
        for (name, value) in given {
            let text = match value {
                Value::Null => continue,
                Value::String(text) if !text.contains(char::is_control) => text,
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                _ => return Err(RequestFault::Header(name)),
            };
            headers.insert(name, Value::String(text));
        }
    }
    request.insert("headers".to_owned(), Value::Object(headers));
    // The definition has no field of this name.
    request.remove("secretHeaders");
    if !sealed.is_empty() {
        let mut secret_headers = Map::new();
        for (name, parts) in sealed {
            let is_bad = |part: &HeaderPart| matches!(part, HeaderPart::Plain(text) if text.contains(char::is_control));
            if parts.iter().any(is_bad) {
                return Err(RequestFault::Header(name));
            }
            secret_headers.insert(name, parts.iter().map(HeaderPart::to_json).collect());
        }
        request.insert("secretHeaders".to_owned(), Value::Object(secret_headers));
    }
    request.insert("expect".to_owned(), Value::from(expect));
    Ok(Value::Object(request))
}

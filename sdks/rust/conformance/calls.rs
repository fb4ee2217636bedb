//! The calls of the table.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::{Value, json};
use trunkline_client::api::{ListDeadLettersQuery, ListSchedulesQuery};
use trunkline_client::models::{Backoff, Priority, RequeueRequest, ScheduleRequest};
use trunkline_client::{Client, ClientError, Enqueue, Json, Start, Timestamp, webhook};

use crate::client::Failure;
use crate::worker::duration;

/// All arguments that any call takes.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Arguments {
    r#type: String,
    job: String,
    workflow: String,
    run: String,
    name: String,
    timeout: String,
    job_type: String,
    dead_letter: String,
    cron: String,
    schedule: String,
    secret: String,
    id: String,
    body: String,
    data: Option<Json>,
    input: Option<Json>,
    payload: Option<Json>,
    definition: Option<Json>,
    options: Options,
    jobs: Vec<Arguments>,
    partial: bool,
    timestamp: i64,
    now: i64,
    headers: BTreeMap<String, String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    priority: Option<Priority>,
    delay: Option<String>,
    run_at: Option<Timestamp>,
    unique_key: Option<String>,
    concurrency_key: Option<String>,
    max_retries: Option<u16>,
    backoff: Option<Backoff>,
    timeout: Option<String>,
    tags: Option<Vec<String>>,
    tenant: Option<String>,
    traceparent: Option<String>,
    idempotency_key: Option<String>,
    version: Option<i32>,
    correlation_id: Option<String>,
}

/// Sets an option where it is given.
fn given<B, T>(builder: B, value: Option<T>, set: impl FnOnce(B, T) -> B) -> B {
    match value {
        Some(value) => set(builder, value),
        None => builder,
    }
}

fn enqueue(client: &Client, args: Arguments) -> Enqueue {
    let options = args.options;
    let job = client.enqueue(args.r#type, &args.data.unwrap_or_default());
    let job = given(job, options.priority, Enqueue::priority);
    let job = given(job, options.delay, |job, delay| job.delay(duration(&delay)));
    let job = given(job, options.run_at, Enqueue::run_at);
    let job = given(job, options.unique_key, Enqueue::unique_key);
    let job = given(job, options.concurrency_key, Enqueue::concurrency_key);
    let job = given(job, options.max_retries, Enqueue::max_retries);
    let job = given(job, options.backoff, Enqueue::backoff);
    let job = given(job, options.timeout, |job, limit| job.attempt_timeout(duration(&limit)));
    let job = given(job, options.tags, Enqueue::tags);
    let job = given(job, options.tenant, Enqueue::tenant);
    let job = given(job, options.traceparent, Enqueue::traceparent);
    given(job, options.idempotency_key, Enqueue::idempotency_key)
}

fn start(client: &Client, args: Arguments) -> Start {
    let options = args.options;
    let run = client.start(args.workflow, &args.input.unwrap_or_default());
    let run = given(run, options.version, Start::version);
    let run = given(run, options.priority, Start::priority);
    let run = given(run, options.tenant, Start::tenant);
    let run = given(run, options.tags, Start::tags);
    let run = given(run, options.correlation_id, Start::correlation_id);
    given(run, options.idempotency_key, Start::idempotency_key)
}

fn json_of(value: &impl serde::Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| Failure::Other(error.to_string()))
}

/// Makes a call.
pub(crate) async fn make(
    client: &Client,
    call: &str,
    args: Arguments,
    opened: impl FnOnce(),
) -> Result<Value, Failure> {
    let limit = if args.timeout.is_empty() { Duration::from_secs(30) } else { duration(&args.timeout) };
    match call {
        "enqueue" => {
            let job = enqueue(client, args).await?;
            Ok(json!({ "id": job.id(), "existing": job.existing() }))
        }
        "batch" => batch(client, args).await,
        "wait" => Ok(client.job(args.job).wait(limit).await?),
        "job" => json_of(&client.job(args.job).get().await?),
        "cancel" => Ok(json!(client.job(args.job).cancel().await?)),
        "push" => {
            let (name, version) = client.push(&args.definition).await?;
            Ok(json!({ "name": name, "version": version }))
        }
        "start" => Ok(json!({ "id": start(client, args).await?.id() })),
        "startWait" => Ok(start(client, args).await?.wait(limit).await?),
        "waitRun" => Ok(client.run(args.run).wait(limit).await?),
        "run" => json_of(&client.run(args.run).get().await?),
        "nodes" => json_of(&client.run(args.run).nodes().await?),
        "signal" => Ok(json!(client.run(args.run).signal(&args.name, &args.payload).await?)),
        "cancelRun" => Ok(json!(client.run(args.run).cancel().await?)),
        "event" => event(client, &args.run, limit, opened).await,
        _ => other(client, call, args).await,
    }
}

async fn batch(client: &Client, args: Arguments) -> Result<Value, Failure> {
    let batch = client.enqueue_batch(args.jobs.into_iter().map(|job| enqueue(client, job)));
    let batch = if args.partial { batch.partial() } else { batch };
    let results = batch.await?.into_iter().map(|result| match result {
        Ok(job) => json!({ "id": job.id() }),
        Err(refused) => json!({ "error": { "code": refused.problem().map(|problem| &problem.code) } }),
    });
    Ok(results.collect())
}

async fn event(client: &Client, run: &str, limit: Duration, opened: impl FnOnce()) -> Result<Value, Failure> {
    let mut events = client.events().await?;
    opened();
    let ended = async {
        while let Some(event) = events.next().await {
            let event = event?;
            if event.execution_id.as_deref() == Some(run) && event.ended == Some(true) {
                return json_of(&event);
            }
        }
        Err(Failure::Other("the stream of events ended".to_owned()))
    };
    let late = |_| ClientError::Timeout { what: "event".to_owned(), limit };
    tokio::time::timeout(limit, ended).await.map_err(late)?
}

async fn other(client: &Client, call: &str, args: Arguments) -> Result<Value, Failure> {
    let api = client.api();
    match call {
        "deadLetters" => {
            let query = ListDeadLettersQuery { job_type: Some(args.job_type), ..Default::default() };
            json_of(&api.list_dead_letters(&query).await?.items)
        }
        "requeue" => {
            let body = RequeueRequest { data: args.data, ..RequeueRequest::default() };
            api.requeue_dead_letter(&args.dead_letter, &body).await?;
            Ok(Value::Null)
        }
        "schedule" => {
            let body = ScheduleRequest {
                name: args.name,
                workflow: args.workflow,
                cron: Some(args.cron),
                input: args.input,
                ..ScheduleRequest::default()
            };
            json_of(&api.create_schedule(&body).await?)
        }
        "schedules" => json_of(&api.list_schedules(&ListSchedulesQuery::default()).await?.items),
        "deleteSchedule" => Ok(json!(api.delete_schedule(&args.schedule).await?)),
        "sign" => {
            let signed = webhook::sign(&args.secret, &args.id, at(args.timestamp)?, args.body.as_bytes())?;
            Ok(json!(signed))
        }
        "verify" => {
            let headers = args.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            webhook::verify(headers, args.body.as_bytes(), at(args.now)?, &[&args.secret])?;
            Ok(json!(true))
        }
        _ => Err(Failure::Other(format!("no call is named {call}"))),
    }
}

fn at(second: i64) -> Result<Timestamp, Failure> {
    Timestamp::from_second(second).map_err(|error| Failure::Other(error.to_string()))
}

//! Log lines that come with the reports of a stream.

use grpc::proto::from_worker::Message as Sent;
use grpc::proto::job_service_client::JobServiceClient;
use grpc::proto::*;

use crate::connect::outcome;
use crate::harness::{Harness, with_key};

fn line(message: &str, sequence: u32) -> LogLine {
    LogLine {
        level: "warn".to_owned(),
        message: message.to_owned(),
        fields: r#"{"n": 1}"#.into(),
        sequence: Some(sequence),
        ..LogLine::default()
    }
}

fn heartbeat(job: &PolledJob, logs: Vec<LogLine>) -> Sent {
    let (id, lease_token) = (job.id.clone(), job.lease_token.clone());
    let beat = Heartbeat { id, lease_token, logs, ..Heartbeat::default() };
    Sent::Heartbeat(HeartbeatJobsRequest { jobs: vec![beat] })
}

#[tokio::test]
async fn lines_are_kept_before_the_report_that_they_come_with() {
    let harness = Harness::start().await;
    harness.enqueue("a").await;
    let mut worker = harness.worker("a", 1).await;
    let job = worker.take().await.remove(0);
    worker.send(1, heartbeat(&job, vec![line("one", 1)]));
    assert_eq!(outcome(&mut worker).await.results[0].outcome, "ok");
    // The first line comes again, as after an answer that was lost.
    let done = Completion {
        id: job.id.clone(),
        lease_token: job.lease_token.clone(),
        logs: vec![line("one", 1), line("two", 2)],
        ..Completion::default()
    };
    worker.send(2, Sent::Complete(CompleteJobsRequest { jobs: vec![done], poll: None }));
    assert_eq!(outcome(&mut worker).await.results[0].outcome, "ok");
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let asked = ListJobLogsRequest { id: job.id.clone(), ..ListJobLogsRequest::default() };
    let kept = jobs.list_logs(asked).await.unwrap().into_inner().items;
    let read: Vec<_> = kept.iter().map(|line| (line.level.as_str(), line.message.as_deref())).collect();
    assert_eq!(read, [("warn", Some("one")), ("warn", Some("two"))]);
    let fields: serde_json::Value = serde_json::from_slice(&kept[1].fields).unwrap();
    assert_eq!(fields, serde_json::json!({"n": 1}));
}

#[tokio::test]
async fn a_line_that_cannot_be_read_is_pointed_at() {
    let harness = Harness::start().await;
    harness.enqueue("a").await;
    let mut worker = harness.worker("a", 1).await;
    let job = worker.take().await.remove(0);
    let cases = [
        (LogLine { level: "loud".to_owned(), ..line("x", 2) }, "/jobs/0/logs/1/level"),
        (LogLine { at: Some("yesterday".to_owned()), ..line("x", 2) }, "/jobs/0/logs/1/at"),
        (LogLine { fields: "[1]".into(), ..line("x", 2) }, "/jobs/0/logs/1/fields"),
    ];
    for (wrong, pointer) in cases {
        worker.send(7, heartbeat(&job, vec![line("one", 1), wrong]));
        let error = outcome(&mut worker).await.error.expect("a problem");
        assert_eq!((error.code.as_str(), error.errors[0].pointer.as_str()), ("invalid", pointer));
    }
    let many = (1..=101).map(|number| line("x", number)).collect();
    worker.send(8, heartbeat(&job, many));
    assert_eq!(outcome(&mut worker).await.error.expect("too many").code, "invalid");
}

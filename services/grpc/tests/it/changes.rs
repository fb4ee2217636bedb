//! The stream of change events.

use grpc::proto::event_service_client::EventServiceClient;
use grpc::proto::execution_service_client::ExecutionServiceClient;
use grpc::proto::workflow_service_client::WorkflowServiceClient;
use grpc::proto::{ChangeEvent, RegisterWorkflowRequest, StartExecutionRequest, WatchEventsRequest};
use tonic::{Code, Streaming};

use crate::harness::{Harness, PATIENCE, quick, with_key};

async fn open(harness: &Harness) -> Streaming<ChangeEvent> {
    let mut events = EventServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let mut stream = events.watch(WatchEventsRequest {}).await.unwrap().into_inner();
    assert_eq!(next(&mut stream).await, Some(ChangeEvent::default()), "the stream is open");
    stream
}

async fn next(stream: &mut Streaming<ChangeEvent>) -> Option<ChangeEvent> {
    tokio::time::timeout(PATIENCE, stream.message()).await.expect("something in time").expect("no status")
}

#[tokio::test]
async fn an_execution_that_ends_is_a_change() {
    let harness = Harness::start().await;
    let mut workflows = WorkflowServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let definition = r#"{"name":"order","version":1,"nodes":[{"id":"a","type":"SIGNAL","signal":"go"}]}"#;
    let request = RegisterWorkflowRequest { definition: definition.into(), validate: None };
    workflows.register(request).await.unwrap();
    let mut stream = open(&harness).await;
    let mut executions = ExecutionServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let start = StartExecutionRequest { workflow: "order".to_owned(), ..Default::default() };
    let id = executions.start(start).await.unwrap().into_inner().id;
    let cancel = grpc::proto::CancelExecutionRequest { id: id.clone(), ..Default::default() };
    executions.cancel(cancel).await.unwrap();
    loop {
        let event = next(&mut stream).await.expect("the stream goes on");
        if event.execution_id.as_ref() == Some(&id) && event.ended == Some(true) {
            assert_eq!(event.kind, "execution");
            break;
        }
    }
}

#[tokio::test]
async fn an_idle_stream_says_that_it_is_there_and_ends_with_its_connection() {
    let harness = Harness::with(quick()).await;
    let mut stream = open(&harness).await;
    for _ in 0..3 {
        while !next(&mut stream).await.expect("the stream goes on").kind.is_empty() {}
    }
    harness.ending.cancel();
    while next(&mut stream).await.is_some() {}
}

#[tokio::test]
async fn a_stream_needs_a_key() {
    let harness = Harness::start().await;
    let mut events = EventServiceClient::with_interceptor(harness.channel(), with_key("tl_nobody"));
    let refused = events.watch(WatchEventsRequest {}).await.expect_err("no key");
    assert_eq!(refused.code(), Code::Unauthenticated);
}

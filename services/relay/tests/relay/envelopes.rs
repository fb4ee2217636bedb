//! Messages are as the contract says.

use domain::dispatch::event_id;
use domain::id::LeaseToken;
use domain::names::JobType;
use domain::time::DurationMs;
use engine::JobRequest;
use prost_reflect::{DescriptorPool, DynamicMessage, Value};
use relay::{Envelope, RelayOptions};
use serde_json::json;

use crate::harness::{OFFER, Pushed, on_both_databases};

on_both_databases!(json_has_the_fields_of_the_contract, protobuf_is_the_message_of_the_contract);

fn request() -> JobRequest {
    JobRequest {
        timeout: Some(DurationMs::from_secs(10)),
        traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        ..JobRequest::new(JobType::trusted("media/encode"), r#"{"n": 1.50}"#)
    }
}

async fn json_has_the_fields_of_the_contract(pushed: Pushed) {
    let relay = pushed.relay();
    let ids = pushed.enqueue_with(1, |_| request()).await;
    pushed.published(1).await;
    relay.stop().await;
    let message = pushed.broker.log().remove(0);
    assert_eq!(message.topic, "t.jobs.media._2Fencode.normal");
    assert_eq!(message.key, ids[0].to_string());
    let offer = pushed.broker.offers().remove(0);
    let token = LeaseToken::parse(offer["job"]["leaseToken"].as_str().unwrap()).unwrap();
    let until = pushed.harness.engine.now().plus(OFFER);
    let expected = json!({
        "v": 1, "eventId": event_id(token).to_string(), "offeredUntil": until.to_string(),
        "job": {
            "id": ids[0].to_string(), "jobType": "media/encode", "tenant": "default", "priority": "normal",
            "attempt": 1, "maxRetries": 3, "leaseToken": token.to_string(), "data": {"n": 1.5},
            "idempotencyKey": ids[0].to_string(),
            "deadline": until.plus(DurationMs::from_secs(10)).to_string(),
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        },
    });
    assert_eq!(offer, expected);
    let text = String::from_utf8(message.value).unwrap();
    assert!(text.contains(r#"{"n": 1.50}"#), "the payload is as it was sent: {text}");
    let headers: Vec<&str> = message.headers.iter().map(|(name, _)| *name).collect();
    let names = ["content-type", "tl-event-id", "tl-job-type", "tl-tenant", "tl-attempt", "traceparent"];
    assert_eq!(headers, names);
}

async fn protobuf_is_the_message_of_the_contract(pushed: Pushed) {
    let relay = pushed.relay_with(RelayOptions { envelope: Envelope::Protobuf, ..Pushed::options() });
    let ids = pushed.enqueue_with(1, |_| request()).await;
    pushed.published(1).await;
    relay.stop().await;
    let message = pushed.broker.log().remove(0);
    let pool = DescriptorPool::decode(grpc::DESCRIPTORS).unwrap();
    let descriptor = pool.get_message_by_name("trunkline.v1.JobOffer").unwrap();
    let offer = DynamicMessage::decode(descriptor, message.value.as_slice()).unwrap();
    let text = |of: &DynamicMessage, field: &str| match &*of.get_field_by_name(field).unwrap() {
        Value::String(text) => text.clone(),
        other => panic!("{field}: {other:?}"),
    };
    let until = pushed.harness.engine.now().plus(OFFER).to_string();
    assert_eq!(text(&offer, "offered_until"), until);
    assert_eq!(offer.unknown_fields().count(), 0);
    let Value::Message(job) = offer.get_field_by_name("job").unwrap().into_owned() else {
        panic!("the job is a message");
    };
    assert_eq!(job.unknown_fields().count(), 0, "the contract names each field");
    assert_eq!(text(&job, "id"), ids[0].to_string());
    assert_eq!(text(&job, "job_type"), "media/encode");
    assert_eq!(text(&job, "priority"), "normal");
    assert_eq!(job.get_field_by_name("data").unwrap().as_bytes().unwrap().as_ref(), br#"{"n": 1.50}"#);
    assert_eq!(job.get_field_by_name("max_retries").unwrap().as_u32(), Some(3));
    let token = LeaseToken::parse(&text(&job, "lease_token")).unwrap();
    assert_eq!(text(&offer, "event_id"), event_id(token).to_string());
    assert_eq!(message.headers[0].1, "application/x-protobuf; messageType=\"trunkline.v1.JobOffer\"");
}

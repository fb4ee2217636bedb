//! Searchable attributes: declared, taken from payloads, set by callers, searched and shown.

use domain::access::Role;
use serde_json::{Value, json};

use crate::harness::{Client, Harness};

const OF_CHARGES: &str = "/v1/job-types/charge/attributes";

async fn ids(client: &Client, path: &str) -> Vec<String> {
    let answer: Value = client.get(path).await.expect(200).body;
    let items = answer["items"].as_array().expect("a list");
    items.iter().map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
}

async fn enqueue(client: &Client, body: Value) -> String {
    let made = client.post("/v1/jobs", &body).await.expect(202).body;
    made["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn jobs_are_found_by_what_their_payloads_hold() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let job = |customer: i64| json!({"jobType": "charge", "data": {"customer": {"id": customer}, "items": [{"sku": "a b"}]}});
    enqueue(&admin, job(1)).await;
    let undeclared = admin.get("/v1/jobs?q=data.customer.id:1").await.problem(422, "attribute_undeclared");
    let place = &undeclared.body["errors"][0];
    assert_eq!(
        (&place["position"], &place["length"], &place["pointer"]),
        (&json!(0), &json!(16), &json!("/q"))
    );
    assert_eq!(
        undeclared.body["hint"],
        "trunkline attribute set job-type <job type> 'id=text:data.customer.id'"
    );
    let body = json!({
        "customerId": {"type": "integer", "path": "data.customer.id"},
        "sku": {"type": "text", "path": "data.items.sku"},
        "region": {"type": "text"},
    });
    let declared = admin.put(OF_CHARGES, &body).await.expect(200).body;
    assert_eq!(declared["customerId"]["source"], "jobType");
    assert_eq!(admin.get(OF_CHARGES).await.expect(200).body, declared);
    let (one, two) = (enqueue(&admin, job(1)).await, enqueue(&admin, job(2)).await);
    let mut with_region = job(3);
    with_region["attributes"] = json!({"region": ["eu", "us"]});
    let three = enqueue(&admin, with_region).await;
    let other = json!({"jobType": "mail", "data": {"customer": {"id": 1}}});
    enqueue(&admin, other).await;
    for (query, expected) in [
        ("data.customer.id:1", vec![&one]),
        ("attr.customerId:%3E=2", vec![&three, &two]),
        ("data.items.sku:%22a%20b%22%20attr.customerId:2", vec![&two]),
        ("attr.region:us", vec![&three]),
        ("attr.region:*%20-data.customer.id:3", vec![]),
    ] {
        assert_eq!(
            ids(&admin, &format!("/v1/jobs?q={query}")).await.iter().collect::<Vec<_>>(),
            expected,
            "{query}"
        );
    }
    let shown = admin.get(&format!("/v1/jobs/{three}")).await.expect(200).body;
    assert_eq!(shown["attributes"], json!({"customerId": 3, "region": ["eu", "us"], "sku": "a b"}));
    let suggested = admin.get("/v1/search/suggest?list=jobs&q=attr.region:e").await.expect(200).body;
    assert_eq!(suggested["items"], json!([{"text": "eu", "kind": "value", "count": 1}]));
    let keys = admin.get("/v1/search/suggest?list=jobs&q=data.c").await.expect(200).body;
    assert_eq!(keys["items"][0]["text"], "data.customer.id:");
    // A bulk operation takes the same terms.
    let dry = json!({"filter": {"q": "data.customer.id:1"}, "dryRun": true});
    assert_eq!(admin.post("/v1/jobs/cancel", &dry).await.expect(200).body["count"], 1);
}

#[tokio::test]
async fn attributes_that_do_not_fit_are_refused_with_their_place() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.put(OF_CHARGES, &json!({"total": {"type": "number"}})).await.expect(200);
    for (attributes, pointers) in [
        (json!({"total": "7"}), vec!["/attributes/total"]),
        (json!({"total": 7, "colour": "red"}), vec!["/attributes/colour"]),
        (json!({"total": vec![1; 17]}), vec!["/attributes/total"]),
    ] {
        let body = json!({"jobType": "charge", "attributes": attributes});
        let problem = admin.post("/v1/jobs", &body).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), pointers, "{attributes}");
    }
    let batch = json!({"jobs": [{"jobType": "charge"}, {"jobType": "mail", "attributes": {"total": 1}}]});
    let problem = admin.post("/v1/jobs/batch", &batch).await.problem(422, "invalid");
    assert_eq!(problem.pointers(), ["/jobs/1/attributes/total"]);
    for (body, pointer) in [
        (json!({"1x": {"type": "text"}}), "/1x"),
        (json!({"x": {"type": "list"}}), "/x/type"),
        (json!({"x": {"type": "text", "path": "payload.x"}}), "/x/path"),
        (json!({"x": {"type": "text", "path": "input.x"}}), "/x/path"),
    ] {
        let problem = admin.put(OF_CHARGES, &body).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), [pointer], "{body}");
    }
    let conflict = json!({"total": {"type": "text"}});
    admin.put("/v1/tenants/default/attributes", &conflict).await.problem(409, "attribute_type_conflict");
    let removed = admin.put(OF_CHARGES, &json!({"total": null})).await.expect(200).body;
    assert_eq!(removed, json!({}));
    admin.get("/v1/jobs?q=attr.total:1").await.problem(422, "attribute_undeclared");
}

#[tokio::test]
async fn i13_attributes_are_each_tenants_own() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let acme = harness.client(Role::Operator, Some("acme")).await;
    let body = json!({"customerId": {"type": "integer", "path": "data.id"}});
    acme.put(OF_CHARGES, &body).await.expect(200);
    acme.get("/v1/tenants/umbrella/attributes").await.problem(404, "not_found");
    assert_eq!(admin.get(OF_CHARGES).await.expect(200).body, json!({}), "that is the default tenant");
    let theirs = admin.get(&format!("{OF_CHARGES}?tenant=acme")).await.expect(200).body;
    assert_eq!(theirs["customerId"]["type"], "integer");
    for tenant in ["acme", "umbrella"] {
        enqueue(&admin, json!({"jobType": "charge", "tenant": tenant, "data": {"id": 7}})).await;
    }
    assert_eq!(ids(&acme, "/v1/jobs?q=data.id:7").await.len(), 1);
    assert_eq!(ids(&admin, "/v1/jobs?q=data.id:7").await.len(), 1, "umbrella declares nothing");
    let umbrella = harness.client(Role::Operator, Some("umbrella")).await;
    umbrella.get("/v1/jobs?q=data.id:7").await.problem(422, "attribute_undeclared");
    harness.client(Role::Viewer, Some("acme")).await.put(OF_CHARGES, &body).await.problem(403, "forbidden");
}

#[tokio::test]
async fn executions_carry_what_their_input_holds() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let definition =
        json!({"name": "order", "version": 1, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]});
    admin.post("/v1/workflows", &definition).await.expect(201);
    let body = json!({
        "orderNo": {"type": "text", "path": "input.\"order no\""}, "total": {"type": "number"},
    });
    admin.put("/v1/workflows/order/attributes", &body).await.expect(200);
    let start = json!({"workflow": "order", "input": {"order no": "A 7"}, "attributes": {"total": 12.5}});
    let made = admin.post("/v1/executions", &start).await.expect(202).body;
    let id = made["id"].as_str().expect("an id");
    for query in
        ["input.%22order%20no%22:%22A%207%22", "attr.total:12..13", "attr.orderNo:A*%20attr.total:%3E12"]
    {
        assert_eq!(ids(&admin, &format!("/v1/executions?q={query}")).await, [id], "{query}");
    }
    let shown = admin.get(&format!("/v1/executions/{id}")).await.expect(200).body;
    assert_eq!(shown["attributes"], json!({"orderNo": "A 7", "total": 12.5}));
    let wrong = json!({"workflow": "order", "input": {}, "attributes": {"total": "x"}});
    let problem = admin.post("/v1/executions", &wrong).await.problem(422, "invalid");
    assert_eq!(problem.pointers(), ["/attributes/total"]);
}

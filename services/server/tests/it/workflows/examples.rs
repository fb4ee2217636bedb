//! Every example of docs/workflows.md does what the page says, on both databases.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::document::{Block, Example, examples_of};
use crate::harness::{
    Answer, Client, Database, PolledJob, Record, Report, Server, Worker, WorkerSetup, on_both_databases,
    repository, until,
};

const DEADLINE: Duration = Duration::from_mins(1);

/// What the page calls the reader's server.
const ADDRESS: &str = "http://127.0.0.1:8080";

on_both_databases!(every_example_of_the_page_does_what_it_says);

async fn every_example_of_the_page_does_what_it_says(database: Database) {
    let page = std::fs::read_to_string(repository().join("docs/workflows.md")).expect("there is such a page");
    let examples = examples_of(&page);
    every_type_and_feature_is_there(&examples);
    let server = Server::start_with(&database, &[("TRUNKLINE_EGRESS__ALLOW", "127.0.0.0/8")]).await;
    let client = server.client();
    let many = json!({"maxConcurrent": 100, "tenantMaxConcurrent": 100, "workflowMaxConcurrent": 100});
    client.put("/v1/limits", &json!({ "workflow-execution": many })).await;
    let url = server.url();
    futures::future::join_all(examples.iter().map(|example| run(example, &client, &url))).await;
}

fn every_type_and_feature_is_there(examples: &[Example]) {
    let mut names = HashSet::new();
    assert!(examples.iter().all(|example| names.insert(&example.name)), "two examples have one name");
    let definitions: String = examples
        .iter()
        .flat_map(|example| &example.blocks)
        .filter_map(|block| match block {
            Block::Definition(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    for word in [
        "SERVICE_TASK",
        "HTTP",
        "TRANSFORM",
        "TIMER",
        "SIGNAL",
        "USER_TASK",
        "MAP",
        "WORKFLOW",
        "SWITCH",
        "WAIT_WEBHOOK",
        "when:",
        "repeat:",
        "onError: continue",
        "onError: {goto",
        "compensate:",
        "onFailure:",
        "onItemError:",
        "form:",
        "escalation:",
        "duration:",
        "until:",
        "callbackUrl",
    ] {
        assert!(definitions.contains(word), "no example has {word}");
    }
}

async fn run(example: &Example, client: &Client, url: &str) {
    let mut run = Run {
        name: &example.name,
        client,
        workflow: String::new(),
        id: String::new(),
        token: String::new(),
        answer: None,
        request: None,
        jobs: Arc::default(),
        worker: None,
    };
    let has_input = example.blocks.iter().any(|block| matches!(block, Block::Input(_)));
    for block in &example.blocks {
        let is_begin = matches!(block, Block::Definition(_) | Block::Worker(_));
        if !has_input && !is_begin && run.id.is_empty() {
            run.start(&json!({})).await;
        }
        run.step(block, url).await;
    }
    if let Some(worker) = run.worker {
        worker.stop().await;
    }
}

/// An example under way.
struct Run<'e> {
    name: &'e str,
    client: &'e Client,
    workflow: String,
    id: String,
    /// Of its one callback address, which is not shown any more once it was used.
    token: String,
    answer: Option<Value>,
    request: Option<(Method, String)>,
    jobs: Arc<Mutex<Vec<String>>>,
    worker: Option<Worker>,
}

impl Run<'_> {
    async fn step(&mut self, block: &Block, url: &str) {
        match block {
            Block::Definition(text) => self.register(&text.replace(ADDRESS, url)).await,
            Block::Worker(answers) => self.work(answers),
            Block::Input(input) => self.start(input).await,
            Block::Request { status, method, path, body } => {
                self.request(*status, method, path, body.as_ref()).await;
            }
            Block::Answer(part) => self.check_answer(part).await,
            Block::Waiting(waits) => self.waits(waits).await,
            Block::Output(output) => {
                let execution = self.ends("COMPLETED").await;
                assert_eq!(execution["output"], *output, "{}: {execution}", self.name);
            }
            Block::Error(part) => {
                let execution = self.ends("FAILED").await;
                assert!(contains(&execution["error"], part), "{}: {execution}", self.name);
            }
            Block::Cancelled(nodes) => {
                self.ends("CANCELLED").await;
                self.check_nodes(nodes).await;
            }
            Block::Nodes(nodes) => self.check_nodes(nodes).await,
            Block::Jobs(expected) => {
                let jobs = self.jobs.lock().expect("no holder panics").clone();
                assert_eq!(jobs, *expected, "{}", self.name);
            }
        }
    }

    async fn register(&mut self, text: &str) {
        let call = self.client.call(Method::POST, "/v1/workflows");
        let answer = call.bytes(text.as_bytes().to_vec(), "application/yaml").answer().await;
        assert_eq!(answer.status, 201, "{}: {}", self.name, answer.text);
        answer.json()["name"].as_str().expect("a name").clone_into(&mut self.workflow);
    }

    /// Nodes go before job types; a list is one answer for each time.
    fn work(&mut self, answers: &Value) {
        let answers = answers.as_object().expect("answers by name").clone();
        let job_types: Vec<&str> =
            answers.keys().map(String::as_str).filter(|name| !name.contains('[')).collect();
        let counts: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
        let jobs = Arc::clone(&self.jobs);
        let named = answers.clone();
        let handler = move |job: PolledJob| {
            let node = job.node_id.clone().expect("a node");
            let name = if named.contains_key(&node) { node.clone() } else { job.job_type.clone() };
            jobs.lock().expect("no holder panics").push(node);
            let mut counts = counts.lock().expect("no holder panics");
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            let answer = match &named[&name] {
                Value::Array(list) => {
                    list.get(*count - 1).cloned().unwrap_or_else(|| json!({"fails": "ran again"}))
                }
                answer => answer.clone(),
            };
            async move { report(answer) }
        };
        let setup = WorkerSetup::new(self.name, &job_types, handler);
        self.worker = Some(Worker::start(self.client.clone(), setup, Record::new()));
    }

    async fn start(&mut self, input: &Value) {
        let body = json!({ "workflow": self.workflow, "input": input });
        let created = self.client.post("/v1/executions", &body).await;
        created["id"].as_str().expect("an id").clone_into(&mut self.id);
    }

    /// A node may not have come as far yet: what is not there or in conflict is asked again.
    async fn request(&mut self, status: Option<u16>, method: &str, path: &str, body: Option<&Value>) {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let path = self.filled(path).await;
        let what = format!("{}: {method} {path}", self.name);
        let is_expected =
            |answer: &Answer| status.map_or(answer.is_success(), |status| answer.status == status);
        let answer = until(&what, DEADLINE, || async {
            let call = self.client.call(method.clone(), &path);
            let call = match body {
                Some(body) => call.json(body),
                None => call,
            };
            let answer = call.answer().await;
            if is_expected(&answer) {
                return Some(answer);
            }
            assert!([404, 409].contains(&answer.status), "{what}: {} {}", answer.status, answer.text);
            None
        })
        .await;
        let answer = answer.json();
        if path.ends_with("/rerun") {
            answer["id"].as_str().expect("another execution").clone_into(&mut self.id);
        }
        self.answer = Some(answer);
        self.request = Some((method, path));
    }

    async fn filled(&mut self, path: &str) -> String {
        let path = path.replace("{id}", &self.id);
        if path.contains("{token}") && self.token.is_empty() {
            let node = path.split('/').nth(3).expect("the node of a callback");
            self.token = token_of(self.client, &self.id, node).await;
        }
        path.replace("{token}", &self.token)
    }

    /// What is read may change until it is as expected.
    async fn check_answer(&self, part: &Value) {
        let answer = self.answer.as_ref().expect("a request came before");
        let (method, path) = self.request.as_ref().expect("a request came before");
        if *method != Method::GET {
            assert!(contains(answer, part), "{}: {answer}", self.name);
            return;
        }
        let last = Mutex::new(answer.clone());
        let matching = async || {
            let answer = self.client.get(path).await;
            let fits = contains(&answer, part);
            *last.lock().expect("no holder panics") = answer;
            fits.then_some(())
        };
        let is_found = crate::harness::found(DEADLINE, matching).await.is_some();
        let last = last.lock().expect("no holder panics");
        assert!(is_found, "{}: {path} does not have {part}: {last}", self.name);
    }

    async fn waits(&self, expected: &Value) {
        let path = format!("/v1/executions/{}/why", self.id);
        let what = format!("{}: waiting for {expected}", self.name);
        until(&what, DEADLINE, || async {
            let why = self.client.get(&path).await;
            let waits = why["waitsFor"].as_array().expect("a list").clone();
            let is_there = |(node, reason): (&String, &Value)| {
                waits.iter().any(|wait| wait["nodeId"] == **node && wait["reason"] == *reason)
            };
            expected.as_object().expect("nodes").iter().all(is_there).then_some(())
        })
        .await;
    }

    async fn ends(&self, status: &str) -> Value {
        let path = format!("/v1/executions/{}", self.id);
        let found = crate::harness::found(DEADLINE, || async {
            let execution = self.client.get(&format!("{path}?wait=true&timeout=5s")).await;
            (execution["status"] == status).then_some(execution)
        });
        match found.await {
            Some(execution) => execution,
            None => panic!("{}: not {status}: {}", self.name, self.client.get(&path).await),
        }
    }

    async fn check_nodes(&self, expected: &Value) {
        let nodes = self.client.get(&format!("/v1/executions/{}/nodes", self.id)).await;
        let statuses: HashMap<&str, &Value> = nodes["items"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|node| (node["nodeId"].as_str().expect("an id"), &node["status"]))
            .collect();
        for (node, status) in expected.as_object().expect("nodes") {
            assert_eq!(statuses.get(node.as_str()).copied(), Some(status), "{}: {node}: {nodes}", self.name);
        }
    }
}

/// The last part of a node's callback address.
pub(super) async fn token_of(client: &Client, execution: &str, node: &str) -> String {
    let nodes = client.get(&format!("/v1/executions/{execution}/nodes")).await;
    let mut items = nodes["items"].as_array().expect("a list").iter();
    let url = items.find(|one| one["nodeId"] == node).and_then(|one| one["callbackUrl"].as_str());
    let url = url.unwrap_or_else(|| panic!("{node} has no callback address: {nodes}"));
    url.rsplit('/').next().expect("a last part").to_owned()
}

fn report(answer: Value) -> Report {
    if let Some(message) = answer["fails"].as_str() {
        return Report::Fail { message: message.to_owned(), retryable: false };
    }
    match answer["failsOnce"].as_str() {
        Some(message) => Report::Fail { message: message.to_owned(), retryable: true },
        None => Report::Complete(answer),
    }
}

/// Whether a part of a value is in it: objects may have more fields, lists not more items.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(field, part)| whole.get(field).is_some_and(|whole| contains(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| contains(whole, part))
        }
        (whole, part) => whole == part,
    }
}

#[test]
fn parts_are_found() {
    let whole = json!({"a": 1, "b": [{"c": 2, "d": 3}]});
    assert!(contains(&whole, &json!({"b": [{"c": 2}]})));
    assert!(!contains(&whole, &json!({"b": []})) && !contains(&whole, &json!({"a": 2})));
}

//! What the clients were promised: every request with the first answer that came back for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// What kind of thing a request made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    Job,
    BatchedJob,
    Execution,
}

/// Something that was acknowledged.
#[derive(Debug, Clone)]
pub(super) struct Promise {
    pub(super) made: Made,
    pub(super) id: String,
}

/// All promises by the mark that the client put into the data.
#[derive(Debug, Clone, Default)]
pub(super) struct Accounts {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    requests: usize,
    promises: BTreeMap<String, Promise>,
}

impl Accounts {
    /// Records a success for `marks`, which stand for the answer's items in order.
    pub(super) fn record(&self, made: Made, marks: &[String], answer: &Value) {
        let items = match made {
            Made::BatchedJob => answer["results"].as_array().expect("a batch has results").as_slice(),
            Made::Job | Made::Execution => std::slice::from_ref(answer),
        };
        assert_eq!(items.len(), marks.len(), "one result for each item: {answer}");
        let mut inner = self.inner.lock().expect("no holder panics");
        inner.requests += 1;
        for (mark, item) in marks.iter().zip(items) {
            let id = item["id"].as_str().unwrap_or_else(|| panic!("no id in {answer}")).to_owned();
            let before = inner.promises.insert(mark.clone(), Promise { made, id });
            assert!(before.is_none(), "{mark} was acknowledged twice");
        }
    }

    /// How many requests were acknowledged.
    pub(super) fn requests(&self) -> usize {
        self.inner.lock().expect("no holder panics").requests
    }

    /// All promises, by mark.
    pub(super) fn promises(&self) -> BTreeMap<String, Promise> {
        self.inner.lock().expect("no holder panics").promises.clone()
    }
}

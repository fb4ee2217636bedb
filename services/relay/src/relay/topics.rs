//! Topics: a type is offered when those of its tiers are there.
//!
//! They are looked up and created beside the loop. A topic that cannot be created, or a broker that does not answer, holds back
//! its type and no other.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::dispatch::{HeldType, TopicNames};
use domain::names::JobType;
use domain::time::Timestamp;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::Instant;

use crate::publisher::{PublishError, Publisher};

/// What is known of the topics of types.
#[derive(Debug, Default)]
pub(super) struct Topics {
    types: HashMap<JobType, State>,
    tries: FuturesUnordered<BoxFuture<'static, Tried>>,
}

/// What is known of the topics of a type.
#[derive(Debug)]
enum State {
    /// They are there.
    There,
    /// They are being looked up. One was not there before, where that was tried.
    Tried(Option<Missing>),
    /// One is not there, and may be later: they are looked up again then.
    Missing(Missing, Instant),
    /// One can never be there: each job of the type is refused, until they are looked up again.
    Refused(Refusal, Instant),
}

/// A topic is not there for now.
#[derive(Debug, Clone, Copy)]
struct Missing {
    /// A stable word.
    reason: &'static str,
    since: Timestamp,
}

/// Why jobs of a type cannot be published.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    /// A stable word.
    pub(super) code: &'static str,
    /// What the broker said.
    pub(super) message: String,
}

/// The end of an attempt to create topics: for each type the first error.
#[derive(Debug)]
pub(super) struct Tried(Vec<(JobType, Result<(), PublishError>)>);

impl Topics {
    /// Of these types those that can be offered; topics of the others are looked up, unless that was tried a moment ago.
    pub(super) fn ready(
        &mut self,
        types: Vec<JobType>,
        names: &TopicNames,
        publisher: &Arc<dyn Publisher>,
    ) -> Vec<JobType> {
        let (mut ready, mut due, now) = (Vec::with_capacity(types.len()), Vec::new(), Instant::now());
        for job_type in types {
            match self.types.get(&job_type) {
                Some(State::There) => ready.push(job_type),
                Some(State::Refused(_, again)) if now < *again => ready.push(job_type),
                Some(State::Tried(_)) => {}
                Some(State::Missing(_, again)) if now < *again => {}
                None | Some(State::Missing(..) | State::Refused(..)) => due.push(job_type),
            }
        }
        for job_type in &due {
            let before = self.missing(job_type);
            self.types.insert(job_type.clone(), State::Tried(before));
        }
        if !due.is_empty() {
            self.tries.push(look_up(due, names.clone(), Arc::clone(publisher)).boxed());
        }
        ready
    }

    /// The next attempt that ends.
    pub(super) async fn tried(&mut self) -> Tried {
        match self.tries.next().await {
            Some(tried) => tried,
            None => std::future::pending().await,
        }
    }

    /// Enters what an attempt came to. Answers the types that wait for their topics, and why.
    pub(super) fn enter(
        &mut self,
        tried: Tried,
        again_after: Duration,
        now: Timestamp,
    ) -> Vec<(JobType, PublishError)> {
        let (mut missing, again) = (Vec::new(), Instant::now() + again_after);
        for (job_type, answer) in tried.0 {
            let state = match answer {
                Ok(()) => State::There,
                Err(PublishError::Refused { code, message }) => {
                    State::Refused(Refusal { code, message }, again)
                }
                Err(error @ PublishError::Later { .. }) => {
                    let since = self.missing(&job_type).map_or(now, |before| before.since);
                    let state = State::Missing(Missing { reason: error.reason(), since }, again);
                    missing.push((job_type.clone(), error));
                    state
                }
            };
            self.types.insert(job_type, state);
        }
        missing
    }

    fn missing(&self, job_type: &JobType) -> Option<Missing> {
        self.types.get(job_type).and_then(State::missing)
    }

    /// Types whose topics are not there.
    pub(super) fn held(&self) -> impl Iterator<Item = HeldType> {
        self.types.iter().filter_map(|(job_type, state)| {
            let Missing { reason, since } = state.missing()?;
            Some(HeldType { job_type: job_type.clone(), reason: reason.to_owned(), since })
        })
    }

    /// Whether jobs of a type wait for topics.
    pub(super) fn holds(&self, job_type: &JobType) -> bool {
        matches!(self.types.get(job_type), None | Some(State::Tried(_) | State::Missing(..)))
    }

    /// Why jobs of a type cannot be published.
    pub(super) fn refusal(&self, job_type: &JobType) -> Option<&Refusal> {
        match self.types.get(job_type)? {
            State::Refused(refusal, _) => Some(refusal),
            State::There | State::Tried(_) | State::Missing(..) => None,
        }
    }

    /// A topic of this type turned out not to be there.
    pub(super) fn forget(&mut self, job_type: &JobType) {
        self.types.remove(job_type);
    }
}

impl State {
    const fn missing(&self) -> Option<Missing> {
        match self {
            Self::Missing(missing, _) => Some(*missing),
            Self::Tried(before) => *before,
            Self::There | Self::Refused(..) => None,
        }
    }
}

async fn look_up(types: Vec<JobType>, names: TopicNames, publisher: Arc<dyn Publisher>) -> Tried {
    let mut topics: Vec<String> = types.iter().flat_map(|job_type| names.of_type(job_type)).collect();
    topics.sort();
    topics.dedup();
    let answers = publisher.ensure_topics(&topics).await;
    let failed: HashMap<String, PublishError> =
        topics.into_iter().zip(answers).filter_map(|(topic, answer)| Some((topic, answer.err()?))).collect();
    let answer = |job_type: JobType| {
        let error = names.of_type(&job_type).iter().find_map(|topic| failed.get(topic)).cloned();
        (job_type, error.map_or(Ok(()), Err))
    };
    Tried(types.into_iter().map(answer).collect())
}

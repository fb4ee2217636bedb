//! Claims of polls: those that come while one is under way are made together by the next, where they ask for the same.
//!
//! Each claim is a commit, and claims of a node take turns. Many workers that each poll for few jobs would wait for one
//! another's commits otherwise. Decides only who gets which job; how many there are is the store's business.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::id::LeaseToken;
use store::jobs::{ClaimRequest, ClaimedJob, Claimer};
use store::{Clock, Store, StoreResult};

use crate::engine::Engine;
use crate::entropy::Entropy;
use crate::error::EngineError;
use crate::group_commit::Sink;
use crate::jobs::claim::Claim;
use crate::jobs::node_leases::NodeLeases;
use crate::metrics;
use crate::waiters::Waiters;

/// The most jobs of claims that are made together; the store gives no more at once.
const JOBS_MAX: u32 = 1_000;

impl Engine {
    /// Claims for a poll, together with others. Must be waited for: what it claimed is given back by whoever waits.
    pub(super) async fn claim_together(&self, claim: Claim) -> Result<Vec<ClaimedJob>, EngineError> {
        let sink = || ClaimSink {
            store: Arc::clone(self.store()),
            clock: Arc::clone(self.clock()),
            entropy: Arc::clone(self.entropy()),
            waiters: Arc::clone(&self.memory().waiters),
            node_leases: Arc::clone(&self.memory().node_leases),
        };
        self.memory().claims.commit(claim, sink).await
    }
}

/// Claims for polls.
pub(crate) struct ClaimSink {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    waiters: Arc<Waiters>,
    node_leases: Arc<NodeLeases>,
}

#[async_trait]
impl Sink for ClaimSink {
    type Item = Claim;
    type Answer = Vec<ClaimedJob>;

    /// Fails only where nothing was claimed.
    async fn commit(&self, claims: &[Claim]) -> StoreResult<Vec<Vec<ClaimedJob>>> {
        let mut answers: Vec<Vec<ClaimedJob>> = claims.iter().map(|_| Vec::new()).collect();
        for places in together(claims) {
            match self.claim(claims, &places).await {
                Ok((tokens, jobs)) => share(claims, &places, &tokens, jobs, &mut answers),
                Err(error) if answers.iter().all(Vec::is_empty) => return Err(error),
                Err(error) => {
                    // The others have their jobs. Those of this claim look again as if there had been none.
                    tracing::debug!(error = &error as &dyn std::error::Error, "a claim of polls failed");
                }
            }
        }
        Ok(answers)
    }
}

impl ClaimSink {
    /// Makes one claim for those at these places; answers its tokens, too.
    async fn claim(
        &self,
        claims: &[Claim],
        places: &[usize],
    ) -> StoreResult<(Vec<LeaseToken>, Vec<ClaimedJob>)> {
        let Claim { pool, tenant, lease } = &claims[places[0]];
        let mut others = Vec::with_capacity(places.len() - 1);
        let mut jobs_max = pool.jobs_max;
        for &place in &places[1..] {
            let other = &claims[place].pool;
            others.push(Claimer { worker_id: other.worker_id.clone(), first_token: jobs_max as usize });
            jobs_max += other.jobs_max;
        }
        let request = ClaimRequest {
            queue: pool.queue,
            tenant: tenant.clone(),
            job_types: pool.job_types.clone(),
            jobs_max,
            lease: *lease,
            worker_id: pool.worker_id.clone(),
            others,
            tokens: self.entropy.tokens(jobs_max as usize),
            now: self.clock.now(),
        };
        let jobs = self.store.claim(&request).await?;
        metrics::claimed(request.queue, jobs.len());
        self.node_leases.remember_claimed(&self.waiters, &jobs, request.now);
        Ok((request.tokens, jobs))
    }
}

/// The places of claims that ask for the same, in their order, as many at once as one claim can serve.
fn together(claims: &[Claim]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, u32)> = Vec::new();
    for (place, claim) in claims.iter().enumerate() {
        let more = claim.pool.jobs_max;
        let fits = |(places, jobs): &&mut (Vec<usize>, u32)| {
            asks_the_same(&claims[places[0]], claim) && *jobs + more <= JOBS_MAX
        };
        match groups.iter_mut().find(fits) {
            Some((places, jobs)) => {
                places.push(place);
                *jobs += more;
            }
            None => groups.push((vec![place], more)),
        }
    }
    groups.into_iter().map(|(places, _)| places).collect()
}

fn asks_the_same(left: &Claim, right: &Claim) -> bool {
    left.pool.queue == right.pool.queue
        && left.pool.job_types == right.pool.job_types
        && left.tenant == right.tenant
        && left.lease == right.lease
}

/// Gives each its jobs, by their tokens. Where somebody has as many as were asked for, the next who has room gets them.
fn share(
    claims: &[Claim],
    places: &[usize],
    tokens: &[LeaseToken],
    jobs: Vec<ClaimedJob>,
    answers: &mut [Vec<ClaimedJob>],
) {
    let owners =
        places.iter().flat_map(|&place| std::iter::repeat_n(place, claims[place].pool.jobs_max as usize));
    let owner_of: HashMap<LeaseToken, usize> = tokens.iter().copied().zip(owners).collect();
    for job in jobs {
        let has_room = |place: usize| answers[place].len() < claims[place].pool.jobs_max as usize;
        let owner = owner_of.get(&job.token).copied().filter(|&place| has_room(place));
        let place = owner.or_else(|| places.iter().copied().find(|&place| has_room(place)));
        answers[place.unwrap_or(places[0])].push(job);
    }
}

#[cfg(test)]
mod tests;

//! Completion of queries: keys, words and instants, and values that were seen lately.

use domain::access::Permission;
use domain::search::{SearchList, SuggestAt, Suggestion, quoted, suggest_at};
use domain::time::DurationMs;
use store::search::SuggestedValues;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How many suggestions one answer has.
const SUGGESTIONS_MAX: u32 = 20;
/// How long ago values were seen at most.
const SEEN_WITHIN: DurationMs = DurationMs::from_secs(7 * 24 * 3_600);

impl Engine {
    /// What may stand at a place of a query of a list, at most `limit` of them.
    pub async fn suggest(
        &self,
        caller: &Caller,
        list: SearchList,
        query: &str,
        at: Option<usize>,
        limit: u32,
    ) -> Result<SuggestAt, EngineError> {
        caller.require(Permission::Read)?;
        if !(1..=SUGGESTIONS_MAX).contains(&limit) {
            return Err(EngineError::invalid("/limit", format!("expected 1 to {SUGGESTIONS_MAX}")));
        }
        let searchable = self.searchable(caller).await?;
        let mut found = suggest_at(list, query, at.unwrap_or(usize::MAX), &searchable);
        if let Some((key, begin)) = &found.values_of
            && let Some(of) = values_of(list, key)
        {
            let since = self.now().minus(SEEN_WITHIN);
            let values = self.store().suggest_values(&caller.scope, of, begin, since, limit).await?;
            found.known.extend(values.iter().map(|value| Suggestion {
                text: quoted(value),
                is_key: false,
                detail: None,
                count: None,
            }));
        }
        if let Some((named, begin)) = &found.values_of_attribute {
            let since = self.now().minus(SEEN_WITHIN);
            let values = self
                .store()
                .suggest_attribute_values(&caller.scope, &named.names, begin, since, limit)
                .await?;
            found.known.extend(values.into_iter().map(|one| Suggestion {
                text: quoted(&one.value),
                is_key: false,
                detail: None,
                count: Some(one.count),
            }));
        }
        found.known.truncate(limit as usize);
        Ok(found)
    }
}

fn values_of(list: SearchList, key: &str) -> Option<SuggestedValues> {
    match key {
        "tenant" => Some(SuggestedValues::Tenants),
        "workflow" => Some(SuggestedValues::Workflows),
        "jobType" => Some(SuggestedValues::JobTypes),
        "workerId" => Some(SuggestedValues::Workers),
        "tag" if list == SearchList::Executions => Some(SuggestedValues::ExecutionTags),
        "tag" => Some(SuggestedValues::JobTags),
        "eventType" => Some(SuggestedValues::EventTypes),
        "fingerprint" => Some(SuggestedValues::Fingerprints),
        _ => None,
    }
}

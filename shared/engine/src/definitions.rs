//! Parsed definitions, kept by content hash. Content never changes under a hash, so nothing here goes stale.

mod cache;

use std::sync::Arc;

use domain::error::Fault;
use domain::names::TenantName;
use domain::workflow::definition::Definition;
use domain::workflow::parse::parse_stored;
use sha2::{Digest, Sha256};
use store::StoreError;

use crate::engine::Engine;
use crate::error::EngineError;
use cache::Hash;

pub(crate) use cache::Definitions;

impl Engine {
    /// The definition of a canonical text that was stored, for a call. `row` names it in the error, should it be damaged.
    pub(crate) async fn definition(
        &self,
        tenant: Option<&TenantName>,
        canonical_json: &str,
        row: &str,
    ) -> Result<Arc<Definition>, EngineError> {
        let parse = |text: String| self.workbench().call(tenant, move || parse_stored(&text));
        self.parsed(canonical_json, row, parse).await
    }

    /// The same for the owner of an execution, which waits for a place.
    pub(crate) async fn definition_of_execution(
        &self,
        tenant: &TenantName,
        canonical_json: &str,
        row: &str,
    ) -> Result<Arc<Definition>, EngineError> {
        let parse = |text: String| self.workbench().wait(tenant, move || parse_stored(&text));
        self.parsed(canonical_json, row, parse).await
    }

    /// The same for a check of schedules, which waits for no tenant's calls.
    pub(crate) async fn definition_of_check(
        &self,
        canonical_json: &str,
        row: &str,
    ) -> Result<Arc<Definition>, EngineError> {
        let parse = |text: String| self.workbench().check(move || parse_stored(&text));
        self.parsed(canonical_json, row, parse).await
    }

    /// Whether the definition of a text is kept parsed.
    pub(crate) fn is_definition_kept(&self, canonical_json: &str) -> bool {
        self.memory().definitions.0.get(&hash_of(canonical_json)).is_some()
    }

    async fn parsed<Parsing>(
        &self,
        canonical_json: &str,
        row: &str,
        parse: impl FnOnce(String) -> Parsing,
    ) -> Result<Arc<Definition>, EngineError>
    where
        Parsing: Future<Output = Result<Result<Definition, Vec<Fault>>, EngineError>>,
    {
        let hash = hash_of(canonical_json);
        if let Some(found) = self.memory().definitions.0.get(&hash) {
            return Ok(found);
        }
        let parsed = parse(canonical_json.to_owned()).await?;
        let definition = Arc::new(parsed.map_err(|_faults| unreadable(canonical_json, row))?);
        self.memory().definitions.0.insert(hash, Arc::clone(&definition));
        Ok(definition)
    }
}

fn hash_of(canonical_json: &str) -> Hash {
    Sha256::digest(canonical_json.as_bytes()).into()
}

/// What is wrong with a stored definition. It was checked when it was registered: one that is JSON and has no meaning here is
/// of a later version.
fn unreadable(canonical_json: &str, row: &str) -> StoreError {
    let (table, column, row) = ("workflow", "content", row.to_owned());
    match serde_json::from_str::<serde::de::IgnoredAny>(canonical_json) {
        Ok(_) => StoreError::Later { table, column, row },
        Err(_) => StoreError::Corrupt { table, column, row },
    }
}

//! Look at dead letters.

use domain::access::Permission;
use domain::id::DeadLetterId;
use store::dead_letters::{DeadLetterFilter, DeadLetterRecord};
use store::{Page, PageRequest};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// One, with its attempts.
    pub async fn dead_letter(
        &self,
        caller: &Caller,
        id: DeadLetterId,
    ) -> Result<DeadLetterRecord, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().dead_letter(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("dead letter", &id))
    }

    /// A list, newest first.
    pub async fn list_dead_letters(
        &self,
        caller: &Caller,
        filter: &DeadLetterFilter,
        page: PageRequest,
    ) -> Result<Page<DeadLetterRecord>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_dead_letters(&caller.scope, filter, page).await?)
    }
}

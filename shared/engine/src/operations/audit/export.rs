//! Who changed what, as an export.

use domain::access::Permission;
use domain::search::Term;
use store::audit::AuditLine;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How many rows of the chain one part of an export looks at.
const WINDOW: u64 = 2_000;

impl Engine {
    /// A part of the sealed lines that match terms of the list, oldest first: those behind a number of the chain. Answers the number behind
    /// which the next part begins; `None` at the end.
    pub async fn export_audit(
        &self,
        caller: &Caller,
        terms: &[Term],
        behind: u64,
    ) -> Result<(Vec<AuditLine>, Option<u64>), EngineError> {
        caller.require(Permission::Operate)?;
        let chain = self.store().audit_chain().await?;
        let behind = behind.max(chain.anchor.seq);
        let up_to = behind.saturating_add(WINDOW);
        let lines = self.store().audit_in_order(&caller.scope, terms, behind, up_to).await?;
        Ok((lines, (up_to < chain.head.seq).then_some(up_to)))
    }
}

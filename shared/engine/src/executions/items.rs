//! Items of a `MAP`: all that have settled, page by page, and one by its key. Those under way are listed with their node.

use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::workflow::definition::NodeKind;
use domain::workflow::{NodeKey, item_key};

use super::{NodeLine, line};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Items of a `MAP` that have settled, in the order in which they did, after a position: at most `limit`. Answers the
    /// position behind which there may be more; a page may be short or empty before that. An item that ran again is there again.
    pub async fn execution_items(
        &self,
        caller: &Caller,
        id: ExecutionId,
        map: &NodeId,
        after: i64,
        limit: u32,
    ) -> Result<(Vec<NodeLine>, Option<i64>), EngineError> {
        let item_type = self.item_type(caller, id, map).await?;
        let found = self.store().execution_items(&caller.scope, id, map, after, limit).await?;
        let page = found.ok_or_else(|| EngineError::not_found("execution", &id))?;
        let lines =
            page.items.into_iter().map(|view| line(view.node_id.clone(), item_type, Some(view), None));
        Ok((lines.collect(), page.next))
    }

    /// An item of a `MAP` that has settled, by its key.
    pub(super) async fn settled_item(
        &self,
        caller: &Caller,
        id: ExecutionId,
        key: &str,
    ) -> Result<NodeLine, EngineError> {
        let unknown = || EngineError::not_found("node", &key);
        let NodeKey::Item { node, index } = NodeKey::of(&NodeId::trusted(key)) else {
            return Err(unknown());
        };
        let item_type = self.item_type(caller, id, &node).await?;
        let view = self.store().execution_item(&caller.scope, id, &item_key(&node, index)).await?;
        let view = view.ok_or_else(unknown)?;
        Ok(line(view.node_id.clone(), item_type, Some(view), None))
    }

    /// What the items of a node are. Fails where the node is no `MAP`.
    async fn item_type(
        &self,
        caller: &Caller,
        id: ExecutionId,
        map: &NodeId,
    ) -> Result<&'static str, EngineError> {
        let record = self.execution(caller, id).await?;
        let (owner, name) = (record.workflow.owner.as_ref(), &record.workflow.name);
        let version = self.known_workflow(owner, name, Some(record.version)).await?;
        let definition = self.definition(Some(&record.tenant), &version.content, &id.to_string()).await?;
        match definition.node(map).map(|node| &node.kind) {
            Some(NodeKind::Map(spec)) => Ok(spec.task.kind.type_name()),
            _ => Err(EngineError::not_found("MAP node", map)),
        }
    }
}

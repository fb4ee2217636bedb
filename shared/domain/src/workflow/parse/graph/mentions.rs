//! Who reads whom: nothing is read before it can be there.

use crate::names::NodeId;
use crate::workflow::definition::{Graph, NodeKind};
use crate::workflow::parse::expressions::{Mention, Reader};
use crate::workflow::parse::fields::{Faults, did_you_mean};
use crate::workflow::parse::node::Draft;

/// Checks every `nodes.<id>` of the definition. `order` is that of [`sort`](super::sort); of nodes that are missing
/// in it, only what does not depend on the order is checked.
pub(super) fn check_mentions(
    graph: &Graph,
    drafts: &[Draft],
    on_failure_from: usize,
    mentions: &[Mention],
    order: &[usize],
    faults: &mut Faults,
) {
    let ancestors = Ancestors::of(graph, order);
    let checker = Checker { drafts, on_failure_from, ancestors };
    for mention in mentions {
        let id = &mention.node;
        let fault = match graph.index.get(id) {
            Some(&read) if mention.is_callback => checker.check_callback(read),
            Some(&read) => checker.check(mention.reader, read),
            None => {
                let hint = did_you_mean(id.as_str(), graph.index.keys().map(NodeId::as_str));
                Err(format!("there is no such node{hint}"))
            }
        };
        if let Err(message) = fault {
            let part = if mention.is_callback { ".callbackUrl" } else { "" };
            faults.rule(&*mention.pointer, format!("`nodes.{id}{part}`: {message}"));
        }
    }
}

struct Checker<'d> {
    drafts: &'d [Draft],
    on_failure_from: usize,
    ancestors: Ancestors,
}

impl Checker<'_> {
    /// A callback address does not depend on anything that happens, so that it may be read from anywhere.
    fn check_callback(&self, read: usize) -> Result<(), String> {
        match &self.drafts[read].kind {
            Some(NodeKind::WaitWebhook) | None => Ok(()),
            Some(other) => Err(format!("only a WAIT_WEBHOOK has one, and this is a {}", other.type_name())),
        }
    }

    fn check(&self, reader: Reader, read: usize) -> Result<(), String> {
        let of_failure = |node: usize| node >= self.on_failure_from;
        let (node, is_after) = match reader {
            Reader::Node(node) => (node, false),
            Reader::Until(node) => (node, true),
            Reader::Output | Reader::Compensation(_) if of_failure(read) => {
                return Err("only nodes of `onFailure` can read a node of `onFailure`".to_owned());
            }
            Reader::Output | Reader::Compensation(_) => return Ok(()),
        };
        if node == read {
            return if is_after || self.drafts[node].repeat.is_some() {
                Ok(())
            } else {
                Err("a node cannot read its own output, unless it has a `repeat`".to_owned())
            };
        }
        match (of_failure(node), of_failure(read)) {
            (true, false) => return Ok(()),
            (false, true) => {
                return Err("only nodes of `onFailure` can read a node of `onFailure`".to_owned());
            }
            _ => {}
        }
        let ancestors = &self.ancestors;
        if !ancestors.knows(node) || ancestors.contains(node, read) {
            return Ok(());
        }
        let own = self.drafts[node].id.as_ref().map_or("the node", NodeId::as_str);
        Err(if ancestors.knows(read) && ancestors.contains(read, node) {
            format!("it comes after `{own}`")
        } else {
            format!("not done before `{own}` starts; add it to dependsOn")
        })
    }
}

/// For each node the set of nodes that are done before it starts, as bits; nothing for a node on or behind a cycle.
struct Ancestors {
    rows: Vec<Vec<u64>>,
}

impl Ancestors {
    fn of(graph: &Graph, order: &[usize]) -> Self {
        let nodes = graph.dependencies.len();
        let words = nodes.div_ceil(64);
        let mut rows = vec![Vec::new(); nodes];
        for &node in order {
            let mut row = vec![0_u64; words];
            for &dependency in &graph.dependencies[node] {
                row[dependency / 64] |= 1 << (dependency % 64);
                row.iter_mut().zip(&rows[dependency]).for_each(|(word, more)| *word |= more);
            }
            rows[node] = row;
        }
        Self { rows }
    }

    fn knows(&self, node: usize) -> bool {
        !self.rows[node].is_empty()
    }

    fn contains(&self, node: usize, ancestor: usize) -> bool {
        self.rows[node][ancestor / 64] & (1 << (ancestor % 64)) != 0
    }
}

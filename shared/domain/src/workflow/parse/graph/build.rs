//! Makes the graph: ids that are there twice or not at all, and the edges that `goto` adds.

use std::collections::HashMap;

use crate::names::NodeId;
use crate::workflow::definition::Graph;
use crate::workflow::parse::expressions::Mention;
use crate::workflow::parse::fields::Faults;
use crate::workflow::parse::graph::cycles::{report_cycles, sort};
use crate::workflow::parse::graph::mentions::check_mentions;
use crate::workflow::parse::node::Draft;
use crate::workflow::parse::suggest::did_you_mean;

/// Builds the graph and reports what is wrong with it. The nodes of `onFailure` begin at `on_failure_from`.
pub(in crate::workflow::parse) fn read_graph(
    drafts: &[Draft],
    on_failure_from: usize,
    mentions: &[Mention],
    faults: &mut Faults,
) -> Graph {
    let index = read_ids(drafts, faults);
    let reader = EdgeReader { drafts, on_failure_from, index: &index };
    let mut dependencies: Vec<Vec<usize>> =
        (0..drafts.len()).map(|node| reader.read_dependencies(node, faults)).collect();
    for node in 0..drafts.len() {
        reader.add_gotos(node, &mut dependencies, faults);
    }
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); drafts.len()];
    for (node, waits_for) in dependencies.iter().enumerate() {
        for &dependency in waits_for {
            dependents[dependency].push(node);
        }
    }
    let graph = Graph {
        roots: (0..on_failure_from).filter(|&node| dependencies[node].is_empty()).collect(),
        on_failure_roots: (on_failure_from..drafts.len())
            .filter(|&node| dependencies[node].is_empty())
            .collect(),
        leaves: (0..on_failure_from).filter(|&node| dependents[node].is_empty()).collect(),
        index,
        dependencies,
        dependents,
    };
    let order = sort(&graph);
    if order.len() < drafts.len() {
        report_cycles(&graph, drafts, &order, faults);
    }
    check_mentions(&graph, drafts, on_failure_from, mentions, &order, faults);
    graph
}

fn read_ids(drafts: &[Draft], faults: &mut Faults) -> HashMap<NodeId, usize> {
    let mut index = HashMap::with_capacity(drafts.len());
    for (node, draft) in drafts.iter().enumerate() {
        let Some(id) = &draft.id else { continue };
        if let Some(&first) = index.get(id) {
            let first: &Draft = &drafts[first];
            faults.add(
                format!("{}/id", draft.pointer),
                format!("`{id}` is already the id of the node at {}", first.pointer),
            );
        } else {
            index.insert(id.clone(), node);
        }
    }
    index
}

struct EdgeReader<'d> {
    drafts: &'d [Draft],
    on_failure_from: usize,
    index: &'d HashMap<NodeId, usize>,
}

impl EdgeReader<'_> {
    fn read_dependencies(&self, node: usize, faults: &mut Faults) -> Vec<usize> {
        let draft = &self.drafts[node];
        let pointer = format!("{}/dependsOn", draft.pointer);
        let mut dependencies = Vec::with_capacity(draft.depends_on.len());
        for id in &draft.depends_on {
            if draft.id.as_ref() == Some(id) {
                faults.add(&*pointer, format!("`{id}` waits for itself"));
            } else if let Some(dependency) = self.find(node, id, &pointer, faults) {
                dependencies.push(dependency);
            }
        }
        dependencies
    }

    /// The targets of a node wait for it, whether or not they list it.
    fn add_gotos(&self, node: usize, dependencies: &mut [Vec<usize>], faults: &mut Faults) {
        let draft = &self.drafts[node];
        for goto in &draft.gotos {
            if draft.id.as_ref() == Some(&goto.target) {
                let message =
                    format!("`{}` leads to itself; a node with `repeat` runs more than once", goto.target);
                faults.add(&*goto.pointer, message);
            } else if let Some(target) = self.find(node, &goto.target, &goto.pointer, faults)
                && !dependencies[target].contains(&node)
            {
                dependencies[target].push(node);
            }
        }
    }

    /// The node with this id, which has to be of the same list.
    fn find(&self, from: usize, id: &NodeId, pointer: &str, faults: &mut Faults) -> Option<usize> {
        let Some(&found) = self.index.get(id) else {
            let hint = did_you_mean(id.as_str(), self.index.keys().map(NodeId::as_str));
            faults.add(pointer, format!("there is no node `{id}`{hint}"));
            return None;
        };
        let is_of_failure = |node: usize| node >= self.on_failure_from;
        match (is_of_failure(from), is_of_failure(found)) {
            (false, true) => {
                faults.add(pointer, format!("`{id}` is a node of `onFailure`, which starts by itself"));
                None
            }
            (true, false) => {
                let message = format!("`{id}` is over when `onFailure` starts; only its own nodes fit here");
                faults.add(pointer, message);
                None
            }
            _ => Some(found),
        }
    }
}

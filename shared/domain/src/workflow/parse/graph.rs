//! Who waits for whom, and who reads whom.
//!
//! The graph is made from what nodes say, and nodes that wait for one another are found; `mentions` checks that a node
//! reads only what is done before it starts.

mod mentions;

use std::collections::HashMap;

use crate::names::NodeId;
use crate::workflow::definition::Graph;
use crate::workflow::parse::expressions::Mention;
use crate::workflow::parse::fields::{Faults, did_you_mean};
use crate::workflow::parse::node::Draft;
use mentions::check_mentions;

// Makes the graph: ids that are there twice or not at all, and the edges that `goto` adds.

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

// Nodes that wait for one another.

/// The nodes in an order in which each comes after those it waits for (Kahn). Nodes on or behind a cycle are missing.
fn sort(graph: &Graph) -> Vec<usize> {
    let mut waits_for: Vec<usize> = graph.dependencies.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = graph.roots.iter().chain(&graph.on_failure_roots).copied().collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &dependent in &graph.dependents[node] {
            waits_for[dependent] -= 1;
            if waits_for[dependent] == 0 {
                order.push(dependent);
            }
        }
    }
    order
}

/// Reports one cycle for each group of nodes that wait for one another.
fn report_cycles(graph: &Graph, drafts: &[Draft], order: &[usize], faults: &mut Faults) {
    /// Not on a cycle that was reported, nor known to lead only to one.
    const FRESH: usize = usize::MAX;
    let mut visit_of = vec![FRESH; drafts.len()];
    // Sorted nodes wait for no cycle.
    for &node in order {
        visit_of[node] = drafts.len();
    }
    for start in 0..drafts.len() {
        let mut path = Vec::new();
        let mut node = start;
        // Each node left over waits for at least one other that is left over, so the walk only ends on a known node.
        while visit_of[node] == FRESH {
            visit_of[node] = start;
            path.push(node);
            let left_over = |dependency: &&usize| visit_of[**dependency] != drafts.len();
            let Some(&dependency) = graph.dependencies[node].iter().find(left_over) else {
                break;
            };
            node = dependency;
        }
        if let Some(first) = path.iter().position(|&on_path| on_path == node) {
            report_cycle(drafts, &path[first..], faults);
        }
    }
}

/// Reports a cycle, of which each node waits for the next one of `path`.
fn report_cycle(drafts: &[Draft], path: &[usize], faults: &mut Faults) {
    // In the order of execution, from the node that is listed first: each arrow points at the one that waits.
    let mut cycle: Vec<usize> = path.iter().rev().copied().collect();
    let lowest = cycle.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(position, _)| position);
    cycle.rotate_left(lowest);
    let names: Vec<&str> = cycle
        .iter()
        .chain(cycle.first())
        .map(|&node| drafts[node].id.as_ref().map_or("?", NodeId::as_str))
        .collect();
    let names = names.join(" -> ");
    let edges = cycle.iter().zip(cycle.iter().cycle().skip(1));
    match edges.filter_map(|(&from, &to)| goto_pointer(drafts, from, to)).last() {
        // A way back is what somebody means who knows loops from elsewhere.
        Some(pointer) => faults.add(
            pointer,
            format!("these nodes wait for one another: {names}; to run a node again, give it `repeat`"),
        ),
        None => faults.add(
            format!("{}/dependsOn", drafts[cycle[0]].pointer),
            format!("these nodes wait for one another: {names}"),
        ),
    }
}

/// Where one node names another as its target, if that alone makes the other wait for it.
fn goto_pointer(drafts: &[Draft], from: usize, to: usize) -> Option<&str> {
    let (own, target) = (drafts[from].id.as_ref()?, drafts[to].id.as_ref()?);
    if drafts[to].depends_on.contains(own) {
        return None;
    }
    drafts[from].gotos.iter().find(|goto| goto.target == *target).map(|goto| &*goto.pointer)
}

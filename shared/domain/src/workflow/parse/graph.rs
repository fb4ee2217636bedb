//! Who waits for whom: ids that are there twice or not at all, cycles, and which node may read which.

use std::collections::HashMap;

use crate::names::NodeId;
use crate::workflow::definition::Graph;
use crate::workflow::parse::expressions::Mention;
use crate::workflow::parse::fields::Faults;
use crate::workflow::parse::node::Draft;
use crate::workflow::parse::suggest::did_you_mean;

/// Builds the graph and reports what is wrong with it.
pub(super) fn read_graph(drafts: &[Draft], mentions: &[Mention], faults: &mut Faults) -> Graph {
    let index = read_ids(drafts, faults);
    let dependencies: Vec<Vec<usize>> = drafts
        .iter()
        .enumerate()
        .map(|(node, draft)| read_dependencies(node, draft, &index, faults))
        .collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); drafts.len()];
    for (node, waits_for) in dependencies.iter().enumerate() {
        for &dependency in waits_for {
            dependents[dependency].push(node);
        }
    }
    let graph = Graph {
        roots: (0..drafts.len()).filter(|&node| dependencies[node].is_empty()).collect(),
        leaves: (0..drafts.len()).filter(|&node| dependents[node].is_empty()).collect(),
        index,
        dependencies,
        dependents,
    };
    let order = sort(&graph);
    if order.len() < drafts.len() {
        report_cycles(&graph, drafts, &order, faults);
    }
    let ancestors = (order.len() == drafts.len()).then(|| Ancestors::of(&graph, &order));
    check_mentions(&graph, drafts, mentions, ancestors.as_ref(), faults);
    graph
}

fn read_ids(drafts: &[Draft], faults: &mut Faults) -> HashMap<NodeId, usize> {
    let mut index = HashMap::with_capacity(drafts.len());
    for (node, draft) in drafts.iter().enumerate() {
        let Some(id) = &draft.id else { continue };
        if let Some(first) = index.get(id) {
            faults.add(
                format!("/nodes/{node}/id"),
                format!("`{id}` is already the id of node {first} of the list"),
            );
        } else {
            index.insert(id.clone(), node);
        }
    }
    index
}

fn read_dependencies(
    node: usize,
    draft: &Draft,
    index: &HashMap<NodeId, usize>,
    faults: &mut Faults,
) -> Vec<usize> {
    let mut dependencies = Vec::with_capacity(draft.depends_on.len());
    for id in &draft.depends_on {
        match index.get(id) {
            _ if draft.id.as_ref() == Some(id) => {
                faults.add(format!("/nodes/{node}/dependsOn"), format!("`{id}` waits for itself"));
            }
            Some(&dependency) => dependencies.push(dependency),
            None => {
                let hint = did_you_mean(id.as_str(), index.keys().map(NodeId::as_str));
                faults.add(format!("/nodes/{node}/dependsOn"), format!("there is no node `{id}`{hint}"));
            }
        }
    }
    dependencies
}

/// The nodes in an order in which each comes after those it waits for (Kahn). Nodes on or behind a cycle are missing.
fn sort(graph: &Graph) -> Vec<usize> {
    let mut waits_for: Vec<usize> = graph.dependencies.iter().map(Vec::len).collect();
    let mut order = graph.roots.clone();
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
        let Some(first) = path.iter().position(|&on_path| on_path == node) else {
            continue;
        };
        // In the order of execution, from the node that is listed first: each arrow points at the one that waits.
        let mut cycle: Vec<usize> = path[first..].iter().rev().copied().collect();
        let lowest =
            cycle.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(position, _)| position);
        cycle.rotate_left(lowest);
        let names: Vec<&str> = cycle
            .iter()
            .chain(cycle.first())
            .map(|&node| drafts[node].id.as_ref().map_or("?", NodeId::as_str))
            .collect();
        let pointer = format!("/nodes/{}/dependsOn", cycle[0]);
        faults.add(pointer, format!("these nodes wait for one another: {}", names.join(" -> ")));
    }
}

/// For each node the set of nodes that are done before it starts, as bits.
struct Ancestors {
    rows: Vec<Vec<u64>>,
}

impl Ancestors {
    fn of(graph: &Graph, order: &[usize]) -> Self {
        let words = order.len().div_ceil(64);
        let mut rows = vec![vec![0_u64; words]; order.len()];
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

    fn contains(&self, node: usize, ancestor: usize) -> bool {
        self.rows[node][ancestor / 64] & (1 << (ancestor % 64)) != 0
    }
}

fn check_mentions(
    graph: &Graph,
    drafts: &[Draft],
    mentions: &[Mention],
    ancestors: Option<&Ancestors>,
    faults: &mut Faults,
) {
    for mention in mentions {
        let id = &mention.node;
        let Some(&read) = graph.index.get(id) else {
            let hint = did_you_mean(id.as_str(), graph.index.keys().map(NodeId::as_str));
            faults.add(&*mention.pointer, format!("`nodes.{id}`: there is no such node{hint}"));
            continue;
        };
        let (Some(reader), Some(ancestors)) = (mention.reader, ancestors) else {
            continue;
        };
        if ancestors.contains(reader, read) {
            continue;
        }
        let own = drafts[reader].id.as_ref().map_or("the node", NodeId::as_str);
        let message = if read == reader {
            format!("`nodes.{id}`: a node cannot read its own output")
        } else {
            format!("`nodes.{id}`: not done before `{own}` starts; add it to dependsOn")
        };
        faults.add(&*mention.pointer, message);
    }
}

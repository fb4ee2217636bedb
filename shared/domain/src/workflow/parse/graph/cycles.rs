//! Nodes that wait for one another.

use crate::names::NodeId;
use crate::workflow::definition::Graph;
use crate::workflow::parse::fields::Faults;
use crate::workflow::parse::node::Draft;

/// The nodes in an order in which each comes after those it waits for (Kahn). Nodes on or behind a cycle are missing.
pub(super) fn sort(graph: &Graph) -> Vec<usize> {
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
pub(super) fn report_cycles(graph: &Graph, drafts: &[Draft], order: &[usize], faults: &mut Faults) {
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

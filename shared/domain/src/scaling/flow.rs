//! The largest number of waiting jobs that tenants' and workflows' limits let start together.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::names::TenantName;
use crate::queue::WorkflowRef;

/// Jobs of a tenant and a workflow, which count against the same limits.
pub(super) type Cell<'a> = (&'a TenantName, Option<&'a WorkflowRef>);

/// A limit that is none.
const UNLIMITED: u64 = u64::MAX / 4;

/// How many of the jobs that wait can start, given how much room each tenant and each workflow has.
pub(super) fn most(
    waiting: &BTreeMap<Cell<'_>, u64>,
    of_tenant: impl Fn(&TenantName) -> Option<u64>,
    of_workflow: impl Fn(&WorkflowRef) -> Option<u64>,
) -> u64 {
    let (mut by_tenant, mut by_workflow) = (BTreeMap::new(), BTreeMap::new());
    for (&(tenant, workflow), &jobs) in waiting {
        *by_tenant.entry(tenant).or_insert(0_u64) += jobs;
        *by_workflow.entry(workflow).or_insert(0_u64) += jobs;
    }
    let room_of_workflow = |workflow: Option<&WorkflowRef>| workflow.and_then(&of_workflow);
    let free_of_tenants =
        by_tenant.iter().all(|(tenant, jobs)| of_tenant(tenant).is_none_or(|room| *jobs <= room));
    if free_of_tenants {
        return by_workflow.iter().map(|(workflow, jobs)| cut(*jobs, room_of_workflow(*workflow))).sum();
    }
    let free_of_workflows = by_workflow
        .iter()
        .all(|(workflow, jobs)| room_of_workflow(*workflow).is_none_or(|room| *jobs <= room));
    if free_of_workflows {
        return by_tenant.iter().map(|(tenant, jobs)| cut(*jobs, of_tenant(tenant))).sum();
    }
    let mut network = Network::default();
    let (source, sink) = (network.node(), network.node());
    let tenants: HashMap<&TenantName, usize> = by_tenant
        .iter()
        .map(|(tenant, jobs)| (*tenant, network.node_behind(source, cut(*jobs, of_tenant(tenant)))))
        .collect();
    let workflows: HashMap<Option<&WorkflowRef>, usize> = by_workflow
        .iter()
        .map(|(workflow, jobs)| {
            (*workflow, network.node_before(sink, cut(*jobs, room_of_workflow(*workflow))))
        })
        .collect();
    for ((tenant, workflow), jobs) in waiting {
        network.connect(tenants[tenant], workflows[workflow], *jobs);
    }
    network.most(source, sink)
}

fn cut(jobs: u64, room: Option<u64>) -> u64 {
    room.map_or(jobs, |room| jobs.min(room))
}

/// A network with capacities, by Dinic's method.
#[derive(Default)]
struct Network {
    /// Edges in pairs: each is followed by its way back.
    edges: Vec<Edge>,
    of: Vec<Vec<usize>>,
}

struct Edge {
    to: usize,
    room: u64,
}

impl Network {
    fn node(&mut self) -> usize {
        self.of.push(Vec::new());
        self.of.len() - 1
    }

    fn node_behind(&mut self, from: usize, room: u64) -> usize {
        let node = self.node();
        self.connect(from, node, room);
        node
    }

    fn node_before(&mut self, to: usize, room: u64) -> usize {
        let node = self.node();
        self.connect(node, to, room);
        node
    }

    fn connect(&mut self, from: usize, to: usize, room: u64) {
        for (from, to, room) in [(from, to, room), (to, from, 0)] {
            self.of[from].push(self.edges.len());
            self.edges.push(Edge { to, room });
        }
    }

    fn most(&mut self, source: usize, sink: usize) -> u64 {
        let mut total = 0;
        while let Some(levels) = self.levels(source, sink) {
            let mut next = vec![0; self.of.len()];
            loop {
                let pushed = self.push(source, sink, &levels, &mut next);
                if pushed == 0 {
                    break;
                }
                total += pushed;
            }
        }
        total
    }

    /// How far each node is from the source over edges with room; `None` where the sink cannot be reached.
    fn levels(&self, source: usize, sink: usize) -> Option<Vec<usize>> {
        let mut levels = vec![usize::MAX; self.of.len()];
        levels[source] = 0;
        let mut reached = VecDeque::from([source]);
        while let Some(node) = reached.pop_front() {
            for edge in self.of[node].iter().map(|&edge| &self.edges[edge]) {
                if edge.room > 0 && levels[edge.to] == usize::MAX {
                    levels[edge.to] = levels[node] + 1;
                    reached.push_back(edge.to);
                }
            }
        }
        (levels[sink] != usize::MAX).then_some(levels)
    }

    /// Sends what one path takes; none has a loop, so that a stack of edges is all there is to remember.
    fn push(&mut self, source: usize, sink: usize, levels: &[usize], next: &mut [usize]) -> u64 {
        let mut path: Vec<usize> = Vec::new();
        let mut node = source;
        while node != sink {
            let open = self.of[node][next[node]..].iter().position(|&edge| {
                let edge = &self.edges[edge];
                edge.room > 0 && levels[edge.to] == levels[node] + 1
            });
            if let Some(skipped) = open {
                next[node] += skipped;
                let edge = self.of[node][next[node]];
                path.push(edge);
                node = self.edges[edge].to;
                continue;
            }
            next[node] = self.of[node].len();
            let Some(edge) = path.pop() else {
                return 0;
            };
            node = self.edges[edge ^ 1].to;
            next[node] += 1;
        }
        let pushed = path.iter().map(|&edge| self.edges[edge].room).min().unwrap_or(0).min(UNLIMITED);
        for edge in path {
            self.edges[edge].room -= pushed;
            self.edges[edge ^ 1].room += pushed;
        }
        pushed
    }
}

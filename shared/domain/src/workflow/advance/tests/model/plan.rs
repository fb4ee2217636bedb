//! Random definitions: each node waits for a few of those before it. Nodes of `onFailure` come last.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

/// What a node does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Task,
    Transform,
    Timer,
    Signal,
    UserTask,
    Webhook,
    Child {
        retries: u32,
    },
    Map {
        total: u32,
        concurrency: u32,
        collects: bool,
        has_children: bool,
    },
    /// The nodes of the cases in order, which case holds, and the default.
    Switch {
        cases: Vec<usize>,
        taken: usize,
        default: Option<usize>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ErrorWay {
    Fail,
    Continue,
    Goto(usize),
}

#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) depends_on: Vec<usize>,
    /// The same, and the nodes that lead to this one.
    pub(super) dependencies: Vec<usize>,
    pub(super) kind: Kind,
    pub(super) when: Option<bool>,
    pub(super) on_error: ErrorWay,
    pub(super) has_undo: bool,
    /// The most rounds; 1 for no `repeat`.
    pub(super) rounds: u32,
    pub(super) has_delay: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) nodes: Vec<Draft>,
    /// Where `onFailure` begins.
    pub(super) main: usize,
}

type Seed = (u8, Vec<Index>, (u8, u8, u8), [u8; 5]);

pub(super) fn any_plan() -> impl Strategy<Value = Plan> {
    let seed = || {
        (any::<u8>(), prop::collection::vec(any::<Index>(), 0..3), any::<(u8, u8, u8)>(), any::<[u8; 5]>())
    };
    (prop::collection::vec(seed(), 1..9), prop::collection::vec(seed(), 0..4)).prop_map(|(main, handlers)| {
        let mut plan = Plan { nodes: Vec::new(), main: main.len() };
        add(&mut plan, &main);
        add(&mut plan, &handlers);
        plan
    })
}

fn add(plan: &mut Plan, seeds: &[Seed]) {
    let first = plan.nodes.len();
    let end = first + seeds.len();
    let is_main = first == 0 && end == plan.main;
    for (offset, (kind, picks, more, flags)) in seeds.iter().enumerate() {
        let mut depends_on: Vec<usize> =
            picks.iter().filter(|_| offset > 0).map(|pick| first + pick.index(offset)).collect();
        depends_on.sort_unstable();
        depends_on.dedup();
        let kind = kind_of(*kind, *more, first + offset, end);
        let can_repeat =
            matches!(kind, Kind::Task | Kind::Transform | Kind::Child { .. } | Kind::UserTask | Kind::Signal);
        plan.nodes.push(Draft {
            dependencies: depends_on.clone(),
            depends_on,
            has_undo: is_main && matches!(kind, Kind::Task | Kind::Map { .. }) && flags[0] % 2 == 0,
            when: match flags[1] % 8 {
                0 => Some(false),
                1 | 2 => Some(true),
                _ => None,
            },
            on_error: match flags[2] % 4 {
                0 => ErrorWay::Continue,
                1 if first + offset + 1 < end => {
                    ErrorWay::Goto(first + offset + 1 + more.0 as usize % (end - first - offset - 1))
                }
                // What fails in place is always taken care of: see the oracle.
                _ if kind == Kind::Transform => ErrorWay::Continue,
                _ => ErrorWay::Fail,
            },
            rounds: if can_repeat { [1, 1, 1, 2, 3][flags[3] as usize % 5] } else { 1 },
            has_delay: kind != Kind::Transform && flags[4] % 2 == 0,
            kind,
        });
    }
    link(plan, first, end);
}

fn kind_of(kind: u8, more: (u8, u8, u8), own: usize, end: usize) -> Kind {
    match kind % 14 {
        0 | 1 => Kind::Transform,
        2 => Kind::Timer,
        3 => Kind::Signal,
        4 => Kind::UserTask,
        5 => Kind::Webhook,
        6 => Kind::Child { retries: u32::from(more.0 % 3) },
        7 | 8 => Kind::Map {
            total: u32::from(more.0 % 6),
            concurrency: 1 + u32::from(more.1 % 4),
            collects: more.2.is_multiple_of(2),
            has_children: more.2 % 4 < 2,
        },
        9 | 10 if own + 1 < end => {
            let mut cases: Vec<usize> =
                [more.0, more.1, more.2].map(|pick| own + 1 + pick as usize % (end - own - 1)).to_vec();
            cases.dedup();
            let default = more.0.is_multiple_of(2).then(|| cases.pop()).flatten();
            if cases.is_empty() {
                cases.extend(default);
            }
            cases.sort_unstable();
            cases.dedup();
            let default = default.filter(|target| !cases.contains(target));
            Kind::Switch { taken: more.1 as usize % (cases.len() + 1), cases, default }
        }
        _ => Kind::Task,
    }
}

/// Adds the ways that lead from one node to another. No node is led to by two, or waits for itself in two ways.
fn link(plan: &mut Plan, first: usize, end: usize) {
    let mut led_to = vec![false; plan.nodes.len()];
    for node in first..end {
        if let Kind::Switch { cases, default, .. } = plan.nodes[node].kind.clone() {
            let targets: Vec<usize> = cases.iter().copied().chain(default).collect();
            if targets.iter().any(|&target| led_to[target]) {
                plan.nodes[node].kind = Kind::Task;
            } else {
                for target in targets {
                    led_to[target] = true;
                    plan.nodes[target].dependencies.push(node);
                }
            }
        }
        if let ErrorWay::Goto(target) = plan.nodes[node].on_error {
            if std::mem::replace(&mut led_to[target], true) {
                plan.nodes[node].on_error = ErrorWay::Continue;
            } else {
                plan.nodes[target].dependencies.push(node);
            }
        }
    }
    for draft in &mut plan.nodes[first..end] {
        draft.dependencies.sort_unstable();
        draft.dependencies.dedup();
    }
}

impl Plan {
    pub(super) fn id(&self, node: usize) -> String {
        if node < self.main { format!("n{node}") } else { format!("h{node}") }
    }

    /// The nodes, and what else the definition has.
    pub(super) fn to_json(&self) -> (Value, Value) {
        let all: Vec<Value> = (0..self.nodes.len()).map(|node| self.node_json(node)).collect();
        let (main, handlers) = all.split_at(self.main);
        (Value::from(main.to_vec()), json!({"onFailure": handlers}))
    }

    fn node_json(&self, node: usize) -> Value {
        let draft = &self.nodes[node];
        let id = self.id(node);
        let mut json = match &draft.kind {
            Kind::Task => json!({"type": "SERVICE_TASK", "jobType": "work"}),
            Kind::Transform => {
                json!({"type": "TRANSFORM", "output": {"own": id, "stop": node.is_multiple_of(2)}})
            }
            Kind::Timer => json!({"type": "TIMER", "duration": "5s"}),
            Kind::Signal => json!({"type": "SIGNAL", "signal": format!("to-{id}")}),
            Kind::UserTask => {
                json!({"type": "USER_TASK", "group": "g", "escalation": {"after": "3s", "group": "h"}})
            }
            Kind::Webhook => json!({"type": "WAIT_WEBHOOK"}),
            Kind::Child { retries } => {
                json!({"type": "WORKFLOW", "workflow": "other", "retryCount": retries})
            }
            Kind::Map { total, concurrency, collects, has_children } => {
                let item = if *has_children {
                    json!({"type": "WORKFLOW", "workflow": "other", "input": {"item": "${item}"}})
                } else {
                    json!({"type": "SERVICE_TASK", "jobType": "work", "input": {"item": "${item}", "index": "${index}"}})
                };
                json!({"type": "MAP", "items": (0..*total).collect::<Vec<_>>(), "concurrency": concurrency,
                    "onItemError": if *collects { "collect" } else { "fail" }, "node": item})
            }
            Kind::Switch { cases, taken, default } => {
                let case = |(place, target): (usize, &usize)| json!({"when": format!("input.yes && {place} == {taken}"), "goto": self.id(*target)});
                let mut json = json!({"type": "SWITCH", "cases": cases.iter().enumerate().map(case).collect::<Vec<_>>()});
                if let Some(default) = default {
                    json["default"] = json!(self.id(*default));
                }
                json
            }
        };
        json["id"] = json!(id);
        json["dependsOn"] = draft.depends_on.iter().map(|&before| self.id(before)).collect();
        if let Some(when) = draft.when {
            json["when"] = json!(if when { "input.yes" } else { "!input.yes" });
        }
        match draft.on_error {
            ErrorWay::Fail => {}
            ErrorWay::Continue => json["onError"] = json!("continue"),
            ErrorWay::Goto(target) => json["onError"] = json!({"goto": self.id(target)}),
        }
        if draft.has_undo {
            json["compensate"] = json!({"type": "SERVICE_TASK", "jobType": "undo"});
        }
        if draft.rounds > 1 {
            let delay = if draft.has_delay { "2s" } else { "0s" };
            let until = format!("nodes.{id}.output.stop == true");
            json["repeat"] = json!({"until": until, "max": draft.rounds, "delay": delay});
        }
        json
    }
}

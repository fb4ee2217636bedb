//! Steps of many executions in one commit, and reruns that begin where another execution stood.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::workflow::execution::{ExecutionStatus, NodeRecord, NodeStatus};

use super::executions::{commit, node_job, owned};
use super::fixture::{
    T0, after_secs, claim, claim_nodes, commit_all, complete, execution, id, lease, load_one, tenant, token,
    version,
};
use super::parking::committed;
use crate::Store;
use crate::executions::{
    Appended, CommandStatus, EventLine, ExecutionCommit, INBOX_BYTES_MAX, InboxEntry, InboxResult,
    NewExecution, OwnerNext, Seed, SettledNode,
};
use crate::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};

const ALL: TenantScope = TenantScope::All;

/// `count` executions and their owners' leases, in order.
pub(super) async fn many(store: &dyn Store, count: u32) -> Vec<(NewExecution, ClaimedJob)> {
    store.register_workflow(&version("w")).await.expect("register works");
    let new: Vec<NewExecution> = (0..count).map(|_| execution("w")).collect();
    store.create_executions(&new, T0).await.expect("create works");
    let owners = store.claim(&claim(QueueName::Execution, count, T0)).await.expect("claim works");
    new.into_iter().zip(owners).collect()
}

fn record(node: &str, round: u32, output: Option<i64>) -> SettledNode {
    NodeRecord {
        node: NodeId::trusted(node),
        round,
        status: if output.is_some() { NodeStatus::Completed } else { NodeStatus::Failed },
        input: None,
        output: output.map(serde_json::Value::from),
        error: None,
        attempts: 1,
        started_at: Some(T0),
        finished_at: T0,
    }
    .into()
}

fn line(kind: &str) -> EventLine {
    EventLine { kind: kind.into(), node_id: None, detail: None, at: T0 }
}

async fn status_of(store: &dyn Store, id: ExecutionId) -> ExecutionStatus {
    store.execution(&ALL, id).await.expect("read works").expect("there").status
}

/// One lost lease among many changes nothing and holds up nobody; each answer is in its place.
pub async fn i02_a_lost_lease_holds_up_no_other(store: &dyn Store) {
    let all = many(store, 4).await;
    let step = |place: usize, next: OwnerNext| {
        let (new, owner) = &all[place];
        let status =
            if next == OwnerNext::Finish { ExecutionStatus::Completed } else { ExecutionStatus::Running };
        ExecutionCommit {
            records: vec![record("a", 1, Some(place as i64))],
            events: vec![line("node_completed")],
            enqueue: vec![node_job(new, "n")],
            next,
            ..commit(new.id, lease(owner), status)
        }
    };
    let ended = step(3, OwnerNext::Finish);
    committed(store, &ended).await;
    let stale = LeaseRef { token: token(), ..lease(&all[1].1) };
    let foreign = commit(id(), lease(&all[0].1), ExecutionStatus::Running);
    let batch = [
        step(2, OwnerNext::Keep),
        ExecutionCommit { lease: stale, ..step(1, OwnerNext::Keep) },
        ended,
        step(0, OwnerNext::Park { due_at: None }),
        foreign,
    ];
    let answers = commit_all(store, &batch, T0).await.expect("commit works");
    assert!(matches!(&answers[0], LeaseAnswer::Ok(done) if !done.parked && done.enqueued.len() == 1));
    assert_eq!((&answers[1], &answers[2]), (&LeaseAnswer::LeaseLost, &LeaseAnswer::AlreadyDone));
    assert!(matches!(&answers[3], LeaseAnswer::Ok(done) if done.parked));
    assert_eq!(answers[4], LeaseAnswer::LeaseLost, "a lease is good for its own execution only");
    assert_eq!(claim_nodes(store, 10, T0).await.len(), 3, "of the ended, the kept and the parked one");
    assert_eq!(status_of(store, all[1].0.id).await, ExecutionStatus::Pending);
    let events = store.execution_events(&ALL, all[1].0.id, 0, 10).await.expect("read works").expect("there");
    assert_eq!(events, []);
    assert_eq!(commit_all(store, &[], T0).await.expect("nothing is fine"), []);
}

/// Fifty executions go their way together, each with its own results.
pub async fn many_executions_commit_together(store: &dyn Store) {
    let all = many(store, 50).await;
    let steps: Vec<ExecutionCommit> = all
        .iter()
        .enumerate()
        .map(|(place, (new, owner))| ExecutionCommit {
            state: vec![place as u8],
            records: vec![record("a", 1, Some(place as i64))],
            events: vec![line("first"), line("second")],
            enqueue: vec![node_job(new, "n"), node_job(new, "m")],
            ..commit(new.id, lease(owner), ExecutionStatus::Running)
        })
        .collect();
    let answers = commit_all(store, &steps, T0).await.expect("commit works");
    for (step, answer) in steps.iter().zip(&answers) {
        let LeaseAnswer::Ok(done) = answer else { panic!("the lease holds: {answer:?}") };
        let ids: Vec<_> = done.enqueued.iter().map(|job| job.id).collect();
        assert_eq!(ids, [step.enqueue[0].id, step.enqueue[1].id]);
    }
    for (place, (new, owner)) in all.iter().enumerate() {
        let LeaseAnswer::Ok(loaded) = load_one(store, new.id, lease(owner)).await.expect("load works") else {
            panic!("the lease holds");
        };
        assert_eq!(loaded.state, Some(vec![place as u8]));
        assert_eq!(loaded.outputs, [(NodeId::trusted("a"), place.to_string())]);
        let events = store.execution_events(&ALL, new.id, 0, 10).await.expect("read works").expect("there");
        let kinds: Vec<&str> = events.iter().map(|event| event.line.kind.as_str()).collect();
        assert_eq!(kinds, ["first", "second"]);
    }
    let ends: Vec<ExecutionCommit> = all
        .iter()
        .map(|(new, owner)| ExecutionCommit {
            next: OwnerNext::Finish,
            ..commit(new.id, lease(owner), ExecutionStatus::Completed)
        })
        .collect();
    assert!(
        commit_all(store, &ends, T0)
            .await
            .expect("commit works")
            .iter()
            .all(|answer| matches!(answer, LeaseAnswer::Ok(_)))
    );
    let again = commit_all(store, &ends, T0).await.expect("commit works");
    assert!(again.iter().all(|answer| *answer == LeaseAnswer::AlreadyDone));
}

/// Executions that end together leave nothing pending behind: results of their nodes are gone, and a command is
/// refused, whoever ends beside it.
pub async fn ends_that_entail_nothing_close_their_inboxes(store: &dyn Store) {
    let all = many(store, 4).await;
    let running = |(new, owner): &(NewExecution, ClaimedJob)| ExecutionCommit {
        enqueue: vec![node_job(new, "n")],
        ..commit(new.id, lease(owner), ExecutionStatus::Running)
    };
    let steps: Vec<ExecutionCommit> = all.iter().map(running).collect();
    commit_all(store, &steps, T0).await.expect("commit works");
    for node in claim_nodes(store, 10, T0).await {
        complete(store, &node, T0).await;
    }
    let signal = InboxEntry::Signal { name: "x".into(), payload: "1".into() };
    let Appended::At(signalled) = store
        .append_command(&ALL, all[3].0.id, super::fixture::id(), &signal, T0)
        .await
        .expect("append works")
    else {
        panic!("the execution is there")
    };
    let end = |(new, owner): &(NewExecution, ClaimedJob)| ExecutionCommit {
        state: vec![7],
        records: vec![record("n", 1, Some(1))],
        events: vec![line("execution_completed")],
        output: Some("{}".into()),
        next: OwnerNext::Finish,
        ..commit(new.id, lease(owner), ExecutionStatus::Completed)
    };
    for group in [&all[..2], &all[2..]] {
        let ends: Vec<ExecutionCommit> = group.iter().map(end).collect();
        let answers = commit_all(store, &ends, after_secs(1)).await.expect("commit works");
        assert!(answers.iter().all(|answer| matches!(answer, LeaseAnswer::Ok(_))), "{answers:?}");
    }
    let ids: Vec<ExecutionId> = all.iter().map(|(new, _)| new.id).collect();
    let inboxes = store.inboxes(&ids, 10).await.expect("read works");
    assert!(inboxes.iter().all(Vec::is_empty), "{inboxes:?}");
    let command = store.command(&ALL, signalled).await.expect("read works").expect("there");
    assert!(matches!(command.status, CommandStatus::Refused(_)), "{command:?}");
    for (new, _) in &all {
        let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
        assert_eq!((record.status, record.completed_at), (ExecutionStatus::Completed, Some(after_secs(1))));
        assert_eq!(record.output.as_deref(), Some("{}"));
        let events = store.execution_events(&ALL, new.id, 0, 10).await.expect("read works").expect("there");
        assert_eq!(events.len(), 1);
    }
}

/// Inboxes are answered in the order asked for, each in its own order and cut; commands are settled each by itself.
pub async fn inboxes_are_read_and_settled_together(store: &dyn Store) {
    let all = many(store, 3).await;
    let signal = |name: &str| InboxEntry::Signal { name: name.into(), payload: "1".into() };
    for (place, (new, _)) in all.iter().enumerate() {
        for name in ["x", "y", "z"].iter().take(place + 1) {
            store
                .append_command(&ALL, new.id, super::fixture::id(), &signal(name), T0)
                .await
                .expect("append works");
        }
    }
    let ids = [all[2].0.id, id(), all[0].0.id];
    let inboxes = store.inboxes(&ids, 2).await.expect("read works");
    assert_eq!(inboxes.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 1]);
    assert_eq!([&inboxes[0][0].entry, &inboxes[0][1].entry], [&signal("x"), &signal("y")]);
    let settled = |place: usize, rows: &[crate::executions::InboxRow]| ExecutionCommit {
        inbox: rows
            .iter()
            .enumerate()
            .map(|(nth, row)| InboxResult {
                position: row.position,
                refused: (nth == 1).then(|| "no".to_owned()),
            })
            .collect(),
        ..commit(all[place].0.id, lease(&all[place].1), ExecutionStatus::Running)
    };
    let steps = [settled(2, &inboxes[0]), settled(0, &inboxes[2])];
    assert_eq!(commit_all(store, &steps, T0).await.expect("commit works").len(), 2);
    let mut stands = Vec::new();
    for row in inboxes[0].iter().chain(&inboxes[2]) {
        stands.push(store.command(&ALL, row.position).await.expect("read works").expect("there").status);
    }
    let expected = [CommandStatus::Applied, CommandStatus::Refused("no".into()), CommandStatus::Applied];
    assert_eq!(stands, expected);
    assert_eq!(store.inboxes(&[all[2].0.id], 9).await.expect("read works")[0].len(), 1, "one was not read");
    let ended = store.ended_executions(&[all[0].0.id, id()]).await.expect("read works");
    assert_eq!(ended, []);
}

/// However many inboxes are read at once, and whatever is in them, a look takes a bounded amount of memory.
pub async fn inboxes_are_read_up_to_a_size(store: &dyn Store) {
    let all = many(store, 2).await;
    let large = "x".repeat(900_000);
    let signal = |text: &str| InboxEntry::Signal { name: "x".into(), payload: format!("\"{text}\"") };
    for text in [large.as_str(), "small", &large, &large, "last"] {
        let id = super::fixture::id();
        store.append_command(&ALL, all[0].0.id, id, &signal(text), T0).await.expect("append works");
    }
    let ids: Vec<ExecutionId> = all.iter().map(|(new, _)| new.id).collect();
    assert_eq!(store.filled_inboxes(&ids).await.expect("read works"), [ids[0]]);
    let mut read = Vec::new();
    for expected in [4, 1] {
        let rows = store.inboxes(&ids, 500).await.expect("read works").remove(0);
        assert_eq!(rows.len(), expected, "up to the entry that reaches beyond the bound");
        let bytes: usize = rows.iter().map(|row| row.entry.bytes()).sum();
        assert!(bytes < INBOX_BYTES_MAX + 1024 * 1024, "{bytes}");
        let applied = rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect();
        let step = ExecutionCommit {
            inbox: applied,
            step: read.len().min(1) as i64,
            ..commit(ids[0], lease(&all[0].1), ExecutionStatus::Running)
        };
        commit_all(store, &[step], T0).await.expect("commit works");
        read.extend(rows);
    }
    assert_eq!(read[4].entry, signal("last"));
    assert_eq!(store.filled_inboxes(&ids).await.expect("read works"), []);
}

/// A rerun begins with the latest results of the nodes that are named, items included, and with nothing of others.
pub async fn a_rerun_begins_with_what_was_there(store: &dyn Store) {
    let (first, owner) = owned(store).await;
    let records = [
        ("a", 1, Some(1)),
        ("a", 2, Some(2)),
        ("items[17]", 1, Some(17)),
        ("items[2]", 1, None),
        ("z", 1, Some(9)),
    ];
    let step = ExecutionCommit {
        records: records.iter().map(|(node, round, output)| record(node, *round, *output)).collect(),
        next: OwnerNext::Finish,
        ..commit(first.id, lease(&owner), ExecutionStatus::Failed)
    };
    committed(store, &step).await;
    assert_eq!(store.ended_executions(&[first.id]).await.expect("read works"), [first.id]);
    let nodes = ["a", "items[17]", "items[2]"].map(NodeId::trusted).to_vec();
    let seed = Seed { state: vec![7], from: first.id, nodes };
    let again = NewExecution { seed: Some(seed.clone()), ..execution("w") };
    let mut other = NewExecution { seed: Some(seed), ..execution("w") };
    other.job.tenant = tenant("b");
    let both = [again.clone(), other.clone()];
    store.create_executions(&both, T0).await.expect("create works");
    store.create_executions(&both, T0).await.expect("creating again changes nothing");
    let owners = store.claim(&claim(QueueName::Execution, 2, T0)).await.expect("claim works");
    for owner in &owners {
        let id = owner.execution_id.expect("an execution's job names it");
        let LeaseAnswer::Ok(loaded) = load_one(store, id, lease(owner)).await.expect("load works") else {
            panic!("the lease holds");
        };
        assert_eq!((loaded.record.status, loaded.state), (ExecutionStatus::Pending, Some(vec![7])));
        let mut outputs: Vec<_> =
            loaded.outputs.iter().map(|(node, text)| (node.as_str(), text.as_str())).collect();
        outputs.sort_unstable();
        if id == again.id {
            assert_eq!(outputs, [("a", "2"), ("items[17]", "17")]);
        } else {
            assert_eq!(outputs, [], "results of another tenant are not taken over");
        }
    }
    let detail = store.execution_detail(&ALL, again.id).await.expect("read works").expect("there");
    assert_eq!(detail.nodes.len(), 3, "the failed item is shown as it was");
}

/// A rerun that nobody took up is cancelled at once, as any other.
pub async fn a_rerun_that_never_started_is_cancelled_at_once(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let seed = Seed { state: vec![7], from: id(), nodes: Vec::new() };
    let new = NewExecution { seed: Some(seed), ..execution("w") };
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let cancel = InboxEntry::Cancel { reason: None, compensate: true };
    store
        .append_command(&ALL, new.id, super::fixture::id(), &cancel, after_secs(1))
        .await
        .expect("append works");
    assert_eq!(status_of(store, new.id).await, ExecutionStatus::Cancelled);
}

/// Of ten thousand items a part is shown: those that failed, and those under way.
pub async fn the_detail_of_many_items_is_bounded(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let step = commit(new.id, lease(&owner), ExecutionStatus::Running);
    let mut records: Vec<SettledNode> =
        (0..3_000).map(|index| record(&format!("items[{index}]"), 1, Some(index))).collect();
    records.push(record("items[9999]", 1, None));
    records.push(record("charge:compensate", 1, Some(1)));
    let enqueue = vec![node_job(&new, "items[5000]")];
    committed(store, &ExecutionCommit { records, enqueue, ..step }).await;
    let nodes = claim_nodes(store, 1, T0).await;
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    let has = |key: &str, status: NodeStatus| {
        detail.nodes.iter().any(|node| node.node_id.as_str() == key && node.status == status)
    };
    assert!(has("charge:compensate", NodeStatus::Completed));
    assert!(has("items[9999]", NodeStatus::Failed) && has("items[5000]", NodeStatus::Running));
    assert_eq!(detail.nodes.len(), 1_001, "a thousand items and the compensation");
    complete(store, &nodes[0], T0).await;
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    assert!(
        detail.nodes.iter().any(|node| node.node_id.as_str() == "items[5000]"),
        "its owner does not know yet"
    );
}

//! Nodes of one mode, and shards by terms.

use domain::dispatch::{DispatchMode, HeldType, NOT_ACKNOWLEDGED, PublishFault, RelayFigures, SHARDS};
use domain::names::JobType;
use domain::time::Timestamp;
use uuid::Uuid;

use super::fixture::{T0, after_secs, uuid};
use crate::Store;
use crate::dispatch::{DispatchNode, Joined};

fn node(name: &str, mode: DispatchMode, until: Timestamp) -> DispatchNode {
    let relays = mode == DispatchMode::KafkaOutbox;
    let (name, figures) = (name.to_owned(), RelayFigures::default());
    DispatchNode { id: uuid(), name, mode, relays, until, broker_away_since: None, figures }
}

/// A node of another mode is refused while others are there, and begins the mode when they are gone.
pub async fn nodes_have_one_mode(store: &dyn Store) {
    let polls = node("a", DispatchMode::Polling, after_secs(10));
    assert_eq!(store.join_dispatch(&polls, T0).await.expect("join works"), Joined::Yes);
    let pushes = node("b", DispatchMode::KafkaOutbox, after_secs(30));
    let refused = store.join_dispatch(&pushes, after_secs(1)).await.expect("join answers");
    assert_eq!(refused, Joined::Differs(vec![polls.clone()]));
    let view = store.dispatch_view(after_secs(1)).await.expect("read works");
    assert_eq!((view.mode, view.nodes), (DispatchMode::Polling, vec![polls.clone()]));

    store.set_dispatch_draining(true, after_secs(1)).await.expect("drain works");
    store.leave_dispatch(polls.id, after_secs(2)).await.expect("leave works");
    assert_eq!(store.join_dispatch(&pushes, after_secs(2)).await.expect("join works"), Joined::Yes);
    let view = store.dispatch_view(after_secs(2)).await.expect("read works");
    assert_eq!(
        (view.mode, view.is_draining),
        (DispatchMode::KafkaOutbox, false),
        "a mode begins with offers"
    );
    // One that died keeps the others out only until its time is over.
    let again = node("a", DispatchMode::Polling, after_secs(60));
    assert!(matches!(
        store.join_dispatch(&again, after_secs(29)).await.expect("answers"),
        Joined::Differs(_)
    ));
    assert_eq!(store.join_dispatch(&again, after_secs(31)).await.expect("join works"), Joined::Yes);
    let late = DispatchNode { until: after_secs(61), ..pushes };
    assert!(
        matches!(store.join_dispatch(&late, after_secs(32)).await.expect("answers"), Joined::Differs(_)),
        "a node that froze does not come back among those of another mode"
    );
}

/// What a relay says of itself is there for all, and is that of its last renewal.
pub async fn relays_say_what_they_have_done(store: &dyn Store) {
    let mut relay = node("a", DispatchMode::KafkaOutbox, after_secs(10));
    assert_eq!(store.join_dispatch(&relay, T0).await.expect("join works"), Joined::Yes);
    relay.until = after_secs(14);
    relay.broker_away_since = Some(after_secs(3));
    relay.figures = RelayFigures {
        published: 70_000_000_000,
        errors: 3,
        unacknowledged: 20_000,
        published_per_second: 12_345,
        last_error: Some(PublishFault { reason: "broker_away".to_owned(), at: after_secs(4) }),
        held: vec![HeldType {
            job_type: JobType::trusted("media/encode"),
            reason: NOT_ACKNOWLEDGED.to_owned(),
            since: after_secs(2),
        }],
    };
    assert_eq!(store.join_dispatch(&relay, after_secs(4)).await.expect("renewal works"), Joined::Yes);
    assert_eq!(store.dispatch_view(after_secs(5)).await.expect("read works").nodes, [relay.clone()]);
    relay.until = after_secs(30);
    relay.broker_away_since = None;
    relay.figures = RelayFigures { unacknowledged: 0, last_error: None, held: Vec::new(), ..relay.figures };
    // It was late, and joins anew.
    assert_eq!(store.join_dispatch(&relay, after_secs(20)).await.expect("join works"), Joined::Yes);
    assert_eq!(
        store.dispatch_view(after_secs(21)).await.expect("read works").nodes,
        std::slice::from_ref(&relay)
    );
    assert_eq!(store.dispatch_nodes(after_secs(21)).await.expect("read works"), [relay]);
}

/// A shard has one owner at a time; each new one begins a term.
pub async fn shards_are_leased_by_terms(store: &dyn Store) {
    let (first, second): (Uuid, Uuid) = (uuid(), uuid());
    let view = store.relay_view(T0).await.expect("read works");
    let numbers: Vec<u32> = view.shards.iter().map(|shard| shard.shard).collect();
    assert_eq!(numbers, (0..SHARDS).collect::<Vec<_>>());
    let got = store.lease_shards(first, &[0, 1], after_secs(10), T0).await.expect("lease works");
    assert_eq!(got.len(), 2);
    let term = got[0].term;
    let renewed =
        store.lease_shards(first, &[0], after_secs(15), after_secs(5)).await.expect("renewal works");
    assert_eq!((renewed[0].term, renewed[0].until), (term, after_secs(15)));
    let other = store.lease_shards(second, &[0, 1], after_secs(30), after_secs(12)).await.expect("answers");
    assert_eq!(other.len(), 1, "one term has ended, the other goes on");
    assert_eq!((other[0].shard, other[0].term), (1, term + 1));
    store.release_shards(second, &[1]).await.expect("release works");
    let back = store.lease_shards(first, &[1], after_secs(30), after_secs(13)).await.expect("lease works");
    assert_eq!(back[0].term, term + 2);
    // Its own term that ended is another one when it comes back.
    let late = store.lease_shards(first, &[0], after_secs(60), after_secs(40)).await.expect("lease works");
    assert_eq!(late[0].term, term + 1);
    store.leave_dispatch(first, after_secs(41)).await.expect("leave works");
    let free = store.relay_view(after_secs(41)).await.expect("read works").shards;
    assert!(free.iter().all(|shard| shard.owner.is_none()), "{free:?}");
}

/// Relays ask before each claim whether they may make offers.
pub async fn a_drain_is_seen(store: &dyn Store) {
    assert!(!store.is_dispatch_draining().await.expect("read works"));
    store.set_dispatch_draining(true, T0).await.expect("drain works");
    assert!(store.is_dispatch_draining().await.expect("read works"));
    store.set_dispatch_draining(false, after_secs(1)).await.expect("undo works");
    assert!(!store.is_dispatch_draining().await.expect("read works"));
}

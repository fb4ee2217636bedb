//! Each check can fail, and says how to mend what it found.

use super::*;
use crate::dispatch::HeldType;
use crate::names::JobType;

const NOW: Timestamp = Timestamp(1_700_000_000_000);

fn healthy() -> DoctorFacts {
    DoctorFacts {
        now: NOW,
        database: DatabaseFacts {
            schema: SchemaFacts::Current,
            pooler: PoolerFacts::Session,
            snapshots: Some(vec![OldSnapshot {
                pid: 1,
                age: DurationMs::from_secs(9),
                application: "psql".into(),
            }]),
            bloat: vec![TableBloat { table: "job".into(), live: 1, dead: 9_999 }],
            leases: Vec::new(),
            stuck: Vec::new(),
            disk_used: Some(0.5),
        },
        servers: vec![ServerFacts { node: "srv_1".into(), offset_ms: -999 }],
        certificates: Some(vec![CertificateFacts {
            file: "tls.crt".into(),
            valid_until: Ok(NOW.plus(DurationMs::from_secs(15 * 86_400))),
        }]),
        keys: vec![KeyFacts {
            key: "key_1".into(),
            name: "ci".into(),
            expires_at: NOW.plus(DurationMs::from_secs(15 * 86_400)),
        }],
        sealing: SealingFacts { is_in_settings: true, missing: Vec::new() },
        dispatch: DispatchFacts::default(),
    }
}

/// The check of a name after a change of the facts.
fn changed(name: &str, change: impl FnOnce(&mut DoctorFacts)) -> Check {
    let mut facts = healthy();
    change(&mut facts);
    let checks = check_all(&facts, &DoctorPolicy::default());
    let others = checks.iter().filter(|check| check.check != name);
    assert!(others.clone().all(|check| check.status == CheckStatus::Ok), "only {name} changes: {checks:?}");
    let check = checks.into_iter().find(|check| check.check == name).expect("there is such a check");
    let is_fault = matches!(check.status, CheckStatus::Warn | CheckStatus::Fail);
    assert_eq!(check.fix.is_some(), is_fault, "a fault says how to mend it: {check:?}");
    check
}

#[test]
fn all_is_well() {
    let checks = check_all(&healthy(), &DoctorPolicy::default());
    assert!(checks.iter().all(|check| check.status == CheckStatus::Ok), "{checks:?}");
    let names: Vec<&str> = checks.iter().map(|check| check.check).collect();
    assert_eq!(names, CHECK_NAMES);
}

#[test]
fn a_schema_of_another_version_fails() {
    for schema in [
        SchemaFacts::Absent,
        SchemaFacts::Behind(vec!["m0057".into()]),
        SchemaFacts::Newer(vec!["m0999".into()]),
    ] {
        assert_eq!(changed("schema", |facts| facts.database.schema = schema).status, CheckStatus::Fail);
    }
    let later = SchemaFacts::Later(vec!["m0999".into()]);
    assert_eq!(changed("schema", |facts| facts.database.schema = later).status, CheckStatus::Warn);
}

#[test]
fn a_pooler_without_notifications_is_a_warning() {
    let with = |is_notified| {
        changed("pooler", |facts| facts.database.pooler = PoolerFacts::Transaction { is_notified }).status
    };
    assert_eq!((with(true), with(false)), (CheckStatus::Ok, CheckStatus::Warn));
    let file = changed("pooler", |facts| facts.database.pooler = PoolerFacts::File);
    assert_eq!(file.status, CheckStatus::Skipped);
}

#[test]
fn old_snapshots_warn_and_then_fail() {
    let aged = |secs: i64| {
        let snapshot = OldSnapshot { pid: 7, age: DurationMs::from_secs(secs), application: "dump".into() };
        changed("snapshots", |facts| facts.database.snapshots = Some(vec![snapshot]))
    };
    assert_eq!(aged(599).status, CheckStatus::Ok);
    assert_eq!(aged(3_599).status, CheckStatus::Warn);
    let failed = aged(3_600);
    assert_eq!(failed.status, CheckStatus::Fail);
    assert_eq!(failed.evidence, [json!({"pid": 7, "ageMs": 3_600_000, "application": "dump"})]);
}

#[test]
fn tables_that_are_mostly_dead_are_a_warning() {
    let with = |live, dead| {
        let table = TableBloat { table: "job".into(), live, dead };
        changed("bloat", |facts| facts.database.bloat = vec![table]).status
    };
    assert_eq!((with(20_000, 20_000), with(20_000, 20_001)), (CheckStatus::Ok, CheckStatus::Warn));
}

#[test]
fn clocks_that_differ_warn_and_then_fail() {
    let with = |offset_ms| {
        let servers = vec![ServerFacts { node: "srv_2".into(), offset_ms }];
        changed("clock", |facts| facts.servers = servers).status
    };
    assert_eq!(
        (with(999), with(-1_000), with(6_000), with(i64::MIN)),
        (CheckStatus::Ok, CheckStatus::Warn, CheckStatus::Fail, CheckStatus::Fail)
    );
}

#[test]
fn leases_and_executions_that_nobody_takes_up_fail() {
    let lease = OverdueLease { job: "job_1".into(), expired: DurationMs(61_000) };
    let check = changed("leases", |facts| facts.database.leases = vec![lease]);
    assert_eq!(check.status, CheckStatus::Fail);
    assert_eq!(check.evidence, [json!({"jobId": "job_1", "expiredMs": 61_000})]);
    let stuck = StuckExecution { execution: "exe_1".into(), since: DurationMs(61_000), why: "no_job" };
    let check = changed("parked", |facts| facts.database.stuck = vec![stuck]);
    assert_eq!(check.status, CheckStatus::Fail);
    assert_eq!(check.evidence, [json!({"executionId": "exe_1", "sinceMs": 61_000, "why": "no_job"})]);
}

#[test]
fn a_full_disk_warns_and_then_fails() {
    let with = |used| changed("disk", |facts| facts.database.disk_used = used).status;
    assert_eq!(
        (with(None), with(Some(0.89)), with(Some(0.9)), with(Some(0.97))),
        (CheckStatus::Skipped, CheckStatus::Ok, CheckStatus::Warn, CheckStatus::Fail)
    );
}

#[test]
fn certificates_that_end_warn_and_then_fail() {
    let with = |valid_until| {
        let one = CertificateFacts { file: "tls.crt".into(), valid_until };
        changed("certificates", |facts| facts.certificates = Some(vec![one])).status
    };
    let in_days = |days: i64| Ok(NOW.plus(DurationMs::from_secs(days * 86_400)));
    assert_eq!(
        (with(in_days(14)), with(Ok(NOW)), with(Err("no certificate".into()))),
        (CheckStatus::Warn, CheckStatus::Fail, CheckStatus::Fail)
    );
    assert_eq!(changed("certificates", |facts| facts.certificates = None).status, CheckStatus::Skipped);
}

#[test]
fn sealing_keys_and_api_keys_are_looked_at() {
    let check = changed("secrets", |facts| facts.sealing.is_in_settings = false);
    assert_eq!(check.status, CheckStatus::Warn);
    let check = changed("secrets", |facts| facts.sealing.missing = vec!["k1".into()]);
    assert_eq!(check.status, CheckStatus::Fail);
    let check = changed("keys", |facts| facts.keys[0].expires_at = NOW.plus(DurationMs::from_secs(60)));
    assert_eq!(check.status, CheckStatus::Warn);
    let gone = changed("keys", |facts| facts.keys[0].expires_at = NOW);
    assert_eq!(gone.status, CheckStatus::Ok, "it has ended");
}

#[test]
fn dispatch_through_kafka_needs_relays_and_a_broker() {
    let kafka = |change: &dyn Fn(&mut DispatchFacts)| {
        let check = changed("dispatch", |facts| {
            facts.dispatch.is_kafka = true;
            facts.dispatch.shards_without_relay = (0, 8);
            change(&mut facts.dispatch);
        });
        check.status
    };
    assert_eq!(kafka(&|_| {}), CheckStatus::Ok);
    assert_eq!(kafka(&|facts| facts.shards_without_relay = (2, 8)), CheckStatus::Fail);
    assert_eq!(kafka(&|facts| facts.away = vec![("node-1".into(), NOW)]), CheckStatus::Warn);
    let (job_type, reason) = (JobType::trusted("charge"), "topic_not_created".to_owned());
    let held = HeldType { job_type, reason, since: NOW };
    assert_eq!(kafka(&|facts| facts.held = vec![held.clone()]), CheckStatus::Warn);
    let fault = ("node-1".to_owned(), "message_too_large".to_owned(), NOW);
    assert_eq!(kafka(&|facts| facts.failing = vec![fault.clone()]), CheckStatus::Warn);
}

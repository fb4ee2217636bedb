//! The functions of `trunkline sql install`: what they write, in which order, and what they refuse.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

use domain::id::Id;
use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use store::intake::{IntakeBounds, IntakeKind, IntakeLease, IntakeRefusal, IntakeRow, IntakeStore as _};
use store::operations::ServerRecord;
use store::wakeup::Hint;
use store_sql::{IntakeInstall, IntakeRole, IntakeSchema, Outbox, RoleTenant};
use testkit::database::{TestStore, postgres};
use testkit::{EngineHarness, SealingKeys};
use uuid::Uuid;

const ALL: IntakeBounds = IntakeBounds { rows_max: 100, bytes_max: 1_000_000 };
const NOW: Timestamp = Timestamp(1_000_000);

/// A database with the functions, and a role that may call them for the tenant `acme`.
struct Harness {
    database: TestStore,
    role: String,
}

impl Harness {
    async fn new() -> Self {
        let database = postgres().await;
        let role = format!("shop_{}", Uuid::new_v4().simple());
        let harness = Self { database, role };
        harness.install(&harness.role, "acme").await;
        harness
    }

    async fn install(&self, role: &str, tenant: &str) {
        self.install_for(role, Some(tenant)).await;
    }

    async fn install_for(&self, role: &str, tenant: Option<&str>) -> RoleTenant {
        let schema = IntakeSchema::parse("trunkline").expect("it is a name");
        let role = IntakeRole::parse(role).expect("it is a name");
        let install = IntakeInstall { schema, role, tenant: tenant.map(TenantName::trusted) };
        self.database.store.install_intake(&install).await.expect("the functions are made")
    }

    fn own_role(&self) -> IntakeRole {
        IntakeRole::parse(&self.role).expect("it is a name")
    }

    /// A connection of the application, with the rights of its role only.
    async fn application(&self) -> PgConnection {
        self.application_as(&self.role).await
    }

    async fn application_as(&self, role: &str) -> PgConnection {
        let mut connection = PgConnection::connect(&self.database.url).await.expect("the server answers");
        run(&mut connection, &format!("SET ROLE {role}")).await;
        connection
    }

    async fn owner(&self) -> PgConnection {
        PgConnection::connect(&self.database.url).await.expect("the server answers")
    }

    async fn rows(&self) -> Vec<IntakeRow> {
        self.database.store.read_intake(ALL, &[]).await.expect("the intake can be read")
    }

    async fn names(&self) -> Vec<String> {
        self.rows().await.into_iter().map(|row| row.name).collect()
    }
}

async fn run(on: &mut PgConnection, sql: &str) {
    on.execute(AssertSqlSafe(sql.to_owned())).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// The text that a call answers.
async fn call(on: &mut PgConnection, sql: &str) -> String {
    let row = on.fetch_one(AssertSqlSafe(format!("SELECT trunkline.{sql}"))).await;
    row.unwrap_or_else(|error| panic!("{sql}: {error}")).try_get(0).expect("an id")
}

/// The state and the code of a call that is refused.
async fn refused(on: &mut PgConnection, sql: &str) -> (String, String) {
    let error = on.fetch_one(AssertSqlSafe(format!("SELECT trunkline.{sql}"))).await.err();
    let Some(sqlx::Error::Database(error)) = error else {
        panic!("{sql} was not refused by the database: {error:?}");
    };
    let error = error.downcast_ref::<sqlx::postgres::PgDatabaseError>();
    let detail: serde_json::Value = serde_json::from_str(error.detail().unwrap_or("{}")).unwrap_or_default();
    (error.code().to_owned(), detail["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_call_is_a_row_of_its_transaction() {
    let harness = Harness::new().await;
    let mut hints = harness.database.store.wakeup().subscribe();
    let mut shop = harness.application().await;
    run(&mut shop, "BEGIN").await;
    call(&mut shop, "enqueue('mail', '{\"to\": 1}')").await;
    run(&mut shop, "ROLLBACK").await;
    assert!(harness.rows().await.is_empty(), "nothing happened");
    let id = call(
        &mut shop,
        "enqueue('mail', '{\"to\": 2}', priority => 'high', delay => '90 seconds', max_retries => 2, timeout => '5s', \
         unique_key => 'u', rate_key => 'smtp:a', tags => '{a,b}')",
    )
    .await;
    let rows = harness.rows().await;
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    assert_eq!(id, format!("job_{}", row.subject.simple()));
    assert_eq!(
        (row.kind, row.tenant.as_str(), row.role.as_str()),
        (IntakeKind::Enqueue, "acme", harness.role.as_str())
    );
    assert_eq!((row.name.as_str(), row.data.as_str()), ("mail", "{\"to\": 2}"));
    let options: serde_json::Value = serde_json::from_str(&row.options).expect("JSON");
    let late = options["runAt"].as_i64().expect("an instant") - row.created_at.0;
    // The delay begins with the call, the row is written a moment later.
    assert!((60_000..=90_000).contains(&late), "{late}");
    assert_eq!(
        (
            &options["priority"],
            &options["maxRetries"],
            &options["timeoutMs"],
            &options["uniqueKey"],
            &options["rateKey"],
            &options["tags"]
        ),
        (
            &"high".into(),
            &2.into(),
            &5000.into(),
            &"u".into(),
            &"smtp:a".into(),
            &serde_json::json!(["a", "b"])
        )
    );
    // The commit notifies.
    let notified = async { while !matches!(hints.recv().await, Ok(Hint::Intake)) {} };
    tokio::time::timeout(std::time::Duration::from_secs(20), notified).await.expect("a hint comes");
}

#[tokio::test]
async fn rows_come_in_the_order_of_commits_and_an_open_transaction_holds_nobody_up() {
    let harness = Harness::new().await;
    let (mut slow, mut quick) = (harness.application().await, harness.application().await);
    run(&mut slow, "BEGIN").await;
    call(&mut slow, "enqueue('first-written')").await;
    call(&mut quick, "enqueue('one')").await;
    run(&mut quick, "BEGIN").await;
    call(&mut quick, "enqueue('two')").await;
    call(&mut quick, "enqueue('three')").await;
    run(&mut quick, "COMMIT").await;
    assert_eq!(harness.names().await, ["one", "two", "three"]);
    run(&mut slow, "COMMIT").await;
    call(&mut quick, "enqueue('last')").await;
    assert_eq!(harness.names().await, ["one", "two", "three", "first-written", "last"]);
    let without = |tenant: &str| [TenantName::trusted(tenant)];
    let store = &harness.database.store;
    assert!(store.read_intake(ALL, &without("acme")).await.expect("reads").is_empty());
    assert_eq!(store.read_intake(ALL, &without("other")).await.expect("reads").len(), 5);
    let few = IntakeBounds { rows_max: 2, ..ALL };
    assert_eq!(harness.database.store.read_intake(few, &[]).await.expect("reads").len(), 2);
    let small = IntakeBounds { bytes_max: 1, ..ALL };
    assert_eq!(harness.database.store.read_intake(small, &[]).await.expect("reads").len(), 1, "at least one");
}

#[tokio::test]
async fn a_key_makes_one_row_and_the_same_id() {
    let harness = Harness::new().await;
    let mut shop = harness.application().await;
    let first = call(&mut shop, "enqueue('mail', '{\"to\": 1}', key => 'order-1', delay => '1s')").await;
    let again = call(&mut shop, "enqueue('mail', '{\"to\": 1}', key => 'order-1', delay => '1s')").await;
    assert_eq!((first, harness.rows().await.len()), (again, 1));
    let other = refused(&mut shop, "enqueue('mail', '{\"to\": 2}', key => 'order-1', delay => '1s')").await;
    assert_eq!(other, ("23505".to_owned(), "idempotency_key_reused".to_owned()));
    // Ten seconds after 1970 and a delay of ten milliseconds are the same number, and not the same call.
    call(&mut shop, "enqueue('mail', key => 'order-3', run_at => '1970-01-01T00:00:10Z')").await;
    let other = refused(&mut shop, "enqueue('mail', key => 'order-3', delay => '10 milliseconds')").await;
    assert_eq!(other.1, "idempotency_key_reused");
    run(&mut harness.owner().await, "DELETE FROM intake WHERE options::jsonb ->> 'runAt' = '10000'").await;
    // A transaction that was rolled back has used no key.
    run(&mut shop, "BEGIN").await;
    call(&mut shop, "enqueue('mail', key => 'order-2')").await;
    run(&mut shop, "ROLLBACK").await;
    call(&mut shop, "enqueue('other', key => 'order-2')").await;
    assert_eq!(harness.names().await, ["mail", "other"]);
}

#[tokio::test]
async fn what_the_api_would_refuse_is_an_error_of_the_call() {
    let harness = Harness::new().await;
    let mut shop = harness.application().await;
    let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
    let fine = format!("{}{}", "[".repeat(100), "]".repeat(100));
    call(&mut shop, &format!("enqueue('mail', '{fine}')")).await;
    for faulty in [
        "enqueue(NULL)".to_owned(),
        "enqueue('no type')".to_owned(),
        "enqueue('trunkline:http')".to_owned(),
        "enqueue('mail', priority => 'urgent')".to_owned(),
        "enqueue('mail', run_at => now(), delay => '1s')".to_owned(),
        "enqueue('mail', delay => '-1s')".to_owned(),
        "enqueue('mail', delay => '11 years')".to_owned(),
        "enqueue('mail', run_at => 'infinity')".to_owned(),
        "enqueue('mail', max_retries => 101)".to_owned(),
        "enqueue('mail', timeout => '0s')".to_owned(),
        "enqueue('mail', key => '')".to_owned(),
        "enqueue('mail', unique_key => E'a\\nb')".to_owned(),
        "enqueue('mail', tags => ARRAY['a', NULL])".to_owned(),
        "enqueue('mail', tags => array_fill('t'::text, ARRAY[21]))".to_owned(),
        "enqueue('mail', traceparent => '00-xyz')".to_owned(),
        "enqueue('mail', to_jsonb(repeat('x', 1048577)))".to_owned(),
        format!("enqueue('mail', '{deep}')"),
        "signal('job_1', 'paid')".to_owned(),
        "signal('exe_00000000000000000000000000000000', '')".to_owned(),
        "send_event(NULL)".to_owned(),
        "send_event('order paid')".to_owned(),
        "send_event('order.paid', id => '')".to_owned(),
        "send_event('order.paid', traceparent => '00-xyz')".to_owned(),
    ] {
        let expected = ("22023".to_owned(), "invalid".to_owned());
        assert_eq!(refused(&mut shop, &faulty).await, expected, "{faulty:.80}");
    }
    let nowhere = ("P0002".to_owned(), "not_found".to_owned());
    assert_eq!(refused(&mut shop, "start('unknown')").await, nowhere);
    assert_eq!(refused(&mut shop, "signal('exe_00000000000000000000000000000000', 'paid')").await, nowhere);
    let mut owner = harness.owner().await;
    run(&mut owner, "INSERT INTO workflow (owner, name, version, content_hash, content, created_at) VALUES ('', 'ship', 1, '', '', 0), ('other', 'theirs', 1, '', '', 0)").await;
    let execution = call(&mut shop, "start('ship', '{\"a\": 1}', version => 1)").await;
    assert_eq!(refused(&mut shop, "start('ship', version => 2)").await, nowhere);
    assert_eq!(refused(&mut shop, "start('theirs')").await, nowhere, "another tenant's");
    assert_eq!(refused(&mut shop, "start('ship', '1e400')").await.1, "invalid");
    let signal = format!("SELECT trunkline.signal('{execution}', 'paid', '{{\"by\": \"card\"}}')");
    run(&mut shop, &signal).await;
    run(&mut owner, "INSERT INTO workflow_pause (owner, name, paused_at, refuses) VALUES ('', 'ship', 0, 1)")
        .await;
    assert_eq!(refused(&mut shop, "start('ship')").await, ("55000".to_owned(), "workflow_paused".to_owned()));
    run(&mut owner, "UPDATE queue_claim SET mode = 'draining'").await;
    assert_eq!(
        refused(&mut shop, "enqueue('mail')").await,
        ("55000".to_owned(), "queue_draining".to_owned())
    );
    run(&mut owner, "UPDATE queue_claim SET mode = 'running'").await;
    run(&mut owner, "INSERT INTO intake_over_quota VALUES ('acme', 'openJobs', 9, 9)").await;
    assert_eq!(
        refused(&mut shop, "enqueue('mail')").await,
        ("53400".to_owned(), "quota_exceeded".to_owned())
    );
    // Events count as deliveries, and not as jobs.
    let event = call(&mut shop, "send_event('order.paid', '{\"order\": 7}', id => 'paid-7')").await;
    assert!(event.starts_with("dlv_"), "{event}");
    run(&mut owner, "INSERT INTO intake_over_quota VALUES ('acme', 'deliveryBytes', 9, 9)").await;
    assert_eq!(refused(&mut shop, "send_event('order.paid')").await.1, "quota_exceeded");
    let kinds: Vec<IntakeKind> = harness.rows().await.into_iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [IntakeKind::Enqueue, IntakeKind::Start, IntakeKind::Signal, IntakeKind::Event]);
}

#[tokio::test]
async fn i13_a_role_speaks_for_its_tenant_and_may_do_nothing_else() {
    let harness = Harness::new().await;
    let other = format!("desk_{}", Uuid::new_v4().simple());
    harness.install(&other, "umbrella").await;
    let mut shop = harness.application().await;
    for forbidden in [
        "SELECT * FROM job",
        "SELECT * FROM intake",
        "INSERT INTO intake_role VALUES ('x', 'umbrella', 0)",
        "SELECT public.intake_add('enqueue', 'x', 'umbrella', NULL, NULL, 'mail', '{}', 'null', '')",
        "SELECT public.intake_caller()",
    ] {
        let error = shop.execute(forbidden).await.expect_err("it may not");
        let code = error.as_database_error().and_then(|error| error.code().map(|code| code.to_string()));
        assert_eq!(code.as_deref(), Some("42501"), "{forbidden}: {error}");
    }
    call(&mut shop, "enqueue('mine')").await;
    let mut desk = harness.application_as(&other).await;
    call(&mut desk, "enqueue('theirs')").await;
    let of: Vec<(String, String)> =
        harness.rows().await.into_iter().map(|row| (row.tenant.to_string(), row.name)).collect();
    let pair = |tenant: &str, name: &str| (tenant.to_owned(), name.to_owned());
    assert_eq!(of, [pair("acme", "mine"), pair("umbrella", "theirs")]);
    // A login that belongs to the role speaks for its tenant; one that belongs to two has to choose.
    let mut owner = harness.owner().await;
    let login = format!("login_{}", Uuid::new_v4().simple());
    run(&mut owner, &format!("CREATE ROLE {login} IN ROLE {}", harness.role)).await;
    let mut member = harness.application_as(&login).await;
    call(&mut member, "enqueue('by-a-member')").await;
    run(&mut owner, &format!("GRANT {other} TO {login}")).await;
    assert_eq!(refused(&mut member, "enqueue('whose')").await.0, "42501");
    assert_eq!(harness.rows().await.last().map(|row| row.tenant.to_string()).as_deref(), Some("acme"));
}

/// Functions that run with the rights of another role find nothing by a search path but what is the system's: whoever may create
/// something in a schema, be it that of the tables, puts nothing in front of ours.
#[tokio::test]
async fn nobody_puts_functions_in_front_of_what_the_definers_functions_call() {
    let harness = Harness::new().await;
    let outbox_schema = IntakeSchema::parse("outgoing").expect("it is a name");
    let outbox =
        Outbox::open(&harness.database.url, outbox_schema, Uuid::new_v4()).expect("a PostgreSQL database");
    outbox.install(&harness.own_role()).await.expect("the functions are made");
    let mut owner = harness.owner().await;
    let paths = owner
        .fetch_all(
            "SELECT p.proname::text, p.prosecdef, coalesce(array_to_string(p.proconfig, ';'), '') FROM pg_proc p
             JOIN pg_namespace n ON n.oid = p.pronamespace
             WHERE n.nspname IN ('public', 'trunkline', 'outgoing') AND (p.prosecdef OR p.proname LIKE '%take\\_%' OR p.proname LIKE 'outbox\\_%')",
        )
        .await
        .expect("the catalog can be read");
    assert!(paths.iter().filter(|row| row.get::<bool, _>(1)).count() >= 10, "{} functions", paths.len());
    for row in &paths {
        let (name, path): (String, String) = (row.get(0), row.get(2));
        assert_eq!(path, "search_path=pg_catalog, pg_temp", "{name}");
    }
    // A literal without a type fits text better than what the system's own functions take.
    let mut shop = harness.application().await;
    for schema in ["public", "trunkline", "outgoing"] {
        run(&mut owner, &format!("GRANT CREATE, USAGE ON SCHEMA {schema} TO {}", harness.role)).await;
        for theirs in [
            "nextval(text) RETURNS bigint",
            "to_char(text, text) RETURNS text",
            "format(text, text) RETURNS text",
        ] {
            let body = "LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''in front''; END'";
            run(&mut shop, &format!("CREATE FUNCTION {schema}.{theirs} {body}")).await;
        }
        run(&mut shop, &format!("CREATE TABLE {schema}.pg_roles (rolname name, oid oid)")).await;
    }
    run(&mut shop, "CREATE TEMPORARY TABLE intake (id bigint); CREATE TEMPORARY TABLE outbox (id bigint)")
        .await;
    call(&mut shop, "enqueue('mail', '{\"to\": 1}', run_at => '2026-11-01T00:00:00Z')").await;
    run(&mut shop, "SELECT outgoing.enqueue('mail', run_at => '2026-11-01T00:00:00Z')").await;
    run(&mut shop, "SELECT outgoing.send_event('order.paid')").await;
    assert_eq!(
        (harness.names().await, outbox.status(1).await.expect("it can be read").waiting),
        (vec!["mail".to_owned()], 2)
    );
    // Neither do they come in the way of those who make the functions anew.
    harness.install(&harness.role, "acme").await;
    outbox.install(&harness.own_role()).await.expect("the functions are made");
    outbox.uninstall().await.expect("they are taken away");
}

/// After an upgrade the functions are made anew: whoever does not name the tenant does not mean another one.
#[tokio::test]
async fn i13_a_role_keeps_its_tenant_unless_another_one_is_named() {
    let harness = Harness::new().await;
    let tenants = |of: &RoleTenant| (of.tenant.to_string(), of.before.as_ref().map(ToString::to_string));
    let acme = || "acme".to_owned();
    let same = harness.install_for(&harness.role, None).await;
    assert_eq!(tenants(&same), (acme(), Some(acme())));
    let other = harness.install_for(&harness.role, Some("umbrella")).await;
    assert_eq!(tenants(&other), ("umbrella".to_owned(), Some(acme())));
    let new = harness.install_for(&format!("desk_{}", Uuid::new_v4().simple()), None).await;
    assert_eq!(tenants(&new), ("default".to_owned(), None));
}

#[tokio::test]
async fn functions_can_be_made_again_and_taken_away() {
    let harness = Harness::new().await;
    let mut shop = harness.application().await;
    call(&mut shop, "enqueue('before')").await;
    // What an application has under the same name in that schema stays.
    let mut owner = harness.owner().await;
    run(&mut owner, "CREATE FUNCTION trunkline.start(a int, b int) RETURNS int LANGUAGE sql RETURN a").await;
    harness.install(&harness.role, "umbrella").await;
    call(&mut shop, "enqueue('after')").await;
    let installed = harness.database.store.installed_intake(10).await.expect("it can be read");
    assert_eq!(installed.roles, [(harness.role.clone(), TenantName::trusted("umbrella"))]);
    assert_eq!((installed.waiting, installed.refused.len()), (2, 0));
    // They are in another schema than the one that is named: nothing that they call is taken away.
    let elsewhere = IntakeSchema::parse("elsewhere").expect("it is a name");
    let refused = harness.database.store.uninstall_intake(&elsewhere).await.expect_err("they are not there");
    assert!(format!("{refused:?}").contains("in the schema trunkline"), "{refused:?}");
    call(&mut shop, "enqueue('still')").await;
    let schema = IntakeSchema::parse("trunkline").expect("it is a name");
    harness.database.store.uninstall_intake(&schema).await.expect("they are taken away");
    assert!(shop.execute("SELECT trunkline.enqueue('late')").await.is_err());
    assert_eq!(harness.names().await, ["before", "after", "still"], "what was committed is still taken");
    harness.database.store.uninstall_intake(&elsewhere).await.expect("there are none any more");
    owner.execute("SELECT trunkline.start(1, 2)").await.expect("it is not ours");
    run(&mut owner, "DROP FUNCTION trunkline.start(int, int)").await;
    harness.install(&harness.role, "acme").await;
    harness.database.store.uninstall_intake(&schema).await.expect("they are taken away again");
    let left = owner.fetch_one("SELECT count(*) FROM pg_namespace WHERE nspname = 'trunkline'").await;
    assert_eq!(left.expect("one row").get::<i64, _>(0), 0);
}

#[tokio::test]
async fn one_process_takes_at_a_time() {
    let harness = Harness::new().await;
    let (store, mut shop) = (&harness.database.store, harness.application().await);
    call(&mut shop, "enqueue('a')").await;
    call(&mut shop, "enqueue('b')").await;
    let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let until = NOW.plus(DurationMs::from_secs(5));
    let lease = |holder, until| IntakeLease { holder, until, payload_bytes_max: 10 };
    assert_eq!(store.lease_intake(&lease(one, until), NOW).await.expect("answers"), None);
    assert_eq!(store.lease_intake(&lease(two, until), NOW).await.expect("answers"), Some(until));
    let ids: Vec<i64> = harness.rows().await.iter().map(|row| row.id).collect();
    assert!(!store.settle_intake(two, &ids, &[], NOW).await.expect("answers"), "it does not have the lease");
    let refusal = IntakeRefusal { id: ids[1], reason: "no".to_owned() };
    assert!(store.settle_intake(one, &ids[..1], &[refusal], NOW).await.expect("answers"));
    assert!(harness.rows().await.is_empty());
    let installed = store.installed_intake(10).await.expect("it can be read");
    assert_eq!((installed.waiting, installed.refused[0].reason.as_str()), (0, "no"));
    // The bound of the server is the bound of the calls.
    assert_eq!(refused(&mut shop, "enqueue('mail', '\"0123456789\"')").await.1, "invalid");
    assert_eq!(store.lease_intake(&lease(two, until), until).await.expect("answers"), None, "it has ended");
}

/// The payloads of one tenant are sealed with a key that this process was not given. The work of others is taken all the same, and
/// that of the tenant waits for a process that has the key.
#[tokio::test]
async fn a_tenant_whose_key_is_missing_keeps_no_other_from_the_intake() {
    let harness = Harness::new().await;
    let neighbor = format!("neighbor_{}", Uuid::new_v4().simple());
    harness.install(&neighbor, "umbrella").await;
    let keys = || SealingKeys::parse(["2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]).expect("a key");
    let node = EngineHarness::new(harness.database.store.clone());
    let acme = TenantName::trusted("acme");
    let with = node.node_with_keys(2, keys());
    with.engine.create_tenant(&with.admin(), &acme).await.expect("it is created");
    with.engine.set_tenant_encryption(&with.admin(), &acme, true).await.expect("it is turned on");
    call(&mut harness.application().await, "enqueue('mail')").await;
    call(&mut harness.application_as(&neighbor).await, "enqueue('mail')").await;

    let without = node.node(3);
    // A process that has the key, perhaps, is there to have its turn.
    let server = ServerRecord {
        id: Id::from_uuid(Uuid::from_u128(7)),
        version: "1".to_owned(),
        roles: vec!["scheduler".to_owned()],
        started_at: node.engine.now(),
        last_seen_at: node.engine.now(),
        clock_offset_ms: 0,
    };
    node.store.record_server(&server, Timestamp(0)).await.expect("it shows itself");
    without.engine.take_intake().await.expect("what can be taken is");
    let polled = without.poll(&["mail"], 10).await.expect("it works");
    assert_eq!(polled.iter().map(|job| job.tenant.as_str()).collect::<Vec<_>>(), ["umbrella"]);
    let left = harness.rows().await;
    assert_eq!(left.iter().map(|row| row.tenant.as_str()).collect::<Vec<_>>(), ["acme"]);

    let with = node.node_with_keys(4, keys());
    with.engine.take_intake().await.expect("the lease was given back");
    assert!(harness.rows().await.is_empty());
    assert_eq!(with.poll(&["mail"], 10).await.expect("it works").len(), 1);
}

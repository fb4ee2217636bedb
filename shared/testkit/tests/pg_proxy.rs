//! The proxy does to a connection what a test asks for, and to no other.

use std::time::Duration;

use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use testkit::database::postgres_database;
use testkit::pg_proxy::{Act, Message, PgProxy, Way};

/// For so long nothing is answered on a connection that is silent.
const SILENT: Duration = Duration::from_millis(300);

async fn count(connection: &mut PgConnection) -> i64 {
    let row = connection.fetch_one("SELECT count(*) FROM t").await.expect("the server answers");
    row.get(0)
}

#[tokio::test]
async fn a_commit_is_carried_out_and_its_answer_lost() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let mut one = PgConnection::connect(&proxy.url()).await.expect("the proxy passes a login on");
    one.execute("CREATE TABLE t (id int)").await.expect("the role may make tables");
    let lost = proxy.arm(Way::ToClient, Message::Answered("COMMIT"), Act::Cut);
    one.execute("BEGIN").await.expect("it is no commit");
    one.execute("INSERT INTO t VALUES (1)").await.expect("it is no commit");
    one.execute("COMMIT").await.expect_err("the answer is lost");
    lost.struck().await;
    let mut other = PgConnection::connect(&proxy.url()).await.expect("the fault is spent");
    assert_eq!(count(&mut other).await, 1);
    assert_eq!(proxy.accepted(), 2);
    assert_eq!(proxy.open(), 1);
}

#[tokio::test]
async fn a_statement_that_is_cut_on_its_way_is_not_carried_out() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let mut one = PgConnection::connect(&proxy.url()).await.expect("the proxy passes a login on");
    one.execute("CREATE TABLE t (id int)").await.expect("the role may make tables");
    let cut = proxy.arm(Way::ToServer, Message::Says("INSERT INTO t"), Act::Cut);
    one.execute("INSERT INTO t VALUES (1)").await.expect_err("the connection is cut");
    cut.struck().await;
    let mut other = PgConnection::connect(&url).await.expect("the server is there");
    assert_eq!(count(&mut other).await, 0);
}

#[tokio::test]
async fn open_connections_go_silent_and_new_ones_work() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let mut old = PgConnection::connect(&proxy.url()).await.expect("the proxy passes a login on");
    old.execute("CREATE TABLE t (id int)").await.expect("the role may make tables");
    assert_eq!(proxy.silence_open(), 1);
    let mut new = PgConnection::connect(&proxy.url()).await.expect("new connections work");
    assert_eq!(count(&mut new).await, 0);
    let mut asked = Box::pin(count(&mut old));
    tokio::time::timeout(SILENT, &mut asked).await.expect_err("nothing passes on the old one");
    proxy.resume();
    assert_eq!(asked.await, 0);
}

#[tokio::test]
async fn a_begin_inside_a_transaction_is_counted() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    proxy.set_jitter(Some(Duration::from_millis(1)), 7);
    let mut one = PgConnection::connect(&proxy.url()).await.expect("the proxy passes a login on");
    one.execute("BEGIN").await.expect("the server answers");
    assert_eq!(proxy.nested_begins(), 0);
    one.execute("BEGIN").await.expect("a warning is no error");
    assert_eq!(proxy.nested_begins(), 1);
}

#[tokio::test]
async fn a_side_that_is_half_closed_sees_the_end() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let mut one = PgConnection::connect(&proxy.url()).await.expect("the proxy passes a login on");
    let half = proxy.arm(Way::ToClient, Message::Answered("SELECT"), Act::HalfClose);
    one.execute("SELECT 1").await.expect_err("the end comes before the server is ready again");
    half.struck().await;
}

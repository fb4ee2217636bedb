//! A PgBouncer before the PostgreSQL server of the tests, which lends connections out by transaction.
//!
//! `make test` installs it. A test that asks for it where it is not there fails: what is not tried behind a pooler is
//! not known to work there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use store_sql::SqlStore;
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::database::{POSTGRES_URL_VARIABLE, migrated_database, options, patient};
use crate::ports::free_port;

/// How many sessions of the server one database gets: fewer than its users have connections, so that they have to share.
const SESSIONS: u32 = 4;

/// How often another port is tried when somebody else was faster.
const PORT_TRIES: u32 = 5;

/// How often it is looked whether it listens.
const LOOKS: u32 = 1_000;

/// A running pooler. Ends when it is dropped.
#[derive(Debug)]
pub struct PgBouncer {
    child: Child,
    port: u16,
    directory: TempDir,
}

impl PgBouncer {
    /// Starts one with stock settings, but for the mode.
    pub async fn start() -> Self {
        let server = std::env::var(POSTGRES_URL_VARIABLE).unwrap_or_else(|_| {
            panic!("{POSTGRES_URL_VARIABLE} is not set: run the tests under scripts/with-postgres.sh")
        });
        for _ in 0..PORT_TRIES {
            let mut bouncer = Self::spawn(&Server::of(&server));
            if bouncer.listens().await {
                return bouncer;
            }
            let log = bouncer.log();
            assert!(log.contains("Address already in use"), "PgBouncer did not start; its log:\n{log}");
        }
        panic!("PgBouncer found no free port");
    }

    /// The address of a database of the server, by way of the pooler.
    pub fn url(&self, direct: &str) -> String {
        let server = Server::of(direct);
        direct.replacen(&format!("{}:{}", server.host, server.port), &format!("127.0.0.1:{}", self.port), 1)
    }

    /// What it printed so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("pgbouncer.log")).unwrap_or_default()
    }

    fn spawn(server: &Server<'_>) -> Self {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let port = free_port();
        let (settings, users) = (directory.path().join("pgbouncer.ini"), directory.path().join("users.txt"));
        put(&users, &format!("\"{}\" \"{}\"\n", server.user, server.password));
        put(&settings, &server.settings(port, &users));
        let log = directory.path().join("pgbouncer.log");
        let log = fs::File::create(log).expect("the log can be written");
        let mut command = Command::new(binary());
        // It refuses to run as root, and reads its files before it becomes somebody else.
        if is_root(directory.path()) {
            fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755))
                .expect("the directory is ours");
            command.args(["-u", "nobody"]);
        }
        command.arg(&settings).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().unwrap_or_else(|error| {
            panic!("PgBouncer cannot be started ({error}): scripts/test.sh installs it")
        });
        Self { child, port, directory }
    }

    /// Waits until it listens; false if it ended.
    async fn listens(&mut self) -> bool {
        for _ in 0..LOOKS {
            if self.child.try_wait().expect("the process is ours").is_some() {
                return false;
            }
            // Somebody else may listen on that port, where it was faster.
            if self.log().contains("listening on")
                && TcpStream::connect(("127.0.0.1", self.port)).await.is_ok()
            {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await; // the pause of this polling loop
        }
        panic!("PgBouncer does not listen; its log:\n{}", self.log());
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A store on a new PostgreSQL database, with a pooler in between.
#[derive(Debug)]
pub struct PooledStore {
    /// The store.
    pub store: Arc<SqlStore>,
    /// The database's URL without the pooler.
    pub direct_url: String,
    /// The pooler.
    pub pooler: PgBouncer,
}

/// A store on a new PostgreSQL database behind a pooler of its own.
pub async fn postgres_behind_a_pooler() -> PooledStore {
    let (direct_url, pooler) = (migrated_database().await, PgBouncer::start().await);
    let store = patient(&options(&pooler.url(&direct_url), &[])).await;
    PooledStore { store: store.expect("a new database can be opened"), direct_url, pooler }
}

/// The parts of `postgres://user:password@host:port/database`.
struct Server<'a> {
    user: &'a str,
    password: &'a str,
    host: &'a str,
    port: &'a str,
}

impl<'a> Server<'a> {
    fn of(url: &'a str) -> Self {
        let parts = || {
            let (access, place) = url.split_once("://")?.1.rsplit_once('@')?;
            let (user, password) = access.split_once(':')?;
            let (host, port) = place.split_once('/')?.0.rsplit_once(':')?;
            Some(Self { user, password, host, port })
        };
        parts().expect("the URL of the test server has user, password, host, port and database")
    }

    fn settings(&self, port: u16, users: &Path) -> String {
        format!(
            "[databases]\n* = host={} port={}\n\n[pgbouncer]\npool_mode = transaction\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {}\n\
             default_pool_size = {SESSIONS}\nmax_client_conn = 200\n",
            self.host,
            self.port,
            users.display()
        )
    }
}

/// Debian puts it where only root looks.
fn binary() -> PathBuf {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&paths).map(|folder| folder.join("pgbouncer")).find(|path| path.exists());
    found.unwrap_or_else(|| PathBuf::from("/usr/sbin/pgbouncer"))
}

fn is_root(own: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(own).expect("the directory is there").uid() == 0
}

fn put(file: &Path, text: &str) {
    fs::write(file, text).expect("the temporary directory can be written");
}

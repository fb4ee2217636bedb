//! The conformance suite of the storage port on every database: each case once on a SQLite file, on SQLite in
//! memory, on PostgreSQL and on PostgreSQL behind a pooler, with no skips.

/// Makes a module of tests, one for each case, over the store that `$open` gives.
macro_rules! suite {
    ($name:ident, $open:path) => {
        mod $name {
            macro_rules! case {
                ($module:ident, $case:ident) => {
                    #[tokio::test]
                    async fn $case() {
                        let database = $open().await;
                        store::conformance::$module::$case(database.store.as_ref()).await;
                    }
                };
            }
            store::for_each_case!(case);
        }
    };
}

suite!(i12_sqlite_file, testkit::database::sqlite_file);
suite!(i12_sqlite_memory, testkit::database::sqlite_memory);
suite!(i12_postgres, testkit::database::postgres);
suite!(i12_postgres_behind_a_pooler, testkit::pgbouncer::postgres_behind_a_pooler);

//! The conformance suite once more, with the payloads of its tenants sealed: whoever goes through the port sees no difference.
//! What the tables hold then is looked at in `sealed_rows.rs`.

use store::conformance::sealing::seal_payloads_of;
use testkit::database::{TestStore, postgres, sqlite_memory};

/// The tenant of nearly all cases. Others have their payloads in the clear beside it.
const TENANTS: &[&str] = &["a"];

async fn sealed_sqlite() -> TestStore {
    sealed(sqlite_memory().await).await
}

async fn sealed_postgres() -> TestStore {
    sealed(postgres().await).await
}

async fn sealed(database: TestStore) -> TestStore {
    seal_payloads_of(database.store.as_ref(), TENANTS).await;
    database
}

/// Makes a module of tests, one for each case, over the store that `$open` gives.
macro_rules! suite {
    ($name:ident, $open:path) => {
        mod $name {
            macro_rules! case {
                // They seal by themselves.
                (sealing, $case:ident) => {};
                // A tenant whose keys are gone gets other answers until it is gone too: see the cases of sealing.
                (erasure, $case:ident) => {};
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

suite!(i12_sealed_sqlite, super::sealed_sqlite);
suite!(i12_sealed_postgres, super::sealed_postgres);

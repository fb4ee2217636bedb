//! Every test on both databases.

/// Makes one test a database out of each function that takes a [`Database`].
macro_rules! on_both_databases {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    Box::pin(super::$test(crate::harness::Database::sqlite())).await;
                }
            )+
        }
        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    Box::pin(super::$test(crate::harness::Database::postgres().await)).await;
                }
            )+
        }
    };
}
pub(crate) use on_both_databases;

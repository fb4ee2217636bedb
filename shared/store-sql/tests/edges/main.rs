//! What the conformance suite does not look at: refusals, races, retention, and rows that no version of Trunkline
//! writes. Each case runs on every database.

mod fixture;

mod foreign_rows;
mod late_entries;
mod parking;
mod payloads;
mod races;
mod retention;
mod revival;
mod schedules;
mod webhooks;

/// Makes tests of functions that take a store, on each database.
macro_rules! on_every_database {
    ($($module:ident :: $case:ident,)*) => {
        mod sqlite_file {
            $(#[tokio::test] async fn $case() {
                super::$module::$case(&testkit::database::sqlite_file().await).await;
            })*
        }
        mod sqlite_memory {
            $(#[tokio::test] async fn $case() {
                super::$module::$case(&testkit::database::sqlite_memory().await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $case() {
                super::$module::$case(&testkit::database::postgres().await).await;
            })*
        }
    };
}

on_every_database! {
    parking::batches_in_opposite_orders_do_not_deadlock,
    parking::children_end_beside_their_parents_cancel,
    parking::i08_no_signal_falls_beside_a_parking,
    races::a_requeue_at_once_is_done_once,
    races::a_retry_at_once_is_done_once,
    races::a_command_beside_the_end_is_answered,
    races::changes_at_once_do_not_get_in_each_others_way,
    races::one_of_many_reservations_proceeds,
    retention::a_retry_without_a_job_is_refused,
    retention::an_execution_keeps_its_jobs_until_it_ends,
    retention::an_open_dead_letter_keeps_its_job,
    retention::executions_that_stay_hold_up_no_others,
    retention::jobs_that_stay_hold_up_no_others,
    revival::a_cancelled_execution_refuses_the_requeue,
    revival::a_failed_owner_leaves_the_entries_for_the_next,
    revival::a_settled_node_runs_until_its_owner_knows,
    revival::a_taken_unique_key_refuses_the_requeue,
    schedules::an_edit_and_a_fire_at_once_agree,
    schedules::i07_a_slot_fires_once_whoever_tries,
    webhooks::i07_parallel_copies_of_a_webhook_delivery_are_one,
    webhooks::i07_parallel_repeats_of_a_webhook_call_agree,
    webhooks::webhook_batches_at_once_agree,
}

//! From the parsed command line to the verb's code.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

use crate::cli::{Cli, Command};
use crate::client::{Client, Global};
use crate::commands::{
    alert, attribute, audit, backup, batches, build, dev, dispatching, dlq, doctor, execution, job, key,
    limits, local, moving, outbox, processes, queue, retention, run, schedule, search, secret, serve, sql,
    tenant, trigger, user_task, webhook, work, workflow,
};

/// Runs the verb and answers the exit code.
pub(crate) fn run_verb(cli: Cli) -> Result<ExitCode> {
    let Cli { global, command } = cli;
    match command {
        Command::Serve(args) => serve::run(args),
        Command::Dev(args) => dev::run(args),
        Command::Migrate(args) => small_runtime()?.block_on(local::run_migrate(&args, global.json)),
        Command::Sql(command) => small_runtime()?.block_on(sql::run(&command, global.json)),
        Command::Outbox(command) => small_runtime()?.block_on(outbox::run(&command, &global)),
        Command::Dispatch(command) => small_runtime()?.block_on(dispatching::run(&command, global.json)),
        Command::Config(command) => small_runtime()?.block_on(async { local::run(&command, global.json) }),
        Command::Completion { shell } => Ok(local::run_completion(Cli::command(), shell)),
        Command::Man { directory } => local::run_man(Cli::command(), &directory),
        Command::Workflow(command) => match workflow::run_alone(&command, global.json) {
            Some(done) => done,
            None => small_runtime()?.block_on(run_client_verb(Command::Workflow(command), &global)),
        },
        Command::Backup(args) => small_runtime()?.block_on(backup::run(&args, &global)),
        Command::Move(args) => small_runtime()?.block_on(moving::run(&args, &global)),
        Command::Doctor(args) => small_runtime()?.block_on(doctor::run(&args, &global)),
        Command::Health(args) => small_runtime()?.block_on(processes::run_health(&args, global.json)),
        client_verb => small_runtime()?.block_on(run_client_verb(client_verb, &global)),
    }
}

async fn run_client_verb(command: Command, global: &Global) -> Result<ExitCode> {
    let client = Client::new(global)?;
    match command {
        Command::Workflow(command) => workflow::run(command, &client).await,
        Command::Run(args) => run::run(args, &client).await,
        Command::Execution(command) => execution::run(command, &client).await,
        Command::UserTask(command) => user_task::run(command, &client).await,
        Command::Schedule(command) => schedule::run(command, &client).await,
        Command::Webhook(command) => webhook::run(command, &client).await,
        Command::Event(command) => trigger::run_event(command, &client).await,
        Command::Trigger(command) => trigger::run(command, &client).await,
        Command::Alert(command) => alert::run(command, &client).await,
        Command::Job(command) => job::run(command, &client).await,
        Command::Queue(command) => queue::run(command, &client).await,
        Command::Dlq(command) => dlq::run(command, &client).await,
        Command::Batch(command) => batches::run(command, &client).await,
        Command::Key(command) => key::run(command, &client).await,
        Command::Limits(command) => limits::run(command, &client).await,
        Command::Rate(command) => limits::run_rate(command, &client).await,
        Command::Tenant(command) => tenant::run(command, &client).await,
        Command::Retention(command) => retention::run(command, &client).await,
        Command::Audit(command) => audit::run(command, &client).await,
        Command::Secret(command) => secret::run(command, &client).await,
        Command::Worker(command) => processes::run_worker(command, &client).await,
        Command::Build(command) => build::run(command, &client).await,
        Command::Server(command) => processes::run(command, &client).await,
        Command::Search(command) => search::run(command, &client).await,
        Command::Attribute(command) => attribute::run(command, &client).await,
        Command::Work(args) => work::run(args, &client).await,
        Command::Serve(_)
        | Command::Dev(_)
        | Command::Migrate(_)
        | Command::Config(_)
        | Command::Dispatch(_)
        | Command::Sql(_)
        | Command::Outbox(_)
        | Command::Backup(_)
        | Command::Move(_)
        | Command::Completion { .. }
        | Command::Man { .. }
        | Command::Health(_)
        | Command::Doctor(_) => Ok(ExitCode::FAILURE),
    }
}

/// Client verbs wait for one answer at a time: one thread is enough.
fn small_runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

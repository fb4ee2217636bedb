//! The command line as clap sees it: global flags and the tree of verbs. Each verb's own arguments stand beside
//! its code in `commands`.

use clap::{Parser, Subcommand};

use crate::client::Global;
use crate::commands::{
    alert, attribute, audit, backup, batches, build, dev, dispatching, dlq, doctor, execution, job, key,
    limits, local, moving, outbox, processes, queue, retention, run, schedule, search, secret, serve, sql,
    tenant, trigger, user_task, webhook, work, workflow,
};

/// What stands below the help of `trunkline`.
const AFTER_HELP: &str = "\
Environment variables of client commands:
  TRUNKLINE_URL           Server URL
  TRUNKLINE_API_KEY       API key
  TRUNKLINE_API_KEY_FILE  File with the API key, where TRUNKLINE_API_KEY is not set
  TRUNKLINE_PROFILE       Profile with a server URL and an API key
  TRUNKLINE_PROFILES      Profiles file [default: ~/.config/trunkline/profiles.toml]
  NO_COLOR                No colour

Exit codes:
  0  done
  1  any other error
  2  wrong arguments
  3  not finished in the time to wait, a bulk operation is paused, or a delivery was parked
  4  an execution, a bulk operation or some of its objects failed
  5  not found
  6  denied: the API key is missing, unknown or not allowed to do this
  7  the server cannot be reached

Examples:
  trunkline serve
  trunkline workflow push order.json
  trunkline run order --input '{\"id\": 7}' --wait
  trunkline job list --status DEAD_LETTER --created-after now-1h";

/// Job queues and durable workflows in one binary.
#[derive(Debug, Parser)]
#[command(name = "trunkline", version, about, arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// Global flags.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the server
    Serve(serve::ServeArgs),
    /// Start a server for development and tests, on a temporary database that is removed at the end
    ///
    /// Callers on this machine need no API key unless TRUNKLINE_BOOTSTRAP_KEY sets one.
    #[command(after_help = "Example: trunkline dev --time-skip")]
    Dev(dev::DevArgs),
    /// Apply pending database migrations
    Migrate(local::MigrateArgs),
    /// Copy the SQLite database to a file, with or without a running server
    Backup(backup::BackupArgs),
    /// Move the whole store to another database, while the server runs or without one
    ///
    /// A server on a SQLite file moves itself to PostgreSQL and continues there. Without a server the store is moved in either
    /// direction. The source stays unchanged until everything is copied and compared; after that it is read-only. If the
    /// command is interrupted, repeat it with the same URLs, or use --follow while the server continues.
    #[command(after_help = "Example: trunkline move --to postgres://trunkline@db.internal/trunkline")]
    Move(moving::MoveArgs),
    /// Check settings, database and server, and suggest fixes
    Doctor(doctor::DoctorArgs),
    /// Check that the local server is ready; for container health checks
    Health(processes::HealthArgs),
    /// Show the configuration
    #[command(subcommand)]
    Config(local::ConfigCommand),
    /// Manage workflows
    #[command(subcommand)]
    Workflow(workflow::WorkflowCommand),
    /// Start a workflow execution
    Run(run::RunArgs),
    /// Manage executions
    #[command(subcommand)]
    Execution(execution::ExecutionCommand),
    /// Manage user tasks
    #[command(subcommand)]
    UserTask(user_task::UserTaskCommand),
    /// Manage schedules
    #[command(subcommand)]
    Schedule(schedule::ScheduleCommand),
    /// Manage inbound webhooks
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Send events
    #[command(subcommand)]
    Event(trigger::EventCommand),
    /// Manage triggers that start workflows by events
    #[command(subcommand)]
    Trigger(trigger::TriggerCommand),
    /// Manage alerts, their rules, routes and silences
    #[command(subcommand)]
    Alert(alert::AlertCommand),
    /// Manage jobs
    #[command(subcommand)]
    Job(job::JobCommand),
    /// Manage queues
    #[command(subcommand)]
    Queue(queue::QueueCommand),
    /// Manage dead letters
    #[command(subcommand)]
    Dlq(dlq::DlqCommand),
    /// Manage bulk operations
    #[command(subcommand)]
    Batch(batches::BatchCommand),
    /// Manage API keys
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Show and change concurrency limits and rates
    #[command(subcommand)]
    Limits(limits::LimitsCommand),
    /// Show and change the rates of keys that jobs name
    #[command(subcommand)]
    Rate(limits::RateCommand),
    /// Manage secrets that HTTP nodes send in request headers
    #[command(subcommand)]
    Secret(secret::SecretCommand),
    /// Manage the SQL functions that applications call within their own transactions (PostgreSQL)
    #[command(subcommand)]
    Sql(sql::SqlCommand),
    /// Manage the outbox in an application's own database, and relay its calls to the server (PostgreSQL)
    #[command(subcommand)]
    Outbox(outbox::OutboxCommand),
    /// Show and drain the dispatch of jobs through Kafka
    #[command(subcommand)]
    Dispatch(dispatching::DispatchCommand),
    /// Manage tenants
    #[command(subcommand)]
    Tenant(tenant::TenantCommand),
    /// Show and change how long finished work, logs and payloads are kept
    #[command(subcommand)]
    Retention(retention::RetentionCommand),
    /// Show, export and verify the audit log
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Run a worker that starts a program for each job
    ///
    /// The program reads the payload from standard input and writes the result to standard output. Exit code 0
    /// completes the job, 75 fails it with a retry, and any other code fails it permanently.
    #[command(after_help = "Example: trunkline work greet -- python3 greet.py")]
    Work(work::WorkArgs),
    /// List and drain workers
    #[command(subcommand)]
    Worker(processes::WorkerCommand),
    /// Pin job types to builds of workers
    #[command(subcommand)]
    Build(build::BuildCommand),
    /// List the processes of the deployment
    #[command(subcommand)]
    Server(processes::ServerCommand),
    /// Suggest completions for queries
    #[command(subcommand)]
    Search(search::SearchCommand),
    /// List and declare searchable attributes
    #[command(subcommand)]
    Attribute(attribute::AttributeCommand),
    /// Print a shell completion script
    Completion {
        /// Shell that the script is for
        shell: clap_complete::Shell,
    },
    /// Write man pages
    Man {
        /// Directory for the pages; created if it does not exist
        directory: std::path::PathBuf,
    },
}

#[cfg(test)]
mod documents;

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_tree_of_verbs_is_consistent() {
        super::Cli::command().debug_assert();
    }

    /// The settings read the variable themselves: an error then names the variable instead of an unused flag.
    #[test]
    fn no_flag_takes_its_value_from_the_variable_of_the_configuration_file() {
        fn check(command: &clap::Command) {
            for argument in command.get_arguments() {
                let variable = argument.get_env().and_then(|name| name.to_str());
                assert_ne!(variable, Some("TRUNKLINE_CONFIG"), "{}: {argument}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&super::Cli::command());
    }
}

//! The command line as clap sees it: global flags and the tree of verbs. Each verb's own arguments stand beside
//! its code in `commands`.

use clap::{Args, Parser, Subcommand};

use crate::commands::{
    config, dlq, doctor, execution, health, job, key, limits, migrate, queue, run, schedule, secret, serve,
    tenant, user_task, webhook, work, worker, workflow,
};

/// Trunkline: queues and workflows in one binary.
#[derive(Debug, Parser)]
#[command(name = "trunkline", version, about, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Flags that every verb takes.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The verb.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every verb takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Where the server is [env: TRUNKLINE_URL] [default: http://127.0.0.1:8080]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Take address and key from this profile of the profiles file
    #[arg(long, global = true, env = "TRUNKLINE_PROFILE", value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the server
    Serve(serve::ServeArgs),
    /// Bring the database's schema up to date
    Migrate(migrate::MigrateArgs),
    /// Check settings, database and server, and say what to do
    Doctor(doctor::DoctorArgs),
    /// Check that the server beside is ready, for a container's health check
    Health(health::HealthArgs),
    /// Look at the settings
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Register and look at workflows
    #[command(subcommand)]
    Workflow(workflow::WorkflowCommand),
    /// Start an execution
    Run(run::RunArgs),
    /// Look at and steer executions
    #[command(subcommand)]
    Execution(execution::ExecutionCommand),
    /// Look at and do what people have to do for executions
    #[command(subcommand)]
    UserTask(user_task::UserTaskCommand),
    /// Start workflows by the clock
    #[command(subcommand)]
    Schedule(schedule::ScheduleCommand),
    /// Start workflows by what others send
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Enqueue and look at jobs
    #[command(subcommand)]
    Job(job::JobCommand),
    /// Look at and pause queues
    #[command(subcommand)]
    Queue(queue::QueueCommand),
    /// Review dead letters
    #[command(subcommand)]
    Dlq(dlq::DlqCommand),
    /// Make and revoke API keys
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Look at and change limits
    #[command(subcommand)]
    Limits(limits::LimitsCommand),
    /// Store what requests of workflows send in their headers
    #[command(subcommand)]
    Secret(secret::SecretCommand),
    /// Look at and make tenants
    #[command(subcommand)]
    Tenant(tenant::TenantCommand),
    /// Serve a job type with any program
    ///
    /// The program gets the payload on standard input and writes the result to standard output. Exit code 0: done; 75: try
    /// again; any other: failed for good.
    #[command(after_help = "Example: trunkline work greet -- python3 greet.py")]
    Work(work::WorkArgs),
    /// Look at workers
    #[command(subcommand)]
    Worker(worker::WorkerCommand),
    /// Print a completion script for a shell
    Completion {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_tree_of_verbs_is_consistent() {
        super::Cli::command().debug_assert();
    }
}

//! How large each measure is.

use std::fmt;

use clap::{Args, ValueEnum};

/// Two sizes for two purposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Size {
    /// Everything within about half an hour: shows that it works, and roughly where it stands.
    Quick,
    /// The sizes that the targets name; about an hour.
    Full,
}

/// The sizes in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) rounds: u32,
    pub(crate) jobs: usize,
    pub(crate) rows: usize,
    pub(crate) lanes: usize,
    pub(crate) backlog: usize,
    pub(crate) running: usize,
    pub(crate) crowd: usize,
    pub(crate) many_lanes: usize,
    pub(crate) died: usize,
    pub(crate) soak: usize,
    pub(crate) executions: usize,
    pub(crate) dead: usize,
    pub(crate) find_on_sqlite: bool,
    pub(crate) concurrent: usize,
    pub(crate) parked: usize,
    pub(crate) results_rate: usize,
    pub(crate) schedules: usize,
    pub(crate) seconds: u64,
    pub(crate) move_open: usize,
    pub(crate) move_finished: usize,
    pub(crate) peer_jobs: usize,
    pub(crate) peer_rounds: u32,
}

impl Sizes {
    /// The values of a size.
    pub(crate) const fn of(size: Size) -> Self {
        match size {
            Size::Quick => Self {
                rounds: 3,
                jobs: 40_000,
                rows: 10_000,
                lanes: 5_000,
                backlog: 200_000,
                running: 5_000,
                crowd: 100_000,
                many_lanes: 1_000_000,
                died: 300_000,
                soak: 150_000,
                executions: 4_000,
                dead: 4_000,
                find_on_sqlite: true,
                concurrent: 2_000,
                parked: 20_000,
                results_rate: 500,
                schedules: 100_000,
                seconds: 3,
                move_open: 10_000,
                move_finished: 100_000,
                peer_jobs: 20_000,
                peer_rounds: 1,
            },
            Size::Full => Self {
                rounds: 3,
                jobs: 200_000,
                rows: 50_000,
                lanes: 50_000,
                backlog: 1_000_000,
                running: 10_000,
                crowd: 1_000_000,
                many_lanes: 1_000_000,
                died: 1_000_000,
                soak: 1_500_000,
                executions: 10_000,
                dead: 20_000,
                find_on_sqlite: true,
                concurrent: 10_000,
                parked: 1_000_000,
                results_rate: 1_000,
                schedules: 100_000,
                seconds: 10,
                move_open: 100_000,
                move_finished: 1_000_000,
                peer_jobs: 60_000,
                peer_rounds: 3,
            },
        }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{self:?}");
        let inner = text.trim_start_matches("Sizes { ").trim_end_matches(" }");
        f.write_str(inner)
    }
}

/// Single sizes in the place of those of `--size`.
#[derive(Debug, Args)]
pub(crate) struct Overrides {
    /// How often each measure is taken; the median counts.
    #[arg(long)]
    rounds: Option<u32>,
    /// Jobs of one drain.
    #[arg(long)]
    jobs: Option<usize>,
    /// Jobs whose log is read.
    #[arg(long)]
    rows: Option<usize>,
    /// The most lanes.
    #[arg(long)]
    lanes: Option<usize>,
    /// How many wait in the large backlog; the small one is 1,000.
    #[arg(long)]
    backlog: Option<usize>,
    /// How many run while claims are timed; few are 100.
    #[arg(long)]
    running: Option<usize>,
    /// Jobs of the large tenant.
    #[arg(long)]
    crowd: Option<usize>,
    /// Lanes of one job each, of which nothing may be left afterwards; at least 10,000.
    #[arg(long)]
    many_lanes: Option<usize>,
    /// How many jobs end while a snapshot is open.
    #[arg(long)]
    died: Option<usize>,
    /// Jobs of the sustained load.
    #[arg(long)]
    soak: Option<usize>,
    /// Executions of one run of a workflow.
    #[arg(long)]
    executions: Option<usize>,
    /// Dead letters of the store whose lists are read, one job in ten at most.
    #[arg(long)]
    dead: Option<usize>,
    /// Whether lists are read on SQLite, too.
    #[arg(long)]
    find_on_sqlite: Option<bool>,
    /// Executions that are under way at once.
    #[arg(long)]
    concurrent: Option<usize>,
    /// Executions that only wait; few are 1,000.
    #[arg(long)]
    parked: Option<usize>,
    /// How many results of nodes a second they get.
    #[arg(long)]
    results_rate: Option<usize>,
    /// Schedules that are due in one minute.
    #[arg(long)]
    schedules: Option<usize>,
    /// How long the measures of a steady load last, in seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Open jobs of a store that is moved.
    #[arg(long)]
    move_open: Option<usize>,
    /// Its finished jobs.
    #[arg(long)]
    move_finished: Option<usize>,
    /// Jobs of each drain beside other queues.
    #[arg(long)]
    peer_jobs: Option<usize>,
    /// How often each of the other queues is measured.
    #[arg(long)]
    peer_rounds: Option<u32>,
}

impl Overrides {
    /// The sizes with what was said here.
    pub(crate) fn over(&self, sizes: &Sizes) -> Sizes {
        Sizes {
            rounds: self.rounds.unwrap_or(sizes.rounds).max(1),
            jobs: self.jobs.unwrap_or(sizes.jobs),
            rows: self.rows.unwrap_or(sizes.rows).max(1),
            lanes: self.lanes.unwrap_or(sizes.lanes).max(1),
            backlog: self.backlog.unwrap_or(sizes.backlog),
            running: self.running.unwrap_or(sizes.running),
            crowd: self.crowd.unwrap_or(sizes.crowd),
            many_lanes: self.many_lanes.unwrap_or(sizes.many_lanes).max(10_000),
            died: self.died.unwrap_or(sizes.died),
            soak: self.soak.unwrap_or(sizes.soak),
            executions: self.executions.unwrap_or(sizes.executions),
            dead: self.dead.unwrap_or(sizes.dead),
            find_on_sqlite: self.find_on_sqlite.unwrap_or(sizes.find_on_sqlite),
            concurrent: self.concurrent.unwrap_or(sizes.concurrent),
            parked: self.parked.unwrap_or(sizes.parked),
            results_rate: self.results_rate.unwrap_or(sizes.results_rate),
            schedules: self.schedules.unwrap_or(sizes.schedules),
            seconds: self.seconds.unwrap_or(sizes.seconds),
            move_open: self.move_open.unwrap_or(sizes.move_open),
            move_finished: self.move_finished.unwrap_or(sizes.move_finished),
            peer_jobs: self.peer_jobs.unwrap_or(sizes.peer_jobs),
            peer_rounds: self.peer_rounds.unwrap_or(sizes.peer_rounds).max(1),
        }
    }
}

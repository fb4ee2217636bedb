//! `trunkline dispatch`: what is offered to Kafka, and ending that.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use settings::{Flags, Settings};
use store::Store as _;
use store::dispatch::{DispatchStore as _, DispatchView};
use store_sql::SqlStore;

use crate::output;
use crate::output::{out, shown};
use crate::serve::{check, store_options};

/// How often a drain looks.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// After how many looks without any offer a drain has ended.
const LOOKS_WITHOUT: u32 = 10;

/// Shows and drains dispatch.
#[derive(Debug, Subcommand)]
pub(crate) enum DispatchCommand {
    /// Show mode, nodes, shards and open offers
    Status {
        /// Where the tables are
        #[command(flatten)]
        place: Place,
    },
    /// Stop making offers and wait until none is open; jobs are still accepted into the queue
    ///
    /// Offers start again with `--undo`, and with the first node of another mode.
    Drain {
        /// Where the tables are
        #[command(flatten)]
        place: Place,
        /// Make offers again
        #[arg(long)]
        undo: bool,
        /// Do not wait
        #[arg(long, conflicts_with = "undo")]
        no_wait: bool,
    },
}

/// The database.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Database URL
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Configuration file [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(crate) async fn run(command: &DispatchCommand, is_json: bool) -> Result<ExitCode> {
    let (DispatchCommand::Status { place } | DispatchCommand::Drain { place, .. }) = command;
    let store = open(place).await?;
    let done = on(command, is_json, &store).await;
    store.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn open(place: &Place) -> Result<Arc<SqlStore>> {
    let flags =
        Flags { database_url: place.database_url.clone(), config: place.config.clone(), ..Flags::default() };
    let settings: Settings = settings::load(&flags, settings::process_environment())?;
    let mut options = store_options(&settings);
    options.migrate = false;
    let store = SqlStore::connect(&options)
        .await
        .map_err(check::explain)
        .with_context(|| format!("cannot open {}", settings.database.url_masked()))?;
    check::require(&store).await?;
    Ok(store)
}

async fn on(command: &DispatchCommand, is_json: bool, store: &SqlStore) -> Result<()> {
    match command {
        DispatchCommand::Status { .. } => show(&view(store).await?, is_json),
        DispatchCommand::Drain { undo, no_wait, .. } => {
            let now = store.database_now().await?;
            store.set_dispatch_draining(!undo, now).await?;
            if !undo && !no_wait {
                wait_for_none(store).await?;
            }
            show(&view(store).await?, is_json);
        }
    }
    Ok(())
}

/// Waits until no offer stands. A relay may have been about to claim when the drain began, so one look is not enough.
async fn wait_for_none(store: &SqlStore) -> Result<()> {
    let mut looks = 0;
    while looks < LOOKS_WITHOUT {
        looks = if view(store).await?.standing() > 0 { 0 } else { looks + 1 };
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}

async fn view(store: &SqlStore) -> Result<DispatchView> {
    let now = store.database_now().await?;
    Ok(store.dispatch_view(now).await?)
}

fn show(view: &DispatchView, is_json: bool) {
    if is_json {
        let nodes = view.nodes.iter().map(|node| {
            json!({"name": node.name, "mode": node.mode, "relay": node.relays,
                "brokerAwaySince": node.broker_away_since, "published": node.figures.published,
                "publishErrors": node.figures.errors, "publishedPerSecond": node.figures.published_per_second,
                "heldTypes": node.figures.held})
        });
        let shards = view.shards.iter().map(|shard| {
            let owner = view.nodes.iter().find(|node| Some(node.id) == shard.owner);
            json!({"shard": shard.shard, "term": shard.term, "node": owner.map(|node| &node.name)})
        });
        let offers = view.offers.iter().map(|offers| {
            json!({"jobType": offers.job_type, "standing": offers.standing, "oldest": offers.oldest})
        });
        output::print_json(&json!({
            "mode": view.mode, "draining": view.is_draining, "offers": view.standing(),
            "unacknowledged": view.unacknowledged(), "lag": view.lag(),
            "nodes": nodes.collect::<Vec<_>>(), "shards": shards.collect::<Vec<_>>(),
            "byType": offers.collect::<Vec<_>>(),
        }));
        return;
    }
    let draining = if view.is_draining { ", draining: no new offers are made" } else { "" };
    out!(
        "mode {}{draining}; {} open offers, {} of them acknowledged by Kafka",
        view.mode,
        view.standing(),
        view.lag()
    );
    for node in &view.nodes {
        let shards: Vec<String> = view
            .shards
            .iter()
            .filter(|shard| shard.owner == Some(node.id))
            .map(|shard| format!("{} (term {})", shard.shard, shard.term))
            .collect();
        let shards =
            if shards.is_empty() { String::new() } else { format!(", shards {}", shards.join(", ")) };
        let away = node.broker_away_since.map(|since| format!(", Kafka unreachable since {since}"));
        let published = if node.relays {
            let figures = &node.figures;
            format!(
                ", {} published ({} a second), {} errors",
                figures.published, figures.published_per_second, figures.errors
            )
        } else {
            String::new()
        };
        out!("node {}: {}{shards}{published}{}", node.name, node.mode, away.unwrap_or_default());
        for held in &node.figures.held {
            out!("  no offers of {} since {}: {}", held.job_type, held.since, shown(&held.reason));
        }
    }
    for offers in &view.offers {
        out!("open offers of {}: {}, the oldest since {}", offers.job_type, offers.standing, offers.oldest);
    }
}

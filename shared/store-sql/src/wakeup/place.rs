//! Where notifications are sent and listened for.

use std::error::Error;

use sqlx::postgres::PgConnectOptions;
use store::StoreResult;

use crate::connect::postgres_options;
use crate::transaction_pooling;

/// Where notifications are sent, and whether they can be heard there. Not `Debug`: it holds the password in clear text.
pub(crate) struct Place {
    /// How to connect.
    pub(super) options: PgConnectOptions,
    /// Whether a notification can arrive. A pooler that lends connections out by transaction takes what is listened
    /// for away with the session.
    pub(super) is_heard: bool,
}

impl Place {
    /// The place for a store with these connections. Warns where notifications cannot be heard, and where connections
    /// are shared.
    pub(crate) async fn of(
        store: &PgConnectOptions,
        is_shared: bool,
        listen_url: Option<&str>,
    ) -> StoreResult<Self> {
        let place = match listen_url {
            Some(url) => Self::at(postgres_options(url)?).await,
            None => Self { options: store.clone(), is_heard: !is_shared },
        };
        if is_shared {
            let wakeups = match (place.is_heard, listen_url) {
                (true, _) => "notifications go past it",
                (false, Some(_)) => "notifications do not arrive",
                (false, None) => {
                    "work of other nodes is found by polling, because database.listen_url, the address of the server \
                     itself, is not set"
                }
            };
            tracing::warn!(
                wakeups,
                "connections to PostgreSQL are lent out by transaction (by a pooler such as PgBouncer), which makes \
                 statements slower"
            );
        }
        Ok(place)
    }

    /// Looks before anything listens there: a session that listens for one of its users disturbs all of them.
    async fn at(options: PgConnectOptions) -> Self {
        let is_heard = match transaction_pooling::is_shared(&options).await {
            Ok(is_shared) => !is_shared,
            Err(error) => {
                // It may be there later, and then the probe finds out.
                tracing::warn!(error = &error as &dyn Error, "database.listen_url does not answer");
                true
            }
        };
        if !is_heard {
            tracing::warn!(
                "at database.listen_url there is a pooler that lends connections out by transaction, where no \
                 notification arrives; work of other nodes is found by polling"
            );
        }
        Self { options, is_heard }
    }
}

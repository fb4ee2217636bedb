// What PostgreSQL counted: write-ahead log, commits, dead rows. The server is private, so all of it is the peer's.
import pg from "pg";

// The statistics of a session arrive a moment after its last statement, or at once when it ends.
const ARRIVE_MS = 1200;

/** A connection of its own for the counters. */
export class Counters {
  static async open(url) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new Counters(client);
  }

  constructor(client) {
    this.client = client;
  }

  /** The counters now. */
  async read() {
    await new Promise((resolve) => setTimeout(resolve, ARRIVE_MS));
    const { rows } = await this.client.query(
      `SELECT (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()) AS commits,
              (SELECT coalesce(sum(n_dead_tup), 0)::float8 FROM pg_stat_user_tables) AS dead`,
    );
    return rows[0];
  }

  /** How many bytes of log were written so far. */
  async wal() {
    const { rows } = await this.client.query("SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal");
    return rows[0].wal;
  }

  /** Cleans up after the inserts, as the reference does; answers the bytes of log that it wrote. */
  async vacuum() {
    const before = await this.wal();
    await this.client.query("VACUUM ANALYZE");
    return (await this.wal()) - before;
  }

  async close() {
    await this.client.end();
  }
}

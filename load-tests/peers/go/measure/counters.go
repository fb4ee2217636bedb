package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// The statistics of a session arrive a moment after its last statement, or at once when it ends.
const arrive = 1200 * time.Millisecond

// counters are what PostgreSQL counted: write-ahead log, commits, dead rows. The server is private, so all of it is
// the peer's. Commits are those of its database and of others that it made beside, whose names begin with its name; dead
// rows are those of its database alone.
type counters struct {
	connection *pgx.Conn
}

func openCounters(ctx context.Context, url string) (*counters, error) {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect for the counters: %w", err)
	}
	return &counters{connection}, nil
}

// read answers the commits and the dead rows so far.
func (c *counters) read(ctx context.Context) (commits, dead float64, err error) {
	time.Sleep(arrive)
	err = c.connection.QueryRow(ctx, `
		SELECT (SELECT sum(xact_commit)::float8 FROM pg_stat_database
		        WHERE datname = current_database() OR starts_with(datname, current_database() || '_')),
		       (SELECT coalesce(sum(n_dead_tup), 0)::float8 FROM pg_stat_user_tables)`).Scan(&commits, &dead)
	return commits, dead, err
}

// wal answers how many bytes of log were written so far.
func (c *counters) wal(ctx context.Context) (bytes float64, err error) {
	err = c.connection.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8").Scan(&bytes)
	return bytes, err
}

// vacuum cleans up after the inserts, as the reference does, and answers the bytes of log that it wrote.
func (c *counters) vacuum(ctx context.Context) (float64, error) {
	before, err := c.wal(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := c.connection.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return 0, err
	}
	after, err := c.wal(ctx)
	return after - before, err
}

func (c *counters) close(ctx context.Context) error {
	return c.connection.Close(ctx)
}

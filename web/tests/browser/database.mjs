// What a page that is left leaves behind in the database: nothing. Needs PostgreSQL, which scripts/test-console.sh starts.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { openBrowser, signIn } from './browser.mjs';
import { until } from './seed.mjs';
import { startServer } from './server.mjs';

const PSQL = join(process.env.TRUNKLINE_TEST_POSTGRES_BIN ?? '', 'psql');
const PLAIN = ['-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];

const sql = (url, text) => execFileSync(PSQL, [url, ...PLAIN, '-c', text], { encoding: 'utf8' }).trim();

/** Keeps everybody from reading a table until the returned function is called. */
async function lock(url, table) {
  const session = spawn(PSQL, [url, ...PLAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((done) => session.once('exit', done));
  session.stdin.write(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n`);
  await new Promise((done, failed) => {
    session.stdout.on('data', (chunk) => String(chunk).includes('locked') && done());
    session.once('exit', (code) => failed(new Error(`psql ended with ${code}`)));
  });
  return async () => {
    session.stdin.end('ROLLBACK;\n');
    await ended;
  };
}

export const databaseTests = {
  async 'a list that is left ends its statement in the database'(world) {
    const cluster = process.env.TRUNKLINE_TEST_POSTGRES_URL;
    assert.ok(
      cluster,
      'needs PostgreSQL: run scripts/test-console.sh, or this below scripts/with-postgres.sh',
    );
    const name = `console_${process.pid}_${Date.now()}`;
    sql(cluster, `CREATE DATABASE ${name}`);
    const database = Object.assign(new URL(cluster), { pathname: `/${name}` }).href;
    // Nothing but the page ends the statement in time.
    const settings = {
      TRUNKLINE_DATABASE__LIST_TIMEOUT: '60s',
      TRUNKLINE_DATABASE__STATEMENT_TIMEOUT: '60s',
    };
    const server = await startServer(world.binary, settings, 0, database);
    const browser = await openBrowser(server.address);
    let unlock = null;
    try {
      const { page } = browser;
      await signIn(page, server.address, server.key);
      unlock = await lock(database, 'user_task');
      const waiting = () =>
        Number(
          sql(
            cluster,
            `SELECT count(*) FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'
               AND query LIKE '%user_task t%'`,
          ),
        );
      await page.getByRole('link', { name: 'User tasks', exact: true }).click();
      await until('the statement of the list', () => waiting() > 0);
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      await until('its end', () => waiting() === 0);
      await unlock();
      unlock = null;
      await page.getByRole('link', { name: 'User tasks', exact: true }).click();
      await page.getByText('No open user tasks').waitFor();
      assert.deepEqual(browser.faults, []);
    } finally {
      await unlock?.();
      await browser.close();
      await server.stop();
      sql(cluster, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  },
};

// The console on a store of a month: how long its calls take, and how soon pages stand. Usage, with a release binary, on a machine that does
// nothing else:
//   ROWS=10000000 TRUNKLINE=target/release/trunkline scripts/with-postgres.sh node web/tests/browser/large.mjs
// Fails where a call takes more than 300 ms at the 99th percentile, or a page more than that from its last answer.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { openBrowser, signIn } from './browser.mjs';
import { watchRendering, readCalls } from './reads.mjs';
import { client } from './seed.mjs';
import { startServer } from './server.mjs';

const MS_MAX = 300;
const DATABASE = process.env.TRUNKLINE_TEST_POSTGRES_URL;
const JOBS = Number(process.env.ROWS ?? 1_000_000);
const VISITS = Number(process.env.VISITS ?? 20);
const [EXECUTIONS, DEAD] = [JOBS / 10, JOBS / 10];
const SPAN_MS = 30 * 86_400_000;
const AT_ONCE = 500_000;
const BASE = Date.now() - SPAN_MS;
const [JOB_MS, EXECUTION_MS] = [Math.floor(SPAN_MS / JOBS), Math.floor(SPAN_MS / EXECUTIONS)];
const STEPS = { job: JOB_MS, dlq: JOB_MS, exe: EXECUTION_MS, own: EXECUTION_MS, sch: 0 };
const CODES = { job: 1, exe: 2, own: 3, dlq: 4, sch: 5 };
const NODE_QUEUE = 1;

const sql = (text) => execFileSync('psql', [DATABASE, '-q', '-v', 'ON_ERROR_STOP=1', '-c', text]);

/** The load test's own seed, in statements of this database. */
function rendered(part, from, to) {
  const values = {
    from,
    to,
    jobs: JOBS,
    executions: EXECUTIONS,
    base: BASE,
    job_ms: STEPS.job,
    execution_ms: STEPS.exe,
    node: NODE_QUEUE,
  };
  const filled = part.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const hex = (value, digits) => `lpad(to_hex(CAST(${value} AS bigint)), ${digits}, '0')`;
  return filled.replaceAll(/@(\w+)\(([^)]*)\)/g, (_, kind, number) =>
    kind === 'hex'
      ? hex(number, 15)
      : `CAST(${hex(`${BASE} + (${number}) * ${STEPS[kind]}`, 12)} || '7' || ${hex(CODES[kind], 3)} || '8' || ${hex(number, 15)} AS uuid)`,
  );
}

async function fill(api) {
  const attributes = { customerId: { type: 'integer' }, region: { type: 'text' }, orderNo: { type: 'text' } };
  for (let n = 0; n < 10; n += 1) {
    await api.post('/v1/tenants', { name: `tenant${n}` });
    await api.put(`/v1/tenants/tenant${n}/attributes`, attributes);
  }
  for (let n = 0; n < 20; n += 1)
    await api.post('/v1/workflows', {
      name: `flow${n}`,
      version: 1,
      nodes: [{ id: 'a', type: 'TRANSFORM', output: 1 }],
    });
  const seed = readFileSync(new URL('../../../load-tests/sql/find_seed.sql', import.meta.url), 'utf8');
  const parts = {
    lanes: 1,
    jobs: JOBS,
    dead: DEAD,
    executions: EXECUTIONS,
    'job attributes': JOBS,
    'execution attributes': EXECUTIONS,
  };
  for (const [name, rows] of Object.entries(parts)) {
    const part = seed.split('\n\n').find((each) => each.startsWith(`-- ${name}\n`));
    // The server has lanes of its own already.
    const text = part
      .replaceAll(/^--.*$/gm, '')
      .replace('SELECT n + 1,', 'SELECT n + 1001,')
      .replace('1 + n % 40', '1001 + n % 40');
    for (let from = 0; from < rows; from += AT_ONCE)
      sql(rendered(text, from, Math.min(rows, from + AT_ONCE)));
    console.log(`   ${name}: ${rows}`);
  }
  sql('ANALYZE');
}

/** Pages, and lists by the filters that have a name. */
async function pagesOf(api) {
  const first = async (list) => (await api.get(`${list}?limit=1`)).items[0];
  const letter = await first('/v1/dead-letters');
  return [
    '',
    'jobs',
    'jobs?order=asc',
    'jobs?status=QUEUED,SCHEDULED,RETRY_WAIT',
    'jobs?status=CANCELLED',
    'jobs?tenant=tenant3',
    'jobs?jobType=type2',
    'jobs?workflow=flow6',
    'jobs?jobType=type2&status=DEAD_LETTER',
    'jobs?q=attr.customerId:100',
    `jobs/${(await first('/v1/jobs')).id}`,
    'executions',
    'executions?status=FAILED',
    'executions?tenant=tenant3',
    'executions?workflow=flow6',
    `executions/${(await first('/v1/executions')).id}`,
    'dead-letters',
    'dead-letters?view=list',
    'dead-letters?view=list&tenant=tenant3',
    `dead-letters?view=list&fingerprint=${letter.fingerprint}`,
    `dead-letters/${letter.id}`,
    'archive',
    'workflows',
    'workflows/flow6',
    'schedules',
    'webhooks',
    'deliveries',
    'events',
    'user-tasks',
    'alerts',
    'batches',
    'workers',
    'limits?workflow=flow6&jobType=type2',
    'tenants',
    'tenants/tenant3',
    'audit',
    'settings',
  ];
}

const percentile = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)];

/** How long each call of a page took, from its request to its last byte. */
async function visit(page, address, calls, took) {
  await page.goto(address);
  await page.waitForFunction(() => window.rendered);
  // Charts and lists that are loaded after the page stands.
  await page.waitForTimeout(500);
  const { entries, rendered: ms } = await page.evaluate(() => ({
    rendered: window.rendered,
    entries: performance
      .getEntriesByType('resource')
      .filter(
        ({ name, responseEnd }) => name.includes('/v1/') && !name.endsWith('/v1/events') && responseEnd > 0,
      )
      .map(({ name, requestStart, responseEnd }) => [name, responseEnd - requestStart]),
  }));
  for (const [name, span] of entries) {
    const { pathname, search } = new URL(name);
    const path = calls.find(({ pattern }) => pattern.test(pathname))?.path ?? pathname;
    const shown = Object.hasOwn(LISTS, path) ? `${path}${search.replaceAll(/limit=\d+&?/g, '')}` : path;
    took.set(shown, [...(took.get(shown) ?? []), span]);
  }
  return ms;
}

const LISTS = { '/v1/jobs': 1, '/v1/executions': 1, '/v1/dead-letters': 1, '/v1/archive': 1 };

const server = await startServer(process.env.TRUNKLINE, {}, 0, DATABASE);
let slow = 0;
try {
  const api = client(server.address, server.key);
  if (process.env.FILLED !== '1') await fill(api);
  const browser = await openBrowser(server.address);
  await signIn(browser.page, server.address, server.key);
  await browser.page.addInitScript(watchRendering);
  const took = new Map();
  const calls = readCalls();
  console.log('\n| page | ms from its last answer until it stands, p50 | p99 |\n|---|---|---|');
  for (const path of await pagesOf(api)) {
    const times = [];
    for (let n = 0; n < VISITS; n += 1)
      times.push(await visit(browser.page, `${server.address}/console/${path}`, calls, took));
    if (percentile(times, 0.99) > MS_MAX) slow += 1;
    console.log(
      `| ${path || 'overview'} | ${percentile(times, 0.5).toFixed(0)} | ${percentile(times, 0.99).toFixed(0)} |`,
    );
  }
  console.log('\n| call | times | ms, p50 | p99 |\n|---|---|---|---|');
  for (const [call, times] of [...took].sort((a, b) => percentile(b[1], 0.99) - percentile(a[1], 0.99))) {
    if (percentile(times, 0.99) > MS_MAX) slow += 1;
    console.log(
      `| \`${call}\` | ${times.length} | ${percentile(times, 0.5).toFixed(1)} | ${percentile(times, 0.99).toFixed(1)} |`,
    );
  }
  await browser.close();
} finally {
  await server.stop();
}
console.log(
  slow === 0
    ? `\nall within ${MS_MAX} ms with ${JOBS} jobs`
    : `\n${slow} over ${MS_MAX} ms with ${JOBS} jobs`,
);
process.exitCode = slow === 0 ? 0 : 1;

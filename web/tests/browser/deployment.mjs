// What belongs to the whole deployment: dispatch through Kafka, builds, moves, encryption, attributes, retention.
import assert from 'node:assert/strict';
import { openBrowser, signIn } from './browser.mjs';
import { button, open } from './page.mjs';
import { client, until, work } from './seed.mjs';
import { startServer } from './server.mjs';

const ago = (ms) => new Date(Date.now() - ms).toISOString();

/** What a deployment answers whose second relay has lost its broker. */
const dispatched = () => ({
  mode: 'kafka_outbox',
  draining: false,
  outbox: { jobs: 10_000, exact: false, oldestAt: ago(95_000), asOf: ago(0) },
  offers: {
    standing: 42,
    unacknowledged: 7,
    lag: 35,
    oldestAt: ago(40_000),
    jobTypes: [{ jobType: 'send-mail', standing: 42, oldestAt: ago(40_000) }],
  },
  publishedPerSecond: 1_250,
  nodes: [
    {
      name: 'node-a',
      relay: true,
      published: 90_000,
      publishErrors: 0,
      unacknowledged: 0,
      publishedPerSecond: 1_250,
      heldTypes: [{ jobType: 'ship', reason: 'not_acknowledged', since: ago(30_000) }],
    },
    {
      name: 'node-b',
      relay: true,
      published: 12,
      publishErrors: 3,
      unacknowledged: 7,
      publishedPerSecond: 0,
      brokerAwaySince: ago(70_000),
      lastError: { reason: 'broker_away', at: ago(65_000) },
      heldTypes: [],
    },
  ],
  shards: [
    { shard: 0, node: 'node-a', term: 4, until: ago(-9_000) },
    { shard: 1, node: null, term: 17, until: null },
  ],
});

/** Answers calls of the page in place of the server, until the returned function is called. */
async function answering(page, answers) {
  const routes = Object.entries(answers).map(([url, json]) => [
    new RegExp(url),
    (route) => route.fulfill({ json: json() }),
  ]);
  for (const [url, handler] of routes) await page.route(url, handler);
  return async () => {
    for (const [url, handler] of routes) await page.unroute(url, handler);
  };
}

export const deploymentTests = {
  async 'dispatch through Kafka shows its outbox, rate, leaders and lag, and why jobs wait'(world) {
    const { page, made } = world;
    await open(world, 'workers');
    await page.locator('[data-check=dispatch]').waitFor();
    assert.equal(await page.locator('[data-dispatch]').count(), 0, 'nothing of it where workers poll');
    const why = { reason: 'broker_away', detail: 'No Kafka broker has been reached.', freesWhen: 'it is' };
    const stop = await answering(page, {
      '/v1/dispatch$': dispatched,
      [`/v1/jobs/${made.waitingJob}/why$`]: () => why,
    });
    try {
      await open(world, `jobs/${made.waitingJob}`);
      await page.locator('[data-reason=broker_away]').getByText('No Kafka broker can be reached').waitFor();
      await page.locator('[data-remedy=broker_away]').getByRole('link').click();
      const card = page.locator('section', { hasText: 'Dispatch through Kafka' });
      await card.locator('[data-outbox="10000"]').getByText('10,000+').waitFor();
      await card.locator('[data-lag="35"]').waitFor();
      await card.getByText('1,250 / s').first().waitFor();
      await card.locator('[data-finding=broker_away]').getByText('node-b cannot reach a broker').waitFor();
      await card.locator('[data-finding=held]').getByText('No offers of ship are made').waitFor();
      await card.locator('[data-finding=unowned]').waitFor();
      await card.locator('[data-finding=not_accepted]').waitFor();
      await card.locator('tr[data-row=node-b]').getByText('broker unreachable').first().waitFor();
      const leader = card.getByRole('region', { name: 'Shards' }).locator('tr[data-row="0"]');
      await leader.getByText('node-a').waitFor();
      assert.match(await leader.textContent(), /4/);
      await card.getByRole('link', { name: 'send-mail' }).waitFor();
      await open(world, '');
      await page.locator('[data-finding=broker_away]').waitFor();
    } finally {
      await stop();
    }
  },

  async 'a job type is pinned to a build, a job says so, and is let go'(world) {
    const { page, api } = world;
    const poll = (build) =>
      api.post('/v1/jobs/poll', { workerId: `pin-${build}`, build, jobTypes: ['pinned-type'], maxJobs: 1 });
    await poll('v1');
    await open(world, 'workers');
    const card = page.locator('section', { hasText: 'Build pins' });
    await button(card, 'Pin').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Job type').fill('pinned-type');
    await dialog.getByLabel('Builds').fill('v2, v3');
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText('The job type is pinned.').waitFor();
    await card.locator('tr[data-row]', { hasText: 'pinned-type' }).getByText('v3').waitFor();
    const job = await api.post('/v1/jobs', { jobType: 'pinned-type', data: {} });
    assert.deepEqual((await poll('v1')).jobs, []);
    await open(world, `jobs/${job.id}`);
    await page.locator('[data-reason=no_worker_of_build]').waitFor();
    await button(page, 'Let workers of any build process it').click();
    await page.getByText('The job type is no longer pinned.').waitFor();
    assert.deepEqual((await api.get('/v1/builds')).items, []);
    await work(api, 'pinned-type', () => ({ result: {} }));
  },

  async 'a move to another database shows how far it is, and is given up'(world) {
    const { page } = world;
    await open(world, 'workers');
    await page.locator('[data-check=dispatch]').waitFor();
    assert.equal(await page.locator('[data-move]').count(), 0);
    let phase = 'copying';
    let aborted = 0;
    const move = () => ({
      id: 'mov_1',
      phase,
      to: 'postgres://db.internal/trunkline',
      startedAt: ago(60_000),
      rowsTotal: 2_000_000,
      rowsCopied: 1_500_000,
      ...(phase === 'done' ? { rowsLeft: 120, pausedMs: 1_900 } : {}),
    });
    const requested = {
      id: 'aud_1',
      at: ago(60_000),
      actor: 'key:admin',
      action: 'store.move',
      subject: 'database',
    };
    const stop = await answering(page, {
      '/v1/audit\\?action=store\\.move': () => ({ items: [requested], nextCursor: null }),
      '/v1/moves/last$': move,
      '/v1/moves/last/abort$': () => {
        aborted += 1;
        return { ...move(), phase: 'failed' };
      },
    });
    try {
      await open(world, 'workers');
      const state = page.locator('[data-move=copying]');
      await state.getByText('1,500,000 of 2,000,000').waitFor();
      await state.getByText('key:admin').waitFor();
      await button(page, 'Abort the move').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Abort the move' }).click();
      await page.getByText('The move is being aborted.').waitFor();
      assert.equal(aborted, 1);
      phase = 'done';
      await page.locator('[data-move=done]').getByText('Set database.url to the new database').waitFor();
    } finally {
      await stop();
    }
  },

  async 'payloads of a tenant are encrypted, and its keys are listed'(world) {
    const key = Buffer.alloc(32, 7).toString('base64');
    const server = await startServer(world.binary, { TRUNKLINE_SECRETS__KEYS: `first:${key}` });
    const browser = await openBrowser(server.address);
    try {
      const { page } = browser;
      await client(server.address, server.key).post('/v1/tenants', { name: 'acme' });
      await signIn(page, server.address, server.key);
      await page.goto(`${server.address}/console/tenants/acme`);
      const card = page.locator('section', { hasText: 'Encryption of payloads' });
      await card.locator('[data-encrypted=false]').waitFor();
      await button(card, 'Encrypt payloads').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Encrypt payloads' }).click();
      await card.locator('[data-encrypted=true]').waitFor();
      await card.locator('tr[data-row]').getByText('first').waitFor();
      await button(card, 'New key').click();
      await page.getByRole('dialog').getByRole('button', { name: 'New key' }).click();
      await page.getByText('The tenant has a new key.').waitFor();
      await card.locator('tr[data-row]').nth(1).getByText('decrypts only').waitFor();
      assert.ok(!(await page.content()).includes(key));
      assert.deepEqual(browser.faults, []);
    } finally {
      await browser.close();
      await server.stop();
    }
  },

  async 'attributes that a definition declares are listed, and one is declared beside them'(world) {
    const { page, api } = world;
    await api.post('/v1/workflows', {
      name: 'attributed',
      version: 1,
      attributes: { customerNo: { type: 'integer', value: '${input.customer}' } },
      nodes: [{ id: 'a', type: 'TRANSFORM', output: 1 }],
    });
    const started = await api.post('/v1/executions?wait=true&timeout=10s', {
      workflow: 'attributed',
      input: { customer: 4711 },
    });
    await open(world, 'workflows/attributed');
    const card = page.locator('section', { hasText: 'Searchable attributes' });
    const row = card.locator('tr[data-row=customerNo]');
    await row.locator('[data-source=definition]').waitFor();
    assert.equal(await row.getByRole('button').count(), 0, 'the definition says it');
    await button(card, 'Declare').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('orderNo');
    await dialog.getByLabel('Path').fill('input.orderNo');
    await dialog.getByRole('button', { name: 'Declare', exact: true }).click();
    await page.getByText('The attribute is declared.').waitFor();
    await card.locator('tr[data-row=orderNo]').getByText('input.orderNo').waitFor();
    await card.locator('tr[data-row=orderNo]').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The attribute is no longer declared.').waitFor();
    await row.getByRole('link').click();
    await page.waitForURL(/q=attr\.customerNo/);
    await page.locator(`tr[data-row="${started.id}"]`).waitFor();
  },

  async 'retention is changed for all and for a tenant, and says what applies'(world) {
    const { page, api } = world;
    await open(world, 'settings');
    const card = page.locator('section', { hasText: 'How long finished work is kept' });
    const field = card.getByLabel('Completed jobs Nodes and jobs');
    await field.fill('5d');
    await card.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The retention has been changed.').waitFor();
    await card.getByText('in effect: 7d').waitFor();
    await until('the retention', async () => {
      const { source } = await api.get('/v1/retention');
      return source['workflow-node'].completed === 'deployment';
    });
    await open(world, 'tenants/acme');
    const own = page.locator('section', { hasText: 'How long finished work is kept' });
    await own.getByLabel('Executions', { exact: true }).fill('20d');
    await own.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The retention has been changed.').waitFor();
    assert.equal((await api.get('/v1/tenants/acme/retention')).executions, '20d');
    await api.put('/v1/tenants/acme/retention', { executions: null });
    await api.put('/v1/retention', { 'workflow-node': { completed: null } });
  },
};

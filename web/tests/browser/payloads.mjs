// Large payloads: they come when somebody asks for them, and not before.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { button, open, rows } from './page.mjs';
import { until, work } from './seed.mjs';

const MIB = 1024 * 1024;

/** A value whose JSON is exactly so long, with its last item at the very end. */
function valueOf(bytes) {
  const rows = Array.from({ length: 200 }, (_, n) => ({ n, text: 'x'.repeat(40) }));
  const frame = JSON.stringify({ rows, padding: '', last: 'the end' }).length;
  return { rows, padding: 'y'.repeat(bytes - frame), last: 'the end' };
}

/** The answers of REST calls that the page gets meanwhile: what was asked, and how much came. */
function watch(page) {
  const answers = [];
  const see = async (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith('/v1/') || pathname === '/v1/events') return;
    // At once: the page may show what came before it is read here.
    const answer = { path: pathname, bytes: 0 };
    answers.push(answer);
    answer.bytes = (await response.body().catch(() => '')).length;
  };
  page.on('response', see);
  return { answers, stop: () => page.off('response', see) };
}

export const payloadTests = {
  async 'a payload of 1 MiB is shown in part, whole, and saved, when somebody asks for it'(world) {
    const { page, api } = world;
    const data = valueOf(MIB);
    assert.equal(JSON.stringify(data).length, MIB);
    const job = await api.post('/v1/jobs', { jobType: 'large', data, delay: '1h' });
    const seen = watch(page);
    try {
      await open(world, `jobs/${job.id}`);
      const left = page.locator('[data-omitted=data]');
      await left.getByText('1.0 MiB, not loaded').waitFor();
      await page.waitForLoadState('networkidle').catch(() => undefined);
      assert.deepEqual(
        seen.answers.filter(({ bytes }) => bytes > 64 * 1024),
        [],
      );
      assert.ok(!seen.answers.some(({ path }) => path.endsWith('/data')));
      await button(left, 'Show the beginning').click();
      await left.getByText('The first 16.0 KiB of 1.0 MiB').waitFor();
      const begun = await left.locator('pre').textContent();
      assert.ok(begun.startsWith('{"rows":[{"n":0') && begun.length <= 16 * 1024 + 1, `${begun.length}`);
      const download = page.waitForEvent('download');
      await left.getByRole('link', { name: 'Download' }).click();
      const saved = await download;
      assert.equal(saved.suggestedFilename(), `${job.id}-data.json`);
      assert.deepEqual(JSON.parse(readFileSync(await saved.path(), 'utf8')), data);
      await button(left, 'Load all').click();
      await page.getByRole('group', { name: 'Data' }).getByText('"the end"').waitFor();
      await left.waitFor({ state: 'detached' });
    } finally {
      seen.stop();
    }
    await api.post(`/v1/jobs/${job.id}/cancel`);
  },

  async 'large inputs and outputs of an execution come when they are chosen, and its rerun has them'(world) {
    const { page, api } = world;
    await api.post('/v1/workflows', {
      name: 'bulky',
      version: 1,
      nodes: [
        { id: 'make', type: 'SERVICE_TASK', jobType: 'make-bulky', input: '${input}' },
        { id: 'count', type: 'TRANSFORM', dependsOn: ['make'], output: '${size(nodes.make.output.rows)}' },
      ],
    });
    const input = valueOf(200 * 1024);
    const small = { ...valueOf(30 * 1024), small: true };
    const { id } = await api.post('/v1/executions', { workflow: 'bulky', input });
    await work(api, 'make-bulky', () => ({ result: small }));
    await until(
      'the execution to complete',
      async () => (await api.get(`/v1/executions/${id}`)).status === 'COMPLETED',
    );
    const seen = watch(page);
    try {
      await open(world, `executions/${id}`);
      await page.locator('[data-omitted=input]').getByText('200.0 KiB, not loaded').waitFor();
      await page.getByText('"count": 200').or(page.getByText('count: 200')).first().waitFor();
      assert.deepEqual(
        seen.answers.filter(({ bytes }) => bytes > 64 * 1024),
        [],
      );
      // What a node returned is read with the node, unless it is large.
      await page.locator('.react-flow__node', { hasText: 'make' }).click();
      await page.getByRole('group', { name: 'Output' }).getByText('small').first().waitFor();
      assert.ok(seen.answers.some(({ path }) => path.endsWith('/nodes/make/output')));
      assert.ok(!seen.answers.some(({ path }) => path.endsWith('/nodes/make/input')));
    } finally {
      seen.stop();
    }
    await button(page, 'Rerun from a node').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From node').selectOption('count');
    await dialog.getByText('"rows": [').first().waitFor();
    await dialog.getByRole('button', { name: 'Rerun from a node', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    const again = new URL(page.url()).pathname.split('/').at(-1);
    await until(
      'the rerun to complete',
      async () => (await api.get(`/v1/executions/${again}`)).status === 'COMPLETED',
    );
    assert.deepEqual((await api.get(`/v1/executions/${again}`)).input, input);
  },

  async 'a large body of a delivery is shown in part, byte by byte, whole, and saved, when somebody asks for it'(
    world,
  ) {
    const { page, api } = world;
    const data = valueOf(300 * 1024);
    const { deliveryId } = await api.post('/v1/events', { name: 'large.came', data });
    const seen = watch(page);
    try {
      await open(world, `deliveries/${deliveryId}`);
      const left = page.locator('[data-omitted=body]');
      await left.getByText(/^300\.\d KiB, not loaded$/).waitFor();
      await page.waitForLoadState('networkidle').catch(() => undefined);
      assert.deepEqual(
        seen.answers.filter(({ bytes }) => bytes > 64 * 1024),
        [],
      );
      assert.ok(!seen.answers.some(({ path }) => path.endsWith('/body')));
      await button(left, 'Show the beginning').click();
      await left.getByText(/^The first 16\.0 KiB of 300\.\d KiB$/).waitFor();
      await page.getByRole('tab', { name: 'Bytes' }).click();
      await page.getByText('00003ff0').waitFor();
      const download = page.waitForEvent('download');
      await left.getByRole('link', { name: 'Download' }).click();
      const saved = await download;
      assert.equal(saved.suggestedFilename(), `${deliveryId}-body`);
      const body = readFileSync(await saved.path(), 'utf8');
      assert.deepEqual(JSON.parse(body), (await bodyOf(api, deliveryId)).data);
      await button(left, 'Load all').click();
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByRole('group', { name: 'Body' }).getByText('"the end"').waitFor();
      await left.waitFor({ state: 'detached' });
    } finally {
      seen.stop();
    }
  },

  async 'a user task comes with its input when it is opened, and with a large one when somebody asks for it'(
    world,
  ) {
    const { page, api } = world;
    await api.post('/v1/workflows', {
      name: 'reads-much',
      version: 1,
      nodes: [{ id: 'read', type: 'USER_TASK', group: 'readers', input: '${input}' }],
    });
    const { id } = await api.post('/v1/executions', { workflow: 'reads-much', input: valueOf(200 * 1024) });
    await until('the task', async () => {
      const { items } = await api.get(`/v1/user-tasks?execution=${id}`);
      return items.length === 1;
    });
    const seen = watch(page);
    try {
      await open(world, `user-tasks?execution=${id}`);
      await rows(page, 1);
      const asked = seen.answers.filter(({ path }) => path.startsWith('/v1/user-tasks'));
      assert.deepEqual(
        asked.map(({ path }) => path).filter((path) => path !== '/v1/user-tasks'),
        [],
        'a list reads no single task',
      );
      assert.ok(asked.every(({ bytes }) => bytes < 4 * 1024));
      await button(page, 'Open').click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('[data-omitted=input]').getByText('200.0 KiB, not loaded').waitFor();
      assert.ok(!seen.answers.some(({ path }) => path.endsWith('/input')));
      await button(dialog, 'Load all').click();
      await dialog.getByRole('group', { name: 'Input' }).getByText('"the end"').waitFor();
      await button(dialog, 'Complete').click();
      await page.getByText('The task is completed.').waitFor();
    } finally {
      seen.stop();
    }
    await until('its end', async () => (await api.get(`/v1/executions/${id}`)).status === 'COMPLETED');
  },
};

/** The body of a delivery of an event, whole. */
async function bodyOf(api, id) {
  const { body } = await api.get(`/v1/deliveries/${id}`);
  return { data: JSON.parse(body) };
}

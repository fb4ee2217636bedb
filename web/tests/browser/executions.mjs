// Executions: attempts and zoom on the timeline, replay of the history, what a rerun takes over.
import assert from 'node:assert/strict';
import { button, open } from './page.mjs';
import { client, until, work } from './seed.mjs';

/** An execution whose node `charge` fails once and then completes. */
async function retried(api) {
  const started = await api.post('/v1/executions', { workflow: 'order', input: { orderId: 'R-1' } });
  await work(api, 'check-stock', () => ({ result: { available: true } }));
  await work(api, 'charge-card', () => ({ error: { message: 'the line is busy' }, retryable: true }));
  await work(api, 'charge-card', () => ({ result: { id: 'ch_2' } }));
  await until('the node to complete', async () => {
    const { items } = await api.get(`/v1/executions/${started.id}/nodes`);
    return items.find((node) => node.nodeId === 'charge')?.status === 'COMPLETED';
  });
  return started.id;
}

export const executionTests = {
  async 'the timeline shows each attempt, and a drag zooms in'(world) {
    const { page, api } = world;
    const id = await retried(api);
    await open(world, `executions/${id}?view=timeline&node=charge`);
    await page.locator('[data-attempt="2"]').waitFor();
    assert.match(await page.locator('[data-attempt="1"]').getAttribute('title'), /^attempt 1: /);
    const line = await page.locator('[data-brush]').boundingBox();
    const width = () => page.locator('[data-attempt="2"]').evaluate((bar) => parseFloat(bar.style.left));
    const before = await width();
    await page.mouse.move(line.x + 1, line.y + line.height / 2);
    await page.mouse.down();
    await page.mouse.move(line.x + line.width / 2, line.y + line.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => /zoom=0\.\d+-0\.\d+/.test(location.search));
    assert.notEqual(await width(), before);
    await button(page, 'Full range').click();
    await page.waitForFunction(() => !location.search.includes('zoom='));
    await button(page, 'Zoom to the selected node').click();
    await page.waitForFunction(() => location.search.includes('zoom='));
    await api.post(`/v1/executions/${id}/cancel`, {});
  },

  async 'a finished execution is replayed entry by entry, and the moment is in the address'(world) {
    const { page, made } = world;
    await open(world, `executions/${made.failedExecution}`);
    await button(page, 'Replay').click();
    const steps = page.getByRole('group', { name: 'Steps' });
    await steps.getByText('Before the first entry.').waitFor();
    await button(steps, 'Next').click();
    await steps.getByText('execution started').waitFor();
    await button(steps, 'Next').click();
    await steps.getByText(/: pending → running/).waitFor();
    await page.waitForFunction(() => location.search.includes('step=2'));
    await page.reload();
    await page.locator('[data-step="2"]').waitFor();
    const total = await steps.getByLabel('Step', { exact: true }).getAttribute('max');
    await steps.getByLabel('Step', { exact: true }).fill(total);
    await steps.getByText('failed', { exact: true }).waitFor();
  },

  async 'an execution that a node started opens in place on the timeline'(world) {
    const { page, api } = world;
    const { id } = await api.post('/v1/executions', { workflow: 'delivery', input: {} });
    await until('its end', async () => (await api.get(`/v1/executions/${id}`)).status === 'COMPLETED');
    const { items: children } = await api.get(`/v1/executions?parent=${id}`);
    await open(world, `executions/${id}?view=timeline`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByRole('button', { name: /^courier/ }).waitFor();
    assert.equal(await timeline.getByRole('button', { name: /^book/ }).count(), 0);
    await button(timeline, `Nodes of ${children[0].id}`).click();
    await timeline.getByRole('button', { name: /^book/ }).click();
    await page.waitForURL(new RegExp(`/executions/${children[0].id}\\?.*node=book`));
  },

  async 'an execution of a workflow that its tenant owns shows that one, and leads to it'(world) {
    const { page, api, address } = world;
    const definition = (step) => ({
      name: 'own-way',
      version: 1,
      nodes: [{ id: step, type: 'TRANSFORM', output: 1 }],
    });
    const { key } = await api.post('/v1/api-keys', { name: 'of-acme', role: 'operator', tenant: 'acme' });
    const acme = client(address, key);
    await api.post('/v1/workflows', definition('shared-step'));
    await acme.post('/v1/workflows', definition('own-step'));
    const { id } = await acme.post('/v1/executions', { workflow: 'own-way', input: {} });
    const ends = (one) =>
      until('its end', async () => (await api.get(`/v1/executions/${one}`)).status === 'COMPLETED');
    await ends(id);
    await open(world, `executions/${id}`);
    const drawn = page.locator('.react-flow__node', { hasText: 'own-step' });
    await drawn.waitFor();
    await page.locator('main dl').getByRole('link', { name: 'own-way v1' }).click();
    await page.waitForURL(/\/workflows\/own-way\?version=1&tenant=acme/);
    await drawn.waitFor();
    await button(page, 'Run').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('For the tenant acme.').waitFor();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/\/executions\/exe_/);
    const again = new URL(page.url()).pathname.split('/').at(-1);
    await ends(again);
    assert.equal((await api.get(`/v1/executions/${again}`)).tenant, 'acme');
    await open(world, 'workflows/own-way');
    await page.locator('.react-flow__node', { hasText: 'shared-step' }).waitFor();
  },

  async 'whoever follows a long execution sees what runs'(world) {
    const { page, api } = world;
    const steps = Array.from({ length: 40 }, (_, n) => `step-${n}`);
    await api.post('/v1/workflows', {
      name: 'long-way',
      version: 1,
      nodes: steps.map((id, n) => ({
        id,
        type: n < 20 ? 'TRANSFORM' : 'SIGNAL',
        ...(n < 20 ? { output: n } : { signal: id, timeout: '1h' }),
        ...(n > 0 ? { dependsOn: [steps[n - 1]] } : {}),
      })),
    });
    const { id } = await api.post('/v1/executions', { workflow: 'long-way', input: {} });
    await open(world, `executions/${id}?follow=on`);
    const graph = page.getByRole('group', { name: 'Graph' }).first();
    const inSight = async (name) => {
      await page.waitForURL(new RegExp(`node=${name}(&|$)`));
      const node = graph.locator('.react-flow__node', { hasText: new RegExp(`^${name}SIGNAL`) });
      await until(`${name} in sight`, async () => {
        const [own, whole] = [await node.boundingBox(), await graph.boundingBox()];
        const isInside = own.x >= whole.x && own.x + own.width <= whole.x + whole.width;
        return isInside && own.width > 100;
      });
    };
    await inSight('step-20');
    await api.post(`/v1/executions/${id}/signals/step-20`, {});
    await inSight('step-21');
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page
      .getByRole('region', { name: 'Timeline' })
      .getByRole('button', { name: /^step-21/ })
      .waitFor();
    await api.post(`/v1/executions/${id}/cancel`, {});
  },

  async 'a rerun says which results it takes over'(world) {
    const { page, made } = world;
    await open(world, `executions/${made.failedExecution}`);
    await button(page, 'Rerun from a node').click();
    await page.getByLabel('From node').selectOption('charge');
    await page.locator('[data-preview=kept]').getByText('stock').waitFor();
    await page.locator('[data-preview=again]').getByText('charge').waitFor();
    await page.locator('[data-preview=again]').getByText('ship').waitFor();
    await page.getByLabel('From node').selectOption('stock');
    await page.locator('[data-preview=kept]').getByText('none').waitFor();
    // The input is checked against what the workflow takes while it is typed.
    await page.getByRole('textbox', { name: 'Input' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"orderId":7}');
    await page.locator('[data-dialog] .cm-lintRange-error').first().waitFor();
    await page.keyboard.press('Escape');
  },

  async 'the overview says what holds queued jobs'(world) {
    const { page, api } = world;
    await api.post('/v1/jobs', { jobType: 'nobody-takes-this', data: {} });
    await open(world, '');
    await page
      .locator('[data-held=workflow-node]')
      .getByText(/[1-9]\d* without a worker/)
      .waitFor();
  },

  async 'a history of 50,000 entries is scrolled and replayed without drawing or reading it again'(world) {
    const { page, made } = world;
    const [count, size] = [50_000, 500];
    const start = Date.parse('2026-11-01T00:00:00Z');
    const entry = (index) => ({
      position: index + 1,
      at: new Date(start + index * 10).toISOString(),
      kind: index % 2 === 0 ? 'node_started' : 'node_completed',
      nodeId: `item[${index >> 1}]`,
    });
    const asked = [];
    const address = new RegExp(`/v1/executions/${made.failedExecution}/events`);
    await page.route(address, (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
      asked.push(from);
      const items = Array.from({ length: Math.min(size, count - from) }, (_, n) => entry(from + n));
      const end = from + items.length;
      return route.fulfill({ json: { items, ...(end < count ? { nextCursor: String(end) } : {}) } });
    });
    try {
      await open(world, `executions/${made.failedExecution}?view=events`);
      const list = page.getByRole('region', { name: 'Events' });
      await list.getByText('item[0]').first().waitFor();
      assert.equal(asked.length, 1, 'only what is seen is read');
      await button(page, 'To the end').click();
      await page.locator('[data-entries="50000"]').waitFor({ timeout: 60_000 });
      await list.getByText('item[24999]').first().waitFor();
      const drawn = await list.locator('li').count();
      assert.ok(drawn < 120, `${drawn} rows are drawn`);
      const before = asked.length;
      assert.ok(before <= 102, `${before} pages were read`);
      const slowest = await list.evaluate(async (box) => {
        let longest = 0;
        for (let step = 0; step < 40; step += 1) {
          box.scrollTop = (box.scrollHeight * ((step * 17) % 40)) / 40;
          const from = performance.now();
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          longest = Math.max(longest, performance.now() - from);
        }
        return longest;
      });
      assert.ok(slowest < 5_000, `a jump took ${slowest} ms`);
      await list.getByText('node completed').first().waitFor();
      assert.equal(asked.length, before, 'nothing is read again');
      await list
        .getByRole('button', { name: /^item\[\d+\]$/ })
        .first()
        .click();
      await page.waitForFunction(() => location.search.includes('node=item'));
      await open(world, `executions/${made.failedExecution}?step=49999`);
      await page.locator('[data-step="49999"]').waitFor({ timeout: 60_000 });
      await button(page, 'Next').click();
      await page.getByText('50000 of 50000').waitFor();
    } finally {
      await page.unroute(address);
    }
  },

  async 'all items of a map are found page by page, and one behind those that are listed is opened'(world) {
    const { page, api } = world;
    const count = 1_200;
    const item = { type: 'SERVICE_TASK', jobType: 'double-item', input: { n: '${item}' } };
    const each = { id: 'each', type: 'MAP', items: '${input.list}', concurrency: count, node: item };
    await api.post('/v1/workflows', { name: 'many-items', version: 1, nodes: [each] });
    const list = Array.from({ length: count }, (_, n) => n);
    const { id } = await api.post('/v1/executions', { workflow: 'many-items', input: { list } });
    const poll = { workerId: 'seed-worker', jobTypes: ['double-item'], maxJobs: 400, wait: '1s' };
    let left = count;
    await until('all items', async () => {
      const { jobs } = await api.post('/v1/jobs/poll', poll);
      const reports = jobs.map(({ id, leaseToken, data }) => ({ id, leaseToken, result: data.n * 2 }));
      if (reports.length > 0) await api.post('/v1/jobs/complete', { jobs: reports });
      left -= reports.length;
      return left <= 0;
    });
    await until('its end', async () => (await api.get(`/v1/executions/${id}`)).status === 'COMPLETED');
    const { items } = await api.get(`/v1/executions/${id}/nodes?items=true`);
    const listed = new Set(items.map(({ nodeId }) => nodeId));
    assert.equal(listed.size, 1_001, 'the list of nodes is bounded');
    const behind = list.find((n) => !listed.has(`each[${n}]`));
    await open(world, `executions/${id}?node=each`);
    const found = page.getByRole('region', { name: 'Settled items' });
    await page.locator('[data-items="500"]').waitFor();
    await until('all pages', async () => {
      await found.evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
      return page.locator(`[data-items="${count}"]`).count();
    });
    const drawn = await found.locator('li').count();
    assert.ok(drawn < 80, `${drawn} items are drawn`);
    await open(world, `executions/${id}?node=${encodeURIComponent(`each[${behind}]`)}`);
    await page
      .locator('section', { hasText: `each[${behind}]` })
      .first()
      .waitFor();
    await page
      .locator('section', { hasText: String(behind * 2) })
      .first()
      .waitFor();
    await open(world, `executions/${id}?view=chain`);
    const chain = page.getByRole('region', { name: 'Chain' });
    await chain.getByText('select a node to list its own').waitFor();
    await button(chain, 'Show 100 more of 901').click();
    await button(chain, 'Show 100 more of 801').waitFor();
  },

  async 'an execution is copied as an incident, also over plain HTTP'(world) {
    const { page, made } = world;
    await open(world, `executions/${made.failedExecution}?node=charge`);
    await page.locator('.react-flow__node').first().waitFor();
    // Over plain HTTP there is no clipboard: what is selected is copied.
    await page.evaluate(() => {
      Object.defineProperty(window, 'isSecureContext', { get: () => false });
      document.addEventListener('copy', () => {
        window.copied = document.activeElement.value;
      });
    });
    await button(page.locator('main header'), 'Copy').last().click();
    await page.getByRole('menuitem', { name: 'as incident' }).click();
    await page.waitForFunction(() => window.copied);
    const text = await page.evaluate(() => window.copied);
    assert.match(text, /^## order v2: FAILED\n/);
    assert.ok(text.includes(`[${made.failedExecution}](${page.url()})`), text);
    assert.match(text, /\| charge \| SERVICE_TASK \| FAILED \| 1 \| .*card declined.*\|/);
    assert.ok(!text.includes('A-1002'), 'payloads stay where they are');
  },
};

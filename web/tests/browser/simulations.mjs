// Dry runs on the server, in a browser and in Node: all three must say the same, step by step.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { open } from './page.mjs';

const ASSETS = new URL('../../dist/assets/', import.meta.url);
const built = (start, end) =>
  existsSync(ASSETS) && readdirSync(ASSETS).find((name) => name.startsWith(start) && name.endsWith(end));
/** The module, where the machine that built the console could build it. It is there in compressed forms only. */
const COMPRESSED = built('simulation-', '.wasm.br');
const MODULE = COMPRESSED && COMPRESSED.replace(/\.br$/, '');
const WORKER = built('simulation-worker-', '.js');

const NOW = '2026-03-29T00:30:00.000Z';
/** What whoever waits is given; later rounds get the later ones. */
const OUTPUTS = [
  { ok: true, id: 'ch_1', text: 'Grüße', amount: 12.5, big: 9007199254740991, list: [1, 2.0, 'x'] },
  { items: [{ id: 1 }, { id: 2 }], count: 0.1, status: 200, body: { done: true } },
  null,
];
const STEPS_MAX = 8;

/** Those of docs/workflows.md, which are also run for real, and some that are refused. */
function definitions() {
  const text = readFileSync(new URL('../../../docs/workflows.md', import.meta.url), 'utf8');
  const found = text
    .split(/^<!-- example: /m)
    .slice(1)
    .map((part) => ({
      name: part.slice(0, part.indexOf(' ')),
      definition: /```yaml\n([\s\S]*?)```/.exec(part)[1],
      input: JSON.parse(/```json input\n([\s\S]*?)```/.exec(part)?.[1] ?? '{}'),
    }));
  assert.ok(found.length > 20, `${found.length} examples`);
  const node = (more) => ({ name: 'w', version: 1, nodes: [{ id: 'a', type: 'TRANSFORM', ...more }] });
  return [
    ...found,
    {
      name: 'numbers',
      definition:
        'name: numbers\nversion: 1\nnodes:\n  - {id: a, type: TRANSFORM, output: {d: "${1.0 / 3.0}", i: "${7 / 2}", e: "${input.e * 3.0}"}}\n',
      input: { e: 0.1 },
    },
    { name: 'as JSON', definition: node({ output: { x: '${input.x}' } }), input: { x: 1 } },
    { name: 'no such node', definition: node({ output: 1 }), input: {}, results: { b: [{ output: 1 }] } },
    { name: 'no definition', definition: node({ output: '${' }), input: {} },
    {
      name: 'two outcomes',
      definition: node({ output: 1 }),
      input: {},
      results: { a: [{ output: 1, timesOut: true }] },
    },
    { name: 'NUL', definition: node({ output: 1 }), input: { x: '\u0000' } },
    { name: 'too deep', definition: node({ output: 1 }), input: nested(64) },
    { name: 'deep', definition: node({ output: '${input}' }), input: nested(63) },
  ];
}

const nested = (levels) => (levels === 1 ? {} : { a: nested(levels - 1) });

/** What a run is given next, to whatever it waits for: outputs, or where `ends` says so an error or a timeout. */
function next({ results, signals }, waits, ends, step) {
  const output = OUTPUTS[step % OUTPUTS.length];
  for (const { nodeId, awaits, signal } of waits) {
    if (awaits === 'signal' && ends === 'output') signals.push({ name: signal, payload: output });
    else {
      const isJob = awaits === 'result' || awaits === 'child';
      const failure = isJob
        ? { error: { message: 'no', code: 'declined', details: { n: 1.5 } } }
        : { timesOut: true };
      results[nodeId] = [...(results[nodeId] ?? []), ends === 'output' ? { output, after: '90s' } : failure];
    }
  }
}

async function onServer(world, body) {
  const response = await fetch(`${world.address}/v1/workflows/simulate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  assert.equal(response.status, 422, JSON.stringify(answer));
  return null;
}

function inNode() {
  const module = new WebAssembly.Module(brotliDecompressSync(readFileSync(new URL(COMPRESSED, ASSETS))));
  assert.deepEqual(WebAssembly.Module.imports(module), [], 'it needs nothing from outside');
  const { exports } = new WebAssembly.Instance(module);
  return (request) => {
    const bytes = Buffer.from(request);
    const at = exports.request(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    const length = exports.simulate();
    return Buffer.from(exports.memory.buffer, exports.answer(), length).toString();
  };
}

export const simulationTests = {
  async 'dry runs say the same on the server, in Node and in the browser'(world) {
    if (!MODULE) {
      console.log('      this machine cannot build WebAssembly: nothing to compare');
      return;
    }
    const { page, address } = world;
    await open(world, 'workflows');
    const boot = JSON.parse(await page.locator('#boot').textContent());
    const node = inNode();
    await page.evaluate((name) => {
      const worker = new window.Worker(new URL(`assets/${name}`, document.baseURI), { type: 'module' });
      window.dryRun = (ask) =>
        new Promise((done, failed) => {
          worker.onmessage = (event) => done(event.data ?? '');
          worker.onerror = failed;
          worker.postMessage(ask);
        });
    }, WORKER);
    const url = `${address}/console/assets/${MODULE}`;
    let [runs, refused] = [0, 0];
    for (const { name, definition, input, results = {} } of definitions()) {
      for (const ends of ['output', 'failure']) {
        const given = { results: structuredClone(results), signals: [] };
        for (let step = 0; step < STEPS_MAX; step += 1) {
          const body = { definition, input, ...given, now: NOW };
          const request = JSON.stringify({ ...body, tenant: 'default', limits: boot.simulation });
          const said = await onServer(world, body);
          const here = node(request);
          assert.equal(await page.evaluate((ask) => window.dryRun(ask), { url, request }), here, name);
          assert.deepEqual(here === '' ? null : JSON.parse(here), said, `${name}, ${ends}, step ${step}`);
          runs += 1;
          if (said === null) refused += 1;
          if (!said || said.waitingFor.length === 0) break;
          next(given, said.waitingFor, ends, step);
        }
      }
    }
    assert.ok(runs > 100, `${runs} runs`);
    assert.ok(refused >= 2 * 5, 'what the server refuses, the browser leaves to it');
    console.log(`      ${runs} runs compared`);
  },

  async 'a dry run sends nothing, and shows where it was calculated'(world) {
    const { page } = world;
    const sent = [];
    const see = (request) => request.method() !== 'GET' && sent.push(request.url());
    await open(world, 'workflows/order?view=dry-run');
    await page.getByRole('heading', { name: 'stock is waiting' }).waitFor();
    page.on('request', see);
    try {
      await page.getByRole('button', { name: 'Complete it' }).click();
      await page.getByRole('heading', { name: 'charge is waiting' }).waitFor();
      await page.locator(`[data-simulated-by=${MODULE ? 'browser' : 'server'}]`).waitFor();
      assert.equal(sent.filter((url) => url.endsWith('/simulate')).length, MODULE ? 0 : 1);
      // What is refused, the server explains.
      await page.getByRole('textbox', { name: 'Results' }).click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('{"nobody":[]}');
      await page.getByRole('button', { name: 'Start dry run' }).click();
      await page.getByRole('alert').getByText('the workflow has no node nobody').first().waitFor();
    } finally {
      page.off('request', see);
    }
  },
};

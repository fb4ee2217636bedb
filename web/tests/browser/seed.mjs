// Fills a store through the public interface, so that every page of the console has something to show.

/** A client of the REST interface. */
export function client(base, key) {
  const send = async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string';
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': isText ? 'application/yaml' : 'application/json' }),
        ...headers,
      },
      body: body === undefined || isText ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 600)}`);
    return text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body) => send('PUT', path, body),
    delete: (path) => send('DELETE', path),
  };
}

/** Asks until an answer satisfies a condition. */
export async function until(what, ask, timeoutMs = 60_000) {
  const end = Date.now() + timeoutMs;
  let last;
  while (Date.now() < end) {
    last = await ask();
    if (last) return last;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** Waits while the hour ends soon: what is shown of this hour has to happen in it. */
export const hourThatLasts = () =>
  until('an hour that lasts', () => 3_600 - ((Date.now() / 1_000) % 3_600) > 60, 90_000);

/** Takes jobs of a type and answers each. */
export async function work(api, jobType, answer, count = 1) {
  let left = count;
  await until(`${count} jobs of ${jobType}`, async () => {
    const { jobs } = await api.post('/v1/jobs/poll', {
      workerId: 'seed-worker',
      jobTypes: [jobType],
      maxJobs: left,
      wait: '1s',
    });
    for (const job of jobs) {
      const report = answer(job);
      const call = 'error' in report ? '/v1/jobs/fail' : '/v1/jobs/complete';
      await api.post(call, { jobs: [{ id: job.id, leaseToken: job.leaseToken, ...report }] });
    }
    left -= jobs.length;
    return left <= 0;
  });
}

const ORDER_1 = `
name: order
version: 1
input: {type: object, required: [orderId], properties: {orderId: {type: string, title: Order}}}
nodes:
  - {id: stock, type: SERVICE_TASK, jobType: check-stock, input: {order: "\${input.orderId}"}}
`;

const ORDER_2 = `
name: order
version: 2
input:
  type: object
  required: [orderId]
  properties:
    orderId: {type: string, title: Order, examples: ["A-1001"]}
    total: {type: number, title: Total, default: 250}
    express: {type: boolean, title: Express}
nodes:
  - {id: stock, type: SERVICE_TASK, jobType: check-stock, input: {order: "\${input.orderId}"}}
  - {id: charge, type: SERVICE_TASK, jobType: charge-card, dependsOn: [stock], input: {order: "\${input.orderId}"}, retryCount: 1}
  - id: approve
    type: USER_TASK
    dependsOn: [stock]
    group: finance
    form:
      type: object
      required: [ok]
      properties:
        ok: {type: boolean, title: Approve the order}
        comment: {type: string, title: Comment}
    timeout: 3d
  - {id: pick, type: TRANSFORM, dependsOn: [charge, approve], output: {order: "\${input.orderId}"}}
  - {id: paid, type: SIGNAL, dependsOn: [pick], signal: payment-received, timeout: 24h}
  - {id: ship, type: SERVICE_TASK, jobType: ship-parcel, dependsOn: [paid], input: {order: "\${input.orderId}"}}
output: {order: "\${input.orderId}"}
`;

const REPORT = `
name: nightly-report
version: 1
nodes:
  - {id: collect, type: TRANSFORM, output: {rows: 12}}
  - {id: render, type: TRANSFORM, dependsOn: [collect], output: {pages: "\${nodes.collect.output.rows}"}}
`;

const COURIER = `
name: courier
version: 1
nodes:
  - {id: book, type: TRANSFORM, output: {number: "B-7"}}
`;

/** Starts with an event, calls the server itself, and starts another workflow. */
const delivered = (address) => `
name: delivery
version: 1
nodes:
  - {id: probe, type: HTTP, request: {method: GET, url: "${address}/healthz"}, timeout: 10s}
  - {id: courier, type: WORKFLOW, workflow: courier, dependsOn: [probe], input: {}}
output: {booked: "\${nodes.courier.output}"}
`;

/** Makes what the pages show, and answers the ids that tests need. */
export async function seed(api, address) {
  for (const definition of [ORDER_1, ORDER_2, REPORT, COURIER, delivered(address)])
    await api.post('/v1/workflows', definition);
  const paid = { file: 'orders.py', line: 31, column: 20 };
  await api.put('/v1/workflows/order/versions/2/source', { nodes: { paid } });
  await api.post('/v1/tenants', { name: 'acme' });
  const viewer = await api.post('/v1/api-keys', { name: 'dashboard', role: 'viewer' });
  const made = await seedJobs(api);
  const executions = await seedExecutions(api);
  const schedule = await api.post('/v1/schedules', {
    name: 'nightly',
    workflow: 'nightly-report',
    cron: '30 2 * * *',
    timezone: 'Europe/Berlin',
    misfire: 'latest',
    catchUpWindow: '1h',
    overlap: 'skip',
  });
  await api.post('/v1/schedules', {
    name: 'every-quarter',
    workflow: 'nightly-report',
    cron: '*/15 * * * *',
    timezone: 'UTC',
    catchUpWindow: '1h',
    paused: true,
  });
  await api.post(`/v1/schedules/${schedule.id}/run`);
  const webhook = await seedWebhooks(api);
  return { viewerKey: viewer.key, schedule: schedule.id, webhook, ...made, ...executions };
}

async function seedJobs(api) {
  const jobs = [];
  for (let n = 0; n < 6; n++)
    jobs.push({
      jobType: 'send-mail',
      data: { to: `person${n}@example.org`, template: 'welcome' },
      tags: ['mail'],
    });
  await api.post('/v1/jobs/batch', { jobs });
  await work(api, 'send-mail', (job) => ({ result: { sent: job.data.to } }), 6);
  await api.post('/v1/jobs', { jobType: 'resize-image', data: { image: 'a.png', pixels: 1 }, delay: '2h' });
  const bodies = [
    ['import-csv', 'disk 7 is full', 3],
    ['import-csv', 'column "total" is missing', 1],
  ];
  for (const [jobType, message, count] of bodies) {
    for (let n = 0; n < count; n++) {
      await api.post('/v1/jobs', {
        jobType,
        data: { customer: { id: 120 + n }, file: `${n}.csv`, rows: 3 },
        tenant: n === 1 ? 'acme' : 'default',
      });
    }
    await work(api, jobType, () => ({ error: { message, code: 'import_failed' }, retryable: false }), count);
  }
  // The number is larger than JavaScript's numbers are exact.
  const big =
    '{"jobType":"index-page","data":{"id":9007199254740993123,"text":"a\\u001bb"},"priority":"low"}';
  const waiting = await api.post('/v1/jobs', big, { 'content-type': 'application/json' });
  return { waitingJob: waiting.id };
}

async function seedExecutions(api) {
  const start = (orderId, workflow = 'order') =>
    api.post('/v1/executions', { workflow, input: { orderId, total: 250 }, tags: ['shop'] });
  const first = await start('A-1001');
  await work(api, 'check-stock', () => ({ result: { available: true } }));
  await work(api, 'charge-card', () => ({ result: { id: 'ch_1' } }));
  const failing = await start('A-1002');
  await work(api, 'check-stock', () => ({ result: { available: true } }));
  await work(api, 'charge-card', () => ({ error: { message: 'card declined' }, retryable: false }));
  await api.post('/v1/executions?wait=true&timeout=10s', { workflow: 'nightly-report', input: {} });
  return { waitingExecution: first.id, failedExecution: failing.id };
}

async function seedWebhooks(api) {
  const webhook = await api.post('/v1/webhooks', {
    name: 'shop-events',
    provider: 'hmac',
    secrets: ['a-secret-of-the-shop-01'],
    scheme: { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', signedContent: '{body}' },
    triggers: [{ workflow: 'nightly-report', filter: 'body.kind == "report"' }],
  });
  return webhook.id;
}

// The console in a real browser against the real binary. Usage: node run.mjs [parts of names of tests, separated by |]
// SCREENSHOTS=folder keeps a picture of every page.
import { openBrowser, signIn } from './browser.mjs';
import { client, seed } from './seed.mjs';
import { startServer } from './server.mjs';
import { causeTests } from './causes.mjs';
import { databaseTests } from './database.mjs';
import { deploymentTests } from './deployment.mjs';
import { executionTests } from './executions.mjs';
import { figureTests } from './figures.mjs';
import { formTests } from './forms.mjs';
import { issueTests } from './issues.mjs';
import { limitTests } from './limits.mjs';
import { listTests } from './lists.mjs';
import { operateTests } from './operate.mjs';
import { everyPage } from './pages.mjs';
import { payloadTests } from './payloads.mjs';
import { peopleTests } from './people.mjs';
import { signInTests } from './sign-in.mjs';
import { simulationTests } from './simulations.mjs';
import { tests } from './tests.mjs';
import { visitTests } from './visits.mjs';

const BINARY = process.env.TRUNKLINE ?? new URL('../../../target/debug/trunkline', import.meta.url).pathname;
const wanted = (process.argv[2] ?? '').split('|').filter(Boolean);

const ALL = {
  ...tests,
  ...issueTests,
  ...listTests,
  ...operateTests,
  ...causeTests,
  ...executionTests,
  ...formTests,
  ...simulationTests,
  ...payloadTests,
  ...figureTests,
  ...limitTests,
  ...deploymentTests,
  ...visitTests,
  ...databaseTests,
  ...peopleTests,
  ...signInTests,
};

const server = await startServer(BINARY);
const failed = [];

async function check(name, run) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) return;
  const started = Date.now();
  try {
    await run();
    console.log(`ok    ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    failed.push(name);
    console.log(
      `FAILS ${name} (${Date.now() - started} ms)\n      ${String(error.stack ?? error).replaceAll('\n', '\n      ')}`,
    );
  }
}

try {
  const api = client(server.address, server.key);
  const made = await seed(api, server.address);
  const admin = await openBrowser(server.address);
  const world = { ...server, binary: BINARY, api, made, admin, page: admin.page };
  // The first test signs in; without it the others need a session.
  if (wanted.length > 0) await signIn(admin.page, server.address, server.key);
  for (const [name, run] of Object.entries(ALL)) await check(name, () => run(world));
  await check('no console error and no request off the origin', () => {
    if (admin.faults.length > 0) throw new Error(admin.faults.join('\n'));
  });
  await admin.close();
  await everyPage({ server, api, made, check });
} finally {
  await server.stop();
}
console.log(failed.length === 0 ? 'all good' : `${failed.length} failed:\n  ${failed.join('\n  ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

// Starts the real binary on an empty store and ports of its own, and ends it by its process.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READY_MS = 60_000;
/** Alerts are looked at often, HTTP nodes may call this machine, the environment has a name, and worker time a price. */
const SETTINGS = {
  RUST_LOG: 'warn',
  TRUNKLINE_ALERTS__EVALUATE_EVERY: '1s',
  TRUNKLINE_EGRESS__ALLOW: '127.0.0.1',
  TRUNKLINE_CONSOLE__ENVIRONMENT: 'staging',
  TRUNKLINE_CONSOLE__COLOR: '#b45309',
  TRUNKLINE_CONSOLE__WORKER_HOUR_PRICE: '0.5',
  TRUNKLINE_CONSOLE__CURRENCY: 'EUR',
};

/** The binary, ready to answer: its address, its admin key, its folder, what it said, and how to end it. */
export async function startServer(binary, extra = {}, port = 0, database = '') {
  const folder = mkdtempSync(join(tmpdir(), 'console-store-'));
  const key = 'tl_browser_tests_0123456789_0123456789';
  const process_ = spawn(
    binary,
    [
      'serve',
      '--http',
      `127.0.0.1:${port}`,
      '--grpc',
      '127.0.0.1:0',
      '--metrics',
      '127.0.0.1:0',
      '--database-url',
      database || `sqlite://${join(folder, 'store.db')}`,
    ],
    {
      env: { ...process.env, TRUNKLINE_BOOTSTRAP_KEY: key, ...SETTINGS, ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  const address = await new Promise((found, failed) => {
    const timer = setTimeout(() => failed(new Error(`the server was not ready in time:\n${said}`)), READY_MS);
    const read = (chunk) => {
      said += chunk;
      const match = /REST\s+http:\/\/(\S+)\s/.exec(said);
      if (match) {
        clearTimeout(timer);
        found(`http://${match[1]}`);
      }
    };
    process_.stdout.on('data', read);
    process_.stderr.on('data', read);
    process_.on('exit', (code) => failed(new Error(`the server ended with ${code}:\n${said}`)));
  });
  const stop = async () => {
    // One that has ended by itself does not say so again.
    if (process_.exitCode === null && process_.signalCode === null) {
      const ended = new Promise((done) => process_.once('exit', done));
      process_.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, key, folder, said: () => said, stop };
}

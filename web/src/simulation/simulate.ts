import { call, type Call, type Schemas } from '../api/client';
import { boot } from '../boot';
import { parseJson, writeJson, type Json } from '../lib/json';
import type { Ask } from './simulation-worker';

type Simulation = Schemas['Simulation'];

export interface Simulated {
  simulation: Simulation;
  /** Where it was calculated. */
  by: 'browser' | 'server';
}

export interface DryRun {
  /** What the server knows the definition by. */
  of: { workflow: string; version: number };
  /** The definition with the digits of its numbers. */
  definition: unknown;
  input: Json;
  results: Json;
  signals: Json;
  tenant: string;
}

/** Longer runs are left to the server. */
const WAIT_MS = 15_000;

const built = import.meta.glob<string>('./built/*.wasm', { query: '?url', import: 'default', eager: true });
/** Where the module is; nothing where the machine that built the console could not build it. */
const url = Object.values(built)[0];

let worker: Worker | null = null;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a definition without running it: in this browser, and where that cannot say what comes out, on the server. That is
 * asked about everything that is refused, too: its words and its limits hold.
 */
export async function simulate(run: DryRun): Promise<Simulated> {
  const { of, definition, input, results, signals, tenant } = run;
  const here = await inBrowser({ definition, input, results, signals, tenant });
  if (here) return { simulation: here, by: 'browser' };
  const body = { ...of, input, results, signals } as unknown as Call<
    '/v1/workflows/simulate',
    'post'
  >['body'];
  const simulation = await call('post', '/v1/workflows/simulate', { body: body! });
  return { simulation, by: 'server' };
}

async function inBrowser(run: Omit<DryRun, 'of'>): Promise<Simulation | null> {
  if (!url || !boot.simulation || typeof Worker === 'undefined') return null;
  const request = writeJson({ ...run, now: new Date().toISOString(), limits: boot.simulation });
  const address = new URL(url, document.baseURI).href;
  const mine = last.then(() => ask({ url: address, request }));
  last = mine;
  const answer = await mine;
  return answer === null ? null : (parseJson(answer) as unknown as Simulation);
}

/** One run at a time. Never fails: null where the worker cannot say. */
function ask(what: Ask): Promise<string | null> {
  return new Promise((done) => {
    const asked = (worker ??= new Worker(new URL('./simulation-worker.ts', import.meta.url), {
      type: 'module',
    }));
    const end = (answer: string | null, isBroken: boolean) => {
      clearTimeout(timer);
      asked.onmessage = asked.onerror = null;
      if (isBroken) {
        asked.terminate();
        worker = null;
      }
      done(answer);
    };
    const timer = setTimeout(() => end(null, true), WAIT_MS);
    asked.onmessage = (event: MessageEvent<string | null>) => end(event.data, false);
    asked.onerror = (event) => {
      event.preventDefault();
      end(null, true);
    };
    asked.postMessage(what);
  });
}

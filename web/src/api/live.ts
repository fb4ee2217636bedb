import type { Query, QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { addressOf, type Schemas } from './client';
import { preferences, setPreference, subscribePreferences } from '../app/preferences';

type Change = Schemas['ChangeEvent'];
type State = 'live' | 'paused' | 'connecting';

/** Changes within this time are read again together. */
const GATHER_MS = 700;

const AGAIN_MS = 5_000;

/** Changes that come while answers are on their way are read after them, or after so long where one does not come. */
const ANSWERS_WITHIN_MS = 5_000;

/** Which queries a change makes stale, by the beginning of their path. */
const AFFECTED: Record<string, string[]> = {
  queue: [
    '/v1/queues',
    '/v1/jobs',
    '/v1/dead-letters',
    '/v1/workers',
    '/v1/batches',
    '/v1/deliveries',
    '/v1/webhooks/{id}/deliveries',
  ],
  'job.logged': ['/v1/jobs/{id}/logs', '/v1/executions/{id}/logs'],
  alert: ['/v1/alerts'],
  execution: ['/v1/executions', '/v1/user-tasks', '/v1/schedules/{id}/runs'],
  settings: [
    '/v1/limits',
    '/v1/tenants',
    '/v1/workflows',
    '/v1/schedules',
    '/v1/webhooks',
    '/v1/triggers',
    '/v1/alerts',
    '/v1/api-keys',
    '/v1/queues',
    '/v1/rates',
    '/v1/builds',
    '/v1/retention',
    '/v1/job-types',
  ],
};

let source: EventSource | null = null;
let client: QueryClient | null = null;
let state: State = 'connecting';
/** Since when nothing was heard although somebody listens; null while all is well. */
let awaySince: number | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
let again: ReturnType<typeof setTimeout> | null = null;
let isReading = false;
/** What has changed since it was last read. */
interface Gathered {
  prefixes: Set<string>;
  executions: Set<string>;
  /** Whether changes were missed, so that everything may be stale. */
  all: boolean;
}
const nothing = (): Gathered => ({ prefixes: new Set(), executions: new Set(), all: false });
let gathered = nothing();
const listeners = new Set<() => void>();

/** The prefixes of what a change makes stale; all where changes were missed. */
export function affectedBy(change: Pick<Change, 'kind'>): string[] | 'all' {
  return AFFECTED[change.kind] ?? 'all';
}

function show(next: State): void {
  state = next;
  awaySince = next === 'connecting' ? (awaySince ?? Date.now()) : null;
  listeners.forEach((listener) => listener());
}

function take(change: Change): void {
  const affected = affectedBy(change);
  if (affected === 'all') gathered.all = true;
  else affected.forEach((prefix) => gathered.prefixes.add(prefix));
  if (change.executionId) gathered.executions.add(change.executionId);
  refreshSoon();
}

/** Reading again cancels what is under way: where that is slower than changes come, nothing would ever be shown. */
function refreshSoon(): void {
  if (!isReading) timer ??= setTimeout(() => void refresh(), GATHER_MS);
}

async function refresh(): Promise<void> {
  timer = null;
  const changes = gathered;
  gathered = nothing();
  if (preferences().paused || document.hidden) return;
  isReading = true;
  const late = new Promise((done) => setTimeout(done, ANSWERS_WITHIN_MS));
  await Promise.race([readAgain(changes), late]);
  isReading = false;
  if (gathered.all || gathered.prefixes.size > 0) refreshSoon();
}

/**
 * Whether a query is read again. What is frozen keeps its rows, unless it never had any because the server was away: whoever opened
 * a list meanwhile gets it as soon as the server is back.
 */
export function isReadAgain(
  { queryKey, meta, state: read }: Pick<Query, 'queryKey' | 'meta' | 'state'>,
  { all, prefixes, executions }: Gathered,
): boolean {
  const [path, call] = queryKey as [string, { path?: { id?: string } }?];
  if (meta?.['frozen'] === true) return all && read.status === 'error' && read.data === undefined;
  if (all) return true;
  const prefix = [...prefixes].find((candidate) => path.startsWith(candidate));
  if (prefix === undefined) return false;
  // A page of one execution is read again for changes of that execution only.
  if (prefix === '/v1/executions' && call?.path?.id) return executions.has(call.path.id);
  return true;
}

/** Reads again what is shown and has changed. */
async function readAgain(changes: Gathered): Promise<void> {
  await client?.invalidateQueries({ predicate: (query) => isReadAgain(query, changes) });
}

function open(): void {
  close();
  if (preferences().paused || document.hidden) {
    show('paused');
    return;
  }
  show('connecting');
  source = new EventSource(addressOf('/v1/events'));
  source.onopen = () => {
    show('live');
    // What changed while nobody listened is unknown.
    gathered.all = true;
    refreshSoon();
  };
  source.onerror = () => {
    show('connecting');
    // Browsers connect again by themselves, unless something else answered, such as a proxy without its server.
    if (source?.readyState === EventSource.CLOSED) again ??= setTimeout(open, AGAIN_MS);
  };
  for (const kind of [...Object.keys(AFFECTED), 'resync']) {
    source.addEventListener(kind, (event) =>
      take(JSON.parse((event as MessageEvent<string>).data) as Change),
    );
  }
}

function close(): void {
  if (again) clearTimeout(again);
  again = null;
  source?.close();
  source = null;
}

/** Listens for changes until the returned function is called. Hidden tabs do not. */
export function listen(queries: QueryClient): () => void {
  client = queries;
  open();
  let wasPaused = preferences().paused;
  const unsubscribe = subscribePreferences(() => {
    if (preferences().paused !== wasPaused) {
      wasPaused = preferences().paused;
      open();
    }
  });
  document.addEventListener('visibilitychange', open);
  return () => {
    unsubscribe();
    document.removeEventListener('visibilitychange', open);
    close();
  };
}

/** Since when the server has not been reached; null while it is, and while nobody listens. */
export function useAwaySince(): number | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => awaySince,
  );
}

/** Whether changes are being listened for. */
export function useLive(): { state: State; toggle: () => void } {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
  return { state: current, toggle: () => setPreference('paused', !preferences().paused) };
}

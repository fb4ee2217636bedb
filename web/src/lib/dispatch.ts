/** A job type for which no offers are made. */
interface HeldType {
  jobType: string;
  reason: string;
  since: string;
}

/** The state of dispatch, as far as it is judged here. */
export interface DispatchState {
  draining: boolean;
  nodes: { name: string; relay: boolean; brokerAwaySince?: string | null; heldTypes?: HeldType[] }[];
  shards: { node?: string | null }[];
  offers: { lag: number; oldestAt?: string | null };
}

/** What keeps jobs from getting to workers, and since when where that is known. */
export type Finding =
  | { kind: 'draining' | 'no_relay' }
  | { kind: 'broker_away'; node: string; since: string }
  | { kind: 'unowned' | 'more_held'; count: number }
  | ({ kind: 'held' } & HeldType)
  | { kind: 'not_accepted'; since: string };

/** Offers that stand for longer than this without being accepted are worth a look: workers accept within a moment. */
const ACCEPT_MS = 15_000;

/** So many held types are named. */
const HELD_MAX = 3;

/** What is wrong with dispatch, the most general first; nothing where jobs get to workers. */
export function findingsOf(state: DispatchState, now: number): Finding[] {
  const found: Finding[] = [];
  if (state.draining) found.push({ kind: 'draining' });
  const relays = state.nodes.filter(({ relay }) => relay);
  if (relays.length === 0) found.push({ kind: 'no_relay' });
  for (const { name, brokerAwaySince } of relays)
    if (brokerAwaySince) found.push({ kind: 'broker_away', node: name, since: brokerAwaySince });
  const held = relays
    .flatMap(({ heldTypes }) => heldTypes ?? [])
    .sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
  for (const one of held.slice(0, HELD_MAX)) found.push({ kind: 'held', ...one });
  if (held.length > HELD_MAX) found.push({ kind: 'more_held', count: held.length - HELD_MAX });
  const unowned = state.shards.filter(({ node }) => !node).length;
  if (relays.length > 0 && unowned > 0) found.push({ kind: 'unowned', count: unowned });
  const { lag, oldestAt } = state.offers;
  if (lag > 0 && oldestAt && now - Date.parse(oldestAt) > ACCEPT_MS)
    found.push({ kind: 'not_accepted', since: oldestAt });
  return found;
}

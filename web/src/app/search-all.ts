import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call, type Call } from '../api/client';
import { useMe } from '../api/me';
import type { IconName } from '../components/icons';
import { quotedValue } from '../lib/query';
import { t } from '../messages/en';

/** A page, or a list with filters. */
export interface Found {
  to: string;
  search?: Record<string, string>;
  label: string;
  icon: IconName;
  /** How many there are. */
  detail?: string;
}

/** Names as people choose them. Shorter texts match too much, and longer ones are no names. */
const TEXT = /^[\p{L}\p{N} ._:/@+-]{3,100}$/u;
const PAUSE_MS = 250;
const NAMES_SHOWN = 5;
/** Beyond so many, nobody needs the number to choose a list, and counting all would take long. */
const COUNTED_MAX = 10;

type List = '/v1/jobs' | '/v1/executions' | '/v1/dead-letters' | '/v1/deliveries';

interface Source {
  list: List;
  /** The page of the list, and the view of it that is searched. */
  to: string;
  view?: string;
  needs: string;
  icon: IconName;
  /** What is searched for the text; with `isPrefix` as the beginning of a value. */
  key: string;
  isPrefix?: boolean;
}

const JOBS = { list: '/v1/jobs', to: '/jobs', needs: 'jobs.read', icon: 'jobs' } as const;
const EXECUTIONS = {
  list: '/v1/executions',
  to: '/executions',
  needs: 'executions.read',
  icon: 'executions',
} as const;
const LETTERS = {
  list: '/v1/dead-letters',
  to: '/dead-letters',
  view: 'list',
  needs: 'deadLetters.read',
  icon: 'dead',
} as const;
const SOURCES: Source[] = [
  { ...JOBS, key: 'jobType', isPrefix: true },
  { ...JOBS, key: 'uniqueKey' },
  { ...JOBS, key: 'tag' },
  { ...EXECUTIONS, key: 'workflow', isPrefix: true },
  { ...EXECUTIONS, key: 'correlationId' },
  { ...EXECUTIONS, key: 'tag' },
  { ...LETTERS, key: 'jobType', isPrefix: true },
  {
    list: '/v1/deliveries',
    to: '/deliveries',
    needs: 'deliveries.read',
    icon: 'deliveries',
    key: 'eventType',
    isPrefix: true,
  },
];

/** Things with a name and a page of their own. */
const NAMED = [
  { list: '/v1/workflows', needs: 'workflows.read', icon: 'workflows', to: '/workflows/', by: 'name' },
  { list: '/v1/schedules', needs: 'schedules.read', icon: 'schedules', to: '/schedules/', by: 'id' },
  { list: '/v1/webhooks', needs: 'webhooks.read', icon: 'webhooks', to: '/webhooks/', by: 'id' },
  { list: '/v1/tenants', needs: 'tenants.read', icon: 'tenants', to: '/tenants/', by: 'name' },
] as const;

/** What all lists have for a text: names that hold it, and how much of each list is of it. */
export function useSearchAll(text: string): Found[] {
  const can = useMe()?.can ?? [];
  const wanted = useSettled(text.trim());
  const isSearched = TEXT.test(wanted);
  const { data } = useQuery({
    queryKey: ['search-all', wanted],
    queryFn: async ({ signal }) => {
      const named = NAMED.filter(({ needs }) => can.includes(needs)).map((source) =>
        namesIn(source, wanted, signal),
      );
      const counted = SOURCES.filter(({ needs }) => can.includes(needs)).map((source) =>
        countIn(source, wanted, signal),
      );
      return (await Promise.all([...named, ...counted])).flat();
    },
    enabled: isSearched,
    staleTime: 10_000,
    meta: { frozen: true },
  });
  return isSearched && wanted === text.trim() ? (data ?? []) : [];
}

async function namesIn(source: (typeof NAMED)[number], text: string, signal: AbortSignal): Promise<Found[]> {
  const { items } = (await call('get', source.list, { query: { limit: 500 }, signal })) as {
    items: { id?: string; name: string }[];
  };
  const found = items.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return found.slice(0, NAMES_SHOWN).map(({ id, name }) => ({
    to: source.to + encodeURIComponent(source.by === 'id' ? (id ?? '') : name),
    label: name,
    icon: source.icon,
    detail: t.palette.kinds[source.icon],
  }));
}

/** Nothing where there is none, or where the list does not take the text. */
async function countIn(source: Source, text: string, signal: AbortSignal): Promise<Found[]> {
  const value = quotedValue(text);
  const q = `${source.key}:${source.isPrefix && value === text ? `${text}*` : value}`;
  const request = { query: { q, limit: COUNTED_MAX + 1 }, signal } as unknown as Call<List, 'get'>;
  const { length } = (await call('get', source.list, request).catch(() => ({ items: [] }))).items;
  if (length === 0) return [];
  return [
    {
      to: source.to,
      search: { ...(source.view ? { view: source.view } : {}), q },
      label: `${t.palette.kinds[source.icon] ?? ''} · ${q}`,
      icon: source.icon,
      detail: t.list.count(Math.min(length, COUNTED_MAX), length <= COUNTED_MAX),
    },
  ];
}

/** A text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

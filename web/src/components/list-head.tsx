import { useState, type ReactNode } from 'react';
import type { PathsWith } from '../api/client';
import { useCount } from '../api/count';
import { toastError, type LiveList } from '../api/hooks';
import { useFilters } from '../app/filters';
import { exportRows } from '../lib/export';
import { t } from '../messages/en';
import { Button } from './basics';

const RANGES = ['now-15m', 'now-1h', 'now-24h', 'now-7d', 'now-30d'];

interface ListHeadProps {
  path: PathsWith<'get'>;
  query: Record<string, string | undefined>;
  /** The rows below, where the list can be ordered, counted and limited to a time. */
  list?: LiveList<unknown>;
  /** The name of the exported file. */
  name: string;
  children?: ReactNode;
}

/** What stands above the rows of a list: how many there are, of which time and in which order, and the way out as a file. */
export function ListHead({ path, query, list, name, children }: ListHeadProps) {
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
      {children}
      <span className="flex-1" />
      {list && <Count path={path} query={query} list={list} />}
      {list && <Range />}
      {list && <Order />}
      <Export path={path} query={query} name={name} />
    </div>
  );
}

function Count({ path, query, list }: Required<Pick<ListHeadProps, 'path' | 'query' | 'list'>>) {
  const count = useCount(path, query, list);
  return (
    <span className="nums text-[13px] text-soft" data-count={count?.value}>
      {count ? t.list.count(count.value, count.exact) : ''}
    </span>
  );
}

function Range() {
  const [filters, change] = useFilters();
  const from = filters['from'] ?? '';
  const isOwn = from !== '' && !RANGES.includes(from);
  return (
    <select
      aria-label={t.list.range}
      className="field w-auto py-0.5 text-[13px]"
      value={from}
      onChange={(event) => change({ from: event.target.value || undefined })}
    >
      <option value="">{t.list.anyTime}</option>
      {RANGES.map((range) => (
        <option key={range} value={range}>
          {t.list.ranges[range]}
        </option>
      ))}
      {isOwn && <option value={from}>{t.list.since(from)}</option>}
    </select>
  );
}

function Order() {
  const [filters, change] = useFilters();
  return (
    <select
      aria-label={t.list.order}
      className="field w-auto py-0.5 text-[13px]"
      value={filters['order'] ?? 'desc'}
      onChange={(event) => change({ order: event.target.value === 'asc' ? 'asc' : undefined })}
    >
      <option value="desc">{t.list.newest}</option>
      <option value="asc">{t.list.oldest}</option>
    </select>
  );
}

function Export({ path, query, name }: Pick<ListHeadProps, 'path' | 'query' | 'name'>) {
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await exportRows(path, query, name);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button small look="quiet" busy={busy} title={t.list.exportHint} onClick={() => void run()}>
      {t.list.export}
    </Button>
  );
}

import type { Schemas } from '../../api/client';
import { useAct, useAll } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Card, Empty, Failed, Loading, PageHead } from '../../components/basics';
import { CopyButton } from '../../components/copy';
import { ConfirmButton } from '../../components/dialog';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { Time, useNow } from '../../components/time';
import { matches, type Facts } from '../../lib/match';
import { t } from '../../messages/en';
import { Processes } from './processes';

type Worker = Schemas['Worker'];

/** A worker that was not seen for longer than this has probably gone. */
const GONE_MS = 60_000;

const COLUMNS: Column<Worker>[] = [
  { id: 'seen', head: t.workers.state, cell: (worker) => <Alive worker={worker} /> },
  {
    id: 'id',
    head: t.workers.worker,
    cell: (worker) => (
      <span className="flex items-center gap-1">
        <span className="max-w-64 truncate font-mono max-sm:max-w-28 text-[13px]" title={worker.id}>
          {worker.id}
        </span>
        <CopyButton text={worker.id} />
      </span>
    ),
  },
  {
    id: 'kind',
    head: t.workers.kind,
    from: 'sm',
    cell: (worker) => t.workers.kinds[worker.kind] ?? worker.kind,
  },
  {
    id: 'build',
    head: t.workers.build,
    from: 'sm',
    cell: (worker) =>
      worker.build ? <span className="font-mono text-[13px]">{worker.build}</span> : <Unknown />,
  },
  {
    id: 'types',
    head: t.workers.types,
    from: 'md',
    cell: (worker) => (
      <span className="flex flex-wrap gap-1">
        {worker.jobTypes.map((type) => (
          <Tag key={type}>{type}</Tag>
        ))}
      </span>
    ),
  },
  {
    id: 'leased',
    head: t.workers.leased,
    align: 'right',
    cell: (worker) => (
      <span className="nums whitespace-nowrap" title={t.workers.slotsHint}>
        {worker.leased > 0 ? (
          <Go to="/jobs" search={{ workerId: worker.id, status: 'PROCESSING' }}>
            {worker.leased}
          </Go>
        ) : (
          0
        )}
        {typeof worker.slots === 'number' && <span className="text-soft"> / {worker.slots}</span>}
      </span>
    ),
  },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (worker) => worker.tenant ?? t.common.all },
  {
    id: 'first',
    head: t.workers.first,
    from: 'lg',
    align: 'right',
    cell: (worker) => <Time at={worker.firstSeenAt} />,
  },
  { id: 'last', head: t.workers.last, align: 'right', cell: (worker) => <Time at={worker.lastSeenAt} /> },
  {
    id: 'drain',
    head: <span className="sr-only">{t.workers.drain}</span>,
    align: 'right',
    cell: (worker) => <Drain worker={worker} />,
  },
];

function Unknown() {
  return <span className="text-soft">–</span>;
}

/** Lets a worker finish what it has and end. Pools of the server end with the server. */
function Drain({ worker }: { worker: Worker }) {
  const mayDrain = useCan('workers.drain');
  const drain = useAct('post', '/v1/workers/{id}/drain', { done: t.workers.drained });
  if (!mayDrain || worker.kind !== 'external' || worker.draining) return null;
  return (
    <ConfirmButton
      small
      label={t.workers.drain}
      title={t.workers.drainTitle(worker.id)}
      body={t.workers.drainBody}
      busy={drain.isPending}
      onConfirm={() =>
        drain.mutate({
          path: { id: worker.id },
          ...(worker.tenant ? { query: { tenant: worker.tenant } as never } : {}),
        })
      }
    />
  );
}

/** How many workers run each build, where they say it: a release is rolled out when one is left. */
function Builds({ workers }: { workers: Worker[] }) {
  const since = useNow() - GONE_MS;
  const counts = new Map<string, number>();
  for (const { kind, build, lastSeenAt } of workers)
    if (kind === 'external' && Date.parse(lastSeenAt) > since)
      counts.set(build ?? '', (counts.get(build ?? '') ?? 0) + 1);
  if (counts.size === 0 || (counts.size === 1 && counts.has(''))) return null;
  return (
    <p className="mb-3 flex flex-wrap items-center gap-2" data-builds={counts.size}>
      <span className="text-soft">{t.workers.builds}</span>
      {[...counts].map(([build, count]) => (
        <Tag key={build} tone={counts.size > 1 ? 'warn' : 'ok'}>
          {t.workers.buildCount(build || t.workers.noBuild, count)}
        </Tag>
      ))}
    </p>
  );
}

type State = 'active' | 'draining' | 'silent';

const STATES: Record<State, { label: string; tone: 'ok' | 'warn' }> = {
  active: { label: t.workers.alive, tone: 'ok' },
  draining: { label: t.workers.draining, tone: 'warn' },
  silent: { label: t.workers.gone, tone: 'warn' },
};

function stateOf(worker: Worker, now: number): State {
  if (now - Date.parse(worker.lastSeenAt) > GONE_MS) return 'silent';
  return worker.draining ? 'draining' : 'active';
}

function Alive({ worker }: { worker: Worker }) {
  const { label, tone } = STATES[stateOf(worker, useNow())];
  return <Tag tone={tone}>{label}</Tag>;
}

const FIELDS: FilterField[] = [
  { name: 'state', label: t.workers.state, values: Object.keys(STATES) },
  { name: 'workerId', label: t.workers.worker },
  { name: 'kind', label: t.workers.kind, values: Object.keys(t.workers.kinds) },
  { name: 'jobType', label: t.workers.type },
  { name: 'build', label: t.workers.build },
  { name: 'tenant', label: t.jobs.tenant },
];
const NAMES = FIELDS.map(({ name }) => name);

/** A worker whose key is bound to no tenant works for each. */
function factsOf(worker: Worker, now: number, tenant: string | undefined): Facts {
  const { id, kind, jobTypes, build } = worker;
  const own = worker.tenant ?? tenant;
  return { state: stateOf(worker, now), workerId: id, kind, jobType: jobTypes, build, tenant: own };
}

export function Page() {
  const { items: all, error } = useAll('/v1/workers', {}, { every: 5_000 });
  const [filters] = useFilters();
  const query = pick(filters, NAMES);
  const now = useNow();
  const items = all?.filter((worker) => matches(factsOf(worker, now, query['tenant']), query, NAMES));
  return (
    <>
      <PageHead title={t.workers.title} intro={t.workers.intro} />
      <FilterBar fields={FIELDS} list="workers" />
      {error && !items && <Failed error={error} />}
      {!items && !error && <Loading />}
      {items && <Builds workers={items} />}
      {items && (
        <Card flush>
          {items.length === 0 ? (
            <Empty title={t.workers.empty}>
              {all?.length ? t.workers.emptyFiltered(all.length) : t.workers.emptyBody}
            </Empty>
          ) : (
            <Table label={t.workers.title} rows={items} columns={COLUMNS} idOf={(worker) => worker.id} />
          )}
        </Card>
      )}
      <Processes />
    </>
  );
}

import { useParams } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { pick, useFilters } from '../../app/filters';
import { Card, Empty, FactList, Loading, Mono, PageHead } from '../../components/basics';
import { CopyMenu, Id } from '../../components/copy';
import { Go } from '../../components/go';
import { JsonView } from '../../components/json-view';
import { ObjectFailed } from '../../components/object-failed';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Tabs } from '../../components/tabs';
import { Time } from '../../components/time';
import { cli } from '../../lib/commands';
import { pageOfId, shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { Bar, BatchActions, useBatch } from './progress';
import { AuditSlice } from '../system/audit-entry';

type Batch = Schemas['Batch'];
type Item = Schemas['BatchItem'];

const LIST = { to: '/batches', label: t.bulk.listTitle };

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { batch, error } = useBatch(id);
  if (error && !batch) return <ObjectFailed error={error} name={id} list={LIST} />;
  if (!batch) return <Loading />;
  return (
    <>
      <PageHead
        crumbs={LIST}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {t.bulk.kinds[batch.kind] ?? batch.kind}{' '}
            <Status status={batch.status} label={t.bulk.statuses[batch.status] ?? batch.status} />
          </span>
        }
        intro={<Id id={batch.id} />}
      >
        <BatchActions batch={batch} />
        <CopyMenu json={batch} path={`/v1/batches/${batch.id}`} command={cli('batch', 'items', batch.id)} />
      </PageHead>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <div className="min-w-0 space-y-4">
          <Figures batch={batch} />
          <Items id={batch.id} />
        </div>
        <div className="min-w-0 space-y-4">
          <Card title={t.job.facts}>
            <FactList
              facts={[
                [t.audit.actor, <Mono key="a">{batch.actor}</Mono>],
                [t.jobs.tenant, batch.tenant ?? t.common.all],
                [t.bulk.reason, batch.reason],
                [
                  t.bulk.because,
                  batch.statusReason && (t.bulk.statusReasons[batch.statusReason] ?? batch.statusReason),
                ],
                [t.job.created, <Time key="c" at={batch.createdAt} full />],
                [t.job.completed, batch.finishedAt && <Time at={batch.finishedAt} full />],
              ]}
            />
          </Card>
          <Card title={t.bulk.request}>
            <JsonView value={batch.request} label={t.bulk.request} />
          </Card>
          <AuditSlice subject={batch.id} />
        </div>
      </div>
    </>
  );
}

function Figures({ batch }: { batch: Batch }) {
  const figures: [string, number, string][] = [
    [t.bulk.outcomes['done']!, batch.done, 'text-ok'],
    [t.bulk.outcomes['failed']!, batch.failed, 'text-bad'],
    [t.bulk.outcomes['skipped']!, batch.skipped, ''],
    [t.bulk.pending, batch.pending, 'text-busy'],
    [t.bulk.endedBadly, batch.endedBadly, 'text-bad'],
    [t.bulk.total, batch.total, ''],
  ];
  return (
    <Card>
      <div className="mb-3 flex">
        <Bar batch={batch} />
      </div>
      <dl className="grid grid-cols-3 gap-3 sm:grid-cols-6">
        {figures.map(([label, value, tone]) => (
          <div key={label}>
            <dt className="text-[13px] text-soft">{label}</dt>
            <dd className={`nums text-xl font-semibold ${value > 0 ? tone : 'text-soft'}`}>
              {value.toLocaleString('en')}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function IdLink({ id }: { id: string }) {
  const page = pageOfId(id);
  const text = <Mono>{shortId(id)}</Mono>;
  return page ? (
    <Go to={page} title={id}>
      {text}
    </Go>
  ) : (
    text
  );
}

const COLUMNS: Column<Item>[] = [
  { id: 'id', head: t.bulk.object, cell: (item) => <IdLink id={item.id} /> },
  {
    id: 'outcome',
    head: t.bulk.outcome,
    cell: (item) => <Status status={item.outcome} label={t.bulk.outcomes[item.outcome] ?? item.outcome} />,
  },
  { id: 'result', head: t.bulk.result, cell: (item) => item.resultId && <IdLink id={item.resultId} /> },
  {
    id: 'error',
    head: t.job.error,
    from: 'md',
    cell: (item) => <span className="text-bad">{item.error}</span>,
  },
  { id: 'at', head: t.audit.at, from: 'sm', align: 'right', cell: (item) => <Time at={item.at} /> },
];

/** What became of each object. */
function Items({ id }: { id: string }) {
  const [filters, change] = useFilters();
  const query = pick(filters, ['outcome']);
  const list = useLiveList('/v1/batches/{id}/items', {
    path: { id },
    query: query as never,
    idOf: (item) => item.id,
  });
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">{t.bulk.items}</h2>
        <Tabs
          label={t.bulk.outcome}
          tabs={[
            ['', t.common.all],
            ['done', t.bulk.outcomes['done']!],
            ['failed', t.bulk.outcomes['failed']!],
            ['skipped', t.bulk.outcomes['skipped']!],
          ]}
          value={query.outcome ?? ''}
          onChange={(outcome) => change({ outcome: outcome || undefined })}
        />
      </div>
      <List
        label={t.bulk.items}
        list={list}
        columns={COLUMNS}
        idOf={(item) => item.id}
        empty={<Empty title={t.bulk.noItems}>{t.bulk.noItemsBody}</Empty>}
      />
    </section>
  );
}

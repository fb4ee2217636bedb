import { useParams } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { setPreference } from '../../app/preferences';
import { Button, Card, PageHead } from '../../components/basics';
import { DeclaredAttributes } from '../../components/declared';
import { Go } from '../../components/go';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { toast } from '../../components/toasts';
import { duration } from '../../lib/time';
import { QUEUES } from '../../lib/words';
import { t } from '../../messages/en';
import { AuditSlice } from '../system/audit-entry';
import { OfTenant } from '../system/own-limits';
import { RetentionCard } from '../system/retention';
import { Encryption } from './encryption';
import { Secrets } from './secrets';
import { Usage } from './usage';
import { Work } from './work';

const EVERY_MS = 5_000;

export function Page() {
  const { name = '' } = useParams({ strict: false }) as { name?: string };
  const narrow = () => {
    setPreference('tenant', name);
    toast({ title: t.tenants.narrowed(name), tone: 'ok' });
  };
  return (
    <>
      <PageHead
        crumbs={{ to: '/tenants', label: t.tenants.title }}
        title={name}
        intro={
          <span className="flex flex-wrap gap-x-4">
            {(
              [
                ['/jobs', t.nav.jobs],
                ['/executions', t.nav.executions],
                ['/dead-letters', t.nav.deadLetters],
                ['/deliveries', t.nav.deliveries],
              ] as const
            ).map(([to, label]) => (
              <Go key={to} to={to} search={{ tenant: name }}>
                {label}
              </Go>
            ))}
          </span>
        }
      >
        <Button onClick={narrow}>{t.tenants.narrow}</Button>
      </PageHead>
      <div className="grid gap-4 xl:grid-cols-2">
        <div className="min-w-0 space-y-4">
          <Work tenant={name} />
          <Usage tenant={name} />
          <Card title={t.tenants.load} flush>
            <Load tenant={name} />
          </Card>
          <TopErrors tenant={name} />
        </div>
        <div className="min-w-0 space-y-4">
          <Card title={t.tenants.limits} flush>
            <OfTenant tenant={name} />
          </Card>
          <Encryption tenant={name} />
          <Secrets tenant={name} />
          <DeclaredAttributes
            scope={{ of: '/v1/tenants/{tenant}/attributes', path: { tenant: name } }}
            to="/jobs"
            search={{ tenant: name }}
          />
          <RetentionCard tenant={name} />
          <AuditSlice subject={name} />
        </div>
      </div>
    </>
  );
}

/** What of each queue is this tenant's, and why what waits does not start. */
function Load({ tenant }: { tenant: string }) {
  return (
    <div className="thin-scroll overflow-x-auto" tabIndex={0} role="region" aria-label={t.tenants.load}>
      <table className="nums w-full text-right">
        <thead>
          <tr className="border-b border-line text-[13px] text-soft">
            <th scope="col" className="py-1.5 pl-4 text-left font-medium">
              {t.tenants.queue}
            </th>
            {[
              t.tenants.processing,
              t.tenants.queued,
              t.tenants.startable,
              t.tenants.held,
              t.tenants.noWorker,
              t.tenants.oldest,
            ].map((label) => (
              <th key={label} scope="col" className="px-2 font-medium last:pr-4">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {QUEUES.map((queue) => (
            <LoadRow key={queue} tenant={tenant} queue={queue} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LoadRow({ tenant, queue }: { tenant: string; queue: string }) {
  const { data } = useGet(
    '/v1/queues/{queue}/scaling',
    { path: { queue }, query: { tenant } },
    { every: EVERY_MS },
  );
  const figures: (number | undefined)[] = [
    data?.processing,
    data?.queued,
    data?.startable,
    data?.heldByLimit,
    data?.noWorker,
  ];
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="py-1.5 pl-4 text-left font-normal">
        <Go to="/jobs" search={{ queue, tenant }}>
          {t.queues[queue] ?? queue}
        </Go>
      </th>
      {figures.map((figure, index) => (
        <td key={index} className={`px-2 ${figure ? '' : 'text-soft'}`}>
          {figure?.toLocaleString('en') ?? '–'}
        </td>
      ))}
      <td className="pr-4 pl-2">{duration(data?.oldestAgeMs)}</td>
    </tr>
  );
}

type Group = Schemas['DeadLetterGroup'];
const SHOWN = 8;

/** The errors of which this tenant has the most dead letters. */
function TopErrors({ tenant }: { tenant: string }) {
  const { data } = useGet('/v1/dead-letters/groups', { query: { tenant, limit: 100 } });
  const groups = [...(data?.items ?? [])].sort((a, b) => b.count - a.count).slice(0, SHOWN);
  const columns: Column<Group>[] = [
    {
      id: 'error',
      head: t.job.error,
      cell: (group) => (
        <Go
          to="/dead-letters"
          search={{ view: 'list', fingerprint: group.fingerprint, tenant }}
          className="line-clamp-1 font-mono text-[13px] break-all text-bad hover:underline"
        >
          {group.error.message}
        </Go>
      ),
    },
    { id: 'type', head: t.jobs.type, from: 'sm', cell: (group) => group.jobType },
    { id: 'count', head: t.dead.count, align: 'right', cell: (group) => <strong>{group.count}</strong> },
    { id: 'last', head: t.dead.last, align: 'right', cell: (group) => <Time at={group.lastAt} /> },
  ];
  return (
    <Card title={t.tenants.errors} flush>
      {groups.length === 0 ? (
        <p className="p-4 text-soft">{t.tenants.noErrors}</p>
      ) : (
        <Table
          label={t.tenants.errors}
          rows={groups}
          columns={columns}
          idOf={(group) => group.fingerprint + group.jobType}
        />
      )}
    </Card>
  );
}

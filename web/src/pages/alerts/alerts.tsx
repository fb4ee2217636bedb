import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useGet, useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Button, Card, Empty, Failed, Loading } from '../../components/basics';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { Status, Tag } from '../../components/status';
import { List, Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { pageOfId, shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { SilenceDialog } from './silences';

type Alert = Schemas['Alert'];

/** What a label leads to; nothing where there is no page of it. */
function pageOfLabel(name: string, value: string): { to: string; search?: Record<string, string> } | null {
  const byId = pageOfId(value);
  if (byId) return { to: byId };
  if (['queue', 'jobType'].includes(name)) return { to: '/jobs', search: { [name]: value } };
  if (name === 'tenant') return { to: `/tenants/${value}` };
  if (name === 'workflow') return { to: `/workflows/${value}` };
  if (name === 'fingerprint') return { to: '/dead-letters', search: { view: 'list', fingerprint: value } };
  return null;
}

/** What an alert is about, each with its page. */
export function Labels({ labels }: { labels: Record<string, string> }) {
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {Object.entries(labels).map(([name, value]) => {
        const page = pageOfLabel(name, value);
        const text = t.queues[value] ?? shortId(value);
        return (
          <span key={name} className="whitespace-nowrap">
            <span className="text-soft">{name} </span>
            {page ? (
              <Go to={page.to} {...(page.search ? { search: page.search } : {})} title={value}>
                {text}
              </Go>
            ) : (
              text
            )}
          </span>
        );
      })}
    </span>
  );
}

export function Severity({ severity }: { severity: string }) {
  return (
    <Tag tone={severity === 'critical' ? 'bad' : 'warn'}>{t.alerts.severities[severity] ?? severity}</Tag>
  );
}

const COLUMNS: Column<Alert>[] = [
  {
    id: 'status',
    head: t.jobs.status,
    cell: (alert) => (
      <span className="flex flex-wrap items-center gap-1.5">
        <Status status={alert.status} label={t.alerts.statuses[alert.status] ?? alert.status} />
        {alert.silencedBy && <Tag>{t.alerts.silenced}</Tag>}
      </span>
    ),
  },
  {
    id: 'summary',
    head: t.alerts.alert,
    cell: (alert) => <span className="font-medium">{alert.summary}</span>,
  },
  {
    id: 'severity',
    head: t.alerts.severity,
    from: 'sm',
    cell: (alert) => <Severity severity={alert.severity} />,
  },
  { id: 'labels', head: t.alerts.labels, from: 'md', cell: (alert) => <Labels labels={alert.labels} /> },
];

const SINCE: Column<Alert> = {
  id: 'since',
  head: t.alerts.since,
  align: 'right',
  cell: (alert) => <Time at={alert.firedAt ?? alert.startedAt} />,
};

const ENDED: Column<Alert> = {
  id: 'ended',
  head: t.alerts.ended,
  align: 'right',
  cell: (alert) => <Time at={alert.resolvedAt} />,
};

const EVERY_MS = 5_000;
const SHOWN_MAX = 200;

const FIELDS: FilterField[] = [
  { name: 'severity', label: t.alerts.severity, values: ['warning', 'critical'] },
  { name: 'rule', label: t.alerts.rule },
];
const STATUS: FilterField = { name: 'status', label: t.jobs.status, values: ['firing', 'pending'] };
/** A view is shown with the tab that it was saved on. */
const MORE = ['view'];

/** What is beyond its threshold now. */
export function Alerts() {
  const mayWrite = useCan('alerts.write');
  const [silenced, setSilenced] = useState<Alert | null>(null);
  const [filters] = useFilters();
  const wanted = pick(filters, ['status', 'severity', 'rule']);
  const query = { status: 'firing,pending', ...wanted, limit: SHOWN_MAX };
  const { data, error } = useGet('/v1/alerts', { query }, { every: EVERY_MS });
  const columns: Column<Alert>[] = [
    ...COLUMNS,
    SINCE,
    {
      id: 'do',
      head: <span className="sr-only">{t.alerts.silence}</span>,
      align: 'right',
      cell: (alert) =>
        mayWrite &&
        !alert.silencedBy && (
          <Button small onClick={() => setSilenced(alert)}>
            {t.alerts.silence}
          </Button>
        ),
    },
  ];
  if (error && !data) return <Failed error={error} />;
  if (!data) return <Loading />;
  const isFiltered = Object.keys(wanted).length > 0;
  return (
    <>
      <FilterBar fields={[STATUS, ...FIELDS]} list="alerts" more={MORE} />
      <Card flush>
        {data.items.length === 0 ? (
          <Empty title={isFiltered ? t.alerts.noneMatches : t.alerts.noneFiring}>
            {isFiltered ? t.alerts.noneMatchesBody : t.alerts.noneFiringBody}
          </Empty>
        ) : (
          <Table label={t.alerts.title} rows={data.items} columns={columns} idOf={(alert) => alert.id} />
        )}
      </Card>
      <SilenceDialog
        open={silenced !== null}
        rule={silenced?.rule ?? ''}
        labels={silenced?.labels ?? {}}
        onClose={() => setSilenced(null)}
      />
    </>
  );
}

/** Alerts that have ended. */
export function History() {
  const [filters] = useFilters();
  const wanted = pick(filters, ['severity', 'rule']);
  const query = { ...wanted, status: 'resolved' };
  const list = useLiveList('/v1/alerts', { query: query as never, idOf: (alert) => alert.id });
  const isFiltered = Object.keys(wanted).length > 0;
  return (
    <>
      <FilterBar fields={FIELDS} list="alerts" more={MORE} />
      <List
        label={t.alerts.tabs.history}
        list={list}
        columns={[...COLUMNS, SINCE, ENDED]}
        idOf={(alert) => alert.id}
        empty={
          <Empty title={isFiltered ? t.alerts.noneMatches : t.alerts.noHistory}>
            {isFiltered ? t.alerts.noneEndedMatchesBody : t.alerts.noHistoryBody}
          </Empty>
        }
      />
    </>
  );
}

import { useState } from 'react';
import { addressOf, type Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { pick, useFilters } from '../../app/filters';
import { Button, Empty, Mono, PageHead } from '../../components/basics';
import { Dialog } from '../../components/dialog';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { pageOfId, shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { AuditEntry } from './audit-entry';
import { VerifyChain } from './audit-verify';

type Line = Schemas['AuditLine'];

const FIELDS: FilterField[] = [
  { name: 'actor', label: t.audit.actor },
  { name: 'action', label: t.audit.action },
  { name: 'subject', label: t.audit.subject },
  { name: 'tenant', label: t.jobs.tenant },
  { name: 'outcome', label: t.audit.outcome, values: ['done', 'refused'] },
  { name: 'door', label: t.audit.door, values: ['rest', 'cli', 'console', 'grpc', 'system'] },
  { name: 'address', label: t.audit.address },
  { name: 'requestId', label: t.audit.request },
  { name: 'batch', label: t.audit.batch },
  { name: 'from', label: t.dead.from },
  { name: 'to', label: t.dead.to },
];

const NAMES = FIELDS.map(({ name }) => name);

export function Subject({ id }: { id: string }) {
  const page = pageOfId(id);
  const text = <Mono>{shortId(id)}</Mono>;
  return page ? (
    <Go to={page} title={id}>
      {text}
    </Go>
  ) : (
    <span title={id}>{text}</span>
  );
}

export function Page() {
  const [filters] = useFilters();
  const query = pick(filters, [...NAMES, 'q']);
  const list = useLiveList('/v1/audit', { query: query as never, idOf: (line) => line.id });
  const [shown, setShown] = useState<Line | null>(null);
  const columns: Column<Line>[] = [
    { id: 'at', head: t.audit.at, from: 'sm', cell: (line) => <Time at={line.at} full /> },
    {
      id: 'action',
      head: t.audit.action,
      cell: (line) => (
        <button type="button" className="link text-left font-medium" onClick={() => setShown(line)}>
          {line.action}
        </button>
      ),
    },
    { id: 'subject', head: t.audit.subject, nowrap: true, cell: (line) => <Subject id={line.subject} /> },
    {
      id: 'actor',
      head: t.audit.actor,
      nowrap: true,
      cell: (line) => (
        <Go to="/audit" search={{ actor: line.actor }} title={line.actor}>
          <Mono>{shortId(line.actor)}</Mono>
        </Go>
      ),
    },
    {
      id: 'door',
      head: t.audit.door,
      from: 'md',
      cell: (line) => line.door && (t.audit.doors[line.door] ?? line.door),
    },
    { id: 'address', head: t.audit.address, from: 'lg', cell: (line) => line.address },
    { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (line) => line.tenant ?? '–' },
    {
      id: 'outcome',
      head: t.audit.outcome,
      from: 'md',
      cell: (line) =>
        line.outcome && (
          <Tag tone={line.outcome === 'refused' ? 'bad' : 'ok'}>
            {t.audit.outcomes[line.outcome] ?? line.outcome}
          </Tag>
        ),
    },
    { id: 'reason', head: t.audit.reason, from: 'xl', cell: (line) => line.reason },
  ];
  return (
    <>
      <PageHead title={t.audit.title} intro={t.audit.intro}>
        <VerifyChain />
        <a
          className="inline-flex items-center rounded-lg border border-strong bg-card px-3 py-1.5 font-medium hover:bg-raised"
          href={addressOf('/v1/audit/export', {}, query)}
          download="audit.jsonl"
        >
          {t.audit.export}
        </a>
      </PageHead>
      <FilterBar fields={FIELDS} query completed={false} list="audit" />
      <List
        label={t.audit.title}
        list={list}
        columns={columns}
        idOf={(line) => line.id}
        empty={<Empty title={t.audit.empty}>{t.audit.emptyBody}</Empty>}
      />
      <Dialog
        title={shown?.action ?? ''}
        open={shown !== null}
        onClose={() => setShown(null)}
        wide
        keeps={false}
      >
        {shown && <AuditEntry line={shown} />}
        <div className="mt-4 flex justify-end">
          <Button onClick={() => setShown(null)}>{t.common.close}</Button>
        </div>
      </Dialog>
    </>
  );
}

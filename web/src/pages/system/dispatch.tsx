import type { Schemas } from '../../api/client';
import { Card, FactList, Mono } from '../../components/basics';
import { Go } from '../../components/go';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { Span, Time } from '../../components/time';
import { t } from '../../messages/en';
import { DispatchFindings, useDispatch } from './dispatch-findings';

type State = Schemas['Dispatch'];
type Node = Schemas['DispatchNode'];
type Shard = Schemas['DispatchShard'];
type OfType = Schemas['DispatchOffersOfType'];

const NODES: Column<Node>[] = [
  { id: 'node', head: t.dispatch.node, cell: (node) => <Mono>{node.name}</Mono> },
  {
    id: 'relay',
    head: t.dispatch.relay,
    cell: (node) =>
      node.brokerAwaySince ? (
        <Tag tone="bad">{t.dispatch.reasons['broker_away']}</Tag>
      ) : (
        <Tag tone={node.relay ? 'ok' : 'rest'}>{node.relay ? t.dispatch.isRelay : t.dispatch.noRelay}</Tag>
      ),
  },
  {
    id: 'rate',
    head: t.dispatch.rate,
    align: 'right',
    cell: (node) => t.dispatch.perSecond(node.publishedPerSecond),
  },
  {
    id: 'published',
    head: t.dispatch.published,
    from: 'md',
    align: 'right',
    cell: (node) => node.published.toLocaleString('en'),
  },
  {
    id: 'unacknowledged',
    head: t.dispatch.unacknowledged,
    from: 'md',
    align: 'right',
    cell: (node) => node.unacknowledged.toLocaleString('en'),
  },
  {
    id: 'errors',
    head: t.dispatch.errors,
    from: 'sm',
    align: 'right',
    cell: (node) => node.publishErrors.toLocaleString('en'),
  },
  {
    id: 'last',
    head: t.dispatch.lastError,
    from: 'lg',
    align: 'right',
    cell: ({ lastError }) =>
      lastError && (
        <>
          {t.dispatch.reasons[lastError.reason] ?? lastError.reason} · <Time at={lastError.at} />
        </>
      ),
  },
];

const SHARDS: Column<Shard>[] = [
  { id: 'shard', head: t.dispatch.shard, cell: ({ shard }) => shard },
  {
    id: 'leader',
    head: t.dispatch.leader,
    cell: ({ node }) => (node ? <Mono>{node}</Mono> : <Tag tone="warn">{t.dispatch.nobody}</Tag>),
  },
  { id: 'term', head: t.dispatch.term, align: 'right', cell: ({ term }) => term },
  {
    id: 'until',
    head: t.dispatch.until,
    from: 'sm',
    align: 'right',
    cell: ({ until }) => <Time at={until} />,
  },
];

const TYPES: Column<OfType>[] = [
  {
    id: 'type',
    head: t.jobs.type,
    cell: ({ jobType }) => (
      <Go to="/jobs" search={{ jobType, status: 'QUEUED' }}>
        {jobType}
      </Go>
    ),
  },
  {
    id: 'standing',
    head: t.dispatch.standing,
    align: 'right',
    cell: ({ standing }) => standing.toLocaleString('en'),
  },
  {
    id: 'oldest',
    head: t.dispatch.oldest,
    align: 'right',
    cell: ({ oldestAt }) => <Time at={oldestAt} />,
  },
];

/** How jobs get to outside workers where they are published to Kafka; nothing where workers poll. */
export function Dispatch() {
  const data = useDispatch();
  if (!data) return null;
  const { jobTypes } = data.offers;
  return (
    <Card title={t.dispatch.title} side={data.draining && <Tag tone="warn">{t.dispatch.draining}</Tag>} flush>
      <div data-dispatch={data.mode} className="space-y-3 p-4">
        <p className="text-soft">{t.dispatch.intro}</p>
        <DispatchFindings of={data} />
        <Figures of={data} />
      </div>
      <Table label={t.dispatch.node} rows={data.nodes} columns={NODES} idOf={({ name }) => name} />
      {jobTypes.length > 0 && (
        <Table label={t.dispatch.types} rows={jobTypes} columns={TYPES} idOf={({ jobType }) => jobType} />
      )}
      <Table
        label={t.dispatch.shards}
        rows={data.shards}
        columns={SHARDS}
        idOf={({ shard }) => String(shard)}
      />
    </Card>
  );
}

function Figures({ of: { outbox, offers, publishedPerSecond } }: { of: State }) {
  return (
    <FactList
      columns={3}
      facts={[
        [
          t.dispatch.outbox,
          <span key="o" className="nums" data-outbox={outbox.jobs}>
            {t.list.count(outbox.jobs, outbox.exact)}
          </span>,
        ],
        [t.dispatch.oldest, outbox.oldestAt && <Span from={outbox.oldestAt} />],
        [t.dispatch.rate, t.dispatch.perSecond(publishedPerSecond)],
        [t.dispatch.standing, offers.standing.toLocaleString('en')],
        [t.dispatch.unacknowledged, offers.unacknowledged.toLocaleString('en')],
        [
          t.dispatch.lag,
          <span key="l" className="nums" data-lag={offers.lag}>
            {offers.lag.toLocaleString('en')}
          </span>,
        ],
      ]}
    />
  );
}

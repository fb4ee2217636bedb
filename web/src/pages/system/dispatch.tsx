import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { useMe } from '../../api/me';
import { Card, FactList, Mono } from '../../components/basics';
import { Go } from '../../components/go';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { Span, Time, useNow } from '../../components/time';
import { findingsOf, type Finding } from '../../lib/dispatch';
import { t } from '../../messages/en';

type State = Schemas['Dispatch'];
type Node = Schemas['DispatchNode'];
type Shard = Schemas['DispatchShard'];
type OfType = Schemas['DispatchOffersOfType'];

/** Relays say how they are doing every few seconds; where there are none, the mode changes with a restart only. */
const everyMs = (state: State | undefined) => (state?.mode === 'polling' ? 60_000 : 5_000);

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
  const me = useMe();
  const mayRead = me !== undefined && !me.tenant && me.can.includes('servers.read');
  const { data } = useGet('/v1/dispatch', {}, { every: everyMs, enabled: mayRead });
  const now = useNow();
  if (data?.mode !== 'kafka_outbox') return null;
  const { jobTypes } = data.offers;
  return (
    <Card title={t.dispatch.title} side={data.draining && <Tag tone="warn">{t.dispatch.draining}</Tag>} flush>
      <div data-dispatch={data.mode} className="space-y-3 p-4">
        <p className="text-soft">{t.dispatch.intro}</p>
        <Findings of={findingsOf(data, now)} />
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

/** Why jobs do not get to workers, where they do not. */
function Findings({ of }: { of: Finding[] }) {
  if (of.length === 0) return null;
  return (
    <ul role="status" className="space-y-1 rounded-lg border border-line bg-warn-tint px-3 py-2 text-warn">
      {of.map((finding, index) => (
        <li key={index} data-finding={finding.kind}>
          {textOf(finding)}
          {'since' in finding && (
            <>
              {' '}
              ({t.dispatch.since} <Time at={finding.since} />)
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function textOf(finding: Finding): string {
  switch (finding.kind) {
    case 'broker_away':
      return t.dispatch.why.broker_away(finding.node);
    case 'unowned':
      return t.dispatch.why.unowned(finding.count);
    default:
      return t.dispatch.why[finding.kind]();
  }
}

import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { useMe } from '../../api/me';
import { Card, Mono } from '../../components/basics';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { duration, instant, zoneOf } from '../../lib/time';
import { usePreferences } from '../../app/preferences';
import { t } from '../../messages/en';
import { Dispatch } from './dispatch';
import { Doctor } from './doctor';
import { LastMove } from './move';
import { Pins } from './pins';

type Server = Schemas['Server'];

/** A clock that is further off than this is worth a look. */
const CLOCK_OFF_MS = 500;

const COLUMNS: Column<Server>[] = [
  { id: 'id', head: t.workers.process, cell: (server) => <Mono>{server.id}</Mono> },
  {
    id: 'roles',
    head: t.workers.roles,
    from: 'sm',
    cell: (server) => (
      <span className="flex flex-wrap gap-1">
        {server.roles.map((role) => (
          <Tag key={role}>{role}</Tag>
        ))}
      </span>
    ),
  },
  { id: 'version', head: t.workers.version, cell: (server) => server.version },
  {
    id: 'clock',
    head: t.workers.clock,
    from: 'md',
    align: 'right',
    cell: (server) => <Clock offsetMs={server.clockOffsetMs} />,
  },
  {
    id: 'since',
    head: t.workers.since,
    from: 'md',
    align: 'right',
    cell: (server) => <Time at={server.startedAt} />,
  },
  { id: 'last', head: t.workers.last, align: 'right', cell: (server) => <Time at={server.lastSeenAt} /> },
];

function Clock({ offsetMs }: { offsetMs: number }) {
  const size = Math.abs(offsetMs);
  const text =
    size < CLOCK_OFF_MS
      ? t.workers.clockSame
      : offsetMs > 0
        ? t.workers.clockAhead(duration(size))
        : t.workers.clockBehind(duration(size));
  return <span className={size < CLOCK_OFF_MS ? 'text-soft' : 'text-warn'}>{text}</span>;
}

/** The processes that make up the deployment, for keys that are bound to no tenant. */
export function Processes() {
  const me = useMe();
  const mayRead = me !== undefined && !me.tenant && me.can.includes('servers.read');
  const items = useGet('/v1/servers', {}, { every: 10_000, enabled: mayRead }).data?.items;
  const { zone } = usePreferences();
  const health = useGet('/readyz', {}, { every: 10_000 }).data;
  return (
    <div className="mt-4 space-y-4">
      <Pins />
      {health?.brokerAwaySince && (
        <p role="status" className="rounded-xl border border-line bg-warn-tint px-4 py-2.5 text-warn">
          {t.workers.brokerAway(instant(health.brokerAwaySince, zoneOf(zone)))}
        </p>
      )}
      {mayRead && items && (
        <Card title={t.workers.processes} flush>
          <Table label={t.workers.processes} rows={items} columns={COLUMNS} idOf={(server) => server.id} />
        </Card>
      )}
      <Dispatch />
      <LastMove />
      <Doctor />
    </div>
  );
}

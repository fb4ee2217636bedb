import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { pick, useFilters } from '../../app/filters';
import { Empty, Mono, PageHead } from '../../components/basics';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { ListHead } from '../../components/list-head';
import { useSelection } from '../../components/selection';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { Bulk, useMayBulk } from '../batches/bulk';

type Delivery = Schemas['Delivery'];

const FIELDS: FilterField[] = [
  {
    name: 'status',
    label: t.jobs.status,
    values: ['accepted', 'held', 'matched', 'unmatched', 'parked', 'duplicate', 'rejected', 'handshake'],
  },
  { name: 'source', label: t.deliveries.source, values: ['webhook', 'event'] },
  { name: 'webhookId', label: t.deliveries.webhook },
  { name: 'eventType', label: t.deliveries.event },
  { name: 'tenant', label: t.jobs.tenant },
  { name: 'from', label: t.dead.from },
  { name: 'to', label: t.dead.to },
];

export const DELIVERY_COLUMNS: Column<Delivery>[] = [
  {
    id: 'id',
    nowrap: true,
    head: t.deliveries.one,
    cell: (delivery) => (
      <Go to={`/deliveries/${delivery.id}`} title={delivery.id}>
        <Mono>{shortId(delivery.id)}</Mono>
      </Go>
    ),
  },
  { id: 'status', head: t.deliveries.verdict, cell: (delivery) => <Status status={delivery.status} /> },
  { id: 'event', head: t.deliveries.event, from: 'sm', cell: (delivery) => delivery.eventType ?? '–' },
  { id: 'reason', head: t.deliveries.reason, from: 'md', cell: (delivery) => delivery.reason },
  {
    id: 'executions',
    head: t.deliveries.started,
    from: 'lg',
    cell: (delivery) =>
      delivery.executions.map((id) => (
        <Go key={id} to={`/executions/${id}`} title={id}>
          <Mono>{shortId(id)}</Mono>
        </Go>
      )),
  },
  {
    id: 'bytes',
    head: t.deliveries.bytes,
    from: 'md',
    align: 'right',
    cell: (delivery) => String(delivery.bodyBytes),
  },
  {
    id: 'received',
    head: t.deliveries.received,
    align: 'right',
    cell: (delivery) => <Time at={delivery.receivedAt} />,
  },
];

export function Page() {
  const [filters] = useFilters();
  const query = pick(filters, [...FIELDS.map(({ name }) => name), 'q', 'order']);
  const selection = useSelection();
  const mayOperate = useMayBulk('deliveries');
  const list = useLiveList('/v1/deliveries', { query: query as never, idOf: (delivery) => delivery.id });
  return (
    <>
      <PageHead title={t.deliveries.title} intro={t.deliveries.intro} />
      <FilterBar fields={FIELDS} list="deliveries" query />
      <ListHead path="/v1/deliveries" query={query} list={list} name="deliveries">
        <Bulk kind="deliveries" query={query} selection={selection} />
      </ListHead>
      <List
        label={t.deliveries.title}
        list={list}
        columns={DELIVERY_COLUMNS}
        idOf={(delivery) => delivery.id}
        selection={mayOperate ? selection : undefined}
        empty={
          <Empty title={t.deliveries.empty}>
            {Object.keys(query).length > 0 ? t.jobs.emptyFiltered : t.deliveries.emptyBody}
          </Empty>
        }
      />
    </>
  );
}

import type { Schemas } from '../../api/client';
import { useAct, useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Button, Empty } from '../../components/basics';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { t } from '../../messages/en';

type Notification = Schemas['AlertNotification'];

const FIELDS: FilterField[] = [
  { name: 'status', label: t.jobs.status, values: ['pending', 'sent', 'failed'] },
];

/** What was sent of alerts, and what could not be. */
export function Notifications() {
  const mayWrite = useCan('alerts.write');
  const [filters] = useFilters();
  const query = pick(filters, ['status']);
  const list = useLiveList('/v1/alerts/notifications', {
    query: query as never,
    idOf: (notification) => notification.id,
  });
  const retry = useAct('post', '/v1/alerts/notifications/{id}/retry', { done: t.alerts.retried });
  const columns: Column<Notification>[] = [
    {
      id: 'status',
      head: t.jobs.status,
      cell: ({ status }) => <Status status={status} label={t.alerts.sendStatuses[status] ?? status} />,
    },
    {
      id: 'kind',
      head: t.alerts.notification,
      cell: ({ type }) => t.alerts.kinds[type] ?? type,
    },
    { id: 'route', head: t.alerts.route, cell: ({ route }) => route },
    { id: 'tries', head: t.alerts.tries, from: 'sm', align: 'right', cell: ({ tries }) => tries },
    {
      id: 'error',
      head: t.job.error,
      from: 'md',
      cell: ({ error }) => <span className="text-[13px] text-bad">{error}</span>,
    },
    {
      id: 'next',
      head: t.alerts.nextTry,
      from: 'lg',
      align: 'right',
      cell: ({ nextTryAt }) => <Time at={nextTryAt} />,
    },
    {
      id: 'sent',
      head: t.alerts.sent,
      align: 'right',
      cell: ({ sentAt }) => <Time at={sentAt} />,
    },
    {
      id: 'retry',
      head: <span className="sr-only">{t.alerts.retry}</span>,
      align: 'right',
      cell: ({ id, status }) =>
        mayWrite &&
        status === 'failed' && (
          <Button small busy={retry.isPending} onClick={() => retry.mutate({ path: { id } })}>
            {t.alerts.retry}
          </Button>
        ),
    },
  ];
  return (
    <>
      <FilterBar fields={FIELDS} />
      <List
        label={t.alerts.tabs.notifications}
        list={list}
        columns={columns}
        idOf={(notification) => notification.id}
        empty={<Empty title={t.alerts.noNotifications}>{t.alerts.noNotificationsBody}</Empty>}
      />
    </>
  );
}

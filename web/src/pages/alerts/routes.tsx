import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Card, Empty, Failed, Loading, Mono } from '../../components/basics';
import { Checkbox, Form, SelectField, Submit, TextField } from '../../components/form';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Once } from '../../components/once';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { listOf } from '../../lib/text';
import { t } from '../../messages/en';

type Route = Schemas['AlertRoute'];

const TYPES = ['webhook', 'slack', 'mail', 'log'];
const WITH_URL = ['webhook', 'slack'];

const EVERY_MS = 10_000;

export function Routes() {
  const mayWrite = useCan('alerts.write');
  const [edited, setEdited] = useState<Route | 'new' | null>(null);
  const { data, error } = useGet('/v1/alerts/routes', {}, { every: EVERY_MS });
  const items = data?.items;
  const test = useAct('post', '/v1/alerts/routes/{name}/test', { done: t.alerts.tested });
  const remove = useAct('delete', '/v1/alerts/routes/{name}', { done: t.alerts.routeRemoved });
  const columns: Column<Route>[] = [
    {
      id: 'name',
      head: t.alerts.route,
      cell: (route) => <strong className="font-medium">{route.name}</strong>,
    },
    { id: 'type', head: t.alerts.type, cell: (route) => t.alerts.types[route.type] ?? route.type },
    {
      id: 'url',
      head: t.alerts.url,
      from: 'md',
      cell: (route) => (
        <span className="flex flex-wrap items-center gap-2">
          {route.url && <Mono>{route.url}</Mono>}
          {route.to && route.to.length > 0 && route.to.join(', ')}
          {route.signed && <Tag tone="ok">{t.alerts.signed}</Tag>}
        </span>
      ),
    },
    { id: 'repeat', head: t.alerts.repeat, from: 'lg', cell: (route) => route.repeatEvery ?? '–' },
    {
      id: 'do',
      head: <span className="sr-only">{t.alerts.test}</span>,
      align: 'right',
      cell: (route) =>
        mayWrite && (
          <span className="flex flex-wrap justify-end gap-2">
            <Button small busy={test.isPending} onClick={() => test.mutate({ path: { name: route.name } })}>
              {t.alerts.test}
            </Button>
            <Button small onClick={() => setEdited(route)}>
              {t.alerts.edit}
            </Button>
            <ConfirmButton
              small
              look="danger"
              label={t.alerts.remove}
              title={t.alerts.removeRoute(route.name)}
              body={t.alerts.removeRouteBody}
              onConfirm={() => remove.mutate({ path: { name: route.name } })}
            />
          </span>
        ),
    },
  ];
  return (
    <>
      {mayWrite && (
        <div className="mb-2 flex justify-end">
          <Button icon="plus" look="main" onClick={() => setEdited('new')}>
            {t.alerts.newRoute}
          </Button>
        </div>
      )}
      {error && !items && <Failed error={error} />}
      {!items && !error && <Loading />}
      {items && (
        <Card flush>
          {items.length === 0 ? (
            <Empty title={t.alerts.noRoutes}>{t.alerts.noRoutesBody}</Empty>
          ) : (
            <Table label={t.alerts.tabs.routes} rows={items} columns={columns} idOf={(route) => route.name} />
          )}
        </Card>
      )}
      <Dialog
        title={edited && edited !== 'new' ? t.alerts.editRoute(edited.name) : t.alerts.newRoute}
        open={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited && <RouteForm route={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />}
      </Dialog>
    </>
  );
}

function RouteForm({ route, onDone }: { route: Route | null; onDone: () => void }) {
  const [name, setName] = useState(route?.name ?? '');
  const [type, setType] = useState(route?.type ?? 'webhook');
  const [url, setUrl] = useState(route?.url ?? '');
  const [to, setTo] = useState(route?.to?.join(', ') ?? '');
  const [repeatEvery, setRepeatEvery] = useState(route?.repeatEvery ?? '');
  const [sendResolved, setSendResolved] = useState(route?.sendResolved ?? true);
  const [secret, setSecret] = useState('');
  const put = useAct('put', '/v1/alerts/routes/{name}', {
    done: t.alerts.routeSaved,
    quiet: true,
    onDone: (answer) => {
      if (!answer.secret) onDone();
    },
  });
  if (put.data?.secret) return <Once intro={t.alerts.secretOnce} text={put.data.secret} />;
  return (
    <Form
      onSubmit={() =>
        put.mutate({
          path: { name },
          body: {
            type,
            sendResolved,
            ...(url && WITH_URL.includes(type) ? { url } : {}),
            ...(type === 'mail' ? { to: listOf(to) } : {}),
            ...(repeatEvery ? { repeatEvery } : {}),
            ...(secret && type === 'webhook' ? { secret } : {}),
          },
        })
      }
    >
      <TextField label={t.alerts.name} required disabled={route !== null} value={name} onChange={setName} />
      <SelectField label={t.alerts.type} value={type} onChange={setType}>
        {TYPES.map((each) => (
          <option key={each} value={each}>
            {t.alerts.types[each]}
          </option>
        ))}
      </SelectField>
      {type === 'mail' && (
        <TextField label={t.alerts.to} hint={t.alerts.toHint} required value={to} onChange={setTo} />
      )}
      {WITH_URL.includes(type) && (
        <TextField label={t.alerts.url} type="url" required value={url} onChange={setUrl} />
      )}
      {type === 'webhook' && (
        <TextField
          label={t.alerts.secret}
          hint={route?.signed ? t.alerts.secretKept : t.alerts.secretHint}
          mono
          type="password"
          autoComplete="off"
          value={secret}
          onChange={setSecret}
        />
      )}
      <TextField
        label={t.alerts.repeat}
        hint={t.alerts.repeatHint}
        value={repeatEvery}
        onChange={setRepeatEvery}
      />
      <Checkbox checked={sendResolved} onChange={setSendResolved}>
        {t.alerts.sendResolved}
      </Checkbox>
      <Submit error={put.error} busy={put.isPending} />
    </Form>
  );
}

import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Card, Failed, Mono } from '../../components/basics';
import { Form, Submit, TextField } from '../../components/form';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { listOf } from '../../lib/text';
import { t } from '../../messages/en';

type Secret = Schemas['Secret'];

/** Which secrets a tenant has. Their values are never shown. */
export function Secrets({ tenant }: { tenant: string }) {
  const mayRead = useCan('secrets.read');
  const mayWrite = useCan('secrets.write');
  const [isOpen, setOpen] = useState(false);
  const path = { tenant };
  const { data, error } = useGet(
    '/v1/tenants/{tenant}/secrets',
    { path, query: { limit: 500 } },
    { enabled: mayRead },
  );
  const remove = useAct('delete', '/v1/tenants/{tenant}/secrets/{name}', { done: t.secrets.removed });
  if (!mayRead) return null;
  const columns: Column<Secret>[] = [
    { id: 'name', head: t.secrets.name, cell: ({ name }) => <Mono>{name}</Mono> },
    { id: 'hosts', head: t.secrets.hosts, cell: ({ hosts }) => hosts.join(', ') },
    { id: 'from', head: t.secrets.provider, from: 'sm', cell: ({ provider }) => provider },
    {
      id: 'at',
      head: t.secrets.updated,
      from: 'md',
      align: 'right',
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
    {
      id: 'remove',
      head: <span className="sr-only">{t.secrets.remove}</span>,
      align: 'right',
      cell: ({ name }) =>
        mayWrite && (
          <ConfirmButton
            small
            look="danger"
            label={t.secrets.remove}
            title={t.secrets.removeTitle(name)}
            body={t.secrets.removeBody}
            onConfirm={() => remove.mutate({ path: { tenant, name } })}
          />
        ),
    },
  ];
  return (
    <Card
      title={t.secrets.title}
      side={
        mayWrite && (
          <Button small icon="plus" onClick={() => setOpen(true)}>
            {t.secrets.add}
          </Button>
        )
      }
      flush
    >
      {error && !data && <Failed error={error} />}
      {data?.items.length === 0 && <p className="p-4 text-soft">{t.secrets.none}</p>}
      {data && data.items.length > 0 && (
        <Table label={t.secrets.title} rows={data.items} columns={columns} idOf={({ name }) => name} />
      )}
      <Dialog title={t.secrets.add} open={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <SecretForm tenant={tenant} onDone={() => setOpen(false)} />}
      </Dialog>
    </Card>
  );
}

function SecretForm({ tenant, onDone }: { tenant: string; onDone: () => void }) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState('');
  const put = useAct('put', '/v1/tenants/{tenant}/secrets/{name}', {
    done: t.secrets.stored,
    quiet: true,
    onDone,
  });
  return (
    <Form
      onSubmit={() => {
        put.mutate({ path: { tenant, name }, body: { value, hosts: listOf(hosts) } });
      }}
    >
      <TextField label={t.secrets.name} required value={name} onChange={setName} />
      <TextField
        label={t.secrets.value}
        hint={t.secrets.valueHint}
        mono
        type="password"
        autoComplete="off"
        required
        value={value}
        onChange={setValue}
      />
      <TextField
        label={t.secrets.hosts}
        hint={t.secrets.hostsHint}
        required
        value={hosts}
        onChange={setHosts}
      />
      <Submit error={put.error} busy={put.isPending}>
        {t.secrets.add}
      </Submit>
    </Form>
  );
}

import { useState } from 'react';
import type { Schemas } from '../api/client';
import { useAct, useGet } from '../api/hooks';
import { useCan } from '../api/me';
import { t } from '../messages/en';
import { Button, Card, Failed, Field, Mono } from './basics';
import { Form, SelectField, Submit, TextField } from './form';
import { ConfirmButton, Dialog } from './dialog';
import { Go } from './go';
import { Tag } from './status';
import { Table, type Column } from './table';
import { Time } from './time';

type Attribute = Schemas['Attribute'] & { name: string };

/** Whose attributes: the same calls for each, at another address. */
export type Scope =
  | { of: '/v1/workflows/{name}/attributes'; path: { name: string }; tenant?: string | null | undefined }
  | { of: '/v1/tenants/{tenant}/attributes'; path: { tenant: string } };

const TYPES = ['text', 'integer', 'number', 'boolean', 'instant'];

interface DeclaredProps {
  scope: Scope;
  /** The list that is searched by them, and what else it is narrowed to. */
  to: string;
  search: Record<string, string>;
}

/** What objects are found by beside their own fields, and where that was declared. */
export function DeclaredAttributes({ scope, to, search }: DeclaredProps) {
  const mayRead = useCan('attributes.read');
  const mayDeclare = useCan('attributes.declare');
  const [isOpen, setOpen] = useState(false);
  const call = callOf(scope);
  const { data, error } = useGet(scope.of, call as never, { enabled: mayRead });
  const rows = Object.entries((data ?? {}) as Record<string, Schemas['Attribute']>).map(
    ([name, attribute]) => ({ name, ...attribute }),
  );
  if (!mayRead) return null;
  const columns: Column<Attribute>[] = [
    {
      id: 'name',
      head: t.declared.name,
      cell: ({ name }) => (
        <Go to={to} search={{ ...search, q: `attr.${name}:*` }} title={t.declared.find}>
          <Mono>{name}</Mono>
        </Go>
      ),
    },
    { id: 'type', head: t.declared.type, cell: ({ type }) => <Tag>{type}</Tag> },
    {
      id: 'path',
      head: t.declared.path,
      from: 'md',
      cell: ({ path }) =>
        path ? <Mono>{path}</Mono> : <span className="text-soft">{t.declared.setBy}</span>,
    },
    {
      id: 'source',
      head: t.declared.source,
      from: 'sm',
      cell: ({ source }) => <span data-source={source}>{t.declared.sources[source] ?? source}</span>,
    },
    {
      id: 'since',
      head: t.declared.since,
      from: 'md',
      align: 'right',
      cell: ({ since }) => <Time at={since} />,
    },
    {
      id: 'remove',
      head: <span className="sr-only">{t.declared.remove}</span>,
      align: 'right',
      // What a definition declares goes with a version that does not.
      cell: ({ name, source }) =>
        mayDeclare && source !== 'definition' && <Remove scope={scope} name={name} />,
    },
  ];
  return (
    <Card
      title={t.declared.title}
      side={
        mayDeclare && (
          <Button small icon="plus" onClick={() => setOpen(true)}>
            {t.declared.declare}
          </Button>
        )
      }
      flush
    >
      {error && !data && <Failed error={error} />}
      {data && rows.length === 0 && <p className="p-4 text-soft">{t.declared.none}</p>}
      {rows.length > 0 && (
        <Table label={t.declared.title} rows={rows} columns={columns} idOf={({ name }) => name} />
      )}
      <Dialog title={t.declared.declare} open={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <DeclareForm scope={scope} onDone={() => setOpen(false)} />}
      </Dialog>
    </Card>
  );
}

function callOf(scope: Scope) {
  const tenant = 'tenant' in scope ? scope.tenant : null;
  return { path: scope.path, ...(tenant ? { query: { tenant } } : {}) };
}

function Remove({ scope, name }: { scope: Scope; name: string }) {
  const put = useAct('put', scope.of, { done: t.declared.removed });
  return (
    <ConfirmButton
      small
      label={t.declared.remove}
      title={t.declared.removeTitle(name)}
      body={t.declared.removeBody}
      busy={put.isPending}
      onConfirm={() => put.mutate({ ...callOf(scope), body: { [name]: null } } as never)}
    />
  );
}

function DeclareForm({ scope, onDone }: { scope: Scope; onDone: () => void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState('text');
  const [path, setPath] = useState('');
  const put = useAct('put', scope.of, { done: t.declared.done, quiet: true, onDone });
  return (
    <Form
      onSubmit={() => {
        const declaration = { type, ...(path ? { path } : {}) };
        put.mutate({ ...callOf(scope), body: { [name]: declaration } } as never);
      }}
    >
      <TextField label={t.declared.name} required value={name} onChange={setName} />
      <SelectField label={t.declared.type} value={type} onChange={setType}>
        {TYPES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <Field label={t.declared.path} hint={t.declared.pathHint}>
        <input
          className="field font-mono"
          value={path}
          onChange={(event) => setPath(event.target.value.trim())}
        />
      </Field>
      <Submit error={put.error} busy={put.isPending}>
        {t.declared.declare}
      </Submit>
    </Form>
  );
}

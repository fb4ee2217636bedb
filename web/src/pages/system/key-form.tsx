import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct } from '../../api/hooks';
import { useMe } from '../../api/me';
import { Button, Failed, Field } from '../../components/basics';
import { Once } from '../../components/once';
import { t } from '../../messages/en';

type Key = Schemas['ApiKey'];
type Scope = Schemas['KeyScope'];

const ROLES: Key['role'][] = ['admin', 'operator', 'client', 'worker', 'viewer'];
const NAMES = ['jobTypes', 'workflows', 'queues', 'tenants'] as const;

const listOf = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

/** A new key. It is shown once. */
export function KeyForm() {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Key['role']>('viewer');
  const [tenant, setTenant] = useState('');
  const [expires, setExpires] = useState('');
  const [payloads, setPayloads] = useState<'' | 'true' | 'false'>('');
  const [actions, setActions] = useState('');
  const [person, setPerson] = useState('');
  const [groups, setGroups] = useState('');
  const [networks, setNetworks] = useState('');
  const [names, setNames] = useState<Partial<Record<(typeof NAMES)[number], string>>>({});
  const actionNames = useMe()?.can ?? [];
  const create = useAct('post', '/v1/api-keys', { quiet: true });
  const secret = create.data?.key;
  if (secret) return <Once intro={t.settings.keyOnce} text={secret} />;
  const submit = () => {
    const scope: Scope = { actions: listOf(actions) };
    for (const kind of NAMES) if (names[kind]?.trim()) scope[kind] = listOf(names[kind]);
    create.mutate({
      body: {
        name,
        role,
        ...(tenant ? { tenant } : {}),
        ...(expires ? { expiresAt: new Date(expires).toISOString() } : {}),
        ...(payloads ? { payloads: payloads === 'true' } : {}),
        ...(person.trim() ? { person: person.trim() } : {}),
        ...(groups.trim() ? { groups: listOf(groups) } : {}),
        ...(networks.trim() ? { networks: listOf(networks) } : {}),
        ...(scope.actions.length > 0 ? { scopes: [scope] } : {}),
      },
    });
  };
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label={t.settings.name}>
        <input className="field" required value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t.settings.role} hint={t.settings.roleHints[role]}>
        <select
          className="field"
          value={role}
          onChange={(event) => setRole(event.target.value as Key['role'])}
        >
          {ROLES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </Field>
      <Field label={t.jobs.tenant} hint={t.settings.tenantHint}>
        <input className="field" value={tenant} onChange={(event) => setTenant(event.target.value)} />
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t.settings.expires} hint={t.settings.expiresHint}>
          <input
            className="field"
            type="datetime-local"
            value={expires}
            onChange={(event) => setExpires(event.target.value)}
          />
        </Field>
        <Field label={t.settings.payloads} hint={t.settings.payloadsHint}>
          <select
            className="field"
            value={payloads}
            onChange={(event) => setPayloads(event.target.value as typeof payloads)}
          >
            <option value="">{t.settings.payloadsDefault}</option>
            <option value="true">{t.common.yes}</option>
            <option value="false">{t.common.no}</option>
          </select>
        </Field>
      </div>
      <Field label={t.settings.scopes} hint={t.settings.scopesHint}>
        <input
          className="field font-mono"
          list="key-actions"
          value={actions}
          onChange={(event) => setActions(event.target.value)}
        />
        <datalist id="key-actions">
          {actionNames.map((action) => (
            <option key={action}>{action}</option>
          ))}
        </datalist>
      </Field>
      {actions.trim() && (
        <div className="grid gap-3 sm:grid-cols-2">
          {NAMES.map((kind) => (
            <Field key={kind} label={t.settings.scopeNames[kind]}>
              <input
                className="field"
                value={names[kind] ?? ''}
                onChange={(event) => setNames((old) => ({ ...old, [kind]: event.target.value }))}
              />
            </Field>
          ))}
        </div>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t.settings.person} hint={t.settings.personHint}>
          <input className="field" value={person} onChange={(event) => setPerson(event.target.value)} />
        </Field>
        <Field label={t.settings.groups} hint={t.settings.groupsHint}>
          <input className="field" value={groups} onChange={(event) => setGroups(event.target.value)} />
        </Field>
      </div>
      <Field label={t.settings.networks} hint={t.settings.networksHint}>
        <input
          className="field font-mono"
          value={networks}
          onChange={(event) => setNetworks(event.target.value)}
        />
      </Field>
      {create.error && <Failed error={create.error} />}
      <div className="flex justify-end">
        <Button look="main" type="submit" busy={create.isPending}>
          {t.settings.createKey}
        </Button>
      </div>
    </form>
  );
}

import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct } from '../../api/hooks';
import { useMe } from '../../api/me';
import { usePreferences } from '../../app/preferences';
import { Field } from '../../components/basics';
import { Form, SelectField, Submit, TextField } from '../../components/form';
import { Once } from '../../components/once';
import { instantOf, nameOfZone, zoneOf } from '../../lib/time';
import { listOf } from '../../lib/text';
import { t } from '../../messages/en';

type Key = Schemas['ApiKey'];
type Scope = Schemas['KeyScope'];

const ROLES: Key['role'][] = ['admin', 'operator', 'client', 'worker', 'viewer'];
const NAMES = ['jobTypes', 'workflows', 'queues', 'tenants'] as const;

/** A new key. It is shown once. */
export function KeyForm() {
  const { zone } = usePreferences();
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
    const expiresAt = instantOf(expires, zoneOf(zone));
    const scope: Scope = { actions: listOf(actions) };
    for (const kind of NAMES) if (names[kind]?.trim()) scope[kind] = listOf(names[kind]);
    create.mutate({
      body: {
        name,
        role,
        ...(tenant ? { tenant } : {}),
        ...(expiresAt ? { expiresAt } : {}),
        ...(payloads ? { payloads: payloads === 'true' } : {}),
        ...(person.trim() ? { person: person.trim() } : {}),
        ...(groups.trim() ? { groups: listOf(groups) } : {}),
        ...(networks.trim() ? { networks: listOf(networks) } : {}),
        ...(scope.actions.length > 0 ? { scopes: [scope] } : {}),
      },
    });
  };
  return (
    <Form onSubmit={submit}>
      <TextField label={t.settings.name} required value={name} onChange={setName} />
      <SelectField label={t.settings.role} hint={t.settings.roleHints[role]} value={role} onChange={setRole}>
        {ROLES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <TextField label={t.jobs.tenant} hint={t.settings.tenantHint} value={tenant} onChange={setTenant} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={t.settings.expires}
          hint={`${t.settings.expiresHint} ${t.common.clocksOf(nameOfZone(zone))}`}
          type="datetime-local"
          value={expires}
          onChange={setExpires}
        />
        <SelectField
          label={t.settings.payloads}
          hint={t.settings.payloadsHint}
          value={payloads}
          onChange={setPayloads}
        >
          <option value="">{t.settings.payloadsDefault}</option>
          <option value="true">{t.common.yes}</option>
          <option value="false">{t.common.no}</option>
        </SelectField>
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
        <TextField
          label={t.settings.person}
          hint={t.settings.personHint}
          value={person}
          onChange={setPerson}
        />
        <TextField
          label={t.settings.groups}
          hint={t.settings.groupsHint}
          value={groups}
          onChange={setGroups}
        />
      </div>
      <TextField
        label={t.settings.networks}
        hint={t.settings.networksHint}
        mono
        value={networks}
        onChange={setNetworks}
      />
      <Submit error={create.error} busy={create.isPending}>
        {t.settings.createKey}
      </Submit>
    </Form>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useAll } from '../../api/hooks';
import { Button, Failed, Field } from '../../components/basics';
import { Once } from '../../components/once';
import { t } from '../../messages/en';

type Provider = Schemas['WebhookProvider'];

const PROVIDERS: Provider[] = [
  'github',
  'gitlab',
  'stripe',
  'slack',
  'shopify',
  'standard',
  'svix',
  'twilio',
  'linear',
  'square',
  'zoom',
  'discord',
  'pagerduty',
  'paddle',
  'meta',
  'hubspot',
  'sendgrid',
  'razorpay',
  'none',
];
/** Those that sign the address that they call. */
const SIGN_URL: Provider[] = ['twilio', 'square', 'hubspot'];

const listOf = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

/** A new endpoint with its first trigger. A secret that the server makes is shown once. */
export function WebhookForm() {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [provider, setProvider] = useState<Provider>('github');
  const [secret, setSecret] = useState('');
  const [verifyToken, setVerifyToken] = useState('');
  const [publicUrl, setPublicUrl] = useState('');
  const [workflow, setWorkflow] = useState('');
  const [events, setEvents] = useState('');
  const [filter, setFilter] = useState('');
  const workflows = useAll('/v1/workflows');
  const show = (id: string) => void navigate({ to: `/webhooks/${id}` as never });
  const create = useAct('post', '/v1/webhooks', {
    done: t.webhooks.made,
    quiet: true,
    onDone: (webhook) => {
      if (!webhook.secret && !webhook.verifyToken) show(webhook.id);
    },
  });
  const made = create.data;
  if (made && (made.secret || made.verifyToken)) {
    return (
      <div className="space-y-3">
        {made.secret && <Once intro={t.webhooks.secretOnce} text={made.secret} />}
        {made.verifyToken && <Once intro={t.webhooks.tokenOnce} text={made.verifyToken} />}
        <Button look="main" onClick={() => show(made.id)}>
          {t.webhooks.toEndpoint}
        </Button>
      </div>
    );
  }
  const text = (label: string, value: string, set: (value: string) => void, hint?: string) => (
    <Field label={label} hint={hint}>
      <input className="field" value={value} onChange={(event) => set(event.target.value)} />
    </Field>
  );
  const submit = () => {
    const trigger = {
      workflow,
      ...(events.trim() ? { events: listOf(events) } : {}),
      ...(filter.trim() ? { filter } : {}),
    };
    create.mutate({
      body: {
        name,
        provider,
        ...(secret ? { secrets: [secret] } : {}),
        ...(provider === 'meta' && verifyToken ? { verifyToken } : {}),
        ...(publicUrl.trim() ? { publicUrl: publicUrl.trim() } : {}),
        triggers: workflow ? [trigger as Schemas['WebhookTrigger']] : [],
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
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t.webhooks.name}>
          <input className="field" required value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={t.webhooks.provider} hint={provider === 'none' ? t.webhooks.unsigned : undefined}>
          <select
            className="field"
            value={provider}
            onChange={(event) => setProvider(event.target.value as Provider)}
          >
            {PROVIDERS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
      </div>
      {provider !== 'none' && (
        <Field label={t.webhooks.ownSecret} hint={t.webhooks.ownSecretHint}>
          <input
            className="field font-mono"
            type="password"
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
          />
        </Field>
      )}
      {provider === 'meta' && text(t.webhooks.purposes['verifyToken']!, verifyToken, setVerifyToken)}
      {SIGN_URL.includes(provider) &&
        text(t.webhooks.publicUrl, publicUrl, setPublicUrl, t.webhooks.publicUrlHint)}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t.webhooks.starts} hint={t.webhooks.startsHint}>
          <select className="field" value={workflow} onChange={(event) => setWorkflow(event.target.value)}>
            <option value="">–</option>
            {workflows.items?.map(({ name: each }) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
        {workflow && text(t.events.patterns, events, setEvents, t.webhooks.eventsHint)}
      </div>
      {workflow && text(t.events.filter, filter, setFilter, t.events.filterHint)}
      {create.error && <Failed error={create.error} />}
      <div className="flex justify-end">
        <Button look="main" type="submit" busy={create.isPending}>
          {t.webhooks.create}
        </Button>
      </div>
    </form>
  );
}

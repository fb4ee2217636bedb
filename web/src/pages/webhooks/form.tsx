import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useAll } from '../../api/hooks';
import { Button } from '../../components/basics';
import { Form, SelectField, Submit, TextField } from '../../components/form';
import { Once } from '../../components/once';
import { listOf } from '../../lib/text';
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
  'hmac',
  'none',
];
/** Those that sign the address that they call. */
const SIGN_URL: Provider[] = ['twilio', 'square', 'hubspot'];

const ALGORITHMS = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
const ENCODINGS = ['hex', 'base64'] as const;

/** How the requests of a sender are signed that is none of the known ones. */
interface Scheme {
  header: string;
  algorithm: (typeof ALGORITHMS)[number];
  encoding: (typeof ENCODINGS)[number];
  prefix: string;
}

const schemeOf = ({ prefix, ...scheme }: Scheme) => ({ ...scheme, ...(prefix ? { prefix } : {}) });

/** A new endpoint with its first trigger. A secret that the server makes is shown once. */
export function WebhookForm() {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [provider, setProvider] = useState<Provider>('github');
  const [secret, setSecret] = useState('');
  const [scheme, setScheme] = useState<Scheme>({
    header: '',
    algorithm: 'sha256',
    encoding: 'hex',
    prefix: '',
  });
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
        ...(provider === 'hmac' ? { scheme: schemeOf(scheme) } : {}),
        ...(provider === 'meta' && verifyToken ? { verifyToken } : {}),
        ...(publicUrl.trim() ? { publicUrl: publicUrl.trim() } : {}),
        triggers: workflow ? [trigger as Schemas['WebhookTrigger']] : [],
      },
    });
  };
  return (
    <Form onSubmit={submit}>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label={t.webhooks.name} required value={name} onChange={setName} />
        <SelectField
          label={t.webhooks.provider}
          hint={provider === 'none' ? t.webhooks.unsigned : undefined}
          value={provider}
          onChange={setProvider}
        >
          {PROVIDERS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
      </div>
      {provider !== 'none' && (
        <TextField
          label={t.webhooks.ownSecret}
          hint={t.webhooks.ownSecretHint}
          mono
          type="password"
          autoComplete="off"
          value={secret}
          onChange={setSecret}
        />
      )}
      {provider === 'hmac' && <SchemeFields scheme={scheme} onChange={setScheme} />}
      {provider === 'meta' && (
        <TextField
          label={t.webhooks.purposes['verifyToken']!}
          value={verifyToken}
          onChange={setVerifyToken}
        />
      )}
      {SIGN_URL.includes(provider) && (
        <TextField
          label={t.webhooks.publicUrl}
          hint={t.webhooks.publicUrlHint}
          value={publicUrl}
          onChange={setPublicUrl}
        />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label={t.webhooks.starts}
          hint={t.webhooks.startsHint}
          value={workflow}
          onChange={setWorkflow}
        >
          <option value="">–</option>
          {workflows.items?.map(({ name: each }) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        {workflow && (
          <TextField
            label={t.events.patterns}
            hint={t.webhooks.eventsHint}
            value={events}
            onChange={setEvents}
          />
        )}
      </div>
      {workflow && (
        <TextField label={t.events.filter} hint={t.events.filterHint} value={filter} onChange={setFilter} />
      )}
      <Submit error={create.error} busy={create.isPending}>
        {t.webhooks.create}
      </Submit>
    </Form>
  );
}

function SchemeFields({ scheme, onChange }: { scheme: Scheme; onChange: (scheme: Scheme) => void }) {
  const set = (changes: Partial<Scheme>) => onChange({ ...scheme, ...changes });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label={t.webhooks.header}
        mono
        required
        value={scheme.header}
        onChange={(header) => set({ header })}
      />
      <TextField
        label={t.webhooks.prefix}
        hint={t.webhooks.prefixHint}
        mono
        value={scheme.prefix}
        onChange={(prefix) => set({ prefix })}
      />
      <SelectField
        label={t.webhooks.algorithm}
        value={scheme.algorithm}
        onChange={(algorithm) => set({ algorithm })}
      >
        {ALGORITHMS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <SelectField
        label={t.webhooks.encoding}
        value={scheme.encoding}
        onChange={(encoding) => set({ encoding })}
      >
        {ENCODINGS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
    </div>
  );
}

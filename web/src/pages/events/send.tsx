import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../../api/hooks';
import { useMe } from '../../api/me';
import { Button, Failed, Field } from '../../components/basics';
import { Code } from '../../components/code';
import { parseJson, type Json } from '../../lib/json';
import { t } from '../../messages/en';

/** Sends an event, and leads to the delivery that keeps it. */
export function SendEvent({ onDone }: { onDone: () => void }) {
  const me = useMe();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [data, setData] = useState('{}');
  const [id, setId] = useState('');
  const [tenant, setTenant] = useState('');
  const [fault, setFault] = useState('');
  const send = useAct('post', '/v1/events', {
    done: (answer) => (answer.deduplicated ? t.events.duplicate : t.events.sent),
    quiet: true,
    onDone: ({ deliveryId }) => {
      onDone();
      void navigate({ to: `/deliveries/${deliveryId}` as never });
    },
  });
  const submit = () => {
    let body: Json;
    try {
      body = parseJson(data.trim() || 'null');
    } catch (error) {
      setFault(String(error instanceof Error ? error.message : error));
      return;
    }
    setFault('');
    send.mutate({
      body: { name, data: body, ...(id ? { id } : {}), ...(tenant ? { tenant } : {}) } as never,
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
      <Field label={t.events.name} hint={t.events.nameHint}>
        <input className="field" required value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Code label={t.events.data} value={data} onChange={setData} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t.events.id} hint={t.events.idHint}>
          <input className="field" value={id} onChange={(event) => setId(event.target.value)} />
        </Field>
        {me && !me.tenant && (
          <Field label={t.jobs.tenant}>
            <input
              className="field"
              placeholder="default"
              value={tenant}
              onChange={(event) => setTenant(event.target.value)}
            />
          </Field>
        )}
      </div>
      {fault && <p className="text-bad">{fault}</p>}
      {send.error && <Failed error={send.error} />}
      <div className="flex justify-end">
        <Button look="main" type="submit" busy={send.isPending}>
          {t.events.send}
        </Button>
      </div>
    </form>
  );
}

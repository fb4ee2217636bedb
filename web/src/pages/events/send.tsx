import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../../api/hooks';
import { useMe } from '../../api/me';
import { Form, Submit, TextField } from '../../components/form';
import { Code } from '../../components/code';
import { parseExactJson, type Json } from '../../lib/json';
import { messageOf } from '../../lib/text';
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
      body = parseExactJson(data.trim() || 'null');
    } catch (error) {
      setFault(messageOf(error));
      return;
    }
    setFault('');
    send.mutate({
      body: { name, data: body, ...(id ? { id } : {}), ...(tenant ? { tenant } : {}) } as never,
    });
  };
  return (
    <Form onSubmit={submit}>
      <TextField label={t.events.name} hint={t.events.nameHint} required value={name} onChange={setName} />
      <Code label={t.events.data} value={data} onChange={setData} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label={t.events.id} hint={t.events.idHint} value={id} onChange={setId} />
        {me && !me.tenant && (
          <TextField label={t.jobs.tenant} placeholder="default" value={tenant} onChange={setTenant} />
        )}
      </div>
      {fault && <p className="text-bad">{fault}</p>}
      <Submit error={send.error} busy={send.isPending}>
        {t.events.send}
      </Submit>
    </Form>
  );
}

import { useMemo, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct } from '../../api/hooks';
import { Button, Failed } from '../../components/basics';
import { Code } from '../../components/code';
import { isRecord, parseExactJson, writeJson, type Json } from '../../lib/json';
import { messageOf } from '../../lib/text';
import { t } from '../../messages/en';

type Webhook = Schemas['Webhook'];

/** What of an endpoint can be changed, as its request has it. Its provider and its secrets have ways of their own. */
function editable(webhook: Webhook): object {
  const { name, triggers, scheme, dedupe, rateLimit, maxBody, respondWith, publicUrl } = webhook;
  return { name, triggers, scheme, dedupe, rateLimit, maxBody, respondWith, publicUrl };
}

/** Changes an endpoint as JSON, beside what it was. The version keeps the change of somebody else from being lost. */
export function EditWebhook({ webhook: shown, onDone }: { webhook: Webhook; onDone: () => void }) {
  // As it was when somebody began: what is shown is read again when somebody else changes it, and the version goes with the text.
  const [webhook] = useState(shown);
  const original = useMemo(() => writeJson(editable(webhook), 2), [webhook]);
  const [text, setText] = useState(original);
  const [fault, setFault] = useState('');
  const put = useAct('put', '/v1/webhooks/{id}', { done: t.webhooks.saved, quiet: true, onDone });
  const save = () => {
    let changed: Json;
    try {
      changed = parseExactJson(text);
      if (!isRecord(changed)) throw new Error(t.webhooks.notAnObject);
    } catch (error) {
      setFault(messageOf(error));
      return;
    }
    setFault('');
    const { id, provider, version } = webhook;
    put.mutate({ path: { id }, body: { ...changed, provider, version } as never });
  };
  const isChanged = text !== original;
  return (
    <div className="space-y-3" data-diff={isChanged ? 'changed' : 'same'}>
      <Code label={t.webhooks.one} value={text} onChange={setText} original={original} />
      {fault && <p className="text-bad">{fault}</p>}
      {put.error && <Failed error={put.error} />}
      <div className="flex justify-end">
        <Button look="main" busy={put.isPending} disabled={!isChanged} onClick={save}>
          {t.common.save}
        </Button>
      </div>
    </div>
  );
}

import { useMemo, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { omittedOf } from '../../api/payloads';
import { Button, Failed, Loading } from '../../components/basics';
import { SelectField, TextField } from '../../components/form';
import { Code } from '../../components/code';
import { useDataSchema } from '../../components/data-schema';
import { parseExactJson, writeJson, type Json } from '../../lib/json';
import { faultsOf, type JsonSchema, type SchemaFault } from '../../lib/schema';
import { PRIORITIES } from '../../lib/words';
import { messageOf } from '../../lib/text';
import { t } from '../../messages/en';

type DeadLetter = Schemas['DeadLetter'];

const FAULTS_SHOWN = 8;

interface RequeueProps {
  letter: DeadLetter;
  onDone: () => void;
}

/** Reads the data where it was too large to come with the dead letter. */
export function Requeue({ letter, onDone }: RequeueProps) {
  const isLeftOut = omittedOf(letter.omitted, 'data') !== undefined;
  const { data, error } = useGet(
    '/v1/dead-letters/{id}/data',
    { path: { id: letter.id } },
    { enabled: isLeftOut },
  );
  if (error) return <Failed error={error} />;
  if (isLeftOut && data === undefined) return <Loading />;
  return <RequeueForm letter={isLeftOut ? { ...letter, data } : letter} onDone={onDone} />;
}

/** The data and the options of a dead letter before it becomes a job again. */
function RequeueForm({ letter, onDone }: RequeueProps) {
  const original = useMemo(() => writeJson(letter.data ?? null, 2), [letter.data]);
  const [text, setText] = useState(original);
  const [priority, setPriority] = useState<DeadLetter['priority']>(letter.priority);
  const [maxRetries, setMaxRetries] = useState('');
  const [fault, setFault] = useState('');
  const { schema, samples } = useDataSchema({ ...letter, data: letter.data ?? null });
  const requeue = useAct('post', '/v1/dead-letters/{id}/requeue', {
    done: t.dead.requeued,
    quiet: true,
    onDone,
  });
  const isChanged = text !== original;
  const submit = () => {
    let data: Json | undefined;
    try {
      data = isChanged ? parseExactJson(text) : undefined;
    } catch (error) {
      setFault(messageOf(error));
      return;
    }
    setFault('');
    requeue.mutate({
      path: { id: letter.id },
      body: {
        ...(data === undefined ? {} : { data }),
        ...(priority === letter.priority ? {} : { priority }),
        ...(maxRetries ? { maxRetries: Number(maxRetries) } : {}),
      },
    });
  };
  return (
    <div className="space-y-3">
      <p className="text-[13px] text-soft" data-diff={isChanged ? 'changed' : 'same'}>
        {isChanged ? t.dead.changed : t.dead.unchanged}{' '}
        {samples > 0 ? t.issues.schemaFrom(samples) : t.issues.schemaOfOriginal}
      </p>
      <Code label={t.job.data} value={text} onChange={setText} original={original} schema={schema} advice />
      <Differences text={text} schema={schema} />
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField label={t.jobs.priority} value={priority} onChange={setPriority}>
          {PRIORITIES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <TextField
          label={t.dead.maxRetries}
          hint={t.dead.maxRetriesHint}
          inputMode="numeric"
          value={maxRetries}
          onChange={setMaxRetries}
        />
      </div>
      {fault && <p className="text-bad">{fault}</p>}
      {requeue.error && <Failed error={requeue.error} />}
      <div className="flex justify-end">
        <Button look="main" busy={requeue.isPending} onClick={submit}>
          {isChanged ? t.dead.requeueChanged : t.dead.requeue}
        </Button>
      </div>
    </div>
  );
}

/** Where the text differs from the form. Only advice: the worker decides what it takes. */
function Differences({ text, schema }: { text: string; schema: JsonSchema }) {
  const faults = useMemo<SchemaFault[]>(() => {
    try {
      return faultsOf(parseExactJson(text), schema);
    } catch {
      return [];
    }
  }, [text, schema]);
  if (faults.length === 0) return null;
  return (
    <div role="status" className="rounded-lg bg-warn-tint px-3 py-2 text-[13px] text-warn" data-advice>
      <p className="font-medium">{t.issues.schemaFaults}</p>
      <ul className="list-disc pl-5">
        {faults.slice(0, FAULTS_SHOWN).map(({ pointer, message }) => (
          <li key={pointer + message}>
            <code className="font-mono">{pointer || '/'}</code> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useMe } from '../../api/me';
import { omittedOf } from '../../api/payloads';
import { usePreferences } from '../../app/preferences';
import { Failed, Loading } from '../../components/basics';
import { Code } from '../../components/code';
import { useDataSchema } from '../../components/data-schema';
import { Form, SelectField, Submit, TextField } from '../../components/form';
import { parseExactJson, writeJson, type Json } from '../../lib/json';
import { PRIORITIES } from '../../lib/words';
import { listOf, messageOf } from '../../lib/text';
import { t } from '../../messages/en';

type Job = Schemas['Job'];

const QUEUE = 'workflow-node';
/** So many types are offered while one is typed. */
const TYPES_SHOWN = 20;

interface NewJobProps {
  /** The job that it is a copy of. */
  from?: Job;
  onDone: () => void;
}

/** Reads the data of a job that is copied, where it was too large to come with it. */
export function NewJob({ from, onDone }: NewJobProps) {
  const isLeftOut = omittedOf(from?.omitted, 'data') !== undefined;
  const path = { id: from?.id ?? '' };
  const { data, error } = useGet('/v1/jobs/{id}/data', { path }, { enabled: isLeftOut });
  if (error) return <Failed error={error} />;
  if (isLeftOut && data === undefined) return <Loading />;
  return <JobForm {...(from ? { from: isLeftOut ? { ...from, data } : from } : {})} onDone={onDone} />;
}

/** A job as it is enqueued, with data that is compared with that of completed jobs of its type. */
function JobForm({ from, onDone }: NewJobProps) {
  const me = useMe();
  const preferences = usePreferences();
  const navigate = useNavigate();
  const [jobType, setJobType] = useState(from?.jobType ?? '');
  const [text, setText] = useState(writeJson(from ? (from.data ?? null) : {}, 2));
  const [priority, setPriority] = useState<Job['priority']>(from?.priority ?? 'normal');
  const [delay, setDelay] = useState('');
  const [tags, setTags] = useState(from?.tags?.join(', ') ?? '');
  const [tenant, setTenant] = useState(from?.tenant ?? preferences.tenant);
  const [fault, setFault] = useState('');
  const { schema, samples } = useDataSchema({ jobType, queue: QUEUE });
  const enqueue = useAct('post', '/v1/jobs', {
    done: t.enqueue.done,
    quiet: true,
    onDone: ({ id }) => {
      onDone();
      void navigate({ to: `/jobs/${id}` as never });
    },
  });
  const submit = () => {
    let data: Json;
    try {
      data = parseExactJson(text.trim() || 'null');
    } catch (error) {
      setFault(messageOf(error));
      return;
    }
    setFault('');
    const body = {
      jobType,
      data,
      priority,
      ...(delay ? { delay } : {}),
      ...(tags.trim() ? { tags: listOf(tags) } : {}),
      ...(tenant ? { tenant } : {}),
    };
    enqueue.mutate({ body: body as never });
  };
  return (
    <Form onSubmit={submit}>
      <TypeField value={jobType} onChange={setJobType} />
      <div>
        <p className="mb-1 text-[13px] text-soft">
          {samples > 0 ? t.issues.schemaFrom(samples) : t.enqueue.anyData}
        </p>
        <Code label={t.job.data} value={text} onChange={setText} schema={schema} advice />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField label={t.jobs.priority} value={priority} onChange={setPriority}>
          {PRIORITIES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <TextField label={t.enqueue.delay} hint={t.enqueue.delayHint} value={delay} onChange={setDelay} />
        <TextField label={t.job.tags} hint={t.enqueue.tagsHint} value={tags} onChange={setTags} />
        {me && !me.tenant && (
          <TextField label={t.jobs.tenant} placeholder="default" value={tenant} onChange={setTenant} />
        )}
      </div>
      {fault && <p className="text-bad">{fault}</p>}
      <Submit error={enqueue.error} busy={enqueue.isPending}>
        {t.enqueue.send}
      </Submit>
    </Form>
  );
}

interface TypeFieldProps {
  value: string;
  onChange: (jobType: string) => void;
}

/** The type of a job as it is typed, with those that were seen lately. */
function TypeField({ value, onChange }: TypeFieldProps) {
  const id = useId();
  const query = { list: 'jobs', q: `jobType:${value}`, limit: TYPES_SHOWN };
  const { data } = useGet('/v1/search/suggest', { query });
  return (
    <>
      <TextField label={t.jobs.type} required list={id} value={value} onChange={onChange} />
      <datalist id={id}>
        {data?.items.map(({ text }) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  );
}

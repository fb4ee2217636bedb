import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useAll } from '../../api/hooks';
import { Form, SelectField, Submit, TextField } from '../../components/form';
import { Code } from '../../components/code';
import { parseExactJson, writeJson } from '../../lib/json';
import { listOf, messageOf } from '../../lib/text';
import { t } from '../../messages/en';

type Trigger = Schemas['EventTrigger'];
type Request = Schemas['EventTriggerRequest'];

/** What replaces a trigger by itself. The revision keeps the change of somebody else from being lost. */
export function requestOf(trigger: Trigger): Request {
  const { name, events, workflow, version, filter, input, priority, paused, revision } = trigger;
  const { debounce, throttle, batch } = trigger;
  return {
    name,
    events,
    workflow,
    paused,
    revision,
    ...(version ? { version } : {}),
    ...(filter ? { filter } : {}),
    ...(input !== undefined && input !== null ? { input } : {}),
    ...(priority ? { priority } : {}),
    ...(debounce ? { debounce } : {}),
    ...(throttle ? { throttle } : {}),
    ...(batch ? { batch } : {}),
  } as Request;
}

/** What of a trigger the form does not ask for, and keeps. */
function keptOf(trigger: Trigger): Partial<Request> {
  const { priority, paused, revision, debounce, throttle, batch } = requestOf(trigger);
  return { priority, paused, revision, debounce, throttle, batch };
}

/** A new trigger, or another form of one. */
export function TriggerForm({ trigger, onDone }: { trigger: Trigger | null; onDone: () => void }) {
  const [name, setName] = useState(trigger?.name ?? '');
  const [events, setEvents] = useState(trigger?.events.join(', ') ?? '');
  const [workflow, setWorkflow] = useState(trigger?.workflow ?? '');
  const [version, setVersion] = useState(trigger?.version ? String(trigger.version) : '');
  const [filter, setFilter] = useState(trigger?.filter ?? '');
  const [input, setInput] = useState(
    trigger?.input === undefined || trigger.input === null ? '' : writeJson(trigger.input, 2),
  );
  const [fault, setFault] = useState('');
  const workflows = useAll('/v1/workflows');
  const options = { done: t.events.saved, quiet: true, onDone };
  const create = useAct('post', '/v1/triggers', options);
  const replace = useAct('put', '/v1/triggers/{id}', options);
  const error = create.error ?? replace.error;
  const submit = () => {
    let parsed;
    try {
      parsed = input.trim() ? parseExactJson(input) : undefined;
    } catch (failure) {
      setFault(t.events.notJson(messageOf(failure)));
      return;
    }
    setFault('');
    const body = {
      name,
      events: listOf(events),
      workflow,
      ...(version ? { version: Number(version) } : {}),
      ...(filter.trim() ? { filter } : {}),
      ...(parsed === undefined ? {} : { input: parsed }),
      ...(trigger ? keptOf(trigger) : {}),
    } as Request;
    if (trigger) replace.mutate({ path: { id: trigger.id }, body });
    else create.mutate({ body });
  };
  return (
    <Form onSubmit={submit}>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label={t.schedules.name} required value={name} onChange={setName} />
        <TextField
          label={t.events.patterns}
          hint={t.events.patternsHint}
          required
          value={events}
          onChange={setEvents}
        />
        <SelectField label={t.jobs.workflow} required value={workflow} onChange={setWorkflow}>
          <option value="">–</option>
          {workflows.items?.map(({ name: each }) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <TextField
          label={t.events.version}
          hint={t.events.versionHint}
          inputMode="numeric"
          pattern="[0-9]*"
          value={version}
          onChange={setVersion}
        />
      </div>
      <TextField
        label={t.events.filter}
        hint={t.events.filterHint}
        mono
        value={filter}
        onChange={setFilter}
      />
      <div>
        <p className="text-[13px] font-medium">{t.events.input}</p>
        <p className="mb-1 text-[13px] text-soft">{t.events.inputHint}</p>
        <Code label={t.events.input} value={input} onChange={setInput} />
      </div>
      {fault && <p className="text-bad">{fault}</p>}
      <Submit error={error} busy={create.isPending || replace.isPending} />
    </Form>
  );
}

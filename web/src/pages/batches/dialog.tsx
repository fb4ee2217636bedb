import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct } from '../../api/hooks';
import { Button, Failed, Field } from '../../components/basics';
import { Form } from '../../components/form';
import { Dialog } from '../../components/dialog';
import { PRIORITIES } from '../../lib/words';
import { t } from '../../messages/en';
import { BULK_INPUT, bodyOf, describe, type BulkInput, type Operation, type Target } from './operations';

export interface Preview {
  operation: Operation;
  target: Target;
  count: number;
  exact: boolean;
  samples: Record<string, unknown>[];
}

interface DialogProps {
  preview: Preview | null;
  onClose: () => void;
  onBatch: (id: string) => void;
}

/** What a dry run found, and how to go about it. */
export function BulkDialog({ preview, onClose, onBatch }: DialogProps) {
  const title = preview ? t.bulk.title(preview.operation.label, preview.count, preview.exact) : '';
  return (
    <Dialog title={title} open={preview !== null} onClose={onClose} wide>
      {preview && <BulkForm preview={preview} onBatch={onBatch} />}
    </Dialog>
  );
}

function BulkForm({ preview, onBatch }: { preview: Preview; onBatch: (id: string) => void }) {
  const { operation, target, count, samples } = preview;
  const [input, setInput] = useState<BulkInput>(BULK_INPUT);
  const set = <K extends keyof BulkInput>(name: K, value: BulkInput[K]) =>
    setInput((old) => ({ ...old, [name]: value }));
  const start = useAct('post', operation.path, {
    quiet: true,
    onDone: (answer) => onBatch((answer as unknown as Schemas['Batch']).id),
  });
  const number = (
    name: 'limit' | 'canary' | 'rate' | 'stopAt' | 'maxRetries',
    label: string,
    hint: string,
  ) => (
    <Field label={label} hint={hint}>
      <input
        className="field"
        inputMode="numeric"
        pattern="[0-9]*"
        value={input[name]}
        onChange={(event) => set(name, event.target.value)}
      />
    </Field>
  );
  return (
    <Form onSubmit={() => start.mutate({ body: bodyOf(operation, target, input, false) as never })}>
      <p className="text-soft">{t.bulk.samples(samples.length, count)}</p>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {samples.map(describe).map(({ id, name, detail }) => (
          <li key={id} className="flex gap-3 px-3 py-1.5 text-[13px]">
            <span className="shrink-0 font-medium">{name}</span>
            <span className="min-w-0 flex-1 truncate text-soft">{detail}</span>
            <span className="shrink-0 font-mono text-soft max-sm:hidden">{id.slice(-8)}</span>
          </li>
        ))}
      </ul>
      <OwnFields operation={operation} input={input} set={set} />
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Field label={t.bulk.canary} hint={t.bulk.canaryHint}>
          <span className="flex gap-2">
            <input
              className="field"
              inputMode="numeric"
              pattern="[0-9]*"
              aria-label={t.bulk.canary}
              value={input.canary}
              onChange={(event) => set('canary', event.target.value)}
            />
            <select
              className="field"
              aria-label={t.bulk.proceed}
              value={input.proceed}
              onChange={(event) => set('proceed', event.target.value as BulkInput['proceed'])}
            >
              <option value="auto">{t.bulk.auto}</option>
              <option value="manual">{t.bulk.manual}</option>
            </select>
          </span>
        </Field>
        {number('rate', t.bulk.rate, t.bulk.rateHint)}
        {number('stopAt', t.bulk.stopAt, t.bulk.stopAtHint)}
        {number('limit', t.bulk.limit, t.bulk.limitHint)}
      </div>
      <Field label={t.bulk.reason} hint={t.bulk.reasonHint}>
        <input
          className="field"
          required={operation.needsReason ?? false}
          value={input.reason}
          onChange={(event) => set('reason', event.target.value)}
        />
      </Field>
      {start.error && <Failed error={start.error} />}
      <div className="flex justify-end">
        <Button
          look={operation.isDangerous ? 'danger' : 'main'}
          type="submit"
          busy={start.isPending}
          disabled={count === 0}
        >
          {t.bulk.go(operation.label)}
        </Button>
      </div>
    </Form>
  );
}

interface OwnProps {
  operation: Operation;
  input: BulkInput;
  set: <K extends keyof BulkInput>(name: K, value: BulkInput[K]) => void;
}

/** The fields that only this operation has. */
function OwnFields({ operation, input, set }: OwnProps) {
  return operation.fields?.map((field) => {
    if (field === 'priority') {
      return (
        <Field key={field} label={t.jobs.priority}>
          <select
            className="field"
            value={input.priority}
            onChange={(event) => set('priority', event.target.value as BulkInput['priority'])}
          >
            {PRIORITIES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
      );
    }
    if (field === 'fromNode' || field === 'maxRetries') {
      const isNode = field === 'fromNode';
      return (
        <Field
          key={field}
          label={isNode ? t.execution.fromNode : t.dead.maxRetries}
          hint={isNode ? t.execution.fromNodeHint : t.dead.maxRetriesHint}
        >
          <input
            className="field"
            required={isNode}
            value={input[field]}
            onChange={(event) => set(field, event.target.value)}
          />
        </Field>
      );
    }
    return (
      <label key={field} className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-(--accent)"
          checked={input[field]}
          onChange={(event) => set(field, event.target.checked)}
        />
        {field === 'compensate' ? t.execution.compensate : t.bulk.allTriggers}
      </label>
    );
  });
}

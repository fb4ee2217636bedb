import { useState, type ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { useCan } from '../../api/me';
import { Button } from '../../components/basics';
import { Form } from '../../components/form';
import { Tag } from '../../components/status';
import { QUEUES } from '../../lib/words';
import { t } from '../../messages/en';

export type Limits = Record<string, Schemas['QueueLimits']>;
export type Change = Schemas['LimitChanges'];
type FieldName = 'maxConcurrent' | 'tenantMaxConcurrent' | 'workflowMaxConcurrent';

interface LimitTableProps {
  limits: Limits;
  fields: FieldName[];
  inUse?: Record<string, number>;
  /** The action that changing them is. */
  needs?: string;
  onSave: (queue: string, changes: Change) => void;
}

const SOURCES: Record<FieldName, 'source' | 'tenantSource' | 'workflowSource'> = {
  maxConcurrent: 'source',
  tenantMaxConcurrent: 'tenantSource',
  workflowMaxConcurrent: 'workflowSource',
};

/** How many jobs are processed at once, each field changed by itself. */
export function LimitTable({ limits, fields, inUse, needs = 'limits.set', onSave }: LimitTableProps) {
  const maySet = useCan(needs);
  const queues = QUEUES.filter((queue) => limits[queue]);
  return (
    <div className="thin-scroll overflow-x-auto" tabIndex={0} role="region" aria-label={t.limits.title}>
      <table className="w-full text-left">
        <thead>
          <tr className="border-b border-line text-[13px] text-soft">
            <th scope="col" className="px-4 py-2 font-medium">
              {t.jobs.queue}
            </th>
            {inUse && (
              <th scope="col" className="px-3 text-right font-medium">
                {t.limits.inUse}
              </th>
            )}
            {fields.map((field) => (
              <th key={field} scope="col" className="px-3 font-medium">
                {t.limits.fields[field]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <tr key={queue} className="border-b border-line last:border-0">
              <th scope="row" className="px-4 py-1.5 font-normal">
                {t.queues[queue] ?? queue}
              </th>
              {inUse && <td className="nums px-3 text-right">{inUse[queue] ?? 0}</td>}
              {fields.map((field) => (
                <td key={field} className="px-3 py-1">
                  <LimitCell
                    key={String(limits[queue]?.[field])}
                    label={`${t.limits.fields[field]} ${t.queues[queue]}`}
                    value={limits[queue]?.[field] ?? null}
                    source={limits[queue]?.[SOURCES[field]] ?? ''}
                    onSave={maySet ? (value) => onSave(queue, { [field]: value }) : null}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LimitCell({
  label,
  value,
  source,
  onSave,
}: {
  label: string;
  value: number | null;
  source: string;
  onSave: ((value: number | null) => void) | null;
}) {
  const [draft, setDraft] = useState(value === null ? '' : String(value));
  const changed = draft !== (value === null ? '' : String(value));
  const tag = <Tag tone={source === 'override' ? 'busy' : 'rest'}>{t.limits.sources[source] ?? source}</Tag>;
  if (!onSave) {
    return (
      <span className="flex items-center gap-2">
        <span className="nums">{value ?? t.common.unlimited}</span> {tag}
      </span>
    );
  }
  return (
    <Form className="flex items-center gap-2" onSubmit={() => onSave(draft === '' ? null : Number(draft))}>
      <input
        className="field nums w-24 py-0.5"
        inputMode="numeric"
        pattern="[0-9]*"
        aria-label={label}
        placeholder={t.common.unlimited}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <SaveOrReset isChanged={changed} source={source} tag={tag} onReset={() => onSave(null)} />
    </Form>
  );
}

/** What stands behind a limit: how to save what was typed, or where the limit is from. */
export function SaveOrReset({
  isChanged,
  source,
  tag,
  onReset,
}: {
  isChanged: boolean;
  source: string | null;
  tag: ReactNode;
  onReset: () => void;
}) {
  if (isChanged) {
    return (
      <Button small look="main" type="submit">
        {t.common.save}
      </Button>
    );
  }
  return (
    <>
      {tag}
      {source === 'override' && (
        <Button small look="quiet" onClick={onReset}>
          {t.limits.reset}
        </Button>
      )}
    </>
  );
}

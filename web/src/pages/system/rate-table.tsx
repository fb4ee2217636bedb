import { useState } from 'react';
import type { QueryOf } from '../../api/client';
import { useCan } from '../../api/me';
import { Form } from '../../components/form';
import { useStats } from '../../components/figures';
import { Tag } from '../../components/status';
import { toast } from '../../components/toasts';
import { perMinute, rateText, readRate, type Rate } from '../../lib/rate';
import { QUEUES } from '../../lib/words';
import { t } from '../../messages/en';
import { SaveOrReset, type Change, type Limits } from './limit-table';

type FieldName = keyof typeof t.limits.rateFields;
type Of = Pick<QueryOf<'/v1/stats', 'get'>, 'tenant' | 'workflow'>;

interface RateTableProps {
  limits: Limits;
  fields: FieldName[];
  /** Whose starts are shown beside the rates; null where nobody counts them. */
  of: Of | null;
  /** The action that changing them is. */
  needs?: string;
  onSave: (queue: string, changes: Change) => void;
}

/** How many jobs start in a period, and how many did in the last minute. */
export function RateTable({ limits, fields, of, needs = 'limits.set', onSave }: RateTableProps) {
  const maySet = useCan(needs);
  const queues = QUEUES.filter((queue) => limits[queue]);
  return (
    <div className="thin-scroll overflow-x-auto" tabIndex={0} role="region" aria-label={t.limits.rates}>
      <table className="w-full text-left" data-rates>
        <thead>
          <tr className="border-y border-line text-[13px] text-soft">
            <th scope="col" className="px-4 py-2 font-medium">
              {t.jobs.queue}
            </th>
            {of && (
              <th scope="col" className="px-3 text-right font-medium">
                {t.limits.started}
              </th>
            )}
            {fields.map((field) => (
              <th key={field} scope="col" className="px-3 font-medium" title={t.limits.rateHint}>
                {t.limits.rateFields[field]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => {
            const limit = limits[queue]!;
            return (
              <tr key={queue} className="border-b border-line last:border-0">
                <th scope="row" className="px-4 py-1.5 font-normal">
                  {t.queues[queue] ?? queue}
                </th>
                {of && <Started of={of} queue={queue} rate={(limit.rate as Rate | null) ?? null} />}
                {fields.map((field) => (
                  <td key={field} className="px-3 py-1">
                    {(field !== 'jobTypeRate' || queue === 'workflow-node') && (
                      <RateCell
                        key={rateText(limit[field] as Rate | null)}
                        label={`${t.limits.rateFields[field]} ${t.queues[queue]}`}
                        rate={(limit[field] as Rate | null) ?? null}
                        source={field === 'rate' ? (limit.rateSource ?? null) : null}
                        onSave={maySet ? (rate) => onSave(queue, { [field]: rate }) : null}
                      />
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Starts of the last whole minute, as a part of the rate where there is one. */
function Started({ of, queue, rate }: { of: Of; queue: (typeof QUEUES)[number]; rate: Rate | null }) {
  const { data } = useStats({ ...of, queue }, 'hour');
  const claimed = data?.series.at(-2)?.claimed ?? 0;
  const room = rate ? perMinute(rate) : null;
  const part = room ? Math.round((claimed / room) * 100) : null;
  return (
    <td className="nums px-3 text-right" data-started={queue}>
      {claimed.toLocaleString('en')}
      {part !== null && (
        <span className={`block text-[13px] ${part >= 90 ? 'text-warn' : 'text-soft'}`}>
          {t.limits.startedOf(part)}
        </span>
      )}
    </td>
  );
}

interface CellProps {
  label: string;
  rate: Rate | null;
  source: string | null;
  onSave: ((rate: Rate | null) => void) | null;
}

function RateCell({ label, rate, source, onSave }: CellProps) {
  const [draft, setDraft] = useState(rateText(rate));
  const isChanged = draft !== rateText(rate);
  const tag = source && (
    <Tag tone={source === 'override' ? 'busy' : 'rest'}>{t.limits.sources[source] ?? source}</Tag>
  );
  if (!onSave) {
    return (
      <span className="nums flex items-center gap-2">
        {rateText(rate) || t.common.unlimited} {tag}
      </span>
    );
  }
  return (
    <Form
      className="flex items-center gap-2"
      onSubmit={() => {
        const read = readRate(draft);
        if (read === undefined) toast({ title: t.limits.rateWrong(draft), tone: 'bad' });
        else onSave(read);
      }}
    >
      <input
        className="field nums w-32 py-0.5"
        aria-label={label}
        placeholder={t.common.unlimited}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <SaveOrReset isChanged={isChanged} source={source} tag={tag} onReset={() => onSave(null)} />
    </Form>
  );
}

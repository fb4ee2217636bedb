import type { Schemas } from '../../api/client';
import { Time, useNow } from '../../components/time';
import { relative } from '../../lib/time';
import { t } from '../../messages/en';

/** The next slots in the schedule's own zone, with a mark where clocks change between two of them. */
export function Slots({ preview, timezone }: { preview: Schemas['Preview']; timezone: string }) {
  const now = useNow();
  return (
    <div className="space-y-2">
      <p className="font-medium">{preview.description}</p>
      <p className="text-[13px] text-soft">{t.schedules.nextIn(timezone)}</p>
      <ol className="nums space-y-0.5">
        {preview.next.map((at, index) => {
          const before = preview.next[index - 1];
          const changes = before !== undefined && offsetOf(before, timezone) !== offsetOf(at, timezone);
          return (
            <li key={at} className="flex flex-wrap gap-x-3">
              <Time at={at} full zone={timezone} />
              <span className="text-soft">{relative(Date.parse(at), now)}</span>
              {changes && <span className="text-warn">{t.schedules.clocksChange}</span>}
            </li>
          );
        })}
      </ol>
      {preview.notes.length > 0 && (
        <ul className="list-disc pl-5 text-warn">
          {preview.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** How far a zone is from UTC at an instant, as the browser writes it. */
function offsetOf(at: string, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    timeZoneName: 'longOffset',
  }).formatToParts(new Date(at));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

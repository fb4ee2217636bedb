import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { useAct } from '../../api/hooks';
import { usePreferences } from '../../app/preferences';
import { Button, Failed, Field } from '../../components/basics';
import { Form } from '../../components/form';
import { Time } from '../../components/time';
import { instantOf, nameOfZone, zoneOf } from '../../lib/time';
import { t } from '../../messages/en';

type Schedule = Schemas['Schedule'];

/** The server takes no more slots at once. */
const SLOTS_MAX = 1_000;
const PAGE = 500;

interface Plan {
  from: string;
  to: string;
  /** The slots of the time, oldest first. */
  slots: string[];
  /** How many of them are in the history and are not started again. */
  known: number;
}

/** Starts the slots of a time in the past, after showing how many they are. */
export function BackfillForm({ schedule, onDone }: { schedule: Schedule; onDone: () => void }) {
  const { zone } = usePreferences();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [plan, setPlan] = useState<Plan | null>(null);
  const [isCounting, setCounting] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const backfill = useAct('post', '/v1/schedules/{id}/backfill', {
    done: (answer) => t.schedules.backfilled(answer.started, answer.skipped),
    quiet: true,
    onDone,
  });
  const look = async () => {
    setCounting(true);
    try {
      const [first, last] = [instantOf(from, zoneOf(zone)), instantOf(to, zoneOf(zone))];
      if (first && last) setPlan(await planOf(schedule, first, last));
      setError(null);
    } catch (failure) {
      setError(failure);
    } finally {
      setCounting(false);
    }
  };
  const field = (label: string, value: string, set: (value: string) => void) => (
    <Field label={label} hint={t.common.clocksOf(nameOfZone(zone))}>
      <input
        className="field"
        type="datetime-local"
        required
        value={value}
        onChange={(event) => {
          set(event.target.value);
          setPlan(null);
        }}
      />
    </Field>
  );
  const fresh = plan ? plan.slots.length - plan.known : 0;
  const isTooMany = plan !== null && plan.slots.length >= SLOTS_MAX;
  return (
    <Form
      onSubmit={() => {
        if (plan === null) void look();
        else backfill.mutate({ path: { id: schedule.id }, body: { from: plan.from, to: plan.to } });
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {field(t.dead.from, from, setFrom)}
        {field(t.dead.to, to, setTo)}
      </div>
      {plan && (
        <div className="rounded-lg bg-raised px-3 py-2" data-backfill={fresh}>
          <p>{t.schedules.slots(plan.slots.length, isTooMany)}</p>
          {plan.known > 0 && <p>{t.schedules.slotsKnown(plan.known)}</p>}
          {plan.slots.length > 0 && !isTooMany && (
            <p className="text-[13px] text-soft">
              {t.schedules.firstSlot} <Time at={plan.slots[0]} full /> · {t.schedules.lastSlot}{' '}
              <Time at={plan.slots.at(-1)} full />
            </p>
          )}
          {isTooMany && <p className="text-warn">{t.schedules.slotsTooMany}</p>}
        </div>
      )}
      {(error !== null || backfill.error) && <Failed error={error ?? backfill.error} />}
      <div className="flex justify-end">
        <Button
          look="main"
          type="submit"
          busy={backfill.isPending || isCounting}
          disabled={plan !== null && (fresh === 0 || isTooMany)}
        >
          {plan === null ? t.schedules.preview : t.schedules.backfillNow(fresh)}
        </Button>
      </div>
    </Form>
  );
}

/** The slots of a time, both ends included, and how many of them have fired or were skipped. */
async function planOf(schedule: Schedule, from: string, to: string): Promise<Plan> {
  const { next } = await call('post', '/v1/schedules/preview', {
    body: {
      ...(schedule.every
        ? { every: schedule.every, ...(schedule.anchor ? { anchor: schedule.anchor } : {}) }
        : { cron: schedule.cron }),
      timezone: schedule.timezone,
      // What it begins at is not part of a preview, and is part of a backfill.
      from: new Date(Date.parse(from) - 1).toISOString(),
      count: SLOTS_MAX,
    },
  });
  const [first, last] = [Date.parse(schedule.startAt ?? from), Date.parse(schedule.endAt ?? to)];
  const slots = next.filter((slot) => {
    const at = Date.parse(slot);
    return at <= Date.parse(to) && at >= first && at <= last;
  });
  if (slots.length === 0) return { from, to, slots, known: 0 };
  const fired = await firedSince(schedule.id, Date.parse(slots[0]!));
  return { from, to, slots, known: slots.filter((slot) => fired.has(Date.parse(slot))).length };
}

/** The slots in the history of a schedule that are not before an instant. */
async function firedSince(id: string, from: number): Promise<Set<number>> {
  const fired = new Set<number>();
  let cursor: string | null | undefined;
  do {
    const query = { limit: PAGE, ...(cursor ? { cursor } : {}) };
    const page = await call('get', '/v1/schedules/{id}/runs', { path: { id }, query });
    page.items.forEach(({ scheduledFor }) => fired.add(Date.parse(scheduledFor)));
    const oldest = page.items.at(-1);
    cursor = oldest && Date.parse(oldest.scheduledFor) >= from ? page.nextCursor : null;
  } while (cursor);
  return fired;
}

import { duration } from '../lib/time';
import type { Moment, Step } from '../lib/steps';
import { t } from '../messages/en';
import { Button } from './basics';
import { Status } from './status';

interface StepperProps {
  steps: readonly Step[];
  /** How many steps have been made. */
  at: number;
  moment: Moment;
  onMove: (at: number) => void;
}

const named = (status: string) => (t.status as Record<string, string>)[status] ?? status;

/** Goes through what happened, entry by entry, and says what each changed. */
export function Stepper({ steps, at, moment, onMove }: StepperProps) {
  const step = steps[at - 1];
  const first = steps[0];
  const since = step && first ? Date.parse(step.at) - Date.parse(first.at) : 0;
  const { difference } = moment;
  return (
    <div className="border-t border-line px-4 py-3" role="group" aria-label={t.steps.label}>
      <div className="flex flex-wrap items-center gap-2">
        <Button small disabled={at <= 0} onClick={() => onMove(at - 1)}>
          {t.steps.back}
        </Button>
        <Button small disabled={at >= steps.length} onClick={() => onMove(at + 1)}>
          {t.steps.next}
        </Button>
        <input
          type="range"
          className="min-w-32 flex-1 accent-(--accent)"
          aria-label={t.steps.position}
          min={0}
          max={steps.length}
          value={at}
          onChange={(event) => onMove(Number(event.target.value))}
        />
        <span className="nums text-[13px] text-soft" data-step={at}>
          {t.steps.of(at, steps.length)}
        </span>
        <Status status={moment.execution} />
      </div>
      <p className="mt-2 min-h-5 text-[13px]" aria-live="polite">
        {step ? (
          <>
            <span className="nums text-soft">+{duration(since)} </span>
            <strong className="font-medium">{step.kind.replaceAll('_', ' ')}</strong>
            {step.nodeId && ` ${step.nodeId}`}
            {step.detail && <span className="text-soft"> – {step.detail}</span>}
            {difference && (
              <span className="text-soft">
                {' '}
                ({difference.nodeId ?? t.steps.execution}: {named(difference.from)} → {named(difference.to)})
              </span>
            )}
          </>
        ) : (
          <span className="text-soft">{t.steps.beginning}</span>
        )}
      </p>
    </div>
  );
}

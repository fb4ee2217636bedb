import { Tooltip } from '@base-ui/react/tooltip';
import { useEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react';
import { chooseZone, usePreferences } from '../app/preferences';
import { duration, instant, isZone, relative, zoneOf } from '../lib/time';
import { t } from '../messages/en';
import { Button } from './basics';
import { Form, TextField } from './form';

let now = Date.now();
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => {
    if (document.hidden) return;
    now = Date.now();
    listeners.forEach((each) => each());
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && ticking) {
      clearInterval(ticking);
      ticking = null;
    }
  };
}

/** The time, one tick a second for everybody who shows one. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** How long somebody has to point at an instant until all of it is shown. */
const HOVER_MS = 250;

interface TimeProps {
  at: string | null | undefined;
  /** Whether all of it is shown, and not its age. */
  full?: boolean;
  /** The zone that it is shown in whatever somebody chose, such as that of a schedule. */
  zone?: string;
}

/** An instant: its age, or the whole of it; all zones on hover. Lists show many: what is hovered over is made then. */
export function Time({ at, full, zone: own }: TimeProps) {
  const { zone, ownZone } = usePreferences();
  const current = useNow();
  const element = useRef<HTMLTimeElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (!at) return <span className="text-soft">–</span>;
  const leave = () => {
    clearTimeout(timer.current);
    setOpen(false);
  };
  const enter = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(true), HOVER_MS);
  };
  const ms = Date.parse(at);
  const age = relative(ms, Math.max(current, 0));
  return (
    <>
      <time
        ref={element}
        dateTime={at}
        className="nums whitespace-nowrap"
        onPointerEnter={enter}
        onPointerLeave={leave}
      >
        {full ? instant(ms, own ?? zoneOf(zone), !own) : age}
      </time>
      {isOpen && <Zones ms={ms} age={age} zone={ownZone} anchor={element} onClose={leave} />}
    </>
  );
}

interface ZonesProps {
  ms: number;
  age: string;
  /** The zone that somebody named; empty for none. */
  zone: string;
  anchor: RefObject<HTMLTimeElement | null>;
  onClose: () => void;
}

/** An instant in all zones, and its age. */
function Zones({ ms, age, zone, anchor, onClose }: ZonesProps) {
  return (
    <Tooltip.Root open onOpenChange={(open) => !open && onClose()}>
      <Tooltip.Portal>
        <Tooltip.Positioner anchor={anchor} sideOffset={6} className="z-50">
          <Tooltip.Popup className="rounded-lg border border-strong bg-card px-3 py-2 text-[13px] shadow-lg">
            <ul className="nums space-y-0.5">
              <li>
                {instant(ms, undefined, true)} {Intl.DateTimeFormat().resolvedOptions().timeZone}
              </li>
              <li>{instant(ms, 'UTC', true)} UTC</li>
              {zone && (
                <li>
                  {instant(ms, zone, true)} {zone}
                </li>
              )}
              <li className="text-soft">{age}</li>
            </ul>
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

/** A span that grows while something is under way. */
export function Span({ from, to }: { from: string | null | undefined; to?: string | null | undefined }) {
  const current = useNow();
  if (!from) return <span className="text-soft">–</span>;
  const end = to ? Date.parse(to) : current;
  return <span className="nums whitespace-nowrap">{duration(Math.max(0, end - Date.parse(from)))}</span>;
}

/** How long is left until an instant, each second. */
export function Countdown({ to, label }: { to: string; label: (left: string) => string }) {
  const left = Math.max(0, Date.parse(to) - useNow());
  return (
    <span className="nums whitespace-nowrap" data-countdown={to}>
      {label(span(left))}
    </span>
  );
}

/** A span down to the second: `23:59:58`, or with its days. */
function span(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const days = Math.floor(seconds / 86_400);
  const clock = `${two(Math.floor(seconds / 3_600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days > 0 ? `${days}d ${clock}` : clock;
}

/** Names the zone that times are shown in; empty is that of the computer. */
export function ZoneForm({ onDone }: { onDone?: () => void }) {
  const { ownZone } = usePreferences();
  const [text, setText] = useState(ownZone);
  const isWrong = text !== '' && !isZone(text);
  return (
    <Form
      className="flex max-w-xl flex-wrap items-end gap-2"
      onSubmit={() => {
        if (isWrong) return;
        chooseZone(text || 'local');
        onDone?.();
      }}
    >
      <div className="min-w-56 flex-1">
        <TextField
          label={t.settings.zoneName}
          error={isWrong ? t.settings.zoneWrong : undefined}
          list="all-zones"
          placeholder="Europe/Berlin"
          value={text}
          onChange={setText}
        />
        <datalist id="all-zones">
          {Intl.supportedValuesOf('timeZone').map((each) => (
            <option key={each}>{each}</option>
          ))}
        </datalist>
      </div>
      <Button type="submit" look="main" disabled={isWrong}>
        {t.common.save}
      </Button>
    </Form>
  );
}

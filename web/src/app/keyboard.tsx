import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useMe } from '../api/me';
import { Kbd } from '../components/basics';
import { Dialog } from '../components/dialog';
import { Icon } from '../components/icons';
import { setPreference, preferences } from './preferences';
import { t } from '../messages/en';
import { pageOfId } from '../lib/ids';
import { ALL_PLACES } from './navigation';
import { showOverlay, useOverlay } from './palette-state';
import { useSearchAll, type Found } from './search-all';

const SEQUENCE_MS = 1_200;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** What of a row takes the keys: its link, or else its first button. */
const TARGET = 'a[href], button';

/** Moves to the row below or above; to the first one where none has the focus. What is off the screen is scrolled to. */
function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tr[data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? rows[0] : rows[at + by];
  const target = next?.querySelector<HTMLElement>(TARGET);
  target?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Selects the row that has the focus, where rows can be selected. */
function pickRow(): void {
  const row = document.activeElement?.closest('tr[data-row]');
  row?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
}

/** Shortcuts, the palette, and the list of shortcuts. */
export function Keyboard() {
  const navigate = useNavigate();
  const overlay = useOverlay();
  const awaiting = useRef<number>(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        showOverlay('palette');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (Date.now() - awaiting.current < SEQUENCE_MS) {
        awaiting.current = 0;
        const place = ALL_PLACES.find(({ key }) => key === event.key);
        if (place) {
          event.preventDefault();
          void navigate({ to: place.to });
        }
        return;
      }
      // Behind a dialog nothing moves.
      if (document.querySelector('[data-dialog]')) return;
      if (event.key === 'g') awaiting.current = Date.now();
      else if (event.key === 'j') moveRow(1);
      else if (event.key === 'k') moveRow(-1);
      else if (event.key === 'x') pickRow();
      else if (event.key === '?') showOverlay('shortcuts');
      else if (event.key === '.') setPreference('paused', !preferences().paused);
      else if (event.key === '/') {
        event.preventDefault();
        const search = document.querySelector<HTMLElement>('[data-search]');
        if (search) search.focus();
        else showOverlay('palette');
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate]);
  const close = () => showOverlay(null);
  return (
    <>
      <Dialog title={t.shortcuts.title} open={overlay === 'shortcuts'} onClose={close}>
        <Shortcuts />
      </Dialog>
      <Dialog title={t.palette.title} open={overlay === 'palette'} onClose={close}>
        <Palette onDone={close} />
      </Dialog>
    </>
  );
}

function Shortcuts() {
  const rows: [string[], string][] = [
    [['Ctrl', 'K'], t.palette.open],
    [['/'], t.shortcuts.search],
    [['.'], t.shortcuts.pause],
    [['?'], t.shortcuts.title],
    [['j', 'k'], t.shortcuts.rows],
    [['Enter'], t.shortcuts.open],
    [['x'], t.shortcuts.pick],
    ...ALL_PLACES.map(({ key, label }): [string[], string] => [['g', key], label]),
  ];
  return (
    <dl className="grid gap-x-8 gap-y-1.5 sm:grid-cols-2">
      {rows.map(([keys, label]) => (
        <div key={label} className="flex items-center justify-between gap-4">
          <dt>{label}</dt>
          <dd className="flex gap-1">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Palette({ onDone }: { onDone: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const can = useMe()?.can ?? [];
  const wanted = text.trim().toLowerCase();
  const byId = pageOfId(text.trim());
  const found = useSearchAll(byId ? '' : text);
  const places: (Found & { key?: string })[] = [
    ...(byId ? [{ to: byId, label: t.palette.goTo(text.trim()), icon: 'right' as const }] : []),
    ...ALL_PLACES.filter(
      ({ label, needs }) => label.toLowerCase().includes(wanted) && (!needs || can.includes(needs)),
    ),
    ...found,
  ];
  const chosen = Math.min(at, Math.max(0, places.length - 1));
  const go = (place: Found | undefined) => {
    if (!place) return;
    onDone();
    void navigate({ to: place.to, search: place.search ?? {} } as never);
  };
  return (
    <div>
      <input
        className="field"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={places.length ? `palette-${chosen}` : undefined}
        aria-label={t.palette.title}
        placeholder={t.palette.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, places.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
          else if (event.key === 'Enter') go(places[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <ul
        id="palette-list"
        role="listbox"
        aria-label={t.palette.title}
        className="mt-2 max-h-80 overflow-y-auto"
      >
        {places.map((place, index) => (
          <li
            key={`${place.to} ${place.search?.['q'] ?? ''}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={`flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 ${index === chosen ? 'bg-tint text-accent' : ''}`}
            onMouseEnter={() => setAt(index)}
            onClick={() => go(place)}
          >
            <Icon name={place.icon} />
            <span className="min-w-0 flex-1 truncate">{place.label}</span>
            {place.detail && <span className="text-[13px] text-soft">{place.detail}</span>}
            {place.key && (
              <span className="flex gap-1">
                <Kbd>g</Kbd>
                <Kbd>{place.key}</Kbd>
              </span>
            )}
          </li>
        ))}
        {places.length === 0 && (
          <li className="px-2.5 py-3 text-soft" role="option" aria-selected="false">
            {t.palette.nothing}
          </li>
        )}
      </ul>
    </div>
  );
}

import { useState } from 'react';
import { digitsOf, isRecord, visible, writeJson } from '../lib/json';
import { useHidesPayloads } from '../api/me';
import { t } from '../messages/en';
import { Button } from './basics';
import { CopyButton } from './copy';

const OPEN_DEPTH = 2;
const ITEMS_SHOWN = 100;
const TEXT_SHOWN = 2_000;
/** Larger values are drawn when somebody asks for them. */
const LARGE_CHARS = 64 * 1024;

interface JsonViewProps {
  value: unknown;
  label: string;
  /** Whether somebody asked for it already, so that a large one is drawn at once. */
  wasAsked?: boolean;
}

/** A JSON value as a tree that folds. Large integers, NULs and bytes are shown as they are. */
export function JsonView({ value, label, wasAsked = false }: JsonViewProps) {
  const [asked, setAsked] = useState(wasAsked);
  const hidesPayloads = useHidesPayloads();
  if (hidesPayloads && (value === undefined || value === null)) {
    return <p className="text-soft">{t.json.hidden}</p>;
  }
  if (value === undefined) return <p className="text-soft">{t.json.none}</p>;
  const text = writeJson(value, 2);
  if (text.length > LARGE_CHARS && !asked) {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <span className="text-soft">{t.json.large(Math.round(text.length / 1024))}</span>
        <Button small onClick={() => setAsked(true)}>
          {t.json.show}
        </Button>
        <CopyButton text={text} label={t.copy.named(label)} />
      </div>
    );
  }
  return (
    <div className="group relative">
      <div className="absolute top-0 right-0">
        <CopyButton text={text} label={t.copy.named(label)} />
      </div>
      <div
        role="group"
        aria-label={label}
        tabIndex={0}
        className="thin-scroll max-h-[32rem] overflow-auto pr-8 font-mono text-[13px] leading-5"
      >
        <Node value={value} depth={0} />
      </div>
    </div>
  );
}

function Node({ value, name, depth }: { value: unknown; name?: string; depth: number }) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(ITEMS_SHOWN);
  const isList = Array.isArray(value);
  const key = name !== undefined && <span className="text-busy">{visible(name)}: </span>;
  if (!isList && !isRecord(value)) {
    return (
      <div>
        {key}
        <Leaf value={value} />
      </div>
    );
  }
  const entries: [string, unknown][] = isList
    ? value.map((item, index) => [String(index), item])
    : Object.entries(value);
  const [begin, end] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return (
      <div>
        {key}
        {begin}
        {end}
      </div>
    );
  }
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        className="-ml-0.5 rounded px-0.5 text-left hover:bg-raised"
        onClick={() => setOpen(!open)}
      >
        <span aria-hidden="true" className="inline-block w-3.5 text-soft">
          {open ? '▾' : '▸'}
        </span>
        {key}
        {open ? (
          begin
        ) : (
          <span className="text-soft">
            {begin} {t.json.items(entries.length)} {end}
          </span>
        )}
      </button>
      {open && (
        <div className="ml-1.5 border-l border-line pl-4">
          {entries.slice(0, shown).map(([field, item]) => (
            <Node key={field} value={item} name={field} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <button type="button" className="link" onClick={() => setShown(shown + 10 * ITEMS_SHOWN)}>
              {t.json.more(entries.length - shown)}
            </button>
          )}
        </div>
      )}
      {open && <div className="pl-3.5">{end}</div>}
    </div>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  const digits = digitsOf(value);
  if (digits !== null) return <span className="text-warn">{digits}</span>;
  if (typeof value !== 'string') return <span className="text-soft">{String(value)}</span>;
  const text = visible(JSON.stringify(value));
  return (
    <span className="break-all whitespace-pre-wrap text-ok">
      {whole || text.length <= TEXT_SHOWN ? text : text.slice(0, TEXT_SHOWN)}
      {!whole && text.length > TEXT_SHOWN && (
        <button type="button" className="link ml-1" onClick={() => setWhole(true)}>
          {t.json.more(text.length - TEXT_SHOWN)}
        </button>
      )}
    </span>
  );
}

import { useEffect, useRef, useState } from 'react';
import { addressOf } from '../api/client';
import { omittedOf, PAYLOAD_MAX, readBeginning, readWhole, type Omitted } from '../api/payloads';
import { byteSize } from '../lib/bytes';
import { parseExactJson } from '../lib/json';
import { t } from '../messages/en';
import { Button, Failed } from './basics';
import { JsonView } from './json-view';

/** So much is shown of a payload that is not loaded whole. */
export const BEGINNING_BYTES = 16 * 1024;

interface PayloadProps {
  label: string;
  /** The value, where it came along. */
  value: unknown;
  /** What was left out of the answer, and which of it this is. */
  omitted?: readonly Omitted[] | null | undefined;
  field: string;
}

/** A payload. Large ones are loaded when somebody asks for them, in part or whole, or saved without being shown. */
export function Payload({ label, value, omitted, field }: PayloadProps) {
  const left = omittedOf(omitted, field);
  return left ? (
    <LeftOut key={left.href + left.sha256} left={left} label={label} />
  ) : (
    <JsonView value={value} label={label} />
  );
}

const READ = {
  beginning: (href: string, signal: AbortSignal) => readBeginning(href, BEGINNING_BYTES, signal),
  whole: async (href: string, signal: AbortSignal) => parseExactJson(await readWhole(href, signal)),
};

function LeftOut({ left, label }: { left: Omitted; label: string }) {
  const { shown, busy, load } = useLoading(left.href, READ);
  // Small ones are only left out where many objects are read together.
  const isSmall = left.bytes <= PAYLOAD_MAX;
  useEffect(() => {
    if (isSmall) load('whole');
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  if (shown && 'whole' in shown) return <JsonView value={shown.whole} label={label} wasAsked />;
  const beginning = shown && 'beginning' in shown ? shown.beginning : null;
  return (
    <div className="space-y-2" data-omitted={left.field}>
      <LoadBar left={left} isBegun={beginning !== null} busy={busy} onLoad={load} ending=".json" />
      {shown && 'error' in shown && <Failed error={shown.error} />}
      {beginning !== null && (
        <pre
          role="group"
          aria-label={label}
          tabIndex={0}
          className="thin-scroll max-h-96 overflow-auto font-mono text-[13px] break-all whitespace-pre-wrap"
        >
          {beginning}
          <span className="text-soft">…</span>
        </pre>
      )}
    </div>
  );
}

type Part = 'beginning' | 'whole';

/** How a payload is read, in part and whole. */
interface Ways<B, W> {
  beginning: (href: string, signal: AbortSignal) => Promise<B>;
  whole: (href: string, signal: AbortSignal) => Promise<W>;
}

/** What has been loaded of a payload that did not come along, and how to load it. Leaving the page ends what is under way. */
export function useLoading<B, W>(href: string, ways: Ways<B, W>) {
  const [shown, setShown] = useState<{ beginning: B } | { whole: W } | { error: unknown } | null>(null);
  const [busy, setBusy] = useState<Part | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const read = async (part: Part) => {
    running.current?.abort();
    const mine = (running.current = new AbortController());
    setBusy(part);
    let next: typeof shown;
    try {
      next =
        part === 'whole'
          ? { whole: await ways.whole(href, mine.signal) }
          : { beginning: await ways.beginning(href, mine.signal) };
    } catch (error) {
      next = { error };
    }
    if (mine.signal.aborted) return;
    setShown(next);
    setBusy(null);
  };
  return { shown, busy, load: (part: Part) => void read(part) };
}

interface LoadBarProps {
  left: Omitted;
  isBegun: boolean;
  busy: Part | null;
  onLoad: (part: Part) => void;
  /** The ending of the name of the saved file. */
  ending: string;
}

/** How large a payload is that was left out, and the ways to see it. */
export function LoadBar({ left, isBegun, busy, onLoad, ending }: LoadBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="mr-1 text-soft" title={`SHA-256 ${left.sha256}`}>
        {isBegun
          ? t.json.beginningOf(byteSize(BEGINNING_BYTES), byteSize(left.bytes))
          : t.json.notLoaded(byteSize(left.bytes))}
      </span>
      {!isBegun && (
        <Button small busy={busy === 'beginning'} onClick={() => onLoad('beginning')}>
          {t.json.beginning}
        </Button>
      )}
      <Button small busy={busy === 'whole'} onClick={() => onLoad('whole')}>
        {t.json.loadAll}
      </Button>
      <a
        className="rounded-lg border border-strong bg-card px-2 py-0.5 text-[13px] font-medium hover:bg-raised"
        href={addressOf(left.href)}
        download={`${left.href.split('/').slice(3).join('-')}${ending}`}
      >
        {t.json.download}
      </a>
    </div>
  );
}

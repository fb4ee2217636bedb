import { useMemo, type ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { useHidesPayloads } from '../../api/me';
import { omittedOf, readBytes, type Omitted } from '../../api/payloads';
import { useFilters } from '../../app/filters';
import { Card, Empty, Failed } from '../../components/basics';
import { CopyButton } from '../../components/copy';
import { JsonView } from '../../components/json-view';
import { BEGINNING_BYTES, LoadBar, useLoading } from '../../components/payload';
import { Tabs } from '../../components/tabs';
import { bytesOf, hexDump, textOf } from '../../lib/bytes';
import { parseExactJson } from '../../lib/json';
import { t } from '../../messages/en';

/** The body as it came. Large ones are loaded when somebody asks for them, in part or whole, or saved without being shown. */
export function DeliveryBody({ delivery }: { delivery: Schemas['Delivery'] }) {
  const hidesPayloads = useHidesPayloads();
  const { body, bodyEncoding } = delivery;
  const bytes = useMemo(
    () => (body === undefined || body === null ? null : bytesOf(body, bodyEncoding === 'text')),
    [body, bodyEncoding],
  );
  const left = omittedOf(delivery.omitted, 'body');
  if (left) return <LargeBody key={left.href + left.sha256} left={left} />;
  if (bytes !== null) return <BodyView bytes={bytes} />;
  return (
    <Card title={t.deliveries.body}>
      <Empty title={hidesPayloads ? t.json.hidden : t.deliveries.notKept}>
        {hidesPayloads ? t.json.hiddenBody : t.deliveries.notKeptBody}
      </Empty>
    </Card>
  );
}

const READ = {
  beginning: (href: string, signal: AbortSignal) => readBytes(href, signal, BEGINNING_BYTES),
  whole: (href: string, signal: AbortSignal) => readBytes(href, signal),
};

function LargeBody({ left }: { left: Omitted }) {
  const { shown, busy, load } = useLoading(left.href, READ);
  if (shown && 'whole' in shown) return <BodyView bytes={shown.whole} wasAsked />;
  const beginning = shown && 'beginning' in shown ? shown.beginning : null;
  const bar = (
    <div className="mb-2 space-y-2" data-omitted={left.field}>
      <LoadBar left={left} isBegun={beginning !== null} busy={busy} onLoad={load} ending="" />
      {shown && 'error' in shown && <Failed error={shown.error} />}
    </div>
  );
  if (beginning === null) return <Card title={t.deliveries.body}>{bar}</Card>;
  return <BodyView bytes={beginning} isCut head={bar} />;
}

interface BodyViewProps {
  bytes: Uint8Array;
  /** Whether they are the beginning only. */
  isCut?: boolean;
  /** Whether somebody asked for all of it, so that a large one is drawn at once. */
  wasAsked?: boolean;
  head?: ReactNode;
}

/** Bytes as JSON where they are some, as text, and one by one. */
function BodyView({ bytes, isCut = false, wasAsked = false, head }: BodyViewProps) {
  const [filters, change] = useFilters();
  const text = useMemo(() => textOf(bytes, isCut), [bytes, isCut]);
  const json = useMemo(() => (isCut || text === null ? undefined : parsed(text)), [text, isCut]);
  const tabs: [string, string][] = [
    ...(json === undefined ? [] : [['json', 'JSON'] as [string, string]]),
    ...(text === null ? [] : [['text', t.deliveries.text] as [string, string]]),
    ['bytes', t.deliveries.rawBytes],
  ];
  const view = tabs.some(([name]) => name === filters['body']) ? filters['body']! : tabs[0]![0];
  return (
    <Card
      title={t.deliveries.body}
      side={
        <Tabs
          label={t.deliveries.body}
          tabs={tabs}
          value={view}
          onChange={(next) => change({ body: next })}
        />
      }
    >
      {head}
      {view === 'json' && <JsonView value={json} label={t.deliveries.body} wasAsked={wasAsked} />}
      {view === 'text' && text !== null && (
        <div className="flex gap-2">
          <pre
            className="thin-scroll max-h-96 min-w-0 flex-1 overflow-auto font-mono text-[13px] break-all whitespace-pre-wrap"
            tabIndex={0}
          >
            {text}
            {isCut && <span className="text-soft">…</span>}
          </pre>
          {!isCut && <CopyButton text={text} />}
        </div>
      )}
      {view === 'bytes' && (
        <pre className="thin-scroll max-h-96 overflow-auto font-mono text-[13px]" tabIndex={0}>
          {hexDump(bytes)}
        </pre>
      )}
    </Card>
  );
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

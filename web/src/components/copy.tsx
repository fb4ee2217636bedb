import { Menu } from '@base-ui/react/menu';
import { addressOf } from '../api/client';
import { copyText } from '../lib/copy';
import { curl } from '../lib/commands';
import { writeJson } from '../lib/json';
import { t } from '../messages/en';
import { Icon } from './icons';
import { toast } from './toasts';

async function copy(text: string): Promise<void> {
  const copied = await copyText(text);
  toast({ title: copied ? t.copy.done : t.copy.failed, tone: copied ? 'ok' : 'bad' });
}

/** A small button that copies a text. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  return (
    <button
      type="button"
      aria-label={label ?? t.copy.copy}
      className="rounded p-1 text-soft hover:bg-raised hover:text-ink"
      onClick={() => void copy(text)}
    >
      <Icon name="copy" size={14} />
    </button>
  );
}

/** An id that can be copied. */
export function Id({ id }: { id: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      <span className="font-mono text-[13px] break-all">{id}</span>
      <CopyButton text={id} />
    </span>
  );
}

interface CopyMenuProps {
  /** What is shown, as it was read. */
  json: unknown;
  /** The path of the call that reads it, below the server. */
  path: string;
  /** The command that shows it. */
  command?: string;
  /** More forms. */
  more?: { label: string; text: () => string }[];
}

const ITEM = 'cursor-default rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-raised';

/** Copies what a page shows as JSON, as a curl command, or as a command of the command line. */
export function CopyMenu({ json, path, command, more = [] }: CopyMenuProps) {
  const url = new URL(addressOf(path), document.baseURI).href;
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="inline-flex items-center gap-1.5 rounded-lg border border-strong bg-card px-3 py-1.5 font-medium hover:bg-raised">
        <Icon name="copy" />
        {t.copy.copy}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-40">
          <Menu.Popup className="min-w-44 rounded-xl border border-strong bg-card p-1.5 shadow-xl">
            <Menu.Item className={ITEM} onClick={() => void copy(writeJson(json, 2))}>
              {t.copy.json}
            </Menu.Item>
            <Menu.Item className={ITEM} onClick={() => void copy(curl('GET', url))}>
              {t.copy.curl}
            </Menu.Item>
            {command && (
              <Menu.Item className={ITEM} onClick={() => void copy(command)}>
                {t.copy.cli}
              </Menu.Item>
            )}
            {more.map(({ label, text }) => (
              <Menu.Item key={label} className={ITEM} onClick={() => void copy(text())}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

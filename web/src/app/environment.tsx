import { useEffect, useSyncExternalStore } from 'react';
import { useMe } from '../api/me';
import { Tag } from '../components/status';
import { t } from '../messages/en';

let title = '';
const listeners = new Set<() => void>();

/** Says what the page is called that is shown. */
export function setPageTitle(next: string): void {
  if (next === title) return;
  title = next;
  listeners.forEach((listener) => listener());
}

function usePageTitle(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => title,
  );
}

/** A color of the settings, or nothing where the browser does not know it. */
function known(color: string | null | undefined): string | null {
  return color && CSS.supports('color', color) ? color : null;
}

/** The icon of the tab in the color of the environment: tabs of two environments differ by it. */
function paintIcon(color: string): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const image =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
    `<rect width="32" height="32" rx="7" fill="${color}"/>` +
    '<path d="M7 10h18M16 10v14" stroke="#fff" stroke-width="4" stroke-linecap="round" fill="none"/></svg>';
  if (link) link.href = `data:image/svg+xml,${encodeURIComponent(image)}`;
}

/** The color of the environment along the top of every page, its name and that of the page in the title, its color on the tab. */
export function EnvironmentStrip() {
  const server = useMe()?.server;
  const name = server?.environment;
  const color = known(server?.color);
  const page = usePageTitle();
  useEffect(() => {
    document.title = [page, name, 'Trunkline'].filter(Boolean).join(' · ');
  }, [page, name]);
  useEffect(() => {
    if (color) paintIcon(color);
  }, [color]);
  if (!color) return null;
  return (
    <div
      aria-hidden="true"
      data-environment={name}
      className="fixed inset-x-0 top-0 z-40 h-1"
      style={{ background: color }}
    />
  );
}

/** Says that this console changes nothing, so that nobody looks for buttons. */
export function ReadOnlyTag() {
  if (!useMe()?.server.readOnly) return null;
  return (
    <p className="-mt-1.5 mb-3 ml-2" title={t.frame.readOnlyHint}>
      <Tag tone="warn">{t.frame.readOnly}</Tag>
    </p>
  );
}

/** The name of the environment beside that of the product. */
export function EnvironmentTag() {
  const server = useMe()?.server;
  const color = known(server?.color);
  if (!server?.environment) return null;
  return (
    <p className="-mt-1.5 mb-3 ml-2 inline-flex max-w-full items-center gap-1.5 self-start rounded-full bg-raised px-2 py-0.5 text-xs font-medium">
      <span
        className="size-2 shrink-0 rounded-full bg-soft"
        {...(color ? { style: { background: color } } : {})}
      />
      <span className="truncate">{server.environment}</span>
    </p>
  );
}

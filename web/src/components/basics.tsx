import { Link } from '@tanstack/react-router';
import {
  cloneElement,
  isValidElement,
  useEffect,
  useId,
  useRef,
  type AriaAttributes,
  type ButtonHTMLAttributes,
  type ReactNode,
} from 'react';
import { ApiError } from '../api/client';
import { setPageTitle } from '../app/environment';
import { t } from '../messages/en';
import { Icon, type IconName } from './icons';

type Look = 'plain' | 'main' | 'danger' | 'quiet';

const LOOKS: Record<Look, string> = {
  plain: 'border border-strong bg-card text-ink hover:bg-raised',
  main: 'border border-accent bg-accent text-on-accent hover:opacity-90',
  danger: 'border border-bad bg-card text-bad hover:bg-bad-tint',
  quiet: 'border border-transparent text-soft hover:bg-raised hover:text-ink',
};

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  icon?: IconName;
  busy?: boolean;
  small?: boolean;
}

export function Button({
  look = 'plain',
  icon,
  busy,
  small,
  children,
  className = '',
  ...rest
}: ButtonProps) {
  const size = small ? 'px-2 py-0.5 text-[13px]' : 'px-3 py-1.5';
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={`inline-flex items-center gap-1.5 rounded-lg font-medium whitespace-nowrap transition-colors disabled:opacity-50 ${size} ${LOOKS[look]} ${className}`}
    >
      {icon && <Icon name={icon} size={small ? 14 : 16} />}
      {children}
    </button>
  );
}

export function Card({
  title,
  side,
  children,
  className = '',
  flush,
}: {
  title?: ReactNode;
  side?: ReactNode;
  children: ReactNode;
  className?: string;
  flush?: boolean;
}) {
  return (
    <section className={`min-w-0 rounded-xl border border-line bg-card ${className}`}>
      {(title || side) && (
        <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
          <h2 className="font-semibold">{title}</h2>
          {side}
        </header>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  );
}

/** The head of a page: what it shows, and what can be done with it. */
export function PageHead({
  title,
  intro,
  children,
  crumbs,
}: {
  title: ReactNode;
  intro?: ReactNode;
  children?: ReactNode;
  crumbs?: { to: string; label: string };
}) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Of a title with parts, such as a status, the name comes first.
    const text = head.current && document.createTreeWalker(head.current, NodeFilter.SHOW_TEXT).nextNode();
    setPageTitle([text?.textContent?.trim(), crumbs?.label].filter(Boolean).join(' · '));
  });
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        {crumbs && (
          <Link to={crumbs.to} className="link text-[13px]">
            ← {crumbs.label}
          </Link>
        )}
        <h1 ref={head} className="text-xl font-semibold tracking-tight break-words">
          {title}
        </h1>
        {intro && <p className="mt-0.5 max-w-3xl text-soft">{intro}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}

/** What to show in place of rows that are not there, and what to do about it, or when they come. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-10 text-center">
      <p className="font-medium">{title}</p>
      <div className="max-w-prose text-soft">{children}</div>
    </div>
  );
}

export function Loading() {
  return (
    <p role="status" className="pulse px-4 py-8 text-center text-soft">
      {t.common.loading}
    </p>
  );
}

/** Why something could not be read or done, and how to try it again where that is possible in place. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const faults = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const detail = error instanceof ApiError ? error.problem.detail : t.common.unreachable;
  const hint = error instanceof ApiError ? error.problem.hint : null;
  return (
    <div role="alert" className="rounded-lg border border-bad bg-bad-tint px-3 py-2 break-words text-bad">
      <p className="font-medium">{detail}</p>
      {faults.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {faults.slice(0, 20).map((fault) => (
            <li key={fault.pointer + fault.message}>
              {fault.pointer && <code className="font-mono">{fault.pointer}</code>} {fault.message}
            </li>
          ))}
        </ul>
      )}
      {hint && (
        <p className="mt-1 text-ink">
          <span className="text-soft">{t.common.hint} </span>
          <Mono>{hint}</Mono>
        </p>
      )}
      {onRetry && (
        <Button small icon="refresh" className="mt-2" onClick={onRetry}>
          {t.common.retry}
        </Button>
      )}
    </div>
  );
}

/** A field of a form with its name. Hints and faults describe it, and are no part of its name. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}) {
  const id = useId();
  const isDescribed = (hint || error) && isValidElement<AriaAttributes>(children);
  return (
    <div>
      <label className="block">
        <span className="mb-1 block text-[13px] font-medium">{label}</span>
        {isDescribed ? cloneElement(children, { 'aria-describedby': id }) : children}
      </label>
      <span id={id}>
        {hint && <span className="mt-1 block text-[13px] text-soft">{hint}</span>}
        {error && <span className="mt-1 block text-[13px] text-bad">{error}</span>}
      </span>
    </div>
  );
}

export type Facts = [label: string, value: ReactNode][];

/** Names and values; those without a value are left out. */
export function FactList({ facts, columns = 2 }: { facts: Facts; columns?: 1 | 2 | 3 }) {
  const grid = { 1: '', 2: 'sm:grid-cols-2', 3: 'sm:grid-cols-2 xl:grid-cols-3' }[columns];
  return (
    <dl className={`grid gap-x-6 gap-y-2.5 ${grid}`}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([label, value]) => (
          <div key={label} className="min-w-0">
            <dt className="text-[13px] text-soft">{label}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Texts up to this length, such as short ids, are not broken into lines. */
const UNBROKEN_CHARS = 20;

export function Mono({ children }: { children: ReactNode }) {
  const isShort = typeof children === 'string' && children.length <= UNBROKEN_CHARS;
  return (
    <span className={`font-mono text-[13px] ${isShort ? 'whitespace-nowrap' : 'break-all'}`}>{children}</span>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="rounded border border-strong bg-raised px-1.5 font-mono text-xs">{children}</kbd>;
}

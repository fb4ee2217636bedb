import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../api/client';
import { Icon } from './icons';

/** Completions are asked for when somebody pauses for so long. */
const PAUSE_MS = 120;
const OPTIONS_MAX = 10;

export interface Completion {
  text: string;
  detail?: string | null;
  isKey: boolean;
}

interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** The list whose queries the server completes; nothing where `known` are all that there are. */
  list: string | undefined;
  /** What can be written, for lists that the server does not complete. */
  known: string[];
  text: string;
  onText: (text: string) => void;
  onSubmit: () => void;
}

/** A field for terms of a query, with what may stand at the cursor below it. */
export function SearchField({ label, placeholder, list, known, text, onText, onSubmit }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [cursor, setCursor] = useState(0);
  const completions = useCompletions(list, known, text, cursor, isOpen);
  const { options } = completions;
  const shown = isOpen && options.length > 0;
  const at = Math.min(chosen, options.length - 1);
  const take = (option: Completion) => {
    const points = [...text];
    const before = points.slice(0, completions.from).join('') + option.text + (option.isKey ? '' : ' ');
    const next = before + points.slice(completions.to).join('').trimStart();
    // Drawn at once: a cursor that is set later would jump into what is typed meanwhile.
    flushSync(() => {
      onText(next);
      setChosen(-1);
      setCursor(before.length);
      setOpen(true);
    });
    input.current?.setSelectionRange(before.length, before.length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' && options.length > 0) {
      setOpen(true);
      setChosen((at + 1) % options.length);
    } else if (event.key === 'ArrowUp' && shown) setChosen(at <= 0 ? options.length - 1 : at - 1);
    else if ((event.key === 'Enter' || event.key === 'Tab') && shown && at >= 0) take(options[at]!);
    else if (event.key === 'Escape' && shown) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <form
      className="relative flex min-w-56 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        setOpen(false);
        onSubmit();
      }}
    >
      <input
        ref={input}
        data-search
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={shown ? id : undefined}
        aria-activedescendant={shown && at >= 0 ? `${id}-${at}` : undefined}
        className="min-w-0 flex-1 bg-transparent px-1.5 py-1 outline-none placeholder:text-soft"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          onText(event.target.value);
          setCursor(event.target.selectionStart ?? event.target.value.length);
          setChosen(-1);
          setOpen(true);
        }}
        onSelect={(event) => setCursor(event.currentTarget.selectionStart ?? 0)}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      {shown && (
        <ul
          id={id}
          role="listbox"
          aria-label={label}
          className="absolute top-full left-0 z-20 mt-2 max-h-80 min-w-64 overflow-y-auto rounded-xl border border-strong bg-card p-1.5 shadow-xl"
        >
          {options.map((option, index) => (
            <li
              key={option.text}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              className={`flex cursor-default items-center gap-3 rounded-md px-2.5 py-1 font-mono text-[13px] ${index === at ? 'bg-tint text-accent' : ''}`}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(option)}
            >
              {option.isKey && <Icon name="right" size={12} />}
              <span className="flex-1">{option.text}</span>
              {option.detail && <span className="font-sans text-soft">{option.detail}</span>}
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

interface Completions {
  from: number;
  to: number;
  options: Completion[];
}

/** What may replace a part of the text; places are counted in code points. */
function useCompletions(
  list: string | undefined,
  known: string[],
  text: string,
  cursor: number,
  isOpen: boolean,
): Completions {
  const at = [...text.slice(0, cursor)].length;
  const asked = useSettled(`${at}\n${text}`);
  const [place, q] = [Number(asked.slice(0, asked.indexOf('\n'))), asked.slice(asked.indexOf('\n') + 1)];
  const { data } = useQuery({
    queryKey: ['/v1/search/suggest', { list, q, at: place }],
    queryFn: ({ signal }) =>
      call('get', '/v1/search/suggest', { query: { list: list!, q, at: place, limit: OPTIONS_MAX }, signal }),
    enabled: isOpen && list !== undefined,
    staleTime: 30_000,
    meta: { frozen: true },
  });
  if (list === undefined) return complete(known, text, cursor);
  // An answer to an earlier text names places of that text.
  if (!data || q !== text || place !== at) return { from: at, to: at, options: [] };
  const options = data.items.map(({ text: option, detail, kind }) => ({
    text: option,
    detail: detail ?? null,
    isKey: kind === 'key',
  }));
  return {
    from: data.from,
    to: data.to,
    options: options.filter((option) => !isWritten(option.text, q, data)),
  };
}

/** Whether an option is what stands there already. */
function isWritten(option: string, text: string, { from, to }: { from: number; to: number }): boolean {
  return [...text].slice(from, to).join('') === option;
}

/** The word before the cursor, completed from what is known. */
function complete(known: string[], text: string, cursor: number): Completions {
  const before = text.slice(0, cursor);
  const word = before.slice(before.lastIndexOf(' ') + 1);
  const [from, to] = [[...before].length - [...word].length, [...before].length];
  const found = known.filter((each) => each.startsWith(word) && each !== word);
  return {
    from,
    to,
    options: found.slice(0, OPTIONS_MAX).map((each) => ({ text: each, isKey: each.endsWith(':') })),
  };
}

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

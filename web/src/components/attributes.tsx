import { digitsOf } from '../lib/json';
import { quotedValue } from '../lib/query';
import { Go } from './go';

interface AttributesProps {
  of: Record<string, unknown> | null | undefined;
  /** The list that has others like it, and the view of it that is searched. */
  to: string;
  view?: string;
}

/** Searchable attributes of an object, each leading to the others that have the same value. */
export function Attributes({ of, to, view }: AttributesProps) {
  const pairs = Object.entries(of ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [
      name,
      digitsOf(each) ?? String(each),
    ]),
  );
  if (pairs.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {pairs.map(([name, value]) => (
        <li key={`${name} ${value}`} className="max-w-full break-all">
          <span className="text-soft">{name} </span>
          <Go to={to} search={{ ...(view ? { view } : {}), q: `attr.${name}:${quotedValue(value)}` }}>
            {value}
          </Go>
        </li>
      ))}
    </ul>
  );
}

/** Whether there are any. */
export function hasAttributes(of: Record<string, unknown> | null | undefined): boolean {
  return Object.keys(of ?? {}).length > 0;
}
